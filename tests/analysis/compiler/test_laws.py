"""Whatever may be asked of whatever data: what is compiled gives what was asked."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import HealthCheck, Phase, given, note, settings
from hypothesis import strategies as st

from flows.analysis.compiler import compile_query, result_columns
from flows.data.tables import Dialect
from flows.semantics.check import check
from flows.semantics.kinds import columns_of
from flows.semantics.labels import label_of, labelled_columns
from flows.semantics.model import SemanticModel
from flows.semantics.query import Query
from tests.analysis.compiler.databases import (
    Cells,
    Execute,
    guarded,
    in_duckdb,
    in_sqlite,
    left_over,
    plain,
    same_cell,
    statements,
)
from tests.semantics.evaluation import Evaluation, result
from tests.semantics.strategies import TODAY, Rows, models, queries, tables

# To make a failing case small takes minutes: a person who looks for the fault asks for it.
_PHASES = (Phase.explicit, Phase.generate)
_SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]
_DIALECTS: tuple[Dialect, ...] = ("duckdb", "sqlite", "postgres", "mysql")


def small(text: str) -> str:
    """SQLite makes only the letters of English small."""
    return "".join(each.lower() if each.isascii() else each for each in text)


@st.composite
def cases(draw: st.DrawFn) -> tuple[SemanticModel, Rows, Query]:
    model = draw(models())
    return model, draw(tables(model)), draw(queries(model))


def answer(model: SemanticModel, rows: Rows, query: Query, dialect: Dialect, execute: Execute
           ) -> list[Cells]:  # fmt: skip
    sql = compile_query(query, model, dialect, today=TODAY)
    note(f"{dialect}: {sql}")
    return execute([*statements(model, rows, dialect), guarded(sql, model, dialect)])


def agree(model: SemanticModel, rows: Rows, query: Query, dialect: Dialect, execute: Execute
          ) -> None:  # fmt: skip
    """The database gives what the plain evaluation gives, and in that order."""
    given_rows = answer(model, rows, query, dialect, execute)
    fold = small if dialect == "sqlite" else str.lower
    evaluation = Evaluation(model, rows, TODAY, fold)
    wanted = labelled(result(query, evaluation), query, model)
    tolerance = 1e-6 if query.decimals is None else 1.01 * 10.0**-query.decimals
    note(f"wanted: {wanted}")
    note(f"given: {given_rows}")
    assert len(given_rows) == len(wanted)
    if query.rank is not None and _leaves_open(query, dialect):
        # Any of equal rows may be taken: all are rows of the result that ranks and leaves none out.
        every = query.rank.model_copy(update={"n": 10**6, "skip": 0})
        whole = query.model_copy(update={"rank": every})
        wanted = labelled(result(whole, evaluation), whole, model)
        assert left_over(wanted, given_rows, tolerance) == []
        return
    assert left_over(wanted, given_rows, tolerance) == []
    _check_order(query, model, wanted, given_rows, tolerance)


def labelled(rows: Sequence[Cells], query: Query, model: SemanticModel) -> list[Cells]:
    """The rows with what their periods are called, as a person sees them."""
    groups = (*query.by, *query.identity)
    shown = columns_of(query, model)
    sizes = [3 if query.compare is not None and each not in groups else 1 for each in shown]
    grains = {sum(sizes[:at]): grain for at, grain in labelled_columns(query, model).items()}
    return [
        tuple(label_of(cell, grains[at]) if at in grains else cell for at, cell in enumerate(row))
        for row in rows
    ]


def _leaves_open(query: Query, dialect: Dialect) -> bool:
    assert query.rank is not None
    asked = query.rank.by or query.sort
    rows = not (query.by or query.metrics or query.unique or query.combine)
    # Rows that are equal in all that is shown can differ in a running figure beside them.
    return dialect == "sqlite" or (rows and (not asked or bool(query.transforms)))


def _check_order(
    query: Query,
    model: SemanticModel,
    wanted: Sequence[Cells],
    given_rows: Sequence[Cells],
    tolerance: float,
) -> None:
    """What the rows are sorted by is the same at each place."""
    orders = query.sort or (query.rank.by if query.rank else ())
    shown = columns_of(query, model)
    if query.compare or not orders or (query.rank and query.rank.within and not query.sort):
        return
    if orders[0].by in shown:
        place = shown.index(orders[0].by)
        for one, other in zip(wanted, given_rows, strict=True):
            assert same_cell(plain(one[place]), plain(other[place]), tolerance)


@pytest.mark.long("hundreds of requests made at random, in each dialect")
@given(cases())
@settings(max_examples=30, derandomize=True, phases=_PHASES, suppress_health_check=_SLOW)
def test_duckdb_gives_what_was_asked(case: tuple[SemanticModel, Rows, Query]) -> None:
    agree(*case, "duckdb", in_duckdb)


@pytest.mark.long("hundreds of requests made at random, in each dialect")
@given(cases())
@settings(max_examples=30, derandomize=True, phases=_PHASES, suppress_health_check=_SLOW)
def test_sqlite_gives_what_was_asked(case: tuple[SemanticModel, Rows, Query]) -> None:
    agree(*case, "sqlite", in_sqlite)


@pytest.mark.long("hundreds of requests made at random, in each dialect")
@given(cases())
@settings(max_examples=15, derandomize=True, phases=_PHASES, suppress_health_check=_SLOW)
def test_what_check_accepts_compiles_for_every_database(
    case: tuple[SemanticModel, Rows, Query],
) -> None:
    model, _, query = case
    assert check(query, model) == ()
    names = result_columns(query, model)
    assert len({each.casefold() for each in names}) == len(names)
    for dialect in _DIALECTS:
        guarded(compile_query(query, model, dialect, today=TODAY), model, dialect)


@pytest.mark.long("hundreds of requests made at random, in each dialect")
@given(models(), models().flatmap(lambda model: st.tuples(st.just(model), queries(model))))
@settings(max_examples=15, derandomize=True, phases=_PHASES, suppress_health_check=_SLOW)
def test_a_model_without_those_names_refuses_with_a_reason(
    other: SemanticModel, asked: tuple[SemanticModel, Query]
) -> None:
    _, query = asked
    hidden = other.model_copy(
        update={
            "datasets": tuple(
                each.model_copy(update={"name": f"{each.name} of others"})
                for each in other.datasets
            )
        }
    )
    problems = check(query, hidden)
    assert problems
    assert all(each.reason and query.dataset in each.reason for each in problems[:1])
