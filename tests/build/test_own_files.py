"""Python named by its path, as in `./shout.py:Shout`: asked about once, read before it runs."""

from __future__ import annotations

import json
import os
import py_compile
import signal
import subprocess
import sys
from pathlib import Path

import pexpect
import pytest

from tests.cli.command import PROJECT, environment
from tests.cli.inside import inside

SHOUT = '''\
from flows import AtomicConfig, AtomicFlow, Ports, Run
from words import louder


class ShoutConfig(AtomicConfig):
    mark: str = "!"


class In(Ports):
    text: str
    times: int = 1


class Out(Ports):
    loud: str


class Shout(AtomicFlow):
    """Says it louder."""

    Config = ShoutConfig
    Inputs, Outputs = In, Out

    async def run(self, inputs: In, run: Run) -> Out:
        return Out(loud=louder(inputs.text) * inputs.times + self.config.mark)


def convert(metres: float, factor: float = 3.28) -> float:
    """Metres in feet."""
    return metres * factor
'''
WORDS = "def louder(text: str) -> str:\n    return text.upper()\n"
RAN = "open('ran', 'w').close()\n"
TRUST = ("--trust", "./shout.py")


@pytest.fixture(autouse=True)
def state(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))


def project(folder: Path, code: str = SHOUT, target: str = "./shout.py:Shout") -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "shout.py").write_text(code)
    (folder / "words.py").write_text(WORDS)
    (folder / "my.yaml").write_text(f"_target_: {target}\ninputs: {{text: hey}}\n")
    return folder


def test_a_class_and_a_function_of_a_file_are_flows(tmp_path: Path) -> None:
    project(tmp_path)
    ended = inside("run", "my.yaml", "text=so: what", "mark=?", *TRUST, "--json", cwd=tmp_path)
    assert ended.json()["outputs"] == {"loud": "SO: WHAT?"}, ended.err
    (tmp_path / "feet.yaml").write_text("_target_: ./shout.py:convert\n")
    ended = inside("run", "feet.yaml", "metres=100", *TRUST, "--json", cwd=tmp_path)
    assert ended.json()["outputs"] == {"convert": 328.0}, ended.err
    whole = str(tmp_path / "shout.py")
    assert inside("run", "my.yaml", "--trust", whole, cwd=tmp_path).code == 0


def test_nothing_of_it_runs_before_somebody_has_allowed_it(tmp_path: Path) -> None:
    """Its ports, keys and faults are read from its text."""
    project(tmp_path, RAN + SHOUT)
    (tmp_path / "words.py").write_text(RAN + WORDS)
    ended = inside("check", "my.yaml", "text=hey", cwd=tmp_path)
    assert ended.code == 0, ended.err
    assert "my.yaml:1:11: runs ./shout.py" in ended.out
    assert "allow it with --trust ./shout.py" in ended.out
    for change, said in [
        ("tetx=hey", "unknown key 'tetx'"),
        ("marc=?", "did you mean: mark"),
        ("times=many", "must be a whole number"),
    ]:
        wrong = inside("check", "my.yaml", change, cwd=tmp_path)
        assert wrong.code == 2, change
        assert said in wrong.err, wrong.err
    refused = inside("run", "my.yaml", "--json", cwd=tmp_path)
    assert refused.code == 2
    assert "--trust ./shout.py" in refused.err
    assert inside("graph", "my.yaml", cwd=tmp_path).code == 0
    shown = inside("config", "my.yaml", cwd=tmp_path)
    assert (shown.code, shown.err) == (0, "")
    assert not (tmp_path / "ran").exists()
    assert not (tmp_path / "runs").exists()
    assert inside("check", "my.yaml", *TRUST, cwd=tmp_path).code == 0
    assert (tmp_path / "ran").exists()


def test_the_types_that_a_text_says_are_followed(tmp_path: Path) -> None:
    (tmp_path / "steps.py").write_text(
        "def is_big(n: float) -> bool:\n    return n > 9\n"
        "def shout(text: str) -> str:\n    return text.upper()\n"
    )
    (tmp_path / "my.yaml").write_text(
        "_target_: sequential\ninput_interface: {n: float}\n"
        "subflows_config:\n  Big: {_target_: ./steps.py:is_big}\n"
        "  Shout: {_target_: ./steps.py:shout}\ntopology:\n"
        "  - {goal: a, flow: Big, output_interface: {keys_to_rename: {is_big: text}}}\n"
        "  - {goal: b, flow: Shout}\n"
    )
    for trust in ((), ("--trust", "./steps.py")):
        ended = inside("check", "my.yaml", *trust, cwd=tmp_path)
        assert ended.code == 2
        assert "my.yaml:8:5: topology.1: Shout cannot take bool as its input 'text'" in ended.err


def test_a_flow_that_may_not_run_has_its_place_in_the_graph(tmp_path: Path) -> None:
    project(tmp_path)
    graph = """\
_target_: sequential
input_interface: {text: str}
output_interface: [convert]
subflows_config:
  Shout: {_target_: ./shout.py:Shout}
  Feet: {_target_: ./shout.py:convert}
topology:
  - {goal: Say it, flow: Shout}
  - {goal: Measure it, flow: Feet, input_interface: {keys_to_rename: {loud: metres}}}
"""
    (tmp_path / "graph.yaml").write_text(graph)
    assert inside("check", "graph.yaml", "text=hey", cwd=tmp_path).code == 0
    (tmp_path / "graph.yaml").write_text(graph.replace("loud: metres", "laud: metres"))
    ended = inside("check", "graph.yaml", "text=hey", cwd=tmp_path)
    assert ended.code == 2
    assert "graph.yaml:9:" in ended.err
    assert "Feet needs the input 'metres'" in ended.err
    assert "allowed: loud, text" in ended.err


@pytest.mark.parametrize("trusted", [True, False])
@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("async def run", "def run", "shout.py:18:1: Shout: its run in line 24 is not async"),
        ("inputs: In, run: Run", "inputs: In", "its run in line 24 takes other arguments"),
        ("async def run", "async def go", "shout.py:18:1: Shout: it has no run"),
        ("(AtomicFlow)", "", "shout.py:18:1: Shout"),
        ("Config = Shout", "effect = 'twice'\n    Config = Shout", "its effect 'twice' is none of"),
        ("class Shout(", "class Loud(", "has no 'Shout'"),
        ("class Shout(", "class Shout", "shout.py:18:22: unmatched ')'"),
        ("class In", "\0class In", "null bytes"),
    ],
)
def test_check_finds_what_is_wrong_with_a_class(
    tmp_path: Path, trusted: bool, old: str, new: str, said: str
) -> None:
    project(tmp_path, SHOUT.replace(old, new))
    ended = inside("check", "my.yaml", *(TRUST if trusted else ()), cwd=tmp_path)
    assert ended.code == 2
    assert "my.yaml:1:11" in ended.err
    assert said in ended.err


@pytest.mark.parametrize("trusted", [True, False])
@pytest.mark.parametrize(
    ("signature", "said"),
    [
        ("(metres, factor: float = 3.28) -> float", "the parameter metres has no type"),
        ("(metres: float, *factor: float) -> float", "*factor cannot be an input"),
        ("(metres: float, /, factor: float) -> float", "metres cannot be an input"),
        ("(metres: float, factor: float = 3.28)", "no type of what it returns"),
    ],
)
def test_check_finds_what_is_wrong_with_a_function(
    tmp_path: Path, trusted: bool, signature: str, said: str
) -> None:
    code = SHOUT.replace("(metres: float, factor: float = 3.28) -> float", signature)
    project(tmp_path, code, "./shout.py:convert")
    ended = inside("check", "my.yaml", *(TRUST if trusted else ()), cwd=tmp_path)
    assert ended.code == 2
    assert "shout.py:28:1: convert" in ended.err
    assert said in ended.err


@pytest.mark.parametrize(
    ("target", "said"),
    [
        ("../shout.py:Shout", "leads out of the folder"),
        ("./sub/../../shout.py:Shout", "leads out of the folder"),
        ("/etc/shout.py:Shout", "leads out of the folder"),
        ("./linked.py:Shout", "is a link out of the folder"),
        ("./below/shout.py:Shout", "is a link out of the folder"),
        ("./nothing.py:Shout", "there is no file ./nothing.py"),
        ("./shout.py", "say what is meant in it: ./shout.py:NAME"),
        ("./shout.py:Shuot", "did you mean: Shout"),
        ("./shout.py:Shout.run", "names nothing in the file"),
        ("./my.yaml:Shout", "names no Python file"),
        ("./large.py:Shout", "is longer than"),
    ],
)
def test_a_path_that_is_no_file_of_the_folder_is_refused(
    tmp_path: Path, target: str, said: str
) -> None:
    project(tmp_path)
    folder = project(tmp_path / "project", RAN + SHOUT, target)
    (folder / "linked.py").symlink_to(tmp_path / "shout.py")
    (folder / "below").symlink_to(tmp_path)
    (folder / "large.py").write_text("#" * 1_000_001)
    ended = inside("check", "project/my.yaml", "--trust", target.partition(":")[0], cwd=tmp_path)
    assert ended.code == 2
    assert "project/my.yaml:1:11" in ended.err
    assert said in ended.err


def test_a_module_beside_it_that_is_a_link_out_of_the_folder_is_refused(tmp_path: Path) -> None:
    folder = project(tmp_path / "project")
    (folder / "words.py").rename(tmp_path / "words.py")
    (folder / "words.py").symlink_to(tmp_path / "words.py")
    ended = inside("check", "project/my.yaml", *TRUST, cwd=tmp_path)
    assert ended.code == 2
    assert "words.py is a link out of the folder" in ended.err


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("raise SystemExit(5)\n", "shout.py:1:1: SystemExit: 5"),
        ("import nothing_of_that_name\n", "shout.py:1:1: there is no module"),
        ("from json import nothing\n", "shout.py:1:1: ImportError"),
        ("from words import quieter\n", "shout.py:1:1: ImportError"),
        ("1 / 0\n", "shout.py:1:1: ZeroDivisionError"),
        ("import importlib\nimportlib.import_module('other')\n", "No module named 'other'"),
    ],
)
def test_a_module_that_cannot_be_imported_is_named_with_its_line(
    tmp_path: Path, code: str, said: str
) -> None:
    project(tmp_path, code + SHOUT)
    (tmp_path / "other.py").write_text(RAN)  # found by no import of the text
    for _ in range(2):  # nothing of the first try remains
        ended = inside("check", "my.yaml", *TRUST, cwd=tmp_path)
        assert ended.code == 2
        assert said in ended.err
    assert not (tmp_path / "ran").exists()


def test_an_import_without_end_is_ended_by_ctrl_c(tmp_path: Path) -> None:
    project(tmp_path, "print('begun', flush=True)\nwhile True:\n    pass\n" + SHOUT)
    command = [sys.executable, "-m", "flows", "check", "my.yaml"]
    quick = subprocess.run(command, cwd=tmp_path, capture_output=True, timeout=60, check=False)
    assert quick.returncode == 0  # without trust it is only read
    started = subprocess.Popen(
        [*command, *TRUST], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    assert started.stdout is not None
    assert started.stdout.readline() == b"begun\n"
    started.send_signal(signal.SIGINT)
    rest, _ = started.communicate(timeout=60)
    assert started.returncode == 130, rest
    assert b"Traceback" not in rest


def test_modules_of_one_name_do_not_meet(tmp_path: Path) -> None:
    """Neither those of two folders in one process, nor one with an installed module."""
    for folder, mark in (("a", "1"), ("b", "2"), ("a", "1")):
        project(tmp_path / folder)
        (tmp_path / folder / "words.py").write_text(
            f"def louder(t: str) -> str:\n  return '{mark}'\n"
        )
        ended = inside("run", f"{folder}/my.yaml", *TRUST, "--json", cwd=tmp_path)
        assert ended.json()["outputs"] == {"loud": f"{mark}!"}, ended.err
    own_json = "import json\n\n\ndef dumps(text: str) -> str:\n    return json.dumps([text])\n"
    (tmp_path / "json.py").write_text(own_json)
    (tmp_path / "my.yaml").write_text("_target_: ./json.py:dumps\ninputs: {text: hey}\n")
    ended = inside("run", "my.yaml", "--trust", "./json.py", "--json", cwd=tmp_path)
    assert ended.json()["outputs"] == {"dumps": '["hey"]'}, ended.err
    assert "words" not in sys.modules
    assert sys.modules["json"] is json


def test_modules_may_import_each_other(tmp_path: Path) -> None:
    """In a circle, relatively, from a package with several files, and only when they are called."""
    project(tmp_path, "from kit import scale\nfrom .kit.parts import PART\n" + SHOUT + LATE)
    (tmp_path / "kit").mkdir()
    (tmp_path / "kit" / "__init__.py").write_text("from . import parts\n")
    (tmp_path / "kit" / "parts.py").write_text("import kit.scale\nPART = 5\n")
    (tmp_path / "kit" / "scale.py").write_text(
        "import kit\n\n\ndef size():\n    return kit.parts.PART\n"
    )
    (tmp_path / "my.yaml").write_text("_target_: ./shout.py:late\n")
    ended = inside("run", "my.yaml", *TRUST, "--json", cwd=tmp_path)
    assert ended.json()["outputs"] == {"late": 10}, ended.err


LATE = """

def late() -> int:
    import kit.scale as kept

    return kept.size() + PART
"""


def test_what_was_read_is_what_runs(tmp_path: Path) -> None:
    """Not the bytecode that somebody has put beside it."""
    project(tmp_path)
    other = tmp_path / "other.py"
    other.write_text(RAN + WORDS)
    stat = (tmp_path / "words.py").stat()
    cached = tmp_path / "__pycache__" / f"words.{sys.implementation.cache_tag}.pyc"
    py_compile.compile(str(other), str(cached), doraise=True)
    data = bytearray(cached.read_bytes())
    data[8:12] = int(stat.st_mtime).to_bytes(4, "little")
    data[12:16] = stat.st_size.to_bytes(4, "little")
    cached.write_bytes(bytes(data))
    assert inside("run", "my.yaml", *TRUST, cwd=tmp_path).code == 0
    assert not (tmp_path / "ran").exists()


def test_a_run_keeps_what_it_was_allowed_as_long_as_the_code_is_the_same(tmp_path: Path) -> None:
    project(tmp_path / "project")
    ran = inside("run", "project/my.yaml", *TRUST, "--json", cwd=tmp_path)
    run = ran.json()["run_id"]
    for command in (("replay", run), ("resume", run), ("fork", run, "--at", "")):
        assert inside(*command, cwd=tmp_path).code == 0, command
    key = Path(os.environ["XDG_STATE_HOME"], "analyst-flows", "signing-key")
    whole = key.read_text()
    key.write_text(whole[::-1])  # that of another user
    assert inside("replay", run, cwd=tmp_path).code == 2
    key.write_text(whole)
    assert inside("replay", run, cwd=tmp_path).code == 0
    words = tmp_path / "project" / "words.py"
    words.write_text(WORDS + "# another thought\n")
    for command in (("replay", run), ("resume", run), ("fork", run, "--at", "")):
        ended = inside(*command, cwd=tmp_path)
        assert ended.code == 2, command
        assert "--trust ./shout.py" in ended.err
    ended = inside("replay", run, *TRUST, cwd=tmp_path)
    assert ended.code == 4
    assert "differs (code)" in ended.err


# The same process runs the file again and again, as a shell would.
SHELL = """
import sys
from flows.cli.app import run_app
for line in sys.stdin:
    if line.startswith("end"):
        break
    print("ended with", run_app(["run", "my.yaml"]), flush=True)
"""
QUESTION = "as it is now\\? \\[y/N\\]"


def test_a_person_is_asked_once_for_the_files_as_they_are(tmp_path: Path) -> None:
    project(tmp_path, RAN + SHOUT)
    env = environment(
        TERM="xterm", PYTHONPATH=str(PROJECT), XDG_STATE_HOME=os.environ["XDG_STATE_HOME"]
    )
    shell = pexpect.spawn(
        sys.executable, ["-c", SHELL], cwd=str(tmp_path), env=env, encoding="utf-8", timeout=60,
        dimensions=(50, 200),
    )  # fmt: skip
    try:
        for no in ("\r", "\x03", "\x04", "perhaps\r"):
            shell.send("run\r")
            shell.expect("my.yaml:1:11 wants to run Python code beside it")
            shell.expect("./shout.py")
            shell.expect("words.py")
            shell.expect("for +the flow \\(./shout.py:Shout\\)")
            shell.expect(QUESTION)
            shell.send(no)
            shell.expect("ended with 2")
        assert not (tmp_path / "ran").exists()
        shell.send("run\r")
        shell.expect(QUESTION)
        shell.send("y\r")
        shell.expect("ended with 0")
        assert (tmp_path / "ran").exists()
        shell.send("run\r")
        assert shell.expect(["ended with 0", QUESTION]) == 0
        for name in ("my.yaml", "shout.py", "words.py"):
            file = tmp_path / name
            file.write_text(file.read_text() + "# changed\n")
            shell.send("run\r")
            shell.expect(QUESTION)
            shell.send("n\r")
            shell.expect("ended with 2")
        shell.send("end\r")
    finally:
        shell.close(force=True)


def test_check_says_that_a_class_cannot_be_made(tmp_path: Path) -> None:
    made = (
        "    def __init__(self, config: object, parts: object) -> None:\n"
        "        super().__init__(config)\n\n    async def run"
    )
    project(tmp_path, SHOUT.replace("    async def run", made))
    for verb in ("check", "run"):
        ended = inside(verb, "my.yaml", *TRUST, cwd=tmp_path)
        assert ended.code == 2, ended.err
        assert "my.yaml:1:11" in ended.err
        assert "it cannot be made: TypeError" in ended.err


@pytest.mark.parametrize("raised", ["raise StopIteration", "return next(iter([]))"])
def test_a_function_that_raises_stop_iteration_ends_its_run(tmp_path: Path, raised: str) -> None:
    (tmp_path / "ends.py").write_text(f"def ends(a: int) -> int:\n    {raised}\n")
    (tmp_path / "my.yaml").write_text("_target_: ./ends.py:ends\n")
    ended = inside("run", "my.yaml", "a=3", "--trust", "./ends.py", cwd=tmp_path)
    assert ended.code == 4
    assert "it raised StopIteration" in ended.out
