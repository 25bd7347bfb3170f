"""How much of a question an answer accounts for: its words, and the values that it names."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from flows.analysis.functions.asking import QuestionIntent, states_operation
from flows.analysis.functions.decision import CallResult, DecisionInputs
from flows.analysis.functions.filters import plain_value
from flows.analysis.functions.hints import WORTH, unit_words
from flows.analysis.functions.lineage import argument_values, result_values
from flows.analysis.functions.matching import gives_first, is_ranked, match_functions, text_of
from flows.analysis.functions.meanings import KIN, likeness
from flows.analysis.functions.mentions import mentions_of
from flows.analysis.functions.relation import linking_words
from flows.analysis.functions.schema import arguments_of
from flows.analysis.functions.terms import identifier_terms, term, term_set
from flows.analysis.functions.told import ResultAnswer
from flows.analysis.language.lexicon import WEAK_VERBS
from flows.analysis.language.verbs import is_verb
from flows.analysis.language.words import singular

# What is left of an answer's score where nothing of the result is called what is asked for.
_UNKNOWN: Final = 0.45
_LINK_ONLY: Final = 0.2
_OTHER_END: Final = 0.35
# The same where the value is in what the question wants it in, and where the call was given all
# values of the question, one of them out of those that the function lists.
_FORMED: Final = 0.75
_FARTHER: Final = 0.75
_DONE: Final = 0.6  # the same where all that is not known is what somebody does
_GIVEN_ALL: Final = 0.8
_LEAST_GIVEN: Final = 2
_ASKED_FOR: Final = re.compile(r"\b(?:do|does|did|can|could|must|should|will|would|may|has|have)\b")
_DOER: Final = re.compile(r"\b(?:i|we|you|they|he|she|it|people|somebody|someone)$")
_BEING: Final = re.compile(r"\b(?:been|being)$")
_MONEY: Final = (*unit_words("euro"), "currency", *WORTH.split())
# What is left for each value of the question that an answer has nothing to do with.
STRAY: Final = 0.6
NAMING: Final = ("code", "name", "quoted", "email")
# The least that is left of a count where a question only asks how often something was.
_TIMES: Final = 0.7
_HOW_OFTEN: Final = re.compile(r"\bhow (?:often|many times)\b", re.IGNORECASE)
# The same where the question has only words that say nothing by themselves.
_ALL_WEAK: Final = 0.9
# Words that only say with the question word what is asked for: where something is based.
_LIGHT: Final = term_set("""
    come comes came based base stand stands reach reached reaches left remain remains worth along
    far long much many get gets go goes home town quick quickly soon bring brings make makes need
    needs add up pay wait large big heavy tall old young fast
    must shall ought might
    combined altogether together overall during somebody someone people thing things time number
""")


def explained(
    wanted: QuestionIntent,
    result: CallResult,
    told: ResultAnswer,
    inputs: DecisionInputs,
    before: Sequence[str],
) -> float:
    """How much of the question the function and the keys of the answer account for, from 0 to 1.

    The first word that tells what is asked for has to be found in the answer's keys, or at least
    in the function's text: another value of the right record is no answer. What the functions
    `before` know only says of which record.
    """
    if told.accounted:
        return 1.0
    words = _words_known(wanted, result, told, inputs, before)
    if words is None:
        return _ALL_WEAK
    share = sum(words.covered[each] for each in words.all) / len(words.all)
    if words.is_as_wanted:
        # How many weeks it takes is told by the weeks, whatever it is called.
        return (1.0 if words.covered[words.head] else _FORMED) * (0.6 + 0.4 * share)
    if any(each in words.all and not words.covered[each] for each in _purposes(wanted.text)):
        return _OTHER_END  # what it cost to mend is not what it cost to build
    strange = words.head in words.links or not words.likes[words.head]
    linked = any(words.likes.get(each, 0.0) >= KIN for each in words.links)
    if strange and not told.hinted and linked:
        return _LINK_ONLY  # whose it is, and not what is asked of that
    if told.sole and wanted.is_money and not tells_money(wanted, result, inputs):
        return _UNKNOWN
    if told.hinted and not told.sole:
        return _by_hint(wanted, words, before, share)
    whole = _GIVEN_ALL if _is_given_all(wanted, result, inputs, before) else _UNKNOWN
    if told.sole:  # what was computed of all that the question gives
        return (1.0 if words.tells_head else whole) * (0.6 + 0.4 * share)
    return _by_head(wanted, words, told, share, whole)


@dataclass(frozen=True, slots=True)
class _KnownWords:
    """The words of a question beside an answer: `all` that have to be accounted for, and the `head`
    of them, which tells what is asked for; `known` are those of the function, `links` those that
    lead to a record. `likes` says how surely each is one of the answer's keys, `covered` whether
    anything knows it; `is_as_wanted` whether the answer is given in what the question wants."""

    all: tuple[str, ...]
    head: str
    known: frozenset[str]
    links: Collection[str]
    likes: Mapping[str, float]
    covered: Mapping[str, bool]
    is_as_wanted: bool

    @property
    def tells_head(self) -> bool:
        """Whether the function or the answer knows what is asked for."""
        return self.head in self.known or self.likes[self.head] > 0.0


def _words_known(
    wanted: QuestionIntent,
    result: CallResult,
    told: ResultAnswer,
    inputs: DecisionInputs,
    before: Sequence[str],
) -> _KnownWords | None:
    """What of a question's words an answer knows; None where none of them has to be."""
    known = _known_by(wanted, (result.name,), inputs)
    linked = _known_by(wanted, before, inputs)
    keys = (*_keys_of(told), *_noted(wanted, told))
    values = {
        term for each in told.values if isinstance(each, str) for term in identifier_terms(each)
    }
    likes = {
        word: max((likeness(word, each) for each in keys), default=0.0) for word in wanted.words
    }
    covered = {
        word: word in known
        or word in linked
        or likes[word] > 0.0
        or term(word) in told.chosen
        or any(likeness(word, each) == 1.0 for each in values)
        for word in wanted.words
    }
    words = [
        each for each in wanted.words
        if likes[each] >= KIN or _counts(each, wanted, covered=covered[each])
    ]  # fmt: skip
    if all(term(each) in told.chosen for each in words):
        return None
    links = linking_words(wanted.text)
    own = [each for each in words if each not in linked and each not in links]
    own = own or [each for each in words if each not in linked] or words
    own = [each for each in own if term(each) not in told.chosen] or own
    # After a chain of calls any word that they did not know may be what is asked for.
    head = max(own, key=lambda each: likes[each]) if before else own[0]
    as_wanted = _is_as_wanted(wanted, told, likes, values)
    return _KnownWords(tuple(words), head, known, links, likes, covered, as_wanted)


def _by_hint(
    wanted: QuestionIntent, words: _KnownWords, before: Sequence[str], share: float
) -> float:
    """How much an answer accounts for that was found by its question word alone."""
    known = words.covered[words.head] if not before else words.tells_head
    open_ = [
        each for each in wanted.words
        if not words.covered[each] and each not in wanted.hints and term(each) not in _LIGHT
    ]  # fmt: skip
    if not open_ if words.head in wanted.hints else known:
        # A day, and no more, is rather that of the record which the question names.
        nearer = _FARTHER if before and words.head in wanted.hints else 1.0
        return nearer * (0.8 + 0.2 * share)
    done = bool(open_) and all(_is_done(each, wanted.text) for each in open_)
    return _DONE + 0.2 * share if done and not before else _UNKNOWN


def _by_head(
    wanted: QuestionIntent, words: _KnownWords, told: ResultAnswer, share: float, whole: float
) -> float:
    """How much an answer accounts for by the word that tells what is asked for; `whole` is what it
    is worth that the call was given all that the question mentions."""
    head, counted = words.head, wanted.operation == "count"
    free = wanted.operation in ("list", "maximum", "minimum", "whether")
    free = free or (wanted.is_person and len(told.values) > 1)
    if counted and _HOW_OFTEN.search(wanted.text):
        return max(_TIMES, (0.6 + 0.4 * share) * (1.0 if head in words.known else _TIMES))
    if words.likes[head] >= KIN or free or (counted and head in words.known):
        first = 1.0
    else:
        first = 0.85 if words.tells_head else _UNKNOWN
        first = max(first, whole) if counted else first
    return first * (0.6 + 0.4 * share)


def tells_money(wanted: QuestionIntent, result: CallResult, inputs: DecisionInputs) -> bool:
    """Whether a function says that it gives a price, or another amount of money."""
    told = {
        each for function in inputs.stack if function.name == result.name
        for each in text_of(function).worth
    }  # fmt: skip
    return any(term(each) in told for each in (*wanted.hints, *_MONEY))


def strays(wanted: QuestionIntent, calls: Sequence[CallResult], used: Sequence[CallResult]) -> int:
    """How many values of a question an answer has nothing to do with: no call was given them, and
    no result that is `used` holds them."""
    given = {value for each in calls for value in argument_values(each)}
    held = {value for each in used for value in result_values(each)}
    named = [each for each in mentions_of(wanted.text) if each.kind in NAMING]
    lost = [e for e in named if not any(plain_value(e.value) in known for known in given | held)]
    dated = [each.replace(" ", "-") for each in given]
    days = [each.replace(" ", "-") for each in held]
    open_ = [
        each for each in wanted.periods
        if not each.is_in(dated) and not any(_is_day(day) and each.holds(day) for day in days)
    ]  # fmt: skip
    # Whom a function of the busiest gave is another thing where nobody asked for that.
    others = [each for each in calls if each not in used and gives_first(each.name)]
    return len(lost) + len(open_) + (0 if is_ranked(wanted.text) else len(others))


def _is_day(value: str) -> bool:
    return re.match(r"\d{4}(?:-\d{2}){0,2}$", value) is not None


def _known_by(
    wanted: QuestionIntent, names: Sequence[str], inputs: DecisionInputs
) -> frozenset[str]:
    """The words of a question that functions of the stack know."""
    found = [each for each in inputs.stack if each.name in names]
    return frozenset(word for each in match_functions(wanted.text, found) for word in each.words)


def _is_as_wanted(
    wanted: QuestionIntent, told: ResultAnswer, likes: Mapping[str, float], values: Collection[str]
) -> bool:
    """Whether an answer is given in what the question wants it in."""
    return any(
        likes[each] >= KIN or term(each) in values or (told.hinted and each in wanted.hints)
        for each in wanted.given_as
    )


def _purposes(text: str) -> tuple[str, ...]:
    """The verbs of a question that say for what: `to build`."""
    return tuple(each for each in re.findall(r"\bto ([a-z]+)\b", text) if is_verb(each))


def _is_done(word: str, text: str) -> bool:
    """Whether a word of a question is what somebody does: `when do we expect her`, `how long has
    he been waiting`."""
    low = text.casefold()
    for match in re.finditer(rf"\b{re.escape(word)}\b", low):
        before = low[: match.start()].rstrip()
        doer = any(each.end == len(before) for each in mentions_of(text) if each.kind in NAMING)
        asked = _ASKED_FOR.search(before) is not None
        if _BEING.search(before) or (asked and (doer or _DOER.search(before))):
            return True
    return False


def _is_given_all(
    wanted: QuestionIntent, result: CallResult, inputs: DecisionInputs, before: Sequence[str]
) -> bool:
    """Whether a call was given all values that a question mentions, or what was found by them: two
    at least, one of them a number or of those that its function lists."""
    function = next((each for each in inputs.stack if each.name == result.name), None)
    sources = [each for each in inputs.results if each.name in before and each.kind == "ok"]
    if function is None or strays(wanted, (result, *sources), ()):
        return False
    given, low = argument_values(result), plain_value(wanted.text)
    numbers = [each for each in mentions_of(wanted.text) if each.kind == "number"]
    free = [
        each for each in numbers
        if not any(each.overlaps(one.start, one.end) for one in wanted.periods)
    ]  # fmt: skip
    if any(plain_value(each.value) not in given for each in free):
        return False
    listed = [
        each for each in arguments_of(function.parameters)
        if each.options and plain_value(result.arguments.get(each.name, "")) in low
        and result.arguments.get(each.name) in each.options
    ]  # fmt: skip
    chosen = {plain_value(result.arguments[each.name]) for each in listed}
    named = [
        each for each in mentions_of(wanted.text)
        if each.kind in NAMING and plain_value(each.value) not in chosen
    ]  # fmt: skip
    count = len(listed) + len(free) + len(named) + len(wanted.periods)
    return bool(listed or free) and count >= _LEAST_GIVEN <= len(result.arguments)


def _counts(word: str, wanted: QuestionIntent, *, covered: bool) -> bool:
    """Whether a word has to be accounted for: a weak verb only if it is a noun here, and `how much
    money` may be told under another word for money."""
    if word == "money":
        return covered
    if term(word) in _LIGHT or word in WEAK_VERBS:
        return False
    if states_operation(word, wanted.operation):
        return covered
    return covered or singular(word) not in WEAK_VERBS


def _noted(wanted: QuestionIntent, told: ResultAnswer) -> tuple[str, ...]:
    """The terms that a description gives for the keys that an answer cites."""
    cited = dict.fromkeys((told.key, *(e.path.rsplit("/", 1)[-1] for e in told.citations)))
    return tuple(each for key in cited for each in wanted.notes.of(key))


def _keys_of(told: ResultAnswer) -> tuple[str, ...]:
    """The terms of the keys that an answer cites, and of its operations."""
    places = [
        text for each in told.citations for text in (each.path, each.operation, *each.over[:1])
    ]
    places.append(told.key)
    return tuple(
        term for text in places for part in text.split("/")
        for term in identifier_terms(part) if part and not part.isdigit()
    )  # fmt: skip
