"""An atomic flow's view of the run: what a step can ask, execute and save."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from flows.core.artifacts import Artifact, Origin, What
from flows.core.chat import ChatModel, ChatReply, ChatRequest
from flows.core.human import Answer, Human, Question
from flows.core.model_call import ask_model
from flows.core.person import ask_person
from flows.core.sandbox import Execution, Sandbox
from flows.core.scope import CallScope


class CodeSession:
    """A session of the sandbox that belongs to a run, and ends with it."""

    def __init__(self, sandbox: Sandbox, name: str) -> None:
        self.sandbox = sandbox
        self.name = name

    async def aclose(self) -> None:
        await self.sandbox.forget(self.name)


class Work(CallScope):
    """What an atomic flow can do in its run, besides what each flow can."""

    async def ask_model(self, model: ChatModel, request: ChatRequest) -> ChatReply:
        """Ask a model: claimed from the budgets, recorded before it is sent, counted after.

        Errors: `LimitReached` before anything is sent; `ModelError`.
        """
        return await ask_model(self, model, request)

    async def ask_person(self, human: Human | None, question: Question) -> Answer:
        """Ask a person, or take the answer that was recorded; the first that is counts.

        Errors: `Waiting` when nobody is there and the run does not go on without.
        """
        return await ask_person(self, human, question)

    async def execute(
        self,
        sandbox: Sandbox,
        code: str,
        *,
        tables: Mapping[str, Path] = {},
        session: str | None = None,
        past: Sequence[str] = (),
        seconds: float | None = None,
    ) -> Execution:
        """Run code that nobody trusts, as `Sandbox.execute` does. What holds it is told once a run,
        and no run gets the `session` of another. Errors: `SandboxUnsafe`, `SandboxError`."""
        await self.session.find_walls(sandbox, self.address, self.round)
        own = None if session is None else f"{self.session.run_id}/{session}"
        if own is not None:
            self.session.hold((CodeSession, own), lambda: CodeSession(sandbox, own))
        return await sandbox.execute(code, tables=tables, session=own, past=past, seconds=seconds)

    async def forget(self, sandbox: Sandbox, session: str) -> None:
        """Throw a session of `execute` away."""
        await sandbox.forget(f"{self.session.run_id}/{session}")

    def save(
        self,
        stem: str,
        kind: str,
        content: bytes,
        description: str,
        origin: Origin | None = None,
        *,
        what: What = "file",
        forms: Mapping[str, bytes] | None = None,
    ) -> Artifact:
        """Write a file to the run's folder, with other `forms` of it by their extensions. It
        belongs to the run once this step ends."""
        saved = self.session.artifacts.save
        artifact = saved(
            self.address, stem, kind, content, description, origin, what=what, forms=forms
        )
        self.saved = (*(each for each in self.saved if each.name != artifact.name), artifact)
        return artifact
