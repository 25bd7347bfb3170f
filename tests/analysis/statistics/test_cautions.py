"""What is said beside a result, over data made so that it is due, and so that it is not."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from flows.analysis.methods.cautions import told
from flows.core.observation import Caution
from flows.core.sandbox import SandboxConfig
from flows.sandbox.python import PythonSandbox
from tests.analysis.statistics.asked import answer_of
from tests.analysis.statistics.facts import Found

SIZE = 120


def noise(size: int = SIZE) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    return np.random.default_rng(11).normal(size=size)


def reversed_inside() -> pd.DataFrame:
    """Dose and relief fall together over all rows, and rise together in each ward."""
    ward = np.repeat(["north", "south", "west"], SIZE // 3)
    inner = np.tile(np.linspace(0, 1, SIZE // 3), 3)
    level = np.repeat([0.0, 3.0, 6.0], SIZE // 3)
    return pd.DataFrame({"ward": ward, "dose": inner + level, "relief": inner - level + 8})


def plain() -> pd.DataFrame:
    x = np.random.default_rng(1).normal(50, 9, SIZE)
    return pd.DataFrame({"load": x, "heat": 2 * x + 20 * noise(), "drift": noise()[::-1] + 5})


def twins() -> pd.DataFrame:
    made = plain()
    return made.assign(load_kg=made["load"] * 2.2 + 0.01 * noise())


def giveaway() -> pd.DataFrame:
    made = plain()
    return made.assign(heat_f=made["heat"] * 1.8 + 32 + 0.001 * noise())


def holes() -> pd.DataFrame:
    made = plain()
    made.loc[::6, "heat"] = None
    return made


def rare() -> pd.DataFrame:
    made = plain()
    return made.assign(broken=np.where(np.arange(SIZE) % 12 == 0, "yes", "no"))


def long_tail() -> pd.DataFrame:
    return pd.DataFrame({"stay": np.exp(2 * noise()), "beds": np.arange(SIZE)})


def few_groups() -> pd.DataFrame:
    made = plain().head(40)
    return made.assign(crew=["a"] * 36 + ["b"] * 4)


def short_series() -> pd.DataFrame:
    days = pd.date_range("2024-01-01", periods=6, freq="MS")
    return pd.DataFrame({"month": days, "orders": [5.0, 7, 6, 9, 11, 10]})


def seasons() -> pd.DataFrame:
    at = np.arange(72)
    days = pd.date_range("2018-01-01", periods=72, freq="MS")
    wave = 30 * np.sin(2 * np.pi * at / 12)
    return pd.DataFrame({"month": days, "orders": 200 + 2 * at + wave})


DUE: list[tuple[Callable[[], pd.DataFrame], str, str]] = [
    (reversed_inside, "correlation of dose and relief", "simpson"),
    (twins, "Regress heat on load and load_kg", "collinear"),
    (giveaway, "train a model for heat", "leakage"),
    (holes, "correlation of load and heat", "missing_left_out"),
    (rare, "build a classifier for broken", "imbalance"),
    (long_tail, "mean and standard deviation of stay", "skewed"),
    (few_groups, "Does heat differ between the crews?", "small_groups"),
    (short_series, "forecast orders for the next 2 months", "few_points"),
    (plain, "predict heat for a load of 400", "extrapolation"),
]
NOT_DUE: list[tuple[Callable[[], pd.DataFrame], str]] = [
    (plain, "correlation of load and heat"),
    (plain, "Regress heat on load and drift"),
    (plain, "predict heat for a load of 50"),
    (plain, "standard deviation of load"),
    (seasons, "forecast orders for the next 6 months"),
]


Ask = Callable[[pd.DataFrame, str], Found]


@pytest.fixture(scope="module")
def room() -> Iterator[tuple[asyncio.Runner, PythonSandbox]]:
    with asyncio.Runner() as runner:
        sandbox = PythonSandbox(SandboxConfig(seconds=60))
        yield runner, sandbox
        runner.run(sandbox.aclose())


@pytest.fixture
def ask(tmp_path: Path, room: tuple[asyncio.Runner, PythonSandbox]) -> Ask:
    """Puts a question over a table, all of them in one sandbox."""

    def answered(frame: pd.DataFrame, text: str) -> Found:
        frame.to_csv(tmp_path / "records.csv", index=False)
        runner, sandbox = room
        return runner.run(answer_of(text, tmp_path / "records.csv", sandbox))

    return answered


@pytest.mark.long("code with all its libraries, each time in a sandbox of its own")
@pytest.mark.parametrize(("make", "text", "code"), DUE, ids=[code for _, _, code in DUE])
def test_a_warning_that_is_due(
    ask: Ask, make: Callable[[], pd.DataFrame], text: str, code: str
) -> None:
    found = ask(make(), text)
    assert code in found.warnings, found
    assert "Note: " in found.answer


@pytest.mark.long("code with all its libraries, each time in a sandbox of its own")
@pytest.mark.parametrize(("make", "text"), NOT_DUE, ids=[text for _, text in NOT_DUE])
def test_no_warning_where_none_is_due(
    ask: Ask, make: Callable[[], pd.DataFrame], text: str
) -> None:
    found = ask(make(), text)
    assert found.unread is None
    assert found.warnings == ()


@pytest.mark.long("analyses computed over their data")
def test_many_tests_are_counted(ask: Ask) -> None:
    columns = {f"gauge {at}": np.random.default_rng(at).normal(size=60) for at in range(8)}
    found = ask(pd.DataFrame(columns), "correlation matrix")
    assert found.warnings == ("many_tests",)
    assert "28 pairs were tested: about 1 would be" in found.answer


@pytest.mark.long("analyses computed over their data")
def test_a_season_is_seen_and_goes_on(ask: Ask) -> None:
    found = ask(seasons(), "forecast orders for the next 12 months")
    expected = 200 + 2 * np.arange(72, 84) + 30 * np.sin(2 * np.pi * np.arange(72, 84) / 12)
    at = found.columns.index("forecast")
    assert [row[at] for row in found.rows] == pytest.approx(list(expected), abs=0.01)
    assert "a season of 12 steps" in found.answer
    assert found.rows[0][0] == "2024-01-01"


def test_a_warning_of_one_code_is_told_once() -> None:
    found = [Caution(code="skewed", text=f"{each} is skewed.") for each in "ab"]
    assert told(found) == " Note: a is skewed."


@pytest.mark.long("whole analyses over their data")
def test_code_warns_by_its_table_of_warnings_and_not_by_what_it_prints(
    room: tuple[asyncio.Runner, PythonSandbox],
) -> None:
    runner, sandbox = room
    code = """\
import pandas as pd
print("warning (printed): a marker in a text")
said = [("few", "Few\\nrows."), ("few", "Few rows."), ("two words", "x"), ("empty", " "), (1, 2)]
warnings = pd.DataFrame(said, columns=["code", "says"])
"""
    done = runner.run(sandbox.execute(code))
    assert done.fault is None
    assert done.cautions == (Caution(code="few", text="Few rows."),)
