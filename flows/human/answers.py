"""What a person's words mean: the one rule for every way of asking."""

from __future__ import annotations

import unicodedata

from flows.core.human import Answer, Question
from flows.human.terminal_text import plain

_QUIT = frozenset({"q", "quit"})


def read_answer(text: str) -> Answer:
    """The answer that the text is. Only the word `q` or `quit` alone ends: in any case and width.

    Several lines are one answer. A plain Enter is the empty text.
    """
    spoken = plain(text).strip()
    return Answer(kind="quit") if _folded(spoken) in _QUIT else Answer(kind="text", text=spoken)


def answer_to(question: Question, text: str) -> Answer:
    """The answer that the text is to the question. Where a text is no answer, `q` leaves it for
    later: the run waits."""
    answer = read_answer(text)
    if answer.kind == "quit" and not question.takes_text:
        return Answer(kind="nobody")
    return answer


def _folded(text: str) -> str:
    """The text as it is compared: compatibility forms, no invisible marks, no case."""
    same = unicodedata.normalize("NFKC", text)
    seen = "".join(each for each in same if unicodedata.category(each) != "Cf")
    return seen.strip().casefold()
