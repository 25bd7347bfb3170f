"""Code that wants too much is ended, and what comes back afterwards is right."""

from __future__ import annotations

import asyncio

import pytest

from tests.sandbox.conftest import Bench


@pytest.mark.parametrize(
    "code",
    [
        "while True: pass",
        "import time\ntime.sleep(60)",
        "import signal\n[signal.signal(s, signal.SIG_IGN) for s in (1, 2, 13, 14, 15, 24)]\n"
        "while True: pass",
        "10 ** 10 ** 10",
        "while True: print('x' * 10_000)",
    ],
    ids=["loop", "sleep", "signals", "in C", "output"],
)
def test_code_that_does_not_end_is_ended(bench: Bench, code: str) -> None:
    done = bench.run("print('begun')\n" + code, seconds=0.7)
    assert done.status == "timeout"
    assert done.stdout.startswith("begun\n")
    assert "the code was ended after 0.7 seconds" in done.notes


@pytest.mark.long("code in sandboxes with heavy libraries")
def test_memory_over_the_limit_is_an_error_of_the_code(bench: Bench) -> None:
    done = bench.run("kept = []\nwhile True:\n    kept.append(bytearray(64 << 20))")
    assert done.status == "memory"
    assert done.fault is not None
    assert done.fault.line == 3


def test_a_file_over_the_limit_is_an_error_of_the_code(bench: Bench) -> None:
    done = bench.run("with open('big', 'wb') as f:\n    f.truncate(300 << 20)")
    assert done.status in ("error", "died")
    assert sum(len(each.content) for each in done.files) == 0


@pytest.mark.long("a gigabyte is written")
def test_code_that_fills_the_disk_is_ended(bench: Bench) -> None:
    code = (
        "import itertools\nblock = bytes(8 << 20)\nfor n in itertools.count():\n"
        "    with open(f'{n}', 'wb') as f:\n        for _ in range(16): f.write(block)"
    )
    done = bench.run(code)
    assert done.status == "died"
    assert "the code was ended: it took more of the disk than is allowed" in done.notes


@pytest.mark.long("memory is filled up to its limit")
def test_files_without_a_name_count_too(bench: Bench) -> None:
    code = (
        "import os\nblock = bytes(8 << 20)\nkept = []\nwhile True:\n"
        "    f = open('x', 'wb')\n    os.unlink('x')\n    kept.append(f)\n"
        "    for _ in range(16): f.write(block)"
    )
    done = bench.run(code)
    assert done.status == "died"
    assert "the code was ended: it took more of the disk than is allowed" in done.notes


@pytest.mark.parametrize(
    ("code", "note"),
    [
        ("import os\nos._exit(0)", "without a word"),
        ("import os, signal\nos.kill(os.getpid(), signal.SIGKILL)", "SIGKILL"),
        ("import ctypes\nctypes.string_at(0)", "SIGSEGV"),
    ],
    ids=["exit", "kill", "fault"],
)
def test_code_that_ends_its_process_is_told_as_died(bench: Bench, code: str, note: str) -> None:
    done = bench.run("print('begun')\n" + code)
    assert (done.status, done.stdout) == ("died", "begun\n")
    assert any(note in each for each in done.notes)


def test_a_cancelled_execution_is_ended_and_the_sandbox_goes_on(bench: Bench) -> None:
    async def cancel() -> None:
        running = asyncio.create_task(bench.sandbox.execute("while True: pass"))
        await asyncio.sleep(0.3)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running

    bench.runner.run(cancel())
    assert bench.run("1 + 1").result == "2"


def test_a_zygote_that_is_killed_is_started_again(bench: Bench) -> None:
    async def kill() -> str:
        bench.sandbox._keeper.child.process.kill()  # type: ignore[union-attr]
        await bench.sandbox.execute("1")  # who comes while it dies may be told that it died
        return (await bench.sandbox.execute("2 + 2", session="after")).result

    bench.run("1")
    assert bench.runner.run(kill()) == "4"
