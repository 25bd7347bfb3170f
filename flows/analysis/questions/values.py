"""The values of the data by how they are written in questions."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Final

from flows.analysis.language.lexicon import FUNCTION_WORDS, OPERATION_WORDS
from flows.analysis.language.phrasebook import ARTICLES
from flows.analysis.language.spelling import is_common
from flows.analysis.language.vocabulary import OTHER_NAMES, PEOPLE
from flows.analysis.language.words import Token, near, root, singular, split_identifier
from flows.analysis.questions.concepts import word_table
from flows.data.tables import Column, Table
from flows.semantics.model import Dataset, Fold, SemanticField, SemanticModel
from flows.semantics.query import FieldRef
from flows.semantics.translation import english_name

TYPO: Final = 0.12
# What it costs that a plain word is the name of one of many things: a song called `Money`.
RARE: Final = 0.8
_MANY: Final = 60
_WORDS: Final = 4  # so many words at most has a value of which one may be written wrong
_COMMANDS = frozenset(["display", "show", "list", "print", "find"])
# Words for a direction, then how data write it.
_DIRECTIONS = word_table("""
    inbound incoming inflow receipts inwards: in inbound incoming inflow receipt receive
    received: in inbound incoming receipt receive
    issued withdrawn: out outbound outgoing issue
    outbound outgoing outflow issues outwards: out outbound outgoing outflow issue
    incomings: in
    outgoings: out
""")
_NOBODY = frozenset(["nobody", "nothing", "none", "never", "anybody", "anything", "everyone"])


class ValueIndex:
    """The texts that stand in the data. Each find has the field, the value, and what it costs to
    believe it (0: nothing)."""

    def __init__(self, model: SemanticModel, tables: Sequence[Table]) -> None:
        self.model = model
        self._columns = {
            (table.name, column.name): column for table in tables for column in table.columns
        }

    @cached_property
    def _nouns(self) -> frozenset[str]:
        """What rows are called."""
        return frozenset(each for d in self.model.datasets for each in (d.noun, d.plural, *d.words))

    def column(self, table: str, name: str) -> Column | None:
        """A column by its table and its name."""
        return self._columns.get((table, name))

    @cached_property
    def _counts(self) -> Counter[FieldRef]:
        """How many different values a field has."""
        return Counter(of for pairs in self._by_text.values() for of, _ in pairs)

    @cached_property
    def _by_text(self) -> dict[str, tuple[tuple[FieldRef, str], ...]]:
        """The values of texts by how they are written, in small letters."""
        found: dict[str, list[tuple[FieldRef, str]]] = defaultdict(list)
        for dataset in self.model.datasets:
            totals = dict(dataset.totals)
            for field in dataset.fields:
                if field.type not in ("text", "boolean") or field.expression is not None:
                    continue
                of = FieldRef(dataset=dataset.name, field=field.name)
                for written, value in self._values_of(dataset, field):
                    if value not in totals.get(field.name, ()):
                        found[written.casefold()].append((of, value))
                        first, _, rest = written.casefold().partition(" ")
                        if first in ARTICLES and len(rest) > 4:
                            found[rest].append((of, value))  # questions are read without
                        english = " ".join(english_name(written))
                        if english and english not in self._nouns:
                            found[english].append((of, value))
                            found[english.replace(" ", "-")].append((of, value))
        return {key: tuple(dict.fromkeys(pairs)) for key, pairs in found.items()}

    def distinct(self, dataset: Dataset, field: SemanticField) -> int:
        """How many different values a field has; 0 where nobody counted them."""
        column = self._columns.get((dataset.table, field.column))
        return 0 if column is None else column.distinct

    def _values_of(self, dataset: Dataset, field: SemanticField) -> Iterator[tuple[str, str]]:
        for each in field.values:
            yield each, each
        folds = {
            raw: meant for c in field.cleaning if isinstance(c, Fold) for raw, meant in c.names
        }
        column = self._columns.get((dataset.table, field.column))
        for each in column.values if column is not None else ():
            yield each, folds.get(each, each.strip() if folds else each)

    @cached_property
    def words(self) -> frozenset[str]:
        """The words that values are made of."""
        return frozenset(part for each in self._by_text for part in each.split())

    def _is_name(self, low: str) -> bool:
        return low in self._by_text or any(o in self._by_text for o in OTHER_NAMES.get(low, ()))

    @cached_property
    def _value_starts(self) -> frozenset[str]:
        return frozenset(each.split(" ", 1)[0][:3] for each in self._by_text)

    @cached_property
    def _value_words(self) -> dict[str, tuple[tuple[FieldRef, str], ...]]:
        """Words inside of values, with the fields and values in which they stand."""
        found: dict[str, list[tuple[FieldRef, str]]] = defaultdict(list)
        for written, pairs in self._by_text.items():
            for word in (
                set(written.replace("-", " ").split()) if " " in written or "-" in written else ()
            ):
                if len(word) > 2:
                    found[word] += pairs
        return {key: tuple(pairs) for key, pairs in found.items()}

    def ways(self, way: str) -> list[tuple[FieldRef, str, float]]:
        """The values for the way in or out: of movements that are called `IN` and `OUT`."""
        one = {"in": "inbound", "out": "outbound"}[way]
        return [(*p, 0.1) for each in _DIRECTIONS[one] for p in self._by_text.get(each, ())]

    def plain(self, word: str) -> list[tuple[FieldRef, str, float]]:
        """The values that a word is which usually says something else: `late`, `display`."""
        if len(word) < 4 or word not in OPERATION_WORDS | _COMMANDS:
            return []
        return [(*pair, 0.15) for pair in self._by_text.get(word, ())]

    def find(self, text: str, tokens: Sequence[Token]) -> list[tuple[FieldRef, str, float]]:
        """The values that a text of a question is, with what it costs to believe it."""
        low = text.casefold()
        if low.split(" ", 1)[0][:3] not in self._value_starts and len(tokens) > 1:
            return []
        only = tokens[0] if len(tokens) == 1 else None
        capital = tokens[0].text[:1].isupper() and (
            tokens[0].start > 0 or tokens[0].text.isupper() or not is_common(tokens[0].lower)
        )
        if only is not None and _is_usual(only) and not (capital and self._is_name(low)):
            return []
        common = only is not None and not capital
        found = [
            (of, value, RARE if common and self._counts[of] > _MANY else 0.0 if capital else 0.05)
            for of, value in self._by_text.get(low, ())
        ]
        if not found and tokens[-1].kind == "word":
            one = low[: len(low) - len(tokens[-1].lower)] + singular(tokens[-1].lower)
            plural = self._by_text.get(one, ()) or self._by_text.get(low + "s", ())
            found = [
                (of, value, RARE if common and self._counts[of] > _MANY else 0.1)
                for of, value in plural
            ]
        if not found and only is not None:
            found = list(self._other_value(only))
        if not found and (only is None or capital) and len(_squeezed(low)) > 5:
            whole = [(*pair, 0.03) for pair in self._wholes.get(_squeezed(low), ())]
            found = whole or [(*pair, 0.1) for pair in self._starts.get(_squeezed(low), ())]
        return found or list(self._nearly(low.split()))

    def _nearly(self, words: Sequence[str]) -> Iterator[tuple[FieldRef, str, float]]:
        """The values of several words of which one is a letter away."""
        for place, word in enumerate(words if 1 < len(words) <= _WORDS else ()):
            for other, pairs in self._gaps.get((place, *words[:place], *words[place + 1 :]), ()):
                if len(word) > 4 and word[0] == other[0] and near(word, other):
                    yield from ((*pair, TYPO) for pair in pairs)

    @cached_property
    def _gaps(
        self,
    ) -> dict[tuple[int | str, ...], list[tuple[str, tuple[tuple[FieldRef, str], ...]]]]:
        """The values of a few words by the place of one of these and the others, with that one."""
        found: dict[tuple[int | str, ...], list[tuple[str, tuple[tuple[FieldRef, str], ...]]]] = (
            defaultdict(list)
        )
        for written, pairs in self._by_text.items():
            words = written.split()
            for place, word in enumerate(words if 1 < len(words) <= _WORDS else ()):
                found[place, *words[:place], *words[place + 1 :]].append((word, pairs))
        return found

    @cached_property
    def _wholes(self) -> dict[str, tuple[tuple[FieldRef, str], ...]]:
        """The values of several words by their letters: `LaGuardia` for `La Guardia`."""
        found: dict[str, list[tuple[FieldRef, str]]] = defaultdict(list)
        for written, pairs in self._by_text.items():
            if not written.isalpha():
                found[_squeezed(written)] += pairs
        return {key: tuple(dict.fromkeys(pairs)) for key, pairs in found.items()}

    @cached_property
    def _starts(self) -> dict[str, tuple[tuple[FieldRef, str], ...]]:
        """The values by the letters of their first words, two or more of them, where no other
        value begins with these."""
        found: dict[str, dict[tuple[FieldRef, str], None]] = defaultdict(dict)
        for written, pairs in self._by_text.items():
            words = written.split()
            for size in range(2, len(words)):
                found[_squeezed("".join(words[:size]))].update(dict.fromkeys(pairs))
        return {key: tuple(pairs) for key, pairs in found.items() if len(pairs) == 1}

    def _other_value(self, token: Token) -> Iterator[tuple[FieldRef, str, float]]:
        word = token.lower
        for name in OTHER_NAMES.get(word, ()) if token.text[:1].isupper() else ():
            yield from ((*pair, 0.02) for pair in self._by_text.get(name, ()))
        for meant in _DIRECTIONS.get(word, ()):
            yield from ((*pair, 0.08) for pair in self._by_text.get(meant, ()))
        for meant in PEOPLE.get(word, ()):
            for of, value in self._by_text.get(meant, ()):
                named = (*split_identifier(of.field), *english_name(of.field))
                if "sex" in named or "gender" in named:
                    yield of, value, 0.05

    def containing(self, word: str) -> list[tuple[FieldRef, str, float]]:
        """The fields in whose values a word stands as one of several words: `chairs`."""
        if is_common(word) or word in _NOBODY or len(word) < 3:
            return []
        for each in dict.fromkeys((word, singular(word))):
            pairs = self._value_words.get(each)
            if pairs:
                fields = {of: sum(1 for f, _ in pairs if f == of) for of, _ in pairs}
                return [(of, each, 0.3) for of in sorted(fields, key=lambda f: -fields[f])]
        return []

    def beginning(self, of: FieldRef, value: str) -> tuple[str, ...]:
        """The values of a category that begin with one of them: `Airbus Industrie` is `Airbus`
        too."""
        if self._counts[of] > _MANY:
            return ()
        first = value.casefold() + " "
        return tuple(
            one
            for key, pairs in self._by_text.items()
            if key.startswith(first)
            for field, one in pairs
            if field == of and one != value
        )

    def begins(self, of: FieldRef, word: str) -> bool:
        """Whether a word is the first of all values of a field in which it stands."""
        found = [one for field, one in self._value_words.get(word, ()) if field == of]
        return all(each.casefold().startswith(word + " ") for each in found)

    @cached_property
    def _by_root(self) -> dict[str, tuple[tuple[FieldRef, str], ...]]:
        """The values of one word in columns of few values, by the roots of their words."""
        found: dict[str, list[tuple[FieldRef, str]]] = defaultdict(list)
        for written, pairs in self._by_text.items():
            if written.isalpha():
                found[root(written)] += [each for each in pairs if self._counts[each[0]] <= _MANY]
        return {key: tuple(dict.fromkeys(pairs)) for key, pairs in found.items()}

    def kin(self, word: str) -> tuple[tuple[FieldRef, str], ...]:
        """The values of the family of a word: `Cancelled` for `cancellation`."""
        return self._by_root.get(root(word), ())

    def forms_of(self, word: str) -> list[tuple[FieldRef, str, float]]:
        """Values that are another form of a word: `absent` for `absences`."""
        one = singular(word)
        if len(one) < 5:
            return []
        return [
            (of, value, 0.12)
            for key, pairs in self._by_text.items()
            if key != one and " " not in key and _are_forms(one, key)
            for of, value in pairs
            if self._counts[of] <= _MANY
        ]

    def misspelled(self, word: str) -> list[tuple[FieldRef, str, float]]:
        """Values that are one letter away."""
        if len(word) < 5:
            return []
        sizes = (len(word) - 1, len(word), len(word) + 1)
        return [
            (*pair, TYPO)
            for size in sizes
            for key in self._by_size.get((word[0], size), ())
            if near(word, key)
            for pair in self._by_text[key]
        ]

    @cached_property
    def _by_size(self) -> dict[tuple[str, int], list[str]]:
        """How values are written, by their first letter and their length."""
        found: dict[tuple[str, int], list[str]] = defaultdict(list)
        for key in self._by_text:
            found[key[:1], len(key)].append(key)
        return found


def _squeezed(text: str) -> str:
    """A text without what is neither letter nor digit."""
    return "".join(each for each in text if each.isalnum())


def _is_usual(token: Token) -> bool:
    return token.lower in FUNCTION_WORDS or token.lower in OPERATION_WORDS


_ENDINGS: Final = frozenset(
    ["", "ed", "d", "ing", "ion", "ation", "al", "ment", "ce", "t", "cy", "ance", "ence", "ness",
     "y", "ied", "ure", "er", "ee", "ant", "ent", "led", "ling", "lation"]
)  # fmt: skip


def _are_forms(one: str, other: str) -> bool:
    """Whether two words are one stem with other endings: `absence` and `absent`."""
    shorter = min(len(one), len(other))
    same = next((n for n in range(shorter) if one[n] != other[n]), shorter)
    return same >= 4 and (same > 4 or same == shorter) and {one[same:], other[same:]} <= _ENDINGS
