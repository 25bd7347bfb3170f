"""What was read becomes a typed request and comes back from it with nothing lost on the way."""

from __future__ import annotations

import pytest

from flows.analysis.methods.analyses import analysis_of, study_of
from flows.analysis.methods.arguments import Arguments
from flows.analysis.methods.compile import compile_study
from flows.analysis.methods.read import read_study
from flows.analysis.methods.specification import Specification
from flows.data.catalog import Catalog
from flows.data.tables import Table
from flows.semantics.inference.model import infer_model
from flows.semantics.request import REQUEST, Analysis, Chart
from tests.analysis.statistics.asked import frames
from tests.analysis.statistics.questions import QUESTIONS

Tables = dict[str, tuple[Table, ...]]


@pytest.fixture(scope="module")
def tables_by_name(tmp_path_factory: pytest.TempPathFactory) -> Tables:
    folder = tmp_path_factory.mktemp("studied")
    found = {}
    for name, frame in frames().items():
        frame.to_csv(folder / f"{name}.csv", index=False)
        with Catalog({name: str(folder / f"{name}.csv")}, folder) as catalog:
            found[name] = catalog.tables()
    return found


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
    model = infer_model(tables)
    request = REQUEST.validate_json(REQUEST.dump_json(analysis_of(study, model)))
    assert isinstance(request, Analysis | Chart)
    again = study_of(request, model, tables)
    if study.chart is None:
        assert compile_study(again, tables) == compile_study(study, tables)
        return
    assert again.chart is not None
    assert again.chart == study.chart
    assert again.style == study.style
