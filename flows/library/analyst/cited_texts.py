"""Texts of a model whose numbers are references: rendered, cited, and sent back where they fail."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from flows.core.flow import Flow, Parts
from flows.core.observation import Caution
from flows.core.run import Run
from flows.data.answers.citations import Citation, Traced
from flows.data.answers.references import CellFunction, find_references
from flows.data.answers.verifier import cite
from flows.library.analyst.action_calls import ActionFailed, ask_action
from flows.library.blocks.cite import CiteFlow
from flows.library.blocks.reading import JsonObject, ReplyProblem
from flows.library.blocks.render import RenderConfig, RenderFlow
from flows.semantics.findings import Told

UNSUPPORTED = "unsupported_number"
# Between texts that are rendered and cited as one; a blank line ends a sentence for the verifier.
_BETWEEN = "\n\n\u2029\n\n"
_SHOWN = 6
T = TypeVar("T")


@dataclass(frozen=True)
class CitedReply(Generic[T]):
    """What was read of a reply, and its texts."""

    reply: T
    texts: tuple[str, ...]


class Teller:
    """Renders and cites the texts of an agent. Its two flows are subflows of the agent."""

    def __init__(self, parts: Parts) -> None:
        def below(name: str) -> Parts:
            return Parts(name=name, services=parts.services)

        self.render = RenderFlow(RenderConfig(), below("render"))
        cite: Any = CiteFlow.Config
        self.cite = CiteFlow(cite(description="Finds the origin of each number."), below("cite"))

    @property
    def subflows(self) -> dict[str, Flow]:
        return {each.name: each for each in (self.render, self.cite)}

    async def ask(
        self,
        run: Run,
        action: Flow,
        inputs: Mapping[str, Any],
        read: Callable[[JsonObject], CitedReply[T]],
        *,
        given: str,
        corrections: int,
        among: Sequence[str] = (),
    ) -> tuple[T, tuple[Told, ...]]:
        """What `read` makes of the action's reply, and its texts as they are told.

        A reply that cannot be read, a reference that names no cell, and a number that nothing holds
        go back to the model; the last of these once only, and what stays of it is told with its
        origin `none`. `given` are the texts in which a number may have been given, `among` the
        results that hold the others (all of the run without it). Errors: `ActionFailed`.
        """
        kept: tuple[T, tuple[Told, ...]] | None = None
        broken: tuple[CitedReply[T], str] | None = None

        async def check(draft: CitedReply[T]) -> tuple[T, tuple[Told, ...]]:
            nonlocal kept, broken
            told = await self.tell(run, draft.texts, given, among)
            if isinstance(told, str):
                broken = draft, told
                raise ReplyProblem(told)
            invented = invented_in(told)
            if invented and kept is None:
                kept = draft.reply, told
                raise ReplyProblem(_invented_words(invented))
            return draft.reply, told

        try:
            return await ask_action(run, action, inputs, read, corrections, check)
        except ActionFailed:
            if kept is not None:
                return kept
            if broken is None:
                raise
        draft, problem = broken
        return draft.reply, await self._what_is_left(run, draft.texts, given, problem, among)

    async def tell(
        self, run: Run, texts: Sequence[str], given: str, among: Sequence[str] = ()
    ) -> tuple[Told, ...] | str:
        """The texts with their cells and the origin of each number, or what is wrong with them."""
        if not texts:
            return ()
        rendered = await run.call(self.render, {"text": _BETWEEN.join(texts)})
        if rendered["problem"]:
            return str(rendered["problem"])
        text, citations = await self._cited(run, rendered, given, among)
        pieces = text.split(_BETWEEN)
        if len(pieces) != len(texts):  # a cell holds what stands between texts
            return await self._one_by_one(run, texts, given, among)
        return _split(texts, pieces, citations)

    async def _cited(
        self, run: Run, rendered: Mapping[str, Any], given: str, among: Sequence[str]
    ) -> tuple[str, tuple[Citation, ...]]:
        """The text and the origin of each number in it. Results are looked through only for a
        number that is neither a reference nor given: they may be large, and there are many texts.
        """
        text, cited = rendered["text"], rendered["cited"]
        known = cite(text, (), given, cited)
        if all(each.traced for each in known):
            return text, known
        asked = {"answer": text, "question": given, "cited": cited, "among": tuple(among)}
        found = await run.call(self.cite, asked)
        return found["answer"], found["citations"]

    async def _one_by_one(
        self, run: Run, texts: Sequence[str], given: str, among: Sequence[str]
    ) -> tuple[Told, ...] | str:
        found: list[Told] = []
        for text in texts:
            rendered = await run.call(self.render, {"text": text})
            if rendered["problem"]:
                return str(rendered["problem"])
            shown, cited = await self._cited(run, rendered, given, among)
            traced = Traced.of(cited)
            found.append(Told(text=shown, source=text, citations=cited, traced=traced))
        return tuple(found)

    async def _what_is_left(
        self,
        run: Run,
        texts: Sequence[str],
        given: str,
        problem: str,
        among: Sequence[str],
    ) -> tuple[Told, ...]:
        """Those of the texts whose references can be resolved; the others are empty.

        Errors: `ActionFailed` when there is none.
        """
        found = []
        for text in texts:
            told = await self.tell(run, (text,), given, among)
            found.append(Told(text="") if isinstance(told, str) else told[0])
        if not any(each.text for each in found):
            raise ActionFailed(f"no text of the reply can be used: {problem}")
        run.notice("What refers to no cell was left out.")
        return tuple(found)


def _split(
    texts: Sequence[str], pieces: Sequence[str], citations: Sequence[Citation]
) -> tuple[Told, ...]:
    """The texts again, each with its own citations."""
    found, start = [], 0
    for text, piece in zip(texts, pieces, strict=True):
        end = start + len(piece)
        own = tuple(
            each.model_copy(update={"start": each.start - start, "end": each.end - start})
            for each in citations
            if start <= each.start and each.end <= end
        )
        found.append(Told(text=piece, source=text, citations=own, traced=Traced.of(own)))
        start = end + len(_BETWEEN)
    return tuple(found)


def named_in(text: str) -> list[str]:
    """The results that the references of a text name."""
    found = [placed.value for placed in find_references(text) if placed.value is not None]
    names = []
    while found:
        value = found.pop()
        if isinstance(value, CellFunction):
            found += value.of
        else:
            names.append(value.result)
    return names


def invented_in(told: Sequence[Told]) -> list[str]:
    """The numbers that nothing holds."""
    return list(dict.fromkeys(c.text for each in told for c in each.citations if not c.traced))


def unsupported(told: Sequence[Told]) -> tuple[Caution, ...]:
    """A warning for each number that nothing holds."""
    return tuple(
        Caution(code=UNSUPPORTED, text=f"Nothing that was found holds the number {each}.")
        for each in invented_in(told)
    )


def _invented_words(numbers: Sequence[str]) -> str:
    shown = ", ".join(numbers[:_SHOWN])
    return (
        f"no cell of a result holds {shown}. Write each number as a reference to its cell, or "
        "leave out what it is about"
    )
