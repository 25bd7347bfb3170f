"""The unit tests of phases that ship: each one's own tests, and the form that all of them have."""

from __future__ import annotations

import ast
import importlib
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from flows.analysis.prediction import checks
from flows.analysis.prediction.phases import TITLES
from flows.tools.functions.shipped import shipped_checks

FOLDER = Path(str(checks.__file__)).parent
NAMES = sorted(path.stem for path in FOLDER.glob("*.py") if path.stem != "__init__")
# What a unit test may look at: the tables of a phase, and plain values.
GIVEN = {
    "train", "test", "sample", "raw_train", "raw_test", "before_train", "before_test", "folds",
    "oof", "predictions", "scores", "submission", "task", "rules", "figures",
}  # fmt: skip


def module(name: str) -> ModuleType:
    return importlib.import_module(f"{checks.__name__}.{name}")


def own_tests() -> Iterator[tuple[str, str]]:
    for name in NAMES:
        tree = ast.parse((FOLDER / f"{name}.py").read_text(encoding="utf-8"))
        for node in tree.body:
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                yield name, node.name


@pytest.mark.parametrize(("name", "test"), list(own_tests()))
def test_check_passes_its_own(name: str, test: str) -> None:
    getattr(module(name), test)()


def test_all_checks_are_read_from_their_modules() -> None:
    found = {each.name: each for each in shipped_checks()}
    assert sorted(found) == NAMES
    for each in found.values():
        assert each.phases
        assert set(each.phases) <= set(TITLES)
        assert {parameter.name for parameter in each.parameters} <= GIVEN
        assert any(name.startswith("test_property_") for name in each.tests)
        assert each.purpose
        assert each.returns
        assert each.example


def test_each_phase_with_a_plan_is_checked() -> None:
    for phase in [*TITLES][1:]:
        assert sum(phase in each.phases for each in shipped_checks()) >= 3
