"""A class or function of one's own that cannot be a step: found by a check, at its place in the
file, before anything of it runs and after."""

from __future__ import annotations

from pathlib import Path

import pytest

from flows.build.builder import build
from flows.build.trust import Trust
from flows.errors import ConfigError

HEAD = """\
from collections.abc import *
from functools import partial
from typing import Any, NoReturn
from pydantic import BaseModel
from flows import AtomicConfig, AtomicFlow, Ports, Run


class In(Ports):
    n: int


class Plain(BaseModel):
    n: int


class Bare:
    pass


class Called:
    def __call__(self, n: int) -> int:
        return n


"""
CLASS = """\
class Step(AtomicFlow):
    Inputs = In
    Outputs = In

    async def run(self, inputs: In, run: Run) -> In:
        return In(n=1)
"""
RUN = "    async def run"
# What takes the place of what in the class, and what is said of it: line and column in the class.
CLASSES = [
    ("Inputs = In", "Inputs = dict", "2:14: Step: Inputs must be a subclass of Ports"),
    ("Inputs = In", "Inputs = dict[str, int]", "2:14: Step: Inputs must be a subclass of Ports"),
    ("Inputs = In", "Inputs = print", "2:14: Step: Inputs must be a subclass of Ports"),
    ("Outputs = In", "Outputs = 5", "3:15: Step: Outputs must be a subclass of Ports"),
    ("Outputs = In", "Outputs = Plain", "as in class Outputs(Ports), not the class Plain"),
    ("Outputs = In", "Outputs = Bare", "3:15: Step: Outputs must be a subclass of Ports"),
    (RUN, f"    Config = dict\n{RUN}", "5:14: Step: Config must be a subclass of AtomicConfig"),
    (RUN, f"    Config = In\n{RUN}", "AtomicConfig, as in class Config(AtomicConfig), not the"),
    (RUN, f"    needs = ['model']\n{RUN}", "5:13: Step: its needs must be a mapping of keys"),
    (
        RUN,
        f"    needs = {{'m': 'modle'}}\n{RUN}",
        "5:19: Step: there is no service 'modle' to need",
    ),
    (RUN, f"    effect = 'twice'\n{RUN}", "1:1: Step: its effect 'twice' is none of pure"),
    (RUN, f"    @staticmethod\n{RUN}", "1:1: Step: its run in line 6 is a staticmethod"),
    ("return In(n=1)", "yield In(n=1)", "1:1: Step: its run yields in line 6"),
    (RUN, f"    def __init__(self):\n        pass\n\n{RUN}", "__init__ in line 5 takes other"),
    (
        RUN,
        f"    def __init__(self, config, parts):\n        self.n = 1\n\n{RUN}",
        "1:1: Step: its __init__ in line 5 never calls super().__init__(config, parts)",
    ),
    (
        "Inputs = In",
        "class Inputs(Ports):\n        n = 1",
        "3:9: Step: its Inputs.n has no type, as in n: int = ...",
    ),
    (
        "Inputs = In",
        "class Inputs(Ports):\n        n: strr",
        "3:12: Step: its Inputs.n is strr, and there is no type 'strr'; did you mean 'str'?",
    ),
    (
        "Inputs = In",
        "class Inputs(Ports):\n        n: Iterator[int]",
        "3:12: Step: its Inputs.n is Iterator[int], which the journal cannot keep",
    ),
    (
        "Inputs = In",
        "class Config(AtomicConfig):\n        n: Odd = 1\n    Inputs = In",
        "3:12: Step: its Config.n is Odd, and there is no type 'Odd'",
    ),
]
FUNCTIONS = [
    ("step = lambda n: n", "1:8: step: it is a lambda"),
    ("step = 5", "1:8: step: it is 5, and not a flow"),
    ("step = Called()", "1:8: step: it is an object of Called"),
    ("step = Called().__call__", "1:8: step: it is an object of Called"),
    ("step = object()", "1:8: step: it is an object of object"),
    ("step = partial(print, 1)", "1:8: step: it is an object of partial"),
    ("step = {'n': 1}", "1:8: step: it is {'n': 1}"),
    ("def step(n: int) -> int:\n    yield n", "1:1: step: it yields in line 2"),
    ("async def step(n: int) -> int:\n    yield n", "1:1: step: it yields in line 2"),
    ("def step(n: int) -> NoReturn:\n    raise KeyError", "1:21: step: it never returns"),
    (
        "def step(n: itn) -> int:\n    return n",
        "1:13: step: its parameter n is itn, and there is no",
    ),
    ("def step(n: int = 'x') -> int:\n    return n", "1:19: step: its parameter n is int, and its"),
    (
        "def step(n: int) -> Bare:\n    return Bare()",
        "1:21: step: it returns Bare, a class that declares no",
    ),
]
IMPORTS = [
    ("from wordz import louder\nimport flowz\n", "wordz", "flowz"),
    ("import beside\nimport json.decoder\n", "wordz"),  # which the module beside imports
]
IMPORTED = [
    "try:\n    import wordz\nexcept ImportError:\n    wordz = None\n",
    "import sys\nsys.path.append('x')\n",
    "def late() -> None:\n    import wordz\n",
]
NOT_READ_BY_NAME = "from collections.abc import *\n"


@pytest.mark.parametrize("trusted", [True, False])
def test_a_class_that_cannot_be_a_step_is_named_with_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, trusted: bool
) -> None:
    monkeypatch.chdir(tmp_path)
    head = HEAD.replace(NOT_READ_BY_NAME, "")
    assert _said(head + CLASS, "Step", trusted) == ""
    for old, new, said in CLASSES:
        assert old in CLASS
        found = _said(head + CLASS.replace(old, new, 1), "Step", trusted)
        assert found.startswith("own.py:"), (new, found)
        assert said in _counted(found, head.count("\n")), (new, found)


@pytest.mark.parametrize("trusted", [True, False])
def test_what_cannot_be_a_function_of_a_step_is_named_with_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, trusted: bool
) -> None:
    monkeypatch.chdir(tmp_path)
    head = HEAD.replace(NOT_READ_BY_NAME, "")
    for code, said in FUNCTIONS:
        found = _said(f"{head}{code}\n", "step", trusted)
        assert found.startswith("own.py:"), (code, found)
        assert said in _counted(found, head.count("\n")), (code, found)


def test_a_module_that_is_not_there_is_named_before_anything_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("beside.py").write_text("import wordz\n")
    step = "def step(n: int) -> int:\n    return n\n"
    for code, *missing in IMPORTS:
        found = _said(code + step, "step", trusted=False)
        assert [each for each in ("wordz", "flowz") if f"no module {each!r}" in found] == missing
        assert ":1:1: there is no module" in found
    for code in IMPORTED:
        assert _said(code + step, "step", trusted=False) == "", code


@pytest.mark.parametrize("kind", ["Iterator[int]", "Generator[int, None, None]", "Awaitable[int]"])
@pytest.mark.parametrize("trusted", [True, False])
def test_a_stream_is_no_port(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, trusted: bool
) -> None:
    """Also one whose name comes from another module, by `import *`."""
    monkeypatch.chdir(tmp_path)
    for code in (
        f"def step(n: int) -> {kind}:\n    return n\n",
        f"def step(n: {kind}) -> int:\n    return 1\n",
        "def step(n: Callable[[], int]) -> int:\n    return n()\n",
    ):
        found = _said(HEAD + code, "step", trusted)
        assert "which the journal cannot keep: ports are plain data" in found, code


@pytest.mark.parametrize(
    ("code", "said"),
    [
        (
            "def step(n: int) -> int:\n    yield n\n",
            "own_steps.py:25:1: step: it yields in line 26: a step returns",
        ),
        (
            "def step(n: Callable[[], int]) -> int:\n    return 1\n",
            "own_steps.py:25:13: step: its parameter n is Callable[[], int], which the journal",
        ),
        ("step = Called()\n", "own_steps.py:25:8: step: it is an object of Called, and not a flow"),
    ],
)
def test_a_module_that_is_trusted_by_its_name_is_held_to_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: str, said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("own_steps.py").write_text(HEAD + code)
    Path("my.yaml").write_text("_target_: own_steps.step\n")
    with pytest.raises(ConfigError) as caught:
        build(Path("my.yaml"), trust=("own_steps",))
    assert said in caught.value.problem


ALLOWED = [
    "def step(n: 'int | None' = None) -> list[int]:\n    return [n or 0]\n",
    "def step(n: list[int]) -> int:\n    return sum(each for each in n)\n",
    "def step(n: int) -> int:\n    def inner():\n        yield n\n    return next(inner())\n",
    "if True:\n    class Range(Plain):\n        m: int\ndef step(n: Range) -> int:\n    return 1\n",
    "def step(n: float = 1) -> Plain:\n    return Plain(n=1)\n",
    "import math\ndef step(n: float = math.pi) -> float:\n    return n\n",
]


def test_nothing_is_said_of_what_can_be_a_step(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for code in ALLOWED:
        assert [_said(HEAD + code, "step", trusted) for trusted in (True, False)] == ["", ""], code


def _said(code: str, name: str, trusted: bool) -> str:
    """What a check says of the target; "" for nothing. Its place is that of the target."""
    Path("own.py").write_text(code)
    Path("my.yaml").write_text(f"_target_: ./own.py:{name}\n")
    try:
        build(Path("my.yaml"), trust=Trust(("./own.py",) if trusted else (), refuse=False))
    except ConfigError as error:
        return error.problem if str(error.place) == "my.yaml:1:11" else f"at {error.place}"
    return ""


def _counted(text: str, head: int) -> str:
    """The text with line numbers that begin behind the head."""
    place, _, rest = text.removeprefix("own.py:").partition(": ")
    line, _, column = place.partition(":")
    for number in range(head + 1, head + 20):
        rest = rest.replace(f"line {number}", f"line {number - head}")
    return f"{int(line) - head}:{column}: {rest}"
