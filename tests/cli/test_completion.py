"""Completion in a shell: Tab after `flows`."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pexpect
import pytest

from tests.cli.command import environment, python

BIN = Path(sys.executable).parent


@pytest.mark.long("whole runs of the command")
@pytest.mark.skipif(not shutil.which("bash"), reason="no bash here")
def test_tab_completes_in_a_real_bash(tmp_path: Path) -> None:
    (tmp_path / "sales_of_may.yaml").write_text("")
    env = environment(PATH=f"{BIN}{os.pathsep}{os.environ['PATH']}", TERM="dumb", PS1="> ")
    shell = pexpect.spawn(
        "bash", ["--norc", "--noprofile", "-i"], cwd=str(tmp_path), env=env, encoding="utf-8",
        timeout=90,
    )  # fmt: skip
    shell.sendline('eval "$(flows --show-completion)"; echo RE""ADY')
    shell.expect("READY")
    shell.send("flows anal\t")
    shell.expect("analyse ")
    shell.send("--fee\t")
    shell.expect("--feedback ")
    shell.sendcontrol("u")
    shell.send("flows run sales_\t")  # where a file stands, files
    shell.expect("sales_of_may.yaml ")
    shell.close(force=True)


@pytest.mark.long("whole runs of the command")
@pytest.mark.parametrize(
    ("shell", "asked", "script"),
    [
        ("zsh", {"_TYPER_COMPLETE_ARGS": "flows anal"}, "#compdef flows"),
        (
            "fish",
            {"_TYPER_COMPLETE_ARGS": "flows anal", "_TYPER_COMPLETE_FISH_ACTION": "get-args"},
            "complete --command flows",
        ),
    ],
)
def test_other_shells_get_their_scripts_and_answers(
    tmp_path: Path, shell: str, asked: dict[str, str], script: str
) -> None:
    env = environment(_FLOWS_COMPLETE=f"source_{shell}")
    assert script in python("-m", "flows", cwd=tmp_path, env=env).out
    env = environment(_FLOWS_COMPLETE=f"complete_{shell}", **asked)
    assert "analyse" in python("-m", "flows", cwd=tmp_path, env=env).out
