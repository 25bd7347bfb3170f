"""Parts of a semantic model in words, for people."""

from __future__ import annotations

from flows.semantics.formats.sql_parts import NOTHING, metric_sql
from flows.semantics.model import (
    Cleaning,
    Conversion,
    Cumulative,
    Dataset,
    Fold,
    Metric,
    Number,
    Relationship,
    SemanticField,
    SemanticModel,
    Time,
)
from flows.semantics.query import Aggregate, Arithmetic, Constant, Expression, FieldRef, MetricRef
from flows.ui.cells import exact
from flows.ui.terminal_text import one_line

_SHOWN = 4
_VALUE = 24
# Vowels that are spoken as in "you" or "one".
_LIKE_YOU = ("us", "uni", "uti", "eu", "one")
_MARKS = {",": "a comma", ".": "a point", " ": "a blank", "'": "an apostrophe"}
_ADDED = {"all": "", "not over time": "not summed over time", "none": "not summed"}
_DATES = {
    "%Y": "yyyy", "%y": "yy", "%m": "mm", "%d": "dd", "%H": "HH", "%I": "hh", "%M": "MM",
    "%S": "SS", "%b": "Mon", "%B": "Month", "%p": "AM/PM", "%a": "Day", "%A": "Day",
    "%f": "fraction",
}  # fmt: skip


def cleaning_text(step: Cleaning) -> str:
    """One step of a field's cleaning."""
    if isinstance(step, Number):
        thousands = f", {_MARKS[step.thousands]} between thousands" if step.thousands else ""
        comma = ", a comma before decimals" if step.decimal == "," else ""
        scaled = f", times {step.scale:g}" if step.scale != 1 else ""
        left = ", ".join(map(_quoted, step.left_out))
        without = f" without {left}" if left else ""
        return f"text read as numbers{without}{comma}{thousands}{scaled}"
    if isinstance(step, Time):
        form = " or ".join((step.format, *step.others))
        for code, shown in _DATES.items():
            form = form.replace(code, shown)
        return f"text read as {form}"
    if isinstance(step, Fold):
        if not step.names:
            return "blanks around it are left out"
        pairs = [f"{_quoted(found)} is {_quoted(meant)}" for found, meant in step.names[:_SHOWN]]
        more = len(step.names) - len(pairs)
        return ", ".join(pairs) + (f" and {more} more spellings" if more > 0 else "")
    return f"{', '.join(map(_quoted, step.values))} {'are' if step.values[1:] else 'is'} missing"


def values_text(field: SemanticField) -> str:
    """The known values of a field, the first of many, in their order where they have one."""
    shown = [one_line(each, _VALUE) or '""' for each in field.values[:_SHOWN]]
    if not shown:
        return ""
    if field.ordered:
        return " < ".join(shown) + (" < …" if len(field.values) > len(shown) else "")
    return ", ".join(shown) + (", …" if len(field.values) > len(shown) else "")


def row_text(dataset: Dataset) -> str:
    """What a row is, and what it is known by."""
    named = f"a row is {_article(dataset.noun)} {dataset.noun}" if dataset.noun != "row" else ""
    key = f"known by {', '.join(dataset.key)}" if dataset.key else "nothing tells rows apart"
    label = f"named by {dataset.label}" if dataset.label and dataset.key != (dataset.label,) else ""
    time = f"dated by {dataset.time}" if dataset.time else ""
    return "; ".join(filter(None, (named, key, label, time)))


def relationship_text(relationship: Relationship, model: SemanticModel) -> str:
    """Which rows refer to which, as what, and how many."""
    here, there = model.dataset(relationship.dataset), model.dataset(relationship.to)
    many = here.plural if here else relationship.dataset
    one = there.noun if there and there.noun != "row" else f"row of {relationship.to}"
    if here and here.noun == "row":
        many = f"rows of {relationship.dataset}"
    count = "one at most" if relationship.single else "many"
    role = f", its {relationship.role}" if relationship.role else ""
    back = f"; the other way its {relationship.back}" if relationship.back else ""
    sure = "found in the data" if relationship.inferred else "declared"
    keys = f"{', '.join(relationship.fields)} -> {', '.join(relationship.to_fields)}"
    return f"{many} refer to {_article(one)} {one}{role} ({keys}; {count}{back}): {sure}"


def metric_text(metric: Metric, model: SemanticModel) -> str:
    """How a metric is computed, in which unit, and what may be done with it."""
    made = metric.definition
    text = "" if isinstance(made, Cumulative | Conversion) else expression_text(made)
    if not text:
        sql = metric_sql(metric, model)
        text = metric.type if sql == NOTHING else sql
    unit = f"in {metric.unit}" if metric.unit else ""
    better = {"up": "more is better", "down": "less is better", "": ""}[metric.better]
    guess = "inferred" if metric.inferred else ""
    return "; ".join(filter(None, (text, unit, _ADDED[metric.additive], better, guess)))


def expression_text(node: Expression) -> str:
    """An expression of fields and figures in words; empty for one that needs more than that."""
    if isinstance(node, FieldRef):
        return one_line(node.field, 60)
    if isinstance(node, MetricRef):
        return one_line(node.metric, 60)
    if isinstance(node, Constant):
        return exact(node.value)
    if isinstance(node, Aggregate) and node.where is None and not node.dataset:
        inner = "rows" if node.of is None else expression_text(node.of)
        return f"{node.function} of {inner}" if inner and node.at is None else ""
    if isinstance(node, Arithmetic):
        sides = [_side(each) for each in (node.left, node.right)]
        return f"{sides[0]} {node.operator} {sides[1]}" if all(sides) else ""
    return ""


def _side(node: Expression) -> str:
    text = expression_text(node)
    return f"({text})" if text and isinstance(node, Arithmetic) else text


def _quoted(value: object) -> str:
    return f'"{one_line(value, _VALUE)}"' if isinstance(value, str) else f"{value:g}"


def _article(noun: str) -> str:
    spoken = noun.casefold().startswith(_LIKE_YOU)
    return "an" if noun[:1].casefold() in "aeiou" and not spoken else "a"
