"""What a study is about, in words: for titles and sentences."""

from __future__ import annotations

from collections.abc import Sequence

from flows.analysis.compiler.names import expression_name
from flows.analysis.methods.arguments import Arguments
from flows.analysis.methods.method import Row
from flows.analysis.methods.picture import field_name, figures_of
from flows.analysis.methods.specification import Specification
from flows.analysis.telling.told import foreign
from flows.analysis.telling.wording import Wording, in_words
from flows.core.observation import Cell
from flows.data.tables import Table
from flows.semantics.inference.model import infer_model
from flows.semantics.query import Predicate, Query

LISTED = 6
GROUPS = 12


def title_of(study: Specification[Arguments]) -> str:
    """What a figure is called: the columns, the group and the filters."""
    model = study.model
    wording = Wording(study.rows, model)
    if study.chart:
        figures = figures_of(study.chart, model)
        what = " and ".join(expression_name(each, model) for each in figures)
        by = " and ".join(map(field_name, study.chart.by))
    else:
        what, by = " and ".join(study.columns[:4]) or study.target, study.group
    when = wording.time()
    return f"{what}{f' by {by}' if by else ''}{wording.others()}{f' {when}' if when else ''}"


def rows_words(study: Specification[Arguments]) -> str:
    """The rows that a study is about, in words: ` in 2007 with smoker Yes`, or nothing."""
    return _words(Wording(Query(dataset=study.table.name, where=study.where), study.model))


def words_of_rows(table: Table, where: Predicate | None) -> str:
    """The rows of a table for which a predicate holds, in words."""
    return _words(Wording(Query(dataset=table.name, where=where), infer_model((table,))))


def _words(wording: Wording) -> str:
    when = wording.time()
    return f"{f' {when}' if when else ''}{wording.others()}"


def about(study: Specification[Arguments]) -> str:
    """The same for a sentence of an answer."""
    return foreign(rows_words(study))


def names(each: Sequence[str]) -> str:
    """Names of columns, in a sentence."""
    return foreign(" and ".join(each))


def text(row: Row, key: str) -> str:
    """A cell in words, or as a reference to it."""
    return row[key].text()


def group_of(study: Specification[Arguments], row: Row) -> str:
    """The group that a row is of; empty where there is none."""
    return text(row, study.group) if study.group and study.group in row else ""


def place(study: Specification[Arguments], row: Row) -> str:
    """The column that a row is about, with its group."""
    column = text(row, "column")
    return f"{group_of(study, row)}, {column}" if study.group else column


def over(row: Row) -> str:
    """How many rows it is about, and how many were left out because a value is missing."""
    left = row.get("left_out", row.get("missing"))
    out = f", {left.text()} left out because a value is missing" if left and left.value else ""
    return f"over {text(row, 'rows')} rows{out}"


def more(rows: Sequence[Row], total: int, most: int, what: str) -> str:
    """How many of all are told, when it is not all."""
    shown = min(len(rows), most)
    return f" ({in_words(shown)} of {total:,} {what})" if total > shown else ""


def number(cell: Cell) -> float:
    """A cell as a number; 0 where it is none."""
    return float(cell) if isinstance(cell, int | float) else 0.0


def capital(sentence: str) -> str:
    """A sentence that begins with a capital letter."""
    return sentence[:1].upper() + sentence[1:]


def counted(row: Row) -> str:
    """So many outliers."""
    return f"{text(row, 'outliers')} outlier{'' if row['outliers'].value == 1 else 's'}"
