"""A draft that has been read becomes a plan, with what goes without saying."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from flows.analysis.language.lexicon import ROW_WORDS
from flows.analysis.language.words import singular
from flows.analysis.reading.additivity import of_each
from flows.analysis.reading.draft import TAKEN, Draft, is_numeric
from flows.analysis.reading.plan import (
    COUNT,
    AnyOf,
    Condition,
    Field,
    Measure,
    Order,
    Part,
    Plan,
    Term,
)
from flows.data.tables import Column


def finish(draft: Draft) -> Plan | None:
    """The plan of a draft, with what goes without saying; None if it asks nothing."""
    if draft.compare:
        _group_compared(draft)
    if draft.share:
        return _share_plan(draft)
    if draft.trend:
        return _trend_plan(draft)
    if draft.schema.joined:
        _settle_counts(draft)
    select = list(draft.select) or _named_first(draft)
    measures = [term for term in select if isinstance(term, Measure)]
    fields = [term for term in select if isinstance(term, Field)]
    by_group = any(isinstance(o.by, Measure) for o in draft.order) or bool(draft.having)
    if draft.grouped and not fields:
        fields = _label(draft, draft.grouped[0])
        select = [*fields, *select]
    if not select and not draft.star:
        said = () if draft.left_over() else draft.groups  # `each student's name`, and no more
        select = list(_default_selection(draft) or said)
        fields = [term for term in select if isinstance(term, Field)]
        if not select and not draft.star:
            return None
    if draft.schema.joined:
        select = _group_named(draft, select, measures, by_group)
    _group_rows(draft, fields)
    if _is_extreme_row(draft, measures, fields):
        return _extreme_row(draft, measures[0], select)
    if not draft.groups and measures:
        fields = _without_flags(draft, fields, measures)
        select = [term for term in select if isinstance(term, Measure) or term in fields]
    if not draft.groups and fields and (measures or by_group):
        draft.groups = list(fields)
    if draft.groups and not measures and not by_group and not draft.limit:
        measures = [Measure("count")] if not fields else []
        select += [m for m in measures if m not in select]
    if draft.groups:
        missing = [f for f in draft.groups if f not in select]
        if not (draft.order and draft.limit and fields):
            select = [*missing, *select]
        select = [_aggregated(draft, term) for term in select]
        outside = [f for f in fields if f not in draft.groups and f in select]
        draft.groups += outside
    return _assemble(draft, select)


def _aggregated(draft: Draft, term: Term) -> Term:
    """A plain measure beside groups of many rows is one number of each group."""
    if not isinstance(term, Field) or term in draft.groups or draft.grouped or draft.order:
        return term
    column = draft.schema.by_name[term.column]
    of_rows = [draft.schema.by_name[each.column] for each in draft.groups]
    parts = any(each.part != "value" for each in draft.groups)
    many = parts or all(each.distinct * 2 <= each.rows for each in of_rows)
    if column.role != "measure" or column.type not in ("integer", "real") or not many:
        return term
    measure = of_each(draft, term)
    said = "added up" if measure.aggregation == "sum" else "averaged"
    draft.note(f"{term.column} is {said} for each group")
    draft.doubt += 0.2
    return measure


def _settle_counts(draft: Draft) -> None:
    """Of several tables, say whose rows a count without a name means."""
    fields = [each for each in (*draft.select, *draft.groups) if isinstance(each, Field)]
    tested = [*draft.select, *(o.by for o in draft.order), *(h.measure for h in draft.having)]
    if draft.counted or COUNT not in tested:
        return
    shown = {draft.schema.home(each.column) for each in fields} | set(draft.grouped)
    others = [name for name in draft.named_tables() if name not in shown]
    measured = [draft.schema.home(each.field.column) for each in draft.select
                if isinstance(each, Measure) and each.field]  # fmt: skip
    beside = [name for name in others if name in measured]  # `the number and average pay of T`
    named = beside[:1] or others[-1:] or [draft.schema.grain or ""]
    if not named[0]:
        draft.doubt += 0.3
        return
    counted = draft.rows_of(named[0])
    draft.select = [counted if each == COUNT else each for each in draft.select]
    draft.order = [replace(o, by=counted) if o.by == COUNT else o for o in draft.order]
    draft.having = [replace(h, measure=counted) if h.measure == COUNT else h for h in draft.having]
    for each in fields:
        home = draft.schema.home(each.column)
        if _is_one_of_each(draft, home, named[0]):
            continue
        if home != named[0] and tells_rows(draft, draft.schema.by_name[each.column]):
            draft.group_by_rows_of(home)


def _is_one_of_each(draft: Draft, name: str, counted: str) -> bool:
    """Whether the rows of a table are told apart by what is counted: each has one of it."""
    theirs = draft.schema.key(counted)
    if name == counted or len(theirs) != 1:
        return False
    return not draft.schema.same(theirs[0]).isdisjoint(draft.schema.key(name))


def _label(draft: Draft, name: str) -> list[Field]:
    return [Field(column.name) for column in draft.label(name)]


def _group_named(
    draft: Draft, select: list[Term], measures: Sequence[Measure], by_group: bool
) -> list[Term]:
    """Of several tables: names beside a count mean their rows; nothing is grouped for nothing."""
    fields = [term for term in select if isinstance(term, Field)]
    if not measures and not by_group and not draft.limit and set(fields) - set(draft.groups):
        select = [*(group for group in draft.groups if group not in select), *select]
        draft.groups, draft.grouped = [], []
    if not measures or draft.grouped or draft.groups:
        return select
    measured = {draft.schema.home(m.field.column) for m in measures if m.field} | {draft.counted}
    for each in fields:
        home = draft.schema.home(each.column)
        column = draft.schema.by_name[each.column]
        if draft.counted and _is_one_of_each(draft, home, draft.counted):
            continue
        if home not in measured and tells_rows(draft, column):
            draft.group_by_rows_of(home)
    return select


def tells_rows(draft: Draft, column: Column) -> bool:
    """Whether a column names the rows of its table, or is their key: few share a name."""
    home = draft.schema.home(column.name)
    named = column in draft.label(home) and column.distinct * 2 > column.rows
    return named or (column.name,) == draft.schema.key(home)


_MANY = 0.25


def _group_rows(draft: Draft, fields: Sequence[Field]) -> None:
    """Groups of rows of a table: shown by the columns that are asked for, told apart by its key."""
    for name in draft.grouped:
        reached = draft.schema.reached(name)
        own = [each for each in fields if draft.schema.home(each.column) in reached]
        if any(draft.schema.home(each.column) not in reached for each in fields):
            draft.doubt += _MANY  # a row of the group has many values there
        shown = own or _label(draft, name)
        draft.groups += [each for each in shown if each not in draft.groups]
        key = [Field(each) for each in draft.schema.key(name)]
        draft.apart += [each for each in key if each not in draft.apart]


def _without_flags(draft: Draft, fields: list[Field], measures: Sequence[Measure]) -> list[Field]:
    """`how many orders were returned`: a column of yes and no counts where it is yes."""
    kept = []
    for field in fields:
        asked = all(measure.aggregation.startswith("count") for measure in measures)
        if asked and draft.schema.by_name[field.column].type == "boolean":
            draft.filters.append(AnyOf((Condition(field, "=", (True,)),)))
            draft.note(f"only where {field.column} is true")
        else:
            kept.append(field)
    return kept


def _is_extreme_row(draft: Draft, measures: Sequence[Measure], fields: Sequence[Field]) -> bool:
    """`the lowest M and its C`: one row, and not the lowest M of each C."""
    return (
        not draft.groups and not draft.order and not draft.having and len(fields) > 0
        and len(measures) == 1 and measures[0].aggregation in ("minimum", "maximum")
    )  # fmt: skip


def _extreme_row(draft: Draft, measure: Measure, select: Sequence[Term]) -> Plan | None:
    assert measure.field is not None
    draft.order, draft.limit = [Order(measure.field, measure.aggregation == "maximum")], 1
    plain = [term.field if isinstance(term, Measure) and term.field else term for term in select]
    return _assemble(draft, list(dict.fromkeys(plain)))


_SENSELESS = 0.45


def _counts_one(draft: Draft, select: Sequence[Term]) -> bool:
    """Whether rows are counted in groups of which each has one row by what is known."""
    measures = [*select, *(o.by for o in draft.order), *(h.measure for h in draft.having)]
    if COUNT not in measures or draft.apart:
        return False
    counted = draft.counted or draft.schema.grain or draft.schema.table.name
    columns = [draft.schema.by_name[group.column] for group in draft.groups]
    return any(draft.schema.home(c.name) == counted and c.distinct == c.rows > 1 for c in columns)


def _assemble(draft: Draft, select: list[Term]) -> Plan | None:
    if draft.groups and _counts_one(draft, select):
        draft.doubt += _SENSELESS
        draft.note("every group has one row")
    order = list(draft.order)
    if draft.order_by_first is not None and not order:
        counted = [t for t in select if isinstance(t, Measure)] if draft.groups else []
        first = next(iter([*counted, *select] if not draft.order_by_name else select), None)
        if first is None:
            return None
        order = [Order(first, draft.order_by_first)]
    if draft.groups and draft.order:
        order = [_within_group(each, draft.groups) for each in order]
    grouped = bool(draft.groups) or any(isinstance(term, Measure) for term in select)
    if draft.limit and grouped and not draft.groups:
        return None
    if grouped and not draft.groups and order:  # one row is in no order: something else is meant
        draft.doubt += 0.3
        order = []
    table = draft.schema.table
    if draft.limit and order and draft.groups:
        _leave_out_nothing(draft)
    return Plan(
        kind="aggregate" if grouped else "rows", table=table.name, select=tuple(select),
        groups=tuple(draft.groups), filters=tuple(draft.filters), having=tuple(draft.having),
        order=tuple(order), limit=draft.limit, offset=draft.offset, apart=tuple(draft.apart),
        distinct=not grouped and (draft.distinct or _repeats(draft, select, order)),
    )  # fmt: skip


def _leave_out_nothing(draft: Draft) -> None:
    """Rows without a value are no group that can come first."""
    for group in draft.groups:
        if draft.schema.by_name[group.column].missing:
            draft.filters.append(AnyOf((Condition(group, "present"),)))


def _repeats(draft: Draft, select: Sequence[Term], order: Sequence[Order]) -> bool:
    """Whether one category is listed that most rows repeat: nobody wants to read it 50 times."""
    if len(select) != 1 or order or draft.limit or not isinstance(select[0], Field):
        return False
    column = draft.schema.by_name[select[0].column]
    if column.role == "category" and column.distinct * 4 <= column.rows:
        return True
    if any(slot[0] == "T" for slot in draft.slots):  # `the C of all T`: a value of each row
        return False
    return column.distinct * 3 <= column.rows * 2 and column not in draft.label()


def _within_group(order: Order, groups: Sequence[Field]) -> Order:
    """In grouped rows, an order by a plain column means the largest (or smallest) of each group."""
    if isinstance(order.by, Field) and order.by not in groups:
        return replace(order, by=Measure("maximum" if order.descending else "minimum", order.by))
    return order


def _group_compared(draft: Draft) -> None:
    """What is compared stands side by side: one group for each value compared."""
    for any_of in draft.filters:
        for condition in any_of.conditions:
            if condition.comparison == "in" and condition.field not in draft.groups:
                draft.groups.append(condition.field)
    if draft.groups:
        for place, term in enumerate(draft.select):
            if isinstance(term, Field) and draft.schema.by_name[term.column].role == "measure":
                draft.note(f"{term.column} is compared by its average")
                draft.select[place] = Measure("average", term)


def _named_first(draft: Draft) -> list[Term]:
    """The column that a question opens with, when only its filters used it."""
    if draft.star or draft.groups or draft.having or draft.first[:1] != "C":
        return []
    asked = re.search(r"(?<!\S)(?:which|what|list|show|find|give|return|display)(?!\S)", draft.line)
    if not asked and not draft.opens:
        return []
    if not any(isinstance(o.by, Measure) for o in draft.order) and draft.filters:
        return [Field(column.name) for column in draft.columns(draft.first)]
    return []


def _default_selection(draft: Draft) -> Sequence[Term]:
    """What is asked for when no column is named: the rows' names, or the sorted column itself."""
    if draft.groups:
        return ()
    asked = re.search(
        r"(?<!\S)(?:which|what|who|list|show|find|give|return|display|T\d+|whose)(?!\S)", draft.line
    )
    if not asked:
        return ()
    told = draft.filters or draft.order or draft.having or re.search(r"T\d", draft.line)
    rows = any(key[0] == "T" and singular(s.text) in ROW_WORDS for key, s in draft.slots.items())
    if rows and told:
        draft.star = True
        return ()
    tables = draft.named_tables()
    label = draft.label(tables[0] if tables else None)
    if not label or not told:
        return ()
    if set(label) <= set(_fixed(draft)):
        draft.star = True
        return ()
    draft.note("no column is named, so the rows' names are given")
    draft.doubt += 0.1
    draft.line = re.sub(r"(?<!\S)names?(?!\S)", TAKEN, draft.line)
    return [Field(column.name) for column in label]


def _fixed(draft: Draft) -> list[Column]:
    """The columns that the filters hold to one value: to list them would only repeat it."""
    tests = [any_of.conditions[0] for any_of in draft.filters if len(any_of.conditions) == 1]
    return [draft.schema.by_name[t.field.column] for t in tests if t.comparison == "="]


def _share_plan(draft: Draft) -> Plan | None:
    if not draft.filters:
        return None
    table = draft.schema.table
    draft.note("the share of rows for which the condition holds, in percent")
    counted = Field(draft.shared.name) if draft.shared else None
    measure = Measure("share", counted, of=tuple(draft.filters))
    return Plan(
        "aggregate", table.name, select=(*draft.groups, measure),
        groups=tuple(draft.groups),
    )  # fmt: skip


def _trend_plan(draft: Draft) -> Plan | None:
    time = draft.time_column()
    if time is None:
        return None
    measures = [t for t in draft.select if isinstance(t, Measure)]
    fields = [t for t in draft.select if isinstance(t, Field)]
    plain = [
        f for f in fields if is_numeric(draft.schema.by_name[f.column]) and f.column != time.name
    ]
    groups = [f for f in fields if f not in plain and f.column != time.name] + draft.groups
    groups = [f for f in dict.fromkeys(groups) if f.column != time.name]
    measures += [of_each(draft, field) for field in plain]
    if not measures:
        return None
    for each in measures[len(measures) - len(plain) :]:
        said = "are added up" if each.aggregation == "sum" else "are averaged"
        draft.note(f"rows that share one {time.name} {said}")
    when = Field(time.name, time_step(time))
    draft.note(f"{time.name} is the time")
    table = draft.schema.table
    return Plan(
        "trend", table.name, select=(when, *groups, *measures),
        groups=(when, *groups), filters=tuple(draft.filters), order=(Order(when),),
    )  # fmt: skip


def time_step(column: Column) -> Part:
    """Years where a column of dates has more of them than a person reads."""
    if column.type not in ("date", "timestamp") or column.distinct <= 40:
        return "value"
    first, last = str(column.minimum)[:4], str(column.maximum)[:4]
    return "year" if first != last else "month of year"
