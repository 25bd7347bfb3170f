"""Proposals that are computed by code, over the data or over a working table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from flows.analysis.analyst.certainty import computed_confidence
from flows.analysis.analyst.chart import chart_of
from flows.analysis.analyst.meaning import notices_of
from flows.analysis.analyst.refusal import has_failed, make_proposal, plain, refuse, refuse_failed
from flows.analysis.analyst.words import words_left_out
from flows.analysis.methods.analyses import study_of_prepared
from flows.analysis.methods.arguments import Arguments
from flows.analysis.methods.compile import compile_study
from flows.analysis.methods.method import MethodError
from flows.analysis.methods.preparation import step_lines
from flows.analysis.methods.specification import Specification as Study
from flows.analysis.requests.sql import sql_of, sql_of_prepared
from flows.data.tables import Table
from flows.semantics.calendar import today_of
from flows.semantics.model import SemanticModel
from flows.semantics.query import Query
from flows.semantics.request import REQUEST, Analysis, Prepare


def propose_prepared(
    prepare: Prepare,
    tables: tuple[Table, ...],
    model: SemanticModel,
    found: Sequence[Mapping[str, Any]],
) -> dict[str, Any]:
    """The proposal for what is asked of a working table: one statement for a query, code for
    an analysis."""
    if has_failed(found):
        return refuse_failed(found)
    sure = computed_confidence(prepare.kind)
    said = {"confidence": sure, "request": REQUEST.dump_python(prepare, mode="json")}
    notices = plain(notices_of(prepare, model, tables))
    if isinstance(prepare.then, Query):
        sql = sql_of_prepared(prepare, model, tables)
        return make_proposal(sql=sql, warnings=notices, **said)
    study = study_of_prepared(prepare, model, tables)
    today = today_of(model.calendar, tables)
    steps = step_lines(prepare, model, today, tables)
    code = compile_study(study, tables, steps, model)
    return make_proposal(code=code, warnings=notices, explanation=study.explanation, **said)


def propose_study(
    study: Study[Arguments],
    tables: tuple[Table, ...],
    model: SemanticModel,
    found: Sequence[Mapping[str, Any]],
    question: str = "",
) -> dict[str, Any]:
    """The proposal for a statistic or a figure: code, or a query that is drawn; with the words of
    the `question` that it leaves out."""
    if has_failed(found):
        return refuse_failed(found)
    asked = study.request
    said = {
        "explanation": study.explanation,
        "confidence": computed_confidence(study.kind, study.doubt),
        "request": REQUEST.dump_python(asked, mode="json"),
        "words": words_left_out(question, study.left_out),
    }
    if isinstance(asked, Analysis):
        try:
            code = compile_study(study, tables)
        except MethodError as fault:
            return refuse(f"{fault}.", study.explanation)
        notices = notices_of(asked, model, tables)
        return make_proposal(code=code, warnings=plain(notices), **said)
    assert study.chart is not None  # it is drawn
    sql = sql_of(study.chart, model, tables)
    beside = plain(notices_of(study.chart, model, tables))
    return make_proposal(sql=sql, chart=chart_of(study), warnings=beside, **said)
