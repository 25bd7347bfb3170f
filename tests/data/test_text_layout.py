"""Plain text and Markdown by their layout: headings, tables of all shapes, labels, wraps."""

from __future__ import annotations

import time

import pytest

from flows.data.documents.blocks import Block
from flows.data.documents.reading import read_document

TEXT = """\
DATA SHEET
==========

1. GENERAL

Serial number .......... A-17
Remark ................. painted twice,
                         dried once
Maker: Kurz AG
Colors: red, green
   and blue
A sentence that stands below.

1.1 Sizes

Part      Width   Height
------    -----   ------
door      800     1990
window    1 200     600

Notes

Weight\t12 kg
Price\t30 EUR

The frame is made of oak that was dried for
three winters: nothing is nailed.

1. Black
2. Sand
"""


def read(text: str, kind: str = ".txt") -> list[Block]:
    return list(read_document(kind, text.encode(), layout=True))


def test_headings_tables_labels_and_wrapped_lines() -> None:
    found = [(each.section, each.table, each.cells or each.text) for each in read(TEXT)]
    general, sizes = "1. GENERAL", "1. GENERAL > 1.1 Sizes"
    assert found == [
        (general, 1, ("Serial number", "A-17")),
        (general, 1, ("Remark", "painted twice, dried once")),
        (general, 0, "Maker: Kurz AG"),
        (general, 0, "Colors: red, green and blue"),
        (general, 0, "A sentence that stands below."),
        (sizes, 2, ("Part", "Width", "Height")),
        (sizes, 2, ("door", "800", "1990")),
        (sizes, 2, ("window", "1 200", "600")),
        (f"{general} > Notes", 3, ("Weight", "12 kg")),
        (f"{general} > Notes", 3, ("Price", "30 EUR")),
        (
            f"{general} > Notes",
            0,
            "The frame is made of oak that was dried for three winters: nothing is nailed.",
        ),
        (f"{general} > Notes", 0, "1. Black"),
        (f"{general} > Notes", 0, "2. Sand"),
    ]


@pytest.mark.parametrize(
    ("line", "section"),
    [
        ("== 2 Drive ==", "2 Drive"),
        ("§ 3 Rules", "§ 3 Rules"),
        ("B. TESTS", "B. TESTS"),
        ("Care and use", "Care and use"),
        ("# Care", "Care"),
        # What is none.
        ("Season: FW24", ""),
        ("It was cold.", ""),
        ("red   green", ""),
        ("- black", ""),
    ],
)
def test_which_lines_are_headings(line: str, section: str) -> None:
    [last] = read(f"{line}\n\nIt was so.\n")[-1:]
    assert last.section == section


def test_markdown_has_tables_of_all_shapes_too() -> None:
    text = (
        "# A\n\n**Style no:** KT\n**Season:** FW\n\nItem | Cost\n---|---:\ncloth | 3\n\n"
        "S   M    L\n10  20   30\n\n| a \\| b | c |\n"
    )
    found = [(each.table, each.cells or each.text) for each in read(text, ".md")]
    assert found == [
        (0, "Style no: KT"),
        (0, "Season: FW"),
        (1, ("Item", "Cost")),
        (1, ("cloth", "3")),
        (2, ("S", "M", "L")),
        (2, ("10", "20", "30")),
        (3, ("a | b", "c")),
    ]


def test_rows_that_are_ragged_keep_their_cells() -> None:
    found = read("| a | b |\n| 1 |\n| 1 | 2 | 3 |\nx\ty\nx\ty\tz\t\n")
    assert [each.cells for each in found] == [
        ("a", "b"), ("1",), ("1", "2", "3"), ("x", "y"), ("x", "y", "z"),
    ]  # fmt: skip


def test_without_layout_text_is_paragraphs_as_before() -> None:
    found = read_document(".txt", TEXT.encode())
    assert not any(each.table or each.section for each in found)
    assert found[2].text.startswith("Serial number .......... A-17 Remark")


@pytest.mark.long("texts of megabytes")
@pytest.mark.parametrize(
    "text",
    [
        "a ..... b\n" + "    c\n" * 400_000,
        "word  word word   word\n" * 20_000 + "one  two\nt  hree\n",
        "|" * 1_000_000 + "a",
        "a\tb\t" * 200_000,
        ". " * 500_000 + "a",
        "1. Title\n\n" * 100_000 + "a",
        "=\n" * 400_000,
        "Weight: 5 kg and some more\n" * 100_000,
    ],
    ids=["wrapped", "room", "pipes", "tabs", "dots", "numbers", "rules", "labels"],
)
def test_a_large_text_takes_no_longer_than_it_should(text: str) -> None:
    begun = time.process_time()
    assert read(text)
    assert time.process_time() - begun < 20
