"""What is found in a competition's folder: by names, by contents, and what is said of faults."""

from __future__ import annotations

import hashlib
import re
import zipfile
from pathlib import Path

import docx
import pandas as pd
import pytest

from flows.data.catalog import Catalog
from flows.data.tables import Table
from flows.errors import UsageError
from flows.services.competition_folder import CompetitionFolder, read_competition
from tests.data import written_documents
from tests.data.workbooks import write_xlsx
from tests.services.competition_folders import TASK, competition, frames, save, write


@pytest.fixture
def scratch(tmp_path: Path) -> Path:
    path = tmp_path / "scratch"
    path.mkdir()
    return path


def tables_of(found: CompetitionFolder) -> dict[str, Table]:
    with Catalog(found.sources, found.folder) as catalog:
        return {each.source: each for each in catalog.tables()}


def digest(folder: Path) -> dict[str, str]:
    return {
        str(each.relative_to(folder)): hashlib.sha256(each.read_bytes()).hexdigest()
        for each in sorted(folder.rglob("*"))
        if each.is_file()
    }


@pytest.mark.long("whole services are built")
@pytest.mark.parametrize("ending", ["csv", "tsv", "json", "parquet", "csv.gz", "csv.zip"])
def test_each_format_is_found_and_the_folder_stays_as_it_was(
    tmp_path: Path, scratch: Path, ending: str
) -> None:
    folder = competition(tmp_path / "kilns", ending)
    before = digest(folder)
    found = read_competition(folder, scratch)
    assert {name: files[0] for name, files in found.files.items()} == {
        "train": f"train.{ending}",
        "test": f"test.{ending}",
        "sample": f"sample_submission.{ending}",
    }
    assert found.text.startswith("# Yield")
    assert found.doubts == ()
    tables = tables_of(found)
    assert {name: len(each.columns) for name, each in tables.items()} == {
        "train": 4, "test": 3, "sample": 2,
    }  # fmt: skip
    assert digest(folder) == before


@pytest.mark.long("whole services are built")
@pytest.mark.parametrize(
    ("train", "test", "sample"),
    [
        ("training_data", "testing_data", "sampleSubmission"),
        ("kiln_train", "kiln_test", "SubmissionFormat"),
        ("X-TRAIN", "x-test", "example_submission"),
        ("Trainingsdaten", "Testdaten", "Beispielabgabe"),
        ("pieces", "new_pieces", "template"),
        ("a", "b", "c"),
        ("train", "unlabeled", "submission"),
        ("data/train", "data/test", "sub/sample_solution"),
        ("train/part", "test/part", "sample_submission/part"),
        ("history", "test", "gender_submission"),
        ("train", "upcoming", "output"),
    ],
)
def test_names_or_contents_say_what_a_table_is(
    tmp_path: Path, scratch: Path, train: str, test: str, sample: str
) -> None:
    folder = tmp_path / "kilns"
    for name, frame in zip((train, test, sample), frames(), strict=True):
        save(frame, folder / f"{name}.csv")
    found = read_competition(folder, scratch)
    assert found.files == {
        "train": (f"{train}.csv",), "test": (f"{test}.csv",), "sample": (f"{sample}.csv",),
    }  # fmt: skip
    assert any("no task text" in each for each in found.doubts)


@pytest.mark.long("whole services are built")
def test_a_zip_of_the_folder_is_read_as_the_folder(tmp_path: Path, scratch: Path) -> None:
    folder = competition(tmp_path / "kilns")
    archive = tmp_path / "kilns.zip"
    with zipfile.ZipFile(archive, "w") as packed:
        for each in folder.iterdir():
            packed.write(each, f"kilns/{each.name}")
        packed.writestr("__MACOSX/kilns/._train.csv", b"\x00\x05")
    found = read_competition(archive, scratch)
    assert set(found.files) == {"train", "test", "sample"}
    assert tables_of(found)["train"].rows == 40


@pytest.mark.long("whole services are built")
def test_an_archive_beside_the_task_is_unpacked(tmp_path: Path, scratch: Path) -> None:
    folder = competition(tmp_path / "kilns")
    with zipfile.ZipFile(folder / "data.zip", "w") as packed:
        for each in ("train.csv", "test.csv"):
            packed.write(folder / each, each)
            (folder / each).unlink()
    found = read_competition(folder, scratch)
    assert found.files["train"] == ("data.zip/train.csv",)
    assert tables_of(found)["test"].rows == 40


def test_an_archive_never_writes_outside_of_its_folder(tmp_path: Path, scratch: Path) -> None:
    archive = tmp_path / "kilns.zip"
    with zipfile.ZipFile(archive, "w") as packed:
        packed.writestr("../../evil.csv", "a,b\n1,2\n")
    with pytest.raises(UsageError, match="outside of its folder"):
        read_competition(archive, scratch)
    assert not list(tmp_path.rglob("evil.csv"))


@pytest.mark.long("whole services are built")
def test_the_sheets_of_a_workbook_are_tables_each(tmp_path: Path, scratch: Path) -> None:
    book = {
        name: [list(frame.columns), *frame.to_numpy().tolist()]
        for name, frame in zip(("Train", "Test", "Sample submission"), frames(), strict=True)
    }
    folder = write(tmp_path / "kilns", task__md=TASK)
    write_xlsx(folder / "kilns.xlsx", book)
    found = read_competition(folder, scratch)
    assert found.files["sample"] == ("kilns.xlsx[Sample submission]",)
    assert {name: each.rows for name, each in tables_of(found).items()} == {
        "train": 40, "test": 40, "sample": 40,
    }  # fmt: skip


def test_one_table_alone_is_learned_from(tmp_path: Path, scratch: Path) -> None:
    folder = write(tmp_path / "kilns", readme__txt=TASK)
    save(frames()[0], folder / "pieces.csv")
    found = read_competition(folder, scratch)
    assert found.files == {"train": ("pieces.csv",)}


@pytest.mark.long("folders of tables are read and judged")
def test_numbered_files_are_one_table(tmp_path: Path, scratch: Path) -> None:
    folder = competition(tmp_path / "kilns")
    train, _, _ = frames()
    (folder / "train.csv").unlink()
    save(train[:15], folder / "train_1.csv")
    save(train[15:], folder / "train_2.csv")
    found = read_competition(folder, scratch)
    assert found.files["train"] == ("train_1.csv", "train_2.csv")
    assert tables_of(found)["train"].rows == 40
    assert any("made of 2 files" in each for each in found.notes)


@pytest.mark.long("whole services are built")
def test_the_larger_of_two_trains_is_taken_and_said(tmp_path: Path, scratch: Path) -> None:
    folder = competition(tmp_path / "kilns")
    save(frames()[0][:5], folder / "train_small.csv")
    found = read_competition(folder, scratch)
    assert found.files["train"] == ("train.csv",)
    assert any("train.csv is taken as train, not train_small.csv" in each for each in found.notes)


@pytest.mark.long("whole services are built")
def test_targets_in_a_file_of_their_own_are_joined(tmp_path: Path, scratch: Path) -> None:
    train, test, sample = frames()
    folder = write(tmp_path / "kilns", task__md=TASK)
    save(train.drop(columns="grade"), folder / "train_values.csv")
    save(train[["piece", "grade"]].sample(frac=1, random_state=1), folder / "train_labels.csv")
    save(test, folder / "test_values.csv")
    save(sample, folder / "submission_format.csv")
    found = read_competition(folder, scratch)
    assert found.files["train"] == ("train_values.csv", "train_labels.csv")
    joined = pd.read_parquet(str(found.sources["train"]))
    pd.testing.assert_frame_equal(joined, train, check_dtype=False)


@pytest.mark.long("folders of tables are read and judged")
def test_targets_without_a_key_stand_side_by_side(tmp_path: Path, scratch: Path) -> None:
    train, test, _ = frames()
    folder = write(tmp_path / "kilns", task__md=TASK)
    save(train.drop(columns="grade"), folder / "X_train.csv")
    save(train[["grade"]], folder / "y_train.csv")
    save(test, folder / "X_test.csv")
    save(pd.DataFrame({"grade": ["A"] * 40}), folder / "y_test.csv")
    found = read_competition(folder, scratch)
    joined = pd.read_parquet(str(found.sources["train"]))
    assert joined["grade"].tolist() == train["grade"].tolist()
    assert "sample" not in found.files
    assert any("y_test.csv was left out" in each for each in found.notes)
    save(train[["grade"]][:7], folder / "y_train.csv")
    with pytest.raises(UsageError, match="7 rows and train 40"):
        read_competition(folder, scratch)


@pytest.mark.long("whole services are built")
def test_other_tables_are_named_and_descriptions_are_read(tmp_path: Path, scratch: Path) -> None:
    folder = competition(tmp_path / "kilns")
    write(
        folder,
        data_dictionary__csv="column,meaning,unit\nheat,heat at the end,C\nclay,sort of clay,\n",
        clays__csv="clay,origin\nred,north\nwhite,south\ngrey,west\n",
        LICENSE__txt="Free for all. Predict nothing.",
    )
    found = read_competition(folder, scratch)
    assert found.further == ("clays",)
    assert found.fields == {"heat": "heat at the end (C)", "clay": "sort of clay"}
    assert list(found.texts) == ["task.md"]


@pytest.mark.long("whole services are built")
@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("fields.json", '{"heat": "heat at the end", "clay": "sort of clay"}'),
        ("fields.csv", "heat,heat at the end\nclay,sort of clay\npiece,the number\n"),
        ("fields.txt", "heat\theat at the end\nclay\tsort of clay\npiece\tthe number\n"),
        ("fields.tsv", "Field\tMeaning\nheat\theat at the end\nclay\tsort of clay\n"),
    ],
)
def test_descriptions_are_read_in_each_format(
    tmp_path: Path, scratch: Path, name: str, text: str
) -> None:
    folder = competition(tmp_path / "kilns")
    (folder / name).write_text(text)
    found = read_competition(folder, scratch)
    assert {each: found.fields[each] for each in ("heat", "clay")} == {
        "heat": "heat at the end", "clay": "sort of clay",
    }  # fmt: skip
    assert found.further == ()


@pytest.mark.long("whole services are built")
def test_a_description_stands_after_the_task(tmp_path: Path, scratch: Path) -> None:
    folder = competition(tmp_path / "kilns")
    write(folder, data_description__txt="heat: the heat\nclay: the clay, red or white\n")
    assert list(read_competition(folder, scratch).texts) == ["task.md", "data_description.txt"]


@pytest.mark.long("whole services are built")
def test_a_text_with_columns_is_a_table_and_prose_is_none(tmp_path: Path, scratch: Path) -> None:
    folder = write(tmp_path / "kilns", overview__txt="Predict grade,\nby accuracy,\nplease, do.\n")
    frames()[0].to_csv(folder / "train.txt", index=False, sep="\t")
    found = read_competition(folder, scratch)
    assert found.files == {"train": ("train.txt",)}
    assert list(found.texts) == ["overview.txt"]


@pytest.mark.long("whole services are built")
@pytest.mark.parametrize("kind", ["html", "pdf", "docx"])
def test_a_task_is_read_from_documents(tmp_path: Path, scratch: Path, kind: str) -> None:
    folder = competition(tmp_path / "kilns")
    (folder / "task.md").unlink()
    path = folder / f"task.{kind}"
    if kind == "html":
        path.write_text("<body><h1>Kilns</h1><p>Predict grade by accuracy.</p></body>")
    elif kind == "pdf":
        path.write_bytes(written_documents.pdf(["Kilns", "Predict grade by accuracy."]))
    else:
        document = docx.Document()
        document.add_paragraph("Predict grade by accuracy.")
        document.save(str(path))
    assert "Predict grade by accuracy." in read_competition(folder, scratch).text


@pytest.mark.long("whole services are built")
def test_what_is_missing_is_said_with_what_is_allowed(tmp_path: Path, scratch: Path) -> None:
    folder = write(tmp_path / "kilns", task__md=TASK)
    with pytest.raises(UsageError, match=r"no table to learn of: found no table.*\.csv"):
        read_competition(folder, scratch)
    _, test, sample = frames()
    save(test, folder / "test.csv")
    save(sample, folder / "sample_submission.csv")
    with pytest.raises(UsageError, match=r"found sample_submission.csv, test.csv"):
        read_competition(folder, scratch)
    with pytest.raises(UsageError, match="there is no folder"):
        read_competition(tmp_path / "nowhere", scratch)
    with pytest.raises(UsageError, match="neither a folder nor a zip"):
        read_competition(folder / "test.csv", scratch)


@pytest.mark.long("whole services are built")
@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("train.csv", b"", "train.csv, which is named as train, cannot be read: .*is empty"),
        ("test.csv", b"\x00\x01\x02\x03" * 900, "test.csv.*cannot be read: .*binary"),
        ("train.parquet", b"PAR1 this is no parquet", "train.parquet.*cannot be read"),
        ("test.csv.gz", b"no gzip at all", "test.csv.gz.*not compressed"),
        ("train.xlsx", b"PK\x03\x04 broken", "train.xlsx.*cannot be read"),
    ],
)
def test_a_broken_table_of_the_task_is_an_error(
    tmp_path: Path, scratch: Path, name: str, content: bytes, message: str
) -> None:
    folder = competition(tmp_path / "kilns")
    (folder / f"{name.partition('.')[0]}.csv").unlink()
    (folder / name).write_bytes(content)
    with pytest.raises(UsageError, match=message):
        read_competition(folder, scratch)


@pytest.mark.long("folders of tables are read and judged")
def test_other_broken_files_are_left_out_and_said(tmp_path: Path, scratch: Path) -> None:
    folder = competition(tmp_path / "kilns")
    write(folder, weather__csv=b"\x00\x01\x02\x03" * 900, rules__pdf=b"%PDF-1.4 broken", a__md=b"")
    found = read_competition(folder, scratch)
    assert set(found.files) == {"train", "test", "sample"}
    said = " ".join(found.doubts)
    assert all(f"{each} was left out" in said for each in ("weather.csv", "rules.pdf", "a.md"))


@pytest.mark.long("whole services are built")
def test_runs_and_the_folder_of_results_are_no_part_of_the_task(tmp_path: Path) -> None:
    folder = competition(tmp_path / "kilns")
    frame, *_ = frames()
    save(frame, folder / "runs" / "one" / "artifacts" / "train.csv")
    write(folder / "runs" / "one", journal__sqlite=b"")
    save(frame, folder / "out" / "test.csv")
    found = read_competition(folder, tmp_path / "scratch", without=folder / "out")
    assert found.files == {
        "train": ("train.csv",), "test": ("test.csv",), "sample": ("sample_submission.csv",),
    }  # fmt: skip


@pytest.mark.long("whole services are built")
def test_a_text_that_is_longer_than_is_read_is_said(tmp_path: Path, scratch: Path) -> None:
    folder = competition(tmp_path / "kilns")
    write(folder, x__md="Some words. " * 30_000, y__md="Not read at all.")
    found = read_competition(folder, scratch)
    long, last = found.doubts
    assert re.fullmatch(r"x\.md is longer than is read: \d+ of its 360000 characters", long)
    assert last == "y.md is longer than is read: 0 of its 16 characters"
    assert "y.md" not in found.texts
