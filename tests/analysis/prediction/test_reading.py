"""The reader of a task: many wordings over columns with random names."""

from __future__ import annotations

import re
from pathlib import Path
from time import monotonic

import numpy as np
import pandas as pd
import pytest

from flows.analysis.prediction.metrics import METRICS, read_own_metric
from flows.analysis.prediction.reading.checking import check_task
from flows.analysis.prediction.reading.fields import read_fields
from flows.analysis.prediction.reading.passages import passages
from flows.analysis.prediction.reading.reader import read_task
from flows.analysis.prediction.task import PredictionTask
from flows.data.tables import Table
from flows.errors import UsageError
from tests.analysis.prediction.wordings import WORDINGS
from tests.analysis.prediction.worlds import World, names, profiled, world

KINDS = ("regression", "count", "binary", "words", "several", "grades")
SEEDS = (1,)


@pytest.fixture(scope="module")
def worlds(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, int], World]:
    return {(kind, seed): world(seed, kind) for kind in KINDS for seed in SEEDS}


@pytest.fixture(scope="module")
def tables(
    tmp_path_factory: pytest.TempPathFactory, worlds: dict[tuple[str, int], World]
) -> dict[str, Table]:
    frames: dict[str, pd.DataFrame | str] = {}
    for (kind, seed), each in worlds.items():
        name = f"{kind}_{seed}"
        frames |= {f"{name}_train": each.train, f"{name}_test": each.test}
        frames[f"{name}_sample"] = each.sample
        if kind == "several":
            shares = dict.fromkeys(sorted(each.train[each.target].unique()), 0.3)
            frames[f"{name}_classes"] = each.test[[each.identifier]].assign(**shares)
    return profiled(tmp_path_factory.mktemp("worlds"), **frames)


def filled(text: str, of: World) -> str:
    return text.format(
        target=of.target, id=of.identifier, f0=of.features[0], f1=of.features[1], f2=of.features[2]
    )


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", WORDINGS)
def test_each_wording_is_read(
    name: str, seed: int, worlds: dict[tuple[str, int], World], tables: dict[str, Table]
) -> None:
    wording = WORDINGS[name]
    of = worlds[wording.world, seed]
    given = {each: tables[f"{wording.world}_{seed}_{each}"] for each in wording.tables.split()}
    test, sample = given.get("test"), given.get("sample", given.get("classes"))
    task = read_task(filled(wording.text, of), given["train"], test, sample)
    assert (task.targets, task.kind, task.metric) == ((of.target,), wording.kind, wording.metric)
    assert task.greater_is_better == METRICS[wording.metric].greater_is_better
    assert task.identifier == of.identifier
    assert task.doubts == ()
    assert check_task(task, given["train"], test, sample) == ()
    if test is None:
        assert task.submission is None
        return
    assert task.submission is not None
    assert task.submission.values == wording.values
    assert task.submission.columns[0] == task.submission.identifier == of.identifier
    if "classes" in given:
        assert task.submission.predictions == {
            each: f"{of.target}={each}" for each in sorted(of.train[of.target].unique())
        }
    else:
        assert task.submission.columns == (of.identifier, of.target)
        assert task.submission.predictions == {of.target: of.target}


def read(folder: Path, text: str, **frames: pd.DataFrame | str) -> PredictionTask:
    tables = profiled(folder, **frames)
    task = read_task(text, tables["train"], tables.get("test"), tables.get("sample"))
    given = (tables["train"], tables.get("test"), tables.get("sample"))
    assert check_task(task, *given) == ()
    return task


@pytest.mark.long("whole analyses over their data")
def test_several_targets_are_read_of_the_sample_or_of_the_text(tmp_path: Path) -> None:
    of = world(5, "regression")
    second = names(77, 1)[0]
    train = of.train.assign(**{second: of.train[of.target] * 2})
    sample = of.sample.assign(**{second: 0.0})
    task = read(tmp_path / "a", "Predict all by RMSE.", train=train, test=of.test, sample=sample)
    assert task.targets == (of.target, second)
    assert task.submission is not None
    assert task.submission.predictions == {of.target: of.target, second: second}
    text = f"Predict {of.target} and {second} from {of.features[0]}; the RMSE of both is averaged."
    assert read(tmp_path / "b", text, train=train).targets == (of.target, second)
    assert read(tmp_path / "c", text, train=train, test=of.test).targets == (of.target, second)


@pytest.mark.long("whole analyses over their data")
def test_a_sample_may_call_the_target_otherwise(tmp_path: Path) -> None:
    of = world(6, "binary")
    sample = pd.DataFrame({of.identifier: of.test[of.identifier], "Expected": 0.5})
    task = read(tmp_path, "Scored by AUC.", train=of.train, test=of.test, sample=sample)
    assert task.targets == (of.target,)
    assert task.submission is not None
    assert task.submission.predictions == {"Expected": of.target}
    assert task.doubts == ()


@pytest.mark.long("whole analyses over their data")
def test_columns_for_classes_may_have_a_word_before(tmp_path: Path) -> None:
    of = world(7, "several")
    columns = {f"{of.target}_{each}": 0.3 for each in ("amber", "jade", "onyx")}
    sample = of.test[[of.identifier]].assign(**columns)
    task = read(tmp_path, "Log loss.", train=of.train, test=of.test, sample=sample)
    assert task.submission is not None
    assert task.submission.predictions[f"{of.target}_jade"] == f"{of.target}=jade"
    assert task.submission.values == "probability"


def test_the_head_of_the_file_is_read_of_the_text(tmp_path: Path) -> None:
    of = world(8, "several")
    head = f"{of.identifier},amber,jade,onyx"
    text = f"Log loss counts.\n\n## Submission\n\n```\n{head}\n1001,0.1,0.2,0.7\n```\n"
    task = read(tmp_path, text, train=of.train, test=of.test)
    assert task.submission is not None
    assert task.submission.columns == (of.identifier, "amber", "jade", "onyx")
    assert task.submission.predictions["onyx"] == f"{of.target}=onyx"


@pytest.mark.long("whole analyses over their data")
def test_groups_count_where_test_has_other_ones(tmp_path: Path) -> None:
    of = world(9, "regression")
    group = f"{names(91, 1)[0]}_id"
    train = of.train.assign(**{group: np.repeat(np.arange(20), 6)})
    apart = of.test.assign(**{group: np.repeat(np.arange(20, 40), 6)})
    alike = of.test.assign(**{group: np.repeat(np.arange(20), 6)})
    assert read(tmp_path / "a", "RMSE.", train=train, test=apart).group == group
    assert read(tmp_path / "b", "RMSE.", train=train, test=alike).group is None
    assert read(tmp_path / "c", f"Predict {of.target}: RMSE.", train=train).group == group


def test_a_sample_without_a_test_is_told(tmp_path: Path) -> None:
    of = world(26, "regression")
    task = read(tmp_path, "RMSE.", train=of.train, sample=of.sample)
    assert (task.targets, task.submission) == ((of.target,), None)
    assert any("no test table whose rows it asks for" in each for each in task.doubts)


@pytest.mark.long("whole analyses over their data")
def test_a_few_large_groups_are_none_to_keep_apart(tmp_path: Path) -> None:
    of = world(24, "regression")
    group = f"{names(93, 1)[0]}_id"
    train = of.train.assign(**{group: np.arange(120) % 6})
    assert read(tmp_path / "a", f"Predict {of.target}: RMSE.", train=train).group is None
    text = f"Predict {of.target}: RMSE. Rows of the same {group} depend on one another."
    assert read(tmp_path / "b", text, train=train).group == group


@pytest.mark.long("whole analyses over their data")
def test_classes_that_are_numbers_with_gaps_have_columns(tmp_path: Path) -> None:
    of = world(25, "grades")
    train = of.train.assign(**{of.target: of.train[of.target].where(of.train.index % 9 > 0)})
    sample = of.test[[of.identifier]].assign(**{f"grade_{each}": 0.2 for each in range(1, 6)})
    task = read(tmp_path, "Log loss.", train=train, test=of.test, sample=sample)
    assert task.submission is not None
    assert task.submission.predictions["grade_3"] in (f"{of.target}=3", f"{of.target}=3.0")
    assert task.kind == "multiclass"


@pytest.mark.long("whole analyses over their data")
@pytest.mark.parametrize("written", ["date", "text", "number"])
def test_time_counts_where_test_is_later(tmp_path: Path, written: str) -> None:
    of = world(10, "regression")
    days = pd.Series(pd.date_range("2020-01-01", periods=240).strftime("%Y-%m-%d"))
    if written == "text":
        days = days + " 10:00 h"
    if written == "number":
        days = pd.Series(np.arange(240))
    name = "week" if written == "number" else names(92, 1)[0]
    train = of.train.assign(**{name: days[:120].to_numpy()})
    later = of.test.assign(**{name: days[120:].to_numpy()})
    within = of.test.assign(**{name: days[:120].to_numpy()})
    assert read(tmp_path / "a", "MAE.", train=train, test=later).time == name
    assert read(tmp_path / "b", "MAE.", train=train, test=within).time is None


def test_a_file_without_an_identifier_is_handed_in_by_order(tmp_path: Path) -> None:
    of = world(11, "binary")
    train, test = of.train.drop(columns=of.identifier), of.test.drop(columns=of.identifier)
    task = read(tmp_path, "AUC.", train=train, test=test)
    assert task.identifier is None
    assert task.submission is not None
    assert task.submission.columns == (of.target,)


@pytest.mark.long("whole analyses over their data")
def test_ones_own_metric_is_known_by_its_name(tmp_path: Path) -> None:
    of = world(12, "regression")
    own = read_own_metric(
        "millcost", '"""Cost.\n\nDirection: lower\n"""\ndef metric(truth, predicted): return 0.0\n'
    )
    train = profiled(tmp_path, train=of.train)["train"]
    text = f"Predict {of.target}. Evaluated by millcost."
    task = read_task(text, train, own_metrics=[own])
    assert (task.metric, task.greater_is_better) == ("millcost", False)
    assert check_task(task, train, own_metrics=[own]) == ()
    assert any("no 'millcost'" in each for each in check_task(task, train))


FIELDS = {
    "lines": "{0}: width in cm\n{1} - height of the mill\n",
    "list": "* `{0}`: width in cm\n* **{1}** \u2013 height of the mill\n",
    "markdown table": "| Variable | Definition |\n|---|---|\n| {0} | width in cm |\n"
    "| {1} | height of the mill |\n",
    "html table": "Name | Meaning | Type\n{0} | width in cm | n\n{1} | height of the mill | n\n",
    "wide blanks": "{0}      width in cm\n{1}      height of the mill\n",
    "tabs": "{0}\twidth in cm\n{1}\theight of the mill\n",
    "one paragraph": "{0}: width in cm {1}: height of the mill",
    "sentences": "`{0}` is width in cm\nThe column `{1}` holds height of the mill\n",
    "numbered": "1. {0} = width in cm\n2. {1} = height of the mill\n",
}


@pytest.mark.parametrize("layout", FIELDS)
@pytest.mark.parametrize("seed", [1])
def test_meanings_are_read_in_each_layout(layout: str, seed: int) -> None:
    first, second = names(seed, 2)
    found = read_fields(f"Data\n\n{FIELDS[layout].format(first, second)}", [first, second])
    assert found == {first: "width in cm", second: "height of the mill"}


def test_codes_below_a_meaning_belong_to_it() -> None:
    text = "bort: state of the roof\n    1  new\n    2  old\n\nfenip: age (years)\n"
    found = read_fields(text, ["bort", "fenip"])
    assert found["bort"] == "state of the roof; 1 new; 2 old"


def test_title_and_background_are_those_of_the_matter(tmp_path: Path) -> None:
    of = world(13, "regression")
    text = (
        "# The mills of Zell\n\n## Background\n\nMills grind grain by wind or by water. Their "
        "owners want to plan repairs.\n\n## Evaluation\n\nScored by RMSE on hidden rows of test.\n"
    )
    task = read(tmp_path, text, train=of.train, test=of.test)
    assert task.title == "The mills of Zell"
    assert task.background.startswith("Mills grind grain")
    assert "RMSE" not in task.background


def test_a_task_without_a_target_is_an_error(tmp_path: Path) -> None:
    of = world(15, "regression")
    tables = profiled(tmp_path, train=of.train.drop(columns=of.target), test=of.test)
    with pytest.raises(UsageError, match=f"train has no target.*asks for '{of.target}'"):
        read_task(f"Predict `{of.target}` by RMSE.", tables["train"], tables["test"])


def test_a_wrong_reply_of_a_model_is_told_part_by_part(tmp_path: Path) -> None:
    of = world(16, "several")
    tables = profiled(tmp_path, train=of.train, test=of.test, sample=of.sample)
    given = (tables["train"], tables["test"], tables["sample"])
    right = read_task("Accuracy.", *given)
    assert right.submission is not None
    feature = of.features[0]
    wrong: dict[str, dict[str, object]] = {
        "targets: train has no column": {"targets": (of.target + "x",)},
        "targets: test has values": {"targets": (feature,)},
        "kind: .* is text": {"kind": "regression", "metric": "rmse", "greater_is_better": False},
        "kind: .* has 3 values, binary": {"kind": "binary"},
        r"metric: there is no 'acuracy'; did you mean 'accuracy'\?": {"metric": "acuracy"},
        "metric: rmse is not for multiclass": {"metric": "rmse", "greater_is_better": False},
        "greater_is_better: of accuracy more": {"greater_is_better": False},
        "identifier: train has no column": {"identifier": "nothing"},
        "identifier: .* twice": {"identifier": of.features[2]},
        "group: train has no column": {"group": "nothing"},
        "fields: train has no column": {"fields": {"nothing": "at all"}},
        "has_test": {"has_test": False},
        "submission: there is a test table": {"submission": None},
        "submission.columns: the sample": {
            "submission": right.submission.model_copy(update={"columns": (of.target,)})
        },
        "submission.rows": {"submission": right.submission.model_copy(update={"rows": 7})},
        "submission.predictions: .* neither a target": {
            "submission": right.submission.model_copy(update={"predictions": {of.target: "z"}})
        },
        "has no class 'ruby'": {
            "submission": right.submission.model_copy(
                update={"predictions": {of.target: f"{of.target}=ruby"}}
            )
        },
        "submission.values": {
            "submission": right.submission.model_copy(update={"values": "number"})
        },
    }
    assert check_task(right, *given) == ()
    for message, changes in wrong.items():
        reply = PredictionTask.model_validate({**dict(right), **changes})
        found = " ".join(check_task(reply, *given))
        assert re.search(message, found), (message, found)


def test_a_target_that_is_spoken_of_in_other_words_is_taken_and_told(tmp_path: Path) -> None:
    of = world(17, "regression", target="mill_duration")
    train = of.train.assign(mill_end=of.train[of.target] * 3)
    tables = profiled(tmp_path, train=train, test=of.test)
    text = "We build a model that predicts the whole duration of a run in a mill by its heat. RMSE."
    task = read_task(text, tables["train"], tables["test"])
    assert task.targets == ("mill_duration",)
    assert any("it seems to be 'mill_duration' and not 'mill_end'" in each for each in task.doubts)


def test_an_unknown_metric_in_a_line_of_its_own_is_told(tmp_path: Path) -> None:
    of = world(18, "regression")
    train = profiled(tmp_path, train=of.train)["train"]
    task = read_task(f"Target: {of.target}\nScore: WMAPE.", train)
    assert task.metric == "rmse"
    assert any("'WMAPE'" in each for each in task.doubts)


@pytest.mark.long("whole analyses over their data")
def test_time_may_be_what_identifies_a_row(tmp_path: Path) -> None:
    of = world(19, "count")
    days = pd.Series(pd.date_range("2020-01-01", periods=240).strftime("%Y-%m-%d"))
    train = of.train.drop(columns=of.identifier).assign(when=days[:120].to_numpy())
    test = of.test.drop(columns=of.identifier).assign(when=days[120:].to_numpy())
    sample = test[["when"]].assign(**{of.target: 0})
    task = read(tmp_path, "RMSLE.", train=train, test=test, sample=sample)
    assert (task.identifier, task.time) == ("when", "when")


def test_parts_of_brackets_do_not_part_a_list_of_targets(tmp_path: Path) -> None:
    of = world(20, "regression")
    other = names(99, 1)[0]
    train = of.train.assign(**{other: of.train[of.target] * 2})
    text = f"Predict two things: the {of.target} (in tons) and the {other}. RMSLE of each column."
    assert read(tmp_path, text, train=train, test=of.test).targets == tuple(
        each for each in train.columns if each in (of.target, other)
    )


def test_a_text_is_parted_where_sentences_end() -> None:
    text = (
        "Say yes or no. Grades go from 1 to 5. we use y. It ended on 3. Mai 2020, e.g. for J. Doe. "
        "Bye."
    )
    assert [each.text for each in passages(text)] == [
        "Say yes or no.", "Grades go from 1 to 5.", "we use y.",
        "It ended on 3. Mai 2020, e.g. for J. Doe.", "Bye.",
    ]  # fmt: skip


@pytest.mark.long("models are trained and compared")
@pytest.mark.parametrize(
    "filler", ["Mills of many kinds are measured by many. ", "mills ## id target metric rmse\n"]
)
def test_a_long_text_is_read_in_its_length(tmp_path: Path, filler: str) -> None:
    of = world(23, "regression")
    train = profiled(tmp_path, train=of.train)["train"]
    text = f"Predict {of.target} by MAE. " + filler * 8000
    started = monotonic()
    assert read_task(text, train).targets == (of.target,)
    assert monotonic() - started < 30  # 2 s; with work that grows as the square it is minutes
