"""Answering: each message becomes a run, or the answer that a run of its author waits for."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Coroutine, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from flows.config.redaction import redact_pieces
from flows.core.events import Listener
from flows.core.result import RunResult
from flows.core.store import FILE as JOURNAL
from flows.errors import FlowsError, UsageError
from flows.library.csv_chat.reply import TurnReply
from flows.runners.local import new_run_id
from flows.services.conversation import TurnListener
from flows.services.hosting.hosted_flow import HostedFile
from flows.services.hosting.run_host import RunHost
from flows.services.run_reply import PersonQuestion, RunReply, reply_of
from flows.web.slack.agents import QUESTION, Agents
from flows.web.slack.attachments import attachments_of
from flows.web.slack.blocks import SlackText, answer_message, plain_message, question_message
from flows.web.slack.client import SlackClient, SlackFault
from flows.web.slack.messages import ChannelRules, SlackMessage
from flows.web.slack.progress import BEGUN, ProgressMessage
from flows.web.slack.store import SlackStore, SlackTurn, TurnState, WaitingRun

log = logging.getLogger(__name__)
# Inputs that a flow may take beside the question.
_CONTEXT: Final = "context"
_STOPPED: Final = "Stopped; this goes on when the application starts again."
_ANSWER_KEPT: Final = 2_000


class Conversations:
    """Answers messages. Those of one person in one channel are answered one after the other, those
    of several at once."""

    def __init__(
        self, agents: Agents, host: RunHost, store: SlackStore, client: SlackClient
    ) -> None:
        self.agents = agents
        self._settings = agents.slack
        self._host, self._store, self._client = host, store, client
        self._locks: dict[tuple[str, str], asyncio.Lock] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    def answer(self, message: SlackMessage, rules: ChannelRules) -> bool:
        """Answer a message in the background; False when that was begun before. It is kept on the
        disk when this returns."""
        turn = self._store.add(message, rules.thread_of(message))
        if turn is not None:
            self._start(self._answered(turn, rules))
        return turn is not None

    def go_on(self, turn: SlackTurn, rules: ChannelRules) -> None:
        """Go on with a message whose answer was not given when the process ended."""
        self._start(self._answered(turn, rules))

    def is_awaited(self, message: SlackMessage) -> bool:
        """Whether it is the answer to a question to its author: it is in the question's thread."""
        waiting = self.waiting(message)
        if waiting is None or waiting.open_ended:
            return False
        return bool(message.thread) and message.thread in (waiting.thread, waiting.shown)

    def choose(self, waiting: WaitingRun, message: SlackMessage, rules: ChannelRules) -> bool:
        """Answer the question of a waiting run by a button, as if the person had written it; False
        when this press was taken before."""
        turn = self._store.add(message, waiting.thread, waiting)
        if turn is not None:
            self._start(self._answered(turn, rules, waiting))
        return turn is not None

    async def drop(self, waiting: WaitingRun) -> None:
        """Nobody answers the question of a waiting run any more."""
        if self._store.forget(waiting):
            text = plain_message(f"{waiting.question}\n(dropped)")
            await self._try(self._client.edit(waiting.channel, waiting.shown, text))

    async def aclose(self) -> None:
        """Stop; what is not answered goes on with the next start."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _answered(
        self, turn: SlackTurn, rules: ChannelRules, waiting: WaitingRun | None = None
    ) -> None:
        message = turn.message
        key = (message.channel, message.user)
        async with self._locks.setdefault(key, asyncio.Lock()):
            try:
                if not turn.run_id and (waiting := self.waiting(message)) is not None:
                    turn = self._store.claim(turn, waiting)
                await _Answering(self, turn, rules, waiting).work()
            except SlackFault as fault:
                log.error("%s could not be answered: %s", turn.id, fault)
                self._store.end(turn, "failed", str(fault))
            except Exception as error:
                log.exception("%s could not be answered", turn.id)
                self._store.end(turn, "failed", redact_pieces(str(error)))

    def waiting(self, message: SlackMessage) -> WaitingRun | None:
        """The run that waits for the author; one that waited too long is dropped."""
        waiting = self._store.waiting(message.channel, message.user)
        if waiting is not None and time.time() - waiting.at > self._settings.wait_hours * 3600:
            self._store.forget(waiting)
            return None
        return waiting

    async def _try(self, work: Coroutine[Any, Any, object]) -> None:
        """Do something that may be left out."""
        try:
            await work
        except SlackFault as fault:
            log.warning("%s", fault)


class _Answering:
    """One message while it is answered. `waiting` is the run whose question it answers, if that was
    still so in this process."""

    def __init__(
        self, owner: Conversations, turn: SlackTurn, rules: ChannelRules, waiting: WaitingRun | None
    ) -> None:
        self.owner, self.turn, self.rules, self.waiting = owner, turn, rules, waiting
        self.message = turn.message
        self.settings = owner.agents.slack
        self.store, self.client, self.host = owner._store, owner._client, owner._host

    async def work(self) -> None:
        file = self.owner.agents.of(self.rules)
        await self._choose_run(file)
        await self._show_begun()
        progress = ProgressMessage(self._edit_progress, every=self.settings.progress_seconds)
        progress.begin()
        told: list[TurnReply] = []
        listeners = (progress, TurnListener(lambda reply, _: told.append(reply)))
        try:
            result = await self._run(file, listeners)
        except asyncio.CancelledError:
            await progress.end()
            await self.owner._try(self._replace(plain_message(_STOPPED)))
            raise
        except FlowsError as error:
            await progress.end()
            await self._refused(file, error)
            return
        await progress.end()
        await self._told(reply_of(result, told[-1] if told else None), result)

    async def _choose_run(self, file: HostedFile) -> None:
        """The run that the message begins or goes on with. A run whose files are gone cannot be
        gone on with: the message begins another."""
        turn = self.turn
        folder = await self.host.runs_folder(file) / turn.run_id
        if (
            not turn.run_id
            or (folder.exists() and not (folder / JOURNAL).is_file())
            or (turn.answers and not folder.exists())
        ):
            self._note_run(new_run_id())

    def _note_run(self, run_id: str) -> None:
        self.waiting = None
        self.turn = self.store.begin(self.turn, run_id=run_id, answers="", shown=self.turn.shown)

    async def _show_begun(self) -> None:
        """Post the message that the answer will take the place of, and take the buttons from the
        question that is answered."""
        waiting = self.waiting
        if waiting is not None and not waiting.open_ended:
            said = f"{waiting.question}\n→ {self.message.label or self.message.text}"
            await self.owner._try(
                self.client.edit(waiting.channel, waiting.shown, plain_message(said))
            )
        if not self.turn.shown:
            where, begun = self.message.channel, plain_message(BEGUN)
            shown = await self.client.post(where, begun, self.turn.thread)
            turn = self.turn
            self.turn = self.store.begin(
                turn, run_id=turn.run_id, answers=turn.answers, shown=shown
            )

    async def _run(self, file: HostedFile, listeners: Sequence[Listener]) -> RunResult:
        turn = self.turn
        recorded = (await self.host.runs_folder(file) / turn.run_id / JOURNAL).is_file()
        if turn.answers and recorded:
            try:
                return await self.host.go_on(
                    file, turn.run_id, answer=self.message.text, step=turn.answers,
                    listeners=listeners,
                )  # fmt: skip
            except UsageError:
                if self.waiting is not None:
                    raise
                # The process ended after it had recorded the answer.
                return await self.host.go_on(file, turn.run_id, listeners=listeners)
        if recorded:
            return await self.host.go_on(file, turn.run_id, listeners=listeners)
        origin, inputs = {"slack": self._origin()}, await self._inputs(file)
        return await self.host.begin(
            file, inputs, run_id=turn.run_id, more=origin, listeners=listeners
        )

    async def _inputs(self, file: HostedFile) -> Mapping[str, Any]:
        """The question, and of what else the flow takes what is known here."""
        known = await self.host.inputs_of(file)
        before = self.store.context(
            self.message.channel, self.message.user, self.settings.turns_kept
        )
        given: dict[str, Any] = {
            QUESTION: self.message.text,
            _CONTEXT: tuple(f"Question: {each.question}\nAnswer: {each.answer}" for each in before),
            **self._origin(),
        }
        return {name: value for name, value in given.items() if name in known or name == QUESTION}

    def _origin(self) -> Mapping[str, str]:
        return {"channel": self.message.channel, "user": self.message.user}

    async def _edit_progress(self, text: str) -> float:
        return await self.client.try_edit(
            self.message.channel, self.turn.shown, plain_message(text)
        )

    async def _replace(self, text: SlackText) -> None:
        """Put a text in the place of the message that shows how far it is; where that is gone, post
        it."""
        try:
            await self.client.edit(self.message.channel, self.turn.shown, text)
        except SlackFault as fault:
            if fault.code != "message_not_found":
                raise
            await self.client.post(self.message.channel, text, self.turn.thread)

    async def _refused(self, file: HostedFile, error: FlowsError) -> None:
        """Say why there is no result; a question whose answer was refused is asked again."""
        log.warning("%s: %s", self.turn.id, error)
        said = redact_pieces(str(error))
        await self._replace(plain_message(f"That did not work: {said}"))
        self.store.end(self.turn, "failed", said)
        waiting = self.waiting
        if waiting is None or not isinstance(error, UsageError):
            return
        question = await self.host.open_question(file, waiting.run_id)
        if question is not None:
            self.store.wait(waiting)
            if not waiting.open_ended:
                again = question_message(waiting.run_id, question)
                await self.owner._try(self.client.edit(waiting.channel, waiting.shown, again))

    async def _told(self, reply: RunReply, result: RunResult) -> None:
        """Show the reply, attach its files, and note what waits for the person now."""
        if reply.status == "asked" and reply.question is not None:
            await self._replace(question_message(reply.run_id, reply.question))
        else:
            await self._show_answer(reply, result.folder)
        if reply.question is not None:
            self.store.wait(self._waiting_for(reply, reply.question))
        states: Mapping[str, TurnState] = {"asked": "asked", "failed": "failed"}
        state = states.get(reply.status, "answered")
        self.store.end(self.turn, state, reply.text[:_ANSWER_KEPT])

    async def _show_answer(self, reply: RunReply, folder: Path) -> None:
        longest = self.settings.longest_answer
        whole = len(reply.text) <= longest
        attached = await attachments_of(reply, folder, self.settings.attachments, whole=whole)
        missing = tuple(f"Not attached: {each}" for each in attached.missing)
        told = replace(reply, warnings=(*reply.warnings, *missing))
        await self._replace(answer_message(told, longest=longest))
        for each in attached.files:
            if not self.store.is_uploaded(self.turn.id, each.key):
                await self.owner._try(
                    self.client.upload(
                        self.message.channel, self.turn.thread, each.name, each.title, each.content
                    )
                )
                self.store.add_upload(self.turn.id, each.key)

    def _waiting_for(self, reply: RunReply, question: PersonQuestion) -> WaitingRun:
        return WaitingRun(
            self.message.channel,
            self.message.user,
            reply.run_id,
            question.step,
            question.id,
            question.text,
            reply.open_ended and not question.options,
            self.turn.thread,
            self.turn.shown,
            time.time(),
        )
