"""Calls of composites that are not made again: `enable_cache` of a class with `SUPPORTS_CACHING`.

A composite has no effects, so the cache is looked up, and written, by a step of its own below it.
As in aiflows, a call that is found again gives the composite the state that it had after it, and
those below it keep theirs.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, ClassVar, Final, Literal

from pydantic import Field, TypeAdapter

from flows.core.flow import AtomicConfig, AtomicFlow, CompositeFlow, Effect, Parts, Ports
from flows.core.run import Run
from flows.core.values import Values
from flows.library.aiflows.cache import CallCache, read_kept, write_kept

NAME: Final = "cache"


class KeptCall(Ports):
    """What a call of a composite returned, and its state after it."""

    returned: dict[str, Any]
    flow_state: dict[str, Any] = Field(default={})


class CacheInputs(Ports):
    """The state and the inputs of a call; to write, with what came of it."""

    operation: Literal["read", "write"]
    flow_state: dict[str, Any]
    input_data: dict[str, Any]
    made: KeptCall | None = None


class CacheOutputs(Ports):
    """The call that was kept; None of it is a call that has to be made, or was written."""

    kept: KeptCall | None = None


class CompositeCacheFlow(AtomicFlow):
    """Looks a call of a composite up among those that are kept, or keeps it."""

    effect: Effect = "idempotent"
    Inputs: ClassVar[type[Ports]] = CacheInputs
    Outputs: ClassVar[type[Ports]] = CacheOutputs

    def __init__(self, cache: CallCache, above: CompositeFlow) -> None:
        super().__init__(AtomicConfig(description="Look for a kept call"), Parts(name=NAME))
        self.cache = cache
        self.private_keys = above.private_keys
        self.place(f"{above.path}/{NAME}" if above.path else NAME)

    def told(self, values: Mapping[str, Any]) -> Mapping[str, Any]:
        """The mappings without the private keys of the composite."""
        return {
            key: super(CompositeCacheFlow, self).told(each) if isinstance(each, Mapping) else each
            for key, each in values.items()
            if not isinstance(each, KeptCall)
        }

    async def run(self, inputs: CacheInputs, run: Run) -> CacheOutputs:
        file = self.cache.file(inputs.flow_state, inputs.input_data)
        if inputs.made is None:
            return CacheOutputs(kept=read_kept(file, TypeAdapter(KeptCall), run))
        write_kept(file, inputs.made)
        return CacheOutputs()


def composite_cache(config: Any, keys: Mapping[str, Any]) -> CallCache | None:
    """The kept calls of a composite with these keys; None where none are kept."""
    return CallCache.of(config.kept_as, keys) if config.kept_as else None


async def cached_composite(
    flow: CompositeFlow,
    cache: CallCache,
    given: Mapping[str, Any],
    run: Run,
    make: Callable[[], Awaitable[Values]],
) -> Values:
    """What an earlier call with this state and these inputs returned, or what one does now.

    Errors: `StepFailed` for a kept call that cannot be read; as of `make`.
    """
    kept = CompositeCacheFlow(cache, flow)
    call: Values = {"flow_state": dict(run.states.get(flow.path, {})), "input_data": dict(given)}
    found = (await run.call(kept, {"operation": "read", **call}))["kept"]
    if found is not None:
        if run.address:  # a launcher resets the top flow
            run.states[flow.path] = dict(found.flow_state)
        return dict(found.returned)
    returned = await make()
    if not (run.session.unfinished and not run.address):
        after = dict(run.states.get(flow.path, {}))
        made = KeptCall(returned=returned, flow_state=after)
        await run.call(kept, {"operation": "write", **call, "made": made})
    return returned
