"""The ways over relationships from the rows of one dataset to those of another."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from flows.semantics.model import Relationship, SemanticModel

BACK = "-"


@dataclass(frozen=True, slots=True)
class JoinStep:
    """One relationship, taken from the rows that refer (`forward`) or from those referred to."""

    relationship: Relationship
    forward: bool

    @property
    def start(self) -> str:
        return self.relationship.dataset if self.forward else self.relationship.to

    @property
    def end(self) -> str:
        return self.relationship.to if self.forward else self.relationship.dataset

    @property
    def start_fields(self) -> tuple[str, ...]:
        return self.relationship.fields if self.forward else self.relationship.to_fields

    @property
    def end_fields(self) -> tuple[str, ...]:
        return self.relationship.to_fields if self.forward else self.relationship.fields

    @property
    def many(self) -> bool:
        """Whether one row may lead to several."""
        return not self.forward and not self.relationship.single

    @property
    def name(self) -> str:
        """How a `via` names this step."""
        itself = self.relationship.dataset == self.relationship.to
        return BACK + self.relationship.name if itself and not self.forward else _name(self)

    def reverse(self) -> JoinStep:
        return JoinStep(self.relationship, not self.forward)


Path = tuple[JoinStep, ...]


def _name(step: JoinStep) -> str:
    return step.relationship.name


def take(model: SemanticModel, here: str, name: str) -> JoinStep | None:
    """The step that a name in a `via` means for the rows of a dataset; None where it has none."""
    for step in steps(model, here):
        if step.name == name:
            return step
    return None


def steps(model: SemanticModel, here: str) -> Iterator[JoinStep]:
    """Every step from a dataset; a relationship with itself can be taken in both directions."""
    for each, _ in model.neighbours(here):
        if each.dataset == here:
            yield JoinStep(each, True)
        if each.to == here:
            yield JoinStep(each, False)


def follow(model: SemanticModel, start: str, via: Sequence[str]) -> Path | None:
    """The steps that a `via` names, from a dataset on; None where it leads nowhere."""
    path: list[JoinStep] = []
    for name in via:
        step = take(model, path[-1].end if path else start, name)
        if step is None:
            return None
        path.append(step)
    return tuple(path)


def shortest(model: SemanticModel, start: str, end: str) -> tuple[Path, ...]:
    """All the shortest ways between two datasets; the empty one where they are the same."""
    if start == end:
        return ((),)
    seen, ways = {start}, [((), start)]
    while ways:
        longer: list[tuple[Path, str]] = [
            ((*path, step), step.end)
            for path, here in ways
            for step in steps(model, here)
            if step.end not in seen
        ]
        found = tuple(path for path, here in longer if here == end)
        if found:
            return found
        seen |= {here for _, here in longer}
        ways = longer  # type: ignore[assignment]
    return ()


def find_path(model: SemanticModel, start: str, via: Sequence[str], end: str) -> Path | None:
    """The way that `via` names, or the one shortest; None where there is no such one."""
    if via:
        path = follow(model, start, via)
        return path if path is not None and path[-1].end == end else None
    ways = shortest(model, start, end)
    return ways[0] if len(ways) == 1 else None


def is_only(model: SemanticModel, start: str, via: Sequence[str], end: str) -> bool:
    """Whether the way that `via` names is the one shortest, so that it need not be named."""
    path = find_path(model, start, (), end)
    return path is not None and [each.name for each in path] == list(via)


def leads_to_many(path: Path) -> bool:
    """Whether a row at the beginning of a way may have several at its end."""
    return any(step.many for step in path)
