"""A team of AutoGen that learns a model: one writes code, one runs it, one judges what it made.

AutoGen decides who speaks and what each of them is told; what they do is asked for, turn by turn,
and done by whoever opened the team. So it has no model, no code executor and no network of its own.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Literal, Self

from autogen_agentchat.agents import (
    ApprovalRequest,
    ApprovalResponse,
    AssistantAgent,
    BaseChatAgent,
    CodeExecutorAgent,
)
from autogen_agentchat.base import Response
from autogen_agentchat.conditions import StopMessageTermination
from autogen_agentchat.messages import BaseChatMessage, StopMessage, TextMessage
from autogen_agentchat.teams import RoundRobinGroupChat
from autogen_core import CancellationToken, SingleThreadedAgentRuntime
from autogen_core.code_executor import CodeBlock, CodeExecutor, CodeResult
from autogen_core.models import (
    AssistantMessage,
    ChatCompletionClient,
    CreateResult,
    LLMMessage,
    ModelFamily,
    ModelInfo,
    RequestUsage,
)
from opentelemetry.trace import NoOpTracerProvider

Speaker = Literal["Modeller", "Executor", "Reviewer", "Person"]
MODELLER: Speaker = "Modeller"
EXECUTOR: Speaker = "Executor"
REVIEWER: Speaker = "Reviewer"
PERSON: Speaker = "Person"
SPEAKERS = 3
# What AutoGen logs of an aborted chat is for those who have set up logging.
logging.getLogger("autogen_core").addHandler(logging.NullHandler())


@dataclass(frozen=True, slots=True)
class TeamReply:
    """What came of a turn: what is said to the team; `done` ends the chat (of a review), or says
    that code ran without a fault."""

    text: str
    done: bool = False
    input_tokens: int = 0
    output_tokens: int = 0


@dataclass(frozen=True, slots=True)
class TeamTurn:
    """Something that a member of the team wants done.

    `text` is what the others have said since the Modeller's last turn, or the code that the
    Executor is to run; the Reviewer and the Person are told nothing.
    """

    speaker: Speaker
    text: str
    answer: asyncio.Future[TeamReply] = field(repr=False)


class _Turns:
    """Where members of the team ask, and wait for what came of it."""

    def __init__(self) -> None:
        self.asked: asyncio.Queue[TeamTurn] = asyncio.Queue()
        self.now: TeamTurn | None = None

    async def ask(self, speaker: Speaker, text: str) -> TeamReply:
        self.now = TeamTurn(speaker, text, asyncio.get_running_loop().create_future())
        self.asked.put_nowait(self.now)
        return await self.now.answer


class AutogenTeam:
    """One chat of the team about a task, as a context: leaving it ends the chat.

    It has `max_turns` at most, three for each try, or four with a `person`: what that member says
    is said to all, and ends the chat instead of the Reviewer's word.
    """

    def __init__(self, task: str, max_turns: int, *, person: bool = False) -> None:
        self._task = task
        self._turns = _Turns()
        # Spans that hold what is said must not go to whoever traces this process.
        self._runtime = SingleThreadedAgentRuntime(
            ignore_unhandled_exceptions=False, tracer_provider=NoOpTracerProvider()
        )
        turns = self._turns
        self._chat = RoundRobinGroupChat(
            [
                AssistantAgent(
                    MODELLER, _Client(turns), system_message=None,
                    description="Writes the code that learns the model.",
                ),
                CodeExecutorAgent(
                    EXECUTOR, _Executor(turns), approval_func=_approve, sources=[MODELLER],
                    supported_languages=["python"], description="Runs the code in the sandbox.",
                ),
                _Judge(turns, REVIEWER, "Judges what the code made.", ends=not person),
                *([_Judge(turns, PERSON, "Says what should be different.")] if person else []),
            ],
            termination_condition=StopMessageTermination(),
            max_turns=max_turns,
            runtime=self._runtime,
        )  # fmt: skip
        self._running: asyncio.Task[Any] | None = None

    async def __aenter__(self) -> Self:
        self._runtime.start()
        self._running = asyncio.create_task(self._chat.run(task=self._task))
        return self

    async def next(self) -> TeamTurn | None:
        """The next turn; None when the chat is over. Errors: `RuntimeError` for AutoGen's own."""
        assert self._running is not None
        wanted = asyncio.create_task(self._turns.asked.get())
        try:
            await asyncio.wait((wanted, self._running), return_when=asyncio.FIRST_COMPLETED)
            if wanted.done():
                return wanted.result()
        finally:
            wanted.cancel()
        self._running.result()
        return None

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End the chat, wherever it is, and wait until nothing of it is left."""
        assert self._running is not None
        waiting = self._turns.now
        if waiting is not None and not waiting.answer.done():
            waiting.answer.cancel()
        self._running.cancel()
        ended = asyncio.gather(self._running, self._runtime.stop(), return_exceptions=True)
        await asyncio.shield(ended)


class _Client(ChatCompletionClient):
    """AutoGen's model client. What it asks a model is the turn of its agent."""

    def __init__(self, turns: _Turns) -> None:
        self._turns = turns
        self._used = RequestUsage(prompt_tokens=0, completion_tokens=0)

    async def create(
        self,
        messages: Sequence[LLMMessage],
        *,
        tools: Sequence[Any] = (),
        tool_choice: Any = "auto",
        json_output: bool | type[Any] | None = None,
        extra_create_args: Mapping[str, Any] = {},
        cancellation_token: CancellationToken | None = None,
    ) -> CreateResult:
        del tools, tool_choice, json_output, extra_create_args, cancellation_token
        reply = await self._turns.ask(MODELLER, _said(messages))
        used = RequestUsage(reply.input_tokens, reply.output_tokens)
        self._used = RequestUsage(
            self._used.prompt_tokens + used.prompt_tokens,
            self._used.completion_tokens + used.completion_tokens,
        )
        return CreateResult(finish_reason="stop", content=reply.text, usage=used, cached=False)

    async def create_stream(
        self, messages: Sequence[LLMMessage], **rest: Any
    ) -> AsyncGenerator[str | CreateResult, None]:
        yield await self.create(messages, **rest)

    async def close(self) -> None:
        """There is nothing to give up: the model is the run's."""

    def actual_usage(self) -> RequestUsage:
        return self._used

    def total_usage(self) -> RequestUsage:
        return self._used

    def count_tokens(self, messages: Sequence[LLMMessage], *, tools: Sequence[Any] = ()) -> int:
        del messages, tools
        return 0

    def remaining_tokens(self, messages: Sequence[LLMMessage], *, tools: Sequence[Any] = ()) -> int:
        del messages, tools
        return 1_000_000  # the run's limits hold, and say so

    @property
    def capabilities(self) -> Any:
        return self.model_info

    @property
    def model_info(self) -> ModelInfo:
        return ModelInfo(
            vision=False,
            function_calling=False,
            json_output=False,
            structured_output=False,
            multiple_system_messages=False,
            family=ModelFamily.UNKNOWN,
        )


class _Executor(CodeExecutor):
    """AutoGen's code executor. What it runs is the turn of its agent."""

    def __init__(self, turns: _Turns) -> None:
        self._turns = turns

    async def execute_code_blocks(
        self, code_blocks: list[CodeBlock], cancellation_token: CancellationToken
    ) -> CodeResult:
        del cancellation_token
        code = "\n\n".join(block.code for block in code_blocks)
        reply = await self._turns.ask(EXECUTOR, code)
        return CodeResult(exit_code=0 if reply.done else 1, output=reply.text)

    async def start(self) -> None:
        """The sandbox is the run's."""

    async def stop(self) -> None:
        """The sandbox is the run's."""

    async def restart(self) -> None:
        """Each piece of code runs in a session of its own."""


class _Judge(BaseChatAgent):
    """A member that judges what was made; if it `ends` the chat, its word alone does."""

    def __init__(
        self, turns: _Turns, speaker: Speaker, description: str, *, ends: bool = True
    ) -> None:
        super().__init__(speaker, description)
        self._turns, self._speaker, self._ends = turns, speaker, ends

    @property
    def produced_message_types(self) -> Sequence[type[BaseChatMessage]]:
        return (TextMessage, StopMessage)

    async def on_messages(
        self, messages: Sequence[BaseChatMessage], cancellation_token: CancellationToken
    ) -> Response:
        del messages, cancellation_token
        reply = await self._turns.ask(self._speaker, "")
        kind = StopMessage if reply.done and self._ends else TextMessage
        return Response(chat_message=kind(content=reply.text, source=self.name))

    async def on_reset(self, cancellation_token: CancellationToken) -> None:
        """It remembers nothing."""


def _approve(request: ApprovalRequest) -> ApprovalResponse:
    del request
    return ApprovalResponse(approved=True, reason="It runs in the sandbox.")


def _said(messages: Sequence[LLMMessage]) -> str:
    """What was said after the last message of the one who asks; "" before the first."""
    places = [n for n, each in enumerate(messages) if isinstance(each, AssistantMessage)]
    if not places:
        return ""
    return "\n\n".join(str(each.content) for each in messages[places[-1] + 1 :])
