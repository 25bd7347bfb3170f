"""The tools of a conversation's agents, each run as a flow of its own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

import flows
from flows.core.result import RunResult


def call(folder: Path, tool: str, **inputs: object) -> RunResult:
    """Run a tool over the file `pay.csv` of the folder."""
    if not (folder / "pay.csv").exists():
        (folder / "pay.csv").write_text("name,pay\nAda,10\nBo,\nCy,30.5\n")
    config: dict[str, Any] = {
        "name": "Tool", "_target_": f"csv_chat.{tool}", "data": {"pay": "pay.csv"},
        "runs": str(folder / "runs"), "inputs": inputs,
    }  # fmt: skip
    (folder / "tool.yaml").write_text(yaml.safe_dump(config))
    return flows.run(folder / "tool.yaml")


@pytest.mark.long("whole runs of a flow")
@pytest.mark.parametrize("named", ["pay", "pay.csv"])
def test_read_csv_file_tells_what_a_file_holds(tmp_path: Path, named: str) -> None:
    result = call(tmp_path, "read_csv_file", file_path=named)
    assert result.status == "finished", result.reason
    found = result.outputs
    assert set(found) == {
        "shape", "columns", "dtypes", "head", "describe", "null_counts", "memory_usage"
    }  # fmt: skip
    assert (found["shape"], found["columns"]) == ((3, 2), ("name", "pay"))
    assert found["null_counts"] == {"name": 0, "pay": 1}
    assert found["head"]["pay"] == {"0": 10.0, "1": None, "2": 30.5}
    assert found["describe"]["pay"]["mean"] == 20.25
    assert found["memory_usage"].endswith(" MB")


@pytest.mark.parametrize("named", ["/etc/passwd", "../pay.csv", "nothing.csv", ""])
def test_only_files_of_the_data_are_read(tmp_path: Path, named: str) -> None:
    result = call(tmp_path, "read_csv_file", file_path=named)
    assert result.status == "failed"
    assert "is not of the run's data" in (result.reason or "")
    ran = call(tmp_path, "execute_python_code", code="print(df)", csv_file_path=named)
    assert ran.status == "failed"


def test_validate_python_code_says_what_is_wrong(tmp_path: Path) -> None:
    assert call(tmp_path, "validate_python_code", code="x = 1").outputs == {
        "valid": True, "error": ""
    }  # fmt: skip
    found = call(tmp_path, "validate_python_code", code="x = 1\nif x\n  pass").outputs
    assert found["valid"] is False
    assert "line 2" in found["error"]


@pytest.mark.long("whole runs of a flow")
def test_execute_python_code_runs_over_the_file(tmp_path: Path) -> None:
    code = (
        "import sys\ntotal = df['pay'].sum()\nprint(total, csv_path)\nprint('!', file=sys.stderr)"
    )
    result = call(tmp_path, "execute_python_code", code=code, csv_file_path="pay.csv")
    assert result.status == "finished", result.reason
    found = result.outputs
    assert set(found) == {"success", "output", "error", "variables", "stderr"}
    assert (found["success"], found["output"], found["error"]) == (True, "40.5 pay.csv\n", "")
    assert "40.5" in found["variables"]["total"]
    assert found["stderr"] == "!\n"


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("print(1)\n1 / 0", "ZeroDivisionError"),
        ("open('/etc/passwd').read()", "Error"),
        ("import socket\nsocket.create_connection(('127.0.0.1', 9))", "Error"),
        ("while True: pass", "second"),
        ("x = (", "SyntaxError"),
    ],
)
def test_a_fault_of_the_code_is_told(tmp_path: Path, code: str, said: str) -> None:
    (tmp_path / "pay.csv").write_text("name,pay\nAda,10\n")
    config = {
        "name": "Tool", "_target_": "csv_chat.execute_python_code", "data": {"pay": "pay.csv"},
        "runs": str(tmp_path / "runs"), "inputs": {"code": code, "csv_file_path": None},
        "seconds": 2,
    }  # fmt: skip
    (tmp_path / "tool.yaml").write_text(yaml.safe_dump(config))
    result = flows.run(tmp_path / "tool.yaml")
    assert result.status == "finished", result.reason
    assert result.outputs["success"] is False
    assert said in result.outputs["error"]


def test_save_code_to_file_stays_in_the_folder_of_the_run(tmp_path: Path) -> None:
    result = call(tmp_path, "save_code_to_file", code="x = 1\n", file_path="code/first.py")
    assert result.outputs == {"success": True, "file_path": "code/first.py", "error": ""}
    assert (result.folder / "code" / "first.py").read_text() == "x = 1\n"
    for path in ("../x.py", "/tmp/x.py", "artifacts/x.py", "journal.sqlite", "a\x00.py", ""):
        refused = call(tmp_path, "save_code_to_file", code="x", file_path=path)
        assert refused.outputs["success"] is False, path
        assert refused.outputs["error"]
    assert not (tmp_path / "runs" / "x.py").exists()


def test_list_saved_images_of_a_session_that_has_none(tmp_path: Path) -> None:
    for session in ("20260101", "../..", ""):
        found = call(tmp_path, "list_saved_images", session_id=session).outputs
        assert found == {"session_id": session, "images": (), "count": 0}
