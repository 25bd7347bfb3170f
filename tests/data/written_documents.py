"""Documents of every kind, as bytes: a PDF written by hand, the others by their own libraries."""

from __future__ import annotations

import io
import zlib
from collections.abc import Sequence

from docx import Document
from pypdf import PdfReader, PdfWriter


def pdf(*pages: Sequence[str], packed: bytes | None = None) -> bytes:
    """A PDF whose pages are lines of text; `packed` is a deflated stream in place of each."""
    objects: list[bytes] = []
    kids = " ".join(f"{4 + 2 * number} 0 R" for number in range(len(pages)))
    objects.append(b"<< /Type /Catalog /Pages 2 0 R >>")
    objects.append(f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>".encode())
    objects.append(b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>")
    for number, lines in enumerate(pages):
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents {5 + 2 * number} 0 R "
            "/Resources << /Font << /F1 3 0 R >> >> >>".encode()
        )
        content = packed if packed is not None else zlib.compress(_content(lines))
        head = f"<< /Length {len(content)} /Filter /FlateDecode >>\nstream\n".encode()
        objects.append(head + content + b"\nendstream")
    return _file(objects)


def placed_pdf(*pages: Sequence[Sequence[tuple[float, str]]]) -> bytes:
    """A PDF whose pages are lines of texts, each with its place from the left in points."""
    made = [
        " ".join(
            f"BT /F1 10 Tf {left:g} {740 - 16 * number} Td ({text}) Tj ET"
            for number, line in enumerate(lines)
            for left, text in line
        )
        for lines in pages
    ]
    writer = PdfWriter()
    for content in made:
        packed = zlib.compress(content.encode("latin-1"))
        writer.append(PdfReader(io.BytesIO(pdf((), packed=packed))))
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


def encrypted(content: bytes, password: str) -> bytes:
    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(content)))
    writer.encrypt(password, owner_password="owner", algorithm="RC4-128")
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


def docx() -> bytes:
    """Two sections, a list, a table, and a word that was inserted with changes tracked."""
    document = Document()
    document.add_heading("Handbook", 0)
    document.add_paragraph("For all who pack.")
    document.add_heading("Damage", 1)
    paragraph = document.add_paragraph("Broken goods are ")
    paragraph.add_run("written off").bold = True
    paragraph.add_run(" by the shift lead.")
    document.add_paragraph("Take a picture", style="List Bullet")
    table = document.add_table(rows=2, cols=2)
    for at, text in enumerate(("Class", "Limit", "glass", "40 dollars")):
        table.rows[at // 2].cells[at % 2].text = text
    out = io.BytesIO()
    document.save(out)
    return out.getvalue()


def _content(lines: Sequence[str]) -> bytes:
    shown = " T* ".join(f"({line}) Tj" for line in lines)
    return f"BT /F1 12 Tf 14 TL 72 720 Td {shown} ET".encode("latin-1")


def _file(objects: Sequence[bytes]) -> bytes:
    out = bytearray(b"%PDF-1.4\n")
    places = []
    for number, each in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%b\nendobj\n" % (number, each)
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % place for place in places)
    out += b"trailer\n<< /Size %d /Root 1 0 R >>\n" % (len(objects) + 1)
    out += b"startxref\n%d\n%%%%EOF\n" % start
    return bytes(out)
