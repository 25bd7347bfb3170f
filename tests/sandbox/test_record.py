"""What the probe found is kept for the machine as it is, and believed only while that holds."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from flows.cli import diagnosis
from flows.core.sandbox import ProbeFinding, SandboxConfig
from flows.sandbox import findings, record
from flows.sandbox.keeper import ALL_LAYERS
from flows.sandbox.python import PythonSandbox
from tests.sandbox.test_attacks import why_no_bubblewrap

FORGED = 3  # attacks, so that a finding of the record can be told from one of a probe


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An own cache, in which the probe has run: its folder of records."""
    if reason := why_no_bubblewrap():
        pytest.skip(reason)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    # Where others can write nothing compiled is kept, so that nothing is compiled for this test.
    compiled = tmp_path / "analyst-flows" / f"python-3.{sys.version_info.minor}"
    compiled.mkdir(parents=True)
    compiled.chmod(0o777)
    (tmp_path / "analyst-flows").chmod(0o700)
    found()
    return tmp_path / "analyst-flows" / "walls"


def found(mode: str = "standard", *, anew: bool = False) -> ProbeFinding:
    async def find() -> ProbeFinding:
        sandbox = PythonSandbox(SandboxConfig.model_validate({"mode": mode}))
        try:
            return await sandbox.finding(anew=anew)
        finally:
            await sandbox.aclose()

    return asyncio.run(find())


def forge(**changed: object) -> None:
    """Have the record say something that no probe would."""
    known = findings.read("standard", ALL_LAYERS)
    assert known is not None
    findings.write(known.model_copy(update={"attacks": FORGED, **changed}), ALL_LAYERS)


def entry(kept: Path) -> Path:
    [path] = kept.glob("probe-*.json")
    return path


@pytest.mark.long("code in a sandbox of its own")
def test_the_attacks_do_not_run_again_on_the_same_machine(kept: Path) -> None:
    assert found().attacks > FORGED
    forge()
    assert found().attacks == FORGED
    assert found(anew=True).attacks > FORGED
    assert found().attacks > FORGED


def test_another_mode_is_probed_by_itself(kept: Path) -> None:
    forge()
    assert found("strict").attacks > FORGED
    assert found("strict").is_whole


def test_doctor_probes_anew(kept: Path) -> None:
    forge()
    told = {each.name: each.detail for each in diagnosis.walls()}
    assert f"of {FORGED} attacks" not in told["probe"]
    assert found().attacks > FORGED


@pytest.mark.parametrize(
    "changed",
    [
        {"missing": ("seccomp",)},
        {"walls": {"launcher": "empty environment, own session"}},
    ],
    ids=["it was missing", "it was not there"],
)
def test_walls_that_are_others_than_at_the_probe_are_probed_anew(
    kept: Path, changed: dict[str, object]
) -> None:
    forge(**changed)
    again = found()
    assert again.attacks > FORGED
    assert again.is_whole


def damage(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-1] + b" ")


def empty(path: Path) -> None:
    path.write_bytes(b"")


def open_to_others(path: Path) -> None:
    path.chmod(0o666)


def open_the_folder(path: Path) -> None:
    path.parent.chmod(0o777)


def link(path: Path) -> None:
    path.rename(path.with_name("elsewhere"))
    path.symlink_to(path.with_name("elsewhere"))


def other_schema(path: Path) -> None:
    """An entry that is whole, and of no Finding."""
    path.unlink()
    record.write(
        "probe", {**record.machine(), "mode": "standard", "layers": sorted(ALL_LAYERS)}, "{}"
    )


@pytest.mark.parametrize(
    "spoil", [damage, empty, open_to_others, open_the_folder, link, other_schema]
)
def test_a_record_that_is_not_to_be_trusted_is_no_error_and_is_not_read(
    kept: Path, spoil: Callable[[Path], None]
) -> None:
    forge()
    spoil(entry(kept))
    assert findings.read("standard", ALL_LAYERS) is None


def test_a_damaged_record_is_probed_anew(kept: Path) -> None:
    forge()
    damage(entry(kept))
    assert found().attacks > FORGED
    assert findings.read("standard", ALL_LAYERS) is not None


def test_where_code_could_write_the_record_none_is_kept(kept: Path) -> None:
    known = findings.read("standard", ALL_LAYERS)
    assert known is not None
    findings.forget()
    findings.write(known.model_copy(update={"through": ("write a file",)}), ALL_LAYERS)
    findings.write(known.model_copy(update={"blind": ("write a file",)}), ALL_LAYERS)
    findings.write(known.model_copy(update={"mode": "off"}), ALL_LAYERS)
    assert list(kept.glob("probe-*")) == []


def test_the_key_names_what_the_walls_depend_on() -> None:
    key = record.machine()
    assert key["settings"]["/proc/sys/kernel/random/boot_id"]
    named = {"user", "kernel", "namespaces", "rights", "python", "bubblewrap", "landlock"}
    assert named <= set(key)
    assert key == record.machine()
