"""Searching for functions, and the stack of those that may be called."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from pydantic import Field

from flows.analysis.functions.decision import SearchResult
from flows.core.flow import AtomicConfig, AtomicFlow, FlowConfig, Parts, Ports
from flows.core.function_description import FunctionDescription
from flows.core.function_store import FunctionClass, FunctionMatch, FunctionStore
from flows.core.run import Run
from flows.errors import ToolError
from flows.library.interpreter.stack import Stack


class ReviseConfig(AtomicConfig):
    """The keys of the stack of functions."""

    description: str = "Searches for functions."
    stack_tokens: int = Field(default=6_000, ge=1)


class ReviseInputs(Ports):
    """What to search and to load, at which `turn`. `load` are ids, `called` those of the functions
    that were called since the last time. With `prune` what was never called leaves."""

    turn: int = 0
    load: tuple[str, ...] = ()
    questions: tuple[str, ...] = ()
    limit: int = Field(default=3, ge=1, le=50)
    function_class: FunctionClass = "Any"
    namespace: str = ""
    prune: bool = False
    called: tuple[str, ...] = ()


class ReviseOutputs(Ports):
    """The functions that are loaded, and what each question found, by the names that the functions
    have on the stack. `problem` says why nothing could be searched."""

    loaded: tuple[FunctionDescription, ...] = ()
    searches: tuple[SearchResult, ...] = ()
    problem: str = ""


class ReviseFlow(AtomicFlow):
    """Searches the functions of the run and loads those that fit. Its folded state is the stack.

    `given` are functions that are always on it.
    """

    needs: ClassVar[Mapping[str, str]] = {"functions": "functions"}
    Config: ClassVar[type[FlowConfig]] = ReviseConfig
    Inputs: ClassVar[type[Ports]] = ReviseInputs
    Outputs: ClassVar[type[Ports]] = ReviseOutputs

    def __init__(
        self, config: ReviseConfig, parts: Parts, given: Sequence[FunctionDescription] = ()
    ) -> None:
        super().__init__(config, parts)
        store = parts.services.get("functions")
        self.store: FunctionStore | None = store if isinstance(store, FunctionStore) else None
        self.given = Stack().loaded(given, 0, pinned=True)

    def initial_state(self) -> Stack:
        return self.given

    def apply(self, state: Stack, inputs: Any, outputs: ReviseOutputs) -> Stack:
        return self._changed(state, inputs, outputs.loaded)

    def _changed(
        self, state: Stack, inputs: ReviseInputs, loaded: Sequence[FunctionDescription]
    ) -> Stack:
        stack = state.called(inputs.called, inputs.turn)
        if inputs.prune:
            stack = stack.pruned({each.id for each in loaded})
        config: ReviseConfig = self.config
        return stack.loaded(loaded, inputs.turn).fitted(config.stack_tokens)

    async def run(self, inputs: ReviseInputs, run: Run) -> ReviseOutputs:
        if self.store is None:
            return ReviseOutputs(problem="this run has no functions to search")
        try:
            found = await asyncio.gather(
                *(self._search(self.store, each, inputs) for each in inputs.questions)
            )
            named = [(await self.store.load(each)).description for each in inputs.load]
        except ToolError as error:
            return ReviseOutputs(problem=str(error))
        loaded = (*named, *_best_first(found))
        stack = self._changed(run.state, inputs, loaded)
        names = {each.id: each.name for each in stack.entries}
        searches = tuple(
            SearchResult(
                question=question,
                found=tuple(names[m.description.id] for m in each if m.description.id in names),
            )
            for question, each in zip(inputs.questions, found, strict=True)
        )
        return ReviseOutputs(loaded=loaded, searches=searches)

    async def _search(
        self, store: FunctionStore, question: str, inputs: ReviseInputs
    ) -> list[FunctionMatch]:
        return await store.search(question, inputs.limit, inputs.function_class, inputs.namespace)


def _best_first(found: Sequence[Sequence[FunctionMatch]]) -> list[FunctionDescription]:
    """The best function of each question, then the second of each, and so on; each once."""
    ranked: dict[str, FunctionDescription] = {}
    for place in range(max(map(len, found), default=0)):
        for each in found:
            if place < len(each):
                ranked.setdefault(each[place].description.id, each[place].description)
    return list(ranked.values())


def told_searches(outputs: ReviseOutputs, stack: Stack, before: Stack) -> str:
    """What a search came to, for the model that asked for it."""
    if outputs.problem:
        return outputs.problem
    lines = []
    for each in outputs.searches:
        lines.append(f"{each.question}: {', '.join(each.found) or 'no function was found'}")
    described = {entry.name: entry for entry in stack.entries}
    new = dict.fromkeys(name for each in outputs.searches for name in each.found)
    for name in new:
        entry = described[name].function
        first = entry.description.strip().partition("\n")[0]
        lines.append(f"- {name} ({entry.function_class}, {entry.namespace}): {first}")
    gone = [each.name for each in before.entries if stack.find(each.name) is None]
    if gone:
        lines.append(f"Left the stack: {', '.join(gone)}")
    return "\n".join(lines)
