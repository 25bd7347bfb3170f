"""Files as strangers have them: encodings, delimiters, archives, workbooks, folders, mistakes."""

# ruff: noqa: RUF001 - letters of other alphabets are what is tested

from __future__ import annotations

import bz2
import gzip
import json
import lzma
import zipfile
from datetime import date, timedelta
from pathlib import Path

import duckdb
import pyarrow
import pytest

from flows.data.engines.duckdb_files import DuckDBFiles
from flows.data.engines.head import read_heads
from flows.data.files.source_options import SourceOptions
from flows.data.files.sources import open_any, open_source
from flows.data.profiles.profile import profile_table
from flows.data.tables import Table
from flows.errors import SourceError
from tests.data.workbooks import Value, write_ods, write_xlsx

GERMAN = "name;city\nMüller;München\nGarcía;São Paulo – “quoted” €\nGroß;Köln\n"
CYRILLIC = "имя,город\nИван,Москва\nАнна,Казань\nПётр,Самара\n"
JAPANESE = "なまえ,都市\nたなか,東京\nスズキ,大阪\n"
CHINESE = "姓名,城市\n王伟,北京\n李娜,上海\n"


def read(folder: Path, where: str | SourceOptions) -> list[Table]:
    """The tables of one source, as the worker reads them."""
    scratch = folder / "scratch"
    scratch.mkdir(exist_ok=True)
    files = DuckDBFiles([open_source("s", where, folder)], scratch)
    try:
        return [profile_table(each, files.fetch) for each in files.layouts]
    finally:
        files.close()


def rows_of(folder: Path, where: str | SourceOptions) -> list[tuple[object, ...]]:
    (table,) = read(folder, where)
    return [tuple(each.name for each in table.columns), *table.sample]


def types_of(table: Table) -> list[tuple[str, str]]:
    return [(each.name, each.type) for each in table.columns]


@pytest.mark.parametrize(
    ("text", "codec"),
    [
        (GERMAN, "utf-8"),
        (GERMAN, "utf-8-sig"),
        (GERMAN, "utf-16"),
        (GERMAN, "utf-16-le"),
        (GERMAN, "utf-16-be"),
        (GERMAN, "utf-32"),
        (GERMAN, "cp1252"),
        ("city,n\nMünchen,1\nKöln,2\n", "latin-1"),
        ("miasto,n\nŁódź,1\nKraków,2\nGdańsk,3\n", "cp1250"),
        (CYRILLIC, "cp1251"),
        (CYRILLIC, "koi8-r"),
        ("πόλη,ν\nΑθήνα,1\nΠάτρα,2\n", "cp1253"),
        (JAPANESE, "shift_jis"),
        (JAPANESE, "euc-jp"),
        (CHINESE, "gb18030"),
        ("姓名,城市\n王偉,台北\n林志玲,高雄\n", "big5"),
        ("이름,도시\n김철수,서울\n이영희,부산\n", "cp949"),
        # Signs that stand alone, and no other letter beyond ASCII.
        ("order;paid\na;5,50 €\nb;1.000,00 €\n", "cp1252"),
        ("order,paid\na,£5\nb,£12\n", "cp1252"),
        ("room,heat\na,21 °C\nb,19 °C\n", "cp1252"),
        ("law,n\n§ 5,1\n§ 17,2\n", "cp1252"),
    ],
)
def test_the_encoding_is_found(tmp_path: Path, text: str, codec: str) -> None:
    (tmp_path / "t.csv").write_bytes(text.encode(codec))
    mark = ";" if ";" in text else ","
    lines = [line.split(mark) for line in text.splitlines()]
    found = [[str(cell) for cell in row] for row in rows_of(tmp_path, "t.csv")]
    assert found == lines


def test_a_byte_beyond_ascii_far_down_the_file_is_found(tmp_path: Path) -> None:
    head = "".join(f"{n},city {n}\n" for n in range(60_000))
    (tmp_path / "t.csv").write_bytes(f"n,city\n{head}1,Köln\n".encode("cp1252"))
    (table,) = read(tmp_path, "t.csv")
    assert (table.rows, table.columns[1].maximum) == (60_001, "city 9999")
    assert "cp1252" in table.notes[0]


def test_broken_bytes_are_replaced_and_told(tmp_path: Path) -> None:
    good = "".join(f"Zoë {n},é\n" for n in range(40)).encode()
    (tmp_path / "t.csv").write_bytes(b"a,b\n" + good + b"Zo\xff,x\n")
    (table,) = read(tmp_path, "t.csv")
    assert table.rows == 41
    assert table.columns[0].values[-1] == "Zo\ufffd" or "Zo\ufffd" in table.columns[0].values
    assert any("could not be read" in note for note in table.notes)


def test_nul_characters_are_left_out_and_told(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_bytes(b"a,b\n" + b"1,xy\n" * 50 + b"2,z\x00z\n")
    (table,) = read(tmp_path, "t.csv")
    assert table.columns[1].values == ("xy", "zz")
    assert table.notes == ("1 NUL characters of t.csv were left out",)


@pytest.mark.parametrize(
    "mark", [",", ";", "\t", "|", "^", "~", ":", "||", "::", "|~|", "\x01"], ids=repr
)
def test_the_delimiter_is_found(tmp_path: Path, mark: str) -> None:
    lines = [["name", "n", "city"], ["Ann", "1", "Graz"], ["Bob", "2", "Linz"]]
    (tmp_path / "t.csv").write_text("".join(mark.join(line) + "\n" for line in lines))
    found = [[str(cell) for cell in row] for row in rows_of(tmp_path, "t.csv")]
    assert found == lines


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("a,b\r\n1,x\r\n2,y\r\n", [("a", "b"), (1, "x"), (2, "y")]),
        ('a,b\n1,"x\ny"\n2,"say ""hi"""\n', [("a", "b"), (1, "x\ny"), (2, 'say "hi"')]),
        ("a,b\n1,'x,y'\n2,'z'\n", [("a", "b"), (1, "x,y"), (2, "z")]),
        ("word\nx\ny\n", [("word",), ("x",), ("y",)]),
        ("12:30\n12:45\n", [("column0",), ("12:30:00",), ("12:45:00",)]),
        ("a,a,b\n1,2,3\n", [("a", "a_1", "b"), (1, 2, 3)]),
        ("a,b\n1,x", [("a", "b"), (1, "x")]),
        ("a,b\n1,\n,y\n", [("a", "b"), (1, None), (None, "y")]),
        ("a,b\n1,yes\n2,no\n", [("a", "b"), (1, "yes"), (2, "no")]),
        ("a,b\n1,true\n2,false\n", [("a", "b"), (1, True), (2, False)]),
        ("a,b\n1,50%\n2,20%\n", [("a", "b"), (1, "50%"), (2, "20%")]),
        ("a,b\n1,$5\n2,$7\n", [("a", "b"), (1, "$5"), (2, "$7")]),
    ],
)
def test_a_csv_as_it_is(tmp_path: Path, text: str, rows: list[tuple[object, ...]]) -> None:
    (tmp_path / "t.csv").write_text(text, newline="")
    assert rows_of(tmp_path, "t.csv") == rows


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("a;b\nx;1.234,56\ny;2,5\n", [1234.56, 2.5]),
        ("a;b\nx;0,125\ny;NA\n", [0.125, None]),
        ('a,b\nx,"1,234"\ny,"12,345"\n', ["1,234", "12,345"]),
        ('a,b\nx,"1,234,567"\ny,"12,345"\n', [1234567, 12345]),
        ('a,b\nx,"1,234.50"\ny,17\n', [1234.5, 17.0]),
        ("a;b\nx;1,234\ny;2,500\n", ["1,234", "2,500"]),
        ("a;b\nx;1.2.3\ny;2.3.4\n", ["1.2.3", "2.3.4"]),
        ("a;b\nx;01,5\ny;02,5\n", [1.5, 2.5]),
    ],
)
def test_numbers_are_read_only_when_they_are_sure(
    tmp_path: Path, text: str, values: list[object]
) -> None:
    (tmp_path / "t.csv").write_text(text)
    assert [row[1] for row in rows_of(tmp_path, "t.csv")[1:]] == values


def test_rows_that_are_too_short_have_missing_values_and_a_note(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a,b,c\n1,2,3\n4,5\n6,7,8\n")
    (table,) = read(tmp_path, "t.csv")
    assert table.sample == ((1, 2, 3), (4, 5, None), (6, 7, 8))
    assert "too few values (1 of the first 3)" in table.notes[0]


def test_rows_that_are_too_long_are_refused(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a,b,c\n1,2,3\n4,5,6,7\n6,7,8\n")
    with pytest.raises(SourceError, match="not all have as many columns"):
        read(tmp_path, "t.csv")


@pytest.mark.long("a file with as many columns as are read")
def test_five_thousand_columns(tmp_path: Path) -> None:
    names = ",".join(f"c{n}" for n in range(5000))
    (tmp_path / "t.csv").write_text(
        f"{names}\n{','.join(['1'] * 5000)}\n{','.join(['2'] * 5000)}\n"
    )
    (table,) = read(tmp_path, "t.csv")
    assert (table.rows, len(table.columns), table.columns[4999].maximum) == (2, 5000, 2)


@pytest.mark.parametrize("ending", ["gz", "bz2", "xz", "zst", "zip"])
def test_packed_files(tmp_path: Path, ending: str) -> None:
    content = "stadt,n\nKöln,1\n".encode("cp1252")
    path = tmp_path / f"t.csv.{ending}"
    if ending == "zip":
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("folder/t.csv", content)
            archive.writestr("__MACOSX/._t.csv", b"x")
    elif ending == "zst":
        with pyarrow.output_stream(str(path), compression="zstd") as stream:
            stream.write(content)
    else:
        packed = {
            "gz": gzip.compress(content),
            "bz2": bz2.compress(content),
            "xz": lzma.compress(content),
        }
        path.write_bytes(packed[ending])
    assert rows_of(tmp_path, path.name) == [("stadt", "n"), ("Köln", 1)]
    (look,) = read_heads(open_source("s", path.name, tmp_path), 5, tmp_path)
    assert look.sample == (("Köln", 1),)


def test_a_zip_of_several_files_is_refused_by_name(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "t.csv.zip", "w") as archive:
        archive.writestr("a.csv", "a\n1\n")
        archive.writestr("b.csv", "a\n1\n")
    with pytest.raises(SourceError, match=r"holds 2 files \(a.csv, b.csv\)"):
        open_source("s", "t.csv.zip", tmp_path)


@pytest.mark.long("packed files that unpack to gigabytes")
@pytest.mark.parametrize("ending", ["zip", "gz"])
def test_a_bomb_is_refused_and_leaves_nothing(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"t.csv.{ending}"
    line = b"0," * 2048 + b"0\n"
    if ending == "gz":
        with gzip.open(path, "wb") as packed:
            for _ in range(90):
                packed.write(line * 800)
    else:
        with (
            zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive,
            archive.open("t.csv", "w") as member,
        ):
            for _ in range(90):
                member.write(line * 800)
    with pytest.raises(SourceError, match="would unpack to more than 256 MB"):
        read(tmp_path, path.name)
    assert [each for each in (tmp_path / "scratch").rglob("*") if each.is_file()] == []


ROWS: list[list[Value]] = [
    ["city", "n", "price", "day", "ok"],
    ["Graz", 1, 2.5, date(2024, 1, 5), True],
    ["Linz", 2, None, date(2024, 2, 5), False],
]
TYPES = [
    ("city", "text"),
    ("n", "integer"),
    ("price", "real"),
    ("day", "date"),
    ("ok", "boolean"),
]


def test_workbooks_of_one_sheet_have_the_name_of_the_source(tmp_path: Path) -> None:
    write_xlsx(tmp_path / "a.xlsx", {"Tabelle1": ROWS, "Empty": []})
    write_ods(tmp_path / "b.ods", {"Sheet": ROWS})
    (tmp_path / "really.csv").write_bytes((tmp_path / "a.xlsx").read_bytes())
    for where in ("a.xlsx", "b.ods", "really.csv"):
        (table,) = read(tmp_path, where)
        assert (table.name, types_of(table)) == ("s", TYPES)
        assert table.sample[0] == ("Graz", 1, 2.5, "2024-01-05", True)


def test_each_sheet_of_several_is_a_table(tmp_path: Path) -> None:
    other: list[list[Value]] = [["k", "k", 2021, 2022], ["x", "y", 1, 2.5]]
    titled: list[list[Value]] = [["Report of June"], [], *ROWS]
    write_xlsx(tmp_path / "a.xlsx", {"My data": titled, "Other": other})
    first, second = read(tmp_path, "a.xlsx")
    assert (first.name, types_of(first)) == ("s_My_data", TYPES)
    assert first.notes == ("sheet 'My data': 1 row(s) above the table were left out",)
    assert (second.name, [name for name, _ in types_of(second)]) == (
        "s_Other",
        ["k", "k_1", "2021", "2022"],
    )
    (only,) = read(tmp_path, SourceOptions(path="a.xlsx", sheet="Other"))
    assert only.name == "s"
    with pytest.raises(SourceError, match="no sheet 'Othr'; did you mean 'Other'"):
        read(tmp_path, SourceOptions(path="a.xlsx", sheet="Othr"))


def test_a_workbook_without_a_header(tmp_path: Path) -> None:
    write_xlsx(tmp_path / "a.xlsx", {"S": [[1, "x"], [2, "y"]]})
    assert rows_of(tmp_path, "a.xlsx") == [("column0", "column1"), (1, "x"), (2, "y")]


@pytest.mark.parametrize(
    "content", [b"PK\x03\x04" + b"x" * 50, b"no workbook", b"\xd0\xcf\x11\xe0"]
)
def test_a_damaged_workbook_is_an_error_with_its_path(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "a.xlsx").write_bytes(content)
    with pytest.raises(SourceError, match=r"a\.xlsx"):
        read(tmp_path, "a.xlsx")


def test_a_folder_is_a_table_for_each_file(tmp_path: Path) -> None:
    folder = tmp_path / "my data"
    (folder / "sub").mkdir(parents=True)
    (folder / "sales 2024.csv").write_text("a,b\n1,x\n")
    (folder / "goods.json").write_text(json.dumps([{"id": 1}]))
    (folder / "goods.csv").write_text("id,n\n1,2\n")
    (folder / "readme.md").write_text("# words")
    (folder / ".hidden.csv").write_text("a\n1\n")
    (folder / "empty.csv").write_text("")
    write_xlsx(folder / "book.xlsx", {"One": ROWS, "Two": ROWS})
    tables = read(tmp_path, "my data")
    assert [each.name for each in tables] == [
        "book_One",
        "book_Two",
        "goods",
        "s_goods",
        "sales_2024",
    ]
    notes = "\n".join(tables[0].notes)
    assert "readme.md was left out" in notes
    assert "sub was left out" in notes
    assert "empty.csv was left out" in notes
    assert ".hidden" not in notes


def test_a_folder_without_tables_says_what_is_in_it(tmp_path: Path) -> None:
    (tmp_path / "words").mkdir()
    (tmp_path / "words" / "a.md").write_text("x")
    with pytest.raises(SourceError, match=r"holds no file that is read \(a.md was left out"):
        open_source("s", "words", tmp_path)


def test_a_pattern_is_one_table_of_all_files(tmp_path: Path) -> None:
    sales = tmp_path / "sales"
    sales.mkdir()
    (sales / "2023.csv").write_text("n,city\n1,Graz\n")
    (sales / "2024.csv").write_bytes("city,n,tax\nKöln,2,0.5\n".encode("cp1252"))
    (sales / "notes.txt").write_text("n\n9\n")
    (table,) = read(tmp_path, "sales/20*.csv")
    assert (table.name, table.rows) == ("s", 2)
    assert set(table.sample) == {(1, "Graz", None), (2, "Köln", 0.5)}
    with pytest.raises(SourceError, match=r"no file is like .*in .* are 2023\.csv"):
        open_source("s", "sales/*.parquet", tmp_path)
    with pytest.raises(SourceError, match="there is no folder"):
        open_source("s", "seles/*.csv", tmp_path)
    (sales / "2025.json").write_text("[]")
    with pytest.raises(SourceError, match="cannot be one table: they are 2 csv and 1 json"):
        open_source("s", "sales/20*", tmp_path)


def test_settings_go_before_what_is_detected(tmp_path: Path) -> None:
    (tmp_path / "t.txt").write_bytes("Köln-1,5\nGraz-2,5\n".encode("cp850"))
    options = SourceOptions(
        path="t.txt", delimiter="-", encoding="cp850", header=False, decimal=","
    )
    assert rows_of(tmp_path, options) == [("column0", "column1"), ("Köln", 1.5), ("Graz", 2.5)]
    plain = SourceOptions(path="t.csv", quote="")
    (tmp_path / "t.csv").write_text('a,b\n5",x\n6",y\n')
    assert rows_of(tmp_path, plain) == [("a", "b"), ('5"', "x"), ('6"', "y")]


def test_a_setting_that_does_not_exist_is_refused() -> None:
    with pytest.raises(ValueError, match="there is no encoding 'utf8-of-mine'"):
        SourceOptions(path="a.csv", encoding="utf8-of-mine")
    with pytest.raises(ValueError, match="delimeter"):
        SourceOptions.model_validate({"path": "a.csv", "delimeter": ";"})


def test_an_address_of_a_server_is_handed_on(tmp_path: Path) -> None:
    found = open_any("shop", "postgresql://me@localhost/shop", tmp_path)
    assert (found.dialect, found.table) == ("postgres", "shop")


@pytest.mark.parametrize("ending", ["csv", "json", "ndjson", "parquet", "duckdb", "sqlite"])
def test_a_look_at_the_first_rows_says_that_it_is_one(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"t.{ending}"
    with duckdb.connect(str(path) if ending == "duckdb" else ":memory:") as connection:
        rows = "SELECT i AS n, 'word ' || i AS word FROM range(5000) numbers(i)"
        if ending in ("csv", "parquet"):
            connection.execute(f"COPY ({rows}) TO '{path}'")
        elif ending in ("json", "ndjson"):
            array = "true" if ending == "json" else "false"
            connection.execute(f"COPY ({rows}) TO '{path}' (FORMAT json, ARRAY {array})")
        elif ending == "duckdb":
            connection.execute(f"CREATE TABLE t AS {rows}")
        else:
            import sqlite3

            database = sqlite3.connect(path)
            database.execute("CREATE TABLE t (n INTEGER, word TEXT)")
            database.executemany("INSERT INTO t VALUES (?, ?)", connection.execute(rows).fetchall())
            database.commit()
            database.close()
    (table,) = read_heads(open_source("t", path.name, tmp_path), 20, tmp_path)
    assert (table.rows, types_of(table)) == (20, [("n", "integer"), ("word", "text")])
    assert table.sample[:2] == ((0, "word 0"), (1, "word 1"))
    assert table.notes[0] == "a preview: only the first 20 rows were looked at"


@pytest.mark.parametrize("form", ["%d/%m/%y", "%d.%m.%y", "%d-%m-%y"])
def test_days_of_two_figures_are_not_read_with_the_year_first(tmp_path: Path, form: str) -> None:
    days = [date(2023, 1, 1) + timedelta(days=11 * n) for n in range(60)]
    lines = [f"{n};{day.strftime(form)}" for n, day in enumerate(days)]
    (tmp_path / "t.csv").write_text("n;day\n" + "\n".join(lines) + "\n")
    (table,) = read(tmp_path, "t.csv")
    assert [row[1] for row in table.sample[:2]] == [day.strftime(form) for day in days[:2]]


def test_days_with_the_month_first_stay_days(tmp_path: Path) -> None:
    days = [date(2023, 1, 1) + timedelta(days=11 * n) for n in range(60)]
    lines = [f"{n};{day:%m/%d/%y}" for n, day in enumerate(days)]
    (tmp_path / "t.csv").write_text("n;day\n" + "\n".join(lines) + "\n")
    (table,) = read(tmp_path, "t.csv")
    assert (table.columns[1].type, table.columns[1].maximum) == ("date", days[-1].isoformat())
