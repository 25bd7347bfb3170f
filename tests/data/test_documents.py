"""Documents to text with places, hostile ones to reasons, and texts to passages."""

from __future__ import annotations

import io
import os
import signal
import threading
import time
import zipfile
import zlib
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from flows.core.documents import Chunking
from flows.data.documents.blocks import Block, UnreadableDocument
from flows.data.documents.chunks import chunks
from flows.data.documents.folder import list_documents, read_bytes
from flows.data.documents.reader import DocumentReader
from flows.data.documents.sentences import sentences
from flows.errors import SourceError
from tests.data.written_documents import docx, encrypted, pdf

MOST = 1_000_000
LATER = 2**62


@pytest.fixture(scope="module")
def reader() -> Iterator[DocumentReader]:
    with DocumentReader() as running:
        yield running


def why(reader: DocumentReader, kind: str, content: bytes) -> str:
    with pytest.raises(UnreadableDocument) as caught:
        reader.read(kind, content)
    return str(caught.value)


# Every kind.


@pytest.mark.long("data of some size, read and asked in workers")
def test_a_pdf_by_pages(reader: DocumentReader) -> None:
    first = (
        "Return policy",
        "Goods can be sent back within 30 days after they were de-",
        "livered. A refund takes five working days at the most.",
    )
    blocks = reader.read(".pdf", pdf(first, ("Shipping is free.",)))
    assert [(each.text, each.page) for each in blocks] == [
        ("Return policy", 1),
        (
            "Goods can be sent back within 30 days after they were delivered. A refund takes five "
            "working days at the most.",
            1,
        ),
        ("Shipping is free.", 2),
    ]


def test_markdown_by_headings(reader: DocumentReader) -> None:
    text = (
        "---\ntitle: hidden\n---\n<!-- a note -->\n# Returns\n\nGoods can be **sent back**; see"
        "\n[the form](http://example.org).\n\n- unused\n- with the bill\n\nRefunds\n-------\n"
        "```\n# no heading\n```\n| a | b |\n|---|---|\n| 1 | 2 |\n\n# Other\nEnd."
    )
    blocks = reader.read(".md", text.encode())
    assert [(each.section, each.text, each.line) for each in blocks] == [
        ("Returns", "Goods can be sent back; see the form.", 7),
        ("Returns", "- unused", 10),
        ("Returns", "- with the bill", 11),
        ("Returns > Refunds", "# no heading", 16),
        ("Returns > Refunds", "| a | b |", 18),
        ("Returns > Refunds", "| 1 | 2 |", 20),
        ("Other", "End.", 23),
    ]


def test_html_is_what_a_reader_of_the_page_sees(reader: DocumentReader) -> None:
    page = (
        "<html><head><title>T</title><style>p {x}</style></head><body><nav><a>Menu</a></nav>"
        "<h1>Head <b>line</b></h1><p>One <i>two</i>.<br>Three.<script>bad()</script></p>"
        "<div style='DISPLAY: none'>hidden</div><!-- comment --><h2>Costs</h2>"
        "<table><tr><th>Class</th><th><p>Limit</p></th></tr></table><ul><li>a<li>b</ul>tail"
    )
    blocks = reader.read(".html", page.encode())
    assert [(each.section, each.text) for each in blocks] == [
        ("Head line", "One two. Three."),
        ("Head line > Costs", "Class | Limit"),
        ("Head line > Costs", "a"),
        ("Head line > Costs", "b"),
        ("Head line > Costs", "tail"),
    ]


def test_word_by_headings_with_tables(reader: DocumentReader) -> None:
    assert [(each.section, each.text) for each in reader.read(".docx", docx())] == [
        ("Handbook", "For all who pack."),
        ("Damage", "Broken goods are written off by the shift lead."),
        ("Damage", "Take a picture"),
        ("Damage", "Class | Limit"),
        ("Damage", "glass | 40 dollars"),
    ]


def test_word_with_tracked_changes(reader: DocumentReader) -> None:
    def changed(xml: bytes) -> bytes:
        inserted = b"<w:ins w:id='1'><w:r><w:t>never </w:t></w:r></w:ins>"
        gone = b"<w:del w:id='2'><w:r><w:delText>always </w:delText></w:r></w:del>"
        place = xml.index(b"<w:r>", xml.index(b"Broken goods"))
        return xml[:place] + inserted + gone + xml[place:]

    [text] = [
        each.text
        for each in reader.read(".docx", _rewritten(docx(), changed))
        if "Broken" in each.text
    ]
    assert text == "Broken goods are never written off by the shift lead."


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("Größe zählt.".encode(), "Größe zählt."),
        ("Größe zählt, weil es schön ist.".encode("cp1252"), "Größe zählt, weil es schön ist."),
        ("Größe".encode("utf-16"), "Größe"),
        (b"\xef\xbb\xbfA mark\r\nof bytes", "A mark of bytes"),
        ("Доставка бесплатная".encode("cp1251"), "Доставка бесплатная"),
    ],
)
def test_text_of_any_encoding(reader: DocumentReader, content: bytes, text: str) -> None:
    [block] = reader.read(".txt", content)
    assert (block.text, block.line) == (text, 1)


# Hostile ones.


def test_reasons_of_what_cannot_be_read(reader: DocumentReader) -> None:
    whole = pdf(("Secret.",))
    assert why(reader, ".txt", b"") == "is empty"
    assert why(reader, ".md", b" \n\n") == "holds no text"
    assert (
        why(reader, ".txt", bytes(range(32)) * 99) == "is no text: it holds bytes that no text has"
    )
    assert "is a broken PDF" in why(reader, ".pdf", b"%PDF-1.4 and no more")
    assert "is a broken PDF" in why(reader, ".pdf", whole[: len(whole) // 2])
    assert "text recognition" in why(reader, ".pdf", pdf(()))
    assert why(reader, ".pdf", encrypted(whole, "x")) == "is encrypted; save it without a password"
    assert "is a broken .docx" in why(reader, ".docx", b"PK\x03\x04 and no more")
    assert "is no Word document" in why(reader, ".docx", _zip({"other.xml": b"<x/>"}))
    assert "is a broken .docx" in why(reader, ".docx", _zip({"word/document.xml": b"<x"}))
    assert "has a password" in why(reader, ".docx", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"0" * 99)
    # The process that read all these reads on.
    assert [each.text for each in reader.read(".pdf", whole)] == ["Secret."]
    assert [each.text for each in reader.read(".pdf", encrypted(whole, ""))] == ["Secret."]


@pytest.mark.long("packed files that unpack to a gigabyte")
def test_bombs(reader: DocumentReader) -> None:
    zeros = bytes(300 << 20)
    bomb = _zip({"word/document.xml": zeros})
    assert len(bomb) < 1 << 20
    assert "would unpack to 300 MB" in why(reader, ".docx", bomb)
    assert why(reader, ".pdf", pdf((), packed=zlib.compress(zeros)))

    def laughs(xml: bytes) -> bytes:
        entities = b"".join(b"<!ENTITY e%d '%b'>" % (n + 1, b"&e%d;" % n * 10) for n in range(9))
        head, _, rest = xml.partition(b"?>")
        doctype = b"<!DOCTYPE x [<!ENTITY e0 'ha'>" + entities + b"]>"
        return head + b"?>" + doctype + rest.replace(b"Broken", b"&e9;")

    assert "is a broken .docx" in why(reader, ".docx", _rewritten(docx(), laughs))
    long = b"word " * 1_100_000
    assert why(reader, ".txt", long) == "has more than 5,000,000 characters; part it"


def test_an_entity_of_a_word_document_reads_no_file(reader: DocumentReader, tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("the secret")

    def reaching(xml: bytes) -> bytes:
        head, _, rest = xml.partition(b"?>")
        doctype = f"<!DOCTYPE x [<!ENTITY e SYSTEM 'file://{secret}'>]>".encode()
        return head + b"?>" + doctype + rest.replace(b"Broken", b"&e;")

    found = reader.read(".docx", _rewritten(docx(), reaching))
    assert len(found) == 5
    assert "secret" not in " ".join(each.text for each in found)


@pytest.mark.long("data of some size, read and asked in workers")
def test_a_document_that_takes_too_long_is_left() -> None:
    with DocumentReader(seconds=0.4) as reader:
        assert why(reader, ".html", b"<div>" * 400_000) == "takes more than 0.4 s to be read"
        assert reader.pid is None
    with DocumentReader() as reader:
        assert reader.read(".txt", b"Next.")[0].text == "Next."


@pytest.mark.long("data of some size, read and asked in workers")
def test_the_process_is_replaced_when_it_dies() -> None:
    with DocumentReader() as reader:
        reader.read(".txt", b"One.")
        first = reader.pid
        assert first is not None
        os.kill(first, signal.SIGKILL)
        assert "takes too much memory or time" in why(reader, ".txt", b"Two.")
        assert reader.read(".txt", b"Three.")[0].text == "Three."
        assert reader.pid not in (None, first)


@pytest.mark.long("data of some size, read and asked in workers")
def test_reading_can_be_stopped_from_outside() -> None:
    with DocumentReader() as reader:
        reader.read(".txt", b"One.")
        threading.Timer(0.2, reader.interrupt).start()
        assert why(reader, ".html", b"<div>" * 1_000_000)
        assert "was stopped" in why(reader, ".txt", b"Two.")


@pytest.mark.long("data of some size, read and asked in workers")
def test_the_process_has_walls_around_it() -> None:
    with DocumentReader() as reader:
        reader.read(".txt", b"One.")
        status = Path(f"/proc/{reader.pid}/status").read_text()
        assert "Seccomp:\t2" in status
        assert "NoNewPrivs:\t1" in status
        limits = Path(f"/proc/{reader.pid}/limits").read_text().splitlines()
        told = {line[:24].strip(): line[24:].split()[0] for line in limits}
        assert told["Max file size"] == "0"
        assert told["Max address space"] != "unlimited"


# The folder.


def listed(top: Path, now: int = LATER) -> dict[str, str]:
    return {each.name: each.problem for each in list_documents(top, MOST, now)}


def test_what_is_a_document(tmp_path: Path) -> None:
    for name in ("b.MD", "a/c.txt", "a/.hidden.txt", ".git/x.txt", "~$a.docx", "d.png", "e.doc"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("x")
    assert listed(tmp_path) == {
        "a/c.txt": "",
        "b.MD": "",
        "e.doc": "is of the kind .doc, which is not read; save it as .docx",
    }


def test_links_do_not_leave_the_folder(tmp_path: Path) -> None:
    outside, top = tmp_path / "outside", tmp_path / "top"
    outside.mkdir()
    top.mkdir()
    (outside / "secret.txt").write_text("secret")
    (top / "own.txt").write_text("own")
    (top / "inner.txt").symlink_to("own.txt")
    (top / "file.txt").symlink_to(outside / "secret.txt")
    (top / "dir").symlink_to(outside)
    (top / "nowhere.txt").symlink_to("gone.txt")
    (top / "self.txt").symlink_to("self.txt")
    os.mkfifo(top / "pipe.txt")
    found = listed(top)
    assert found["own.txt"] == found["inner.txt"] == ""
    assert found["file.txt"] == found["dir"] == "is a link to something outside of the folder"
    assert found["nowhere.txt"] == "is gone, or is a link to nothing"
    assert found["pipe.txt"] == "is no plain file"
    assert found["self.txt"]
    assert set(found) == {
        "own.txt", "inner.txt", "file.txt", "dir", "nowhere.txt", "self.txt", "pipe.txt",
    }  # fmt: skip


def test_a_link_that_comes_later_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("a")
    [file] = list_documents(tmp_path, MOST, LATER)
    (tmp_path / "a.txt").unlink()
    (tmp_path / "a.txt").symlink_to("/etc/passwd")
    with pytest.raises(UnreadableDocument, match="cannot be opened"):
        read_bytes(file, MOST)


def test_what_is_too_large_is_not_read(tmp_path: Path) -> None:
    with (tmp_path / "large.txt").open("wb") as large:
        large.truncate(2_000_000_000)
    assert listed(tmp_path) == {
        "large.txt": "has 2,000 MB; at most 1 MB are read (max_file_mb)",
    }


def test_names_are_shown_without_what_is_no_text(tmp_path: Path) -> None:
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/bad\xff\n[1].txt")).write_text("x")
    assert list(listed(tmp_path)) == ["bad\ufffd\ufffd[1].txt"]


@pytest.mark.parametrize("name", ["gone", "photo.png"])
def test_a_place_that_is_none(tmp_path: Path, name: str) -> None:
    (tmp_path / "photo.png").touch()
    with pytest.raises(SourceError, match=r"there is no folder|is no document"):
        list_documents(tmp_path / name, MOST, LATER)


def test_a_mark_is_given_only_to_what_has_settled(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("a")
    [fresh] = list_documents(tmp_path, MOST, time.time_ns())
    [settled] = list_documents(tmp_path, MOST, time.time_ns() + 10**10)
    assert fresh.mark == ""
    assert settled.mark != ""


# Sentences and passages.


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("One is here. Two is there!", ["One is here.", "Two is there!"]),
        ("It costs 3.50 dollars. Or not?", ["It costs 3.50 dollars.", "Or not?"]),
        ("Ask Dr. Weber, e.g. Monday. Then go.", ["Ask Dr. Weber, e.g. Monday.", "Then go."]),
        ('He said "Stop." Then he left.', ['He said "Stop."', "Then he left."]),
        ("No end\n\n- an item\n- another", ["No end", "- an item", "- another"]),
        ("1. First of all. Go.", ["1. First of all.", "Go."]),
        ("返品は30日以内。送料は無料。", ["返品は30日以内。", "送料は無料。"]),
    ],
)
def test_sentences(text: str, found: list[str]) -> None:
    assert sentences(text) == found


def numbered(count: int) -> list[Block]:
    return [
        Block(text=f"Sentence {n} says {n}. It ends.", section="S", line=n) for n in range(count)
    ]


def test_passages_share_their_last_sentences() -> None:
    found = chunks(numbered(12), Chunking(size=120, overlap=40))
    assert len(found) > 3
    assert all(len(each.text) <= 120 for each in found)
    for one, other in pairwise(found):
        shared = sentences(other.text)[0]
        assert one.text.endswith(shared) or shared in one.text
    without = chunks(numbered(12), Chunking(size=120, overlap=0))
    assert "".join(each.text for each in without).count("It ends.") == 12


@pytest.mark.long("paragraphs of a megabyte")
@pytest.mark.parametrize("part", ["It is so. ", "1. ", "a", "- ", '"A." '])
def test_a_long_paragraph_takes_no_longer_than_it_should(part: str) -> None:
    """These took hours while the length of a passage was counted anew with each sentence."""
    text = part * (2_000_000 // len(part))
    found = chunks([Block(text=text)], Chunking(size=20_000, overlap=10_000))
    assert len(found) > 1


def test_passages_end_at_headings_and_tell_their_place() -> None:
    blocks = [
        Block(text="A.", section="One"),
        Block(text="B.", section="Two"),
        Block(text="C.", page=1),
        Block(text="D.", page=2),
        Block(text="E.", line=4),
        Block(text="F.", line=9),
    ]
    places = [each.where for each in chunks(blocks[:2], Chunking())]
    assert places == ["One", "Two"]
    assert [each.where for each in chunks(blocks[2:4], Chunking())] == ["pages 1-2"]
    assert [each.where for each in chunks(blocks[4:], Chunking())] == ["lines 4-9"]


@pytest.mark.long("data of some size, read and asked in workers")
@given(
    st.lists(st.text(min_size=1, max_size=400).filter(lambda text: text.strip()), max_size=8),
    st.integers(100, 300),
    st.integers(0, 50),
)
@example(["\u3002" + "0"], 100, 0)
def test_no_character_of_a_text_is_lost(texts: list[str], size: int, overlap: int) -> None:
    blocks = [Block(text=text) for text in texts]
    found = chunks(blocks, Chunking(size=size, overlap=overlap))
    assert all(0 < len(each.text) <= size for each in found)
    kept = "".join("".join(each.text for each in found).split())
    if overlap == 0:
        assert kept == "".join("".join(texts).split())
    for text in texts:
        for word in text.split():
            if len(word) < 40:
                assert any(word in each.text for each in found)


def _zip(members: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return out.getvalue()


def _rewritten(document: bytes, change: object) -> bytes:
    assert callable(change)
    with zipfile.ZipFile(io.BytesIO(document)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    members["word/document.xml"] = change(members["word/document.xml"])
    return _zip(members)
