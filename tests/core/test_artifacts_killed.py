"""A process that is killed while it writes leaves whole files, and nothing half written."""

import hashlib
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

WRITER = """
import hashlib, sys
from itertools import count
from pathlib import Path
from flows.core.artifacts import write_whole

for number in count():
    body = b"%d " % number * 40_000
    name = Path(sys.argv[1], f"in{number % 3}", f"{number % 7}.bin")
    write_whole(name, hashlib.sha256(body).digest() + body)
    if number == 3:
        print("going", flush=True)
"""


@pytest.mark.parametrize("seed", range(6))
def test_every_file_is_whole_after_a_kill(tmp_path: Path, seed: int) -> None:
    folder = tmp_path / "new" / "folder"
    with subprocess.Popen(
        [sys.executable, "-c", WRITER, str(folder)], stdout=subprocess.PIPE
    ) as writer:
        assert writer.stdout is not None
        writer.stdout.readline()
        time.sleep(random.Random(seed).random() * 0.2)
        writer.kill()
    files = [each for each in folder.rglob("*") if each.is_file()]
    whole = [each for each in files if not each.name.endswith(".part")]
    assert whole
    for each in whole:
        content = each.read_bytes()
        assert hashlib.sha256(content[32:]).digest() == content[:32], each
    assert len(files) - len(whole) <= 1  # the one that was being written, under a hidden name
    assert all(each.name.startswith(".") for each in files if each not in whole)
