"""What it costs to leave a word out."""

from __future__ import annotations

from typing import Final

from flows.analysis.language.lexicon import (
    FUNCTION_WORDS,
    WEAK_NOUNS,
    WEAK_VERBS,
)
from flows.analysis.language.phrasebook import MONTHS
from flows.analysis.language.verbs import is_verb
from flows.analysis.questions.deeds import recorded, records
from flows.analysis.questions.people import doers_of
from flows.analysis.questions.phrases.states import BEFORE_PERIODS
from flows.analysis.questions.phrases.units import UNIT_WORDS
from flows.analysis.questions.phrases.values import values_at
from flows.analysis.questions.text import Text

FORM_WORD: Final = 0.01

WEAK: Final = 0.12
PART: Final = 0.05  # what names cost of which a word is a part

TAIL: Final = 0.05

VERB: Final = 0.45

CONTENT: Final = 1.0

ASKING: Final = 0.25
_ASKING = frozenset(
    ["who", "whom", "whose", "when", "many", "much", "never", "nobody", "not", "still"]
)
_COSTING = frozenset(["cost", "costs", "earn", "earned", "spend", "spent", "owe", "owed"])
_COMPARING = frozenset(["over", "above", "under", "below", "within", "exceed", "exceeded", "per"])
# What the data stand in.
_SOURCES = frozenset(
    ["file", "export", "sheet", "spreadsheet", "csv", "excel", "extract", "list", "workbook"]
)
# What `when was it placed` says of the time of the rows: that they happened.
_HAPPENING_TEXT = """
    placed made created happened happen recorded entered opened raised logged booked submitted filed
    occur occurred take place took issued begin begins began start starts started
"""
_HAPPENING = frozenset(_HAPPENING_TEXT.split())

_POLITE_TEXT = """
    please plz pls thanks hi hello hey there actually just simply quick quickly roughly really
    yet already only ever here altogether i'd id like know wonder tell got gets we us our
    ours one's through via onto then so it's its give show whole entire because due
    usually normally generally now right
"""
# Behind a measure they say nothing new: `passenger numbers`, `fee income`.
_TAILS = frozenset(["numbers", "number", "figure", "figures", "amount", "amounts", "total",
                    "totals", "income", "level", "levels", "count", "counts", "volume",
                    "volumes", "value", "values", "charges", "time", "times", "costs"])  # fmt: skip
# What people do with whatever they have to do with.
_LIGHT_TEXT = """
    bring brings brought work works worked working come comes came take takes handle handles handled
    process processes processed place places see sees saw has have had
    receive receives get gets got go goes went gone belong belongs belonged make makes
"""
_LIGHT = frozenset(_LIGHT_TEXT.split())
# Small words without which a question would ask for something else.
_MEANT = frozenset(["per", "each", "every", "still", "currently", "current", "anymore"])
_BEING = frozenset(["is", "are", "was", "were", "be", "still", "currently"])
_KEYS = frozenset(["code", "id", "number", "key", "abbreviation", "symbol"])
_POLITE = frozenset(_POLITE_TEXT.split())


def skip_cost(text: Text, at: int) -> float:
    """What it costs to leave the word at a place out."""
    token = text.tokens[at]
    word = token.lower
    if token.kind == "mark":
        return 0.03 if word == "%" and text.number(at - 1) is None else 0.0  # `up or down, %`
    if word in _MEANT or _says_open(text, at):
        return VERB
    if text.is_explained(at):
        return WEAK
    if word in ("which", "what") and next(text.nouns(at + 1), None) is not None:
        return ASKING
    if word in _ASKING or (
        word in _COMPARING and (_is_measure(text, at + 1) or text.word(at + 1) in UNIT_WORDS)
    ):
        return ASKING
    if word in _COSTING:
        return ASKING
    if word == "by" and any(f.cost < 0.3 and f.role != "measure" for _, f in text.names(at + 1)):
        return ASKING
    if word == "after" and text.word(at - 1) in ("look", "looks", "looked", "looking"):
        return FORM_WORD
    if token.kind != "word":
        return CONTENT
    if word in _TAILS and at and _is_measure(text, at - 1, "measure"):
        return TAIL
    if records(word, text):
        return TAIL
    if recorded(word, text):
        return WEAK
    if (is_verb(word) or doers_of(word)) and _is_timed(text, at):
        return TAIL  # `parcels that were sent`, of which the day is known
    if text.word(at + 1) == "(":
        return WEAK  # what it means stands in the brackets
    if word == "us" and token.text == "US":
        return CONTENT
    if MONTHS.match((word,), 0) and text.names_month(at):
        return CONTENT
    if word in FUNCTION_WORDS or word in _POLITE:
        return FORM_WORD
    if word == "full" and text.word(at + 1) in ("name", "names"):
        return FORM_WORD
    if word in _KEYS and at + 1 < len(text) and any(values_at(text, at + 1)):
        return TAIL  # `the airline with code VX`
    if word in ("name", "names") and at == len(text) - 1 and at > 0:
        return FORM_WORD
    if word in _SOURCES and text.word(at - 1) in ("in", "from", "this"):
        return FORM_WORD
    if text.word(0) == "when" and word in _HAPPENING:
        return FORM_WORD
    if word in WEAK_NOUNS and any(found.cost < PART for _, found in text.names(at)):
        return VERB  # `job type`
    if word in WEAK_VERBS or word in WEAK_NOUNS or word in _LIGHT:
        return WEAK
    return VERB if is_verb(word) else CONTENT


def _says_open(text: Text, at: int) -> bool:
    """`books that are out`: a word says that rows are not over."""
    return text.word(at - 1) in _BEING and text.vocabulary.states.is_open(text.word(at))


def _is_timed(text: Text, at: int) -> bool:
    """Whether a verb names the time of rows, and does not say which of them have one."""
    if text.word(at + 1) not in BEFORE_PERIODS and text.vocabulary.states.may_begin(text.word(at)):
        return False
    return any(end == at + 1 and each.role == "time" for end, each in text.names(at))


def says_nothing(word: str) -> bool:
    """Whether a word asks for nothing that an answer could leave out."""
    return word in _POLITE or word in _LIGHT or word in _HAPPENING or word in _SOURCES


def _is_measure(text: Text, at: int, role: str = "") -> bool:
    """Whether a measure or a group is named at a place; only one of a role if that is given."""
    if role:
        return any(found.cost < 0.3 and found.role == role for _, found in text.names(at))
    return any(found.cost < 0.3 for _, found in text.names(at)) or text.word(at) in ("its", "their")
