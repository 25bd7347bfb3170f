"""Which functions of a stack fit a question, by the words of their descriptions and arguments."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

from flows.analysis.functions.meanings import likeness
from flows.analysis.functions.mentions import mentions_of
from flows.analysis.functions.schema import arguments_of
from flows.analysis.functions.terms import (
    identifier_terms,
    is_content,
    term,
    term_set,
    terms,
    word_set,
)
from flows.analysis.language.lexicon import WEAK_VERBS
from flows.analysis.language.vocabulary import SUPERLATIVES
from flows.analysis.language.words import split_identifier
from flows.analysis.questions.concepts import form_of
from flows.core.function_description import FunctionDescription

# What a match in each text of a function is worth beside one in its name.
_HINT: Final = 1.0  # what a word is worth that only the question word hints at
_MOST_HINTS: Final = 12
_DOUBT: Final = 0.5  # one word that fits says less than three
_NAME, _TEXT, _RETURNS, _ARGUMENT, _DETAIL = 1.0, 0.85, 0.85, 0.75, 0.5
# Verbs that begin the names of functions and say nothing of what they are about.
READING: Final = term_set("""
    get list find search look lookup fetch read query show retrieve load check count describe
    calculate compute run by for of with all the detail info information data
""")
# Verbs of functions that change something: they are called only for who asks for that.
WRITING: Final = {
    term(verb): frozenset(term(each) for each in words.split())
    for verb, words in {
        "create": "create add make open new register place submit raise book order",
        "add": "add create register append put", "insert": "insert add",
        "delete": "delete remove drop erase cancel", "remove": "remove delete drop",
        "update": "update change set edit modify rename correct move",
        "set": "set change update turn switch", "change": "change update set edit",
        "edit": "edit change update", "modify": "modify change update",
        "send": "send mail email message notify text post", "post": "post send publish",
        "cancel": "cancel stop call", "book": "book reserve", "reserve": "reserve book",
        "pay": "pay settle", "transfer": "transfer move send wire", "order": "order buy purchase",
        "approve": "approve accept", "reject": "reject decline refuse", "close": "close end",
        "assign": "assign give", "notify": "notify tell inform send", "reset": "reset",
        "refund": "refund", "publish": "publish release", "archive": "archive",
        "put": "put set add", "patch": "patch change update", "write": "write save store",
        "start": "start begin launch run", "stop": "stop end halt", "upload": "upload",
        "rate": "rate review grade",
        "restart": "restart", "deactivate": "deactivate disable", "activate": "activate enable",
        "enable": "enable", "disable": "disable", "submit": "submit send", "schedule": "schedule",
    }.items()
}  # fmt: skip
_SUPERLATIVE: Final = re.compile(r"[a-z]{3,}iest|top|best|worst")
_LEAST_SUPERLATIVE: Final = 6
_UNRANKED: Final = 0.6  # what is left for a function of the greatest where nobody asks for it
# Words that rank or count, and name nothing.
_FIRST: Final = word_set("most least highest lowest largest smallest biggest top")
_RANKING: Final = _FIRST | word_set("many much more")
# Those that are verbs wherever they stand in a name, and as the first word of a description.
_PLAINLY_WRITING: Final = term_set("""
    create delete remove update insert modify cancel send edit approve reject submit
""")


@dataclass(frozen=True, slots=True)
class DescriptionTerms:
    """The terms of a function, with what a match of each is worth; `said` are those of its name
    and of its description."""

    worth: Mapping[str, float]
    name: tuple[str, ...]
    said: frozenset[str]


@dataclass(frozen=True, slots=True)
class FunctionFit:
    """A function and how well it fits, from 0 to 1. `words` are those of the question that it
    knows, `unknown` those that it does not; `known` tells of each how well, from 0 to 1."""

    function: FunctionDescription
    score: float
    words: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    known: Mapping[str, float] = field(default_factory=dict)


def text_of(function: FunctionDescription) -> DescriptionTerms:
    """The terms of all that a function says of itself."""
    return _text(function.model_dump_json())


@lru_cache(maxsize=2048)
def _text(dumped: str) -> DescriptionTerms:
    function = FunctionDescription.model_validate_json(dumped)
    worth: dict[str, float] = {}

    def add(found: Sequence[str], value: float) -> None:
        for each in found:
            worth[each] = max(worth.get(each, 0.0), value)

    name = identifier_terms(function.name)
    add(name, _NAME)
    add(terms(function.description), _TEXT)
    add(terms(function.returns), _RETURNS)
    add([each for path in function.fields for each in identifier_terms(path)], _RETURNS)
    if function.namespace != "default":
        add(identifier_terms(function.namespace), _ARGUMENT)
    for argument in arguments_of(function.parameters):
        add(argument.terms, _ARGUMENT)
        add(argument.described, _DETAIL)
        add([each for option in argument.options for each in terms(str(option))], _ARGUMENT)
    said = frozenset((*name, *terms(function.description)))
    plain = tuple(each for each in name if each not in READING) or name
    return DescriptionTerms(worth, plain, said)


def content_words(question: str) -> tuple[str, ...]:
    """The words of a question that say what it asks, without the values that it mentions."""
    values = [each for each in mentions_of(question) if each.kind not in ("phrase", "number")]
    found = [
        match.group()
        for match in re.finditer(r"[^\W_]+(?:['\u2019][a-z]+)?", question)
        if is_content(match.group().casefold().replace("\u2019", "'"))
        and not match.group().isdigit()
        and not any(each.overlaps(*match.span()) for each in values)
    ]
    found = [each for each in found if each.casefold() not in _RANKING]
    return tuple(dict.fromkeys(re.sub(r"['\u2019]s$", "", each.casefold()) for each in found))


def _known_names(question: str, functions: Sequence[FunctionDescription]) -> tuple[str, ...]:
    """The capitalised words of a question that functions speak of: `Celsius`, `BMI`."""
    named = [each.text for each in mentions_of(question) if each.kind == "name"]
    said = {each for function in functions for each in _text(function.model_dump_json()).said}
    found = (each.casefold() for name in named for each in re.findall(r"[^\W\d_]{3,}", name))
    return tuple(dict.fromkeys(each for each in found if term(each) in said))


def match_functions(
    question: str,
    functions: Sequence[FunctionDescription],
    ranks: Mapping[str, int] | None = None,
    hints: Sequence[str] = (),
) -> tuple[FunctionFit, ...]:
    """The functions, the best first. `ranks` are their places, from 0, in the index's answer to the
    question: its embedder knows words that these rules do not. `hints` are words that may stand for
    what the question word asks for; the best of them counts as one word."""
    words = (*content_words(question), *_known_names(question, functions))
    asked = tuple(each for each in (hints or ())[:_MOST_HINTS] if each not in words)
    texts = {each.name: text_of(each) for each in functions}
    weights = word_weights(words, functions)
    ranked = is_ranked(question)
    found = [
        _match(each, texts[each.name], weights, asked, (ranks or {}).get(each.name), ranked=ranked)
        for each in functions
    ]
    return tuple(sorted(found, key=lambda each: -each.score))


def word_weights(
    words: Sequence[str], functions: Sequence[FunctionDescription]
) -> dict[str, float]:
    """What each word of a question tells among these functions."""
    frequency = Counter(each for function in functions for each in text_of(function).worth)
    return {each: _weight(each, frequency, len(functions)) for each in words}


def _weight(word: str, frequency: Mapping[str, int], total: int) -> float:
    """What a word tells: little where many functions have it, or where it is a weak verb."""
    seen = frequency.get(term(word), 0)
    rare = math.log(1.0 + (total + 1.0) / (seen + 0.5))
    return rare * (0.4 if word in WEAK_VERBS else 1.0)


def is_ranked(question: str) -> bool:
    """Whether a question may ask for the first of an order."""
    return any(map(_is_ranking, re.findall("[a-z]+", question.casefold())))


def gives_first(name: str) -> bool:
    """Whether a function says by its name that it gives the first of an order."""
    return any(map(_is_superlative, split_identifier(name)))


def _is_ranking(word: str) -> bool:
    lowest = len(word) >= _LEAST_SUPERLATIVE and word.endswith("est")  # perhaps one: `fattest`
    return word in _FIRST or lowest or _is_superlative(word)


def _is_superlative(word: str) -> bool:
    low = word.casefold()
    return form_of(low) == 2 or low in SUPERLATIVES or _SUPERLATIVE.fullmatch(low) is not None


def _match(
    function: FunctionDescription,
    text: DescriptionTerms,
    weights: Mapping[str, float],
    hints: Sequence[str],
    rank: int | None,
    *,
    ranked: bool,
) -> FunctionFit:
    known: dict[str, float] = {}
    hit: dict[str, float] = {}
    for word in weights:
        best = 0.0
        for each, worth in text.worth.items():
            like = likeness(word, each)
            best = max(best, like * worth)
            if like and each in text.name:
                hit[each] = max(hit.get(each, 0.0), like)
        known[word] = best
    total = sum(weights.values())
    covered = sum(weights[each] * known[each] for each in weights)
    if hints:
        total += _HINT
        covered += _HINT * max(text.worth.get(term(each), 0.0) for each in hints)
    coverage = covered / (total + _DOUBT)
    named = sum(hit.get(each, 0.0) for each in text.name) / max(1, len(text.name))
    score = 0.6 * coverage + 0.25 * named + (0.15 / (1 + rank) if rank is not None else 0.0)
    if not ranked and gives_first(function.name):
        score *= _UNRANKED  # nobody asks for the busiest
    if not may_be_called(function, weights):
        score *= 0.3
    return FunctionFit(
        function, min(1.0, score),
        tuple(each for each, value in known.items() if value > 0.0),
        tuple(each for each, value in known.items() if value == 0.0),
        known,
    )  # fmt: skip


def may_be_called(
    function: FunctionDescription, words: Mapping[str, float] | Sequence[str]
) -> bool:
    """Whether a question asks for what a function does, where that changes something.

    The name of a function that is declared to be pure is not read as a verb of writing, unless it
    can be nothing else: `add_tax` works a sum out, `rate_card` is a list.
    """
    name = identifier_terms(function.name)
    first = identifier_terms(re.split(r"\W", function.description.strip(), maxsplit=1)[0] or "_")
    verbs = [each for each in name[:1] if each in WRITING and function.effect != "pure"]
    verbs += [each for each in (*name[1:], *first) if each in _PLAINLY_WRITING]
    return all(any(term(word) in WRITING[verb] for word in words) for verb in verbs)
