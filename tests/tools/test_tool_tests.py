"""The tests of tools run in the sandbox, and say how each ended."""

from __future__ import annotations

import pytest

from flows.tools.functions.parse import parse_tool
from flows.tools.functions.source import without_hypothesis
from tests.tools.bench import ToolBench
from tests.tools.sources import DOUBLE, FILL

# What a test does when Hypothesis is not installed, on a machine where it is.
WITHOUT = 'import sys\n\n_GONE = sys.modules.__setitem__("hypothesis", None)\n\n\ndef double'


def with_test(text: str, source: str = DOUBLE) -> str:
    return f"{source}\n\n{text}"


def test_tests_that_pass(tested: ToolBench) -> None:
    found = tested(FILL)
    assert found.passed
    assert [each.status for each in found.outcomes] == ["passed", "passed"]
    assert found.report == ""


def test_a_test_that_fails_is_told_with_its_line(tested: ToolBench) -> None:
    source = with_test("def test_wrong() -> None:\n    assert double(3) == 7\n")
    found = tested(source)
    assert not found.passed
    assert [each.status for each in found.outcomes] == ["passed", "failed"]
    line = source.splitlines().index("    assert double(3) == 7") + 1
    assert found.report == f"test_wrong (line {line}): it is not so: assert double(3) == 7"


def test_an_error_in_the_tool_is_told_with_the_line_of_the_tool(tested: ToolBench) -> None:
    found = tested(DOUBLE.replace("number + number", "number + nummer"))
    line = DOUBLE.splitlines().index("    return number + number") + 1
    assert found.outcomes[0].line == line
    assert found.outcomes[0].message.startswith("NameError: name 'nummer' is not defined")


def test_a_module_that_cannot_be_run_fails_all_its_tests(tested: ToolBench) -> None:
    found = tested(DOUBLE.replace("def double", "import no_such_module\n\n\ndef double"))
    assert [each.status for each in found.outcomes] == ["failed"]
    assert "no_such_module" in found.report


@pytest.mark.long("tools run in the sandbox, each a process")
def test_a_test_that_does_not_end_is_named_and_the_others_did_not_run(tested: ToolBench) -> None:
    text = (
        "def test_loop() -> None:\n    while True:\n        double(1)\n\n\n"
        "def test_after() -> None:\n    assert double(1) == 2\n"
    )
    found = tested(with_test(text), 5)
    assert [each.status for each in found.outcomes] == ["passed", "failed", "not run"]
    assert not found.passed


def test_what_a_test_prints_is_no_outcome(tested: ToolBench) -> None:
    text = (
        "def test_noise() -> None:\n    print('x' * 300_000)\n    import os\n"
        "    os.write(1, b'y' * 300_000)\n    assert double(1) == 2\n"
    )
    assert tested(with_test(text)).passed


def test_a_test_may_leave_itself_out(tested: ToolBench) -> None:
    text = 'def test_rare() -> None:\n    import unittest\n    raise unittest.SkipTest("no GPU")\n'
    found = tested(with_test(text))
    assert (found.passed, found.outcomes[1].status) == (True, "skipped")
    assert found.outcomes[1].message == "no GPU"


def test_a_tool_may_not_change_what_it_is_given(tested: ToolBench) -> None:
    source = FILL.replace("    usual =", "    train['more'] = 1\n    usual =")
    found = tested(source)
    assert "fill_numbers changed what it was given" in found.report


PROPERTY = """\
def test_it_is_even(number: int, others: list[float], word: Literal["a", "b"] | None) -> None:
    assert double(number) % 2 == 0
    assert isinstance(others, list)
    assert word in ("a", "b", None)


def test_tables(table: pd.DataFrame, names: dict[str, str], pair: tuple[int, str]) -> None:
    assert list(table.columns) == ["number", "count", "text", "group", "flag"]
    assert len(table) < 13 and isinstance(pair[1], str) and isinstance(names, dict)
    assert double(len(table)) == 2 * len(table)
"""
WRONG = "def test_small(numbers: list[int]) -> None:\n    assert double(len(numbers)) < 8\n"


@pytest.mark.long("tools run in the sandbox, each a process")
@pytest.mark.parametrize("without", [False, True])
def test_a_test_with_arguments_is_a_property(without: bool, tested: ToolBench) -> None:
    imports = "from typing import Literal\n\nimport pandas as pd\n\n\ndef double"
    source = with_test(PROPERTY, DOUBLE.replace("def double", imports))
    source = source.replace("def double", WITHOUT) if without else source
    found = tested(source)
    assert found.passed, found.report


@pytest.mark.long("tools run in the sandbox, each a process")
@pytest.mark.parametrize("without", [False, True])
def test_a_property_that_does_not_hold_is_told_with_its_values(
    without: bool, tested: ToolBench
) -> None:
    source = with_test(WRONG)
    found = tested(source.replace("def double", WITHOUT) if without else source)
    assert not found.passed
    assert "it is not so: assert double(len(numbers)) < 8" in found.report
    assert "test_small(" in found.report
    assert "numbers=[" in found.report
    again = tested(source.replace("def double", WITHOUT) if without else source)
    assert again.report == found.report


GIVEN = """\
@given(number=st.integers(0, 9))
def test_given(number) -> None:
    assert double(number) <= 18
"""


@pytest.mark.long("tools run in the sandbox, each a process")
def test_hypothesis_may_be_used_as_it_is_and_its_tests_can_be_left_out(tested: ToolBench) -> None:
    imports = (
        "from hypothesis import given\nfrom hypothesis import strategies as st\n\n\ndef double"
    )
    source = with_test(GIVEN, DOUBLE.replace("def double", imports))
    assert [each.status for each in tested(source).outcomes] == ["passed", "passed"]
    left = without_hypothesis(source, ["test_given"])
    assert "given" not in left
    assert parse_tool(left).tests == ("test_two_is_four",)
