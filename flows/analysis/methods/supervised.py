"""A target and what explains it: what regressions and models have in common."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from pydantic import Field

from flows.analysis.methods.arguments import MOST_COLUMNS, MOST_GROUPS, AnyColumn, Arguments, plots
from flows.analysis.methods.method import MethodRequest, words
from flows.analysis.reading.draft import is_numeric, is_time
from flows.analysis.reading.reader import Unread
from flows.data.tables import Column, Table

EXPLAINING = words(
    """predict predicts predicted predicting prediction predictions predictive explain explains
    explained explaining determine determines determining influence influences effect affect affects
    estimate expect expected drives driving target dependent outcome response independent
    predictors covariates features given what how all other others rest everything else identify
    key main most important potential driver drivers driving numerical numeric"""
)


class Supervised(Arguments):
    """A column and those that explain it. `classes` says that its values are names of classes."""

    called: ClassVar[str] = "a model"

    target: AnyColumn = Field(min_length=1)
    fields: tuple[AnyColumn, ...] = Field(min_length=1, max_length=MOST_COLUMNS)
    classes: bool = False

    @property
    def explained(self) -> dict[str, object]:
        """What any method of this family is given."""
        return {"target": self.target, "fields": self.fields, "classes": self.classes}

    def limits(self, table: Table) -> tuple[str, ...]:
        known = {each.name: each for each in table.columns}
        target = known[self.target]
        if self.target in self.fields:
            return (f"{self.target} cannot explain itself",)
        if not plots(target) and not self.classes:
            return (f"{self.target} holds no numbers but text, and is to be learned as classes",)
        if self.classes and target.distinct > MOST_GROUPS:
            return (f"{target.name} has {target.distinct} values, too many to tell apart",)
        unfit = [n for n in self.fields if not plots(known[n]) and known[n].distinct > MOST_GROUPS]
        if unfit:
            return (f"{' and '.join(unfit)} has too many values to explain anything by",)
        return ()


def explaining(request: MethodRequest, at: Sequence[str] = ()) -> Supervised | Unread:
    """A target and what explains it: the named columns, else all that can."""
    if not request.target:
        return Unread("it does not say which column is to be explained")
    target, table = request.of(request.target), request.table
    named = [c.name for c in request.columns if c.name != target.name]
    used = list(at) or named or [c.name for c in _others(request, target)]
    if request.group and request.group != target.name:
        used.append(request.group)
    if not used:
        return Unread(f"{table.name} has no other column that could explain {target.name}")
    if not named and not at:
        request.draft.note("by all columns that can")
    fields = tuple(dict.fromkeys(used))[:MOST_COLUMNS]
    return request.make(
        Supervised, {"target": target.name, "fields": fields, "classes": not plots(target)}
    )


def _others(request: MethodRequest, target: Column) -> list[Column]:
    """All columns that can explain the target; those of numbers where only these are wanted."""
    able = [c for c in request.table.columns if c.name != target.name and may_explain(c)]
    if not request.says(r"\bnumer\w+ (?:\w+ )?(?:columns|variables|features|fields|attributes)"):
        return able
    return [each for each in able if is_numeric(each) and not is_time(each)]


def with_classes(request: MethodRequest, found: Supervised | Unread) -> Supervised | Unread:
    """The same, where whole numbers of few values are names of classes too."""
    if isinstance(found, Unread) or not is_class(request.of(found.target)):
        return found
    return request.make(Supervised, {**dict(found), "classes": True})


def is_class(column: Column) -> bool:
    """Whether whole numbers are names of a few classes and not amounts."""
    return (column.type == "integer" and column.distinct <= 10 and column.role != "measure") or (
        column.type == "integer" and column.distinct <= 3
    )


def may_explain(column: Column) -> bool:
    """Whether a column can stand on the explaining side of a model."""
    if column.role == "id":
        return False
    return plots(column) or (column.role in ("category", "boolean") and column.distinct <= 20)
