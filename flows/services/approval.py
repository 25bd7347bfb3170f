"""Functions of a run file whose servers have changed them since a person allowed them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from flows.build.builder import build
from flows.core.function_store import ApprovedFunction, FunctionStore
from flows.core.loop import run_coroutine
from flows.errors import ToolError, UsageError, nearest
from flows.runners.consent import with_consent


@dataclass(frozen=True)
class PendingFunction:
    """A function that waits for a person's yes: its id, why, and what it said before and says now,
    as lines of a diff."""

    id: str
    why: str
    change: str
    function: ApprovedFunction

    def approve(self) -> None:
        """Note that it may be called as it is now."""
        self.function.approve()


@dataclass(frozen=True)
class PendingFunctions:
    """The functions that wait, and the sources that cannot be reached, each with the reason."""

    functions: tuple[PendingFunction, ...]
    unavailable: Mapping[str, str]


def pending_functions(
    file: Path, overrides: Sequence[str] = (), ids: Sequence[str] = (), trust: Sequence[str] = ()
) -> PendingFunctions:
    """The functions of the run file that wait, or those of them with the ids. Its servers are
    started and asked. Errors: `ConfigError`; `UsageError` for an id that there is not."""
    plan, _ = with_consent(trust, lambda trusted: build(file, overrides, trust=trusted))
    plan.check_trust()
    stores = [each for each in plan.services if isinstance(each, FunctionStore)]
    if not stores:
        raise UsageError(f"the flow of {file} has no functions of servers")

    async def found() -> PendingFunctions:
        try:
            return await _of_store(stores[0], ids)
        finally:
            await plan.aclose()

    return run_coroutine(found())


async def _of_store(store: FunctionStore, ids: Sequence[str]) -> PendingFunctions:
    try:
        known = [each.id for each in await store.descriptions()]
        unavailable = dict(await store.unavailable())
        for each in ids:
            if each not in known:
                meant = nearest(each, known)
                hint = f"\ndid you mean: {meant}" if meant else ""
                raise UsageError(f"there is no function {each!r}{hint}")
        loaded = [(each, await store.load(each)) for each in ids or known]
    except ToolError as error:
        raise UsageError(str(error)) from error
    pending = tuple(
        PendingFunction(name, each.pending, each.change, each)
        for name, each in loaded
        if isinstance(each, ApprovedFunction) and each.pending
    )
    return PendingFunctions(pending, unavailable)
