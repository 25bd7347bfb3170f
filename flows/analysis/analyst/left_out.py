"""What is left of the confidence in an answer that leaves words of the question out."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

from flows.analysis.analyst.preference import answers
from flows.analysis.analyst.refusal import refuse
from flows.analysis.language.lexicon import FUNCTION_WORDS, WEAK_NOUNS, WEAK_VERBS
from flows.analysis.language.verbs import is_verb
from flows.analysis.questions.phrases.skips import says_nothing
from flows.semantics.model import SemanticModel

# Nothing that leaves a word of content out is surer: it may answer another question.
UNSURE: Final = 0.65
# A word behind these is no verb.
_BEFORE_NOUN: Final = frozenset(
    ["for", "of", "on", "in", "with", "by", "from", "at", "during", "a", "an"]
)
# What is said of a thing stands behind these: `were returned`.
_BEFORE_STATE: Final = frozenset(["was", "were", "is", "are", "been", "being", "got"])
_COUNTED: Final = r"\b(?:how many|number of) (?:the )?"
_DATASET: Final = re.compile(r'"dataset": "([^"]+)"')
_COMPOUND: Final = re.compile(r"\b[^\W\d_]{2,}(?:-[^\W\d_]{2,})+\b")
_NOT_USED: Final = "not used"
_SAYING_SO: Final = ("not_understood", "taken_for_rows", "constraint")


def with_doubt(
    question: str, made: dict[str, Any], names: Mapping[str, str] = MappingProxyType({})
) -> dict[str, Any]:
    """A proposal that is not sure of what it answers where nothing of it stands for a word of the
    question, and that says so; a refusal where the word is among the `names` of another table."""
    if made["parts"]:
        parts = [with_doubt(question, each, names) for each in made["parts"]]
        least = min(float(each["confidence"]) for each in parts)
        return {**made, "parts": parts, "confidence": min(made["confidence"], least)}
    if not answers(made) or not (left := left_out(question, made, names)):
        return made
    sure = min(float(made["confidence"]), UNSURE)
    asked = set(_DATASET.findall(json.dumps(made["request"])))
    counted = [word for word in left if re.search(_COUNTED + re.escape(word), question, re.I)]
    if others := [word for word in counted if names.get(word.casefold(), "") not in {"", *asked}]:
        # The rows of another table are to be counted, and not of this one.
        named = ", ".join(map(repr, others))
        text = f"Nothing ties {named} to the rest; understood: {made['explanation']}."
        return refuse(text, made["explanation"]) | {"words": made["words"]}
    warnings = [*made["warnings"], *_said(made["warnings"], left)]
    return {**made, "confidence": sure, "warnings": warnings}


def called(model: SemanticModel) -> dict[str, str]:
    """What tables and their rows are called, with the name of the dataset."""
    return {
        name.casefold(): each.name
        for each in model.datasets
        for name in (each.name, each.noun, each.plural)
    }


def left_out(
    question: str, made: Mapping[str, Any], names: Mapping[str, str] = MappingProxyType({})
) -> list[str]:
    """The words of content of a question that nothing of a proposal stands for."""
    return list(_left_out(question, made["words"] or (), names))


def left_out_of(made: Mapping[str, Any]) -> str:
    """What a proposal, or a part of it, says that it leaves out."""
    said = [each["text"] for each in made["warnings"] if each["code"] == "not_understood"]
    return " ".join(dict.fromkeys([*said, *filter(None, map(left_out_of, made["parts"] or ()))]))


def _said(warnings: Sequence[Mapping[str, str]], left: Sequence[str]) -> Iterator[dict[str, str]]:
    """That words are left out, where no other warning names them."""
    told = " ".join(each["text"] for each in warnings if each["code"] in _SAYING_SO)
    if unsaid := [repr(word) for word in left if repr(word) not in told]:
        text = f"Not understood and left out: {', '.join(unsaid)}."
        yield {"code": "not_understood", "text": text}


def _left_out(
    question: str, words: Sequence[Mapping[str, Any]], names: Mapping[str, str]
) -> Iterator[str]:
    """The words of content that nothing stands for. A verb says little beside the words that it
    ties together, unless it describes what follows, says what became of a thing or is a noun:
    `returned parcels`, `were returned`, `on travel`, the `orders` that are a table. Words with a
    hyphen are one, and say more than each of them: `full-time`.
    """
    joined = {at for start, end in _compounds(question) for at in range(start, end)}
    for place, each in enumerate(words):
        if each["reading"] == _NOT_USED and each["start"] in joined:
            yield str(each["text"])
            continue
        word = str(each["text"]).casefold()
        if each["reading"] != _NOT_USED or _is_empty(word):
            continue
        before = question[: each["start"]].casefold().split()[-1:]
        behind = words[place + 1] if place + 1 < len(words) else None
        says = behind is not None and behind["score"] > 0 and behind["start"] == each["end"] + 1
        describes = word.endswith(("ed", "ing", "en")) and says
        is_noun = before != [] and before[0] in _BEFORE_NOUN and not word.endswith("ing")
        is_state = word.endswith(("ed", "en")) and before != [] and before[0] in _BEFORE_STATE
        if describes or is_noun or is_state or word in names or not is_verb(word):
            yield str(each["text"])


def _compounds(question: str) -> Iterator[tuple[int, int]]:
    """Where words stand that a hyphen ties to another: none of numbers, as in `2-year`."""
    for found in _COMPOUND.finditer(question):
        yield found.span()


def _is_empty(word: str) -> bool:
    if word == "may":
        return False  # as a verb it is used
    return word in FUNCTION_WORDS | WEAK_NOUNS | WEAK_VERBS or says_nothing(word)
