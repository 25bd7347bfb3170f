"""How many groups pass a test: their number, and not the number of their rows."""

from __future__ import annotations

from dataclasses import replace

from flows.analysis.reading.plan import AnyOf, Condition, Field, Measure, Plan


def count_of_groups(plan: Plan) -> Plan:
    """The plan that counts the groups that pass where a plan counts within each of them.

    `how many cities have more than 3 airports` asks for one number. Any other plan stays.
    """
    if not plan.having or len(plan.select) != 1 or plan.limit is not None or plan.combined:
        return plan
    counted = plan.select[0]
    if not isinstance(counted, Measure) or not counted.aggregation.startswith("count"):
        return plan
    fields = (*plan.groups, *plan.apart) or ((counted.field,) if counted.field else ())
    key = next((f for f in (*plan.apart, *fields) if f is not None), None)
    if key is None or len(plan.groups) > 1:
        return plan
    passing = replace(
        plan, kind="aggregate", select=(key,), groups=(key,), apart=(), order=(),
        distinct=False,
    )  # fmt: skip
    table = key.table or plan.table
    own = Field(key.column)
    return Plan(
        "aggregate", table, select=(Measure("count distinct", own),),
        filters=(AnyOf((Condition(own, "in", (passing,)),)),),
    )  # fmt: skip
