"""What the package imports is what pyproject.toml asks for, by name and with the right extra."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from importlib.metadata import packages_distributions
from pathlib import Path
from typing import Any

PROJECT = Path(__file__).parents[1]
# Models of prediction that are compared where somebody has installed them.
WHERE_INSTALLED = {"catboost", "lightgbm", "xgboost"}
# What the package is built from, and what its tests want, are no parts of it.
NOT_FOR_USERS = {"all", "build", "dev"}


@cache
def project() -> dict[str, Any]:
    return dict(tomllib.loads((PROJECT / "pyproject.toml").read_text())["project"])


def name_of(requirement: str) -> str:
    """The name of a distribution, as an index spells it."""
    found = re.match(r"[\w.-]+", requirement)
    assert found is not None, requirement
    return re.sub(r"[-_.]+", "-", found[0]).lower()


def test_each_package_that_is_imported_is_declared() -> None:
    known = packages_distributions()
    extras = project()["optional-dependencies"]
    declared = {name_of(each) for each in project()["dependencies"]}
    declared |= {name_of(one) for extra in extras.values() for one in extra}
    missing = {
        f"{module} ({file.relative_to(PROJECT)})"
        for file in (PROJECT / "flows").rglob("*.py")
        for module in imports(file)
        if module not in sys.stdlib_module_names | WHERE_INSTALLED | {"flows"}
        and not {name_of(each) for each in known.get(module, [module])} & declared
    }
    assert not missing


def imports(file: Path) -> Iterator[str]:
    """The top packages that a file imports."""
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            yield from (each.name.partition(".")[0] for each in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module.partition(".")[0]


def test_all_is_every_extra() -> None:
    extras = project()["optional-dependencies"]
    (given,) = extras["all"]
    named = set(re.findall(r"[\w-]+", given.partition("[")[2]))
    assert named == extras.keys() - NOT_FOR_USERS


def test_the_first_release_has_its_notes() -> None:
    changes = (PROJECT / "CHANGELOG.md").read_text()
    assert re.search(rf"^## {re.escape(project()['version'])}\b", changes, re.MULTILINE)
