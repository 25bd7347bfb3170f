"""PDFs by their layout: headings, tables, paragraphs, and heads of pages."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Final

import pytest
from pypdf import PdfReader, PdfWriter

from flows.core.documents import Chunking
from flows.data.documents.blocks import Block
from flows.data.documents.chunks import chunks
from flows.data.documents.passages import parts_of, passages_of, sections_of
from flows.data.documents.reader import DocumentReader
from flows.data.documents.reading import read_document
from tests.data.written_documents import docx, pdf, placed_pdf

Line = Sequence[tuple[float, str]]
_LEFT: Final = 72.0


def line(*cells: str, step: float = 110) -> Line:
    return [(_LEFT + step * at, each) for at, each in enumerate(cells) if each]


PACK: Final = (
    (
        line("ACME Tech Pack KT-2011", "", "", "Page 1 of 3"),
        line("1 General"),
        line("Style number:", "KT-2011"),
        line("Season:", "FW 2024"),
        line(),
        line("The jacket is made of recycled polyester and has to be washed at"),
        line("30 degrees; it is for cold days."),
    ),
    (
        line("ACME Tech Pack KT-2011", "", "", "Page 2 of 3"),
        line("2 Measurements"),
        line("POM", "S", "M", "L"),
        line("Chest width", "52", "54", "56"),
        line("Body length", "68", "", "72"),
        line("MATERIALS"),
        line("- zipper of metal"),
    ),
    (
        line("ACME Tech Pack KT-2011", "", "", "Page 3 of 3"),
        line("Packed in cartons of 12."),
    ),
)


@pytest.fixture(scope="module")
def blocks() -> tuple[Block, ...]:
    with DocumentReader() as reader:
        return reader.read(".pdf", placed_pdf(*PACK), layout=True)


@pytest.mark.long("data of some size, read and asked in workers")
def test_headings_paragraphs_and_heads_of_pages(blocks: tuple[Block, ...]) -> None:
    plain = [(each.section, each.text, each.page) for each in blocks if not each.table]
    assert plain == [
        ("", "ACME Tech Pack KT-2011 Page 1 of 3", 1),
        (
            "1 General",
            "The jacket is made of recycled polyester and has to be washed at 30 degrees; it is "
            "for cold days.",
            1,
        ),
        ("MATERIALS", "- zipper of metal", 2),
        ("MATERIALS", "Packed in cartons of 12.", 3),
    ]


def test_rows_have_their_cells_in_their_columns(blocks: tuple[Block, ...]) -> None:
    rows = [(each.table, each.section, each.cells) for each in blocks if each.table]
    assert rows == [
        (1, "1 General", ("Style number:", "KT-2011")),
        (1, "1 General", ("Season:", "FW 2024")),
        (2, "2 Measurements", ("POM", "S", "M", "L")),
        (2, "2 Measurements", ("Chest width", "52", "54", "56")),
        (2, "2 Measurements", ("Body length", "68", "", "72")),
    ]


def test_a_table_that_goes_on_over_pages_keeps_its_head() -> None:
    rows = [[line("ACME", "", "", f"{n} / 4"), line("POM", "S", "M"), line(f"P{n}", "1", "2")]
            for n in range(1, 5)]  # fmt: skip
    found = passages_of(read_document(".pdf", placed_pdf(*rows), layout=True))
    assert [each.head for each in found if each.cells[:1] in (("P1",), ("P4",))] == [
        ("POM", "S", "M")
    ] * 2
    assert [(each.text, each.table) for each in found if "ACME" in each.text] == [("ACME 1 / 4", 0)]


def test_the_outline_names_headings() -> None:
    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(pdf(("Fit and feel", "It is wide.")))))
    top = writer.add_outline_item(title="Design", page_number=0)
    writer.add_outline_item(title="Fit and feel", page_number=0, parent=top)
    out = io.BytesIO()
    writer.write(out)
    [block] = read_document(".pdf", out.getvalue(), layout=True)
    assert (block.section, block.text) == ("Fit and feel", "It is wide.")


def test_cells_of_the_other_kinds() -> None:
    table = (
        "<table><tr><th>Size<th>Chest<th>Note</tr><tr><td>S<td><b>52</b> cm<td></tr>"
        "<tr><td colspan=2>all<td>a | b</table>"
    )
    html = f"<h1>Fit</h1>{table}<table><tr><td><h2>Inside</h2><p>text</p></table>"
    found = read_document(".html", html.encode())
    assert [(each.table, each.cells) for each in found] == [
        (1, ("Size", "Chest", "Note")),
        (1, ("S", "52 cm", "")),
        (1, ("all", "", "a | b")),
        (0, ()),
    ]
    text = "| a | b |\n|---|---|\n| 1 \\| 2 | |\n\n| c | d |\n|---|---|\n| 3 | 4 |\n"
    assert [(each.table, each.cells) for each in read_document(".md", text.encode())] == [
        (1, ("a", "b")),
        (1, ("1 | 2", "")),
        (2, ("c", "d")),
        (2, ("3", "4")),
    ]
    rows = [each for each in read_document(".docx", docx()) if each.table]
    assert [each.cells for each in rows] == [("Class", "Limit"), ("glass", "40 dollars")]


def test_the_text_of_blocks_is_what_it_was() -> None:
    """The index of documents is made of it."""
    text = b"# T\n\n| a | b |\n|---|---|\n| 1 | 2 |\n"
    assert [each.text for each in chunks(read_document(".md", text), Chunking())] == [
        "| a | b |\n\n| 1 | 2 |"
    ]
    plain = Block(text="a", page=1)
    assert plain.model_dump() == {"text": "a", "section": "", "page": 1, "line": None}


def test_parts_are_whole_sections_where_they_fit() -> None:
    blocks = [Block(text="x" * 100, section=name) for name in "aaabbcccccc"]
    passages = passages_of(blocks)
    parts = [[each.section for each in part] for part in parts_of(passages, 500)]
    assert ["".join(each) for each in parts] == ["aaabb", "ccccc", "c"]
    assert [each.number for part in parts_of(passages, 500) for each in part] == list(range(1, 12))
    assert [(each.title, each.first, each.last) for each in sections_of(passages)] == [
        ("a", 1, 3),
        ("b", 4, 5),
        ("c", 6, 11),
    ]
