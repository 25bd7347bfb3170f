"""Sessions: questions and answers, kept in the run's vector memory and found again by meaning."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Final, Literal

from pydantic import Field

from flows.core.flow import AtomicConfig, AtomicFlow, Effect, FlowConfig, Parts, Ports
from flows.core.memory import Memory, MemoryScope
from flows.core.observation import Observation
from flows.core.run import Run
from flows.errors import RecallError

# Whose documents sessions are, among others of the same memory.
SESSIONS: Final = "interpreter sessions"


class SessionsConfig(AtomicConfig):
    """The keys of sessions."""

    description: str = "Keeps and recalls sessions."
    n_results: int = Field(default=3, ge=1, le=50)


class SessionsInputs(Ports):
    """To `keep`, a question and what it came to; to `recall`, a question. `channel` is where it is
    asked: a session is recalled in its own channel alone."""

    operation: Literal["keep", "recall"]
    question: str
    channel: str = ""
    user: str = ""
    answer: str = ""
    confidence: int = 0
    functions: tuple[str, ...] = ()
    lacks: str = ""


class SessionsOutputs(Ports):
    """What was recalled, or that it was kept."""

    observation: Observation


class SessionsFlow(AtomicFlow):
    """Keeps a session under an id that is the same when the step is done again, and recalls those
    that are nearest in meaning. A memory that fails is told, and keeps nobody from the answer."""

    needs: ClassVar[Mapping[str, str]] = {"memory": "memory"}
    effect: Effect = "idempotent"
    Config: ClassVar[type[FlowConfig]] = SessionsConfig
    Inputs: ClassVar[type[Ports]] = SessionsInputs
    Outputs: ClassVar[type[Ports]] = SessionsOutputs

    def __init__(self, config: SessionsConfig, parts: Parts) -> None:
        super().__init__(config, parts)
        self.memory: Memory = parts.service("memory", Memory)  # type: ignore[type-abstract]

    async def run(self, inputs: SessionsInputs, run: Run) -> SessionsOutputs:
        try:
            if inputs.operation == "keep":
                return SessionsOutputs(observation=await self._keep(inputs, run))
            return SessionsOutputs(observation=await self._recall(inputs))
        except RecallError as error:
            run.notice(f"The sessions: {error}")
            return SessionsOutputs(observation=Observation(kind="error", text=str(error)))

    async def _keep(self, inputs: SessionsInputs, run: Run) -> Observation:
        metadata: dict[str, Any] = {
            "run": run.session.run_id,
            "step": run.address,
            "source": "session",
            "user": inputs.user,
            "confidence": inputs.confidence,
            **_scope(inputs).metadata,
        }
        await self.memory.write([run.effect_key], [session_text(inputs)], metadata)
        return Observation(kind="ok", text="The session is kept.")

    async def _recall(self, inputs: SessionsInputs) -> Observation:
        config: SessionsConfig = self.config
        found = await self.memory.read(inputs.question, config.n_results, _scope(inputs))
        own = [each for each in found if each.metadata.get("source") == "session"]
        if not own:
            return Observation(kind="empty", text="No earlier session is near this question.")
        told = [f"Session {each.metadata.get('run', '')}:\n{each.text}" for each in own]
        return Observation(kind="ok", text="\n\n".join(told))


def _scope(inputs: SessionsInputs) -> MemoryScope:
    return MemoryScope(flow=SESSIONS, data=inputs.channel)


def session_text(inputs: SessionsInputs) -> str:
    """A session as the text by which it is found."""
    lines = [f"Question: {inputs.question}", f"Answer: {inputs.answer}"]
    lines += [f"Lacking: {inputs.lacks}"] * bool(inputs.lacks)
    lines += [f"Functions: {', '.join(inputs.functions)}"] * bool(inputs.functions)
    return "\n".join([*lines, f"Confidence: {inputs.confidence} of 100"])
