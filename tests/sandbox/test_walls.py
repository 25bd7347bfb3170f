"""Each wall alone, in a real process: what it holds off, and that the rest still works."""

from __future__ import annotations

import json
import platform
import subprocess
import sys
from pathlib import Path

import pytest

from flows.sandbox import landlock, seccomp
from flows.sandbox.syscalls import MACHINES
from flows.sandbox.walls import LAYERS

linux = pytest.mark.skipif(platform.system() != "Linux", reason="these walls are Linux's")

TRY = """
import json, os, sys
from pathlib import Path
from flows.sandbox.walls import Walls, raise_walls
order = json.loads(sys.argv[1])
folder = Path(order["folder"])
system = tuple(Path(each) for each in (sys.prefix, sys.base_prefix, "/usr/lib", "/lib"))
raised = raise_walls(
    Walls(read=system, write=(folder / "own",), memory=256 << 20, file_bytes=1 << 20,
          open_files=40, **order["walls"]),
    order["layers"],
)
try:
    exec(order["code"])
    print(json.dumps([raised, "done"]))
except BaseException as error:
    print(json.dumps([raised, type(error).__name__]))
"""


def behind(layers: list[str], code: str, folder: Path, **walls: bool) -> tuple[dict[str, str], str]:
    """What the layers are here, and "done" or the error that the code ended with."""
    (folder / "own").mkdir(exist_ok=True)
    (folder / "other.txt").write_text("other")
    order = {"layers": layers, "code": code, "folder": str(folder), "walls": walls}
    done = subprocess.run(
        [sys.executable, "-c", TRY, json.dumps(order)],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    if not done.stdout:
        return {}, "another program"
    raised, ending = json.loads(done.stdout.splitlines()[-1])
    return raised, ending


SECCOMP = {
    "a socket": "import socket; socket.socket()",
    "a pair of datagrams": "import socket as s; s.socketpair(s.AF_UNIX, s.SOCK_DGRAM)",
    "a fork": "os.fork() or os._exit(0)",
    "a program": "import subprocess; subprocess.run(['/bin/true'])",
    "exec": "os.execv('/bin/true', ['true'])",
    "a group of its own": "os.setpgid(0, 0)",
    "a session of its own": "os.setsid()",
    "a signal to the parent": "os.kill(os.getppid(), 0)",
    "a signal to all": "os.kill(-1, 0)",
    "memory as a file": "os.memfd_create('x')",
    "disk beyond the limit": "os.posix_fallocate(os.open(folder / 'own/x', 66), 0, 10)",
    "limits of the parent": "import resource as r; r.prlimit(os.getppid(), r.RLIMIT_CPU)",
    "priorities": "os.setpriority(os.PRIO_PROCESS, 0, 1)",
    "a pipe with a name": "os.mkfifo(folder / 'own/pipe')",
}


@linux
@pytest.mark.parametrize("code", SECCOMP.values(), ids=SECCOMP.keys())
def test_the_filter_alone_refuses(code: str, tmp_path: Path) -> None:
    assert behind([], code, tmp_path)[1] in ("done", "another program")
    raised, ending = behind(["no_new_privs", "seccomp"], code, tmp_path)
    assert raised["seccomp"] == "seccomp filter"
    assert ending in ("PermissionError", "OSError")


WORKS = {
    "threads": "import threading as t; x = t.Thread(target=print); x.start(); x.join()",
    "an event loop": "import asyncio\nasync def f(): pass\nasyncio.run(f())",
    "its own files": "a = folder / 'own/a'; a.write_text('a'); a.rename(folder / 'own/b')",
    "folders": "(folder / 'own/d/e').mkdir(parents=True); (folder / 'own/d/e').rmdir()",
    "its own limits": "import resource as r; r.getrlimit(r.RLIMIT_CPU)",
    "nothing to write to": "open('/dev/null', 'w').write('x')",
    "random numbers": "os.urandom(8)",
    "a signal to itself": "os.kill(os.getpid(), 0)",
}


@linux
@pytest.mark.parametrize("code", WORKS.values(), ids=WORKS.keys())
def test_behind_all_walls_honest_work_goes_on(code: str, tmp_path: Path) -> None:
    assert behind(list(LAYERS), code, tmp_path)[1] == "done"


LANDLOCK = {
    "reading": "(folder / 'other.txt').read_text()",
    "listing": "os.listdir(folder)",
    "writing": "(folder / 'new.txt').write_text('x')",
    "cutting": "os.truncate(folder / 'other.txt', 0)",
    "removing": "(folder / 'other.txt').unlink()",
    "moving in": "(folder / 'other.txt').rename(folder / 'own/in.txt')",
    "linking in": "(folder / 'own/in.txt').hardlink_to(folder / 'other.txt')",
    "symbolic links": "(folder / 'own/in.txt').symlink_to(folder / 'other.txt')",
    "programs": "os.execv('/bin/true', ['true'])",
    "passwords": "open('/etc/passwd').read()",
    "processes": "open('/proc/1/status').read()",
}


@linux
@pytest.mark.skipif(landlock.version() == 0, reason="this kernel has no Landlock")
@pytest.mark.parametrize("code", LANDLOCK.values(), ids=LANDLOCK.keys())
def test_landlock_alone_refuses(code: str, tmp_path: Path) -> None:
    raised, ending = behind(["no_new_privs", "landlock"], code, tmp_path)
    assert raised["landlock"].startswith("Landlock ABI")
    assert ending in ("PermissionError", "OSError")
    assert (tmp_path / "other.txt").read_text() == "other"


LIMITS = {
    "memory": ("bytearray(512 << 20)", "MemoryError"),
    "file size": ("import signal as s; s.signal(s.SIGXFSZ, s.SIG_IGN)\n"
                  "open(folder / 'own/x', 'wb').write(bytes(2 << 20))", "OSError"),
    "open files": ("kept = [open('/dev/null') for _ in range(60)]", "OSError"),
    "higher limits": ("import resource as r; r.setrlimit(r.RLIMIT_NOFILE, (4000, 4000))\n"
                      "os.getuid() and 1", "ValueError"),
}  # fmt: skip


@linux
@pytest.mark.parametrize(("code", "ending"), LIMITS.values(), ids=LIMITS.keys())
def test_limits_hold(code: str, ending: str, tmp_path: Path) -> None:
    assert behind(["limits", "capabilities"], code, tmp_path)[1] == ending


@linux
def test_processes_and_network_can_be_allowed(tmp_path: Path) -> None:
    forked = "p = os.fork()\np or os._exit(0)\nos.waitpid(p, 0)"
    assert behind(list(LAYERS), forked, tmp_path, processes=True)[1] == "done"
    opened = "import socket\ns = socket.create_server(('127.0.0.1', 0))\n"
    opened += "socket.create_connection(s.getsockname()).close()"
    assert behind(list(LAYERS), opened, tmp_path, network=True)[1] == "done"
    assert behind(list(LAYERS), opened, tmp_path)[1] == "PermissionError"


@linux
def test_a_wall_that_cannot_be_had_is_reported(tmp_path: Path) -> None:
    """Landlock and the filter want no_new_privs first, from whoever is not root."""
    drop = ["capabilities", "landlock", "seccomp"]
    raised, ending = behind(drop, "pass", tmp_path)
    assert ending == "done"
    assert raised["landlock"].startswith("missing: ")
    assert raised["seccomp"].startswith("missing: ")


@pytest.mark.parametrize("name", sorted(MACHINES))
def test_the_filter_of_every_machine_ends_in_returns(name: str) -> None:
    """Each jump lands inside the program, and no path runs off its end."""
    for processes in (False, True):
        program = seccomp.assemble(MACHINES[name], processes=processes, network=False, pid=7)
        for place, (code, if_true, if_false, _) in enumerate(program):
            if code & 7 == 5:
                assert place + 1 + max(if_true, if_false) < len(program)
        assert program[-1][0] == 6
