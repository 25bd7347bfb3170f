"""Tools on the disk: versions, counts, several writers, and entries that are not as written."""

from __future__ import annotations

import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from flows.core.function_tool import FunctionTool
from flows.errors import ToolError
from flows.tools.functions.library import ToolLibrary
from flows.tools.functions.parse import parse_tool
from flows.tools.functions.testing import ToolTests
from tests.tools.bench import ToolBench
from tests.tools.sources import DOUBLE, FILL

OTHER = DOUBLE.replace("number + number", "2 * number")


@pytest.fixture(scope="module")
def passed(tested: ToolBench) -> ToolTests:
    return tested(DOUBLE)


def double(source: str = DOUBLE) -> FunctionTool:
    return parse_tool(source, "run-1, ToolSmith#1, rules")


@pytest.mark.long("tools run in the sandbox, each a process")
def test_a_tool_is_kept_with_all_that_belongs_to_it(tmp_path: Path, passed: ToolTests) -> None:
    kept = ToolLibrary(tmp_path).add(double(), passed)
    assert kept == double()
    folder = tmp_path / "double" / "1"
    names = {each.name for each in folder.iterdir()}
    assert names == {"tool.py", "tool.md", "schema.json", "record.json"}
    assert (folder / "tool.py").read_text() == DOUBLE
    assert json.loads((folder / "schema.json").read_text())["function"]["name"] == "double"
    record = json.loads((folder / "record.json").read_text())
    assert record["origin"] == "run-1, ToolSmith#1, rules"
    assert record["tests"] == ["test_two_is_four"]
    assert ToolLibrary(tmp_path).tools() == (double(),)


@pytest.mark.long("tools with their processes and servers")
def test_versions_are_counted_and_the_same_source_is_no_new_one(
    tmp_path: Path, passed: ToolTests
) -> None:
    library = ToolLibrary(tmp_path)
    library.add(double(), passed)
    assert library.add(double(), passed).version == 1
    assert library.add(double(OTHER), passed).version == 2
    assert [each.version for each in library.all_versions()] == [1, 2]
    assert [each.version for each in library.tools()] == [2]
    assert library.find("double", 1).source == DOUBLE
    with pytest.raises(ToolError, match=r"no version 3 .* \(it has: 1, 2\)"):
        library.find("double", 3)
    with pytest.raises(ToolError, match="did you mean: double"):
        library.find("doubel")


def test_only_a_tool_whose_tests_passed_is_kept(tmp_path: Path, tested: ToolBench) -> None:
    wrong = DOUBLE.replace("== 4", "== 5")
    with pytest.raises(ToolError, match="its tests do not pass:\ntest_two_is_four"):
        ToolLibrary(tmp_path).add(double(wrong), tested(wrong))
    assert list(tmp_path.iterdir()) == []


def test_calls_are_counted(tmp_path: Path, passed: ToolTests) -> None:
    library = ToolLibrary(tmp_path)
    library.add(double(), passed)
    library.count("double", 1, uses=1, successes=1)
    library.count("double", 1, uses=1, successes=0)
    found = ToolLibrary(tmp_path).find("double")
    assert (found.uses, found.successes) == (2, 1)
    assert "2 calls, 1 of them" in (tmp_path / "double" / "1" / "tool.md").read_text()


@pytest.mark.long("tools run in the sandbox, each a process")
def test_writers_at_once_lose_nothing(tmp_path: Path, passed: ToolTests) -> None:
    ToolLibrary(tmp_path).add(double(), passed)
    count = (
        "import sys; from pathlib import Path; from flows.tools.functions.library import *\n"
        "for _ in range(10): ToolLibrary(Path(sys.argv[1])).count('double', 1, uses=1, successes=1)"
    )
    others = [subprocess.Popen([sys.executable, "-c", count, str(tmp_path)]) for _ in range(2)]

    def add(number: int) -> int:
        source = DOUBLE.replace("return", f"del_ = {number}\n    return")
        return ToolLibrary(tmp_path).add(double(source), passed).version

    with ThreadPoolExecutor(4) as pool:
        versions = list(pool.map(add, range(8)))
    assert [each.wait() for each in others] == [0, 0]
    assert sorted(versions) == list(range(2, 10))
    assert ToolLibrary(tmp_path).find("double", 1).uses == 20


def test_a_tool_is_removed(tmp_path: Path, passed: ToolTests) -> None:
    library = ToolLibrary(tmp_path)
    library.add(double(), passed)
    library.add(double(OTHER), passed)
    assert library.remove("double", 2) == (2,)
    assert library.find("double").version == 1
    assert library.remove("double") == (1,)
    assert library.tools() == ()
    assert not (tmp_path / "double").exists()
    with pytest.raises(ToolError, match="there is no tool 'double'"):
        library.remove("double")


@pytest.mark.parametrize(
    ("file", "text", "said"),
    [
        ("record.json", None, "there is no record.json"),
        ("record.json", "{", "record.json: Invalid JSON"),
        ("record.json", '{"name": "double"}', "record.json: version: Field required"),
        ("tool.py", None, "there is no tool.py"),
        ("tool.py", DOUBLE + "\n", "tool.py is not the text whose tests passed"),
        ("tool.py", "\udcff", "tool.py cannot be read"),
        ("tool.py", "x" * 1_000_001, "tool.py is larger than 1,000,000 bytes"),
    ],
)
def test_an_entry_that_is_not_as_written_is_named_and_left_out(
    file: str, text: str | None, said: str, tmp_path: Path, passed: ToolTests, tested: ToolBench
) -> None:
    library = ToolLibrary(tmp_path)
    library.add(double(), passed)
    library.add(parse_tool(FILL), tested(FILL))
    path = tmp_path / "double" / "1" / file
    if text is None:
        path.unlink()
    else:
        path.write_bytes(text.encode("utf-8", "surrogateescape"))
    again = ToolLibrary(tmp_path)
    assert [each.name for each in again.tools()] == ["fill_numbers"]
    assert len(again.faults) == 1
    assert again.faults[0].startswith(f"{tmp_path / 'double' / '1'}: {said}")
    assert [each.name for each in library.tools()] == ["fill_numbers"]
    assert again.remove("double") == (1,)
    assert library.add(double(), passed).version == 1


def test_a_record_of_another_tool_is_named(tmp_path: Path, passed: ToolTests) -> None:
    library = ToolLibrary(tmp_path)
    library.add(double(), passed)
    (tmp_path / "double").rename(tmp_path / "triple")
    assert library.tools() == ()
    assert "record.json is that of double, version 1" in library.faults[0]


@pytest.mark.parametrize("name", ["../out", "a/b", "", ".", "..", "Double", "a" * 65, "x\0y"])
def test_no_name_leads_out_of_the_folder(name: str, tmp_path: Path, passed: ToolTests) -> None:
    library = ToolLibrary(tmp_path / "tools")
    tool = double().model_copy(update={"name": name})
    tests = passed.model_copy(update={"tool": name})
    for write in (
        lambda: library.add(tool, tests),
        lambda: library.remove(name),
        lambda: library.count(name, 1, uses=1, successes=1),
    ):
        with pytest.raises(ToolError, match="is no name of a tool"):
            write()
    assert list(tmp_path.iterdir()) == []


def test_no_link_leads_out_of_the_folder(tmp_path: Path, passed: ToolTests) -> None:
    outside, inside = tmp_path / "outside", tmp_path / "tools"
    ToolLibrary(outside).add(double(), passed)
    inside.mkdir()
    (inside / "double").symlink_to(outside / "double")
    library = ToolLibrary(inside)
    assert library.tools() == ()
    assert "this is no folder of a tool" in library.faults[0]
    with pytest.raises(ToolError, match="leads to another place"):
        library.remove("double")
    with pytest.raises(ToolError, match="leads to another place"):
        library.add(double(OTHER), passed)
    assert ToolLibrary(outside).find("double").version == 1


def test_other_things_in_the_folder_are_left_alone(tmp_path: Path, passed: ToolTests) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "README.md").write_text("Our tools.")
    (tmp_path / "My Notes").mkdir()
    library = ToolLibrary(tmp_path)
    library.add(double(), passed)
    assert [each.name for each in library.tools()] == ["double"]
    assert library.faults == (f"{tmp_path / 'My Notes'}: this is no folder of a tool",)


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path, passed: ToolTests) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ToolError, match="cannot be written"):
        ToolLibrary(tmp_path / "file").add(double(), passed)
    assert ToolLibrary(tmp_path / "file").tools() == ()
