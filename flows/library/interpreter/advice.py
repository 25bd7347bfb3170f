"""Advice on how to answer a kind of question, looked up in READMEs."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar, Final

from pydantic import Field

from flows.core.flow import AtomicConfig, AtomicFlow, FlowConfig, Parts, Ports
from flows.core.observation import Observation
from flows.core.run import Run
from flows.errors import ConfigError, ToolError
from flows.memory.ranking import KeywordIndex
from flows.tools.text import cap, plain

ADVICE: Final = Path(__file__).parent / "advice"
_MOST_BYTES: Final = 1_000_000
_HEADING: Final = re.compile(r"^#{1,6} +(.+?) *#*$", re.MULTILINE)


class AdviceConfig(AtomicConfig):
    """The keys of the look-up."""

    description: str = "Looks up advice."
    files: tuple[Path, ...] = ()
    sections: int = Field(default=3, ge=1)
    max_chars: int = Field(default=4_000, ge=200)


class AdviceInputs(Ports):
    question: str


class AdviceOutputs(Ports):
    observation: Observation


class AdviceFlow(AtomicFlow):
    """Gives the sections that fit a question best, of the Markdown files of the run and of those
    that come with the package."""

    Config: ClassVar[type[FlowConfig]] = AdviceConfig
    Inputs: ClassVar[type[Ports]] = AdviceInputs
    Outputs: ClassVar[type[Ports]] = AdviceOutputs

    def __init__(self, config: AdviceConfig, parts: Parts) -> None:
        super().__init__(config, parts)
        self.files = tuple(markdown_files([parts.base / each for each in config.files]))

    async def run(self, inputs: AdviceInputs, run: Run) -> AdviceOutputs:
        del run
        text = await asyncio.to_thread(self._look_up, inputs.question)
        return AdviceOutputs(observation=Observation(kind="ok", text=text))

    def _look_up(self, question: str) -> str:
        config: AdviceConfig = self.config
        sections = [
            each for file in (*self.files, *sorted(ADVICE.glob("*.md"))) for each in read_file(file)
        ]
        named = {str(number): each for number, each in enumerate(sections)}
        index = KeywordIndex((key, f"{title}\n{text}") for key, (title, text) in named.items())
        best = index.search(question, config.sections) or dict.fromkeys(list(named)[:1], 0.0)
        told = [f"{named[key][0]}\n{named[key][1]}" for key in best]
        return cap("\n\n".join(told), config.max_chars)


def markdown_files(places: Sequence[Path]) -> list[Path]:
    """The files, and the Markdown files of the folders. Errors: `ConfigError` for none."""
    found: list[Path] = []
    for place in places:
        if place.is_dir():
            found += sorted(place.rglob("*.md"))
        elif place.is_file():
            found.append(place)
        else:
            raise ConfigError(f"there is no file or folder {place} to look up advice in")
    return found


def read_file(path: Path) -> list[tuple[str, str]]:
    """The sections of a Markdown file: the headings above each, and its text. Errors:
    `ToolError`."""
    try:
        with path.open("rb") as file:
            text = plain(file.read(_MOST_BYTES).decode("utf-8", "replace"))
    except OSError as error:
        raise ToolError(f"{path} cannot be read: {error}") from error
    return sections_of(text)


def sections_of(text: str) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    titles: dict[int, str] = {}
    marks = list(_HEADING.finditer(text))
    if not marks or text[: marks[0].start()].strip():
        found.append(("", text[: marks[0].start() if marks else None].strip()))
    for number, mark in enumerate(marks):
        level = len(mark[0]) - len(mark[0].lstrip("#"))
        titles = {**{n: t for n, t in titles.items() if n < level}, level: mark[1]}
        end = marks[number + 1].start() if number + 1 < len(marks) else len(text)
        body = text[mark.end() : end].strip()
        if body:
            found.append((" > ".join(title for _, title in sorted(titles.items())), body))
    return found
