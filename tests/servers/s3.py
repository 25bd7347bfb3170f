"""A local server of S3's protocol that nobody here wrote (moto), as a process on a free port.

It is looked for in the folder that FLOWS_S3 names, or in `.venv/s3`, where `make long` puts it.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

PROJECT = Path(__file__).resolve().parents[2]
KEYS = {
    "AWS_ACCESS_KEY_ID": "testing",
    "AWS_SECRET_ACCESS_KEY": "a-secret-that-must-not-be-told",
    "AWS_EC2_METADATA_DISABLED": "true",
}


def missing_s3() -> str:
    """Why the server cannot be started, or an empty text."""
    folder = _folder()
    return (
        "" if (folder / "moto").is_dir() else f"there is no moto in {folder}: make .venv/s3.stamp"
    )


def _folder() -> Path:
    named = os.environ.get("FLOWS_S3")
    return Path(named) if named else PROJECT / ".venv" / "s3"


@contextmanager
def s3_server(bucket: str) -> Iterator[str]:
    """The address of a server that has an empty bucket of this name; the keys of the environment
    are those that it takes while it runs."""
    command = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", "0"]
    before = {name: os.environ.get(name) for name in KEYS}
    os.environ.update(KEYS)
    # A file and no pipe: it writes a line for each request, and a full pipe would stop it.
    with tempfile.TemporaryFile() as log:
        own = {**os.environ, "PYTHONPATH": str(_folder())}
        process = subprocess.Popen(command, stdout=log, stderr=log, env=own)
        try:
            address = _address(process, log)
            _make_bucket(address, bucket)
            yield address
        finally:
            process.terminate()
            process.wait(10)
            for name, value in before.items():
                if value is None:
                    os.environ.pop(name, None)
                else:
                    os.environ[name] = value


def _address(process: subprocess.Popen[bytes], log: IO[bytes]) -> str:
    """The address that the server says it listens at."""
    said = b""
    until = time.monotonic() + 60
    while time.monotonic() < until and process.poll() is None:
        said = os.pread(log.fileno(), 1 << 16, 0)
        if found := re.search(rb"http://127\.0\.0\.1:\d+", said):
            return found.group().decode()
        time.sleep(0.1)
    raise AssertionError(f"the server did not start: {said.decode(errors='replace')}")


def _make_bucket(address: str, bucket: str) -> None:
    from pyarrow.fs import S3FileSystem

    S3FileSystem(
        endpoint_override=address.removeprefix("http://"),
        scheme="http",
        region="us-east-1",
        allow_bucket_creation=True,
    ).create_dir(bucket)
