"""A conversation as runs: what the last message begins, or goes on with.

Clients keep nothing but the conversation, and send it again each time. After each reply of a run
that waits, the conversation so far is kept as a digest with the run; when it comes back with a
message more, that message is the answer to the run.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Any, Final, NamedTuple

from flows.core.chat import Usage
from flows.core.flow import Flow, walk
from flows.core.rows import Row
from flows.errors import ConfigError, FlowsError, NotFound, StateConflict, UsageError
from flows.human.answers import escaped
from flows.library.csv_chat.conversation import ConversationFlow
from flows.records.lookup import RunPlace
from flows.records.record import read_record
from flows.services.hosting.hosted_flow import HostedFlow
from flows.services.hosting.live_run import RunListener
from flows.services.hosting.run_index import RunState
from flows.services.hosting.service import RunService
from flows.services.recorded_reply import last_turn, recorded_reply, recorded_result
from flows.services.run_reply import PersonQuestion, RunReply, question_of, reply_of
from flows.web.openai.requests import Said

MESSAGES: Final = "messages"
CONTEXT: Final = "context"
_SYSTEM: Final = ("system", "developer")
_UNDER_WAY: Final = ("queued", "running")
_LIKE: Final = 100  # runs whose conversations have said the same so far
_REPEATED: Final = 50  # turns of a conversation that are taken again when its run is gone


@dataclass(frozen=True, slots=True)
class Asker:
    """Whose conversation it is, and the flow that it is with. `inputs` are given beside it, `key`
    is the client's own for the request; `listener` is told the events of its turn."""

    caller: str
    flow: HostedFlow
    inputs: Mapping[str, Any]
    key: str | None = None
    listener: RunListener | None = None


@dataclass(frozen=True, slots=True)
class ChatTurn:
    """A run that the last message began or went on with: by its `number`th answer. `spent` is what
    it had used before; `refused` why the message was no answer, where it was none."""

    run_id: str
    number: int = 0
    spent: Usage = field(default_factory=Usage)
    refused: str = ""

    @property
    def id(self) -> str:
        """What tells it from other turns, of this run and of others."""
        return f"{self.run_id}-{self.number}"


@dataclass(frozen=True, slots=True)
class TurnEnd:
    """What a turn came to: a reply, how the run stands, and what the turn has used."""

    reply: RunReply
    state: RunState
    usage: Usage


class PastTurn(NamedTuple):
    """A turn that was asked for before. It has no `end` while its run goes on with it."""

    turn: ChatTurn
    state: RunState
    end: TurnEnd | None


class Turns:
    """Begins turns and waits for them, over a service of runs."""

    def __init__(self, service: RunService) -> None:
        self._service = service

    async def begin(self, asker: Asker, said: Sequence[Said]) -> ChatTurn:
        """Answer the run that the conversation is with, or begin one.

        Errors: `ConfigError` for a conversation that nothing can be begun with, and for inputs;
        `QueueFull`.
        """
        talk = [each for each in said if each.role not in _SYSTEM]
        if not talk or talk[-1].role != "user":
            raise ConfigError("the last message has to be the user's", path=MESSAGES)
        last = max((at for at, each in enumerate(talk) if each.role == "assistant"), default=-1)
        new = "\n\n".join(each.text for each in talk[last + 1 :])
        if last >= 0:
            key = digest(asker, talk[: last + 1])
            for found in self._service.store.find_replies(key, _LIKE):
                if (turn := await self._answer(*found, new, asker.listener)) is not None:
                    return turn
        if is_conversation(asker.flow.plan.flow) and last >= 0:
            return await self._repeat(asker, talk)
        return await self._start(asker, said, talk[: last + 1], new)

    async def resume(self, asker: Asker, before: str, new: str) -> ChatTurn:
        """Go on with the run of the turn `before`, or begin one that knows what it came to.

        Errors: `NotFound`.
        """
        run_id, _, number = before.rpartition("-")
        state = await self._state(run_id)
        question = waiting_question(state)
        answered = len(state.record.answers) if state.record is not None else 0
        if question is not None and number == str(answered):
            turn = await self._answer(run_id, question.id, new, asker.listener)
            if turn is not None:
                return turn
        said: list[Said] = []
        if state.record is not None:
            reply = await asyncio.to_thread(recorded_reply, state.record)
            asked = next((v for v in state.record.inputs.values() if isinstance(v, str)), "")
            said = [Said("user", asked), Said("assistant", reply.text)]
        return await self._start(asker, (*said, Said("user", new)), said, new)

    async def end(self, turn: ChatTurn) -> TurnEnd:
        """Wait for a turn. Errors: `UsageError` for a run that recorded nothing."""
        while turn.run_id in self._service.live:
            await self._service.wait(turn.run_id, 60)
        state = await self._state(turn.run_id)
        if state.record is None:
            reason = state.stored.reason if state.stored is not None else ""
            raise UsageError(reason or f"the run {turn.run_id} is {state.status}")
        reply = await asyncio.to_thread(recorded_reply, state.record)
        return TurnEnd(reply, state, since(turn.spent, state.record.spent.usage))

    async def past(self, turn_id: str) -> PastTurn:
        """A turn by its id, as it stands or as it was when the next began.

        Errors: `NotFound`; `JournalError` for a run that cannot be read.
        """
        run_id, _, number = turn_id.rpartition("-")
        state = await self._state(run_id)
        answered = len(state.record.answers) if state.record is not None else 0
        if not number.isdecimal() or str(int(number)) != number or int(number) > answered:
            raise NotFound(f"there is no turn {number} of the run {run_id}")
        if state.record is None or (int(number) == answered and state.status in _UNDER_WAY):
            return PastTurn(ChatTurn(run_id, int(number)), state, None)
        return await asyncio.to_thread(self._past, state, state.record.place, int(number))

    def _past(self, state: RunState, place: RunPlace, number: int) -> PastTurn:
        rows = self._service.runs.rows(place)
        until, before = rows_of_turn(rows, number), rows_of_turn(rows, number - 1) if number else ()
        if len(until) < len(rows):
            state = state._replace(status="waiting", record=read_record(place, until))
        record = state.record
        assert record is not None
        spent = read_record(place, before).spent.usage if before else Usage()
        told = last_turn(until) if record.status == "waiting" else None
        reply = reply_of(recorded_result(record), told)
        end = TurnEnd(reply, state, since(spent, record.spent.usage))
        return PastTurn(ChatTurn(state.run_id, number, spent), state, end)

    async def note(self, asker: Asker, said: Sequence[Said], text: str, end: TurnEnd) -> None:
        """Keep that this conversation goes on with the run, if that waits."""
        question = waiting_question(end.state)
        if question is not None:
            talk = [each for each in said if each.role not in _SYSTEM]
            key = digest(asker, (*talk, Said("assistant", text)))
            await self._service.store.note_reply(key, end.state.run_id, question.id)

    async def cancel(self, run_id: str) -> None:
        """End a run that nobody waits for; one of a service that ends goes on with the next."""
        if self._service.is_open:
            try:
                await self._service.cancel(run_id)
            except StateConflict:  # it was over before
                return

    async def _answer(
        self, run_id: str, question_id: str, text: str, listener: RunListener | None = None
    ) -> ChatTurn | None:
        """Answer a run that still waits with that question; None for one that does not."""
        try:
            state = await self._state(run_id)
        except FlowsError:  # its files are gone
            return None
        question = waiting_question(state)
        if question is None or question.id != question_id or state.record is None:
            return None
        number = len(state.record.answers)
        turn = ChatTurn(run_id, number + 1, state.record.spent.usage)
        try:
            answer = escaped(meant(question, text))
            await self._service.answer(run_id, answer, question.step, listener=listener)
        except StateConflict:
            return None
        except UsageError as error:
            return ChatTurn(run_id, number, turn.spent, str(error))
        return turn

    async def _repeat(self, asker: Asker, talk: Sequence[Said]) -> ChatTurn:
        """Take the turns of a conversation again whose run is gone, or is at another point."""
        texts = [each.text for each in talk if each.role == "user"][-_REPEATED:]
        turn = await self._start(replace(asker, listener=None), (), (), texts[0])
        for text in texts[1:]:
            end = await self.end(turn)
            question = waiting_question(end.state)
            if question is None:
                break
            turn = await self._answer(turn.run_id, question.id, text) or turn
        return turn

    async def _start(
        self, asker: Asker, said: Sequence[Said], before: Sequence[Said], new: str
    ) -> ChatTurn:
        inputs = {**said_inputs(asker, said, before, new), **asker.inputs}
        started = await self._service.start(
            asker.flow.name, inputs, caller=asker.caller, key=asker.key, listener=asker.listener
        )
        return ChatTurn(started.run_id)

    async def _state(self, run_id: str) -> RunState:
        return await asyncio.to_thread(self._service.runs.state, run_id)


def rows_of_turn(rows: Sequence[Row], number: int) -> Sequence[Row]:
    """The rows of a run until the turn after the `number`th answer was over."""
    answers = [at for at, row in enumerate(rows) if row.kind == "answer"]
    return rows[: answers[number]] if number < len(answers) else rows


def said_inputs(
    asker: Asker, said: Sequence[Said], before: Sequence[Said], new: str
) -> dict[str, Any]:
    """The inputs of a flow that a conversation gives: all of it, where the flow takes `messages`;
    else what is new as its one text, and what was said before as `context`, where it takes that.

    Errors: `ConfigError` for a flow that takes no text, or several.
    """
    ports = asker.flow.plan.flow.inputs_type.model_fields
    if MESSAGES in ports:
        return {MESSAGES: [{"role": each.role, "content": each.text} for each in said]}
    inputs: dict[str, Any] = dict.fromkeys(main_text(asker), new)
    if CONTEXT in ports and before:
        inputs[CONTEXT] = [
            f"{'Question' if each.role == 'user' else 'Answer'}: {each.text}" for each in before
        ]
    return inputs


def main_text(asker: Asker) -> tuple[str, ...]:
    """The input that a message is: of those that are not given beside it the one text that the flow
    needs, else the only one that it takes. None where all texts are given beside it.

    Errors: `ConfigError`.
    """
    flow, given = asker.flow, {*asker.inputs}
    ports = flow.plan.flow.inputs_type.model_fields
    texts = [name for name, each in ports.items() if each.annotation in (str, Any)]
    needed = [name for name in texts if ports[name].is_required()]
    if texts and given.issuperset(needed or texts):
        return ()
    left = [name for name in texts if name not in given]
    for found in (
        [name for name in left if name in needed and name not in flow.plan.inputs],
        [name for name in left if name in needed],
        left,
    ):
        if len(found) == 1:
            return (found[0],)
    which = ", ".join(texts) or "none"
    raise ConfigError(f"{flow.name} takes no one text (texts: {which})", path="model")


def meant(question: PersonQuestion, text: str) -> str:
    """The answer that a message is: that of the option that it names, else the text."""
    plain = text.strip().casefold()
    for each in question.options:
        if plain in (each.label.strip().casefold(), each.answer.casefold()):
            return each.answer
    return text


def is_conversation(flow: Flow) -> bool:
    """Whether a flow takes turns with a person until they end it."""
    return any(isinstance(each, ConversationFlow) for _, each in walk(flow))


def waiting_question(state: RunState) -> PersonQuestion | None:
    """What a run waits with."""
    record = state.record
    return question_of(record.questions) if record and state.status == "waiting" else None


def digest(asker: Asker, talk: Sequence[Said]) -> str:
    """What tells a conversation from others; how its blanks stand is no difference."""
    plain = [[each.role, " ".join(each.text.split())] for each in talk]
    whole = json.dumps([asker.caller, asker.flow.name, plain])
    return sha256(whole.encode("utf-8", "surrogatepass")).hexdigest()


def since(before: Usage, now: Usage) -> Usage:
    """What was used between two points of a run."""
    return Usage(
        model_calls=now.model_calls - before.model_calls,
        input_tokens=(now.input_tokens or 0) - (before.input_tokens or 0),
        output_tokens=(now.output_tokens or 0) - (before.output_tokens or 0),
    )
