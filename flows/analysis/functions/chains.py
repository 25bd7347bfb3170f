"""Chains of calls: the result of one gives the argument of the next.

"Which city does the customer of KT-2011 live in?" wants the customer out of `get_order`, and the
city out of `get_customer`. What the question mentions fills the first function; a field that it
gives fills the next; the last one tells what is asked for. The shortest chain whose functions know
the words of the question best goes first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from flows.analysis.functions.asking import QuestionIntent, wanted_of
from flows.analysis.functions.choice import CallOption, is_one_day
from flows.analysis.functions.decision import CallResult
from flows.analysis.functions.given_fields import GivenField, given_fields
from flows.analysis.functions.hints import measure_of
from flows.analysis.functions.hops import link_score, may_take
from flows.analysis.functions.matching import gives_first, is_ranked, text_of, word_weights
from flows.analysis.functions.meanings import KIN, likeness
from flows.analysis.functions.mentions import mentions_of
from flows.analysis.functions.schema import FunctionArgument, arguments_of
from flows.analysis.functions.terms import related, term
from flows.analysis.functions.wording import is_dated

_MOST_CALLS: Final = 4
_MOST_STARTS: Final = 12
_MOST_KEPT: Final = 40  # chains of one length that are made longer
_NAMED_LINK: Final = 0.65
_LINK: Final = 0.5  # the least score of a field for an argument
_FIELD: Final = 0.85  # what a word is worth in the name of a field
_HINT: Final = 1.0  # what is worth that the last call tells what the question word asks for
_DOUBT: Final = 0.5
_TAKEN: Final = 0.3
# Shares of the score.
_COVERAGE, _EVIDENCE, _LINKS, _CALL, _UNUSED = 0.75, 0.35, 0.2, 0.08, 0.15
_NAMED: Final = 0.1  # for a question that names the fields that lead on: `the style of the order`
# The least that a further call has to add to what is known of the question's words.
GAIN: Final = 0.08


@dataclass(frozen=True, slots=True)
class ChainLink:
    """Where an argument comes from: a field of the call at the place `source` of the chain."""

    argument: FunctionArgument
    source: int
    field: GivenField
    score: float


@dataclass(frozen=True, slots=True)
class ChainCall:
    """A call of a chain: what the question fills, and what comes from calls before."""

    option: CallOption
    links: tuple[ChainLink, ...] = ()

    @property
    def name(self) -> str:
        return self.option.function.name


@dataclass(frozen=True, slots=True)
class CallChain:
    """Calls of which each next one takes something from one before. `score` is from 0 to about 1.2,
    `gain` the share of the question's words that the last call adds."""

    calls: tuple[ChainCall, ...]
    score: float = 0.0
    gain: float = 1.0
    coverage: float = 0.0

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(each.name for each in self.calls)


def find_chains(
    text: str, options: Sequence[CallOption], results: Sequence[CallResult]
) -> tuple[CallChain, ...]:
    """The chains that the functions of the stack allow for a question, the best first; a single
    call is a chain, too. A call further adds something to it that the calls before do not tell."""
    return _ChainSearch(text, options, results).find()


class _ChainSearch:
    """The search for chains for one question."""

    def __init__(
        self, text: str, options: Sequence[CallOption], results: Sequence[CallResult]
    ) -> None:
        self._wanted: QuestionIntent = wanted_of(text)
        self._options = options
        self._ranked = is_ranked(text)
        self._weights = word_weights(self._wanted.words, [each.function for each in options])
        self._fields = {
            each.function.name: given_fields(each.function, results) for each in options
        }
        self._known = {each.function.name: self._knows(each) for each in options}
        self._hinted = {each.function.name: self._tells_hint(each) for each in options}
        self._places = [
            (each.start, each.end)
            for each in mentions_of(text)
            if each.kind in ("code", "name", "quoted", "email")
        ]
        self._takers = [
            (argument, text_of(each.function).name)
            for each in options
            for argument in arguments_of(each.function.parameters)
            if argument.required
        ]
        self._leads: dict[str, bool] = {}

    def find(self) -> tuple[CallChain, ...]:
        starts = [each for each in self._options if self._starts(each)]
        layer = [self._scored((ChainCall(each),), 0.0) for each in starts]
        layer = sorted(layer, key=_order)[:_MOST_STARTS]
        found = list(layer)
        for _ in range(_MOST_CALLS - 1):
            layer = [
                longer for chain in layer for each in self._options
                if (longer := self._longer(chain, each)) is not None
            ]  # fmt: skip
            layer = sorted(layer, key=_order)[:_MOST_KEPT]
            found += layer
        return tuple(sorted((each for each in found if each.gain >= GAIN), key=_order))

    def _starts(self, option: CallOption) -> bool:
        """Whether the question fills all that a function needs, and says something for it."""
        if option.own.missing or (not self._ranked and gives_first(option.function.name)):
            return False
        return bool(option.own.used) or not self._places

    def _longer(self, chain: CallChain, option: CallOption) -> CallChain | None:
        if not option.own.missing or option.function.name in chain.names:
            return None
        links: list[ChainLink] = []
        for argument in option.own.missing:
            link = self._link(chain, option, argument)
            if link is None:
                return None
            links.append(link)
        if all(each.source != len(chain.calls) - 1 for each in links):
            return None  # the call before it is of no use to it
        if is_one_day([value for each in links for value in each.field.values[:1]]):
            return None
        return self._scored((*chain.calls, ChainCall(option, tuple(links))), chain.coverage)

    def _link(
        self, chain: CallChain, option: CallOption, argument: FunctionArgument
    ) -> ChainLink | None:
        about = text_of(option.function).name
        found = [
            ChainLink(argument, source, field, score)
            for source, call in enumerate(chain.calls)
            for field in self._fields[call.name]
            if (score := self._link_score(argument, about, field)) > _LINK
        ]
        return max(found, key=lambda each: (each.score, each.source), default=None)

    def _link_score(
        self, argument: FunctionArgument, about: Sequence[str], field: GivenField
    ) -> float:
        """How surely an argument takes a field. One that the question names may be the key of what
        it asks for under any name: the `owner` of an animal, for a function of clients."""
        values = field.values[:1] or (None,)
        if not all(each is None or may_take(argument, each) for each in values):
            return 0.0
        score = min(link_score(argument, about, field.terms, field.around, each) for each in values)
        dated = any(is_dated(each) for each in field.values[:1])
        free = not dated and not argument.options and not _is_measured(field)
        if score <= _LINK and free and self._is_lead(field):
            score = _NAMED_LINK
        return score * field.sure

    def _scored(self, calls: tuple[ChainCall, ...], before: float) -> CallChain:
        coverage = self._coverage(calls)
        sure = [each.option.own.scores for each in calls[:1]]
        own = [value for scores in sure for value in scores.values()]
        evidence = min(1.0, sum(own) / len(own) / 1.5) if own else 0.0
        links = [each for call in calls for each in call.links]
        named = bool(links) and all(self._names(each.field) for each in links)
        unused = sum(not self._is_used(place, calls) for place in self._places)
        score = (
            _COVERAGE * coverage + _EVIDENCE * evidence - _CALL * (len(calls) - 1)
            - _UNUSED * unused - _LINKS * sum(max(0.0, 1.0 - each.score) for each in links)
            + _NAMED * named
        )  # fmt: skip
        gain = coverage - before if len(calls) > 1 else 1.0
        return CallChain(calls, score, gain, coverage)

    def _is_lead(self, field: GivenField) -> bool:
        """Whether the question names a field that no function takes by that name."""
        if field.path not in self._leads:
            taken = any(
                link_score(argument, about, field.terms, field.around) > _LINK
                for argument, about in self._takers
            )
            self._leads[field.path] = self._names(field) and not taken
        return self._leads[field.path]

    def _names(self, field: GivenField) -> bool:
        """Whether the question has a word for a field."""
        words = self._wanted.words
        return any(likeness(word, each) >= KIN for word in words for each in field.terms)

    def _is_used(self, place: tuple[int, int], calls: Sequence[ChainCall]) -> bool:
        spans = [each for call in calls for each in call.option.own.used]
        others = [each for call in calls for each in call.option.own.others]
        return bool(others) or any(a < place[1] and place[0] < b for a, b in spans)

    def _coverage(self, calls: Sequence[ChainCall]) -> float:
        """The share of the question's words that the calls know, what the question word asks for
        among them: that only the last call can tell."""
        total = sum(self._weights.values())
        known = sum(
            weight * max(self._knows_in(each, word) for each in calls)
            for word, weight in self._weights.items()
        )
        if self._wanted.hints:
            total += _HINT
            known += _HINT * self._hinted[calls[-1].name]
        return known / (total + _DOUBT)

    def _knows_in(self, call: ChainCall, word: str) -> float:
        """How well a call knows a word. What only names an argument that an earlier result fills is
        not what the call tells."""
        known = self._known[call.name][word]
        for each in call.links:
            taken = any(related(term(word), name) for name in each.argument.terms)
            if taken and not any(related(term(word), name) for name in each.field.terms):
                return known * _TAKEN
        return known

    def _knows(self, option: CallOption) -> Mapping[str, float]:
        """How well a function knows each word of the question."""
        fields = {each for field in self._fields[option.function.name] for each in field.terms}
        return {
            word: max(
                option.match.known.get(word, 0.0),
                *(_FIELD * likeness(word, each) for each in fields), 0.0,
            )
            for word in self._wanted.words
        }  # fmt: skip

    def _tells_hint(self, option: CallOption) -> float:
        """Whether a function gives what the question word asks for."""
        hints = {term(each) for each in self._wanted.hints}
        return max(
            (each.sure for each in self._fields[option.function.name] if hints & set(each.terms)),
            default=0.0,
        )


def _is_measured(field: GivenField) -> bool:
    """Whether a field says how much of something: it names nothing."""
    return "per" in field.terms or any(map(measure_of, field.terms))


def _order(chain: CallChain) -> tuple[float, int]:
    return (-chain.score, len(chain.calls))
