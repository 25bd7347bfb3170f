"""What a client may offer while a person fills in an argument of a prompt or an address."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from mcp_types import CompleteRequestParams, CompleteResult, Completion, PromptReference

from flows.errors import FlowsError
from flows.services.hosting.hosted_flow import HostedFlow
from flows.web.mcp.flow_resources import FlowResources
from flows.web.mcp.prompts import PromptCalls
from flows.web.mcp.resources import RUN_TEMPLATE, TEMPLATE
from flows.web.mcp.runs import ClientRuns, Context
from flows.web.mcp.tools import flow_input_schema

_MOST: Final = 100  # values of one answer, by the protocol


class Completions:
    """Completes inputs that have a closed set of values, and the runs and artifacts of
    addresses."""

    def __init__(self, runs: ClientRuns, prompts: PromptCalls, resources: FlowResources) -> None:
        self._runs, self._prompts, self._resources = runs, prompts, resources

    async def complete(self, context: Context, params: CompleteRequestParams) -> CompleteResult:
        """The values that begin with what was typed, in their order; none of what is unknown."""
        typed = params.argument.value.casefold()
        known = await self._values(context, params)
        found = [each for each in known if each.casefold().startswith(typed)]
        return CompleteResult(
            completion=Completion(
                values=found[:_MOST], total=len(found), has_more=len(found) > _MOST
            )
        )

    async def _values(self, context: Context, params: CompleteRequestParams) -> Iterable[str]:
        name = params.argument.name
        if isinstance(params.ref, PromptReference):
            flow = self._prompts.flows.get(params.ref.name)
            return _allowed(flow, name) if flow is not None else ()
        if params.ref.uri in (TEMPLATE, RUN_TEMPLATE):
            before = params.context.arguments if params.context is not None else None
            return await self._of_runs(context, name, before or {})
        at = (each.flow for each in self._resources.all if each.uri == params.ref.uri)
        flow = next(at, None)
        return _allowed(flow, name) if flow is not None else ()

    async def _of_runs(
        self, context: Context, name: str, before: Mapping[str, str]
    ) -> Iterable[str]:
        """The runs that were begun here, the last one first, or the artifacts of the run that was
        chosen before."""
        if name == "run":
            return tuple(reversed(self._runs.begun(context)))
        run_id = before.get("run", "")
        if name != "name" or run_id not in self._runs.begun(context):
            return ()
        try:
            record = (await self._runs.state(context, run_id)).record
        except FlowsError:  # it cannot be read any more
            return ()
        artifacts = record.artifacts if record is not None else ()
        return tuple(each.name for each in artifacts)


def _allowed(flow: HostedFlow, name: str) -> Iterable[str]:
    """The values of an input that has a closed set of them."""
    schema = flow_input_schema(flow.name, flow)["properties"].get(name, {})
    return tuple(str(each) for each in _values_of(schema))


def _values_of(schema: Mapping[str, Any]) -> Iterable[Any]:
    yield from schema.get("enum") or ()
    if "const" in schema:
        yield schema["const"]
    for each in (*(schema.get("anyOf") or ()), *(schema.get("oneOf") or ())):
        yield from _values_of(each)
    if schema.get("type") == "boolean":
        yield from ("true", "false")
