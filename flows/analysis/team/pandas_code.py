"""A plan as statements of pandas over the one data frame that it is about."""

from __future__ import annotations

from collections.abc import Sequence

from flows.analysis.methods.columns import outside
from flows.analysis.methods.filters import either_text, field_text, filter_lines
from flows.analysis.plan import Derived, Field, Measure, Order, Plan, Term, term_name
from flows.analysis.reading.read import Unread
from flows.data.tables import Table

_AGGREGATED = {
    "avg": "mean", "median": "median", "sum": "sum", "min": "min", "max": "max", "count": "count",
    "count_distinct": "nunique",
}  # fmt: skip
_TESTS = {"=": "==", "!=": "!=", ">": ">", ">=": ">=", "<": "<", "<=": "<="}
_SEVERAL = (
    "it needs more than the rows of one table, which is a task of the data processor; give its "
    "result as the data"
)


def plan_lines(plan: Plan, table: Table) -> list[str] | Unread:
    """Statements that make `result` of the frame `data`; why not for a plan over several tables."""
    if plan.joins or plan.combined or outside(plan.filters, plan.table):
        return Unread(_SEVERAL)
    if any(each.operation == "difference" for each in plan.derived):
        return Unread("a difference to the result of another question needs both as data")
    if any(each.comparison not in _TESTS for each in plan.having):
        return Unread("its condition on groups cannot be computed")
    measures = [each for each in _terms(plan) if isinstance(each, Measure)]
    lines = filter_lines(plan.filters, table)
    if plan.groups:
        lines += _grouped(plan, measures, table)
    elif measures:
        made = ", ".join(f"{term_name(m)!r}: [{_measure(m, table)}]" for m in measures)
        lines.append(f"result = pd.DataFrame({{{made}}})")
    else:
        lines += _rows(plan, table)
    lines += [line for each in plan.derived for line in _derived(each)]
    if plan.groups or measures:
        lines += _ordered(plan)
        names = [term_name(each) for each in plan.columns]
        names += [each.operation for each in plan.derived]
        lines.append(f"result = result[{list(dict.fromkeys(names))!r}]")
    if plan.decimals is not None:
        lines.append(f"result = result.round({plan.decimals})")
    return [*lines, "result = result.reset_index(drop=True)"]


def _terms(plan: Plan) -> list[Term]:
    """All that a plan computes, what it only sorts or tests by too, each once."""
    found: list[Term] = list(plan.columns)
    found += [each.by for each in plan.order]
    found += [each.measure for each in plan.having]
    for each in plan.derived:
        found += [each.of, *(order.by for order in each.order)]
    return list(dict.fromkeys(found))


def _rows(plan: Plan, table: Table) -> list[str]:
    """The rows as they stand, or some columns of them, sorted while all are there."""
    lines = []
    if plan.order:
        by = [f"by_{at}" for at in range(len(plan.order))]
        made = ", ".join(
            f"{name}={field_text(each.by, table)}"
            for name, each in zip(by, plan.order, strict=True)
            if isinstance(each.by, Field)
        )
        up = [not each.descending for each in plan.order]
        lines.append(
            f"data = data.loc[pd.DataFrame(dict({made})).sort_values({by!r}, ascending={up!r},"
            ' kind="stable").index]'
        )
    fields = [each for each in plan.columns if isinstance(each, Field)]
    if fields:
        made = ", ".join(f"{term_name(each)!r}: {field_text(each, table)}" for each in fields)
        lines.append(f"result = pd.DataFrame({{{made}}})")
    else:
        lines.append("result = data.copy()")
    if plan.distinct:
        lines.append("result = result.drop_duplicates()")
    return [*lines, *_cut(plan)]


def _grouped(plan: Plan, measures: Sequence[Measure], table: Table) -> list[str]:
    keys = ", ".join(f"{field_text(f, table)}.rename({term_name(f)!r})" for f in plan.groups)
    lines = [f"keys = [{keys}]"]
    if measures:
        made = ", ".join(f"{term_name(m)!r}: {_in_groups(m, table)}" for m in measures)
        lines.append(f"result = pd.DataFrame({{{made}}}).reset_index()")
    else:
        names = [term_name(each) for each in plan.groups]
        lines.append("result = pd.concat(keys, axis=1).drop_duplicates().dropna()"
                     f".sort_values({names!r})")  # fmt: skip
    lines += [
        f"result = result[result[{term_name(each.measure)!r}] {_TESTS[each.comparison]} "
        f"{each.values[0]!r}]"
        for each in plan.having
    ]
    return lines


def _measure(measure: Measure, table: Table) -> str:
    if measure.aggregation == "share":
        return f"100.0 * ({_mask(measure, table)}).mean()"
    if measure.field is None:
        return "len(data)"
    return f"{field_text(measure.field, table)}.{_AGGREGATED[measure.aggregation]}()"


def _in_groups(measure: Measure, table: Table) -> str:
    by = "groupby(keys, observed=True, dropna=False)"
    if measure.aggregation == "share":
        return f"100.0 * ({_mask(measure, table)}).{by}.mean()"
    if measure.field is None:
        return f"data.{by}.size()"
    return f"{field_text(measure.field, table)}.{by}.{_AGGREGATED[measure.aggregation]}()"


def _mask(measure: Measure, table: Table) -> str:
    return " & ".join(f"({either_text(each, table)})" for each in measure.of)


def _derived(derived: Derived) -> list[str]:
    """The statements that add a column computed from the rows of the result."""
    name, of = derived.operation, term_name(derived.of)
    within = [term_name(each) for each in derived.within]
    grouped = f".groupby({within!r}, observed=True)[{of!r}]" if within else f"[{of!r}]"
    sort = [_sorted(derived.order)] if derived.order else []
    if name == "rank":
        by, down = (derived.order[0].by, derived.order[0].descending) if derived.order else (
            derived.of, True)  # fmt: skip
        over = grouped.replace(repr(of), repr(term_name(by)))
        made = f'result{over}.rank(method="min", ascending={not down!r}, na_option="bottom")'
        return [f"result[{name!r}] = {made}.astype('int64')"]
    if name == "share":
        total = f"result{grouped}.transform('sum')" if within else f"result[{of!r}].sum()"
        return [f"result[{name!r}] = 100.0 * result[{of!r}] / {total}"]
    method = {"running": "cumsum()", "change": "diff()", "growth": "pct_change() * 100.0"}[name]
    return [*sort, f"result[{name!r}] = result{grouped}.{method}"]


def _ordered(plan: Plan) -> list[str]:
    return [*([_sorted(plan.order)] if plan.order else []), *_cut(plan)]


def _sorted(order: Sequence[Order]) -> str:
    by = [term_name(each.by) for each in order]
    up = [not each.descending for each in order]
    return f'result = result.sort_values({by!r}, ascending={up!r}, kind="stable")'


def _cut(plan: Plan) -> list[str]:
    if plan.limit is None:
        return []
    return [f"result = result.iloc[{plan.offset} : {plan.offset + plan.limit}]"]
