"""What a study is about, in words: for titles and sentences."""

from __future__ import annotations

from collections.abc import Sequence

from flows.analysis.compiler.names import expression_name
from flows.analysis.methods.arguments import Arguments
from flows.analysis.methods.picture import field_name, figures_of
from flows.analysis.methods.specification import Specification
from flows.analysis.telling.cells import foreign
from flows.analysis.telling.query_words import QueryWords, in_words
from flows.data.tables import Table
from flows.semantics.query import Predicate, Query
from flows.semantics.tables import model_of_result

LISTED = 6
GROUPS = 12


def title_of(study: Specification[Arguments]) -> str:
    """What a figure is called: the columns, the group and the filters."""
    model = study.model
    wording = QueryWords(study.rows, model)
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
    return _words(QueryWords(Query(dataset=study.table.name, where=study.where), study.model))


def words_of_rows(table: Table, where: Predicate | None) -> str:
    """The rows of a table for which a predicate holds, in words."""
    return _words(QueryWords(Query(dataset=table.name, where=where), model_of_result(table)))


def _words(wording: QueryWords) -> str:
    when = wording.time()
    return f"{f' {when}' if when else ''}{wording.others()}"


def about(study: Specification[Arguments]) -> str:
    """The same for a sentence of an answer."""
    return foreign(rows_words(study))


def names(each: Sequence[str]) -> str:
    """Names of columns, in a sentence."""
    return foreign(" and ".join(each))


def more(rows: Sequence[object], total: int, most: int, what: str) -> str:
    """How many of all are told, when it is not all."""
    shown = min(len(rows), most)
    return f" ({in_words(shown)} of {total:,} {what})" if total > shown else ""


def capital(sentence: str) -> str:
    """A sentence that begins with a capital letter."""
    return sentence[:1].upper() + sentence[1:]
