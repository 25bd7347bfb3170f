"""A wheel is made from what git keeps, and has what editors read."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.cli.command import PROJECT, environment, python

SCHEMA = "configs/schema/run.schema.json"
# A package of somebody else's, which offers a flow and a transformation.
PACKAGE = """
[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"
[project]
name = "acme-flows"
version = "1.0"
[project.entry-points."flows.components"]
"acme.shout" = "acme_flows:shout"
"acme.lower" = "acme_flows:Lower"
"""
ACME = """
from typing import ClassVar
from pydantic import BaseModel

class Lower(BaseModel):
    kind: ClassVar[str] = "transformation"
    key: str
    def apply(self, data, context):
        return {**data, self.key: data[self.key].lower()}
    def names(self, available):
        return available

def shout(text: str) -> str:
    return text + "!"
"""
ACME_RUN = """
_target_: sequential
input_interface: [text]
output_interface: [shout]
subflows_config: {Shout: {_target_: acme.shout}}
topology:
  - goal: Say it
    flow: Shout
    output_interface: {additional_transformations: [{_target_: acme.lower, key: shout}]}
"""
SOURCES = (
    "flows",
    "configs",
    "requirements",
    "demo.yaml",
    "pyproject.toml",
    "README.md",
    "LICENSE",
)
# A finder of modules that refuses the package's requirements but for those that it is given.
REFUSING = """
import importlib.metadata, re, runpy, sys
names = importlib.metadata.packages_distributions()
def plain(name): return re.split(r"[^\\w-]", name)[0].lower().replace("_", "-")
wanted = {plain(each) for each in importlib.metadata.requires("analyst-flows")}
refused = wanted - {plain(each) for each in sys.argv[1].split(",")}
class Refusing:
    def find_spec(self, name, path=None, target=None):
        if refused & {plain(each) for each in names.get(name, ())}:
            raise ImportError(name + " is not there while a wheel is made")
sys.meta_path.insert(0, Refusing())
sys.argv = ["flows", "schema"]
runpy.run_module("flows", run_name="__main__")
"""


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    return copy_sources(tmp_path / "sources")


def copy_sources(folder: Path) -> Path:
    """A copy of what a wheel is made from, without what was made here."""
    made = shutil.ignore_patterns("__pycache__", "schema")
    for name in SOURCES:
        path = PROJECT / name
        if path.is_dir():
            shutil.copytree(path, folder / name, ignore=made if name == "configs" else None)
        else:
            shutil.copy(path, folder / name)
    return folder


def hatchling(code: str, folder: Path) -> str:
    command = [sys.executable, "-c", f"from hatchling.build import *; print({code})"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()[-1]


@pytest.mark.long("makes a wheel")
def test_a_wheel_holds_the_schema_that_git_does_not(sources: Path, tmp_path: Path) -> None:
    name = hatchling(f"build_wheel({str(tmp_path)!r})", sources)
    with zipfile.ZipFile(tmp_path / name) as wheel:
        schema = json.loads(wheel.read(f"flows/{SCHEMA}"))
        assert b"gapminder" in wheel.read("flows/demo.yaml")
    assert schema["title"] == "analyst-flows run file"


@pytest.mark.long("makes a wheel, and installs it")
def test_an_installed_package_offers_flows(tmp_path: Path) -> None:
    """Without a question; what it offers has its place in messages."""
    folder, site = tmp_path / "offered", tmp_path / "site"
    (folder / "acme_flows").mkdir(parents=True)
    (folder / "pyproject.toml").write_text(PACKAGE)
    (folder / "acme_flows" / "__init__.py").write_text(ACME)
    name = hatchling(f"build_wheel({str(tmp_path)!r})", folder)
    pip = ["-m", "pip", "install", "--no-deps", "--no-index", "--target", str(site)]
    done = python(*pip, str(tmp_path / name), cwd=tmp_path)
    assert done.code == 0, done.err
    (tmp_path / "my.yaml").write_text(ACME_RUN)
    env = environment(PYTHONPATH=f"{PROJECT}{os.pathsep}{site}")
    for words in (["check", "my.yaml"], ["run", "my.yaml", "text=HEY", "--json"]):
        ended = python("-m", "flows", *words, cwd=tmp_path, env=env)
        assert ended.code == 0, ended.err
    assert ended.json()["outputs"] == {"shout": "hey!"}
    (tmp_path / "my.yaml").write_text(ACME_RUN.replace("acme.shout", "acme.shuot"))
    wrong = python("-m", "flows", "check", "my.yaml", cwd=tmp_path, env=env)
    assert wrong.code == 2
    assert "did you mean: acme.shout" in wrong.err


@pytest.mark.long("makes a wheel")
def test_what_the_schema_needs_is_what_a_build_asks_for() -> None:
    asked = json.loads(
        hatchling("__import__('json').dumps(get_requires_for_build_wheel())", PROJECT)
    )
    done = subprocess.run(
        [sys.executable, "-c", REFUSING, ",".join(asked)],
        cwd=PROJECT,
        env={**os.environ, "PYTHONPATH": str(PROJECT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["definitions"]
