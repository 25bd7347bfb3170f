"""What a person's words mean: the one rule for every way of asking."""

from __future__ import annotations

import unicodedata
from typing import Final

from flows.core.human import Answer, Question
from flows.human.terminal_text import plain

COLON: Final = ":"
_QUIT = frozenset({"q", "quit", "exit"})


def read_answer(text: str) -> Answer:
    """The answer that the text is. Only `q`, `quit` or `exit` alone ends, in any case and width.

    Several lines are one answer. A plain Enter is the empty text.
    """
    spoken = plain(text).strip()
    return Answer(kind="quit") if _folded(spoken) in _QUIT else Answer(kind="text", text=spoken)


def answer_to(question: Question, text: str) -> Answer:
    """The answer that the text is to the question, where a person can command the session too:
    `:help` is a command, `::help` the answer `:help`. Where a text is no answer, `q` leaves it for
    later: the run waits."""
    command, text = read_command(text)
    if command is not None:
        return Answer(kind="command", text=command)
    answer = read_answer(text)
    if answer.kind == "quit" and not question.takes_text:
        return Answer(kind="nobody")
    return answer


def read_command(text: str) -> tuple[str | None, str]:
    """The command that the text is, without its colon, or None; and the text as an answer, of which
    the first of two colons is taken off."""
    spoken = plain(text).strip()
    if not spoken.startswith(COLON):
        return None, text
    answer = spoken.removeprefix(COLON)
    return (None, answer) if answer.startswith(COLON) else (answer.strip(), spoken)


def escaped(text: str) -> str:
    """The text as an answer that is no command to the session, whatever it begins with."""
    return f"{COLON}{text}" if plain(text).strip().startswith(COLON) else text


def _folded(text: str) -> str:
    """The text as it is compared: compatibility forms, no invisible marks, no case."""
    same = unicodedata.normalize("NFKC", text)
    seen = "".join(each for each in same if unicodedata.category(each) != "Cf")
    return seen.strip().casefold()
