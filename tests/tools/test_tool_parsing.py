"""Tools are read from text: what is said of them, and what is missing."""

from __future__ import annotations

import json

import pytest
from jsonschema import Draft202012Validator

from flows.core.function_tool import call_of
from flows.errors import CheckError, ConfigError
from flows.tools.functions.document import describe_tool, document_of, signature_of
from flows.tools.functions.parse import parse_tool
from flows.tools.functions.source import code_of, inlined
from tests.tools.sources import DOUBLE, FILL


def test_a_tool_is_read_whole() -> None:
    tool = parse_tool(FILL, "run-1, ToolSmith#1, rules")
    assert tool.name == "fill_numbers"
    assert tool.purpose == "Fill what is missing in number columns."
    assert tool.description.startswith("Put what is usual in train where a number is missing.\n\n")
    assert tool.phases == ("data_cleaning", "feature_engineering")
    assert tool.gives == ("train", "test")
    assert tool.frames == ("train", "test")
    assert tool.returns.endswith("]: Both tables, without gaps in the columns.")
    assert tool.errors == "ValueError: A column is not there."
    assert tool.example == 'train, test = fill_numbers(train, test, columns=["width"])'
    assert tool.tests == ("test_the_median_of_train_fills_both", "test_an_unknown_column_is_named")
    assert tool.origin == "run-1, ToolSmith#1, rules"
    by_name = {each.name: each for each in tool.parameters}
    assert by_name["test"].description == "Tables that have the columns."
    assert (by_name["test"].required, by_name["test"].default) == (False, "None")
    assert by_name["columns"].required
    # A name of the module's own is written out, since a reader does not have the module.
    assert by_name["method"].type == "Literal['median', 'mean']"
    called = call_of(tool, {"columns": ["width"]}, frozenset({"train"}))
    assert called == "train, test = fill_numbers(train=train, columns=['width'])"


def test_nothing_of_a_tool_is_run() -> None:
    source = DOUBLE + "\n\n_GONE = 1 / 0\n"
    assert parse_tool(source).name == "double"


def test_the_document_says_all_that_a_caller_needs() -> None:
    document = document_of(parse_tool(FILL))
    for text in (
        "# fill_numbers\n",
        "- `train` (`pd.DataFrame`, a table, required): Tables that have the columns.",
        "Assigned to: `train`, `test`.",
        "- ValueError: A column is not there.",
        'fill_numbers(train, test, columns=["width"])',
        "- Data Cleaning",
        "- the median of train fills both",
        "Version 1, made by: shipped.",
    ):
        assert text in document


def test_the_schema_is_one_that_validates_calls() -> None:
    schema = describe_tool(parse_tool(FILL)).function_dict()
    assert json.loads(json.dumps(schema)) == schema
    assert schema["type"] == "function"
    parameters = schema["function"]["parameters"]
    Draft202012Validator.check_schema(parameters)
    validator = Draft202012Validator(parameters)
    right = {"train": "train", "test": None, "columns": ["width"], "method": "mean"}
    assert validator.is_valid(right)
    for wrong in (
        {"train": "train"},
        {**right, "columns": "width"},
        {**right, "method": "mode"},
        {**right, "more": 1},
    ):
        assert not validator.is_valid(wrong)
    assert parameters["properties"]["method"]["default"] == "median"


def test_types_of_many_forms_have_schemas() -> None:
    forms: dict[str, dict[str, object]] = {
        "int | None": {"type": ["integer", "null"]},
        "Optional[str]": {"type": ["string", "null"]},
        "dict[str, list[float]]": {
            "type": "object",
            "additionalProperties": {"type": "array", "items": {"type": "number"}},
        },
        "tuple[int, ...]": {"type": "array", "items": {"type": "integer"}},
        "Literal['a', 2] | None": {"anyOf": [{"enum": ["a", 2]}, {"type": "null"}]},
        "'list[str]'": {"type": "array", "items": {"type": "string"}},
        "Any": {},
    }
    for written, schema in forms.items():
        tool = parse_tool(DOUBLE.replace("number: int)", f"number: {written})"))
        found = describe_tool(tool).parameters["properties"]["number"]
        assert {**schema, "description": "Any number."} == found
    tables = parse_tool(DOUBLE.replace("number: int)", "number: list[pd.DataFrame])"))
    assert tables.frames == ("number",)
    described = describe_tool(tables).parameters["properties"]["number"]
    assert described["description"] == "Any number (the names of their variables)"


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("number: int", "number", "tool.py:7:12: the argument number has no type"),
        ("number: int", "*number: int", "number has none"),
        ("number: int", "number: np.ndarray", "np.ndarray is no plain data"),
        ("number: int", "number: dict[str, pd.DataFrame]", "holds tables beside other values"),
        (" -> int:", ":", "double has no type of what it returns"),
        (
            "    Args:\n        number: Any number.\n",
            "",
            "the docstring's Args do not say what number",
        ),
        ("number: Any number.", "numbr: Any number.", "describes 'numbr', which is no argument"),
        ("Double a number.\n\n", "", "tool.py:1:1: the module has no docstring that says"),
        ("Phases: feature_engineering\n", "", "has no line `Phases: "),
        ("feature_engineering", "feature_enginering", "tool.py:3:1: there is no phase"),
        ("def test_two", "def _test_two", "double has no test"),
        ("double(2) == 4", "True", "tool.py:16:1: no test calls double and asserts"),
        ("def double", "def Double", "is no name of a tool"),
        ("def double(", "def sum(", "sum has a meaning of its own"),
        ("def double", "async def double", "a tool is a plain function"),
        ("def double", "LIMIT = 3\n\n\ndef double", "the constant LIMIT has to begin with _"),
        ("def double", "print(3)\n\n\ndef double", "this would run when the tool is read"),
        ("def double", "def other() -> int:\n    return 1\n\n\ndef double", "one public function"),
        ("def double", "import flows.core\n\n\ndef double", "flows.core is not there"),
        ("def double", "from . import near\n\n\ndef double", "a relative import"),
        ("def double", "from math import *\n\n\ndef double", "an import of *"),
        ("return number + number", "return (", "this is no Python"),
        ("engineering\n", "engineering\nGives: a, b\n", "Gives: names 2 variables"),
        ("engineering\n", "engineering\nGives: a b\n", "tool.py:4:1: 'a b' cannot be a variable"),
        ("def test_two_is_four()", "def test_two_is_four(number)", "has no type to take values of"),
    ],
)
def test_what_is_missing_is_named_with_its_line(before: str, after: str, said: str) -> None:
    assert before in DOUBLE
    with pytest.raises(CheckError) as raised:
        parse_tool(DOUBLE.replace(before, after, 1))
    assert said in str(raised.value)
    assert all(line.startswith("tool.py:") for line in str(raised.value).splitlines())


def test_all_faults_are_named_at_once() -> None:
    wrong = DOUBLE.replace("number: int", "number").replace("Phases", "Phase")
    with pytest.raises(CheckError) as raised:
        parse_tool(wrong, file="mine.py")
    assert len(raised.value.errors) == 2


def test_the_code_of_a_step_is_the_source_without_its_tests() -> None:
    tool = parse_tool(FILL.replace("import pandas", "import hypothesis\nimport pandas"))
    code = code_of(tool)
    assert "def test_" not in code
    assert "hypothesis" not in code
    assert code.splitlines()[20] == tool.source.splitlines()[20]
    compile(code, "<code>", "exec")


def test_lines_are_those_of_python() -> None:
    source = DOUBLE.replace("Twice the number.", "Twice\x0c the\u2028 number\x1c.")
    code = code_of(parse_tool(source.replace("\n", "\r\n")))
    assert "def test_" not in code
    assert "return number + number" in code


def test_a_text_that_is_nested_too_deeply_is_a_fault() -> None:
    for deep in ("int | " * 900 + "int", "-" * 900 + "1", "1 + " * 20_000 + "1"):
        for typed in (f"number: {deep})", f"number: int = {deep})"):
            with pytest.raises(CheckError, match=r"nested too deeply|no Python"):
                parse_tool(DOUBLE.replace("number: int)", typed))


MEASURE = DOUBLE.replace("double", "measure").replace("def measure", "_ONE = 1\n\n\ndef measure")
USER = '''"""Use it.

Phases: feature_engineering
"""

from __future__ import annotations

from ours.measure import measure


def use(number: int) -> int:
    """Measured.

    Args:
        number: Any number.
    """
    return measure(number) + 1


def test_use() -> None:
    assert use(1) == 3
'''


def test_what_a_tool_imports_is_put_in() -> None:
    modules = {
        "ours.measure": "from __future__ import annotations\n" + MEASURE.partition("\n\n\n")[2]
    }
    source = inlined(USER, "use.py", modules)
    assert "ours.measure import" not in source
    assert source.count("def measure") == 1
    assert "test_two_is_four" not in source
    assert source.splitlines().index("def use(number: int) -> int:") == 10
    names: dict[str, object] = {}
    exec(source, names)
    assert callable(names["use"])
    tool = parse_tool(source, name="use")
    assert tool.tests == ("test_use",)
    assert signature_of(tool) == "use(number: int)"


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("measure import measure", "measure import measure as m", "without another name"),
        ("from ours.measure import measure", "import ours.measure", "without another name"),
        ("def use", "_ONE = 2\n\n\ndef use", "_ONE is defined in use.py and in ours.measure"),
    ],
)
def test_what_cannot_be_put_in_is_named(before: str, after: str, said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        inlined(USER.replace(before, after), "use.py", {"ours.measure": MEASURE})


def test_modules_that_import_each_other_are_named() -> None:
    around = MEASURE.replace("_ONE = 1", "from ours.measure import measure")
    with pytest.raises(ConfigError, match="imports itself"):
        inlined(USER, "use.py", {"ours.measure": around})
