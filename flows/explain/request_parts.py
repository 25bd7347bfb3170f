"""The messages and values of a request, with where each of them comes from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from flows.config.prompts import Prompt
from flows.config.read import shown
from flows.core.chat import ChatRequest
from flows.explain.body_parts import PartOrigin, Piece
from flows.explain.containment import Path
from flows.explain.origins import Origins, ValueSource
from flows.explain.retrace import Retold, RetracedStep
from flows.library.blocks.chat import ChatFlow, ChatState

TABLES: Final = "tables"
# What a system prompt says of the data, under the one name or the other.
DATA: Final = (TABLES, "semantics")
OF_CODE: Final = ("form", "methods")
_STAND_IN: Final = "\ufdd0tables\ufdd1"  # no text has these: they are no characters


class Wording:
    """What a chat step asked, in pieces. `sources` are the data sources by their names."""

    def __init__(
        self, told: Retold, step: RetracedStep, flow: ChatFlow, sources: Mapping[str, str]
    ) -> None:
        self.step = step
        self.flow = flow
        self.state: ChatState = step.state
        self.sources = sources
        self._origins = Origins(told)
        self._known: dict[Path, PartOrigin] = {}
        self._files: dict[str, bool] = {}
        turns = [
            each
            for each in told.steps.values()
            if each.flow is flow and each.outputs is not None and (each.ended or 0) < step.began
        ]
        self.turns = turns[len(turns) - len(self.state.turns) :]

    def messages(self, request: ChatRequest) -> list[list[Piece]]:
        """The contents of the request's messages in pieces."""
        kept = self.flow.config.previous_messages.keep(tuple(range(len(self.state.messages))))
        earlier = [[Piece(self.state.messages[n].content, self._of_turn(n))] for n in kept]
        prompt = self.flow.prompt_for(self.state, self.step.given)
        asked = self._pieces(prompt, self.step.given.__dict__)
        if self.flow.system is None:
            return [*earlier, asked]
        return [self._system(self.flow.system, request.messages[0].content), *earlier, asked]

    def values(self, request: ChatRequest) -> dict[Path, PartOrigin]:
        """The origins of the values that are sent beside or instead of messages."""
        found: dict[Path, PartOrigin] = {
            ("inputs", name): self._of_value(name) for name in request.inputs
        }
        for number, turn in enumerate(self.turns):
            said = f"{turn.address} before"
            found[("turns", str(number), "inputs")] = PartOrigin(
                "chat", f"what was asked in {said}", step=turn.address
            )
            found[("turns", str(number), "reply")] = PartOrigin(
                "chat", f"the reply in {said}", step=turn.address
            )
        role = f"the role of {self.flow.path or self.flow.name}"
        return {**found, ("role",): PartOrigin("config", role, key="role")}

    def _of_turn(self, number: int) -> PartOrigin:
        step = self.turns[number // 2].address
        what = "the reply" if number % 2 else "what was asked"
        return PartOrigin("chat", f"{what} in {step} before", step=step)

    def _system(self, prompt: Prompt, text: str) -> list[Piece]:
        """The system prompt in pieces. What it says of the tables is told by the rest of it."""
        values = {**self.step.given.__dict__, **self.flow.of_code(prompt)}
        name = next((each for each in DATA if each in prompt.variables), TABLES)
        tried: Sequence[object] = (values.get(name),)
        if self.flow.catalog is not None:
            blank = dict.fromkeys(DATA, "")
            values |= blank
            tried = ("", _between(prompt.render({**values, name: _STAND_IN}), text))
        for tables in tried:
            if tables is not None or name not in prompt.variables:
                pieces = self._pieces(prompt, {**values, name: tables})
                if "".join(piece.text for piece in pieces) == text:
                    return pieces
        said = f"{prompt.source.name}, in which values cannot be told apart"
        return [Piece(text, PartOrigin("prompt", said, shown(prompt.source)))]

    def _pieces(self, prompt: Prompt, values: Mapping[str, Any]) -> list[Piece]:
        return [
            Piece(part.text, self._of_part(prompt, part.line, part.names))
            for part in prompt.parts(values)
        ]

    def _of_part(self, prompt: Prompt, line: int, names: Sequence[str]) -> PartOrigin:
        """Where a part of a prompt comes from: its text, or the value that it shows."""
        file, changed = shown(prompt.source), self._changed(prompt)
        if not names:
            return PartOrigin("prompt", f"{prompt.source.name}:{line}", file, line, changed)
        found = [self._of_value(name) for name in names]
        return replace(
            found[0],
            text="; ".join(each.text for each in found),
            file=file,
            line=line,
            changed=changed,
            variable=", ".join(each.variable for each in found),
        )

    def _changed(self, prompt: Prompt) -> bool:
        if prompt.name not in self._files:
            self._files[prompt.name] = _is_changed(prompt)
        return self._files[prompt.name]

    def _of_value(self, name: str) -> PartOrigin:
        """Where an input of the step comes from, as its prompt names it, with a dotted path."""
        path = tuple(name.split("."))
        if path[0] in DATA and self.flow.catalog is not None:
            where = ", ".join(f"{each} ({self.sources[each]})" for each in self.sources)
            return PartOrigin("value", f"{path[0]}: the data sources {where}", variable=path[0])
        if path[0] in OF_CODE and path[0] not in self.step.inputs:
            return PartOrigin("value", f"{path[0]}: what a request can say", variable=path[0])
        if path not in self._known:
            held, path = self._reach(path)
            source = self._origins.of_input(self.step, path, held)
            text = f"{'.'.join(path)}: {said_of(source)}"
            self._known[path] = PartOrigin(
                "value",
                text,
                variable=".".join(path),
                step=source.step.address if source.kind == "step" else "",
                key=".".join(source.path),
            )
        return self._known[path]

    def _reach(self, path: Path) -> tuple[Any, Path]:
        """The input at a dotted path, as far as it is one of keys."""
        value: Any = self.step.inputs.get(path[0])
        for number, key in enumerate(path[1:], 1):
            if not isinstance(value, Mapping) or key not in value:
                return value, path[:number]
            value = value[key]
        return value, path


def said_of(source: ValueSource) -> str:
    """What holds a value, in a few words."""
    key = ".".join(source.path)
    if source.kind == "input":
        return f"the run's input {key}"
    if source.kind == "composite":
        return f"given by {source.step.address or source.step.flow.name} itself"
    return f"from {source.step.address}.{key}" if source.step.address else f"from {key}"


def _between(rendered: str, text: str) -> str | None:
    """What stands in the text where the rendered one has the stand-in, if that is one place."""
    parts = rendered.split(_STAND_IN)
    if len(parts) != 2 or not (text.startswith(parts[0]) and text.endswith(parts[1])):
        return None
    end = len(text) - len(parts[1])
    return text[len(parts[0]) : end] if end >= len(parts[0]) else None


def _is_changed(prompt: Prompt) -> bool:
    """Whether the prompt's file holds another text now, or is gone."""
    try:
        return prompt.source.read_text(encoding="utf-8") != prompt.text
    except (OSError, UnicodeDecodeError):
        return True
