"""What stands beside a drawing: its title, and the names of its axes and figures."""

from __future__ import annotations

from collections.abc import Sequence

from flows.analysis.methods.picture import axes_of, field_name, figures_of
from flows.analysis.team.drawing import Drawing
from flows.data.tables import Table
from flows.semantics.inference.model import infer_model
from flows.semantics.query import Aggregate, Expression, FieldRef, Query


def words_of(name: str) -> str:
    """A column's name in words."""
    return " ".join(name.replace("_", " ").split()) or name


def label_of(table: Table, name: str) -> str:
    """A column's name with its unit, for an axis."""
    column = next((each for each in table.columns if each.name == name), None)
    unit = f" ({column.unit})" if column is not None and column.unit else ""
    return f"{words_of(name)}{unit}"


def title_of(drawing: Drawing) -> str:
    """What a drawing shows, and of which rows."""
    names = [words_of(each) for each in drawing.columns]
    if drawing.figures is not None:
        measured = [words_of(each) for _, each in measures_of(drawing, drawing.figures)]
        groups = " and ".join(words_of(field_name(each)) for each in drawing.figures.by)
        what = f"{_listed(measured)} by {groups}"
        return f"{what[:1].upper()}{what[1:]}{drawing.rows}"
    by = f" by {words_of(drawing.group)}" if drawing.group else ""
    what = {
        "correlations": f"correlation of {words_of(drawing.target)} with the other columns"
        if drawing.target else "correlations of the columns",
        "scatter": f"{names[1]} over {names[0]}{by}" if len(names) > 1 else "",
        "line": f"{_listed(names)} over {words_of(drawing.time)}{by}",
        "histogram": f"distribution of {_listed(names)}{by}",
        "box": f"spread of {_listed(names)}{by}",
    }.get(drawing.kind) or f"{_listed(names)}{by}"  # fmt: skip
    return f"{what[:1].upper()}{what[1:]}{drawing.rows}"


def measures_of(drawing: Drawing, query: Query) -> list[tuple[str, str]]:
    """The columns of the figures that a query gives, each with its words: those of the column
    itself where each group is one row, as its mean is it."""
    model = infer_model((drawing.table,))
    _, figures = axes_of(query, model)
    groups = tuple(each.field for each in query.by if isinstance(each, FieldRef))
    plain = len(groups) == len(query.by) and _is_key(drawing.table, groups)
    return [
        (name, words_of(field_name(each) if plain and _is_value(each) else name))
        for name, each in zip(figures, figures_of(query, model), strict=True)
    ]


def _is_value(figure: Expression) -> bool:
    """Whether a figure of one row is the row's own value."""
    same = ("average", "sum", "minimum", "maximum")
    return isinstance(figure, Aggregate) and bool(field_name(figure)) and figure.function in same


def _is_key(table: Table, names: Sequence[str]) -> bool:
    """Whether no two rows have the same values in these columns."""
    if any(set(names) >= set(key) for key in table.keys):
        return True
    by_name = {each.name: each for each in table.columns}
    return any(by_name[name].distinct == table.rows > 0 for name in names)


def _listed(names: Sequence[str]) -> str:
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else "".join(names)
