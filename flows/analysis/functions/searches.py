"""What to ask the index of functions for, where the stack does not answer a part of a question."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from flows.analysis.functions.choice import TEXTS, CallOption
from flows.analysis.functions.decision import CallResult, DecisionInputs
from flows.analysis.functions.fit import IDENTIFYING
from flows.analysis.functions.given import given_kinds
from flows.analysis.functions.hints import hints_of
from flows.analysis.functions.hops import link_score
from flows.analysis.functions.matching import content_words, text_of
from flows.analysis.functions.meanings import likeness
from flows.analysis.functions.mentions import mentions_of
from flows.analysis.functions.parts import QuestionPart
from flows.analysis.functions.records import Scalar, data_of, fields_of, lists_of
from flows.analysis.functions.schema import arguments_of
from flows.analysis.functions.terms import identifier_terms
from flows.analysis.functions.wording import is_dated
from flows.analysis.questions.concepts import meanings_of

# How well a function has to fit for others to be called or searched for what it lacks.
HELPED: Final = 0.25
_MOST_KEYS: Final = 2
_MOST_MEANINGS: Final = 3
_MOST_LEADS: Final = 2
_LONGEST_KEY: Final = 4
_LINK: Final = 0.5
_KEY_FIGURES: Final = 3
# The class of the functions that look entities up by their keys.
ENTITY: Final = "entity"
_MOST_HINTS: Final = 4
_UNANSWERED: Final = "What was found does not answer it."


@dataclass(frozen=True, slots=True)
class Search:
    """Questions to the index of functions, and why they are asked."""

    questions: tuple[str, ...]
    issue: str = ""
    function_class: str = "Any"


NO_SEARCH: Final = Search(())


def next_searches(
    part: QuestionPart,
    options: Sequence[CallOption],
    results: Sequence[CallResult],
    inputs: DecisionInputs,
) -> Search:
    """The next search for a part; one without questions where all were made already."""
    asked = {each.question for each in inputs.searches}
    for search in _rounds(part, options, results):
        fresh = tuple(e for e in dict.fromkeys(search.questions) if e and e not in asked)
        if fresh:
            return replace(search, questions=fresh)
    return NO_SEARCH


def _rounds(
    part: QuestionPart, options: Sequence[CallOption], results: Sequence[CallResult]
) -> Iterator[Search]:
    """The searches for a part, the most promising first."""
    words = content_words(part.text)
    yield Search((part.text, *_worded(part, words), *_lookups(part)))
    called = {each.name for each in results}
    if _has_code(part) and not any(e.is_formed and e.function.name not in called for e in options):
        keyed = (by_key(part.text), by_reference(part.text))
        yield Search(keyed, "No function takes such a key.", ENTITY)
    found = [each for each in results if each.kind == "ok"]
    known = {e.function.name for e in options if e.function.function_class == ENTITY}
    if _names(part) and not any(each.name in known for each in found):
        yield Search((by_key(part.text),), "What it names is not known.", ENTITY)
    keys = _keys_of(found)
    if keys:  # what was found leads further: the orders of a customer, by the customer's id
        yield Search(tuple(f"{' '.join(words)} by {key}" for key in keys), "There is more to find.")
    leads = _leads_of(part, options, found)
    for place in range(0, len(leads), _MOST_LEADS):
        asked = leads[place : place + _MOST_LEADS]
        said = " ".join(words)
        leading = tuple(f"{by_lead(each)}: {said}" for each in asked)
        yield Search(leading, "What was found may lead on.")
    for option in options[:2]:
        if option.filling.missing and option.match.score >= HELPED:
            argument = option.filling.missing[0]
            about = option.function.description.split(". ")[0].strip(" .")
            name = " ".join(argument.name.replace("_", " ").split())
            yield Search(
                (f"find {name} by name: {argument.description}", f"find by name: {about}"),
                f"{option.function.name} needs {argument.name}.",
            )
    yield Search((f"search texts about {' '.join(words)}",), _UNANSWERED, TEXTS)
    yield Search((f"search texts about {' '.join(words)}",), _UNANSWERED)


def _worded(part: QuestionPart, words: Sequence[str]) -> tuple[str, ...]:
    """The question in other words, and in words for the kinds of what it gives and asks for."""
    others = [other for word in words for other in (word, *meanings_of(word)[:_MOST_MEANINGS])]
    asked = hints_of(part.text.casefold()).words[:_MOST_HINTS]
    given = given_kinds(part.text)
    found = [" ".join(dict.fromkeys(others)), " ".join(dict.fromkeys((*given, *asked)))]
    return tuple(each for each in found if each)


def _has_code(part: QuestionPart) -> bool:
    return any(each.kind == "code" for each in mentions_of(part.text))


def by_lead(name: str) -> str:
    """The question for functions that take a field of a result."""
    return f"One {name}, by its name, number, code or id"


def _leads_of(
    part: QuestionPart, options: Sequence[CallOption], results: Sequence[CallResult]
) -> list[str]:
    """The fields of results, in words, that may be keys of other things: those first that the
    question names or that no function of the stack takes."""
    takers = [
        (argument, text_of(each.function).name)
        for each in options
        for argument in arguments_of(each.function.parameters)
    ]
    given = {str(value).casefold() for each in results for value in each.arguments.values()}
    found: list[tuple[bool, str]] = []
    for result in results:
        for field in fields_of(data_of(result)):
            if not _may_be_key(field.value) or str(field.value).casefold() in given:
                continue
            taken = any(link_score(each, about, field.terms) > _LINK for each, about in takers)
            words = content_words(part.text)
            named = any(likeness(word, each) for word in words for each in field.terms)
            name = " ".join(re.sub(r"[_/@-]+", " ", field.key).split())
            found.append((taken and not named, name))
    return list(dict.fromkeys(name for _, name in sorted(found, key=lambda each: each[0])))


def _may_be_key(value: Scalar) -> bool:
    """Whether a value may name a thing: a short text that is no date."""
    return (
        isinstance(value, str)
        and 0 < len(value.split()) <= _LONGEST_KEY
        and not is_dated(value)
        and not value.islower()
    )


def by_key(text: str) -> str:
    """The question for functions that look up what a text names."""
    return f"{text} (by its name, surname, number, code, key or id)"


def by_reference(text: str) -> str:
    """The same in the other words for what identifies a thing."""
    return f"{text} (by its reference, serial, symbol, login, email, initials or slug)"


def _names(part: QuestionPart) -> bool:
    """Whether a part names a thing, be it by a bare number of several figures."""
    return any(
        each.kind in ("name", "quoted", "code")
        or (each.kind == "number" and each.text.isdigit() and len(each.text) >= _KEY_FIGURES)
        for each in mentions_of(part.text)
    )


def _lookups(part: QuestionPart) -> list[str]:
    """A question for the functions that find a named thing: a name does not say what it names."""
    kinds = {each.kind for each in mentions_of(part.text)}
    if not kinds & {"name", "quoted"} or "code" in kinds:
        return []
    return [f"find {' '.join(content_words(part.text))} by name", "look up by name"]


def is_lookup(option: CallOption) -> bool:
    """Whether a function finds something by its name or key."""
    if option.function.function_class == ENTITY:
        return not option.filling.missing and bool(option.filling.used)
    filled = [each for name in option.filling.arguments for each in identifier_terms(name)]
    return not option.filling.missing and bool(option.filling.used) and "name" in filled


def _keys_of(results: Sequence[CallResult]) -> list[str]:
    """The keys of results that identify something, in words: `customer id`."""
    found: list[str] = []
    for result in results:
        if result.kind != "ok":
            continue
        data = data_of(result)
        names = [each.key for each in fields_of(data)]
        names += [key for records in lists_of(data) for key in records.keys]
        for name in names:
            parts = identifier_terms(name.rsplit("/", 1)[-1])
            if len(parts) > 1 and parts[-1] in IDENTIFYING:
                found.append(name.replace("_", " ").replace("/", " "))
    return list(dict.fromkeys(found))[:_MOST_KEYS]
