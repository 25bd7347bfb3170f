"""What a process had in its memory does not stand in the files of its recall."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import asyncio, ctypes, sys, threading
from flows.memory.chroma import ChromaMemory
from flows.memory.lexical import LexicalEmbedder

def remember():
    "Leave a password in free memory of many sizes, in each arena of the allocator."
    sizes = (20_000, 40_000, 60_000, 90_000, 110_000, 120_000) * 3
    kept = [ctypes.create_string_buffer(b"hunter2-hunter2-" * (size // 16)) for size in sizes]
    del kept
    together.wait()

together = threading.Barrier(24)
threads = [threading.Thread(target=remember) for _ in range(24)]
for each in threads: each.start()
for each in threads: each.join()
config = ChromaMemory.Config(folder=sys.argv[1])
memory = ChromaMemory(config, LexicalEmbedder(LexicalEmbedder.Config(dimension=256)))
asyncio.run(memory.write(["a", "b"], ["one", "two"], {}))
asyncio.run(memory.aclose())
"""


@pytest.mark.long("every file of a memory, searched byte by byte")
def test_a_password_in_memory_is_in_no_file(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-c", PROGRAM, str(tmp_path)], check=True)
    files = [each for each in tmp_path.rglob("*") if each.is_file()]
    assert any(each.name == "data_level0.bin" for each in files)
    assert [each.name for each in files if b"hunter2-hunter2-" in each.read_bytes()] == []
