"""The arguments of a call, filled with what a question mentions."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from flows.analysis.functions.argument_values import Filling, FillingContext
from flows.analysis.functions.enumerations import is_alike
from flows.analysis.functions.fit import (
    WORDED,
    as_value,
    context_fit,
    fit,
    list_value,
)
from flows.analysis.functions.forms import has_form
from flows.analysis.functions.mentions import ValueMention, mention_at, mentions_of
from flows.analysis.functions.period_filling import period_values
from flows.analysis.functions.schema import FunctionArgument, arguments_of, lend_examples
from flows.analysis.functions.spelt_keys import with_keys
from flows.analysis.functions.spoken_options import option_said, options_said, term_places
from flows.analysis.functions.terms import terms, word_set

# Arguments that take what is asked in words, not a value out of it.
QUESTIONS: Final = frozenset(["question", "questions", "query_text", "natural_language_query"])
SEARCHES: Final = word_set("""
    query q search search_query search_term term text keyword keywords topic prompt message
    content request tool_input
""")  # fmt: skip
_ENOUGH: Final = 0.5
_NOT: Final = re.compile(
    r"\b(?:no|not|without|don'?t|do not|exclud\w+|never|except|skip|omit)\b[\w\s]{0,20}$",
    re.IGNORECASE,
)
# Terms of the names of switches that do not say what is switched.
_SWITCHING: Final = word_set("is includ has with use show enabl return allow only flag")
_LINKING: Final = word_set("of for about on in called named by at to")
# A place that is given with its country: `Paris, France`.
_REGIONAL: Final = re.compile(r"city,\s*(?:the\s*)?(?:state|country|region)", re.IGNORECASE)
_REGION: Final = re.compile(r",\s+([A-Z][\w]+(?: [A-Z]\w+)*)(?!\s*,\s*(?:[A-Z]|and)|\s+and\b)")


_NO_CONTEXT: Final = FillingContext()


def fill(
    parameters: Mapping[str, Any],
    question: str,
    about: str = "",
    context: FillingContext = _NO_CONTEXT,
) -> Filling:
    """The arguments of a function from a question. Nothing is invented: what the question does not
    say is missing, or left to the function's default. `about` is the function's description."""
    arguments = lend_examples(arguments_of(parameters, about), context.lenders)
    whole = next((each for each in arguments if each.required and is_question(each)), None)
    if whole is not None:  # a function that reads the question itself needs no other argument
        arguments = (whole, *(each for each in arguments if each.required and each != whole))
    plain = [each for each in arguments if not each.properties]
    found = _Filler(plain, question, context).fill(context.today)
    for each in arguments:
        if each.properties:
            found = _with_object(found, each, question, context)
    return found


def _with_object(
    filling: Filling, argument: FunctionArgument, question: str, context: FillingContext
) -> Filling:
    """A filling with an argument that is an object: its properties are filled as arguments are. One
    that needs none of them may be empty, if the function needs it."""
    inner = fill(argument.properties, question, argument.description, context)
    if inner.missing or not (inner.arguments or argument.required):
        missing = (*filling.missing, argument) if argument.required else filling.missing
        return replace(filling, missing=missing)
    sure = max(inner.scores.values(), default=_ENOUGH)
    return replace(
        filling,
        arguments={**filling.arguments, argument.name: dict(inner.arguments)},
        scores={**filling.scores, argument.name: sure},
        used=(*filling.used, *inner.used),
    )


def is_question(argument: FunctionArgument) -> bool:
    """Whether an argument takes the question in words."""
    return argument.name.casefold() in QUESTIONS and argument.value_type == "string"


class _Filler:
    """Assigns the mentions of one question to the arguments of one function."""

    def __init__(
        self, arguments: Sequence[FunctionArgument], question: str, context: FillingContext
    ) -> None:
        self._arguments = arguments
        self._question = question
        labels = [frozenset(each.terms) for each in arguments]
        examples = [text for each in arguments for text in each.examples]
        self._mentions = [
            each for each in with_keys(question, mentions_of(question), examples)
            if each.kind not in ("name", "phrase")
            or not any(set(terms(each.text)) <= label for label in labels)
        ]  # fmt: skip
        self._values: dict[str, Any] = {}
        self._scores: dict[str, float] = {}
        self._used: list[tuple[int, int]] = []
        self._sources: dict[str, ValueMention] = {}
        self._kinds = context.kinds
        self._lenders = tuple(context.lenders.values())
        values = Counter(each.options for each in arguments if each.options)
        self._shared = {
            each.name for each in arguments
            if each.options and values[each.options] > 1 and not _is_switch(each)
        }  # fmt: skip

    def fill(self, today: str = "") -> Filling:
        self._from_periods(today)
        for argument in self._arguments:
            if argument.name in self._values:
                continue
            if argument.options and not _is_switch(argument):
                self._choose(argument)
            elif argument.type == "boolean" or _is_switch(argument):
                self._decide(argument)
            elif argument.examples and argument.value_type == "string" and self._recall(argument):
                continue
            elif is_question(argument):
                asked = self._question.strip()
                self._values[argument.name] = [asked] if argument.is_list else asked
                self._scores[argument.name] = 0.6
        self._assign()
        for argument in self._arguments:
            if argument.name not in self._values and argument.required:
                self._from_phrase(argument)
        missing = tuple(
            each for each in self._arguments if each.required and each.name not in self._values
        )
        others = self._further()
        order = [each.name for each in self._arguments if each.name in self._values]
        return Filling(
            {name: self._values[name] for name in order}, self._scores, missing, tuple(self._used),
            others,
        )  # fmt: skip

    def _from_periods(self, today: str) -> None:
        """The arguments that a period of time fills."""
        found, period = period_values(self._arguments, self._question, today)
        if period is not None:
            self._values.update(found)
            self._scores.update(dict.fromkeys(found, 1.3))
            self._used.append((period.start, period.end))

    def _further(self) -> dict[str, tuple[Any, ...]]:
        """The other values of the question that are alike to the one of an argument and that no
        argument took: `orders KT-1, KT-2 and KT-3`. The first of all becomes the argument's."""
        for name, first in self._sources.items():
            argument = next(each for each in self._arguments if each.name == name)
            alike = [
                each for each in self._mentions
                if each is first or (
                    not self._is_used(each)
                    and is_alike(each, first, self._question)
                    and fit(each, argument) > 0.0
                )
            ]  # fmt: skip
            if len(alike) > 1:
                values = tuple(dict.fromkeys(as_value(each, argument) for each in alike))
                self._values[name] = values[0]
                return {name: values[1:]}
        return {}

    def _choose(self, argument: FunctionArgument) -> None:
        """One of the values that are allowed, if the question names it."""
        names = {each.text for each in self._mentions if each.kind in ("name", "quoted", "code")}
        found: list[tuple[float, tuple[int, int], Any]] = []
        for option in argument.options:
            for score, place in options_said(str(option), self._question):
                if argument.name not in self._shared or not self._overlaps(place):
                    # The very name that the function lists: few others list it.
                    sure = score + (0.5 if str(option) in names else 0.0)
                    found.append((sure + self._role(place, argument), place, option))
        if not found:
            return
        found.sort(key=lambda each: (-each[0], each[1][0]))
        if argument.is_list:
            chosen = sorted(found, key=lambda each: each[1][0])
            self._values[argument.name] = list(dict.fromkeys(each[2] for each in chosen))
        else:
            self._values[argument.name] = found[0][2]
        self._scores[argument.name] = found[0][0]
        self._used.append(found[0][1])

    def _role(self, place: tuple[int, int], argument: FunctionArgument) -> float:
        """What the words around a value say of its side, among arguments with the same values."""
        if argument.name not in self._shared:
            return 0.0
        return context_fit(mention_at(self._question, *place), argument)

    def _overlaps(self, place: tuple[int, int]) -> bool:
        return any(a < place[1] and place[0] < b for a, b in self._used)

    def _recall(self, argument: FunctionArgument) -> bool:
        """A value that the description gives for instance, if the question names it as a word."""
        for word in argument.examples:
            if len(word) < 3 or re.search(r"[\d\\/%]", word):
                continue
            said = option_said(word, self._question)
            if said is None or said[0] < 1.0 or self._is_inside(word, said[1], argument):
                continue
            self._values[argument.name] = [word] if argument.is_list else word
            self._scores[argument.name] = 0.9
            self._used.append(said[1])
            if not argument.is_list:
                self._sources[argument.name] = mention_at(self._question, *said[1])
            return True
        return False

    def _is_inside(self, word: str, place: tuple[int, int], argument: FunctionArgument) -> bool:
        """Whether a word is part of a longer value of the question, or of an enumeration."""
        return any(
            each.overlaps(*place)
            and each.kind in ("quoted", "name")
            and (argument.is_list or each.text.casefold() != word.casefold())
            for each in self._mentions
        )

    def _decide(self, argument: FunctionArgument) -> None:
        """True for what the question asks to have with it, False for what it wants without."""
        words = [each for each in argument.terms if each not in _SWITCHING]
        if not words:
            return
        places = dict(term_places(self._question))
        if not all(each in places for each in words):
            return
        first = min(places[each] for each in words)
        value = not _NOT.search(self._question[:first])
        texts = {str(each).casefold(): each for each in argument.options}
        self._values[argument.name] = texts[str(value).casefold()] if texts else value
        self._scores[argument.name] = 0.7

    def _assign(self) -> None:
        """The best pairs of mention and argument first, each mention once."""
        open_ = [
            each for each in self._arguments
            if each.name not in self._values and not each.options and each.type != "boolean"
        ]  # fmt: skip
        pairs = [
            (score, -place, -mention.start, mention, argument)
            for place, argument in enumerate(open_)
            for mention in self._mentions
            if (score := self._score(mention, argument, open_)) > _ENOUGH
        ]
        pairs.sort(key=lambda each: each[:3], reverse=True)
        for score, _, _, mention, argument in pairs:
            if argument.name in self._values or self._is_used(mention):
                continue
            if argument.name.casefold() in SEARCHES and mention.kind not in (
                "quoted",
                "code",
            ):
                continue
            if mention.kind == "list":
                self._values[argument.name] = list_value(mention, argument)
                self._scores[argument.name] = score
                self._used.append((mention.start, mention.end))
                continue
            if argument.is_list:
                self._collect(argument, mention, score)
                continue
            self._take(argument, mention, score)

    def _score(
        self, mention: ValueMention, argument: FunctionArgument, others: Sequence[FunctionArgument]
    ) -> float:
        score = fit(mention, argument)
        if score <= 0.0 or self._is_of_another(mention, argument):
            return 0.0
        texts = ("name", "quoted", "code")
        if self._kinds is not None and (
            mention.kind in texts or (mention.kind == "number" and argument.value_type == "string")
        ):
            more = self._kinds.fit(mention.text, argument)
            if more is None:
                return 0.0
            score += more
        rivals = [each for each in self._mentions if each.kind == mention.kind]
        numeric = argument.value_type in ("integer", "number", "float")
        alike = [
            each
            for each in others
            if each.required and (each.value_type in ("integer", "number", "float")) == numeric
        ]
        rivals = [
            each
            for each in rivals
            if each is mention or not is_alike(each, mention, self._question)
        ]
        if mention.kind != "phrase" and argument.required and len(alike) == 1 and len(rivals) == 1:
            score += 0.3  # the only value of its kind, for the only argument that takes one
        elif mention.kind != "phrase" and argument.required and len(alike) >= len(rivals):
            score += 0.22
        elif argument.required:
            score += 0.1
        return score

    def _is_of_another(self, mention: ValueMention, argument: FunctionArgument) -> bool:
        """Whether an identifier has the very form of another argument's, of whatever function, and
        not of this one's."""
        if (
            mention.kind != "code"
            or argument.is_varied
            or has_form(mention.text, argument.examples)
        ):
            return False
        formed = any(re.search(r"\d", each) for each in argument.examples)
        others = (each for each in self._lenders if each.name != argument.name)
        return formed and any(has_form(mention.text, each.examples) for each in others)

    def _take(self, argument: FunctionArgument, mention: ValueMention, score: float) -> None:
        value, end = as_value(mention, argument), mention.end
        regional = mention.kind == "name" and _REGIONAL.search(argument.description)
        if regional and (region := _REGION.match(self._question[end:])):
            value, end = f"{value}, {region[1]}", end + region.end()
        self._values[argument.name] = value
        self._scores[argument.name] = score
        self._used.append((mention.start, end))
        keyed = mention.kind in ("code", "name", "quoted") and argument.value_type == "string"
        if keyed or (mention.kind == "number" and not mention.unit and self._is_key(argument)):
            self._sources.setdefault(argument.name, mention)

    def _is_key(self, argument: FunctionArgument) -> bool:
        """Whether a number is what a function looks a thing up by: its only needed argument."""
        needed = [each for each in self._arguments if each.required]
        return needed == [argument] and argument.value_type in ("integer", "string")

    def _collect(self, argument: FunctionArgument, first: ValueMention, score: float) -> None:
        """All mentions of one kind that stand in one enumeration with the first."""
        row = [
            each for each in self._mentions
            if each is first or (
                each.kind == "code" == first.kind and each.start < first.start
                and not self._is_used(each) and is_alike(each, first, self._question)
            )
        ]  # fmt: skip
        for mention in self._mentions:
            if mention.start < row[-1].end or mention.kind != first.kind or self._is_used(mention):
                continue
            if mention.kind == "code" and is_alike(mention, first, self._question):
                row.append(mention)
                continue
            between = self._question[row[-1].end : mention.start]
            if not re.fullmatch(r"\s*(?:,|and|or|&|,\s*and|,\s*or|;)\s*(?:the|a|an)?\s*", between):
                break
            row.append(mention)
        self._values[argument.name] = [as_value(each, argument) for each in row]
        self._scores[argument.name] = score
        self._used.extend((each.start, each.end) for each in row)

    def _is_used(self, mention: ValueMention) -> bool:
        return any(mention.overlaps(*each) for each in self._used)

    def _from_phrase(self, argument: FunctionArgument) -> None:
        """What a needed text is filled with that no value of the question fits: its words."""
        if argument.value_type != "string":
            return
        if argument.name.casefold() in SEARCHES:
            free = [each for each in self._mentions if not self._is_used(each)]
            text = " ".join(each.text for each in free if each.kind != "number") or self._question
            self._values[argument.name] = [text] if argument.is_list else text
            self._scores[argument.name] = 0.5
            return
        left = [each for each in self._arguments if each.required and each.name not in self._values]
        if left != [argument] or not set(argument.terms) & WORDED:
            return
        named = [
            each for each in self._mentions
            if each.kind in ("phrase", "name", "quoted")
            and not self._is_used(each)
            and set(each.before[:1]) & _LINKING
        ]  # fmt: skip
        if len(named) == 1:
            self._take(argument, named[0], 0.5)


def _is_switch(argument: FunctionArgument) -> bool:
    """Whether an argument's options are true and false, perhaps with one that leaves it open."""
    options = {str(each).casefold() for each in argument.options}
    return {"true", "false"} <= options and len(options) <= 3
