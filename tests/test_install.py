"""`requirements/install.py` takes its packages from where pip is told to, by uv or without it."""

from __future__ import annotations

import base64
import hashlib
import os
import shutil
import subprocess
import sys
import threading
import zipfile
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tests.cli.command import PROJECT

WHEEL = "tinything-1.0-py3-none-any.whl"
METADATA = "Metadata-Version: 2.1\nName: tinything\nVersion: 1.0\n"
TAGS = "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"


class Index(SimpleHTTPRequestHandler):
    """A package index; notes which programs ask."""

    agents: set[str]

    def do_GET(self) -> None:
        self.agents.add(self.headers.get("User-Agent", "").split("/")[0])
        super().do_GET()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Nothing is printed."""


@pytest.fixture
def index(tmp_path: Path) -> Iterator[tuple[str, set[str]]]:
    """The address of an index that has one package, and the names of those who asked it."""
    folder = tmp_path / "index" / "simple" / "tinything"
    folder.mkdir(parents=True)
    files = {
        "tinything.py": "NAME = 'tiny'\n",
        "tinything-1.0.dist-info/METADATA": METADATA,
        "tinything-1.0.dist-info/WHEEL": TAGS,
    }
    digests = {
        name: base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).decode().rstrip("=")
        for name, text in files.items()
    }
    record = "".join(f"{each},sha256={digests[each]},{len(files[each])}\n" for each in files)
    files["tinything-1.0.dist-info/RECORD"] = f"{record}tinything-1.0.dist-info/RECORD,,\n"
    with zipfile.ZipFile(folder / WHEEL, "w") as wheel:
        for name, text in files.items():
            wheel.writestr(name, text)
    (folder / "index.html").write_text(f'<a href="{WHEEL}">{WHEEL}</a>')
    Index.agents = set()
    with ThreadingHTTPServer(
        ("127.0.0.1", 0), partial(Index, directory=str(tmp_path / "index"))
    ) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}/simple", Index.agents
        server.shutdown()


def install(folder: Path, index: str) -> subprocess.CompletedProcess[str]:
    """Install the package into the environment of a folder, as the Makefile does."""
    kept = {name: each for name, each in os.environ.items() if not name.startswith(("PIP_", "UV_"))}
    env = {
        **kept,
        "PIP_CONFIG_FILE": os.devnull,
        "PIP_INDEX_URL": index,
        "UV_CACHE_DIR": str(folder / "cache"),
        "PIP_NO_CACHE_DIR": "1",
    }
    command = [sys.executable, str(PROJECT / "requirements" / "install.py"), str(folder)]
    return subprocess.run(
        [*command, "tinything==1.0"], env=env, capture_output=True, text=True, check=False
    )


def environment(folder: Path) -> Path:
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    return folder


@pytest.mark.long("takes a process, a file or a run of its own")
@pytest.mark.skipif(
    shutil.which("uv", path=str(Path(sys.executable).parent)) is None, reason="no uv"
)
def test_uv_asks_the_index_that_pip_is_told_of(tmp_path: Path, index: tuple[str, set[str]]) -> None:
    place = environment(tmp_path / "env")
    shutil.copy(Path(sys.executable).with_name("uv"), place / "bin" / "uv")
    done = install(place, index[0])
    assert done.returncode == 0, done.stderr
    assert list(place.glob("lib/python3*/site-packages/tinything.py"))
    assert index[1] == {"uv"}


@pytest.mark.long("makes a virtual environment and runs pip")
def test_where_uv_cannot_be_had_pip_installs(tmp_path: Path, index: tuple[str, set[str]]) -> None:
    place = environment(tmp_path / "env")
    done = install(place, index[0])
    assert done.returncode == 0, done.stderr
    assert list(place.glob("lib/python3*/site-packages/tinything.py"))
    assert index[1] == {"pip"}
