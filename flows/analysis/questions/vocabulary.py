"""What the words of questions may name in a semantic model: fields, metrics, rows and values."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from weakref import ref

from flows.analysis.language.vocabulary import SHORT_FORMS, SYNONYMS
from flows.analysis.language.words import root, singular, split_identifier
from flows.analysis.questions.concepts import meanings_of, meanings_of_verb, scale_of
from flows.analysis.questions.names import (
    CUSTOMERS,
    GENERIC,
    LIGHT,
    MONEY,
    PARTIES,
    PEOPLE,
    PERSONS,
    STAFF,
    SUMS_OF_MONEY,
    Name,
    amounts_of,
    are_kin,
    durations_of,
    spells,
    takings_of,
    ways_of,
)  # fmt: skip
from flows.analysis.questions.parts import Operand
from flows.analysis.questions.states import States
from flows.analysis.questions.values import ValueIndex
from flows.core.observation import Cell
from flows.data.tables import Table
from flows.semantics.inference.quantities import adds_up
from flows.semantics.model import SemanticField, SemanticModel
from flows.semantics.path import JoinStep, Path, find_path, leads_to_many, shortest
from flows.semantics.query import Arithmetic, FieldRef, MetricRef
from flows.semantics.tree import parts

# What it costs to believe that a word stands for a part of a name.
EXACT, SHORT, PREFIX, SYNONYM, ROOT, CONCEPT, TYPO = 0.0, 0.03, 0.1, 0.15, 0.12, 0.12, 0.12
_PARTIAL = 0.5  # times the share of the name that is not said
_STEP = 0.06  # for each place that a meaning is further down in its list
_FAR = 0.015  # the same where the meanings before it are none of the data
_LONGEST = 5
# What is hottest is so by the highest temperature of a day, and not by its lowest.
_OTHER_END = 0.05
_LOWEST = {True: frozenset(["min", "minimum", "low"]), False: frozenset(["max", "maximum", "high"])}
_WORST = 0.75
# Which of several sums of money it is, beside one of these words, which alone means any of them.
_SUMS = frozenset(["amount", "sum"])
_KINDS = frozenset(["gross", "net", "total"])


@dataclass(frozen=True, slots=True)
class NameMatch:
    """What some words name, with what it costs to believe it."""

    operand: Operand
    cost: float
    role: str


class Vocabulary:
    """The names and values of one model, by the words that call them."""

    def __init__(self, model: SemanticModel, tables: Sequence[Table]) -> None:
        self.model = model
        self.names = tuple(self._names())
        self._by_word: dict[str, list[tuple[int, int]]] = defaultdict(list)
        for number, each in enumerate(self.names):
            for place, word in enumerate(each.words):
                self._by_word[word].append((number, place))
        self._roots: dict[str, list[str]] = defaultdict(list)
        for word in self._by_word:
            self._roots[root(word)].append(word)
        self._memory: dict[str, dict[str, float]] = {}
        self.values = ValueIndex(model, tables)
        self._columns = {(t.name, c.name): c for t in tables for c in t.columns}
        self._ways: dict[tuple[str, str], tuple[Path, ...]] = {}
        self.states = States(model, tables)
        self.nouns = tuple(self._nouns())

    # Names

    def _names(self) -> Iterator[Name]:
        for dataset in self.model.datasets:
            every = {each for field in dataset.fields for each in split_identifier(field.name)}
            for field in dataset.fields:
                operand = FieldRef(dataset=dataset.name, field=field.name)
                timed = "max" not in every
                for words, cost in ways_of(field.name, field.words, minutes=timed):
                    yield Name(operand, words, cost, dataset.name, field.role)
            yield from durations_of(dataset)
            yield from amounts_of(dataset)
        for metric in self.model.metrics:
            of = self.model.dataset(metric.dataset)
            if of is not None and of.find(metric.name) is None:
                for words, cost in ways_of(metric.name, metric.words):
                    yield Name(MetricRef(metric=metric.name), words, cost, of.name, "measure")
        yield from takings_of(self.model)

    def _nouns(self) -> Iterator[tuple[tuple[str, ...], str, float]]:
        for dataset in self.model.datasets:
            seen: set[tuple[str, ...]] = set()
            called = (dataset.noun, dataset.plural, *dataset.words, dataset.name)
            for number, each in enumerate(called):
                words = split_identifier(each)
                if words and words not in seen and words != ("row",):
                    seen.add(words)
                    yield words, dataset.name, 0.0 if number < 3 else 0.1
            for link in self.model.relationships:
                if link.dataset == link.to == dataset.name and link.back:
                    yield (singular(link.back),), dataset.name, 0.05

    def ways(self, start: str, end: str) -> tuple[Path, ...]:
        """All the shortest ways between two datasets."""
        if (start, end) not in self._ways:
            self._ways[start, end] = shortest(self.model, start, end)
        return self._ways[start, end]

    def path(self, start: str, via: tuple[str, ...], end: str) -> Path | None:
        """The way that `via` names, or the one shortest; None where there is no such one."""
        if via:
            return find_path(self.model, start, via, end)
        ways = self.ways(start, end)
        return ways[0] if len(ways) == 1 else None

    def leads(self, start: str, end: str) -> bool:
        """Whether each row of a dataset leads to one of another, or is one."""
        return any(not leads_to_many(way) for way in self.ways(start, end))

    def linked(self, start: str, end: str) -> Path | None:
        """The way over rows that only link two datasets, where every shorter way is one in a role:
        who works on a project, and not who leads it."""
        direct = self.ways(start, end) if start != end else ()
        in_roles = all(any(step.relationship.role for step in way) for way in direct)
        if not direct or not in_roles or any(way[0].forward for way in direct):
            return None
        plain = [each for each in self.model.relationships if not each.role]
        found = [
            (JoinStep(one, forward=False), JoinStep(other, forward=True))
            for one in plain
            for other in plain
            if one.to == start and other.to == end and one.dataset == other.dataset
        ]
        return found[0] if len(found) == 1 else None

    def adds_up(self, field: FieldRef) -> bool:
        """Whether a measure is one that adds up, as its name says."""
        known = self.field(field)
        dataset = self.model.dataset(field.dataset)
        if known is None or dataset is None:
            return False
        column = self.values.column(dataset.table, known.column)
        return column is None or adds_up(column)

    def refers(self, field: FieldRef) -> bool:
        """Whether a field does no more than refer to a row of another dataset."""
        return any(
            each.dataset == field.dataset and each.fields == (field.field,)
            for each in self.model.relationships
            if each.to != each.dataset
        )

    @cached_property
    def own_words(self) -> tuple[str, ...]:
        """The words of names, of nouns and of values, longer than three letters."""
        own = [*self._by_word, *(w for words, _, _ in self.nouns for w in words)]
        own += [each for each in self.values.words if each.isalpha()]
        return tuple(dict.fromkeys(each for each in own if len(each) > 3))

    def knows(self, word: str) -> bool:
        """Whether a word stands for something in the data."""
        return bool(self.parts_of(word) or word in self.values.words or self.noun([word]))

    def field(self, operand: Operand) -> SemanticField | None:
        """The field of an operand; None for what is computed."""
        if not isinstance(operand, FieldRef):
            return None
        dataset = self.model.dataset(operand.dataset)
        return None if dataset is None else dataset.find(operand.field)

    def distinct(self, field: FieldRef) -> int:
        """How many different values a field has; 0 where nobody counted them."""
        dataset, found = self.model.dataset(field.dataset), self.field(field)
        return 0 if dataset is None or found is None else self.values.distinct(dataset, found)

    def operands(self, dataset: str) -> tuple[Operand, ...]:
        """The measures of a dataset's rows."""
        own = (
            each.operand
            for each in self.names
            if each.dataset == dataset and each.role == "measure"
        )
        return tuple(dict.fromkeys(each for each in own if not isinstance(each, MetricRef)))

    def ends_of(self, ref: FieldRef) -> tuple[Cell, Cell]:
        """The least and the greatest value of a field, as far as they are known."""
        field, column = self.field(ref), self._columns.get((ref.dataset, ref.field))
        if field is not None and (field.cleaning or column is None):
            return field.least, field.most
        return (column.minimum, column.maximum) if column is not None else (None, None)

    def role(self, operand: Operand) -> str:
        field = self.field(operand)
        return "measure" if field is None else field.role

    def home(self, operand: Operand | None) -> str:
        """The dataset whose rows have a field, a metric or what is computed; empty for none."""
        if isinstance(operand, FieldRef):
            return operand.dataset
        if isinstance(operand, Arithmetic):
            fields = (each for each in parts(operand) if isinstance(each, FieldRef))
            return next((each.dataset for each in fields), "")
        metric = self.model.metric(operand.metric) if isinstance(operand, MetricRef) else None
        return "" if metric is None else metric.dataset

    def parts_of(self, word: str) -> dict[str, float]:
        """The words of names that a word may stand for, with what it costs to believe it."""
        if word not in self._memory:
            self._memory[word] = self._parts_of(word)
        return self._memory[word]

    def _parts_of(self, word: str) -> dict[str, float]:
        one = singular(word)
        costs: dict[str, float] = {}

        def offer(name: str, cost: float) -> None:
            if name in self._by_word and cost < costs.get(name, 9.0):
                costs[name] = cost

        for each in {word, one}:
            offer(each, EXACT)
            for short, whole in SHORT_FORMS.items():
                if whole == each:
                    offer(short, SHORT)
                if short == each:
                    offer(whole, SHORT)
            for synonym in SYNONYMS.get(each, ()):
                offer(synonym, SYNONYM)
        if len(one) > 3:
            for each in self._roots.get(root(one), ()):
                offer(each, ROOT)
            for name in self._by_word:
                if (
                    len(name) > 2
                    and one != name
                    and one.startswith(name)
                    and len(name) * 3 >= len(one)
                ) or (len(one) > 3 and name.startswith(one)):
                    offer(name, PREFIX)
                elif are_kin(one, name):
                    offer(name, ROOT)
        meant = [each for each in meanings_of(word) if each in self._by_word]
        for place, each in enumerate(meant):
            if each in self._measures:
                place = sum(before in self._measures for before in meant[:place])
            offer(each, CONCEPT + _STEP * place)
        return costs

    @cached_property
    def _measures(self) -> frozenset[str]:
        """The words of the names of measures."""
        return frozenset(w for each in self.names if each.role == "measure" for w in each.words)

    def fields(self, words: Sequence[str]) -> list[NameMatch]:
        """What these words name all together, the likeliest first."""
        fits: dict[int, tuple[float, frozenset[int]]] = {}
        for number, word in enumerate(words):
            ways = self.parts_of(word)
            now: dict[int, tuple[float, frozenset[int]]] = {}
            for name, cost in ways.items():
                for index, place in self._by_word[name]:
                    before = fits.get(index, (0.0, frozenset())) if number == 0 else fits.get(index)
                    if before is None or place in before[1]:
                        continue
                    whole = before[0] + cost, before[1] | {place}
                    if index not in now or whole[0] < now[index][0]:
                        now[index] = whole
            fits = now
            if not fits:
                break
        if len(words) > 1:
            self._glue(words, fits)
        best: dict[Operand, NameMatch] = {}
        for index, (paid, places) in fits.items():
            one = self.names[index]
            left = [w for p, w in enumerate(one.words) if p not in places]
            nouns = self._noun_words(one.dataset)
            # `invoice` alone does not name the number of an invoice line
            own = all(one.words[p] in nouns for p in places)
            generic = LIGHT | _KINDS if _SUMS & set(one.words) else LIGHT
            weighed = [w for w in left if w not in generic and (own or w not in nouns)]
            if left and one.whole:
                continue
            if paid > 0 and one.role in ("time", "identifier") and not MONEY.isdisjoint(words):
                continue  # what was taken is no `sale day`
            said = len(one.words) - len(left)
            if all(one.words[p] in GENERIC for p in places) and weighed:
                continue
            share = len(weighed) / (len(weighed) + said)
            light = 0.02 * (len(left) - len(weighed))
            full = paid / len(words) + _PARTIAL * share + light + one.cost
            if full < _WORST and (one.operand not in best or full < best[one.operand].cost):
                best[one.operand] = NameMatch(one.operand, full, one.role)
        return sorted(best.values(), key=lambda each: each.cost)

    def _glue(self, words: Sequence[str], fits: dict[int, tuple[float, frozenset[int]]]) -> None:
        """Names that several words make in one: `gdppercap` for `gdp per capita`."""
        joined = "".join(singular(each) for each in words)
        for name, places in self._by_word.items():
            if len(name) > 4 and spells(name, words):
                for index, place in places:
                    cost = EXACT if name == joined else PREFIX * len(words)
                    if index not in fits or cost < fits[index][0]:
                        fits[index] = cost, frozenset([place])

    def _noun_words(self, dataset: str) -> frozenset[str]:
        return self._nouns_by_dataset.get(dataset, frozenset())

    @cached_property
    def _nouns_by_dataset(self) -> dict[str, frozenset[str]]:
        found: dict[str, frozenset[str]] = {}
        for words, name, _ in self.nouns:
            found[name] = found.get(name, frozenset()) | set(words)
        return found

    def measured(self, word: str) -> list[tuple[NameMatch, bool]]:
        """The measures that an adjective or a verb speaks of, with whether more of it is more."""
        scale = scale_of(word) or tuple((each, True) for each in meanings_of_verb(word))
        best: dict[Operand, tuple[NameMatch, bool]] = {}
        known = [each for each in scale if each[0] in self._by_word]
        for rank, (column, up) in enumerate(known):
            for index, _ in self._by_word[column]:
                name = self.names[index]
                timed = name.role == "time" and column != "time" and bool(scale_of(word))
                if name.role != "measure" and not timed:
                    continue
                left = [w for w in name.words if w != column and w not in GENERIC]
                share = len(left) / len(name.words)
                if name.words[-1] == column:
                    share /= 4  # a `list price` is a price
                cost = (
                    CONCEPT / 2
                    + _STEP * rank
                    + _FAR * scale.index((column, up))
                    + _PARTIAL * share / 2
                    + name.cost
                    + (_OTHER_END if _LOWEST[up].intersection(name.words) else 0.0)
                )
                if cost < best.get(name.operand, (NameMatch(name.operand, 9.0, ""), True))[0].cost:
                    best[name.operand] = NameMatch(name.operand, cost, name.role), up
        return sorted(best.values(), key=lambda each: each[0].cost)

    def noun(self, words: Sequence[str]) -> list[tuple[str, float]]:
        """The datasets whose rows these words call."""
        ones = tuple(singular(each) for each in words)
        found: dict[str, float] = {}
        for called, dataset, cost in self.nouns:
            if called == ones or called == tuple(words):
                found[dataset] = min(cost, found.get(dataset, 9.0))
            elif len(called) == len(ones) == 1:
                extra = None
                if ones[0] in SUMS_OF_MONEY:  # what rows are worth, not how many there are
                    continue
                if ones[0] in SYNONYMS.get(called[0], ()) or called[0] in SYNONYMS.get(ones[0], ()):
                    extra = SYNONYM - 0.1
                elif root(ones[0]) == root(called[0]) and len(ones[0]) > 3:
                    extra = ROOT
                elif ones[0] in CUSTOMERS and called[0] in PARTIES:
                    extra = SYNONYM - 0.1
                elif ones[0] in PEOPLE and called[0] in PERSONS:
                    extra = 0.05 if called[0] in STAFF else SYNONYM
                elif called[0] in meanings_of(ones[0]):
                    extra = CONCEPT / 2 if called[0] == meanings_of(ones[0])[0] else CONCEPT
                if extra is not None and cost + extra < found.get(dataset, 9.0):
                    found[dataset] = cost + extra
            elif len(called) > 1 and len(ones) == 1 and called[-1] == ones[0]:
                found[dataset] = min(cost + 0.06, found.get(dataset, 9.0))
        return sorted(found.items(), key=lambda each: each[1])


_KNOWN: list[tuple[ref[SemanticModel], Vocabulary]] = []


def vocabulary_of(model: SemanticModel, tables: Sequence[Table]) -> Vocabulary:
    """The vocabulary of a model; made once for each model that is in use."""
    for known, made in _KNOWN:
        if known() is model:
            return made
    made = Vocabulary(model, tables)
    _KNOWN[:] = [*[each for each in _KNOWN if each[0]() is not None][-7:], (ref(model), made)]
    return made
