"""`flows check FOLDER`: each run file in it, and no fault of one hides those of another."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.command import flows

SQL = "_target_: sql\ndefaults: [{model: offline}, _self_]\n"
FILES = {
    "a.yaml": SQL,
    "b.yaml": f"{SQL}max_rowz: 3\n",
    "c.yml": "",
    "d.yaml": SQL,
    "compose.yaml": "services: {}\n",
    "parts/model.yaml": "_target_: nothing\n",
    "notes.txt": "no yaml",
}


def write(folder: Path) -> None:
    for name, text in FILES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def test_each_run_file_is_checked(tmp_path: Path) -> None:
    write(tmp_path / "agents")
    ended = flows("check", "agents", cwd=tmp_path)
    assert ended.code == 2
    assert "agents/a.yaml: nothing is wrong" in ended.out
    assert "agents/d.yaml: nothing is wrong" in ended.out
    assert "agents/b.yaml:3:1: max_rowz" in ended.err
    assert "did you mean: max_rows" in ended.err
    assert "agents/c.yml:1:1: the file is empty" in ended.err
    assert ended.out.endswith("4 run files, 2 of them with faults; no run files: compose.yaml\n")
    assert "parts" not in ended.out + ended.err

    told = flows("check", "agents", "--json", cwd=tmp_path)
    rows = [json.loads(each) for each in told.out.splitlines()]
    assert [(Path(each["file"]).name, each["status"]) for each in rows] == [
        ("a.yaml", "ok"),
        ("b.yaml", "failed"),
        ("c.yml", "failed"),
        ("d.yaml", "ok"),
    ]
    assert rows[1]["errors"][0]["place"] == "agents/b.yaml:3:1"
    assert told.code == 2


def test_overrides_are_for_all_of_them(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.yaml").write_text(SQL)
    ended = flows("check", ".", "max_rows=none", cwd=tmp_path)
    assert ended.code == 2
    assert ended.err.count("max_rows") >= 2
    assert flows("check", ".", "max_rows=5", cwd=tmp_path).code == 0


def test_a_folder_without_a_run_file(tmp_path: Path) -> None:
    (tmp_path / "compose.yaml").write_text("services: {}\n")
    ended = flows("check", ".", cwd=tmp_path)
    assert (ended.code, ended.out) == (2, "")
    assert "no run file is in ." in ended.err
