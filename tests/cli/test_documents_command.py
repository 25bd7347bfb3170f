"""Long documents by the command: stopped with Ctrl-C in the middle, and gone on with."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.inside import inside

RUN = """\
defaults: [documents, _self_]
folder: packs
part_characters: 500
fields: {code: text, lead_time: {type: number, unit: days}}
kept_entities: {type: pack, key: code}
kept_columns: {store: packs/all, folder: stores}
entities: {_target_: entities.sqlite, path: known.sqlite3}
"""
FILLER = "The cloth is woven, washed and dried before it is cut and sewn by hand.\n\n" * 900


@pytest.mark.long("a document of many parts, stopped in the middle")
def test_ctrl_c_in_the_middle_and_resume(tmp_path: Path) -> None:
    (tmp_path / "packs").mkdir()
    text = f"Code: K-7\n\n{FILLER}The lead time is forty-five days.\n"
    (tmp_path / "packs" / "a.txt").write_text(text)
    (tmp_path / "run.yaml").write_text(RUN)
    words = [sys.executable, "-m", "flows", "run", "run.yaml"]
    with subprocess.Popen(
        words, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as running:
        assert running.stdout is not None
        said = ""
        while "Saved" not in said:  # its passages: the parts are at work next
            said += running.stdout.readline()
        running.send_signal(signal.SIGINT)
        said += running.stdout.read()
    assert running.returncode == 130, said
    run_id = said.rpartition("flows resume ")[2].split()[0]
    assert not (tmp_path / "stores").exists()
    assert not (tmp_path / "known.sqlite3").exists()
    done = inside("resume", run_id, "--json", cwd=tmp_path)
    assert done.code == 0, done.err
    outputs = json.loads(done.out)["outputs"]
    assert "packs/all: 1 of 1 records" in outputs["answer"]
    assert "entities of type pack: K-7" in outputs["answer"]
    [records] = (tmp_path / "runs").glob(f"*{run_id}*/artifacts/{outputs['records']}.csv")
    assert records.read_text(encoding="utf-8-sig").splitlines()[1] == "a.txt,K-7,45.0"
