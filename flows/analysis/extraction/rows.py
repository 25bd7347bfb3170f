"""Values of fields in a row of a table: by its label, by the heads of its columns, or by both."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from flows.analysis.extraction.amounts import amount_in
from flows.analysis.extraction.cells import FieldReading, read_pair, values_of
from flows.analysis.extraction.labels import Labels, label_terms
from flows.analysis.extraction.unit_places import without_unit
from flows.analysis.extraction.values import is_value, without_footnote
from flows.data.documents.passages import DocumentPassage

# Columns that tell of a value and are none, and those whose value is meant where there are others.
_BESIDE: Final = label_terms(
    "unit uom symbol method standard norm limit tolerance remark note comment position code "
    "reference source minimum maximum id description explanation previous due status"
)
# The likeliest first: what was measured before what was wanted.
_MAIN: Final = tuple(
    label_terms(each)
    for each in (
        "measured actual result guaranteed agreed",
        "value amount main net total",
        "rated nominal target planned",
    )
)
_ANY_MAIN: Final = frozenset[str]().union(*_MAIN)
_TOTAL: Final = re.compile(r"(?:grand |over ?all )?(?:total|sum|totals)\b", re.IGNORECASE)
_COUNTS: Final = label_terms("quantity count number pieces units amount")
# A row of more cells is read as none.
MOST_CELLS: Final = 200
_NOTHING: Final = frozenset({"-", "\u2013", "\u2014", "/", "n/a", "none", "tbd", ".", "x"})
_NUMBER: Final = re.compile(r"[\d.,/ ()#]*")


class TableRows:
    """The rows of a table that a part of a document holds."""

    def __init__(self, rows: Sequence[DocumentPassage], labels: Labels) -> None:
        self._labels = labels
        self._rows = rows
        self._crossings: dict[int, dict[int, list[FieldReading]]] = {}
        self._columns: dict[int, list[int]] = {}
        self.has_head = self._is_headed()

    def readings(self, row: DocumentPassage) -> list[FieldReading]:
        """The values of a row."""
        cells = row.cells
        if not any(cells) or len(cells) > MOST_CELLS or (self.has_head and cells == row.head):
            return []
        if pairs := self._pairs(cells):
            return pairs
        found: dict[str, list[FieldReading]] = {}
        if self.has_head:
            for way in (self._of_crossing, self._by_label, self._by_title, self._in_list):
                for each in way(row):
                    found.setdefault(each.field.name, []).append(each)
                self._keep_first(found)
        elif len(cells) > 2:
            for each in self._alone(cells):
                found.setdefault(each.field.name, []).append(each)
        return [each for group in found.values() for each in group]

    def _keep_first(self, found: dict[str, list[FieldReading]]) -> None:
        for name, group in found.items():
            if group[0].field.type != "list":
                found[name] = group[:1]

    def _is_headed(self) -> bool:
        """Whether the first row names the columns: not where each row is a label with its value."""
        first = self._rows[0]
        head = first.head
        if first.cells != head:
            return len(head) > 2 or self._is_head(head)  # the table goes on from another part
        if len(self._rows) < 2 or any(":" in each for each in head):
            return False
        if sum(1 for each in head if each) < 2 and len(head) > 1 and head[0]:
            return False
        if len(head) > 2:
            return not self._is_series_of_pairs(head)
        return self._is_head(head)

    def _is_head(self, head: Sequence[str]) -> bool:
        """Whether two cells name two columns: the second is no value of what the first names."""
        if len(head) != 2:
            return False
        if not head[0]:
            return True
        field = self._labels.field(head[0])
        others = [each.cells for each in self._rows if each.cells != head]
        named = any(self._labels.field(each[0]) is not None for each in others if each)
        if field is None:
            said = amount_in(head[1]) or read_pair(head[0], head[1], self._labels)
            return not said
        if field.type in ("list", "text") and not field.values:
            return not named and len(others) > 1 and not re.search(r"[,;/\d]", head[1])
        return not values_of(field, without_footnote(head[1]))

    def _is_series_of_pairs(self, cells: Sequence[str]) -> bool:
        if len(cells) % 2 or len(cells) < 4 or not all(cells):
            return False
        names = [self._labels.field(each) for each in cells]
        return all(names[0::2]) and not any(names[1::2])

    def _pairs(self, cells: Sequence[str]) -> list[FieldReading]:
        """Labels with their values in the cells beside them."""
        labels = self._labels
        if len(cells) == 2:
            return read_pair(cells[0], cells[1], labels) if all(cells) else []
        if self._is_series_of_pairs(cells):
            pairs = zip(cells[0::2], cells[1::2], strict=True)
            return [each for one, other in pairs for each in read_pair(one, other, labels)]
        return [
            each
            for label, value in pairwise(cells)
            if label.endswith(":") and value and not value.endswith(":")
            for each in read_pair(label, value, labels)
        ]

    def _of_crossing(self, row: DocumentPassage) -> Iterator[FieldReading]:
        for readings in self._crossed(row).values():
            yield from readings

    def _crossed(self, row: DocumentPassage) -> dict[int, list[FieldReading]]:
        """Fields that are named by the row and the column together, by the place of the cell."""
        if row.number not in self._crossings:
            self._crossings[row.number] = self._cross(row)
        return self._crossings[row.number]

    def _cross(self, row: DocumentPassage) -> dict[int, list[FieldReading]]:
        found: dict[int, list[FieldReading]] = {}
        at = _label_at(row.cells)
        label = row.cells[at] if at < len(row.cells) else ""
        for place, title, cell in _titled(row) if label else ():
            if place == at:
                continue
            field = self._labels.crossed(label, title)
            if field is None and is_total(label) and at < len(row.head):
                counts = label_terms(title) & _COUNTS
                field = self._labels.crossed(label, row.head[at]) if counts else None
            if field is not None and (readings := values_of(field, cell)):
                found[place] = readings
        return found

    def _by_label(self, row: DocumentPassage) -> Iterator[FieldReading]:
        """The value of a row whose label names a field: of several, that of the main column."""
        at = _label_at(row.cells)
        if at >= len(row.cells):
            return
        label = row.cells[at]
        if self._labels.field(label) is None and not any(each in label for each in "/&("):
            return
        found: list[tuple[frozenset[str], list[FieldReading]]] = []
        crossed = self._crossed(row)
        for place, title, cell in _titled(row):
            terms = label_terms(without_unit(title))
            beside = bool(terms & _BESIDE) and not terms & _ANY_MAIN
            other = beside or self._labels.field(title) is not None
            if place <= at or place in crossed or (other and len(_filled(row, at)) > 1):
                continue
            if readings := read_pair(label, cell, self._labels):
                found.append((terms, readings))
        ranked = [[each for terms, each in found if terms & rank] for rank in _MAIN]
        main = next((each for each in ranked if each), [each for _, each in found])
        if len(main) == 1:
            yield from main[0]

    def _by_title(self, row: DocumentPassage) -> Iterator[FieldReading]:
        """Values under the head that names a field: of the only row that has one, or in a row of
        totals."""
        at = _label_at(row.cells)
        total = at < len(row.cells) and is_total(row.cells[at])
        for place, title, cell in _titled(row):
            field = self._labels.field(title)
            if field is None or field.type == "list" or (place == at and total):
                continue
            if place in self._crossed(row):
                continue
            only = self._filled_rows(place) == [row.number]
            if only or (total and field.type in ("number", "integer")):
                yield from values_of(field, cell)

    def _filled_rows(self, place: int) -> list[int]:
        """The rows that say something in a column, but of no field by row and column together."""
        if place not in self._columns:
            self._columns[place] = [
                each.number
                for each in self._rows
                if each.cells != each.head
                and _says_something(each, place)
                and place not in self._crossed(each)
            ]
        return self._columns[place]

    def _in_list(self, row: DocumentPassage) -> Iterator[FieldReading]:
        """The item of a column that a list is called by."""
        if is_total(_label(row.cells)):
            return
        for _, title, cell in _titled(row):
            field = self._labels.field(title)
            if field is not None and field.type == "list" and is_value(cell, field):
                yield FieldReading(field, cell)

    def _alone(self, cells: Sequence[str]) -> Iterator[FieldReading]:
        values = [each for each in cells[1:] if each]
        if len(values) == 1:
            yield from read_pair(cells[0], values[0], self._labels)


def _says_something(row: DocumentPassage, place: int) -> bool:
    cell = row.cells[place] if place < len(row.cells) else ""
    return bool(cell) and cell.casefold() not in _NOTHING


def _filled(row: DocumentPassage, at: int) -> list[str]:
    """The cells behind a row's label that hold something."""
    return [each for each in row.cells[at + 1 :] if each]


def is_total(label: str) -> bool:
    """Whether a row tells the sum of those above it."""
    return _TOTAL.match(label.strip(" *")) is not None


def _titled(row: DocumentPassage) -> list[tuple[int, str, str]]:
    """The cells of a row that hold something, with their places and the heads above them."""
    pairs = zip(row.head, row.cells, strict=False)
    return [
        (place, title, without_footnote(cell))
        for place, (title, cell) in enumerate(pairs)
        if cell and cell.casefold() not in _NOTHING
    ]


def _label_at(cells: Sequence[str]) -> int:
    """The place of a row's label: its first cell that is no number."""
    return next(
        (at for at, each in enumerate(cells) if each and not _NUMBER.fullmatch(each)), len(cells)
    )


def _label(cells: Sequence[str]) -> str:
    at = _label_at(cells)
    return cells[at] if at < len(cells) else ""
