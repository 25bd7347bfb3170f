"""The messages and values of a request, with where each of them comes from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from flows.config.prompts import Prompt
from flows.config.read import shown
from flows.core.chat import ChatRequest
from flows.explain.body_parts import PartOrigin, Piece
from flows.explain.containment import Path
from flows.explain.retrace import Retold, RetracedStep
from flows.explain.step_wording import StepWording, earlier_steps, role_of
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
        self._wording = StepWording(told, step, self._of_data)
        turns = earlier_steps(told, step)
        self.turns = turns[len(turns) - len(self.state.turns) :]

    def messages(self, request: ChatRequest) -> list[list[Piece]]:
        """The contents of the request's messages in pieces."""
        kept = self.flow.config.previous_messages.keep(tuple(range(len(self.state.messages))))
        earlier = [[Piece(self.state.messages[n].content, self._of_turn(n))] for n in kept]
        prompt = self.flow.prompt_for(self.state, self.step.given)
        asked = self._wording.pieces(prompt, self.step.given.__dict__)
        if self.flow.system is None:
            return [*earlier, asked]
        return [self._system(self.flow.system, request.messages[0].content), *earlier, asked]

    def values(self, request: ChatRequest) -> dict[Path, PartOrigin]:
        """The origins of the values that are sent beside or instead of messages."""
        found: dict[Path, PartOrigin] = {
            ("inputs", name): self._wording.of_value(name) for name in request.inputs
        }
        for number, turn in enumerate(self.turns):
            said = f"{turn.address} before"
            found[("turns", str(number), "inputs")] = PartOrigin(
                "chat", f"what was asked in {said}", step=turn.address
            )
            found[("turns", str(number), "reply")] = PartOrigin(
                "chat", f"the reply in {said}", step=turn.address
            )
        return {**found, ("role",): role_of(self.step)}

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
                pieces = self._wording.pieces(prompt, {**values, name: tables})
                if "".join(piece.text for piece in pieces) == text:
                    return pieces
        said = f"{prompt.source.name}, in which values cannot be told apart"
        return [Piece(text, PartOrigin("prompt", said, shown(prompt.source)))]

    def _of_data(self, path: Path) -> PartOrigin | None:
        """Where a value comes from that is no input of the step; None for one that is."""
        if path[0] in DATA and self.flow.catalog is not None:
            where = ", ".join(f"{each} ({self.sources[each]})" for each in self.sources)
            return PartOrigin("value", f"{path[0]}: the data sources {where}", variable=path[0])
        if path[0] in OF_CODE and path[0] not in self.step.inputs:
            return PartOrigin("value", f"{path[0]}: what a request can say", variable=path[0])
        return None


def _between(rendered: str, text: str) -> str | None:
    """What stands in the text where the rendered one has the stand-in, if that is one place."""
    parts = rendered.split(_STAND_IN)
    if len(parts) != 2 or not (text.startswith(parts[0]) and text.endswith(parts[1])):
        return None
    end = len(text) - len(parts[1])
    return text[len(parts[0]) : end] if end >= len(parts[0]) else None
