"""Small workbooks, written by hand as Excel and LibreOffice would store them."""

from __future__ import annotations

import struct
import zipfile
from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path
from xml.sax.saxutils import escape

Value = str | int | float | bool | date | None
_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_FIRST_DAY = date(1899, 12, 30)


def write_xlsx(path: Path, sheets: Mapping[str, Sequence[Sequence[Value]]]) -> Path:
    numbers = range(1, len(sheets) + 1)
    named = "".join(
        f'<sheet name="{escape(name)}" sheetId="{at}" r:id="rId{at}"/>'
        for at, name in zip(numbers, sheets, strict=True)
    )
    related = "".join(
        f'<Relationship Id="rId{at}" Type="{_RELATIONS}/worksheet" Target="worksheets/s{at}.xml"/>'
        for at in numbers
    )
    day = '<xf numFmtId="14" applyNumberFormat="1"/>'
    styles = f'<cellXfs count="2"><xf numFmtId="0"/>{day}</cellXfs>'
    with zipfile.ZipFile(path, "w") as book:
        book.writestr(
            "[Content_Types].xml",
            f'<Types xmlns="{_PACKAGE}/content-types">'
            '<Default Extension="xml" ContentType="application/xml"/></Types>',
        )
        book.writestr(
            "_rels/.rels",
            f'<Relationships xmlns="{_PACKAGE}/relationships"><Relationship Id="r" '
            f'Type="{_RELATIONS}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        )
        book.writestr(
            "xl/workbook.xml",
            f'<workbook xmlns="{_MAIN}" xmlns:r="{_RELATIONS}"><sheets>{named}</sheets></workbook>',
        )
        book.writestr(
            "xl/_rels/workbook.xml.rels",
            f'<Relationships xmlns="{_PACKAGE}/relationships">{related}<Relationship Id="st" '
            f'Type="{_RELATIONS}/styles" Target="styles.xml"/></Relationships>',
        )
        book.writestr("xl/styles.xml", f'<styleSheet xmlns="{_MAIN}">{styles}</styleSheet>')
        for at, rows in zip(numbers, sheets.values(), strict=True):
            cells = "".join(f"<row>{''.join(map(_xlsx_cell, row))}</row>" for row in rows)
            book.writestr(
                f"xl/worksheets/s{at}.xml",
                f'<worksheet xmlns="{_MAIN}"><sheetData>{cells}</sheetData></worksheet>',
            )
    return path


def _xlsx_cell(value: Value) -> str:
    if value is None:
        return "<c/>"
    if isinstance(value, bool):
        return f'<c t="b"><v>{int(value)}</v></c>'
    if isinstance(value, date):
        return f'<c s="1"><v>{(value - _FIRST_DAY).days}</v></c>'
    if isinstance(value, str):
        return f'<c t="inlineStr"><is><t>{escape(value)}</t></is></c>'
    return f"<c><v>{value}</v></c>"


def write_ods(path: Path, sheets: Mapping[str, Sequence[Sequence[Value]]]) -> Path:
    office = "urn:oasis:names:tc:opendocument:xmlns:office:1.0"
    table = "urn:oasis:names:tc:opendocument:xmlns:table:1.0"
    text = "urn:oasis:names:tc:opendocument:xmlns:text:1.0"
    body = "".join(
        f'<table:table table:name="{escape(name)}">'
        + "".join(map(_ods_row, rows))
        + "</table:table>"
        for name, rows in sheets.items()
    )
    with zipfile.ZipFile(path, "w") as book:
        book.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        book.writestr(
            "META-INF/manifest.xml",
            "<manifest:manifest xmlns:manifest="
            '"urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"/>',
        )
        book.writestr(
            "content.xml",
            f'<office:document-content xmlns:office="{office}" xmlns:table="{table}" '
            f'xmlns:text="{text}"><office:body><office:spreadsheet>{body}</office:spreadsheet>'
            "</office:body></office:document-content>",
        )
    return path


def _ods_row(row: Sequence[Value]) -> str:
    return f"<table:table-row>{''.join(map(_ods_cell, row))}</table:table-row>"


def _ods_cell(value: Value) -> str:
    if value is None:
        return "<table:table-cell/>"
    if isinstance(value, bool):
        kind = f'office:value-type="boolean" office:boolean-value="{str(value).lower()}"'
    elif isinstance(value, date):
        kind = f'office:value-type="date" office:date-value="{value.isoformat()}"'
    elif isinstance(value, str):
        kind = 'office:value-type="string"'
    else:
        kind = f'office:value-type="float" office:value="{value}"'
    return f"<table:table-cell {kind}><text:p>{escape(str(value))}</text:p></table:table-cell>"


def xls_record(kind: int, content: bytes = b"") -> bytes:
    """A record of the old Excel format (BIFF8)."""
    return struct.pack("<HH", kind, len(content)) + content


def xls_number(row: int, column: int, value: float) -> bytes:
    return xls_record(0x203, struct.pack("<HHHd", row, column, 0, value))


def write_xls(path: Path, sheets: Mapping[str, bytes], *, small: bool = False) -> Path:
    """A workbook of the old Excel format, whose sheets are given as records; a `small` one of less
    than 512 bytes of them is kept in small sectors."""
    start = xls_record(0x809, struct.pack("<HHHHII", 0x600, 5, 0, 0, 0, 0))
    end = xls_record(0xA)
    heads = [struct.pack("<BBBB", 0, 0, len(name), 0) + name.encode() for name in sheets]
    at = len(start) + sum(8 + len(head) for head in heads) + len(end)
    book = start
    for head, cells in zip(heads, sheets.values(), strict=True):
        book += xls_record(0x85, struct.pack("<I", at) + head)
        at += len(start) + len(cells) + len(end)
    book += end + b"".join(start + cells + end for cells in sheets.values())
    path.write_bytes(_compound_file("Workbook", book, small=small))
    return path


def _compound_file(name: str, stream: bytes, *, small: bool) -> bytes:
    """A compound file (OLE) with one stream, in sectors of 512 bytes: those of the stream, of the
    names, of the small sectors, of what follows each sector."""
    length = len(stream) if small else max(4096, len(stream))
    stream = stream.ljust(-(-length // 512) * 512, b"\0")
    data = len(stream) // 512
    tables = -(-(data + 3) // 127)
    end, free = 0xFFFFFFFE, 0xFFFFFFFF
    chain = [*range(1, data), end, end, end, *[0xFFFFFFFD] * tables]
    chain += [free] * (tables * 128 - len(chain))
    small_chain = [*range(1, 8), end, *[free] * 120]
    root = (0, len(stream)) if small else (end, 0)
    entries = [
        struct.pack(
            "<64sHBB3I16sI16sI2I",
            title.encode("utf-16-le"), len(title) * 2 + 2, kind, 1, free, free, child, b"", 0, b"",
            first, size, 0,
        )
        for title, kind, child, first, size in (
            ("Root Entry", 5, 1, *root), (name, 2, free, 0, length),
        )
    ]  # fmt: skip
    header = struct.pack(
        "<8s16sHHHHH6xIIIIIIIII",
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", b"", 0x3E, 3, 0xFFFE, 9, 6, 0, tables, data, 0, 4096,
        data + 1, 1, end, 0,
    )  # fmt: skip
    places = [*range(data + 2, data + 2 + tables)]
    header += struct.pack("<109I", *places, *[free] * (109 - tables))
    names = b"".join(entries).ljust(512, b"\0")
    return header + stream + names + struct.pack(f"<{128 + len(chain)}I", *small_chain, *chain)
