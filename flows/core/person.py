"""Asking a person in a run: the answer is recorded, and a recorded one is not asked for again."""

from __future__ import annotations

from pydantic_core import to_json

from flows.core.human import Answer, Human, Question
from flows.core.scope import CallScope
from flows.core.session import NO_COMMANDS
from flows.errors import SessionChanged, Waiting


async def ask_person(scope: CallScope, human: Human | None, question: Question) -> Answer:
    """Ask a person, or take the answer that was recorded; the first that is counts.

    Errors: `Waiting` when nobody is there and the run does not go on without; `SessionChanged`
    when they change the session instead.
    """
    journal = scope.session.journal
    if journal is not None and (row := journal.history.answers.get(question.id)) is not None:
        return Answer.model_validate(row.data())
    answer = await _asked(scope, human, question)
    if answer.kind != "text" and not question.takes_text:
        answer = Answer(kind="nobody")
    if answer.kind == "nobody":
        if answer.go_on:
            return answer
        if journal is not None and question.id not in journal.history.questions:
            text = to_json(question).decode()
            await journal.write("question", scope.address, question.id, text)
        scope.session.asked.append(scope.address)
        raise Waiting(question.text.strip())
    if journal is not None:
        await journal.write("answer", scope.address, question.id, to_json(answer).decode())
    return answer


async def _asked(scope: CallScope, human: Human | None, question: Question) -> Answer:
    """What the person answers. Commands that they give before are carried out.

    Errors: `SessionChanged` when one of them, here or at another question, changes the session.
    """
    session = scope.session
    while True:
        commands = session.commands
        if commands is not None and not commands.changes:
            question = question.model_copy(update={"reply": commands.take_reply()})
        if commands is None or not commands.changes:
            answer = await _said(scope, human, question)
            if answer.kind != "command":
                return answer
            if commands is None:
                question = question.model_copy(update={"reply": NO_COMMANDS})
                continue
            await commands.perform(answer.text, session, (*session.asked, scope.address))
        if commands.changes:
            session.asked.append(scope.address)
            raise SessionChanged(question.text.strip())


async def _said(scope: CallScope, human: Human | None, question: Question) -> Answer:
    """What the person says; meanwhile the limit on wall time does not end the step."""
    if human is None or scope.session.unattended:
        return Answer(kind="nobody")
    scope.asks_person = True
    try:
        return await human.ask(question)
    finally:
        scope.asks_person = False
