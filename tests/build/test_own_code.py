"""Python of one's own as a step: found beside the run file, trusted by name, checked."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tests.cli.command import flows
from tests.cli.inside import inside

HEAD = "from flows import AtomicConfig, AtomicFlow, Ports, Run\n\n\n"
PORTS = "class In(Ports):\n    n: int\n\n\nclass Out(Ports):\n    n: int\n\n\n"


def project(folder: Path, code: str, target: str, module: str = "own_steps") -> None:
    folder.mkdir(exist_ok=True)
    (folder / f"{module}.py").write_text(HEAD + PORTS + code)
    (folder / "my.yaml").write_text(f"_target_: {module}.{target}\ninputs: {{n: 2}}\n")


DOUBLE = "def double(n: int) -> int:\n    return n * 2\n"


def test_a_module_beside_the_run_file_is_found_from_anywhere(tmp_path: Path) -> None:
    """And is found again when the run is gone on with, replayed and forked."""
    project(tmp_path / "project", DOUBLE, "double")
    trusting = ("--trust", "own_steps", "--json")
    before = list(sys.path)
    ended = inside("run", "project/my.yaml", *trusting, cwd=tmp_path)
    assert ended.code == 0, ended.err
    assert ended.json()["outputs"] == {"double": 4}
    assert inside("resume", "last", *trusting, cwd=tmp_path).json()["outputs"] == {"double": 4}
    assert inside("replay", "last", *trusting, cwd=tmp_path).json()["same"] is True
    assert sys.path == before


def test_without_trust_it_is_named_and_not_run(tmp_path: Path) -> None:
    project(tmp_path, "(In.model_fields['nothing'])  # would fail if it were run\n", "double")
    ended = inside("check", "my.yaml", cwd=tmp_path)
    assert ended.code == 2
    assert "my.yaml:1:11" in ended.err
    assert "own_steps.py is Python code beside the run file" in ended.err
    assert "--trust own_steps" in ended.err
    ended = inside("run", "my.yaml", "--trust", "own_steps", cwd=tmp_path)
    assert ended.code == 2
    assert "own_steps.py:12:2: KeyError: 'nothing'" in ended.err


def test_two_folders_may_have_modules_of_the_same_name(tmp_path: Path) -> None:
    project(tmp_path / "a", DOUBLE, "double")
    project(tmp_path / "b", DOUBLE.replace("* 2", "* 3"), "double")
    for name, expected in (("a", 4), ("b", 6), ("a", 4)):
        ended = inside("run", f"{name}/my.yaml", "--trust", "own_steps", "--json", cwd=tmp_path)
        assert ended.json()["outputs"] == {"double": expected}, ended.err


def test_an_installed_module_is_never_hidden_by_one_beside(tmp_path: Path) -> None:
    """A folder from somebody else cannot take the place of what was trusted."""
    project(tmp_path, DOUBLE, "double", module="colorsys")
    ended = inside("check", "my.yaml", "--trust", "colorsys", cwd=tmp_path)
    assert ended.code == 2
    assert "colorsys.py is hidden by the installed colorsys" in ended.err


def test_only_what_is_trusted_is_imported(tmp_path: Path) -> None:
    project(tmp_path, "import own_other\n" + DOUBLE, "double")
    (tmp_path / "own_other.py").write_text("raise SystemExit('it was run')\n")
    ended = inside("check", "my.yaml", "--trust", "own_steps", cwd=tmp_path)
    assert ended.code == 2
    assert "own_steps.py:12:1: ModuleNotFoundError: No module named 'own_other'" in ended.err
    assert "make one package of both" in ended.err


def test_a_package_beside_may_have_several_modules(tmp_path: Path) -> None:
    package = tmp_path / "own_package"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "factor.py").write_text("FACTOR = 5\n")
    code = (
        "from own_package.factor import FACTOR\ndef scaled(n: int) -> int:\n    return n * FACTOR\n"
    )
    (package / "scale.py").write_text(code)
    (tmp_path / "my.yaml").write_text("_target_: own_package.scale.scaled\ninputs: {n: 2}\n")
    ended = inside("run", "my.yaml", "--trust", "own_package", "--json", cwd=tmp_path)
    assert ended.code == 0, ended.err
    assert ended.json()["outputs"] == {"scaled": 10}


def test_a_change_of_the_module_is_a_change_of_code(tmp_path: Path) -> None:
    project(tmp_path, DOUBLE, "double")
    assert inside("run", "my.yaml", "--trust", "own_steps", cwd=tmp_path).code == 0
    file = tmp_path / "own_steps.py"
    file.write_text(file.read_text() + "\n# another thought\n")
    ended = inside("replay", "last", "--trust", "own_steps", cwd=tmp_path)
    assert ended.code == 4
    assert "differs (code)" in ended.err


CLASS = """\
class Step(AtomicFlow):
    Inputs = In
    Outputs = Out

    async def run(self, inputs: In, run: Run) -> Out:
        return Out(n=inputs.n + 1)
"""


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("self, inputs: In, run: Run", "self, inputs: In", "line 16 takes other arguments"),
        ("async def", "def", "own_steps.py:12:1: Step: its run in line 16 is not async"),
        ("async def run(", "async def step(", "it has no run: async def run(self, inputs, run)"),
        ("    Inputs = In\n", "", "it has no Inputs = In"),
        ("    Outputs = Out\n", "", "it has no Outputs = Out"),
        ("Inputs = In", "Inputs = dict", "Inputs must be a subclass of Ports"),
        (
            "Outputs = Out",
            "Outputs = Out\n    Config = In",
            "Config must be a subclass of Atomic",
        ),
        ("(AtomicFlow)", "", "own_steps.py:12:1: Step: it is not a flow: a step is"),
        ("class Step(", "class Step", "own_steps.py:12:21: unmatched ')'"),
    ],
)
def test_a_class_that_cannot_be_a_step_is_found_by_check(
    tmp_path: Path, old: str, new: str, said: str
) -> None:
    assert old in CLASS
    project(tmp_path, CLASS, "Step")
    assert inside("run", "my.yaml", "--trust", "own_steps", cwd=tmp_path).code == 0
    project(tmp_path / "wrong", CLASS.replace(old, new), "Step")
    ended = inside("check", "wrong/my.yaml", "--trust", "own_steps", cwd=tmp_path)
    assert ended.code == 2
    assert "wrong/my.yaml:1:11" in ended.err
    assert said in ended.err


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("def f(n) -> int:\n    return n\n", "own_steps.py:12:1: f: the parameter n has no type"),
        (
            "def f(n: int):\n    return n\n",
            "own_steps.py:12:1: f: it has no type of what it returns",
        ),
        ("def f(n: int) -> None:\n    return\n", "f: it has no type of what it returns"),
        ("def f(*n: int) -> int:\n    return 1\n", "f: *n cannot be an input"),
        (
            "def f(n: Nothing) -> int:\n    return n\n",
            "own_steps.py:12:10: f: its parameter n is Nothing, and there is no type",
        ),
        (
            "class Odd: ...\ndef f(n: Odd) -> int:\n    return 1\n",
            "own_steps.py:13:10: f: its parameter n is Odd, a class that declares no",
        ),
    ],
)
def test_a_function_that_says_too_little_is_found_by_check(
    tmp_path: Path, code: str, said: str
) -> None:
    lazy = "from __future__ import annotations\n" + HEAD.replace("\n\n\n", "\n\n") + PORTS + code
    project(tmp_path, "", "f")
    (tmp_path / "own_steps.py").write_text(lazy)
    ended = inside("check", "my.yaml", "--trust", "own_steps", cwd=tmp_path)
    assert ended.code == 2, ended.out
    assert said in ended.err


@pytest.mark.parametrize(
    ("code", "outputs"),
    [
        ("async def f(n: int) -> list[int]:\n    return [n]\n", {"f": [2]}),
        ("def f(n: int, more: str = 'x') -> Out:\n    return Out(n=n)\n", {"n": 2}),
        (
            "from typing import NamedTuple\nclass Two(NamedTuple):\n    a: int\n    b: str\n"
            "def f(n: int) -> Two:\n    return Two(n, 'b')\n",
            {"a": 2, "b": "b"},
        ),
        (
            "from dataclasses import dataclass\n@dataclass\nclass Two:\n    a: int\n"
            "def f(n: int) -> Two:\n    return Two(n)\n",
            {"a": 2},
        ),
    ],
)
def test_what_a_function_returns_are_its_outputs(
    tmp_path: Path, code: str, outputs: dict[str, object]
) -> None:
    project(tmp_path, code, "f")
    ended = inside("run", "my.yaml", "--trust", "own_steps", "--json", cwd=tmp_path)
    assert ended.code == 0, ended.err
    assert ended.json()["outputs"] == outputs


def test_a_function_that_returns_something_else_fails_its_step(tmp_path: Path) -> None:
    project(tmp_path, "def f(n: int) -> int:\n    return 'many'\n", "f")
    ended = inside("run", "my.yaml", "--trust", "own_steps", "--json", cwd=tmp_path)
    assert ended.code == 4
    assert "f returned what does not fit" in ended.json()["reason"]


def test_code_that_ends_the_program_fails_its_step(tmp_path: Path) -> None:
    project(tmp_path, "import sys\n\n\ndef stop(n: int) -> int:\n    sys.exit(n)\n", "stop")
    ended = inside("run", "my.yaml", "--trust", "own_steps", "--json", cwd=tmp_path)
    assert ended.code == 4
    assert ended.json()["reason"] == "flow: SystemExit: 2"
    again = inside("resume", "last", "--trust", "own_steps", "--json", cwd=tmp_path)
    assert again.json()["reason"] == "flow: SystemExit: 2"


def test_a_module_that_ends_the_program_is_named_with_its_line(tmp_path: Path) -> None:
    project(tmp_path, "raise SystemExit(5)\n", "stop")
    ended = inside("check", "my.yaml", "--trust", "own_steps", cwd=tmp_path)
    assert ended.code == 2
    assert "own_steps.py:12:1: SystemExit: 5" in ended.err


def test_what_code_prints_does_not_stand_among_the_json(tmp_path: Path) -> None:
    project(tmp_path, "def loud(n: int) -> int:\n    print('LOUD')\n    return n\n", "loud")
    ended = flows("run", "my.yaml", "--trust", "own_steps", "--json", cwd=tmp_path)
    assert ended.json()["outputs"] == {"loud": 2}
    assert "LOUD" in ended.err
    lines = flows("run", "my.yaml", "--trust", "own_steps", "--events", "-", cwd=tmp_path).out
    assert all(json.loads(each) for each in lines.splitlines())
