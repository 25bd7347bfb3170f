"""What an analysis sets in its run file, and what it refuses before anything runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from flows.build.run_config import KNOWN
from flows.config.compose import compose
from flows.config.settings import Setting
from flows.errors import UsageError
from flows.services.analysis import FEEDBACK, WEB, analyse, analyst_file
from flows.services.request import DataQuestion, Options
from flows.services.sources import read_sources


@pytest.mark.parametrize(
    ("setting", "override"),
    [
        (FEEDBACK, "+Goal.Team.Feedback={_target_: analyst.feedback}"),
        (
            WEB,
            "+Research={_target_: tools.langchain, backend: {_target_: ddg_search_run}, "
            "effect: idempotent}",
        ),
    ],
)
def test_an_option_adds_the_agent_that_an_override_would(setting: Setting, override: str) -> None:
    by_option = compose(analyst_file(), settings=[setting], known=KNOWN)
    assert by_option.values == compose(analyst_file(), [override], known=KNOWN).values


def test_without_data_or_documents_nothing_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "nothing.csv").touch()
    (tmp_path / "notes").mkdir()
    for request, problem in (
        (DataQuestion("Why?"), "there is nothing to look at"),
        (DataQuestion("Why?", read_sources(["nothing.csv"])), "nothing.csv is empty"),
        (DataQuestion("Why?", documents="notes"), "notes has no documents"),
    ):
        with pytest.raises(UsageError, match=problem):
            analyse(request, Options())
    assert not (tmp_path / "runs").exists()
