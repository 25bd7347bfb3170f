"""The form that all tools have which ship; their own tests are run in `tests/tools`."""

from __future__ import annotations

import ast
import importlib
from pathlib import Path
from types import ModuleType
from typing import get_args

import pytest

from flows.analysis.prediction import tools
from flows.analysis.prediction.phases import PhaseName

FOLDER = Path(str(tools.__file__)).parent
NAMES = sorted(path.stem for path in FOLDER.glob("*.py") if path.stem != "__init__")


def module(name: str) -> ModuleType:
    return importlib.import_module(f"{tools.__name__}.{name}")


@pytest.mark.parametrize("name", NAMES)
def test_tool_is_one_function_that_is_documented_and_tested(name: str) -> None:
    text = (FOLDER / f"{name}.py").read_text(encoding="utf-8")
    tree = ast.parse(text)
    functions = [node.name for node in tree.body if isinstance(node, ast.FunctionDef)]
    public = [each for each in functions if not each.startswith(("_", "test_"))]
    assert public == [name]
    private = [each for each in functions if each.startswith("_")]
    assert [each for each in private if not each.startswith(f"_{name}_")] == []
    assert any(each.startswith("test_property_") for each in functions)
    assert any(each.startswith("test_") and "property" not in each for each in functions)
    document = getattr(module(name), name).__doc__
    assert [
        each for each in ("Args:", "Returns:", "Raises:", "Example:") if each not in document
    ] == []
    head = str(ast.get_docstring(tree))
    assert head.splitlines()[0].endswith(".")
    phases = head.partition("Phases:")[2].splitlines()[0].split(",")
    assert {each.strip() for each in phases} <= set(get_args(PhaseName))
