"""What a child program gets of its host: nothing but what it is given; and that it ends."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from flows.sandbox import bubblewrap, processes
from flows.sandbox.folders import discard, scratch
from flows.sandbox.launch import Program, launch

LOOK = """
import json, os, sys
def main(arguments):
    opened = []
    for each in range(3, 64):
        try:
            os.fstat(each)
            opened.append(each)
        except OSError:
            pass
    told = {"environment": dict(os.environ),
            "stdin": sys.stdin.read(), "opened": opened, "path": sys.path, "root": os.listdir("/")}
    print(json.dumps(told), flush=True)
"""


def why_no_bubblewrap() -> str:
    try:
        bubblewrap.state()
    except OSError as error:
        return str(error)
    return ""


@pytest.fixture(params=["bubblewrap", "plain"])
def wrapped(request: pytest.FixtureRequest) -> bool:
    if request.param == "bubblewrap" and why_no_bubblewrap():
        pytest.skip(why_no_bubblewrap())
    return bool(request.param == "bubblewrap")


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A copy of this package in a folder, with one more program, as somebody unpacked it."""
    import flows

    copied = tmp_path / "unpacked" / "flows"
    source = Path(flows.__file__).parent
    shutil.copytree(source / "sandbox", copied / "sandbox")
    (copied / "__init__.py").write_text("")
    (copied / "sandbox" / "look.py").write_text(LOOK)
    (copied.parent / "beside.txt").write_text("secret")
    return copied


def looked(package: Path, bubble: bool) -> dict[str, object]:
    start = (
        "import json, os, subprocess\nfrom flows.sandbox.launch import Program, launch\n"
        "from pathlib import Path\n"
        f"child = launch(Program('flows.sandbox.look', bubblewrap={bubble},"
        " write=(Path(os.environ['SCRATCH']),)), stdout=subprocess.PIPE)\n"
        "told = json.loads(child.process.stdout.read())\n"
        # Seen from here: in a space of process numbers of its own, any session of outside is 0.
        "told['session'] = os.getsid(child.pid) != os.getsid(0)\n"
        "print(json.dumps(told))\nchild.kill()\n"
    )
    own = package.parent.parent / "own"
    own.mkdir()
    given = {**os.environ, "PYTHONPATH": str(package.parent), "SECRET": "s", "SCRATCH": str(own)}
    done = subprocess.run(
        [sys.executable, "-c", start],
        env=given,
        cwd=package.parent,
        input="secret",
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    told: dict[str, object] = json.loads(done.stdout)
    return told


def test_a_child_of_an_unpacked_package_gets_nothing_of_the_host(
    package: Path, wrapped: bool
) -> None:
    told = looked(package, wrapped)
    names = set(told["environment"])  # type: ignore[call-overload]
    assert "SECRET" not in names
    assert "PATH" not in names
    assert (told["stdin"], told["opened"], told["session"]) == ("", [], True)
    assert str(package.parent) not in told["path"]  # type: ignore[operator]


def test_ending_a_child_ends_all_that_it_started(wrapped: bool) -> None:
    own = scratch("flows-test-")
    read, write = os.pipe()
    program = Program(
        "flows.sandbox.zygote",
        (str(write), "not json"),
        write=(own,),
        passed=(write,),
        bubblewrap=wrapped,
    )
    child = launch(program)
    os.close(write)
    child.kill()
    assert os.read(read, 1) == b""  # nobody holds the other end any more
    os.close(read)
    discard(own)
    assert not own.exists()


FORKS = """
import os, time
os.fork()
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.write(1, b"%d\\n" % os.getpid())
time.sleep(600)
"""


def test_a_tree_is_ended_whole_also_what_left_its_session() -> None:
    root = subprocess.Popen(
        [sys.executable, "-c", FORKS], stdout=subprocess.PIPE, start_new_session=True
    )
    assert root.stdout is not None
    try:
        with root.stdout:
            pids = [int(root.stdout.readline()) for _ in range(2)]
        known = processes.tree(root.pid)
    finally:
        processes.end_tree(root.pid)
        root.wait()
    assert set(pids) <= set(known)
    for _ in range(500):
        if all(_is_gone(pid) for pid in known):
            break
        time.sleep(0.01)
    assert all(_is_gone(pid) for pid in known)


@pytest.mark.long("code in a sandbox of its own")
def test_a_folder_is_removed_however_code_left_it() -> None:
    folder = scratch("flows-test-")
    below = os.open(folder, os.O_RDONLY)
    for _ in range(1500):
        os.mkdir("a-name-that-makes-paths-long", dir_fd=below)
        deeper = os.open("a-name-that-makes-paths-long", os.O_RDONLY, dir_fd=below)
        os.close(below)
        below = deeper
    os.close(below)
    (folder / "closed").mkdir()
    (folder / "closed" / "file").write_text("x")
    (folder / "closed").chmod(0)
    (folder / "link").symlink_to("/")
    discard(folder)
    assert not folder.exists()


def _is_gone(pid: int) -> bool:
    found = processes.seen(pid)
    return found is None or found.state in "ZX"
