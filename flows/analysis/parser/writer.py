"""What the parts of the grammar share when they write: names, and the rows that are spoken of."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar

from flows.analysis.parser.cursor import Cursor, ParseError, RowScope, Rules
from flows.analysis.parser.names import ModelNames, WordIndex, plain_words
from flows.analysis.parser.tokens import quote_name, tokenize
from flows.semantics.query import FieldRef, MetricRef, Predicate, Query

Value = TypeVar("Value")


class Writers(Protocol):
    """The parts of the grammar that contain each other, as they are written."""

    def write_predicate(self, predicate: Predicate, writer: Writer) -> str:
        """A whole condition."""
        ...

    def write_atom(self, predicate: Predicate, writer: Writer) -> str:
        """A condition with brackets around it where it has parts."""
        ...

    def write_query(self, query: Query, writer: Writer) -> str:
        """A query, as it stands in brackets or alone."""
        ...


class Writer:
    """Names as they are read again where `scope` is spoken of.

    Writing keeps `scope` as reading the text does: the first field says whose rows are meant,
    unless every query is `explicit` about its dataset.
    """

    def __init__(
        self, names: ModelNames, rules: Rules, writers: Writers, *, explicit: bool = False
    ) -> None:
        self.names = names
        self.rules = rules
        self.writers = writers
        self.explicit = explicit
        self.scope = RowScope()

    def within(self, scope: RowScope, write: Callable[[], str]) -> str:
        """Write something that speaks of the rows of another scope."""
        outer, self.scope = self.scope, scope
        try:
            return write()
        finally:
            self.scope = outer

    def field(self, ref: FieldRef) -> str:
        """A field, as shortly as it is read again as the same one."""
        words = plain_words(ref.field)
        bare = _said(ref.field, words) if self._is_free(words, self.names.fields) else ""
        quoted = quote_name(ref.field)
        forms = [bare, quoted] if not ref.via else []
        of_it = f" of {self.dataset(ref.dataset)}{self.path(ref.via)}"
        forms += [f"{form}{of_it}" if form else "" for form in (bare, quoted)]
        return self._first(ref, forms) or f"{quoted}{of_it}"  # a name that the model has not

    def metric(self, ref: MetricRef) -> str:
        """A metric, as shortly as it is read again as the same one."""
        words = plain_words(ref.metric)
        bare = _said(ref.metric, words) if self._is_free(words, self.names.fields) else ""
        quoted = quote_name(ref.metric)
        return self._first(ref, [bare, quoted, f"metric {quoted}"]) or f"metric {quoted}"

    def dataset(self, name: str, *, many: bool = True) -> str:
        """What calls a dataset: its plural (or singular) where that can mean nothing else."""
        dataset = self.names.by_name.get(name)
        for form in (dataset.plural if many else dataset.noun, name) if dataset else ():
            words = plain_words(form)
            if not self._is_free(words, self.names.datasets):
                continue
            cursor = self._cursor(_said(form, words))
            if cursor.attempt(Cursor.dataset) == name and cursor.is_done():
                return _said(form, words)
        return quote_name(name)

    def rows(self) -> str:
        """What calls the rows that are spoken of, and says by that which they are."""
        assert self.scope.rows is not None
        self.scope.dataset = self.scope.dataset or self.scope.rows
        return self.dataset(self.scope.rows)

    def path(self, via: Sequence[str]) -> str:
        """` through A then back B`; empty for no relationships."""
        return f" through {' then '.join(map(self._step, via))}" if via else ""

    def _step(self, step: str) -> str:
        known = self.names.model.relationship(step) is not None
        back, name = ("back ", step[1:]) if step.startswith("-") and not known else ("", step)
        words = plain_words(name)
        if self._is_free(words, self.names.relationships):
            cursor = self._cursor(f"through {_said(name, words)}")
            if cursor.attempt(Cursor.path) == (name,) and cursor.is_done():
                return back + _said(name, words)
        return back + quote_name(name)

    def is_dataset(self, form: str) -> bool:
        """Whether a text could call a dataset as well."""
        return self._cursor(form).attempt(Cursor.dataset) is not None

    def is_name(self, form: str, *, whole: bool = False) -> bool:
        """Whether a text begins with what could call a field or a metric as well, or is that."""
        words = self._cursor(form).words
        found = self.names.fields.match(words, 0)
        return found is not None and (not whole or found[1] == len(words))

    def _is_free(self, words: tuple[str, ...], keys: WordIndex[Value]) -> bool:
        return bool(words) and self.names.is_free(words, keys)

    def _first(self, ref: FieldRef | MetricRef, forms: Sequence[str]) -> str | None:
        """The first form that is read as a reference; the scope is then as reading leaves it."""
        for form in filter(None, forms):
            cursor = self._cursor(form)
            try:
                read = cursor.name()
            except ParseError:
                continue
            if read == ref and cursor.is_done():
                self.scope.dataset = cursor.scope.dataset
                return form
        return None

    def _cursor(self, form: str) -> Cursor:
        cursor = Cursor(tokenize(form), self.names, self.rules)
        cursor.scope = RowScope(self.scope.dataset, self.scope.new)
        return cursor


def _said(name: str, words: tuple[str, ...]) -> str:
    """The words of a name, written large as in the name where that can be seen."""
    text = " ".join(name.replace("_", " ").split())
    return text if tuple(text.casefold().split()) == words else " ".join(words)


def listed(parts: Sequence[str], last: str = "and") -> str:
    """Parts as a list in English: `A, B and C`."""
    if len(parts) < 2:
        return "".join(parts)
    return f"{', '.join(parts[:-1])} {last} {parts[-1]}"
