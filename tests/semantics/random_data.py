"""Small data for a random model: missing values, ties, repeated rows, empty tables."""

from __future__ import annotations

from datetime import date, datetime, time

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from flows.semantics.model import Dataset, Fold, Number, SemanticField, SemanticModel, Time, Unknown

Value = int | float | str | bool | date | datetime | time | None
# The rows of each table, by the physical names of its columns.
Rows = dict[str, list[dict[str, Value]]]

_TEXTS = ("Berlin", "Zürich", "O'Hare", "100%", "top 3", "a_b", "", "x\\y", "Total")
_DAYS = (
    date(2022, 12, 31), date(2023, 1, 1), date(2023, 5, 17), date(2024, 2, 29), date(2024, 5, 1),
    date(2024, 5, 13), date(2024, 5, 16), date(2024, 5, 17), date(2024, 6, 30), date(2024, 12, 30),
)  # fmt: skip
_MOMENTS = (
    *(datetime(each.year, each.month, each.day, 8, 30) for each in _DAYS[::2]),
    datetime(2024, 5, 17, 0, 0),
    datetime(2024, 5, 17, 23, 59, 59),
    datetime(2023, 1, 1, 12, 0),
)


@st.composite
def tables(draw: DrawFn, model: SemanticModel, largest: int = 6) -> Rows:
    """Rows for each dataset: keys are different, a reference leads to a row, or is missing."""
    rows: Rows = {}
    for dataset in model.datasets:
        count = draw(st.integers(0, largest)) if draw(st.integers(0, 3)) else largest
        rows[dataset.name] = [draw(_row(dataset, number)) for number in range(count)]
    for link in model.relationships:
        fields = [model.dataset(link.dataset), model.dataset(link.to)]
        own = [physical(fields[0], each) for each in link.fields]
        there = [physical(fields[1], each) for each in link.to_fields]
        targets = [tuple(row[each] for each in there) for row in rows[link.to]]
        for number, row in enumerate(rows[link.dataset]):
            nowhere = (None,) * len(own)
            if link.single:
                chosen = targets[number] if number < len(targets) else nowhere
                chosen = draw(st.sampled_from((chosen, nowhere)))
            else:
                chosen = draw(st.sampled_from((*targets, nowhere, (77,) * len(own))))
            row.update(zip(own, chosen, strict=True))
    return rows


def physical(dataset: Dataset | None, name: str) -> str:
    """The column that a field of a dataset is read from."""
    field = dataset.find(name) if dataset else None
    assert field is not None, name
    return field.column or field.name


@st.composite
def _row(draw: DrawFn, dataset: Dataset, number: int) -> dict[str, Value]:
    row: dict[str, Value] = {}
    for field in dataset.fields:
        if field.expression is not None:
            continue
        if field.name in dataset.key:
            # Of a key of two fields, neither alone is different.
            first = field.name == dataset.key[0]
            value: Value = number // 2 if len(dataset.key) > 1 and first else number
        else:
            value = draw(_values(field))
        row[field.column or field.name] = value
    return row


def storage(field: SemanticField) -> str:
    """The type of the column that a field is read from."""
    texts = any(isinstance(each, Number | Time | Fold) for each in field.cleaning)
    return "text" if texts or field.type == "other" else field.type


def _values(field: SemanticField) -> SearchStrategy[Value]:
    for each in field.cleaning:
        if isinstance(each, Number) and each.decimal == ",":
            return st.sampled_from(("1.234,50 €", "(12)", "-3", "n/a", "-", "7,25", "x", None, "7"))
        if isinstance(each, Number) and each.left_out:
            return st.sampled_from(("12 EUR/month", "1,250.5 EUR/month", "7o'clock", "n/a", None))
        if isinstance(each, Number):
            return st.sampled_from(("50 %", "12.5%", " 100 ", "", None, "$ 25", "-5%"))
        if isinstance(each, Time) and each.others:
            return st.sampled_from(("17.05.2024", "2023-01-01", "2022-12-31", "soon", None))
        if isinstance(each, Time) and field.type == "date":
            return st.sampled_from(
                ("17.05.2024", "01.01.2023", "31.12.2022", "soon", "Total", None)
            )
        if isinstance(each, Time):
            return st.sampled_from(("2024/05/17 08:30", "2023/01/01 00:00", "late", None))
        if isinstance(each, Fold):
            return st.sampled_from(("Berlin", "berlin", " BERLIN ", "Zürich", "Total", None))
        if isinstance(each, Unknown) and field.type == "text":
            return st.sampled_from(("n/a", *_TEXTS, None))
        if isinstance(each, Unknown) and storage(field) != "text":
            return st.sampled_from((-99, 0, 1, 2, 5, 12, None))
    return _VALUES[field.type]


_VALUES: dict[str, SearchStrategy[Value]] = {
    "integer": st.sampled_from((-3, 0, 1, 2, 2, 3, 7, 12, None)),
    "real": st.sampled_from((-1.25, 0.0, 0.5, 0.5, 2.75, 10.0, 12.25, None)),
    "text": st.sampled_from((*_TEXTS, None)),
    "other": st.sampled_from((*_TEXTS, None)),
    "boolean": st.sampled_from((True, False, None)),
    "date": st.sampled_from((*_DAYS, None)),
    "timestamp": st.sampled_from((*_MOMENTS, None)),
    "time": st.sampled_from((time(8, 30), time(0, 0), time(23, 59, 59), None)),
}
