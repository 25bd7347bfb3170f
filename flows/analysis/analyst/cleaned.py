"""What was done with the values of the columns that an answer rests on, in a line for each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from pydantic import BaseModel

from flows.core.observation import Caution
from flows.data.tables import Table
from flows.data.time_formats import format_words, read_as_times
from flows.semantics.model import (
    Conversion,
    Cumulative,
    Dataset,
    Fold,
    Number,
    SemanticField,
    SemanticModel,
    Time,
    Unknown,
)
from flows.semantics.query import FieldRef, MetricRef, Query
from flows.semantics.tree import parts

CODE: Final = "cleaned"
# So many values are named of a column, and how many more there are.
_NAMED = 3
_LONGEST = 24


def cleaned(
    nodes: Sequence[BaseModel], model: SemanticModel, tables: Sequence[Table]
) -> Iterator[Caution]:
    """A caution for each column that the parts of a request use and that was cleaned, by the file's
    loading or by the semantic model. Columns of plain rows are shown as they stand in the data, and
    only said to be cleaned by loading."""
    notes = {each.name: each.notes for each in tables}
    shown, used = _fields(nodes, model)
    for dataset, field in dict.fromkeys((*used, *shown)):
        loaded = _notes_on(field, notes.get(dataset.name, ()))
        meant = _steps(dataset, field) if (dataset, field) in used else ()
        if said := "; ".join((*loaded, *meant)):
            yield Caution(code=CODE, text=f"{field.name}: {said}.")


Found = list[tuple[Dataset, SemanticField]]


def _fields(nodes: Sequence[BaseModel], model: SemanticModel) -> tuple[Found, Found]:
    """The columns that plain rows show, and those that anything else is asked of."""
    shown: list[FieldRef] = []
    for each in nodes:
        if isinstance(each, Query) and _is_plain(each):
            shown += [one for one in each.show if isinstance(one, FieldRef)]
    left = list(map(id, shown))
    used = [each for each in nodes if isinstance(each, FieldRef) and id(each) not in left]
    metrics = [each.metric for each in nodes if isinstance(each, MetricRef)]
    used += [ref for name in dict.fromkeys(metrics) for ref in _measured(name, model)]
    return _columns(shown, model), _columns(used, model)


def _is_plain(query: Query) -> bool:
    """Whether a query shows rows as they stand in the data."""
    grouped = query.by or query.metrics or query.unique or query.combine
    return not grouped and (query.rank is None or not query.rank.within)


def _measured(name: str, model: SemanticModel) -> Iterator[FieldRef]:
    """The fields that a metric is computed of."""
    metric = model.metric(name)
    match made := metric.definition if metric else None:
        case Cumulative(metric=inner):
            yield from _measured(inner, model)
        case Conversion(base=base, converted=converted):
            yield from (*_measured(base, model), *_measured(converted, model))
        case _:
            for each in parts(made):
                if isinstance(each, FieldRef):
                    yield each
                elif isinstance(each, MetricRef) and each.metric != name:
                    yield from _measured(each.metric, model)


def _columns(refs: Sequence[FieldRef], model: SemanticModel) -> Found:
    """The columns behind fields: of a computed field, those that it is made of."""
    found: Found = []
    for ref in dict.fromkeys((each.dataset, each.field) for each in refs):
        dataset = model.dataset(ref[0])
        field = dataset.find(ref[1]) if dataset else None
        if dataset is None or field is None:
            continue
        if field.expression is None:
            found.append((dataset, field))
        else:
            inner = [each for each in parts(field.expression) if isinstance(each, FieldRef)]
            found += _columns([each for each in inner if each.field != field.name], model)
    return found


def _notes_on(field: SemanticField, notes: Sequence[str]) -> Iterator[str]:
    """What was noted of a column while its file was read."""
    start = f"{field.column}: "
    yield from (each.removeprefix(start) for each in notes if each.startswith(start))


def _steps(dataset: Dataset, field: SemanticField) -> Iterator[str]:
    totals = {value for name, values in dataset.totals if name == field.name for value in values}
    for step in field.cleaning:
        match step:
            case Unknown(values=values):
                named = [each for each in values if str(each).strip() and each not in totals]
                if named:
                    yield _count_as([_quoted(each) for each in named], "missing")
            case Number():
                yield _number(step, field.unit)
            case Time(format=form, others=others):
                forms = " or ".join(dict.fromkeys(map(format_words, (form, *others))))
                yield read_as_times(forms, days=field.type == "date")
            case Fold(names=names):
                yield from _folded(names)


def _number(step: Number, unit: str) -> str:
    of = {"": "numbers", "%": "percentages"}.get(unit, f"numbers in {unit}")
    odd = step.decimal == "," or step.thousands not in ("", ",")
    long = f"1{step.thousands}234{step.decimal}5 is 1234.5"
    example = long if step.thousands else f"2{step.decimal}5 is 2.5"
    return f"texts are read as {of}" + (f" ({example})" if odd else "")


def _folded(names: Sequence[tuple[str, str]]) -> Iterator[str]:
    if not names:
        yield "blanks around values are left out"
    meant: dict[str, list[str]] = {}
    for said, value in names:
        meant.setdefault(value, []).append(_quoted(said))
    groups = [_count_as(each, _quoted(value)) for value, each in meant.items()]
    yield from groups[:_NAMED]
    if len(groups) > _NAMED:
        more = sum(map(len, list(meant.values())[_NAMED:]))
        yield f"{more} more spelling{'s' if more > 1 else ''} likewise"


def _count_as(values: Sequence[str], meant: str) -> str:
    """That values count as another one; of many the first, and how many more there are."""
    named = list(values[:_NAMED])
    if len(values) > _NAMED:
        named.append(f"{len(values) - _NAMED} more")
    said = named[0] if len(named) == 1 else f"{', '.join(named[:-1])} and {named[-1]}"
    return f"{said} count{'s' if len(values) == 1 else ''} as {meant}"


def _quoted(value: object) -> str:
    text = " ".join(str(value).split()) if isinstance(value, str) else f"{value:g}"
    text = text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
    return f"'{text}'" if isinstance(value, str) else text
