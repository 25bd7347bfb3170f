"""The messages of an interpreter's requests in pieces, with where each piece comes from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from flows.core.chat import ChatRequest
from flows.explain.body_parts import PartOrigin, Piece
from flows.explain.containment import Path
from flows.explain.retrace import Retold, RetracedStep
from flows.explain.step_wording import StepWording, earlier_steps, role_of
from flows.library.interpreter.decide import DecideFlow, DecideState
from flows.library.interpreter.results import ToolResult
from flows.library.interpreter.summarize import SummarizeFlow

_FORM: Final = PartOrigin("form", "the form of the interpreter's messages")


class DecisionWording:
    """What a step asked to decide, in pieces."""

    def __init__(self, told: Retold, step: RetracedStep, flow: DecideFlow) -> None:
        self.step = step
        self.flow = flow
        self.state: DecideState = step.state
        turns = earlier_steps(told, step)
        # The steps of the exchanges before, and this one, whose exchange is still open.
        self.turns = [*turns[len(turns) - len(self.state.exchanges) :], step]
        self._wordings = [StepWording(told, each) for each in self.turns]

    def messages(self, request: ChatRequest) -> list[list[Piece]]:
        """The contents of the request's messages in pieces."""
        system, *others = request.messages
        found = [self._system(system.content)]
        number = 0
        for each in others:
            if each.role == "assistant":
                found.append([Piece(each.content, self._of_reply(number))])
                number += 1
            else:
                found.append(list(segmented(each.content, list(self._known(number)))))
        return found

    def values(self, request: ChatRequest) -> dict[Path, PartOrigin]:
        """The origins of the values that are sent beside or instead of messages."""
        wording = self._wordings[-1]
        found: dict[Path, PartOrigin] = {
            ("inputs", name): wording.of_value(name)
            for name in request.inputs
            if name in self.step.inputs
        }
        number = 0
        for place, each in enumerate(request.messages):
            if each.role == "assistant":
                found[("messages", str(place), "tool_calls")] = self._of_reply(number)
                number += 1
        found[("tools",)] = wording.of_value("stack")
        return {**found, ("role",): role_of(self.step)}

    def _of_reply(self, number: int) -> PartOrigin:
        step = self.turns[number].address
        return PartOrigin("chat", f"the reply in {step} before", step=step)

    def _system(self, content: str) -> list[Piece]:
        given = self.step.given.__dict__
        wording = self._wordings[-1]
        plan = wording.pieces(self.flow.plan, given)
        return list(segmented(content, [plan, wording.pieces(self.flow.form, given)]))

    def _known(self, number: int) -> Iterator[list[Piece]]:
        """The texts that the exchange of that number may consist of, each in pieces."""
        step, wording = self.turns[number], self._wordings[number]
        summaries = {
            each.call: each.text for each in (*self.state.summaries, *self.step.given.summaries)
        }
        results: Sequence[ToolResult] = step.given.results
        for place, each in enumerate(results):
            origin = wording.of_input(("results", str(place), "text"), each.text)
            texts = [each.told, each.reference]
            if each.number in summaries:
                texts.append(each.summarized(summaries[each.number]))
            yield from ([Piece(text, origin)] for text in texts)
        if number == 0:
            yield wording.pieces(self.flow.question, step.given.__dict__)
        for name in ("correction", "last"):
            if text := getattr(step.given, name):
                yield [Piece(text, wording.of_value(name))]


class SummaryWording:
    """What a step asked to summarize, in pieces."""

    def __init__(self, told: Retold, step: RetracedStep, flow: SummarizeFlow) -> None:
        self.step = step
        self.flow = flow
        self._wording = StepWording(told, step, _of_texts)

    def messages(self, request: ChatRequest) -> list[list[Piece]]:
        """The content of the request's one message in pieces."""
        given = self.step.given
        values = {"question": given.question, "texts": given.results}
        pieces = self._wording.pieces(self.flow.prompt, values)
        return [list(segmented(request.messages[0].content, [pieces]))]

    def values(self, request: ChatRequest) -> dict[Path, PartOrigin]:
        """The origins of the values that are sent beside or instead of messages."""
        found: dict[Path, PartOrigin] = {
            ("inputs", name): self._wording.of_value(name) for name in request.inputs
        }
        return {**found, ("role",): role_of(self.step)}


def _of_texts(path: Path) -> PartOrigin | None:
    if path[0] != "texts":
        return None
    return PartOrigin("value", "texts: results of earlier calls", variable=".".join(path))


def segmented(content: str, known: Sequence[list[Piece]]) -> Iterator[Piece]:
    """A text in pieces: the known texts that stand in it, in their order there, and what is
    between them."""
    texts = [("".join(each.text for each in pieces), pieces) for pieces in known]
    at = 0
    while at < len(content):
        places = [
            (place, -len(text), number)
            for number, (text, _) in enumerate(texts)
            if text and (place := content.find(text, at)) >= 0
        ]
        place, length, number = min(places, default=(len(content), 0, 0))
        if place > at:
            yield Piece(content[at:place], _FORM)
        if not places:
            return
        yield from texts[number][1]
        at = place - length


def wording_of(step: RetracedStep, told: Retold) -> DecisionWording | SummaryWording:
    """The pieces of the request of a step of an interpreter."""
    flow: Any = step.flow
    if isinstance(flow, SummarizeFlow):
        return SummaryWording(told, step, flow)
    assert isinstance(flow, DecideFlow)
    return DecisionWording(told, step, flow)


def asked_again(step: RetracedStep, told: Retold) -> ChatRequest | None:
    """The request of a step of an interpreter; None of any other flow."""
    flow: Any = step.flow
    if isinstance(flow, SummarizeFlow):
        return flow.request(step.given)
    if not isinstance(flow, DecideFlow) or told.artifacts is None:
        return None
    results = step.state.with_news(step.given).results
    calls = tuple(each.as_call(told.artifacts) for each in results)
    return flow.request(step.state, step.given, calls)
