"""The tools of a run: what is registered, written, found, counted and promoted."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from flows.core.function_tool import FunctionTool
from flows.errors import ToolError
from flows.tools.functions.document import describe_tool, document_of
from flows.tools.functions.library import ToolLibrary
from flows.tools.functions.parse import parse_tool
from flows.tools.functions.registry import SCHEMAS, ToolRegistry
from flows.tools.functions.search import ToolIndex
from flows.tools.functions.shipped import shipped_checks, shipped_components, shipped_tools
from flows.tools.functions.source import code_of, defined
from tests.tools.bench import ToolBench
from tests.tools.sources import DOUBLE, FILL

ALL = [*shipped_tools(), *shipped_components(), *shipped_checks()]
SHIPPED = {each.name for each in shipped_tools()}
OTHER = DOUBLE.replace("number + number", "2 * number")


def registry(folder: Path) -> ToolRegistry:
    """A registry with one shipped tool, and a library beside it."""
    return ToolRegistry(folder / "run", ToolLibrary(folder / "library"), [parse_tool(FILL)])


def test_a_registered_tool_is_there_for_all_at_once(tmp_path: Path, tested: ToolBench) -> None:
    ours, theirs = registry(tmp_path), registry(tmp_path)
    assert [each.name for each in theirs.tools()] == ["fill_numbers"]
    ours.register(parse_tool(DOUBLE, "run-1"), tested(DOUBLE))
    assert [each.name for each in theirs.tools()] == ["double", "fill_numbers"]
    schemas = json.loads((tmp_path / "run" / SCHEMAS).read_text())
    assert list(schemas) == ["double", "fill_numbers"]
    assert "# double\n" in (tmp_path / "run" / "double.md").read_text()
    assert "# fill_numbers\n" in (tmp_path / "run" / "fill_numbers.md").read_text()
    ours.made.remove("double")
    theirs.write()
    assert not (tmp_path / "run" / "double.md").exists()
    assert list(json.loads((tmp_path / "run" / SCHEMAS).read_text())) == ["fill_numbers"]


def test_a_tool_whose_tests_fail_is_not_registered(tmp_path: Path, tested: ToolBench) -> None:
    wrong = DOUBLE.replace("== 4", "== 5")
    with pytest.raises(ToolError, match="do not pass"):
        registry(tmp_path).register(parse_tool(wrong), tested(wrong))
    with pytest.raises(ToolError, match="do not pass"):  # the tests of another tool say nothing
        registry(tmp_path).register(parse_tool(DOUBLE), tested(FILL))
    assert [each.name for each in registry(tmp_path).tools()] == ["fill_numbers"]


def test_a_shipped_tool_keeps_its_name(tmp_path: Path, tested: ToolBench) -> None:
    ours = registry(tmp_path)
    with pytest.raises(ToolError, match="a tool named fill_numbers is shipped"):
        ours.register(parse_tool(FILL), tested(FILL))
    ToolLibrary(tmp_path / "library").add(parse_tool(FILL, "run-0"), tested(FILL))
    assert [each.origin for each in ours.tools()] == ["shipped"]
    assert ours.faults == ("fill_numbers (run-0): a shipped tool has that name",)


def test_versions_go_on_from_the_library(tmp_path: Path, tested: ToolBench) -> None:
    ours = registry(tmp_path)
    ToolLibrary(tmp_path / "library").add(parse_tool(DOUBLE, "run-0"), tested(DOUBLE))
    assert ours.register(parse_tool(DOUBLE, "run-1"), tested(DOUBLE)).origin == "run-0"
    made = ours.register(parse_tool(OTHER, "run-1"), tested(OTHER))
    assert (made.version, ours.find("double").origin) == (2, "run-1")


def test_calls_are_counted_where_the_tool_is_kept(tmp_path: Path, tested: ToolBench) -> None:
    ours = registry(tmp_path)
    ours.register(parse_tool(DOUBLE, "run-1"), tested(DOUBLE))
    uses = {"double": 2, "fill_numbers": 1, "no_such": 3}
    assert ours.count(uses, {"double": 1, "fill_numbers": 9}) == 3
    found = {each.name: (each.uses, each.successes) for each in registry(tmp_path).tools()}
    assert found == {"double": (2, 1), "fill_numbers": (1, 1)}
    assert "1 call, 1 of them" in (tmp_path / "run" / "fill_numbers.md").read_text()
    kept = ours.promote("double")
    assert (kept.uses, kept.successes) == (2, 1)
    another = ToolRegistry(tmp_path / "other", ToolLibrary(tmp_path / "library"), [])
    another.count({"double": 1})
    assert ToolLibrary(tmp_path / "library").find("double").uses == 3
    with pytest.raises(ToolError, match="did you mean: double"):
        ours.find("dubble")


def test_a_phase_gets_what_it_may_call(tmp_path: Path, tested: ToolBench) -> None:
    ours = registry(tmp_path)
    ours.register(parse_tool(DOUBLE, "run-1"), tested(DOUBLE))
    assert [each.name for each in ours.allowed("feature_engineering")] == ["double", "fill_numbers"]
    assert [each.name for each in ours.allowed("data_cleaning")] == ["fill_numbers"]
    assert ours.allowed("data_cleaning", ["double"]) == ()
    assert [each.tool.name for each in ours.search("number", "data_cleaning")] == ["fill_numbers"]


def written(name: str, purpose: str, phase: str = "feature_engineering") -> str:
    source = DOUBLE.replace("double", name).replace("Double a number.", purpose)
    return source.replace("feature_engineering", phase)


TOOLS = [
    parse_tool(written("encode_categories", "Turn categories into numbers.")),
    parse_tool(written("fold_rare_values", "Put rare values of a column into one.")),
    parse_tool(written("split_dates", "Take the parts of a date apart: year, month, weekday.")),
    parse_tool(written("drop_duplicates", "Leave out rows that are there twice.", "data_cleaning")),
    parse_tool(written("plot_histograms", "Draw how numbers are spread.", "in_depth_eda")),
]


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("categorical encoder", "encode_categories"),
        ("encoding of the category columns", "encode_categories"),
        ("rare value", "fold_rare_values"),
        ("what weekday is it", "split_dates"),
        ("duplicated rows", "drop_duplicates"),
        ("histogram of the numbers", "plot_histograms"),
        ("data cleaning", "drop_duplicates"),
        ("charts of distributions", "plot_histograms"),
        ("infrequent values", "fold_rare_values"),
        ("repeated records", "drop_duplicates"),
    ],
)
def test_tools_are_found_by_words_of_their_documents(words: str, found: str) -> None:
    assert ToolIndex(TOOLS).search(words)[0].tool.name == found
    again = ToolIndex(list(reversed(TOOLS))).search(words)
    assert again == ToolIndex(TOOLS).search(words)


def test_a_search_keeps_to_the_phase_and_the_limit() -> None:
    index = ToolIndex(TOOLS)
    assert [each.tool.name for each in index.search("histograms", "data_cleaning")] == []
    assert len(index.search("number", limit=2)) == 2
    assert index.search("zebra") == ()
    assert index.search("") == ()
    assert ToolIndex([]).search("rows") == ()


def test_of_equals_the_one_that_worked_more_often_comes_first() -> None:
    twin = TOOLS[0].model_copy(update={"name": "encoder_categories", "successes": 3})
    assert ToolIndex([TOOLS[0], twin]).search("encode categories")[0].tool is twin


NEEDS = {
    "impute missing values": "fill_missing_values",
    "remove outliers": "clip_outliers",
    "remove repeated rows": "drop_duplicate_rows",
    "out of fold target encoding": "encode_by_target",
    "infrequent categories": "fold_rare_categories",
    "month and weekday of a date": "expand_dates",
    "numbers with units in text": "parse_numbers",
    "correlation heatmap": "plot_correlations",
    "typos in categories": "tidy_text_values",
    "strip constant columns": "drop_columns",
}


@pytest.mark.parametrize("need", [need for need in NEEDS if NEEDS[need] in SHIPPED])
def test_a_shipped_tool_is_found_by_the_words_of_who_needs_it(need: str) -> None:
    found = ToolIndex(shipped_tools()).search(need, limit=3)
    assert NEEDS[need] in [each.tool.name for each in found]


@pytest.mark.parametrize("tool", ALL, ids=lambda each: each.name)
def test_what_is_shipped_is_documented_and_can_be_called(tool: FunctionTool) -> None:
    Draft202012Validator.check_schema(describe_tool(tool).function_dict()["function"]["parameters"])
    assert "## Arguments" in document_of(tool)
    assert ": " in tool.returns or tool.returns == "None"
    # Sources are put one after the other: names that are private to a tool begin with its own.
    own = tool.source.partition("\n# The source of ")[0]
    private = {each for each in defined(own) if each.startswith("_")}
    begins = tool.name.replace("_", "")
    assert all(each.lower().replace("_", "").startswith(begins) for each in private), private


@pytest.mark.long("tools with their processes and servers")
@pytest.mark.parametrize("tool", ALL, ids=lambda each: each.name)
def test_what_is_shipped_passes_its_tests(tool: FunctionTool, tested: ToolBench) -> None:
    compile(code_of(tool), "<code>", "exec")
    found = tested(tool.source, 60, tool.name)
    assert found.passed, found.report
