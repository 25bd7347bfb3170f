"""A place in a text that is read, and what the names there may stand for."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from datetime import date
from typing import Protocol, TypeVar

from flows.analysis.language.phrasebook import Phrases
from flows.analysis.parser.names import BEGINNINGS, Meant, ModelNames
from flows.analysis.parser.tokens import Kind, Token
from flows.semantics.node import Node, Span
from flows.semantics.query import Expression, FieldRef, MetricRef, Predicate, Query

Meaning = TypeVar("Meaning", bound=Hashable)
Made = TypeVar("Made", bound=Node)
Result = TypeVar("Result")


class ParseError(Exception):
    """The text cannot be read here as what was expected, or in more than one way."""


class Rules(Protocol):
    """The parts of the grammar that contain each other."""

    def read_predicate(self, at: Cursor) -> Predicate:
        """A whole condition, with all its `and` and `or`."""
        ...

    def read_atom(self, at: Cursor) -> Expression | Predicate:
        """One condition, or an expression where no comparison follows it."""
        ...

    def read_condition(self, at: Cursor) -> Expression | Predicate:
        """A whole condition, or an expression."""
        ...

    def read_query(self, at: Cursor) -> Query:
        """A query, up to where none of its clauses follows."""
        ...


@dataclass(slots=True)
class RowScope:
    """The dataset whose rows are spoken of; None until the text says it. `new` are the names of
    columns that a preparation has made; None outside of one. `rows` is for writing only: the
    dataset that is meant, also where the text has not said it yet."""

    dataset: str | None = None
    new: frozenset[str] | None = None
    rows: str | None = None


class Words:
    """The tokens of a text without names of data, and how far they are read. `today` is what a
    month without its year is counted from, where that is known."""

    def __init__(self, tokens: list[Token], today: date | None = None) -> None:
        self.tokens = tokens
        self.words = [each.text if each.kind not in ("name", "text") else "" for each in tokens]
        self.place = 0
        self.today = today

    def is_done(self) -> bool:
        return self.place >= len(self.tokens)

    def kind(self) -> Kind | None:
        return self.tokens[self.place].kind if self.place < len(self.tokens) else None

    def sees(self, *words: str) -> bool:
        """Whether these words come next."""
        return tuple(self.words[self.place : self.place + len(words)]) == words

    def take(self, *words: str) -> bool:
        """Read these words, if they come next."""
        if self.sees(*words):
            self.place += len(words)
            return True
        return False

    def take_any(self, *words: str) -> bool:
        """Read one of these words, if one comes next."""
        return any(self.take(each) for each in words)

    def expect(self, *words: str) -> None:
        if not self.take(*words):
            raise ParseError(f"{' '.join(words)!r} was expected")

    def peek(self, phrases: Phrases[Meaning]) -> Meaning | None:
        """What the phrase that comes next means; None where there is none, or it means that."""
        found = phrases.match(self.words, self.place)
        return found[0] if found else None

    def phrase(self, phrases: Phrases[Meaning]) -> tuple[Meaning] | None:
        """Read a phrase, if one comes next; what it means, in a tuple, as it may mean None."""
        found = phrases.match(self.words, self.place)
        if found is None:
            return None
        self.place = found[1]
        return (found[0],)

    def number(self) -> str | None:
        """Read a number, if one comes next."""
        if self.kind() != "number":
            return None
        self.place += 1
        return self.tokens[self.place - 1].text

    def whole(self) -> int:
        """Read a whole number."""
        text = self.number()
        if text is None or not text.isdecimal():
            raise ParseError("a whole number was expected")
        return int(text)

    def text(self, kind: Kind) -> str | None:
        """Read a token of a kind, if one comes next."""
        if self.kind() != kind:
            return None
        self.place += 1
        return self.tokens[self.place - 1].text

    def span(self, start: int) -> tuple[Span, ...]:
        """The place of what was read since a token."""
        if self.place <= start:
            return ()
        return ((self.tokens[start].start, self.tokens[self.place - 1].end),)


class Cursor(Words):
    """The tokens of a text, and what the names in it may stand for."""

    def __init__(self, tokens: list[Token], names: ModelNames, rules: Rules) -> None:
        super().__init__(tokens)
        self.names = names
        self.rules = rules
        self.scope = RowScope()
        # Labels of rows, each a dataset and a field, where the text says only the dataset.
        self.labels: set[tuple[str, str]] = set()

    def sees_phrase(self) -> bool:
        """Whether a sign, a quoted text or what may begin a phrase comes next, or nothing more."""
        word = self.words[self.place] if self.place < len(self.words) else ""
        return word in BEGINNINGS or not word[:1].isalnum()

    def attempt(self, read: Callable[[Cursor], Result]) -> Result | None:
        """Read something, or go back and give None where it cannot be read."""
        place, dataset = self.place, self.scope.dataset
        try:
            return read(self)
        except ParseError:
            self.place, self.scope.dataset = place, dataset
            return None

    def within(self, scope: RowScope, read: Callable[[Cursor], Result]) -> Result:
        """Read something that speaks of the rows of another scope."""
        outer, self.scope = self.scope, scope
        try:
            return read(self)
        finally:
            self.scope = outer

    # --- names ---------------------------------------------------------------------------------

    def dataset(self) -> str | None:
        """Read what calls a dataset, if it comes next."""
        if self.kind() == "name":
            name = self.tokens[self.place].text
            if name not in self.names.by_name:
                return None
            self.place += 1
            return name
        found = self.names.datasets.match(self.words, self.place)
        if found is None:
            return None
        meant = {name for name, _ in found[0]}
        if len(meant) > 1:
            best = min(rank for _, rank in found[0])
            meant = {name for name, rank in found[0] if rank == best}
        if len(meant) > 1:
            raise ParseError("several datasets are called that")
        self.place = found[1]
        return meant.pop()

    def expect_dataset(self) -> str:
        found = self.dataset()
        if found is None:
            raise ParseError("a dataset was expected")
        return found

    def path(self) -> tuple[str, ...]:
        """The relationships of `through A then back B`; none where they are not said."""
        if not self.take("through"):
            return ()
        steps = [self._step()]
        while self.take("then"):
            steps.append(self._step())
        return tuple(steps)

    def _step(self) -> str:
        back = "-" if self.take("back") else ""
        if (name := self.text("name")) is not None:
            known = self.names.model.relationship
            if known(name) is None and known(name.removeprefix("-")) is None:
                raise ParseError(f"no relationship is called {name!r}")
            return back + name
        found = self.names.relationships.match(self.words, self.place)
        if found is None:
            raise ParseError("a relationship was expected")
        best = min(rank for _, rank in found[0])
        meant = {name for name, rank in found[0] if rank == best}
        if len(meant) > 1:
            raise ParseError("several relationships are called that")
        self.place = found[1]
        return back + meant.pop()

    def name(self) -> FieldRef | MetricRef | None:
        """Read a field or a metric, if one comes next: `region`, `region of customers`, `name of
        employees through manager`."""
        start = self.place
        if self.take("metric"):
            return self._metric(start)
        meant = self._called()
        if meant is None:
            self.place = start
            return None
        if self.sees("of") and not self.sees("of", "their"):
            place = self.place
            self.place += 1
            if (dataset := self.attempt(Cursor.dataset)) is not None:
                return self._qualified(meant, dataset, start)
            self.place = place
        chosen = self._chosen(meant)
        if chosen.kind == "metric":
            return self._measured(chosen.name, start)
        if self.scope.dataset is None:
            self.scope.dataset = chosen.dataset
        via = self.path()
        return FieldRef(dataset=chosen.dataset, field=chosen.name, via=via, spans=self.span(start))

    def _called(self) -> list[Meant] | None:
        """What the name that comes next may stand for; the exact name where it is quoted."""
        if (name := self.text("name")) is not None:
            return self._exact(name)
        found = self.names.fields.match(self.words, self.place)
        if found is None:
            return None
        self.place = found[1]
        return found[0]

    def _exact(self, name: str) -> list[Meant]:
        meant = [Meant("field", each, name, 0) for each in self.names.owners.get(name, ())]
        own = self.scope.dataset
        if own and self.scope.new is not None and name in self.scope.new:
            meant.append(Meant("field", own, name, 0))
        if not meant or (own is None and name in self.names.metrics):
            meant += [Meant("metric", "", name, 0)] if name in self.names.metrics else []
        return meant

    def _metric(self, start: int) -> MetricRef:
        if (name := self.text("name")) is None:
            called = self._called() or []
            name = next((each.name for each in called if each.kind == "metric"), None)
        if name is None or name not in self.names.metrics:
            raise ParseError("a metric was expected")
        return self._measured(name, start)

    def _measured(self, name: str, start: int) -> MetricRef:
        metric = self.names.model.metric(name)
        if self.scope.dataset is None and metric is not None:
            self.scope.dataset = metric.dataset
        return MetricRef(metric=name, spans=self.span(start))

    def _qualified(self, meant: list[Meant], dataset: str, start: int) -> FieldRef:
        of_it = [each for each in meant if each.dataset == dataset]
        chosen = self._best(of_it)
        if self.scope.dataset is None:
            self.scope.dataset = dataset
        via = self.path()
        return FieldRef(dataset=dataset, field=chosen.name, via=via, spans=self.span(start))

    def _chosen(self, meant: list[Meant]) -> Meant:
        """The one thing that is meant: of the dataset that is spoken of, or else of any."""
        known = self.scope.dataset
        own = [each for each in meant if known is None or each.dataset in ("", known)] or meant
        # What a figure is made of has its name: `metric worth` is the figure, `worth` the field.
        fields = [each for each in own if each.kind == "field"]
        least = min((each.rank for each in own), default=0)
        return self._best(fields if any(each.rank == least for each in fields) else own)

    def _best(self, meant: list[Meant]) -> Meant:
        if not meant:
            raise ParseError("nothing is called that")
        best = min(each.rank for each in meant)
        found = {each for each in meant if each.rank == best}
        if len(found) > 1:
            raise ParseError("several things are called that")
        return found.pop()
