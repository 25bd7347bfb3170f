from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from flows.core.memory import Memory, Recalled
from flows.errors import RecallError
from flows.memory.chroma import ChromaMemory
from flows.memory.folder import DATABASE_NAME, LOCK_NAME, exclusive
from flows.memory.lexical import LexicalEmbedder
from tests.contracts.memory_store import MemoryContract, ids


def chroma(folder: Path, collection: str = "project", dimension: int = 256) -> ChromaMemory:
    embedder = LexicalEmbedder(LexicalEmbedder.Config(dimension=dimension))
    config = ChromaMemory.Config(collection=collection, folder=folder, floor=0)
    return ChromaMemory(config, embedder)


class TestChromaMemory(MemoryContract):
    def open(self, folder: Path, collection: str) -> Memory:
        return chroma(folder, collection)


def write(memory: ChromaMemory, *texts: str) -> None:
    async def work() -> None:
        await memory.write([f"id-{text}" for text in texts], list(texts), {"run": "r"})
        await memory.aclose()

    asyncio.run(work())


def read(memory: ChromaMemory, query: str, n_results: int = 10) -> list[Recalled]:
    async def work() -> list[Recalled]:
        found = await memory.read(query, n_results)
        await memory.aclose()
        return found

    return asyncio.run(work())


def test_vectors_of_two_embedders_are_never_mixed(tmp_path: Path) -> None:
    write(chroma(tmp_path, dimension=256), "barley")
    for use in (lambda other: read(other, "barley"), lambda other: write(other, "wheat")):
        with pytest.raises(RecallError) as caught:
            use(chroma(tmp_path, dimension=512))
        said = str(caught.value)
        assert "lexical-1 (256 numbers)" in said
        assert "lexical-1 (512 numbers)" in said
        assert "name another collection, or delete the folder" in said
    assert ids(read(chroma(tmp_path, dimension=256), "barley")) == ["id-barley"]
    write(chroma(tmp_path, collection="second", dimension=512), "wheat")


def test_a_collection_of_another_program_is_refused(tmp_path: Path) -> None:
    from flows.memory.folder import open_client

    client = open_client(tmp_path)
    client.create_collection("project", embedding_function=None)
    client.close()
    with pytest.raises(RecallError, match="does not name its embedder"):
        read(chroma(tmp_path), "barley")


@pytest.mark.long("documents are embedded and searched")
def test_projects_of_similar_names_have_their_own_collections(tmp_path: Path) -> None:
    names = [
        "Q1 / 2024",
        "Q1 2024",
        "Q1-2024",
        "q1-2024",
        "ünïcode",
        "日本",
        "日木",
        "a",
        "x" * 700,
    ]
    for name in names:
        write(chroma(tmp_path, collection=name), f"barley of {name}")
    for name in names:
        [found] = read(chroma(tmp_path, collection=name), "barley")
        assert found.text == f"barley of {name}"


def test_a_long_text_is_cut_and_says_so(tmp_path: Path) -> None:
    memory = ChromaMemory(
        ChromaMemory.Config(max_text_chars=1_000, folder=tmp_path, floor=0), LexicalEmbedder()
    )
    asyncio.run(memory.write(["long", "fits"], ["barley " * 1_000, "x" * 1_000], {}))
    by_id = {each.id: each.text for each in read(memory, "barley")}
    assert by_id["long"].endswith("\n[cut: the first 1,000 of 7,000 characters]")
    assert by_id["fits"] == "x" * 1_000


@pytest.mark.long("texts are embedded, stored and searched")
def test_a_rare_word_is_found_among_long_texts_by_its_keyword(tmp_path: Path) -> None:
    filler = " ".join(f"topic{number} matters to the harvest" for number in range(200))
    texts = [f"{filler} part {number}" for number in range(60)]
    texts[37] += " zyzzyva"
    asyncio.run(chroma(tmp_path).write([str(n) for n in range(60)], texts, {}))
    assert read(chroma(tmp_path), "topic5 zyzzyva", 1)[0].id == "37"

    def without_keywords() -> ChromaMemory:
        config = ChromaMemory.Config(folder=tmp_path, collection="project", keyword_limit=0)
        embedder = LexicalEmbedder(LexicalEmbedder.Config(dimension=256))
        return ChromaMemory(config, embedder)

    assert len(read(without_keywords(), "topic5 zyzzyva", 5)) == 5


def test_a_closed_memory_opens_again(tmp_path: Path) -> None:
    memory = chroma(tmp_path)
    write(memory, "barley")
    assert ids(read(memory, "barley")) == ["id-barley"]
    asyncio.run(memory.aclose())
    asyncio.run(memory.aclose())


def test_a_folder_deleted_meanwhile_is_an_empty_one(tmp_path: Path) -> None:
    import shutil

    folder = tmp_path / "memory"

    async def work() -> None:
        memory = chroma(folder)
        await memory.write(["a"], ["barley"], {})
        shutil.rmtree(folder)
        assert await memory.read("barley", 3) == []
        await memory.write(["b"], ["barley"], {})
        assert ids(await memory.read("barley", 3)) == ["b"]
        await memory.aclose()

    asyncio.run(work())


def test_a_damaged_database_is_an_error_with_its_place(tmp_path: Path) -> None:
    write(chroma(tmp_path), "barley")
    (tmp_path / DATABASE_NAME).write_bytes(b"this is not a database " * 1_000)
    with pytest.raises(RecallError, match=str(tmp_path)):
        read(chroma(tmp_path), "barley")


def test_a_folder_that_cannot_be_made_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(RecallError, match="cannot be made"):
        write(chroma(tmp_path / "file"), "barley")


def test_a_folder_in_use_for_too_long_says_so(tmp_path: Path) -> None:
    write(chroma(tmp_path), "barley")
    config = ChromaMemory.Config(folder=tmp_path, collection="project", lock_timeout_s=0.2)
    memory = ChromaMemory(config, LexicalEmbedder())
    with (
        exclusive(tmp_path / LOCK_NAME, 1.0),
        pytest.raises(RecallError, match=r"another process .* more than 0.2 s"),
    ):
        read(memory, "barley")


# --- several processes -----------------------------------------------------------------------

PROCESS = """
import asyncio, sys
from pathlib import Path
from flows.memory.chroma import ChromaMemory
from flows.memory.lexical import LexicalEmbedder

folder, name, count = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])

async def main():
    embedder = LexicalEmbedder(LexicalEmbedder.Config(dimension=256))
    memory = ChromaMemory(ChromaMemory.Config(collection="project", folder=folder), embedder)
    for number in range(count):
        await memory.write([f"{name}-{number}"], [f"barley of {name}, load {number}"], {"by": name})
        print(number, flush=True)
        await memory.read("barley", 3)
    await memory.aclose()

asyncio.run(main())
"""


def start(folder: Path, name: str, count: int) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", PROCESS, str(folder), name, str(count)],
        stdout=subprocess.PIPE,
        text=True,
    )


@pytest.mark.long("several processes write into one memory")
def test_processes_that_write_at_once_lose_nothing(tmp_path: Path) -> None:
    async def work() -> list[Recalled]:
        memory = chroma(tmp_path)
        await memory.write(["here-0"], ["barley from here"], {"by": "here"})
        writers = [start(tmp_path, name, 12) for name in ("left", "right")]
        for number in range(1, 12):
            await memory.write([f"here-{number}"], ["barley from here"], {"by": "here"})
            await asyncio.sleep(0.05)
        for writer in writers:
            out, _ = await asyncio.to_thread(writer.communicate, timeout=60)
            assert writer.returncode == 0, out
        found = await memory.read("barley", 100)
        await memory.aclose()
        return found

    found = asyncio.run(work())
    expected = {f"{name}-{number}" for name in ("here", "left", "right") for number in range(12)}
    assert set(ids(found)) == expected


@pytest.mark.long("several processes write into one memory")
def test_a_memory_that_is_open_finds_what_another_process_wrote(tmp_path: Path) -> None:
    async def work() -> list[Recalled]:
        memory = chroma(tmp_path)
        await memory.write(["mine"], ["a note on the weather"], {})
        await memory.read("weather", 1)
        with start(tmp_path, "other", 1) as other:
            await asyncio.to_thread(other.communicate, timeout=60)
        found = await memory.read("barley of other, load 0", 1)
        await memory.aclose()
        return found

    assert ids(asyncio.run(work())) == ["other-0"]


@pytest.mark.long("several processes write into one memory")
@pytest.mark.skipif(sys.platform == "win32", reason="kills by signal")
def test_a_killed_writer_leaves_a_memory_that_works(tmp_path: Path) -> None:
    writer = start(tmp_path, "killed", 10_000)
    assert writer.stdout is not None
    done = -1
    for line in writer.stdout:
        done = int(line)
        if done >= 15:
            break
    os.kill(writer.pid, signal.SIGKILL)
    writer.wait(timeout=10)
    writer.stdout.close()
    began = time.monotonic()
    write(chroma(tmp_path), "after")
    assert time.monotonic() - began < 10, "the killed writer's lock has to be gone at once"
    found = set(ids(read(chroma(tmp_path), "barley", 500)))
    assert {f"killed-{number}" for number in range(done + 1)} <= found
    assert "id-after" in found


# --- no network ------------------------------------------------------------------------------

OFFLINE = """
import ctypes, json, os, platform, struct, sys, time
from pathlib import Path

# Any internet socket of this process, of Python or of native code, kills it: a seccomp filter on
# socket(AF_INET | AF_INET6, ...).
calls = {"x86_64": (0xC000003E, 41), "aarch64": (0xC00000B7, 198)}
architecture, number = calls[platform.machine()]
LOAD, EQUAL, RETURN, KILL, ALLOW = 0x20, 0x15, 0x06, 0x80000000, 0x7FFF0000
program = [
    (LOAD, 0, 0, 4), (EQUAL, 0, 5, architecture),
    (LOAD, 0, 0, 0), (EQUAL, 0, 3, number),
    (LOAD, 0, 0, 16), (EQUAL, 2, 0, 2), (EQUAL, 1, 0, 10),
    (RETURN, 0, 0, ALLOW), (RETURN, 0, 0, KILL),
]
filters = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *each) for each in program))
fprog = struct.pack("HxxxxxxP", len(program), ctypes.addressof(filters))
libc = ctypes.CDLL(None, use_errno=True)
assert libc.prctl(38, 1, 0, 0, 0) == 0
assert libc.prctl(22, 2, ctypes.create_string_buffer(fprog), 0, 0) == 0, ctypes.get_errno()

if sys.argv[2] == "prove":
    import socket
    socket.socket(socket.AF_INET)

import asyncio
from flows.memory.chroma import ChromaMemory
from flows.memory.lexical import LexicalEmbedder

async def main():
    memory = ChromaMemory(ChromaMemory.Config(folder=Path(sys.argv[1])), LexicalEmbedder())
    await memory.write(["a"], ["barley"], {})
    found = await memory.read("barley", 1)
    await memory.aclose()
    time.sleep(0.5)
    print(json.dumps({"found": len(found), "heavy": sorted(
        {"onnxruntime", "posthog", "torch", "tokenizers"} & set(sys.modules))}))

asyncio.run(main())
"""

seccomp = pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="needs seccomp to see native code's sockets"
)


def offline(folder: Path, mode: str) -> subprocess.CompletedProcess[str]:
    home = folder / "home"
    home.mkdir()
    environment = {
        **os.environ,
        "HOME": str(home),
        # What would switch telemetry and traces on, if the environment were asked.
        "ANONYMIZED_TELEMETRY": "true",
        "CHROMA_OTEL_COLLECTION_ENDPOINT": "http://192.0.2.1:4317",
        "CHROMA_OTEL_GRANULARITY": "all",
    }
    return subprocess.run(
        [sys.executable, "-c", OFFLINE, str(folder / "memory"), mode],
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
    )


@pytest.mark.long("documents are embedded and searched")
@seccomp
def test_no_internet_socket_is_ever_opened(tmp_path: Path) -> None:
    done = offline(tmp_path, "run")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {"found": 1, "heavy": []}
    assert list((tmp_path / "home").rglob("*")) == [], "a model or a telemetry id was stored"


@seccomp
def test_the_filter_of_the_test_above_does_kill(tmp_path: Path) -> None:
    assert offline(tmp_path, "prove").returncode == -signal.SIGSYS


@pytest.mark.long("texts are embedded, stored and searched")
def test_reading_a_memory_never_written_does_not_load_chroma(tmp_path: Path) -> None:
    code = (
        "import asyncio, sys; from pathlib import Path;"
        "from flows.memory.chroma import ChromaMemory;"
        "from flows.memory.lexical import LexicalEmbedder;"
        "m = ChromaMemory(ChromaMemory.Config(folder=Path(sys.argv[1])), LexicalEmbedder());"
        "assert asyncio.run(m.read('anything', 3)) == [];"
        "print('chromadb' in sys.modules, 'numpy' in sys.modules)"
    )
    folder = tmp_path / "memory"
    done = subprocess.run(
        [sys.executable, "-c", code, str(folder)], capture_output=True, text=True, timeout=60
    )
    assert done.stdout.split() == ["False", "False"], done.stderr
    assert not folder.exists()
