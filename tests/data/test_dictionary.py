"""What columns mean: from a file of the user's, from a profile, and for results."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from flows.data.catalog import Catalog
from flows.data.description import describe_text
from flows.data.dictionary_catalog import DescribedCatalog
from flows.data.meaning.code_lineage import of_made
from flows.data.meaning.dictionary import DataDictionary, DictionaryEntry
from flows.data.meaning.dictionary_file import read_dictionary
from flows.data.meaning.lineage import of_result
from flows.data.tables import Table
from flows.errors import ConfigError

ORDERS = "id,shop,price,qty\n1,1,2.5,2\n2,1,4.0,1\n3,2,,5\n4,2,2.5,3\n"
SHOPS = "id,region\n1,North\n2,South\n"
TOLD = "column,description,unit\nprice,What one costs,EUR\nqty,How many,\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("shop")
    (made / "orders.csv").write_text(ORDERS)
    (made / "shops.csv").write_text(SHOPS)
    return made


@pytest.fixture(scope="module")
def tables(folder: Path) -> tuple[Table, ...]:
    with Catalog({"orders": "orders.csv", "shops": "shops.csv"}, folder) as catalog:
        return catalog.tables()


def written(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


FORMS = {
    "plain.csv": TOLD,
    "german.csv": "Field Name;Meaning;Units\nprice;What one costs;EUR\n\nqty;How many;\n",
    "tabs.tsv": "Variable\tDefinition\tunit\nPRICE\tWhat one costs\tEUR\nqty\tHow many\t\n",
    "table.csv": "table_name,column_name,column_description,unit\n"
    "orders,price,What one costs,EUR\nORDERS,qty,How many,\n",
    "list.json": '[{"column": "price", "description": "What one costs", "unit": "EUR"},'
    ' {"name": "qty", "definition": "How many"}]',
    "mapping.json": '{"price": {"meaning": "What one costs", "units": "EUR"}, "qty": "How many"}',
    "nested.json": '{"orders": {"price": {"description": "What one costs", "unit": "EUR"},'
    '\t"qty": "How many"}}',
    "mapping.yaml": "price:\n  description: What one costs\n  unit: EUR\nqty: How many\n",
    "models.yml": "version: 2\nmodels:\n  - name: orders\n    columns:\n"
    "      - {name: price, description: What one costs, unit: EUR}\n"
    "      - name: qty\n        description: How many\n",
}


@pytest.mark.parametrize("name", FORMS)
def test_a_dictionary_is_read_in_the_form_that_somebody_has(
    tmp_path: Path, tables: tuple[Table, ...], name: str
) -> None:
    known = read_dictionary(written(tmp_path, name, FORMS[name]))
    assert known.problems(tables) == ()
    orders = known.describe(tables)[0]
    told = {column.name: (column.description, column.unit) for column in orders.columns}
    assert told["price"] == ("What one costs", "EUR")
    assert told["qty"][0] == "How many"
    assert told["shop"][0] == ""


def test_a_workbook_is_read(tmp_path: Path, tables: tuple[Table, ...]) -> None:
    path = workbook(tmp_path / "told.xlsx", [["Column", "Description"], ["price", "Costs"]])
    assert read_dictionary(path).describe(tables)[0].columns[2].description == "Costs"


def workbook(path: Path, rows: list[list[str]]) -> Path:
    """The smallest workbook that programs open, with its texts in place."""
    marks = '<c t="inlineStr"><is><t>', "</t></is></c>"
    texts = ["".join(f"{marks[0]}{cell}{marks[1]}" for cell in row) for row in rows]
    cells = "".join(f"<row>{each}</row>" for each in texts)
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    kinds = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    package = "http://schemas.openxmlformats.org/package/2006"
    relation = f'<Relationships xmlns="{package}/relationships"><Relationship Id="r1" '
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{package}/content-types"><Default Extension="xml" '
        'ContentType="application/xml"/></Types>',
        "_rels/.rels": f'{relation}Type="{kinds}/officeDocument" Target="xl/workbook.xml"/>'
        "</Relationships>",
        "xl/workbook.xml": f'<workbook xmlns="{main}" xmlns:r="{kinds}"><sheets>'
        '<sheet name="told" sheetId="1" r:id="r1"/></sheets></workbook>',
        "xl/_rels/workbook.xml.rels": f'{relation}Type="{kinds}/worksheet" '
        'Target="worksheets/sheet1.xml"/></Relationships>',
        "xl/worksheets/sheet1.xml": f'<worksheet xmlns="{main}"><sheetData>{cells}</sheetData>'
        "</worksheet>",
    }
    with zipfile.ZipFile(path, "w") as book:
        for name, text in parts.items():
            book.writestr(name, f'<?xml version="1.0" encoding="UTF-8"?>{text}')
    return path


def test_what_describes_nothing_is_reported_with_the_nearest_name(
    tmp_path: Path, tables: tuple[Table, ...]
) -> None:
    text = "table,column,meaning\norders,prize,Cost\nshop,region,Where\n,qtty,Many\n,id,Number\n"
    known = read_dictionary(written(tmp_path, "wrong.csv", text))
    first, second, third = known.problems(tables)
    assert first.endswith("wrong.csv:2: the table orders has no column 'prize'; did you mean "
                          "'price'?")  # fmt: skip
    assert ":3: there is no table 'shop'; did you mean 'shops'?" in second
    assert third.endswith(":4: no table has a column 'qtty'; did you mean 'qty'?")


@pytest.mark.parametrize(
    ("name", "text", "place", "said"),
    [
        ("a.csv", "colum,meening\nprice,Cost\n", "a.csv:1:", "did you mean: column"),
        ("a.csv", "column,meaning\nprice,a,b\n", "a.csv:2:", "needs quotes"),
        ("a.csv", 'column,meaning\nprice,"a\n', "a.csv:2:", "cannot be read"),
        ("a.csv", "column,meaning\nx,y\n,z\n", "a.csv:3:", "names no column"),
        ("a.csv", "column,meaning\n", "a.csv:", "no entries"),
        ("a.json", '{"price":\n "a"', "a.json:2:", "not JSON"),
        ("a.yaml", "price: {a\n", "a.yaml:2:", "not valid YAML"),
        ("a.yaml", "- price\n", "a.yaml:1:", "must be a mapping"),
        ("a.yaml", "- {unit: EUR}\n", "a.yaml:1:", "names no column"),
        ("a.pdf", "x", "a.pdf", "name ends in"),
        ("a.xlsx", "no workbook", "a.xlsx", "cannot be read"),
    ],
)
def test_a_wrong_file_is_an_error_with_its_place(
    tmp_path: Path, name: str, text: str, place: str, said: str
) -> None:
    path = written(tmp_path, name, text)
    with pytest.raises(ConfigError, match=said) as error:
        read_dictionary(path)
    assert place in str(error.value)


def test_a_missing_file_is_an_error_with_the_nearest(tmp_path: Path) -> None:
    written(tmp_path, "columns.csv", TOLD)
    with pytest.raises(ConfigError, match=r"did you mean: .*columns\.csv"):
        read_dictionary(tmp_path / "colums.csv")


def test_without_a_file_it_is_built_from_the_profile(tables: tuple[Table, ...]) -> None:
    known = DataDictionary.of_tables(tables)
    price = known.find("orders", "price")
    assert price is not None
    assert price.type == "real"
    assert "from 2.5 to 4.0" in price.description
    found = price.statistics
    assert found is not None
    assert (found.rows, found.missing, found.distinct, found.mean) == (4, 1, 2, 3.0)
    region = known.find("shops", "REGION")
    assert region is not None
    assert "North" in region.description


def test_the_catalog_of_a_run_tells_models_what_the_dictionary_says(folder: Path) -> None:
    told = DataDictionary(
        entries=(
            DictionaryEntry(column="price", description="What one costs", unit="EUR"),
            DictionaryEntry(column="prize", description="x"),
        )
    )
    with DescribedCatalog({"orders": "orders.csv"}, folder, dictionary=told) as catalog:
        text = describe_text(catalog.tables())
        assert "What one costs, in EUR" in text
        assert catalog.tables() is catalog.tables()
        assert any("'prize'" in note for note in catalog.tables()[0].notes)


REVENUE = (
    "WITH r AS (SELECT s.region, SUM(o.price * o.qty) AS revenue FROM orders o "
    "JOIN shops s ON o.shop = s.id GROUP BY s.region) "
    "SELECT region AS area, revenue, revenue / 2 AS half FROM r"
)


def result_of(
    tables: tuple[Table, ...], sql: str, *columns: str, told: str = TOLD, folder: Path
) -> list[DictionaryEntry]:
    path = written(folder, "told.csv", told)
    described = read_dictionary(path).describe(tables)
    types = ["real"] * len(columns)
    return list(of_result(columns, types, sql, "duckdb", described).entries)


def test_a_result_has_entries_for_its_own_columns_alone(
    tmp_path: Path, tables: tuple[Table, ...]
) -> None:
    area, revenue, half = result_of(tables, REVENUE, "area", "revenue", "half", folder=tmp_path)
    assert area.made_from == ("shops.region",)
    assert "North" in area.description
    assert revenue.description == "sum(price * qty) of orders, for each region"
    assert revenue.made_from == ("orders.price", "orders.qty")
    assert half.description == "sum(price * qty) / 2 of orders, for each region"


@pytest.mark.parametrize(
    ("sql", "description", "unit"),
    [
        ("SELECT price FROM orders", "What one costs", "EUR"),
        ("SELECT price AS p FROM orders", "What one costs", "EUR"),
        ("SELECT p FROM (SELECT price AS p FROM orders) x", "What one costs", "EUR"),
        ("SELECT AVG(price) FROM orders", "avg(price) of orders", "EUR"),
        ("SELECT MAX(price) - MIN(price) FROM orders", "max(price) - min(price) of orders", "EUR"),
        ("SELECT price * qty FROM orders", "price * qty of orders", ""),
        ("SELECT COUNT(*) FROM orders", "count(*) of orders", ""),
        ("SELECT o.price + s.id FROM orders o, shops s",
         "orders.price + shops.id of orders, shops", ""),
        ("SELECT price FROM orders UNION ALL SELECT id FROM shops",
         "orders.price and shops.id", ""),
        ("SELECT (SELECT MAX(price) FROM orders) AS top", "SELECT max(price) FROM orders", ""),
        ("SELECT whatever(", "computed by the query", ""),
    ],
)  # fmt: skip
def test_a_column_of_a_result_says_what_it_was_made_of(
    tmp_path: Path, tables: tuple[Table, ...], sql: str, description: str, unit: str
) -> None:
    [entry] = result_of(tables, sql, "x", folder=tmp_path)
    assert entry.description.startswith(description)
    assert entry.unit == unit


@pytest.mark.long("servers and workers in processes of their own")
def test_a_query_that_doubles_itself_ends(tables: tuple[Table, ...]) -> None:
    steps = [f"t{n} AS (SELECT x + x + x AS x FROM t{n - 1})" for n in range(1, 40)]
    sql = f"WITH t0 AS (SELECT price AS x FROM orders), {', '.join(steps)} SELECT x FROM t39"
    [entry] = of_result(["x"], ["real"], sql, "duckdb", tables).entries
    assert len(entry.description) < 300


def test_a_recursive_query_ends(tables: tuple[Table, ...]) -> None:
    sql = "WITH RECURSIVE c AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM c) SELECT n FROM c"
    [entry] = of_result(["n"], ["integer"], sql, "duckdb", tables).entries
    assert entry.made_from == ()


CODE = """
df["revenue"] = df["price"] * df["qty"]
df.loc[df.qty > 2, "price"] = 0
out = df.groupby("shop").agg(total=("revenue", "sum")).rename(columns={"shop": "store"})
"""


def test_a_table_that_code_made_says_how(tables: tuple[Table, ...]) -> None:
    names = ("qty", "price", "revenue", "total", "store", "other")
    made = of_made(names, ["real"] * 6, CODE, tables[:1])
    assert [each.column for each in made.entries] == list(names)
    said = {each.column: each.description for each in made.entries}
    assert said["qty"].startswith("Qty: from 1 to 5")
    assert said["price"] == "made by code: 0"
    assert said["revenue"] == "made by code: df['price'] * df['qty']"
    assert said["total"] == "made by code: sum of revenue"
    assert said["store"] == "made by code: shop under another name"
    assert said["other"] == "made by code"
