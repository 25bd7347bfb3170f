"""What the names of a semantic model are called in a text, and which of them need quotes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Generic, Literal, NamedTuple, TypeVar
from weakref import ref

from flows.analysis.language import phrasebook
from flows.analysis.language.phrasebook import Phrases, words_of
from flows.analysis.language.words import singular
from flows.analysis.parser.tokens import tokenize
from flows.semantics.model import Dataset, Relationship, SemanticField, SemanticModel

Words = tuple[str, ...]
Value = TypeVar("Value")

_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_PLAIN = re.compile(r"\w+(?: \w+)*")
_IDENTIFIER = re.compile(r"[^\W\d]\w*")
# Words of the grammar that are in no table of phrases.
_KEYWORDS = (
    *("of", "their", "its", "through", "then", "back", "is", "are", "was", "were", "be", "has"),
    *("have", "there", "and", "or", "not", "true", "false", "no value", "infinity", "with"),
    *("without", "rows", "row", "records", "values", "different", "result of", "overall"),
    *("metric", "figures", "as", "in steps of", "one of", "between", "within", "along"),
    *(
        "percentile",
        "after",
        "today",
        "yesterday",
        "tomorrow",
        "to date",
        "each",
        "all",
        "several",
        "no",
    ),
    *("describe", "tables", "profile", "columns", "definition", "dataset", "field", "fields of"),
    *("meaning of", "what", "prepare", "analysis", "using", "nothing", "on", "for", "at"),
    *("up to", "percent", "who", "that", "which", "derive", "keep", "encode", "fill", "split"),
)


class Meant(NamedTuple):
    """What a name may stand for. `rank` is 0 for its own name, more for other words for it."""

    kind: Literal["field", "metric"]
    dataset: str
    name: str
    rank: int


class WordIndex(Generic[Value]):
    """Values by the words that call them; the longest words at a place are found."""

    def __init__(self) -> None:
        self._values: dict[Words, list[Value]] = {}
        self._lengths: dict[str, list[int]] = {}

    def add(self, words: Words, value: Value) -> None:
        """One more value that these words may mean."""
        if not words:
            return
        self._values.setdefault(words, []).append(value)
        lengths = self._lengths.setdefault(words[0], [])
        if len(words) not in lengths:
            lengths.append(len(words))
            lengths.sort(reverse=True)

    def match(self, words: Sequence[str], at: int) -> tuple[list[Value], int] | None:
        """What the longest known words at a place may mean, and the place behind them."""
        for length in self._lengths.get(words[at], ()) if at < len(words) else ():
            found = self._values.get(tuple(words[at : at + length]))
            if found is not None and at + length <= len(words):
                return found, at + length
        return None

    def longer(self, words: Words) -> Iterator[str]:
        """The words that may come next in longer keys that begin with these."""
        for length in self._lengths.get(words[0], ()):
            if length > len(words):
                for each in self._values:
                    if len(each) == length and each[: len(words)] == words:
                        yield each[len(words)]


class ModelNames:
    """The names of one model, by the words that call them."""

    def __init__(self, model: SemanticModel) -> None:
        self.model = model
        self.fields: WordIndex[Meant] = WordIndex()
        self.datasets: WordIndex[tuple[str, int]] = WordIndex()
        self.relationships: WordIndex[tuple[str, int]] = WordIndex()
        self.by_name = {each.name: each for each in model.datasets}
        self.metrics = {each.name for each in model.metrics}
        self.owners: dict[str, list[str]] = {}
        for dataset in model.datasets:
            self._add_dataset(dataset)
        for metric in model.metrics:
            for words, rank in _ways(metric.name, metric.words):
                self.fields.add(words, Meant("metric", "", metric.name, rank))
        for relationship in model.relationships:
            self._add_relationship(relationship)

    def _add_dataset(self, dataset: Dataset) -> None:
        own = (dataset.noun, dataset.plural, *dataset.words)
        for words, rank in _ways(dataset.name, own):
            self.datasets.add(words, (dataset.name, rank))
        for field in dataset.fields:
            self.owners.setdefault(field.name, []).append(dataset.name)
            for words, rank in _ways(field.name, field.words):
                self.fields.add(words, Meant("field", dataset.name, field.name, rank))
            noun = plain_words(dataset.noun)
            name = plain_words(field.name)
            if noun and name and name[: len(noun)] != noun:
                self.fields.add((*noun, *name), Meant("field", dataset.name, field.name, 2))

    def _add_relationship(self, relationship: Relationship) -> None:
        for words, rank in _ways(relationship.name, (relationship.role,)):
            self.relationships.add(words, (relationship.name, rank))

    def field(self, dataset: str | None, name: str) -> SemanticField | None:
        """A field by its exact names; None where there is no such."""
        owner = self.by_name.get(dataset or "")
        return owner.find(name) if owner else None

    def is_free(self, words: Words, keys: WordIndex[Value]) -> bool:
        """Whether these words are read as one name, whatever follows, and never as a phrase."""
        if (
            words[0] in _BEHIND
            or _is_end(words)
            or any(_overlaps(words, each) for each in _by_first(words[0]))
        ):
            return False
        return not any(each in BEGINNINGS for each in keys.longer(words))


def names_of(model: SemanticModel) -> ModelNames:
    """The names of a model; made once for each model that is in use."""
    for known, names in _KNOWN:
        if known() is model:
            return names
    names = ModelNames(model)
    _KNOWN[:] = [*[each for each in _KNOWN if each[0]() is not None][-7:], (ref(model), names)]
    return names


_KNOWN: list[tuple[ref[SemanticModel], ModelNames]] = []


def plain_words(name: str) -> Words:
    """The words of an identifier as a person says them; none where it has other signs."""
    text = _CAMEL.sub(" ", name).replace("_", " ").strip() if not name.isupper() else name
    text = " ".join(text.replace("_", " ").split())
    if not _PLAIN.fullmatch(text):
        return ()
    tokens = tokenize(text)
    usual = all(each.kind in ("word", "number", "ordinal") for each in tokens)
    if not tokens or tokens[0].kind != "word" or not usual:
        return ()
    return tuple(each.text for each in tokens)


def _ways(name: str, others: Iterable[str]) -> Iterator[tuple[Words, int]]:
    """The words that call a name, each with their rank, none twice."""
    seen: set[Words] = {()}
    whole = (name.casefold(),) if _IDENTIFIER.fullmatch(name) else ()
    called: list[tuple[Words, int]] = [(plain_words(name), 0), (whole, 0)]
    called += [(plain_words(other), 1) for other in others]
    for words, rank in called:
        for way in (words, *_numbers(words)):
            if way not in seen:
                seen.add(way)
                yield way, rank if way == words else rank + 1


def _numbers(words: Words) -> Iterator[Words]:
    """The words with the last of them in the plural and in the singular."""
    if words and words[-1].isalpha():
        last = words[-1]
        yield (*words[:-1], singular(last))
        if not last.endswith("s"):
            many = f"{last[:-1]}ies" if last.endswith("y") and last[-2:-1] not in "aeiou" else ""
            es = last.endswith(("x", "z", "ch", "sh"))
            yield (*words[:-1], many or (f"{last}es" if es else f"{last}s"))


_TABLES: tuple[Phrases[object], ...] = tuple(
    each
    for each in vars(phrasebook).values()
    if isinstance(each, Phrases) and each not in (phrasebook.ENDS, phrasebook.GRAINS)
)
_PHRASES: frozenset[Words] = frozenset(
    {words for table in _TABLES for words in table.phrases()}
    | {words_of(each) for each in _KEYWORDS}
    | {(*words, "of") for words in phrasebook.GRAINS.phrases()}
)
# The first words of all phrases.
BEGINNINGS = frozenset(words[0] for words in _PHRASES)
# Words that make a phrase longer, such as `different` behind `number of`.
_BEHIND = frozenset(
    words[length]
    for words in _PHRASES
    for length in range(len(words))
    if words[:length] in _PHRASES
)


@lru_cache(maxsize=1024)
def _by_first(word: str) -> tuple[Words, ...]:
    return tuple(each for each in _PHRASES if each[0] == word)


def _is_end(words: Words) -> bool:
    """Whether a name is written like `top 5`."""
    return len(words) > 1 and words[1][0].isdigit() and (words[0],) in phrasebook.ENDS.phrases()


def _overlaps(words: Words, phrase: Words) -> bool:
    """Whether a name begins with a phrase, or a phrase with a name and then goes on."""
    if words[: len(phrase)] == phrase:
        return True
    return phrase[: len(words)] == words and phrase[len(words)] in BEGINNINGS
