"""What a remark does to a plan: another order, more rows, fewer filters, other groups or values."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from flows.analysis.language.lexicon import LESS, MORE
from flows.analysis.language.words import Token, tokenize
from flows.analysis.linking.link import link
from flows.analysis.linking.links import Link
from flows.analysis.linking.schema import schema_of
from flows.analysis.plan import AnyOf, Comparison, Condition, Field, Measure, Order, Plan, Term
from flows.analysis.reading.draft import is_numeric, is_time
from flows.analysis.reading.finish import time_step
from flows.analysis.reading.read import Reading
from flows.core.observation import Cell
from flows.data.tables import Column, Table

Revision = tuple[Plan, str]
SORTING = re.compile(
    r"\b(?:sort(?:ed)?|order(?:ed)?|arranged?|rank(?:ed)?)\b|\b(?:asc|desc)(?:ending)?\b"
    r"|\b(?:in|de)creasing\b|\balphabetical(?:ly)?\b",
    re.IGNORECASE,
)
_DOWN = re.compile(
    r"\bdesc|\bdecreasing|\brevers|\b(?:highest|largest|biggest|latest|newest|most) first|"
    r"\bz to a\b",
    re.IGNORECASE,
)
_UP = re.compile(
    r"\basc|\bincreasing|\balphabetical|\b(?:lowest|smallest|earliest|oldest|least) first|"
    r"\ba to z\b",
    re.IGNORECASE,
)
_ALL = re.compile(
    r"^(?:(?:show|list|give|see|me|us|please|the|a|for|of|i|want|to|instead)\s+)*"
    r"(?:all|everything|every one|everyone|the whole list|the full list|the rest)\b"
    r"(?:\s+(?:of them|of it|rows|results|groups|please|instead|them))*\W*$",
    re.IGNORECASE,
)
_MORE = re.compile(
    r"^(?:(?:show|list|give|see|me|us|please|some|a few)\s+)*more\b(?:\s+(?:of them|rows|results|"
    r"groups|please|lines))*\W*$",
    re.IGNORECASE,
)
_THEM = re.compile(
    r"^(?:(?:list|name|show|see|what are|which)\s+)?(?:me\s+)?(?:them|these|those)(?:\s+all)?\W*$",
    re.IGNORECASE,
)
_UNFILTERED = re.compile(
    r"\b(?:all|every|any|each)\s+(?:the\s+)?(?P<one>[\w ]+)"
    r"|\b(?:remove|drop|ignore|without|skip|no)\s+(?:the\s+)?(?P<two>[\w ]+?)\s+"
    r"(?:filter|condition|restriction|limit)",
    re.IGNORECASE,
)
_NEGATED = re.compile(
    r"\b(?:without|not|except|excluding|excludes?|leave out|leaving out|other than|outside|minus|"
    r"drop|remove|omit|ignore|ignoring)\b",
    re.IGNORECASE,
)
_LEAST_MORE = 10
# Numbers from here on are years and not numbers of rows.
_YEARS = 1000


def revise(remark: str, before: Reading) -> Revision | None:
    """The plan as a remark changes it, with how in words; None if it says nothing about a plan."""
    for change in (
        _sorted,
        _more,
        _unlimited,
        _counted,
        _regrouped,
        _unfiltered,
        _filtered,
        _first,
    ):
        made = change(remark, before)
        if made is not None:
            return made
    return None


def asks_for_more(remark: str) -> bool:
    """Whether a remark asks for the rest of the rows."""
    return bool(_MORE.match(remark) or _ALL.match(remark))


def key_of(plan: Plan) -> Term | None:
    """What the rows of a plan are compared by: its order, else its measure."""
    if plan.order:
        return plan.order[0].by
    return next((term for term in plan.select if isinstance(term, Measure)), None)


def _ranked(plan: Plan) -> bool:
    return plan.limit is not None and bool(plan.order)


def _with_key(plan: Plan, key: Term | None) -> tuple[Term, ...]:
    return plan.select if key is None or key in plan.select else (*plan.select, key)


def _sorted(remark: str, before: Reading) -> Revision | None:
    """`sort by M ascending`, `in descending order`: one row that won becomes the whole list."""
    if not SORTING.search(remark):
        return None
    plan = before.plan
    named = _columns(remark, before.table)
    key = _key_called(named[0], plan) if named else key_of(plan)
    key = key or next(iter(plan.select), None)
    if key is None or (not plan.groups and plan.kind == "aggregate"):
        return None
    down = bool(_DOWN.search(remark))
    if not down and not _UP.search(remark):
        down = bool(plan.order and plan.order[0].by == key and plan.order[0].descending)
    single = plan.limit == 1
    changed = replace(
        plan, kind="aggregate" if plan.groups else "rows", order=(Order(key, down),),
        select=_with_key(plan, key) if single else plan.select, evidence=(),
        limit=None if single else plan.limit, offset=0,
    )  # fmt: skip
    if changed.limit is not None and key not in changed.select:
        changed = replace(changed, evidence=(key,))
    return changed, f"sorted by {_name(key)}, {'descending' if down else 'ascending'}"


def _key_called(column: Column, plan: Plan) -> Term | None:
    """What a column means as a key: the measure of it that the plan has, or itself."""
    terms = [*plan.select, *(order.by for order in plan.order)]
    for term in terms:
        if isinstance(term, Measure) and term.field and term.field.column == column.name:
            return term
    field = Field(column.name)
    if plan.groups and field not in plan.groups:
        return Measure("avg", field) if is_numeric(column) else None
    return field


def _name(term: Term) -> str:
    if isinstance(term, Field):
        return term.column
    return f"{term.aggregation} of {term.field.column}" if term.field else "the number of rows"


def _more(remark: str, before: Reading) -> Revision | None:
    plan = before.plan
    if plan.limit is None or not _MORE.match(remark):
        return None
    limit = max(_LEAST_MORE, 2 * plan.limit)
    return replace(plan, limit=limit, offset=0), f"{limit} rows instead of {plan.limit}"


def _unlimited(remark: str, before: Reading) -> Revision | None:
    plan = before.plan
    if plan.limit is None or not _ALL.match(remark):
        return None
    key = key_of(plan)
    changed = replace(
        plan, limit=None, offset=0, evidence=(), select=_with_key(plan, key) if key else plan.select
    )
    return changed, "all rows, and not only the first"


def _counted(remark: str, before: Reading) -> Revision | None:
    """`list them` after a count: what was counted."""
    plan = before.plan
    only = plan.select[0] if len(plan.select) == 1 and not plan.groups else None
    if not _THEM.match(remark) or not isinstance(only, Measure):
        return None
    if only.aggregation == "count":
        return replace(plan, kind="rows", select=()), "the rows that were counted"
    if only.aggregation != "count_distinct" or only.field is None:
        return None
    listed = replace(plan, kind="rows", select=(only.field,), distinct=True)
    return listed, f"the different {only.field.column} that were counted"


def _unfiltered(remark: str, before: Reading) -> Revision | None:
    """`all years`, `remove the region filter`: the conditions on that column go."""
    found = _UNFILTERED.search(remark)
    if not found:
        return None
    for column in _columns(found["one"] or found["two"], before.table):
        changed = _without_filters(before.plan, column.name)
        if changed != before.plan:
            return changed, f"without the condition on {column.name}"
    return None


def _without_filters(plan: Plan, column: str) -> Plan:
    kept = [
        any_of for any_of in plan.filters
        if not all(each.field.column == column for each in any_of.conditions)
    ]  # fmt: skip
    return replace(plan, filters=tuple(kept))


def _regrouped(remark: str, before: Reading) -> Revision | None:
    """`by region`, `per year`: the winner of other groups, or a value for each of them."""
    found = re.search(
        r"\b(?:by|per|for (?:each|every)|each)\s+(.+?)(?:\s+(?:instead|please))*\W*$", remark,
        re.IGNORECASE,
    )  # fmt: skip
    named = _columns(found.group(1), before.table) if found else []
    if len(named) != 1:
        return None
    column, plan = named[0], _without_filters(before.plan, named[0].name)
    field = Field(column.name)
    key = key_of(plan)
    if isinstance(key, Field) and _ranked(plan):
        key = Measure("max" if plan.order[0].descending else "min", key)
    if not isinstance(key, Measure) or (not _ranked(plan) and plan == before.plan):
        return None
    plain = replace(plan, kind="aggregate", order=(), limit=None, offset=0, evidence=())
    how = f"for each {column.name}"
    if is_time(column):
        when = Field(column.name, time_step(column))
        series = (when, *(group for group in plan.groups if group.column != column.name))
        trend = replace(plain, kind="trend", groups=series, select=(*series, key))
        return replace(trend, order=(Order(when),), distinct=False), how
    if _ranked(plan) and isinstance(before.plan.order[0].by, Measure):
        return replace(plan, groups=(field,), select=(field,), evidence=(key,)), how
    return replace(plain, groups=(field,), select=(field, key), distinct=False), how


def _filtered(remark: str, before: Reading) -> Revision | None:
    """`only V and W`, `without V or W`, and `for V` where the groups of V were ranked."""
    positive = re.sub(r"(?i)\bnot\s+.+?\bbut\b|\b(?:instead of|rather than|, not)\b.*", "", remark)
    values = _values(positive, before)
    if values is None:
        return None
    column, found = values
    plan, field = before.plan, Field(column.name)
    negated = bool(_NEGATED.search(positive))
    said = " and ".join(map(str, found))
    if not negated and len(found) == 1 and _ranked(plan) and field in (*plan.groups, *plan.select):
        return _looked_up(plan, field, found[0]), f"the value of {said}"
    if len(found) < 2 and not negated:
        return None
    test: Comparison = ("not in" if negated else "in") if len(found) > 1 else "!="
    kept = plan if negated else _without_filters(plan, column.name)
    new = AnyOf((Condition(field, test, found),))
    how = f"without {said}" if negated else f"only {said}"
    return replace(kept, filters=(*kept.filters, new)), how


def _looked_up(plan: Plan, field: Field, value: Cell) -> Plan:
    """The value by which groups were ranked, of one of them."""
    kept = _without_filters(plan, field.column)
    by = plan.order[0].by
    return replace(
        kept, select=(by,), groups=(), order=(), limit=None, offset=0, evidence=(), distinct=False,
        filters=(*kept.filters, AnyOf((Condition(field, "=", (value,)),))),
        kind="aggregate" if isinstance(by, Measure) else "rows",
    )  # fmt: skip


def _values(remark: str, before: Reading) -> tuple[Column, tuple[Cell, ...]] | None:
    """The values that a remark names, if they are of one column; several years are as good."""
    links = [each for each, _ in linked(remark, before.table)]
    held = [each for each in links if each.kind == "value" and each.values]
    if held:
        shared = set.intersection(*[{name for name, _ in each.values} for each in held])
        used = _used_columns(before.plan)
        by_name = schema_of(before.table).by_name
        names = sorted(shared, key=lambda name: (name not in used, by_name[name].distinct))
        if not names:
            return None
        column = by_name[names[0]]
        return column, tuple(v for each in held for name, v in each.values if name == names[0])
    years = [each.literal for each in links if isinstance(each.literal, int)]
    times = [c for c in before.table.columns if is_time(c) and c.type == "integer"]
    if not years or len(times) != 1 or not all(1000 <= year <= 2200 for year in years):
        return None
    return times[0], tuple(years)


def _used_columns(plan: Plan) -> set[str]:
    terms = {group.column for group in plan.groups}
    terms |= {each.field.column for any_of in plan.filters for each in any_of.conditions}
    return terms | {term.column for term in plan.select if isinstance(term, Field)}


def _first(remark: str, before: Reading) -> Revision | None:
    """`only the lowest` of groups that were listed, `the first 10` of rows that were."""
    plan = before.plan
    words = [token.lower for token in tokenize(remark)]
    number = next((t.value for t in tokenize(remark) if t.kind == "number"), None)
    size = number if isinstance(number, int) and 0 < number < _YEARS else None
    if plan.limit is None and size and re.search(r"(?i)\b(?:first|top|rows?|limit|only)\b", remark):
        return replace(plan, limit=size, evidence=()), f"the first {size} rows"
    end = next((word for word in words if word in MORE or word in LESS), None)
    measure = next((term for term in plan.select if isinstance(term, Measure)), None)
    if end is None or measure is None or not plan.groups or plan.limit or plan.kind == "trend":
        return None
    changed = replace(
        plan, select=plan.groups, evidence=(measure,), order=(Order(measure, end in MORE),),
        limit=size or 1,
    )  # fmt: skip
    return changed, f"the {end} of them"


def linked(text: str, table: Table) -> list[tuple[Link, Sequence[Token]]]:
    """The links of a remark over one table, with its tokens."""
    tokens = tokenize(text)
    return [(each, tokens) for each in link(tokens, schema_of(table), prefer_table=False)]


def _columns(text: str, table: Table) -> list[Column]:
    by_name = schema_of(table).by_name
    return [
        by_name[each.columns[0]] for each, _ in linked(text, table)
        if each.kind == "column" and each.columns
    ]  # fmt: skip
