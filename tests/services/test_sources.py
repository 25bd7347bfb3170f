"""The data that a person names: what each source is called, and that it arrives as it was typed."""

from __future__ import annotations

from pathlib import Path

import pytest

from flows.build.builder import build
from flows.config.compose import compose
from flows.errors import UsageError
from flows.services.sources import read_sources, source_names, split_name, stem_of


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ("data/sales.csv", "sales"),
        ("sales.2024.csv.gz", "sales"),
        ("My sales-2024.parquet", "My_sales_2024"),
        ("2024.csv", "data_2024"),
        ("logs/*.csv", "logs"),
        ("*.csv", "data"),
        ("postgresql://me:pw@host:5432/shop?sslmode=require", "shop"),
        ("mysql://host/", "host"),
        ("...", "data"),
    ],
)
def test_a_source_without_a_name_gets_that_of_its_file(given: str, name: str) -> None:
    assert stem_of(given) == name
    assert split_name(given) == (None, given)


def test_names_are_never_alike() -> None:
    found = {each.name: each.where for each in read_sources(["a/x.csv", "b/x.csv", "x_2=c.csv"])}
    assert found == {"x": "a/x.csv", "x_3": "b/x.csv", "x_2": "c.csv"}
    taken = source_names(["data.x=d.csv", "+data.y=e.csv", "max_rows=5"])
    assert taken == ["x", "y"]
    assert [each.name for each in read_sources(["x.csv", "y.csv"], taken)] == ["x_2", "y_2"]
    with pytest.raises(UsageError, match="two sources are named"):
        read_sources(["x=a.csv", "x=b.csv"])
    with pytest.raises(UsageError, match="two sources are named"):
        read_sources(["X=a.csv"], taken)


def test_an_error_names_a_source_as_it_was_typed_without_its_password() -> None:
    found = read_sources(["farm.db", "shop=postgresql://me:hunter2@host/shop"])
    assert [each.origin for each in found] == [
        "--data farm.db", "--data shop=postgresql://me:***@host/shop",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "name", ["plain.csv", "it's.csv", "a, b = [c].csv", "${x} {y}.csv", "tail\\", "a\\'b.csv"]
)
def test_any_path_reaches_the_run_as_it_is(tmp_path: Path, name: str) -> None:
    path = tmp_path / (name if name.endswith(".csv") else f"{name}.csv")
    path.write_text("a,b\n1,2\n")
    (tmp_path / "my.yaml").write_text("_target_: describe\nname: Look\n")
    [source] = read_sources([f"d={path}"])
    plan, _ = build(tmp_path / "my.yaml", settings=[source.setting])
    assert plan.spec["data"] == {"d": str(path)}


def test_a_variable_stays_a_name_until_the_source_is_opened(tmp_path: Path) -> None:
    (tmp_path / "my.yaml").write_text("_target_: describe\nname: Look\n")
    [source] = read_sources(["d=${env:FARM}"])
    composed = compose(tmp_path / "my.yaml", settings=[source.setting], known=["data"])
    assert composed.origins()[-1][1:] == ("*** (${env:FARM})", source.setting.place)
