"""Artifacts: files of the run, whole or not at all, found again and checked."""

import os
import stat
from pathlib import Path

import pytest

from flows.core.artifacts import Artifact, Artifacts, Origin, open_file, write_whole
from flows.errors import JournalError
from tests.core.running import run_text


def test_saved_and_read(tmp_path: Path) -> None:
    artifacts = Artifacts(tmp_path)
    saved = artifacts.save("a#1", "my table / 1", "csv", b"n\n1\n", "numbers")
    artifacts.register(saved)

    assert saved.path == f"artifacts/{saved.name}.csv"
    assert saved.name.startswith("my-table-1-")
    assert (saved.bytes, saved.kind, saved.step) == (4, "csv", "a#1")
    assert (tmp_path / saved.path).read_bytes() == artifacts.read(saved.name) == b"n\n1\n"
    assert artifacts.all() == (saved,)


def test_the_same_step_and_stem_is_the_same_file(tmp_path: Path) -> None:
    artifacts = Artifacts(tmp_path)
    one = artifacts.save("a#1", "t", "csv", b"1", "")
    again = artifacts.save("a#1", "t", "csv", b"2", "")
    assert one.path == again.path
    assert len(list((tmp_path / "artifacts").iterdir())) == 1


def test_another_step_stem_or_kind_is_another_file(tmp_path: Path) -> None:
    artifacts = Artifacts(tmp_path)
    saved = [
        artifacts.save(step, stem, kind, b"", "")
        for step, stem, kind in (
            ("a#1", "t", "csv"),
            ("a#2", "t", "csv"),
            ("a#1", "u", "csv"),
            ("a#1", "t", "json"),
            ("a#1", "T", "csv"),
        )
    ]
    for each in saved:
        artifacts.register(each)
    assert len({each.name for each in saved}) == len(artifacts.all()) == 5


@pytest.mark.parametrize("stem", ["../../etc/passwd", "", "é ü", "x" * 500, ".hidden", "a\x00b"])
def test_names_stay_in_the_folder(tmp_path: Path, stem: str) -> None:
    saved = Artifacts(tmp_path).save("a#1", stem, "csv", b"", "")
    file = (tmp_path / saved.path).resolve()
    assert file.parent == (tmp_path / "artifacts").resolve()
    assert not file.name.startswith(".")


@pytest.mark.parametrize("kind", ["", "../x", "a b", "a.b", "a/b"])
def test_kinds_are_extensions(tmp_path: Path, kind: str) -> None:
    with pytest.raises(ValueError, match="letters and digits"):
        Artifacts(tmp_path).save("a#1", "t", kind, b"", "")


def test_a_changed_or_missing_file_is_noticed(tmp_path: Path) -> None:
    artifacts = Artifacts(tmp_path)
    saved = artifacts.save("a#1", "t", "csv", b"1", "")
    artifacts.register(saved)
    (tmp_path / saved.path).write_bytes(b"2")
    with pytest.raises(JournalError, match="was changed after it was written"):
        artifacts.read(saved.name)
    (tmp_path / saved.path).unlink()
    with pytest.raises(JournalError, match="cannot be read"):
        artifacts.read(saved.name)
    with pytest.raises(JournalError, match="no artifact 'other'"):
        artifacts.read("other")


def test_a_thing_in_several_forms_is_one_artifact(tmp_path: Path) -> None:
    artifacts = Artifacts(tmp_path)
    origin = Origin(query="SELECT 1", inputs={"s": "00"}, artifacts={"other": "11"})
    forms = {"csv": b"n\n", "parquet": b"P"}
    saved = artifacts.save("a#1", "t", "json", b"{}", "", origin, what="table", forms=forms)
    artifacts.register(saved)
    assert artifacts.all() == (saved,)
    assert [each.kind for each in saved.files] == ["json", "csv", "parquet"]
    assert {each.path for each in saved.files} == {
        f"artifacts/{saved.name}.{kind}" for kind in ("json", "csv", "parquet")
    }
    assert all(each.state(tmp_path) == "whole" for each in saved.files)
    assert Artifact.model_validate_json(saved.model_dump_json()) == saved
    with pytest.raises(ValueError, match="letters and digits"):
        artifacts.save("a#1", "t", "json", b"", "", forms={"../x": b""})


def test_an_artifact_of_an_older_run_is_read(tmp_path: Path) -> None:
    saved = Artifacts(tmp_path).save("a#1", "t", "csv", b"1", "")
    old = saved.model_dump(exclude={"what", "forms", "origin"})
    assert Artifact.model_validate(old) == saved


@pytest.mark.parametrize(
    ("how", "state"),
    [
        ("gone", "missing"),
        ("same size", "changed"),
        ("longer", "changed"),
        ("link", "changed"),
        ("folder", "changed"),
        ("pipe", "changed"),
        ("linked folder", "changed"),
    ],
)
def test_the_state_of_a_file(tmp_path: Path, how: str, state: str) -> None:
    saved = Artifacts(tmp_path).save("a#1", "t", "csv", b"1", "")
    file = tmp_path / saved.path
    (tmp_path / "same.csv").write_bytes(b"1")
    if how == "linked folder":
        file.parent.rename(tmp_path / "elsewhere")
        file.parent.symlink_to(tmp_path / "elsewhere")
    else:
        file.unlink()
    match how:
        case "same size":
            file.write_bytes(b"2")
        case "longer":
            file.write_bytes(b"11")
        case "link":
            file.symlink_to(tmp_path / "same.csv")
        case "folder":
            file.mkdir()
        case "pipe":
            os.mkfifo(file)
    assert saved.files[0].state(tmp_path) == state


@pytest.mark.parametrize("path", ["../x", "/etc/hostname", "artifacts/../../x", ""])
def test_no_file_outside_of_the_folder_is_opened(tmp_path: Path, path: str) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "x").write_bytes(b"secret")
    with pytest.raises(OSError, match="not in the folder"):
        open_file(tmp_path / "run", path)


def test_a_write_that_fails_leaves_the_old_file_and_no_rest(tmp_path: Path) -> None:
    file = tmp_path / "f.txt"
    write_whole(file, b"old")
    (tmp_path / "g.txt").mkdir()
    with pytest.raises(OSError):
        write_whole(tmp_path / "g.txt", b"new")
    assert file.read_bytes() == b"old"
    assert sorted(each.name for each in tmp_path.iterdir()) == ["f.txt", "g.txt"]


def test_a_file_can_be_read_by_those_who_may_read_others(tmp_path: Path) -> None:
    mask = os.umask(0o022)
    try:
        write_whole(tmp_path / "f", b"x")
    finally:
        os.umask(mask)
    assert stat.S_IMODE((tmp_path / "f").stat().st_mode) == 0o644


@pytest.mark.parametrize("journal", [False, True])
def test_in_a_run(tmp_path: Path, journal: bool) -> None:
    result, _ = run_text("{_target_: T.Save, inputs: {n: 3}}", tmp_path, journal=journal)
    assert [(each.kind, each.description) for each in result.artifacts] == [
        ("csv", "a number"),
        ("json", "the same stem, another kind"),
    ]
    for each in result.artifacts:
        assert (result.folder / each.path).is_file()
