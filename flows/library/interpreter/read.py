"""Reading on in a result that was cut."""

from __future__ import annotations

import asyncio
from typing import Any, ClassVar, Final

from pydantic import Field

from flows.core.artifacts import Artifacts
from flows.core.flow import AtomicConfig, AtomicFlow, FlowConfig, Ports
from flows.core.observation import Observation
from flows.core.run import Run
from flows.errors import JournalError, ToolError
from flows.library.interpreter.pointers import NoSuchPath, resolve
from flows.library.interpreter.results import ToolResult, data_of
from flows.tools.sources.results import compact

_MOST_CHARS: Final = 8_000


class ReadConfig(AtomicConfig):
    """The keys of reading on."""

    description: str = "Reads on in a result."
    max_chars: int = Field(default=_MOST_CHARS, ge=200)


class ReadInputs(Ports):
    """Where to read: the number of a call, a JSON pointer, and the first element or character."""

    call: int
    path: str = ""
    offset: int = 0
    results: tuple[ToolResult, ...] = ()


class ReadOutputs(Ports):
    observation: Observation


class ReadFlow(AtomicFlow):
    """Gives a part of an earlier result, as long as `max_chars` allows."""

    Config: ClassVar[type[FlowConfig]] = ReadConfig
    Inputs: ClassVar[type[Ports]] = ReadInputs
    Outputs: ClassVar[type[Ports]] = ReadOutputs

    async def run(self, inputs: ReadInputs, run: Run) -> ReadOutputs:
        found = next((each for each in inputs.results if each.number == inputs.call), None)
        if found is None:
            known = ", ".join(str(each.number) for each in inputs.results) or "none"
            raise ToolError(f"there is no result of a call {inputs.call} (calls: {known})")
        text = await asyncio.to_thread(self._part, found, inputs, run.session.artifacts)
        return ReadOutputs(observation=Observation(kind="ok", text=text))

    def _part(self, found: ToolResult, inputs: ReadInputs, artifacts: Artifacts) -> str:
        data = data_of(found.as_call(artifacts))
        if isinstance(data, str) and found.artifact:
            data = _text_of(found.artifact, artifacts) or data
        try:
            value = resolve(data, inputs.path)
        except NoSuchPath as error:
            raise ToolError(f"call {inputs.call}: {error}") from error
        return part_of(value, inputs.offset, self.config.max_chars)


def _text_of(name: str, artifacts: Artifacts) -> str:
    try:
        return artifacts.read(name).decode("utf-8", "replace")
    except JournalError:
        return ""


def part_of(value: Any, offset: int, max_chars: int) -> str:
    """The elements of a list, or the characters of anything else, from an offset on."""
    if not isinstance(value, list):
        text = value if isinstance(value, str) else compact(value)
        shown = text[offset : offset + max_chars]
        left = len(text) - offset - len(shown)
        return f"{shown}\n[{left:,} characters follow, from offset {offset + len(shown)}]" * (
            left > 0
        ) or (shown or "[there is nothing after this offset]")
    taken: list[Any] = []
    room = max_chars
    for each in value[offset:]:
        room -= len(compact(each)) + 2
        if room < 0 and taken:
            break
        taken.append(each)
    end = offset + len(taken)
    left = len(value) - end
    more = f"\n[{left:,} elements follow, from offset {end}]" if left > 0 else ""
    return f"{compact(taken)[: max_chars + 1]}{more}"
