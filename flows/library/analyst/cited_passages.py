"""Texts that cite passages by number: which they cite, and whether their figures stand there."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from flows.core.documents import Passage
from flows.core.observation import Caution
from flows.data.answers.citations import Traced
from flows.data.answers.number_words import find_spelled
from flows.data.answers.numbers import WrittenNumber, find_numbers
from flows.library.blocks.reading import JsonObject, ReplyProblem, short

_MARK: Final = re.compile(r"\[(\d{1,4}(?:\s*[,;\u2013-]\s*\d{1,4})*)\]")
_RANGE: Final = re.compile(r"(\d+)\s*[\u2013-]\s*(\d+)")
MOST_TEXT: Final = 20_000


@dataclass(frozen=True, slots=True)
class CitedText:
    """A text with the passages that it cites: `[1]` is the first of them."""

    enough: bool
    text: str
    passages: tuple[Passage, ...]

    def sources(self) -> str:
        """A line for each passage: its number, its document, where it stands there."""
        lines = (f"[{n}] {p.document}, {p.where}" for n, p in enumerate(self.passages, 1))
        return "\n".join(lines)


def without_marks(passage: Passage) -> Passage:
    """The passage as a model is given it: a text's own `[3]` is no citation of ours."""
    return passage.model_copy(update={"text": _MARK.sub(r"(\1)", passage.text)})


def read_cited(reply: JsonObject, passages: Sequence[Passage]) -> CitedText:
    """What a reply says of these passages. Errors: `ReplyProblem`."""
    enough = reply.get("enough")
    if not isinstance(enough, bool):
        raise ReplyProblem(f'"enough" has to be true or false, not {short(enough)}')
    key = "answer" if enough else "context"
    text = reply.get(key)
    if text is None and not enough:
        text = ""
    if not isinstance(text, str):
        raise ReplyProblem(f'"{key}" has to be text, not {short(text)}')
    text = text.strip()
    if enough and not text:
        raise ReplyProblem('"answer" is empty; give it, or "enough": false')
    if len(text) > MOST_TEXT:
        raise ReplyProblem(f'"{key}" has {len(text):,} characters; at most {MOST_TEXT:,}')
    cited = list(dict.fromkeys(_cited(text)))
    wrong = [number for number in cited if not 1 <= number <= len(passages)]
    if wrong:
        raise ReplyProblem(
            f"[{wrong[0]}] is the number of no passage; there are [1] to [{len(passages)}]"
        )
    if text and not cited:
        raise ReplyProblem(f'"{key}" cites no passage; put [1] behind what passage 1 says')
    places = {number: place for place, number in enumerate(cited, 1)}
    renumbered = _MARK.sub(lambda found: _marks(found[1], places), text)
    return CitedText(enough, renumbered, tuple(passages[number - 1] for number in cited))


def check_numbers(cited: CitedText) -> tuple[Traced, tuple[Caution, ...]]:
    """How many numbers of the text stand in the passages that it cites; a caution for each that
    does not."""
    known = [number for each in cited.passages for number in _numbers(_whole(each))]
    told = list(_numbers(_MARK.sub(" ", cited.text)))
    invented = [each for each in told if not any(_same(each, other) for other in known)]
    cautions = tuple(
        Caution(
            code="unsupported_number",
            text=f"The number {text} stands in no passage that is cited for it.",
        )
        for text in dict.fromkeys(each.text for each in invented)
    )
    right = len(told) - len(invented)
    share = right / len(told) if told else None
    return Traced(numbers=len(told), traced=right, share=share), cautions


def _cited(text: str) -> Iterator[int]:
    for mark in _MARK.finditer(text):
        yield from _of_mark(mark[1])


def _of_mark(inside: str) -> Iterator[int]:
    """The numbers of one mark: `2`, `1, 3`, `1-3`."""
    for part in re.split(r"[,;]", inside):
        if span := _RANGE.fullmatch(part.strip()):
            first, last = int(span[1]), int(span[2])
            if not first <= last < first + 100:
                raise ReplyProblem(f"[{inside}] is no range of passages")
            yield from range(first, last + 1)
        else:
            # Other than a mark of two numbers with a dash this is one number.
            yield int(part)


def _marks(inside: str, places: dict[int, int]) -> str:
    return "".join(f"[{place}]" for place in sorted({places[each] for each in _of_mark(inside)}))


def _whole(passage: Passage) -> str:
    return f"{passage.document}\n{passage.where}\n{passage.text}"


def _numbers(text: str) -> Iterator[WrittenNumber]:
    yield from find_numbers(text)
    yield from find_spelled(text)


def _same(told: WrittenNumber, known: WrittenNumber) -> bool:
    """Whether they are the same number, the told one perhaps rounded."""
    if told.kind != known.kind:
        return False
    if told.kind == "date":
        return bool(set(told.forms) & set(known.forms)) or told.text == known.text
    if told.kind == "clock":
        return told.text == known.text
    if told.percent != known.percent:
        return False
    return any(one.fits(other.value) for one in told.readings for other in known.readings)
