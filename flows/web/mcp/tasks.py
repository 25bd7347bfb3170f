"""Runs as tasks of a client (the extension `io.modelcontextprotocol/tasks`): begun by a call of a
tool, looked at, given what they ask, and cancelled, by the id of the run."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final, Literal

from mcp import MCPError
from mcp_types import (
    HEADER_MISMATCH,
    INTERNAL_ERROR,
    INVALID_PARAMS,
    MISSING_REQUIRED_CLIENT_CAPABILITY,
    InputResponse,
    RequestParams,
)
from pydantic import TypeAdapter, ValidationError

from flows.core.values import Values
from flows.errors import FlowsError, NotFound, StateConflict
from flows.services.hosting.hosted_flow import HostedFlow
from flows.services.hosting.run_index import RunState
from flows.services.hosting.store import CANCELLED, QUEUED
from flows.web.mcp.elicitation import is_modern
from flows.web.mcp.results import run_result
from flows.web.mcp.runs import ClientRuns, Context, Want

EXTENSION: Final = "io.modelcontextprotocol/tasks"
_POLL_MS: Final = 500
_SETTLE_SECONDS: Final = 5.0  # how long a run may take from one answer to its next question
_WORKING: Final = (QUEUED, "running")

_RESPONSE: Final[TypeAdapter[InputResponse]] = TypeAdapter(InputResponse)

TaskStatus = Literal["working", "input_required", "completed", "failed", "cancelled"]


class TaskParams(RequestParams):
    """Which task is meant."""

    task_id: str


class TaskUpdateParams(TaskParams):
    """What the client gives a task of what it asks, by its keys."""

    input_responses: dict[str, Any]


class RunTasks:
    """The tasks. Each is a run: nothing of it is kept but what the run records."""

    def __init__(self, runs: ClientRuns) -> None:
        self._runs = runs

    async def created(self, context: Context, run_id: str) -> Values:
        """A run as the result of the call that has begun it."""
        state = await self._runs.state(context, run_id)
        return {"resultType": "task", **self._head(state, "working")}

    async def get(self, context: Context, params: TaskParams) -> Values:
        """How a task stands, with its result where it is over, and what it asks."""
        state = await self._state(context, params)
        wants: Sequence[Want]
        if state.status in _WORKING:
            wants = self._runs.open_calls(params.task_id)
        elif state.status == CANCELLED:
            return self._head(state, "cancelled")
        elif state.record is None:
            reason = state.stored.reason if state.stored is not None else ""
            error = {"code": INTERNAL_ERROR, "message": reason or f"the run is {state.status}"}
            return {**self._head(state, "failed"), "error": error}
        else:
            end = await self._runs.end_of(params.task_id)
            wants = self._runs.forms(context, end)
            if not wants:
                told = await asyncio.to_thread(run_result, end.reply, end.whole, end.record)
                result = told.model_dump(by_alias=True, mode="json", exclude_none=True)
                return {**self._head(state, "completed"), "result": result}
        if not wants:
            return self._head(state, "working")
        asked = {
            each.key: each.request().model_dump(by_alias=True, mode="json", exclude_none=True)
            for each in wants
        }
        return {**self._head(state, "input_required"), "inputRequests": asked}

    async def update(self, context: Context, params: TaskUpdateParams) -> Values:
        """Give a task what it asks. What it does not ask is passed over."""
        await self._state(context, params)
        given = dict(_readable(params.input_responses))
        try:
            await self._runs.give(context, params.task_id, given, _SETTLE_SECONDS)
        except FlowsError as error:
            raise MCPError(code=INVALID_PARAMS, message=str(error)) from error
        return {}

    async def cancel(self, context: Context, params: TaskParams) -> Values:
        """Cancel a task; one that is over stays as it is."""
        await self._state(context, params)
        try:
            await self._runs.service.cancel(params.task_id)
        except StateConflict:  # it is over
            return {}
        return {}

    async def _state(self, context: Context, params: TaskParams) -> RunState:
        """Errors: `MCPError` for a client that takes no tasks, a header that names another one, and
        a run that is unknown."""
        if not takes_tasks(context):
            raise missing_tasks("tasks are for clients that declare the extension")
        named = getattr(context.request, "headers", {}).get("mcp-name", params.task_id)
        if named.strip() != params.task_id:
            raise MCPError(
                code=HEADER_MISMATCH, message=f"Mcp-Name is {named!r}, not {params.task_id!r}"
            )
        try:
            return await self._runs.state(context, params.task_id)
        except NotFound as error:
            raise MCPError(code=INVALID_PARAMS, message=str(error)) from error

    def _head(self, state: RunState, status: TaskStatus) -> Values:
        now = datetime.now(UTC).isoformat(timespec="milliseconds")
        begun = state.stored.at if state.stored is not None else None
        created = datetime.fromtimestamp(begun, UTC) if begun is not None else None
        return {
            "taskId": state.run_id,
            "status": status,
            "createdAt": created.isoformat(timespec="milliseconds") if created else now,
            "lastUpdatedAt": now,
            "ttlMs": None,
            "pollIntervalMs": _POLL_MS,
        }


def _readable(responses: Mapping[str, Any]) -> Iterator[tuple[str, InputResponse]]:
    """Those that are what a client may be asked for."""
    for key, given in responses.items():
        try:
            yield key, _RESPONSE.validate_python(given, by_name=False)
        except ValidationError:  # something that the task cannot have asked for
            continue


def takes_tasks(context: Context) -> bool:
    """Whether the client takes a task as the result of a call."""
    capabilities = context.session.client_capabilities
    declared = capabilities.extensions if capabilities is not None else None
    return is_modern(context) and EXTENSION in (declared or {})


def check_task(context: Context, flow: HostedFlow) -> None:
    """Errors: `MCPError` for a flow that is a task only, where the client takes none."""
    if flow.mcp.task == "always" and not takes_tasks(context):
        raise missing_tasks(f"{flow.name} takes longer than a call may, and is a task only")


def missing_tasks(text: str) -> Exception:
    """The error for a client that takes no tasks."""
    needed: dict[str, Any] = {"extensions": {EXTENSION: {}}}
    return MCPError(
        code=MISSING_REQUIRED_CLIENT_CAPABILITY,
        message=text,
        data={"requiredCapabilities": needed},
    )
