"""Formulas in CSV files that code wrote."""

from __future__ import annotations

import csv
import io
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flows.data.results.csv_formulas import defuse
from flows.data.results.safe_csv import safe


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        ("=1+1", "'=1+1"),
        ("a,=1", "a,'=1"),
        ("a;@x;b", "a;'@x;b"),
        ("a\t+x\n", "a\t'+x\n"),
        ('"=1, ""x""",b\r\n', '"\'=1, ""x""",b\r\n'),
        ("a\n  =1\n", "a\n'  =1\n"),
        ("a\r=1\r", "a\r'=1\r"),
        ('"\t=1"', '"\'\t=1"'),
        ("\uff1d1", "'\uff1d1"),
        # What is a comma's text cell is two cells where the semicolon separates.
        ("a;=1,b", "a;'=1,b"),
        # To one that splits at commas no quote opens here, so the second line is a formula.
        ('x;"y\n=1\n"', 'x;"y\n\'=1\n"'),
        ('"open\n=1', '"open\n=1'),
        # An apostrophe between two quotes would open a cell to one that splits at commas.
        (',";""""=\n",",=x"', ',";""""\'=\n",",=x"'),
        ("-5,+1.5,-1e-5,2024-01-01,a=b", "-5,+1.5,-1e-5,2024-01-01,a=b"),
        ("-5\r\n-x\r\n", "-5\r\n'-x\r\n"),
        ("", ""),
    ],
)
def test_an_apostrophe_stands_before_each_formula(written: str, kept: str) -> None:
    assert defuse(written.encode()).content.decode() == kept


@pytest.mark.parametrize("codec", ["utf-8-sig", "utf-16", "utf-32"])
def test_a_file_keeps_its_encoding(codec: str) -> None:
    defused = defuse("name\n=ä\n".encode(codec))
    assert (defused.content.decode(codec), defused.cells) == ("name\n'=ä\n", 1)


def test_bytes_of_no_encoding_stay_as_they_are() -> None:
    assert defuse(b"\xe4,=1,\xff\n").content == b"\xe4,'=1,\xff\n"


@pytest.mark.long("data of some size, read and asked in workers")
@given(
    rows=st.lists(st.lists(st.text("=+-@a1 '\";,\t\n", max_size=5), min_size=1), max_size=5),
    separator=st.sampled_from(",;\t"),
)
def test_no_reader_finds_a_formula(rows: list[list[str]], separator: str) -> None:
    written = io.StringIO()
    csv.writer(written, delimiter=separator).writerows(rows)
    content = defuse(written.getvalue().encode()).content.decode()
    main = max(",;\t", key=re.split(r"[\r\n]", content, maxsplit=1)[0].count)
    cells = {each: cells_of(content, each) for each in ",;\t"}
    numbers = [each for each in cells[main] if re.fullmatch(r"[+-][\d.,]+", each)]
    for found in cells.values():
        assert all(is_safe(cell) or is_of_number(cell, numbers) for cell in found)


def cells_of(content: str, separator: str) -> list[str]:
    rows = csv.reader(io.StringIO(content, newline=""), delimiter=separator)
    return [cell for row in rows for cell in row]


def is_safe(cell: str) -> bool:
    """Whether it is no formula; a tab before it is the separator of another reader."""
    shown = cell.lstrip("\t")
    return safe(shown) == shown or re.match(r"""[\s"]*'""", shown) is not None


def is_of_number(cell: str, numbers: list[str]) -> bool:
    """Whether it begins as a number does that stays one, or is a part of one: to another reader
    the number may end before, or go on."""
    shown = cell.strip()
    return any(shown.startswith(each) or each.startswith(shown) for each in numbers)
