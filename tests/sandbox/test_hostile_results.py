"""Whatever code puts in the place of results, the host reads nothing that it should not."""

from __future__ import annotations

from pathlib import Path

import pytest

from flows.core.sandbox import SandboxConfig
from flows.sandbox.guest_output import GuestReader, GuestReport, NotBelieved, read_report
from tests.sandbox.conftest import Bench

# Finds the socket to the host among the descriptors, and says what follows on it.
SAY = """
import os, socket, stat, struct, json
def say(body):
    for n in range(3, 64):
        try:
            if stat.S_ISSOCK(os.fstat(n).st_mode):
                os.write(n, struct.pack('!I', len(body)) + body)
        except OSError:
            pass
report = dict(status='ok', fault=None, result='', folder='1', variables=[], tables=[],
              figures=[], models=[], notes=[])
"""


@pytest.mark.parametrize(
    "body",
    [
        "b'garbage'",
        "b'{}'",
        "b'[' * 100000",
        "json.dumps({**report, 'status': 'fine'}).encode()",
        "json.dumps({**report, 'folder': '../../..'}).encode()",
        "json.dumps({**report, 'folder': '77'}).encode()",
        "json.dumps({**report, 'figures': [dict(name='f', kind='png', file='9')]}).encode()",
        "json.dumps({**report, 'models': [dict(name='m', file='../1')]}).encode()",
    ],
    ids=["garbage", "empty", "deep", "status", "above", "folder", "no file", "path"],
)
def test_a_forged_report_is_not_believed(bench: Bench, body: str) -> None:
    done = bench.run(f"{SAY}\nsay({body})\nwhile True: pass", seconds=20)
    assert done.status == "died"
    assert any("not believed" in note for note in done.notes)


def test_a_message_that_is_too_long_is_not_read(bench: Bench) -> None:
    done = bench.run(SAY.replace("len(body)", "0xFFFFFFF0") + "say(b'x')\nwhile True: pass")
    assert done.status == "died"


def test_links_and_pipes_in_the_folder_do_not_come_back(bench: Bench, tmp_path: Path) -> None:
    work = tmp_path / "work"
    work.mkdir()
    secret = tmp_path / "secret.txt"
    secret.write_text("secret")
    (work / "soft.txt").symlink_to(secret)
    (work / "hard.txt").hardlink_to(secret)
    (work / "folder").symlink_to(tmp_path)
    __import__("os").mkfifo(work / "pipe.txt")
    (work / "fine.txt").write_text("fine")
    assert names_of(tmp_path) == ["fine.txt"]


def test_a_link_in_the_place_of_a_result_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    (tmp_path / "out" / "1").mkdir(parents=True)
    secret = tmp_path / "secret"
    secret.write_bytes(b"\x89PNG\r\n\x1a\n secret")
    (tmp_path / "out" / "1" / "1").symlink_to(secret)
    told = report('"figures": [{"name": "f", "kind": "png", "file": "1"}]')
    with pytest.raises(NotBelieved):
        GuestReader(tmp_path, SandboxConfig()).execution(told)


@pytest.mark.parametrize("cell", ["NaN", "Infinity", "[1]", "{}"])
def test_cells_that_are_none_are_not_believed(cell: str) -> None:
    table = '{"name": "t", "columns": ["a"], "types": ["real"], "total_rows": 1, "file": "1"'
    with pytest.raises(NotBelieved):
        report(f'"tables": [{table}, "rows": [[{cell}]]}}]')


def names_of(folder: Path) -> list[str]:
    (folder / "out" / "1").mkdir(parents=True)
    done = GuestReader(folder, SandboxConfig()).execution(report('"figures": []'))
    return [each.name for each in done.files]


def report(changed: str) -> GuestReport:
    empty = {"variables", "tables", "figures", "models", "notes"}
    rest = ", ".join(f'"{name}": []' for name in sorted(empty) if f'"{name}"' not in changed)
    text = f'{{"status": "ok", "fault": null, "result": "", "folder": "1", {rest}, {changed}}}'
    return read_report(text.encode())
