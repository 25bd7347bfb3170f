"""What was read becomes a typed request and comes back from it with nothing lost on the way."""

from __future__ import annotations

from pathlib import Path

import pytest

from flows.analysis.methods.analyses import study_of
from flows.analysis.methods.arguments import Arguments
from flows.analysis.methods.compile import compile_study
from flows.analysis.methods.method import MethodError
from flows.analysis.methods.picture import axes_of
from flows.analysis.methods.read import read_study
from flows.analysis.methods.specification import Specification
from flows.analysis.reading.reader import Unread
from flows.data.tables import Table
from flows.semantics.inference.model import infer_model
from flows.semantics.query import Among, FieldRef, Query
from flows.semantics.request import REQUEST, Analysis, Chart
from tests.analysis.fleet import open_fleet
from tests.analysis.statistics.asked import Tables
from tests.analysis.statistics.questions import QUESTIONS


@pytest.mark.long("every analysis of the tests, read twice")
def test_analyses_are_the_same_after_their_requests(tables_by_name: Tables) -> None:
    studied = 0
    for each in QUESTIONS:
        study = read_study(each.text, tables_by_name[each.table])
        if isinstance(study, Specification):  # some of the questions are none that can be answered
            studied += 1
            check_study(study, tables_by_name[each.table])
    assert studied > 0.85 * len(QUESTIONS)


def check_study(study: Specification[Arguments], tables: tuple[Table, ...]) -> None:
    """It computes and draws the same after it has been a request."""
    request = REQUEST.validate_json(REQUEST.dump_json(study.request))
    assert isinstance(request, Analysis | Chart)
    again = study_of(request, infer_model(tables), tables)
    assert compile_study(again, tables) == compile_study(study, tables)


@pytest.mark.long("analyses computed over their data")
def test_a_chart_of_the_first_groups_shows_the_figures_that_made_them_the_first(
    tables_by_name: Tables,
) -> None:
    tables = tables_by_name["gapminder"]
    study = read_study("Plot the top 5 countries by gdpPercap in 2007", tables)
    assert isinstance(study, Specification)
    assert axes_of(study.rows, study.model) == (["country"], ["average_gdpPercap"])
    assert "'average_gdpPercap'" in compile_study(study, tables)


@pytest.mark.long("whole analyses over their data")
def test_a_chart_over_several_tables_says_why_it_is_not_drawn(tmp_path: Path) -> None:
    with open_fleet(tmp_path) as world:
        for text in ("Bar chart of the tonnage of vessels and the names of their captains",
                     "Bar chart of the number of vessels per captain"):  # fmt: skip
            assert isinstance(read_study(text, world.tables), Unread)


@pytest.mark.long("whole analyses over their data")
def test_a_chart_of_an_analysis_is_the_analysis_that_draws_it(tables_by_name: Tables) -> None:
    tables = tables_by_name["tips"]
    study = read_study("Box plot of tip by day", tables)
    assert isinstance(study, Specification)
    assert isinstance(study.request, Analysis)
    drawn = study_of(Chart(of=study.request, type="box"), study.model, tables)
    assert compile_study(drawn, tables) == compile_study(study, tables)


TIPS = Query(dataset="tips")
BY_DAY = TIPS.model_copy(update={"by": (FieldRef(dataset="tips", field="day"),)})
DAY = FieldRef(dataset="tips", field="day")
AMONG = Among(of=DAY, query=Query(dataset="tips", show=(DAY,)))
REFUSED = [
    (Analysis(method="correlation", over=BY_DAY), "takes rows as they are"),
    (Analysis(method="correlation", over=Query(dataset="tips", where=AMONG)), "no way to say"),
    (Analysis(method="corelation", over=TIPS), "did you mean 'correlation'"),
    (Analysis(method="correlation", over=Query(dataset="orders")), "no table orders"),
]


@pytest.mark.parametrize(("request_", "why"), REFUSED, ids=[why for _, why in REFUSED])
def test_what_no_method_can_take_is_refused_with_its_reason(
    tables_by_name: Tables, request_: Analysis, why: str
) -> None:
    tables = tables_by_name["tips"]
    with pytest.raises(MethodError, match=why):
        study_of(request_, infer_model(tables), tables)
