"""What the probe finds: nothing behind all walls, and each wall that is gone."""

from __future__ import annotations

import asyncio

import pytest

from flows.core.sandbox import ProbeFinding, SandboxConfig
from flows.errors import SandboxUnsafe
from flows.sandbox import canaries
from flows.sandbox.keeper import ALL_LAYERS
from flows.sandbox.python import PythonSandbox
from tests.sandbox.test_attacks import why_no_bubblewrap

# The canaries that come through when these layers are gone.
SHOWN_BY = {
    ("limits",): {"take memory", "write a terabyte"},
    ("seccomp",): {"trace processes", "make namespaces", "use keys", "use rings"},
    ("bubblewrap", "landlock"): {"read a file", "list a folder", "write a file"},
    ("bubblewrap", "landlock", "seccomp", "no_new_privs", "capabilities"): {
        *("read environments", "connect by tcp", "connect by path", "connect by name"),
        *("signal the host", "gain privileges"),
    },
}


async def found(config: SandboxConfig, layers: tuple[str, ...] = ALL_LAYERS) -> ProbeFinding:
    sandbox = PythonSandbox(config, layers)
    try:
        return await sandbox.finding(anew=True)
    finally:
        await sandbox.aclose()


def test_behind_all_walls_nothing_comes_through() -> None:
    if reason := why_no_bubblewrap():
        pytest.skip(reason)
    finding = asyncio.run(found(SandboxConfig()))
    assert finding.is_whole, finding
    assert (finding.through, finding.missing) == ((), ())
    assert finding.attacks + len(finding.blind) == len(canaries.CANARIES)
    assert finding.attacks >= 12
    assert "Landlock" in finding.sentence
    assert finding.sentence.endswith(f"{finding.attacks} of {finding.attacks} attacks held off")


@pytest.mark.parametrize("gone", list(SHOWN_BY), ids=" ".join)
def test_a_wall_that_is_gone_is_seen(gone: tuple[str, ...]) -> None:
    left = tuple(each for each in ALL_LAYERS if each not in gone)
    finding = asyncio.run(found(SandboxConfig(), left))
    assert SHOWN_BY[gone] - set(finding.blind) <= set(finding.through)
    assert not finding.is_whole
    assert set(gone) <= set(finding.missing)
    assert all(f"without {each} (" in finding.sentence for each in gone)
    assert "got through" in finding.sentence


def test_with_the_sandbox_off_everything_comes_through() -> None:
    finding = asyncio.run(found(SandboxConfig(mode="off")))
    assert not finding.is_whole
    # The launcher keeps the environment to itself in every mode.
    assert len(finding.through) >= finding.attacks - 1 >= 12
    assert finding.sentence.startswith("sandbox: off")


def test_strict_runs_nothing_without_a_wall() -> None:
    async def execute() -> None:
        left = tuple(each for each in ALL_LAYERS if each != "seccomp")
        sandbox = PythonSandbox(SandboxConfig(mode="strict"), left)
        try:
            await sandbox.execute("print(1)")
        finally:
            await sandbox.aclose()

    with pytest.raises(SandboxUnsafe, match="without seccomp") as caught:
        asyncio.run(execute())
    assert caught.value.exit_code == 78
