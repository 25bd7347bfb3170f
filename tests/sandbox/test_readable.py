"""Of an environment only its libraries can be read: not the secrets that lie beside them."""

from __future__ import annotations

import json
import os
import subprocess
import venv
from pathlib import Path

import pytest

from flows.sandbox.keeper import ALL_LAYERS
from flows.sandbox.read_access import libraries
from tests.cli.command import PROJECT
from tests.sandbox.test_attacks import why_no_bubblewrap

SECRET = "token-of-the-user"
# Run by the interpreter of the environment, as a program that somebody installed there.
IN_SANDBOX = """
import asyncio, json, sys
from flows.core.sandbox import SandboxConfig
from flows.sandbox.python import PythonSandbox

async def main(code, layers):
    sandbox = PythonSandbox(SandboxConfig(), layers)
    try:
        return (await sandbox.execute(code)).model_dump(mode="json", include={"stdout", "fault"})
    finally:
        await sandbox.aclose()

print(json.dumps(asyncio.run(main(*json.loads(sys.argv[1])))))
"""
# The walls of the workers that run queries and read documents.
IN_WORKER = """
import json, sys
from flows.sandbox.read_access import readable
from flows.sandbox.walls import Walls, raise_walls
code, network = json.loads(sys.argv[1])
raise_walls(Walls(read=readable(network=network), network=network))
exec(code)
"""
READ = """
import decimal, numpy, os
for path in {paths}:
    try:
        print(open(path).read())
    except OSError as error:
        print(type(error).__name__)
"""
# What the page says that only bubblewrap hides.
LOOK = """
try:
    print(os.stat({path!r}).st_size)
except FileNotFoundError:
    print("no such name")
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project of a user's with a secret, and its environment inside it with another."""
    project = tmp_path_factory.mktemp("project")
    venv.create(project / ".venv", symlinks=True)
    [packages] = (project / ".venv" / "lib").glob("python*/site-packages")
    folders = [str(PROJECT), *map(str, libraries())]
    (packages / "theirs.pth").write_text("\n".join(folders))
    for each in secrets(project):
        each.parent.mkdir(exist_ok=True)
        each.write_text(SECRET)
    return project


def secrets(project: Path) -> list[Path]:
    inside = project / ".venv"
    files = [inside / "pip.conf", inside / "bin" / "key", inside / "etc" / "key", inside / "key"]
    return [project / "pip.conf", project / ".env", *files, inside / "lib" / "key"]


def read(project: Path, program: str, given: object) -> str:
    done = subprocess.run(
        [str(project / ".venv" / "bin" / "python"), "-c", program, json.dumps(given)],
        cwd=project,
        env={"HOME": os.environ.get("HOME", "/"), "PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def code(project: Path) -> str:
    return READ.format(paths=[str(each) for each in secrets(project)])


@pytest.mark.long("code in a sandbox of its own")
@pytest.mark.parametrize("bubble", [True, False], ids=["all walls", "without bubblewrap"])
def test_code_cannot_read_what_lies_beside_its_libraries(project: Path, bubble: bool) -> None:
    if bubble and (reason := why_no_bubblewrap()):
        pytest.skip(reason)
    layers = [each for each in ALL_LAYERS if bubble or each != "bubblewrap"]
    look = LOOK.format(path=str(secrets(project)[0]))
    told = json.loads(read(project, IN_SANDBOX, [code(project) + look, layers]))
    assert told["fault"] is None
    denied = told["stdout"].splitlines()
    assert denied.pop() == ("no such name" if bubble else str(len(SECRET)))
    assert len(denied) == len(secrets(project))
    assert set(denied) <= {"PermissionError", "FileNotFoundError"}


@pytest.mark.long("code in a sandbox of its own")
@pytest.mark.parametrize("network", [False, True], ids=["files", "servers"])
def test_workers_cannot_read_what_lies_beside_their_libraries(project: Path, network: bool) -> None:
    printed = read(project, IN_WORKER, [code(project), network])
    assert printed.split() == ["PermissionError"] * len(secrets(project))


def test_the_secrets_can_be_read_without_walls(project: Path) -> None:
    printed = read(project, "import json, sys\nexec(json.loads(sys.argv[1]))", code(project))
    assert printed.split() == [SECRET] * len(secrets(project))
