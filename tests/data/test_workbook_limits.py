"""Hostile workbooks are refused in words before they are unpacked."""

from __future__ import annotations

import re
import struct
import zipfile
from pathlib import Path

import pytest

from flows.data.catalog import Catalog
from flows.data.files.workbook_limits import check_workbook
from flows.data.meaning.dictionary_file import read_dictionary
from flows.errors import ConfigError, SourceError
from tests.data.workbooks import write_ods, write_xls, write_xlsx, xls_number, xls_record

_FAR_ROW = '<row r="1048576"><c r="XFD1048576"><v>1</v></c></row>'


def with_part(path: Path, name: str, content: bytes) -> Path:
    """The workbook with another content of one of its parts."""
    with zipfile.ZipFile(path) as book:
        parts = {each.filename: book.read(each) for each in book.infolist()}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as book:
        for each, kept in (parts | {name: content}).items():
            book.writestr(each, kept)
    return path


def xlsx_of(folder: Path, rows: str) -> Path:
    path = write_xlsx(folder / "book.xlsx", {"S": [["a"]]})
    sheet = f'<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">\
<sheetData>{rows}</sheetData></worksheet>'
    return with_part(path, "xl/worksheets/s1.xml", sheet.encode())


def test_a_far_cell_is_refused_with_its_name_by_the_command_of_profiles(tmp_path: Path) -> None:
    path = xlsx_of(tmp_path, f'<row r="1"><c r="A1"><v>1</v></c></row>{_FAR_ROW}')
    assert path.stat().st_size < 2500
    with (
        Catalog({"s": path.name}, tmp_path) as catalog,
        pytest.raises(SourceError, match=r"book\.xlsx has a sheet .* from A1 to XFD1048576"),
    ):
        catalog.tables()


@pytest.mark.parametrize(
    "rows",
    [
        "<row r='1'><c x=\" r='A1'\" r='XFD1048576'><v>1</v></c></row>",
        "<row><c r='&#88;FD1048576'><v>1</v></c></row>",
        '<x:row xmlns:x="http://schemas.openxmlformats.org/spreadsheetml/2006/main">'
        '<x:c r="XFD1048576"><x:v>1</x:v></x:c></x:row>',
        f'<row r="1">{"<c/>" * 16_000}<c><v>1</v></c></row><row r="1048576"><c><v>1</v></c></row>',
    ],
)
def test_a_far_cell_is_found_however_it_is_written(tmp_path: Path, rows: str) -> None:
    with pytest.raises(SourceError, match="at most 20,000,000 are read"):
        check_workbook("s", xlsx_of(tmp_path, rows))


@pytest.mark.long("data of some size, read and asked in workers")
def test_far_cells_without_a_value_are_no_cells(tmp_path: Path) -> None:
    rows = '<row r="1"><c r="A1"><v>7</v></c></row><row r="1048576"><c r="XFD1048576" s="1"/></row>'
    xlsx_of(tmp_path, rows)
    with Catalog({"s": "book.xlsx"}, tmp_path) as catalog:
        [table] = catalog.tables()
    assert (table.rows, [each.name for each in table.columns]) == (1, ["column0"])


@pytest.mark.parametrize(
    "rows",
    [
        '<t:table-row t:number-rows-repeated="1048576"><t:table-cell o:value-type="float" '
        'o:value="1" t:number-columns-repeated="16384"/></t:table-row>',
        '<t:table-row t:number-rows-repeated="1048570"><t:table-cell/></t:table-row><t:table-row>'
        '<t:table-cell t:number-columns-repeated="16000"/><t:table-cell><x:p>a</x:p>'
        "</t:table-cell></t:table-row>",
    ],
)
def test_repeated_cells_of_open_document_are_counted(tmp_path: Path, rows: str) -> None:
    path = write_ods(tmp_path / "book.ods", {"S": [["a"]]})
    with zipfile.ZipFile(path) as book:
        content = book.read("content.xml").decode()
    for short, long in (("t", "table"), ("o", "office"), ("x", "text")):
        rows = re.sub(rf"\b{short}:", f"{long}:", rows)
    content = re.sub("<table:table-row>.*</table:table-row>", rows, content)
    with pytest.raises(SourceError, match="at most 20,000,000 are read"):
        check_workbook("s", with_part(path, "content.xml", content.encode()))


def test_a_far_cell_of_a_binary_workbook_is_found(tmp_path: Path) -> None:
    """Records of BIFF12: a kind, a length, a content."""

    def record(kind: bytes, content: bytes = b"") -> bytes:
        return kind + bytes([len(content)]) + content

    def number(value: int) -> bytes:
        return value.to_bytes(4, "little")

    sheet = (
        record(b"\x81\x01") + record(b"\x91\x01")
        + record(b"\x00", number(0) + b"\x00" * 13) + record(b"\x02", number(0) + b"\x00" * 8)
        + record(b"\x00", number(1_048_575) + b"\x00" * 13)
        + record(b"\x02", number(16_383) + b"\x00" * 8) + record(b"\x92\x01")
    )  # fmt: skip
    with zipfile.ZipFile(tmp_path / "book.xlsb", "w") as book:
        book.writestr("xl/workbook.bin", b"")
        book.writestr("xl/worksheets/sheet1.bin", sheet)
    with pytest.raises(SourceError, match="from A1 to XFD1048576"):
        check_workbook("s", tmp_path / "book.xlsb")


def dimensions(bottom: int, right: int) -> bytes:
    return xls_record(0x200, struct.pack("<IIHHH", 0, bottom, 0, right, 0))


_FAR_CORNER = xls_number(0, 0, 1) + xls_number(65_535, 255, 2)


@pytest.mark.long("a workbook of the largest size")
def test_an_old_workbook_is_read_to_its_last_corner(tmp_path: Path) -> None:
    rows = b"".join(xls_number(row, column, 3) for row in range(2000) for column in range(3))
    write_xls(tmp_path / "book.xls", {"S": dimensions(2000, 3) + rows, "Far": _FAR_CORNER})
    with Catalog({"s": "book.xls"}, tmp_path) as catalog:
        assert [(each.name, each.rows) for each in catalog.tables()] == [
            ("s_S", 2000),
            ("s_Far", 2),
        ]


@pytest.mark.long("a workbook of the largest size")
@pytest.mark.parametrize(
    ("sheets", "said"),
    [
        ({"S": xls_number(0, 0, 1) + xls_number(65_535, 65_535, 2)}, "from A1 to CRXP65536"),
        ({"S": dimensions(2**32 - 1, 65_535) + xls_number(0, 0, 1)}, "from A1 to CRXO4294967295"),
        ({"A": _FAR_CORNER, "B": _FAR_CORNER}, "2 sheets .* 33,554,432 cells, of which 4"),
        ({"S": xls_record(0xBD, struct.pack("<HH12xH", 9, 65_000, 65_001)) + _FAR_CORNER}, "CRDB"),
    ],
)
def test_an_old_workbook_with_far_cells_is_refused(
    tmp_path: Path, sheets: dict[str, bytes], said: str
) -> None:
    write_xls(tmp_path / "book.xls", sheets)
    with (
        Catalog({"s": "book.xls"}, tmp_path) as catalog,
        pytest.raises(SourceError, match=rf"book\.xls has .*{said}.* at most 20,000,000 are read"),
    ):
        catalog.tables()


def test_an_old_workbook_of_few_bytes_is_looked_at_too(tmp_path: Path) -> None:
    """Its records are in small sectors."""
    write_xls(tmp_path / "book.xls", {"S": _FAR_CORNER + xls_number(0, 65_000, 1)}, small=True)
    with pytest.raises(SourceError, match="from A1 to CRDA65536"):
        check_workbook("s", tmp_path / "book.xls")


def test_an_old_workbook_that_is_damaged_is_named(tmp_path: Path) -> None:
    path = write_xls(tmp_path / "book.xls", {"S": xls_number(0, 0, 1)})
    sheet = struct.pack("<HHI", 0x85, 9, 37)
    assert path.read_bytes().count(sheet) == 1
    path.write_bytes(path.read_bytes().replace(sheet, struct.pack("<HHI", 0x85, 9, 1 << 24)))
    with (
        Catalog({"s": "book.xls"}, tmp_path) as catalog,
        pytest.raises(SourceError, match=r"cannot read .*book\.xls: it is damaged"),
    ):
        catalog.tables()


def test_a_dictionary_with_a_far_cell_is_refused(tmp_path: Path) -> None:
    path = xlsx_of(tmp_path, f'<row r="1"><c r="A1"><v>1</v></c></row>{_FAR_ROW}')
    with pytest.raises(ConfigError, match="at most 20,000,000 are read"):
        read_dictionary(path)


@pytest.mark.long("servers and workers in processes of their own")
def test_a_bomb_is_refused_by_what_it_unpacks_to(tmp_path: Path) -> None:
    path = with_part(xlsx_of(tmp_path, ""), "xl/worksheets/s2.xml", b"<a>" + b" " * (80 << 20))
    assert path.stat().st_size < 1 << 17
    with pytest.raises(SourceError, match=r"would unpack to more than 64 MB .* save its sheets"):
        check_workbook("s", path)


@pytest.mark.long("servers and workers in processes of their own")
def test_what_an_archive_says_of_its_size_is_not_believed(tmp_path: Path) -> None:
    path = with_part(xlsx_of(tmp_path, ""), "xl/worksheets/s2.xml", b"<a>" + b" " * (80 << 20))
    told = (3 + (80 << 20)).to_bytes(4, "little")
    content = path.read_bytes()
    assert content.count(told) == 2
    path.write_bytes(content.replace(told, (3).to_bytes(4, "little")))
    with pytest.raises(SourceError, match="would unpack to more than 64 MB"):
        check_workbook("s", path)


def test_one_long_text_in_many_cells_is_refused(tmp_path: Path) -> None:
    cells = "".join(f'<row r="{at}"><c r="A{at}" t="s"><v>0</v></c></row>' for at in range(1, 3001))
    path = xlsx_of(tmp_path, cells)
    text = b"<sst><si><t>" + b"a" * 1_000_000 + b"</t></si></sst>"
    with pytest.raises(SourceError, match=r"text of 1,000,000 characters, and 3,000 cells"):
        check_workbook("s", with_part(path, "xl/sharedStrings.xml", text))
