"""`flows tools`: tools are listed, shown, tested in the sandbox, kept and removed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from flows.tools.functions.library import ToolLibrary
from flows.tools.functions.parse import parse_tool
from flows.tools.functions.registry import REGISTRY, ToolRegistry
from flows.tools.functions.shipped import shipped_checks, shipped_tools
from tests.cli.command import flows
from tests.cli.inside import inside
from tests.tools.bench import tool_bench
from tests.tools.sources import DOUBLE, FILL

WRONG = DOUBLE.replace("== 4", "== 5")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "fill.py").write_text(FILL)
    (tmp_path / "double.py").write_text(DOUBLE)
    (tmp_path / "wrong.py").write_text(WRONG)
    return tmp_path


@pytest.mark.long("whole runs of the command")
def test_a_tool_is_tested_kept_found_and_removed(folder: Path) -> None:
    tested = flows("tools", "test", "fill.py", cwd=folder)
    assert tested.code == 0, tested.err
    assert tested.out.startswith("passed  fill_numbers: 2 of 2 tests")
    assert tested.err.startswith("sandbox: ")

    kept = inside("tools", "promote", "fill.py", cwd=folder)
    assert kept.code == 0, kept.err
    assert kept.out.endswith(".flows/tools/fill_numbers/1: kept\n")
    again = inside("tools", "promote", "fill.py", "--json", cwd=folder).json()
    assert (again["kept"], again["added"], again["version"]) == (True, False, 1)
    assert again["tests"]["passed"]

    listed = inside("tools", "list", "--search", "gaps in numbers", "--json", cwd=folder)
    found = {each["name"]: each for each in listed.json()["tools"]}["fill_numbers"]
    assert (found["version"], found["origin"]) == (1, "file fill.py")
    assert "fill_numbers" in inside("tools", cwd=folder).out

    shown = inside("tools", "show", "fill_numbers", cwd=folder)
    assert shown.out.startswith("# fill_numbers\n\nFill what is missing in number columns.\n")
    about = inside("tools", "show", "fill_numbers", "--json", cwd=folder).json()
    assert about["source"] == FILL
    assert about["schema"]["function"]["name"] == "fill_numbers"
    assert about["document"] == shown.out

    assert inside("tools", "test", "fill_numbers", cwd=folder).code == 0
    gone = inside("tools", "remove", "fill_numbers", "--json", cwd=folder)
    assert gone.json() == {"name": "fill_numbers", "versions": [1]}
    assert inside("tools", "show", "fill_numbers", cwd=folder).code == 2


@pytest.mark.long("whole runs of the command")
def test_a_tool_whose_tests_fail_is_told_and_not_kept(folder: Path) -> None:
    ended = inside("tools", "test", "wrong.py", "double.py", "--json", cwd=folder)
    assert ended.code == 1
    found = ended.json()
    assert (found["passed"], [each["passed"] for each in found["tools"]]) == (False, [False, True])
    assert found["tools"][0]["outcomes"][0]["message"] == "it is not so: assert double(2) == 5"
    assert found["sandbox"]["mode"] == "standard"
    refused = inside("tools", "promote", "wrong.py", cwd=folder)
    assert refused.code == 1
    assert "test_two_is_four (line 17): it is not so: assert double(2) == 5" in refused.out
    assert refused.out.endswith("double is not kept\n")
    assert inside("tools", "promote", "wrong.py", "--json", cwd=folder).json()["kept"] is False
    assert not (folder / ".flows" / "tools").exists()


@pytest.mark.long("whole runs of the command")
def test_a_tool_never_runs_outside_of_the_sandbox(folder: Path) -> None:
    touch = f"    from pathlib import Path\n    Path({str(folder / 'out')!r}).touch()\n"
    source = DOUBLE.replace("    return number", f"{touch}    return number")
    top = f"_MADE = open({str(folder / 'out')!r}, 'w')\n\n\ndef double"
    for each in (source, DOUBLE.replace("def double", top)):
        (folder / "evil.py").write_text(each)
        for action in ("show", "test", "promote"):
            inside("tools", action, "evil.py", cwd=folder)
        assert inside("tools", "test", "evil.py", cwd=folder).code == 1
    assert not (folder / "out").exists()


def test_a_file_that_is_no_tool_has_its_faults_named(folder: Path) -> None:
    (folder / "none.py").write_text("LIMIT = 1\n")
    ended = inside("tools", "promote", "none.py", cwd=folder)
    assert ended.code == 2
    assert "none.py:1:1: the constant LIMIT has to begin with _" in ended.err
    assert "4 faults" in ended.err


def test_a_tool_of_a_run_is_kept_with_its_origin(folder: Path) -> None:
    run = folder / "runs" / "20260102-150405-a1b2c3"
    registry = ToolRegistry(run / REGISTRY, shipped=())
    with tool_bench() as test:
        tool = parse_tool(DOUBLE, "20260102-150405-a1b2c3, ToolSmith#1")
        registry.register(tool, test(DOUBLE))
    ended = inside("tools", "promote", "20260102-150405-a1b2c3:double", cwd=folder)
    assert ended.code == 0, ended.err
    assert ToolLibrary(folder / ".flows" / "tools").find("double").origin.startswith("20260102-")
    missing = inside("tools", "promote", "20260102-150405-a1b2c3:doubel", cwd=folder)
    assert missing.code == 2
    assert "did you mean: double" in missing.err
    assert "there is no run" in inside("tools", "show", "nope:double", cwd=folder).err


def test_versions_are_kept_apart(folder: Path) -> None:
    inside("tools", "promote", "double.py", "--library", "ours", cwd=folder)
    (folder / "double.py").write_text(DOUBLE.replace("number + number", "2 * number"))
    second = inside("tools", "promote", "double.py", "--library", "ours", "--json", cwd=folder)
    assert second.json()["folder"] == "ours/double/2"
    options = ("--library", "ours", "--version", "1")
    assert "Version 1," in inside("tools", "show", "double", *options, cwd=folder).out
    assert inside("tools", "remove", "double", *options, cwd=folder).code == 0
    missing = inside("tools", "show", "double", *options, cwd=folder)
    assert (missing.code, "it has: 2" in missing.err) == (2, True)


def test_an_entry_that_was_changed_is_named(folder: Path) -> None:
    inside("tools", "promote", "double.py", cwd=folder)
    (folder / ".flows" / "tools" / "double" / "1" / "tool.py").write_text(FILL)
    ended = inside("tools", "list", cwd=folder)
    assert ended.code == 0
    assert "double" not in ended.out
    said = "note: left out: .flows/tools/double/1: tool.py is not the text whose tests passed"
    assert said in ended.err
    assert len(inside("tools", "list", "--json", cwd=folder).json()["left_out"]) == 1


def test_what_is_shipped_is_listed_and_stays(folder: Path) -> None:
    listed = json.loads(inside("tools", "list", "--json", cwd=folder).out)["tools"]
    assert [each["name"] for each in listed] == [each.name for each in shipped_tools()]
    checks = inside("tools", "list", "--checks", "--json", cwd=folder).json()["tools"]
    assert [each["name"] for each in checks] == [each.name for each in shipped_checks()]
    for each in shipped_tools()[:1]:
        (folder / "same.py").write_text(DOUBLE.replace("double", each.name))
        for action in (("promote", "same.py"), ("remove", each.name)):
            ended = inside("tools", *action, cwd=folder)
            assert (ended.code, "is shipped" in ended.err) == (2, True)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["lst"], "there is no action 'lst'\n  did you mean: list"),
        (["show"], "flows tools show takes one tool"),
        (["promote", "a", "b"], "flows tools promote takes one tool"),
        (["list", "rare"], "flows tools list takes no name"),
        (["show", "doubel.py"], "there is no file doubel.py"),
        (["show", "no_such"], "there is no tool 'no_such'"),
        (["remove", "../out"], "'../out' is no name of a tool"),
        (
            ["list", "--phase", "cleaning"],
            "there is no phase 'cleaning'\n  did you mean: data_clea",
        ),
        (["test", "double.py", "--phase", "data_cleaning"], "choose from all"),
    ],
)
def test_wrong_usage_is_named(arguments: list[str], said: str, folder: Path) -> None:
    ended = inside("tools", *arguments, cwd=folder)
    assert (ended.code, ended.out) == (2, "")
    assert said in ended.err
    assert not (folder / ".flows").exists()
