"""Running code: what it prints, computes, makes and writes comes back."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from tests.sandbox.conftest import Bench


@pytest.mark.long("code in sandboxes with heavy libraries")
def test_what_is_printed_comes_back_by_stream(bench: Bench) -> None:
    done = bench.run("import sys\nprint('out')\nprint('err', file=sys.stderr)")
    assert (done.status, done.stdout, done.stderr) == ("ok", "out\n", "err\n")


@pytest.mark.long("code in a sandbox of its own")
def test_what_libraries_in_c_print_comes_back_too(bench: Bench) -> None:
    done = bench.run("import ctypes\nctypes.CDLL(None).puts(b'from C')\nNone")
    assert done.stdout == "from C\n"


@pytest.mark.parametrize(
    ("code", "result"),
    [
        ("1 + 1", "2"),
        ("x = 3\nx * 2", "6"),
        ("'text'", "'text'"),
        ("x = 3", ""),
        ("None", ""),
        ("1 + 1;", ""),
        ("", ""),
        ("for i in range(3):\n    i", ""),
    ],
)
def test_the_last_expression_is_the_result(bench: Bench, code: str, result: str) -> None:
    done = bench.run(code)
    assert (done.status, done.result) == ("ok", result)


def test_variables_are_told_with_type_shape_and_a_short_text(bench: Bench) -> None:
    done = bench.run(
        "import math\nn = 7\na = np.zeros((2, 3))\n_hidden = 1\nwords = ['long'] * 1000"
    )
    told = {each.name: each for each in done.variables}
    assert list(told) == ["n", "a", "words"]
    assert (told["n"].type, told["n"].repr) == ("int", "7")
    assert told["a"].shape == (2, 3)
    assert len(told["words"].repr) < 250


def test_a_repr_that_fails_is_told_and_harms_nothing(bench: Bench) -> None:
    done = bench.run("class Odd:\n    def __repr__(self):\n        raise ValueError\nodd = Odd()")
    told = {each.name: each.repr for each in done.variables}
    assert done.status == "ok"
    assert told["odd"] == "<Odd, whose repr raises ValueError>"


def test_the_tables_that_code_mentions_are_data_frames(bench: Bench, sales: Path) -> None:
    done = bench.run("int(sales['sold'].sum())", tables={"sales": sales})
    assert done.result == "10"
    assert done.tables == ()


def test_the_only_table_is_df_too(bench: Bench, sales: Path) -> None:
    assert bench.run("len(df)", tables={"sales": sales}).result == "3"
    two = bench.run("df", tables={"sales": sales, "more": sales})
    assert two.fault is not None
    assert two.fault.type == "NameError"


def test_all_tables_are_in_tables(bench: Bench, sales: Path) -> None:
    code = "sorted(tables), len(tables['with space'])"
    done = bench.run(code, tables={"sales": sales, "with space": sales})
    assert done.result == "(['sales', 'with space'], 3)"


def test_an_unknown_table_names_those_that_there_are(bench: Bench, sales: Path) -> None:
    done = bench.run("tables['sale']", tables={"sales": sales})
    assert done.fault is not None
    assert "there are: sales" in done.fault.message


def test_code_cannot_change_the_file_of_a_table(bench: Bench, sales: Path) -> None:
    before = sales.read_bytes()
    code = (
        "import os\nfor n in range(3, 60):\n    try:\n        os.truncate(n, 0)\n"
        "    except OSError:\n        pass\n    try:\n        os.write(n, b'x')\n"
        "    except OSError:\n        pass"
    )
    bench.run(code, tables={"sales": sales})
    assert sales.read_bytes() == before


def test_a_data_frame_comes_back_as_a_table(bench: Bench, sales: Path) -> None:
    import pandas as pd

    done = bench.run("by = sales.groupby('town')['sold'].sum()", tables={"sales": sales})
    (table,) = done.tables
    assert (table.name, table.columns, table.types) == ("by", ("town", "sold"), ("text", "integer"))
    assert table.rows == (("Bonn", 3), ("Ulm", 7))
    assert pd.read_parquet(io.BytesIO(table.parquet))["sold"].tolist() == [3, 7]


def test_the_last_expression_comes_back_as_a_table(bench: Bench, sales: Path) -> None:
    (table,) = bench.run("sales[sales.sold > 2]", tables={"sales": sales}).tables
    assert (table.name, table.total_rows, table.columns) == ("result", 2, ("town", "sold"))


def test_a_table_that_was_changed_in_place_comes_back(bench: Bench, sales: Path) -> None:
    done = bench.run("sales['twice'] = sales['sold'] * 2", tables={"sales": sales})
    assert [(each.name, each.columns[-1]) for each in done.tables] == [("sales", "twice")]


def test_an_index_that_says_something_is_a_column(bench: Bench, sales: Path) -> None:
    (table,) = bench.run("sales.describe()", tables={"sales": sales}).tables
    assert table.columns == ("index", "sold")
    assert [row[0] for row in table.rows][:2] == ["count", "mean"]


def test_strange_columns_come_back_as_a_file_can_hold_them(bench: Bench) -> None:
    code = (
        "t = pd.DataFrame([[1, 'a', None, {1}], ['b', 2, float('nan'), 3j]])\n"
        "t.columns = ['x', 'x', ('a', 1), 3]"
    )
    (table,) = bench.run(code).tables
    assert table.columns == ("x", "x_2", "a 1", "3")
    assert table.rows[0][2] is None


def test_only_the_allowed_rows_of_a_table_come_back(bench: Bench) -> None:
    done = bench.run("t = pd.DataFrame({'a': range(6000)})")
    assert done.tables[0].total_rows == 6000
    assert "table t: the first 5,000 of 6,000 rows came back" in done.notes


@pytest.mark.long("code in sandboxes with heavy libraries")
def test_a_fitted_model_comes_back_as_skops(bench: Bench) -> None:
    from skops.io import loads

    done = bench.run(
        "from sklearn.linear_model import LinearRegression\n"
        "m = LinearRegression().fit([[1.0], [2.0]], [2.0, 4.0])\nnew = LinearRegression()"
    )
    assert done.notes == ()
    (model,) = done.models
    assert (model.name, model.kind) == ("m", "skops")
    assert loads(model.content).predict([[3.0]])[0] == pytest.approx(6.0)


def test_files_that_code_writes_come_back(bench: Bench) -> None:
    done = bench.run(
        "import os\nos.mkdir('sub')\nopen('sub/a.csv', 'w').write('x\\n1')\n"
        "open('page.html', 'w').write('<p>')\nopen('.hidden', 'w').write('no')"
    )
    assert [(each.name, each.kind, each.content) for each in done.files] == [
        ("page.html", "html", b"<p>"),
        ("sub/a.csv", "csv", b"x\n1"),
    ]


def test_too_many_and_too_large_files_are_left_out_with_a_note(bench: Bench) -> None:
    done = bench.run(
        "for n in range(9):\n    open(f'{n}.txt', 'w').write('a')\n"
        "open('0.txt', 'wb').write(bytes(5 << 20))"
    )
    assert len(done.files) == 6
    assert any("3 files did not come back" in note and "0.txt" in note for note in done.notes)


def test_executions_know_nothing_of_each_other(bench: Bench) -> None:
    bench.run("import os\nsecret = 1\nopen('left.txt', 'w').write('x')\nos.environ['LEFT'] = '1'")
    done = bench.run("import os\n'secret' in dir(), os.listdir(), os.environ.get('LEFT')")
    assert done.result == "(False, [], None)"


def test_random_numbers_are_the_same_each_time(bench: Bench) -> None:
    code = "import random\nrandom.random(), float(np.random.rand())"
    assert bench.run(code).result == bench.run(code).result


def test_threads_and_event_loops_of_the_code_work(bench: Bench) -> None:
    code = (
        "import asyncio\nfrom concurrent.futures import ThreadPoolExecutor\n"
        "async def two():\n    await asyncio.sleep(0)\n    return 2\n"
        "with ThreadPoolExecutor(2) as pool:\n    one = pool.submit(lambda: 1).result()\n"
        "one, asyncio.run(two())"
    )
    assert bench.run(code).result == "(1, 2)"


def test_too_much_output_is_cut_with_a_note(bench: Bench) -> None:
    done = bench.run("print('ab' * 2_000_000)")
    assert len(done.stdout) == bench.sandbox.config.output_chars
    assert "stdout was cut after 100,000 characters" in done.notes
