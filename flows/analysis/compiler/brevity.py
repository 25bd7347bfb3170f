"""A statement without the names of tables where there is only one: people read it."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from flows.semantics.model import SemanticModel


def shorten(tree: exp.Query, model: SemanticModel) -> exp.Query:
    """Leave out the table before columns in every SELECT where nothing could be mistaken."""
    columns = {
        each.table: [field.column or field.name for field in each.fields] for each in model.datasets
    }
    for select in list(tree.find_all(exp.Select)):
        source = _only_source(select)
        if source is None or _looks_outside(select):
            continue
        known = columns.get(source.name) if isinstance(source, exp.Table) else None
        if known is None and isinstance(source, exp.Subquery):
            known = source.this.named_selects
        if not _is_mistaken(select, known or []):
            for each in _own_columns(select):
                each.set("table", None)
    return tree


def _only_source(select: exp.Select) -> exp.Table | exp.Subquery | None:
    source = select.args.get("from_")
    if source is None or select.args.get("joins"):
        return None
    found = source.this
    return found if isinstance(found, exp.Table | exp.Subquery) else None


def _looks_outside(select: exp.Select) -> bool:
    """Whether the SELECT, or one inside of it, tests rows against those of another."""
    inside = select.find_ancestor(exp.Exists) is not None
    return inside or any(True for _ in select.find_all(exp.Exists))


def _is_mistaken(select: exp.Select, known: list[str]) -> bool:
    """Whether a column of the result has the name of another column of the source."""
    names = {each.casefold() for each in known}
    return any(
        isinstance(each, exp.Alias) and each.alias.casefold() in names
        for each in select.expressions
    )


def _own_columns(select: exp.Select) -> Iterator[exp.Column]:
    for each in select.find_all(exp.Column):
        if each.parent_select is select and each.args.get("table") is not None:
            yield each
