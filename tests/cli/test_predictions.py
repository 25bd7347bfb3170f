"""Predictions of the rows of a table by the real commands: of tables with names that no rule knows,
against truths that the commands are not given."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from tests.cli.inside import inside

_SYLLABLES = (
    "ba",
    "dro",
    "fen",
    "gil",
    "kor",
    "lum",
    "mek",
    "nor",
    "pil",
    "qua",
    "rus",
    "tov",
    "vin",
)


@dataclass(frozen=True)
class Generated:
    """A table to learn from, one to predict, what is true of that, and what all are called."""

    names: tuple[str, ...]
    learned: pd.DataFrame
    asked: pd.DataFrame
    truth: pd.Series

    @property
    def target(self) -> str:
        return self.names[-1]


def generated(seed: int, *, classes: bool) -> Generated:
    random = np.random.default_rng(seed)
    names: list[str] = []
    while len(names) < 7:
        name = "".join(random.choice(_SYLLABLES, 3))
        names += [name] if name not in names else []
    learned, asked, key, one, two, kind, target = names
    rows = 260
    table = pd.DataFrame({key: random.permutation(np.arange(1000, 1000 + rows))})
    table[one] = random.normal(50, 12, rows).round(2)
    table[two] = random.gamma(2, 30, rows).round(1)
    table.loc[random.random(rows) < 0.1, two] = np.nan
    table[kind] = random.choice(["elm", "oak", "fir"], rows)
    signal = (table[one] - 50) / 12 + 1.5 * (table[kind] == "oak") + random.normal(0, 0.3, rows)
    table[target] = (
        np.where(signal > 0.5, "high", "low") if classes else (100 + 20 * signal).round(2)
    )
    head, tail = table.iloc[:200], table.iloc[200:].reset_index(drop=True)
    return Generated((learned, asked, key, target), head, tail.drop(columns=target), tail[target])


def written(made: Generated, folder: Path) -> tuple[str, ...]:
    """The options that give the two tables."""
    learned, asked, *_ = made.names
    made.learned.to_csv(folder / f"{learned}.csv", index=False)
    made.asked.to_csv(folder / f"{asked}.csv", index=False)
    return ("--data", f"{learned}.csv", "--data", f"{asked}.csv")


@pytest.mark.long("models are fitted in the sandbox")
def test_numbers_are_predicted_for_the_rows_of_another_table(tmp_path: Path) -> None:
    made = generated(11, classes=False)
    _, asked, key, target = made.names
    ended = inside(
        "ask", f"Predict the {target} of the rows of {asked} from the others",
        *written(made, tmp_path), "--json", cwd=tmp_path,
    )  # fmt: skip
    found = ended.json()
    assert found["status"] == "answered", ended.out
    rows = pd.DataFrame(found["rows"], columns=found["columns"])
    assert rows[key].tolist() == made.asked[key].tolist()
    errors = (rows[f"predicted_{target}"] - made.truth).abs()
    assert errors.mean() < 0.6 * (made.truth - made.learned[target].mean()).abs().mean()
    first = rows.iloc[0]
    assert first["validated"] < first["baseline"]
    assert f"The column {target} was predicted for the rows of {asked} by" in found["answer"]
    cited = {each["value"] for each in found["citations"]}
    assert {first["validated"], first["baseline"], first["untuned_boosting"]} <= cited
    assert found["traced"]["numbers"] == found["traced"]["traced"] > 0
    assert f"'{key}'" not in found["code"].split("def study")[1].split("], ")[0]  # not learned from


@pytest.mark.long("models are fitted in the sandbox")
def test_the_team_predicts_classes_by_one_task_of_the_modeller_and_makes_a_file(
    tmp_path: Path,
) -> None:
    made = generated(12, classes=True)
    _, asked, key, target = made.names
    ended = inside(
        "analyse", f"Predict {target} for the rows of {asked} and make a submission file",
        *written(made, tmp_path), cwd=tmp_path,
    )  # fmt: skip
    assert ended.code == 0, ended.out
    assert "── Answer ──" in ended.out
    assert ended.out.count("Begun      0 PythonModellingAgent") == 1
    assert "Begun      2" not in ended.out
    assert f"The column {target} was predicted for 60 rows" in " ".join(ended.out.split())
    [file] = (tmp_path / "runs").glob("*/artifacts/submission*.csv")
    with file.open(encoding="utf-8") as opened:
        lines = list(csv.DictReader(opened))
    assert list(lines[0]) == [key, target]
    assert [int(each[key]) for each in lines] == made.asked[key].tolist()
    right = np.mean([each[target] == true for each, true in zip(lines, made.truth, strict=True)])
    assert right > 0.8


@pytest.mark.long("models are fitted in the sandbox")
def test_rows_of_the_same_table_that_lack_the_target(tmp_path: Path) -> None:
    made = generated(13, classes=False)
    table, _, key, target = made.names
    whole = pd.concat([made.learned, made.asked], ignore_index=True)
    whole.to_csv(tmp_path / f"{table}.csv", index=False)
    ended = inside(
        "ask", f"Fill in the missing {target} by a model",
        "--data", f"{table}.csv", "--json", cwd=tmp_path,
    )  # fmt: skip
    found = ended.json()
    assert found["status"] == "answered", ended.out
    rows = pd.DataFrame(found["rows"], columns=found["columns"])
    assert rows[key].tolist() == made.asked[key].tolist()
    assert np.corrcoef(rows[f"predicted_{target}"], made.truth)[0, 1] > 0.8
