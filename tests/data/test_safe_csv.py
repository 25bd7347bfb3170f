"""Safe CSV: no cell is a formula, numbers are as they are, and each text can be told again."""

from __future__ import annotations

import csv
from io import StringIO

import pytest

from flows.core.observation import Cell
from flows.data.results.safe_csv import original, safe, write_csv

FORMULAS = [
    "=1+1",
    "+1+1",
    "-1+cmd|' /C calc'!A0",
    "@SUM(A1)",
    "\t=1",
    "\r=1",
    "\tx",
    " =1+1",
    "\n=1",
    "'=1+1",
    '"=1+1"',
    "\u201c=1",
    "\ufeff=1",
    "\u00a0=1",
    "\uff1d1+1",
    "\uff0b1",
    "\uff0d1+1",
    "\uff20SUM(A1)",
    "-",
    "+49 30 1234",
    "=",
]
PLAIN = ["", "x", "a=b", "1-2", "'", "''", "'x", "it's", "-12.50", "+3", "-1,5", "1e-5", 'é,\n"q"']


@pytest.mark.parametrize("text", FORMULAS)
def test_a_text_that_would_be_a_formula_begins_with_an_apostrophe(text: str) -> None:
    assert safe(text) == f"'{text}"
    assert original(safe(text)) == text


@pytest.mark.parametrize("text", PLAIN)
def test_other_texts_are_as_they_are(text: str) -> None:
    assert safe(text) == text
    assert original(text) == text


def test_a_plain_reader_reads_the_file_and_the_texts_can_be_told() -> None:
    rows: list[tuple[Cell, ...]] = [(text, -5, -2.5) for text in (*FORMULAS, *PLAIN)]
    rows += [(None, None, None), ("true", True, 10**20), ("y", False, 1e-9)]
    content = write_csv(("=name", "a,b", "n"), rows)
    head, *read = csv.reader(StringIO(content.decode("utf-8"), newline=""))
    assert head == ["'=name", "a,b", "n"]
    assert [original(each[0]) for each in read] == ["" if r[0] is None else r[0] for r in rows]
    assert [each[1] for each in read[: len(FORMULAS)]] == ["-5"] * len(FORMULAS)
    assert read[-3:] == [["", "", ""], ["true", "true", str(10**20)], ["y", "false", "1e-09"]]
    assert not any(cell[:1] in "=@\t\r" for row in read for cell in row if cell)


def test_missing_and_empty_are_told_apart_and_an_empty_row_is_a_row() -> None:
    assert write_csv(("a", "b"), [(None, "")]) == b'a,b\n,""\n'
    assert write_csv(("a",), [(None,), ("x",)]) == b'a\n""\nx\n'
    assert write_csv(("a",), []) == b"a\n"
