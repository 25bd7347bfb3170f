"""What a file of semantics was read to: a model, and what of the file could not be used."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeVar

from flows.errors import CheckError, ConfigError, Place
from flows.semantics.model import Part, SemanticModel

T = TypeVar("T", bound=Part)


@dataclass(frozen=True, slots=True)
class OmittedPart:
    """A part of a file that was left out, and why; the rest of the file is used."""

    place: Place
    text: str

    def __str__(self) -> str:
        return f"{self.place}: {self.text}"


@dataclass(frozen=True, slots=True)
class Declaration:
    """A model as a file declares it.

    Of each part, `model_fields_set` are what the file says; the others have been filled in so that
    the model can be used alone, and give way to what is inferred from data.
    """

    model: SemanticModel
    notices: tuple[OmittedPart, ...] = ()


class DeclarationFaults:
    """Errors of a file that are told together, and parts of it that are left out."""

    def __init__(self) -> None:
        self.errors: list[ConfigError] = []
        self.notices: list[OmittedPart] = []

    def add(self, error: ConfigError) -> None:
        self.errors.extend(error.errors if isinstance(error, CheckError) else [error])

    def notice(self, place: Place, text: str) -> None:
        self.notices.append(OmittedPart(place, text))

    def check(self) -> None:
        """Raises ConfigError, or CheckError where there are several errors."""
        if len(self.errors) == 1:
            raise self.errors[0]
        if self.errors:
            ordered = sorted(self.errors, key=lambda each: _position(each.place))
            raise CheckError(ordered)


def assumed(part: T, names: Iterable[str]) -> T:
    """The part, of which the file does not say the named attributes."""
    part.model_fields_set.difference_update(names)
    return part


def _position(place: Place | None) -> tuple[str, int, int]:
    return (place.origin, place.line or 0, place.column or 0) if place else ("", 0, 0)
