"""What to ask the index of functions for, where the stack does not answer a part of a question."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from flows.analysis.functions.choice import Option
from flows.analysis.functions.decision import CallResult, DecisionInputs
from flows.analysis.functions.fit import IDENTIFYING
from flows.analysis.functions.matching import content_words
from flows.analysis.functions.mentions import mentions_of
from flows.analysis.functions.parts import Part
from flows.analysis.functions.records import data_of, fields_of, lists_of
from flows.analysis.functions.terms import identifier_terms

# How well a function has to fit for others to be called or searched for what it lacks.
HELPED: Final = 0.25
_MOST_KEYS: Final = 2


def next_searches(
    part: Part, options: Sequence[Option], results: Sequence[CallResult], inputs: DecisionInputs
) -> tuple[tuple[str, ...], str]:
    """The questions of the next search for a part, and why; none where all were asked already."""
    asked = {each.question for each in inputs.searches}
    for questions, issue in _rounds(part, options, results):
        fresh = tuple(each for each in dict.fromkeys(questions) if each and each not in asked)
        if fresh:
            return fresh, issue
    return (), ""


def _rounds(
    part: Part, options: Sequence[Option], results: Sequence[CallResult]
) -> Iterator[tuple[list[str], str]]:
    """The questions of each round, the most promising first."""
    words = " ".join(content_words(part.text))
    yield [part.text, *_lookups(part)], ""
    keys = _keys_of(results)
    if keys:  # what was found leads further: the orders of a customer, by the customer's id
        yield [f"{words} by {key}" for key in keys], "What was found is not all."
    for option in options[:2]:
        if option.filling.missing and option.match.score >= HELPED:
            argument = option.filling.missing[0]
            about = option.function.description.split(". ")[0].strip(" .")
            name = " ".join(argument.name.replace("_", " ").split())
            yield (
                [f"find {name} by name: {argument.description}", f"find by name: {about}"],
                f"{option.function.name} needs {argument.name}.",
            )
    yield [words], "What was found does not answer it."


def _lookups(part: Part) -> list[str]:
    """A question for the functions that find a named thing: a name does not say what it names."""
    kinds = {each.kind for each in mentions_of(part.text)}
    if not kinds & {"name", "quoted"} or "code" in kinds:
        return []
    return [f"find {' '.join(content_words(part.text))} by name", "look up by name"]


def is_lookup(option: Option) -> bool:
    """Whether a function finds something by its name."""
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
