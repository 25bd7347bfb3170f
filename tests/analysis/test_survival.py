"""Times until an event: published figures, another library's, and tables with any names."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from random import Random

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from flows.analysis.methods.analyses import study_of
from flows.analysis.methods.compile import compile_study
from flows.analysis.methods.read import read_study
from flows.analysis.methods.specification import Specification
from flows.analysis.methods.survival.arguments import Survival
from flows.analysis.methods.survival.recipes import kaplan_meier, log_rank
from flows.analysis.reading.reader import Unread
from flows.core.sandbox import SandboxConfig
from flows.data.catalog import Catalog
from flows.data.tables import Table
from flows.sandbox.python import PythonSandbox
from flows.semantics.inference.model import infer_model
from flows.semantics.request import REQUEST, Analysis
from tests.analysis.patients import CONTROL, TREATED, leukemia
from tests.analysis.statistics.asked import answer_of
from tests.analysis.statistics.facts import Found


def rows(weeks: tuple[int, ...]) -> pd.DataFrame:
    return pd.DataFrame({"time": np.abs(weeks), "ended": np.array(weeks) > 0})


def test_the_curve_and_the_test_are_those_of_the_textbooks() -> None:
    curve = kaplan_meier(rows(TREATED)).set_index("time")
    published = {6: 0.857, 7: 0.807, 10: 0.753, 13: 0.690, 16: 0.627, 22: 0.538, 23: 0.448}
    for week, share in published.items():
        assert curve.loc[week, "survival"] == pytest.approx(share, abs=5e-4)
    assert curve.loc[6, ["at_risk", "events", "censored"]].tolist() == [21, 3, 1]
    assert curve.loc[35, "at_risk"] == 1
    tested = log_rank([rows(TREATED), rows(CONTROL)])
    assert tested["statistic"] == pytest.approx(16.79, abs=5e-3)
    assert tested["p_value"] == pytest.approx(4.17e-5, rel=1e-2)
    assert tested["significant"]


def test_the_curve_of_three_rows_is_that_of_a_sheet_of_paper() -> None:
    """At 2 one of three ends: 2/3. At 3 one is last seen. At 5 the one that is left ends: 0."""
    found = pd.DataFrame({"time": [2.0, 3.0, 5.0], "ended": [True, False, True]})
    curve = kaplan_meier(found)
    assert curve["survival"].tolist() == pytest.approx([2 / 3, 2 / 3, 0.0])
    assert curve["at_risk"].tolist() == [3, 2, 1]


def made(dice: np.random.Generator, scale: float) -> pd.DataFrame:
    """Rows of whole times, so that many are equal, of which some are censored."""
    size = int(dice.integers(5, 60))
    time = np.ceil(dice.exponential(scale, size))
    return pd.DataFrame({"time": time, "ended": dice.random(size) < dice.uniform(0.2, 1.0)})


def censored(found: pd.DataFrame) -> stats.CensoredData:
    ended = found["ended"].to_numpy()
    times = found["time"].to_numpy()
    return stats.CensoredData(uncensored=times[ended], right=times[~ended])


# The library has no band where nothing or all is left; only what lies between is compared.
@pytest.mark.filterwarnings("ignore:The confidence interval is undefined")
@pytest.mark.parametrize("seed", range(25))
def test_the_figures_are_those_of_another_library(seed: int) -> None:
    dice = np.random.default_rng(seed)
    one, other = made(dice, 8.0), made(dice, dice.uniform(4.0, 16.0))
    curve = kaplan_meier(one)
    expected = stats.ecdf(censored(one)).sf
    assert curve["survival"].to_numpy() == pytest.approx(expected.evaluate(curve["time"]))
    inside = curve[(curve["survival"] > 0) & (curve["survival"] < 1)]
    if len(inside):
        band = expected.confidence_interval(method="log-log")
        assert inside["lower"].to_numpy() == pytest.approx(band.low.evaluate(inside["time"]))
        assert inside["upper"].to_numpy() == pytest.approx(band.high.evaluate(inside["time"]))
    tested = stats.logrank(censored(one), censored(other))
    ours = log_rank([one, other])
    assert ours["statistic"] == pytest.approx(tested.statistic**2)
    assert ours["p_value"] == pytest.approx(tested.pvalue, abs=1e-9)


def test_the_test_of_three_groups_does_not_depend_on_their_order() -> None:
    dice = np.random.default_rng(1)
    groups = [made(dice, 6.0), made(dice, 9.0), made(dice, 14.0)]
    first, last = log_rank(groups), log_rank(groups[::-1])
    assert first["statistic"] == pytest.approx(last["statistic"])
    halved = log_rank([groups[0], pd.concat(groups[1:])])
    assert first["statistic"] >= halved["statistic"] * 0.999


# --- the whole way: a question over a file, run in the sandbox ------------------------------------


class World:
    """A folder of files, and one sandbox for all questions."""

    def __init__(self, folder: Path, runner: asyncio.Runner) -> None:
        self.folder, self.runner = folder, runner
        self.sandbox = PythonSandbox(SandboxConfig(seconds=60))

    def ask(self, text: str, frame: pd.DataFrame, name: str = "sheet") -> Found:
        return self.runner.run(answer_of(text, self.save(frame, name), self.sandbox))

    def save(self, frame: pd.DataFrame, name: str = "sheet") -> Path:
        path = self.folder / f"{name}.csv"
        frame.to_csv(path, index=False)
        return path

    def tables(self, frame: pd.DataFrame, name: str = "sheet") -> tuple[Table, ...]:
        with Catalog({name: str(self.save(frame, name))}, self.folder) as catalog:
            return catalog.tables()


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    with asyncio.Runner() as runner:
        made = World(tmp_path_factory.mktemp("survival"), runner)
        yield made
        runner.run(made.sandbox.aclose())


@pytest.mark.long("analyses computed over their data")
@pytest.mark.parametrize(
    "question",
    ["How long until patients relapse, by arm?", "Survival curve of weeks by arm",
     "Kaplan-Meier curves of weeks by arm", "Does the survival time differ by arm? Log-rank test",
     "Median survival time for each arm"],
)  # fmt: skip
def test_a_question_is_answered_with_medians_intervals_and_the_test(
    world: World, question: str
) -> None:
    found = world.ask(question, leukemia(), "patients")
    assert found.unread is None
    by_arm = {row[0]: dict(zip(found.columns, row, strict=True)) for row in found.rows}
    treated, control = by_arm["treated"], by_arm["control"]
    assert (treated["rows"], treated["events"], treated["median"]) == (21, 9, 23)
    assert (treated["median_lower"], treated["median_upper"]) == (13, None)
    assert (control["events"], control["censored"], control["median"]) == (21, 0, 8)
    assert (control["median_lower"], control["median_upper"]) == (4, 11)
    assert treated["statistic"] == pytest.approx(16.79, abs=5e-3)
    assert "until relapsed" in found.answer
    assert "differ significantly" in found.answer
    assert "without an upper end" in found.answer
    assert found.figures == 1


_NAMES = ("count", "Dauer (Tage)", "top", "order", "zeit bis ende", "x y", "größe", "it's")
_ENDS = (("yes", "no"), (1, 0), (True, False), ("dead", "alive"), ("churned", "active"))


@pytest.mark.long("random tables, each computed in the sandbox")
@pytest.mark.parametrize("seed", range(8))
def test_tables_with_any_names_are_computed_alike(world: World, seed: int) -> None:
    dice, chance = Random(seed), np.random.default_rng(seed)
    time, group = dice.sample(_NAMES, 2)
    ended, waiting = dice.choice(_ENDS)
    event = dice.choice(("event", "status", "has ended", "f7"))
    groups = [made(chance, 6.0), made(chance, 12.0), made(chance, 9.0)][: dice.choice((2, 3))]
    parts = [each.assign(g=f"part {n}") for n, each in enumerate(groups)]
    whole = pd.concat(parts).sample(frac=1, random_state=seed)
    sheet = pd.DataFrame({
        "row": range(1, len(whole) + 1), group: whole["g"].to_numpy(),
        time: whole["time"].to_numpy() + 0.5,
        event: np.where(whole["ended"], ended, waiting),
    })  # fmt: skip
    found = world.ask(f'Kaplan-Meier curve of "{time}" by "{group}"', sheet)
    assert found.unread is None, found.unread
    rows = {row[0]: dict(zip(found.columns, row, strict=True)) for row in found.rows}
    for part in parts:
        row, name = rows[part["g"].iloc[0]], part["g"].iloc[0]
        assert (row["rows"], row["events"]) == (len(part), part["ended"].sum()), name
        curve = stats.ecdf(censored(part)).sf
        below = curve.quantiles[curve.probabilities <= 0.5 + 1e-12]
        assert row["median"] == (pytest.approx(below[0] + 0.5) if len(below) else None), name
    assert next(iter(rows.values()))["p_value"] == pytest.approx(log_rank(groups)["p_value"])


def waiting(times: list[float], ended: list[int], **more: list[str]) -> pd.DataFrame:
    return pd.DataFrame({"months": times, "churned": ended, **more})


MANY = [float(n % 17 + 1) for n in range(60)]


@pytest.mark.long("code with all its libraries, each time in a sandbox of its own")
@pytest.mark.parametrize(
    ("frame", "code"),
    [
        (waiting(MANY, [int(n % 12 == 0) for n in range(60)]), "few_events"),
        (waiting(MANY, [0] * 59 + [1]).assign(churned="no"), "all_censored"),
        (waiting(MANY, [1] * 60).drop(columns="churned"), "all_events"),
        (
            waiting(
                [1.0, 2.0] * 15 + [20.0] * 15 + [float(9 + n % 3) for n in range(45)],
                [1] * 90,
                plan=["early"] * 45 + ["middle"] * 45,
            ).assign(churned=lambda d: [*d["churned"][:-1], 0]),
            "crossing_curves",
        ),
    ],
    ids=lambda each: each if isinstance(each, str) else "",
)
def test_what_a_careful_statistician_would_say_is_said(
    world: World, frame: pd.DataFrame, code: str
) -> None:
    by = " by plan" if "plan" in frame else ""
    found = world.ask(f"Survival curve of months{by}", frame)
    assert code in found.warnings, (found.unread, found.warnings)


@pytest.mark.parametrize(
    ("frame", "question", "reason"),
    [
        (waiting([-1.0, *MANY], [1, 0] * 30 + [1]), "Survival curve of months", "below nought"),
        (waiting(MANY, [1, 0] * 30).assign(weeks=MANY), "How long until customers churn?",
         "months or weeks"),
        (waiting(MANY, [1, 0] * 30, died=["yes", "no"] * 30), "Survival curve of months",
         "churned or died"),
        (waiting(MANY, [1, 0] * 30).drop(columns="months").assign(name="x"),
         "How long until customers churn?", "no column that says how long"),
        (waiting(MANY, [1, 0] * 30), "Survival curve of months by moonlight", "moonlight"),
    ],
)  # fmt: skip
def test_what_cannot_be_told_is_refused_with_its_reason(
    world: World, frame: pd.DataFrame, question: str, reason: str
) -> None:
    study = read_study(question, world.tables(frame))
    assert isinstance(study, Unread)
    assert reason in str(study)


def test_the_event_is_the_column_that_says_so_and_the_value_that_means_it(world: World) -> None:
    frame = waiting(MANY, [1, 0] * 30).assign(member=["yes", "no", "no"] * 20)
    study = read_study("How long until customers churn?", world.tables(frame))
    assert isinstance(study, Specification)
    assert study.arguments == Survival(fields=("months",), event="churned", happened=1)
    turned = frame.rename(columns={"churned": "censored"})
    study = read_study("Survival curve of months", world.tables(turned))
    assert isinstance(study, Specification)
    assert study.arguments == Survival(fields=("months",), event="censored", happened=0)


def test_a_survival_is_the_same_after_it_has_been_a_request(world: World) -> None:
    tables = world.tables(leukemia(), "patients")
    study = read_study("Survival curve of weeks by arm", tables)
    assert isinstance(study, Specification)
    model = infer_model(tables)
    request = REQUEST.validate_json(REQUEST.dump_json(study.request))
    assert isinstance(request, Analysis)
    assert request.text("happened") == "1"
    again = study_of(request, model, tables)
    assert compile_study(again, tables) == compile_study(study, tables)


@pytest.mark.parametrize(
    "question",
    ["What is the survival rate by arm?", "How many patients survived?",
     "What is the average number of weeks by arm?"],
)  # fmt: skip
def test_a_share_of_those_who_survived_is_no_survival_time(world: World, question: str) -> None:
    study = read_study(question, world.tables(leukemia(), "patients"))
    assert not isinstance(study, Specification) or study.kind != "survival"
