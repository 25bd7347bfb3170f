"""What is asked, and how it is worked on: what every service takes, as typed values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from flows.config.places import project_configs
from flows.config.settings import Choice, Setting
from flows.errors import ConfigError
from flows.library.blocks.sql import By
from flows.services.model_choice import ModelChoice
from flows.services.sources import NamedSource

GLOSSARY: Final = Path(".flows") / "glossary.csv"

Person = Literal["terminal", "terminal_continue", "detached", "never"]


@dataclass(frozen=True, slots=True)
class DataQuestion:
    """A question over data, and over a folder of `documents` where the flow reads some.

    `origin` says where the documents were named, for errors.
    """

    question: str
    sources: tuple[NamedSource, ...] = ()
    documents: str = ""
    origin: str = "--docs"

    @property
    def inputs(self) -> Mapping[str, str]:
        """The inputs of the flow that works on it."""
        return {"question": self.question}

    def settings(self) -> Iterator[Setting]:
        """What is set in a run file for it."""
        for source in self.sources:
            yield source.setting
        if self.documents:
            yield Setting("documents", self.documents, self.origin)


@dataclass(frozen=True, slots=True)
class Options:
    """How questions are worked on, whichever flow does it.

    `overrides` are those of the person, as they were written; they count more than all else here.
    `person` says how a person is reached who is asked back, `glossary` is the file in which words
    are learned, `trust` are the packages and addresses that are trusted, `by` is the way in which a
    language model answers a question.
    """

    overrides: tuple[str, ...] = ()
    model: ModelChoice | None = None
    person: Person = "detached"
    glossary: Path | None = None
    trust: tuple[str, ...] = ()
    by: By | None = None

    def settings(self) -> Iterator[Setting | Choice]:
        """What is set in a run file for them."""
        yield Choice("human", self.person, f"human={self.person}")
        if self.glossary is not None:
            yield Setting("glossary", str(self.glossary), f"the glossary {self.glossary}")
        if self.model is not None:
            yield from self.model.settings()


def run_file(name: str, command: str) -> Path:
    """The run file that comes with the package. Errors: `ConfigError` when it came without."""
    folder = project_configs()
    if folder is None:
        raise ConfigError(f"the folder of configs, which `{command}` runs from, is missing")
    return folder / f"{name}.yaml"
