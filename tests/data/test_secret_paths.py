"""A path that a variable of the environment names is a secret: it is said and kept nowhere."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest

from flows.config import redaction
from flows.config.redaction import redact, redact_pieces, remember_path
from tests.cli.canaries import left_behind
from tests.cli.inside import inside, write

RUN = """\
_target_: describe
name: Look
inputs: {table: ""}
data: {sales: "${env:SALES_PLACE}"}
"""
LOOP = """\
defaults: [autogpt, override human: never, _self_]
data: {sales: "${env:SALES_PLACE}"}
inputs: {goal: How many rows are there}
"""
PLACES = {
    "relative": "vault/quarterly-hush-hush.csv",
    "whole": "BASE/vault-of-the-bank/quarterly-hush-hush.csv",
    "with blanks": "vault/quarterly hush hush.csv",
    "short": "hsh.csv",
    "a folder": "vault-of-the-bank",
}


@pytest.fixture(autouse=True)
def forgotten() -> Iterator[None]:
    """What a test makes a secret is none for the next one."""
    before = set(redaction._remembered), set(redaction._paths)
    yield
    redaction._remembered.clear()
    redaction._paths.clear()
    redaction._remembered.update(before[0])
    redaction._paths.update(before[1])
    redaction._forms = None


def said_of(place: str, base: Path) -> set[str]:
    """The texts that would give the place away."""
    whole = base / place
    return {
        str(whole), quote(str(whole)), whole.as_uri(),
        *(each for each in (place, whole.stem, quote(place)) if len(each) > 12),
    }  # fmt: skip


CASES = [
    *((RUN, place, "there") for place in PLACES),
    *((RUN, place, "away") for place in PLACES),
    (RUN, "relative", "damaged"),
    (LOOP, "relative", "there"),
]


@pytest.mark.long("data of some size, read and asked in workers")
@pytest.mark.parametrize(("text", "name", "state"), CASES)
def test_it_is_said_and_kept_nowhere(
    text: str,
    name: str,
    state: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG)
    place = PLACES[name].replace("BASE", str(tmp_path))
    where = tmp_path / place
    where = where if where.suffix else where / "t.csv"
    where.parent.mkdir(parents=True, exist_ok=True)
    if state != "away":
        where.write_bytes(b"a,b\n1,2\n3,4\n" if state == "there" else b"PAR1\x00\x00" * 9)
    monkeypatch.setenv("SALES_PLACE", place)
    file = write(tmp_path, text)
    ended = [
        inside("check", file, cwd=tmp_path),
        inside("check", file, "--json", cwd=tmp_path),
        inside("run", file, "--events", "events.jsonl", "--verbose", cwd=tmp_path),
        inside("run", file, "--json", cwd=tmp_path),
        inside("config", file, "--origins", cwd=tmp_path),
    ]
    if state == "there":
        assert ended[2].code == 0, ended[2].err
        run = ended[3].json()["run_id"]
        ended += [
            inside("show", run, "--json", cwd=tmp_path),
            inside("export", run, "--out", "page.html", cwd=tmp_path),
        ]
    if state == "away":
        assert ended[0].code == 2
        assert "data.sales" in ended[0].err
    texts = left_behind(tmp_path, *ended, but=[where.name]) | {"log": caplog.text}
    secret = said_of(place, tmp_path)
    assert [(each, at) for at, given in texts.items() for each in secret if each in given] == []


def test_short_names_destroy_no_other_text(tmp_path: Path) -> None:
    remember_path("a", tmp_path)
    text = "a row of data has a value"
    assert redact(text) == redact_pieces(text) == text
    assert redact(f"there is no file {tmp_path}/a.") == "there is no file ***."
    others = f"{tmp_path}/abc.csv and {tmp_path}/a.csv"
    assert redact(others) == others
    for nothing in (".", "/", ""):
        remember_path(nothing, tmp_path)
    assert redact(f"{tmp_path} / .") == f"{tmp_path} / ."
