"""Whether a figure is the sum or the average, where neither the question nor the data say it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

from flows.core.observation import Caution
from flows.data.tables import Column, Table
from flows.semantics.inference.quantities import adds_up
from flows.semantics.query import Aggregate, FieldRef
from flows.semantics.request import REQUEST
from flows.semantics.tree import parts

# Words by which a question says which of both it means.
_SAYING: Final = re.compile(
    r"\b(?:totals?|totall?ed|sums?|summed|altogether|combined|overall|together|added|all|"
    r"how (?:much|many)|averages?|avg|means?|typical(?:ly)?|usual(?:ly)?|medians?|share|"
    r"percent(?:age)?|most|least|summe|gesamt\w*|insgesamt|zusammen|wie ?viele?|"
    r"durchschnitt\w*|mittel\w*|im schnitt)\b",
    re.IGNORECASE,
)
_MADE: Final = {"sum": ("summed up", "average"), "average": ("averaged", "total")}


def with_assumption(question: str, made: dict[str, Any], tables: Sequence[Table]) -> dict[str, Any]:
    """The proposal of a question, and whether it takes the sum or the average where that is
    assumed: amounts are known by their names, as are prices, rates and ages, which have no sum."""
    if made["request"] is None or not (made["sql"] or made["code"]) or _SAYING.search(question):
        return made
    known = {(table.name, each.name): each for table in tables for each in table.columns}
    request = REQUEST.validate_python(made["request"])
    said = dict.fromkeys(_assumed([*parts(request)], known))
    more = [each.model_dump() for each in said]
    return {**made, "warnings": [*made["warnings"], *more]} if more else made


def _assumed(nodes: Sequence[object], known: dict[tuple[str, str], Column]) -> Iterator[Caution]:
    for each in nodes:
        if not isinstance(each, Aggregate) or not isinstance(each.of, FieldRef):
            continue
        column = known.get((each.of.dataset, each.of.field))
        made = _MADE.get(each.function)
        if made and column and column.additive is None and not adds_up(column):
            text = f"{column.name} is {made[0]}: say {made[1]} where that is meant."
            yield Caution(code="assumed", text=text)
