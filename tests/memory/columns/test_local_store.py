"""Columnar stores in a local folder."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from enum import Enum
from pathlib import Path
from typing import Annotated, Any, Literal
from uuid import UUID

import pyarrow as pa
import pytest
from pydantic import Field

from flows.errors import ConfigError, StoreError
from flows.memory.columns.entity import ColumnarEntity, Hint, schema_of
from flows.memory.columns.manifest import commit, read_version
from flows.memory.columns.store import ColumnarStore
from tests.contracts.columnar_store import ColumnarStoreContract, Reading, readings


def local(what: type[ColumnarEntity] | str, folder: Path) -> ColumnarStore:
    return ColumnarStore(what, folder / "stores", profiles=folder / "profiles")


class TestLocalColumnarStore(ColumnarStoreContract):
    def open(self, what: type[ColumnarEntity] | str, tmp_path: Path) -> ColumnarStore:
        return local(what, tmp_path)


class Grade(Enum):
    FIRST = "first choice"
    SECOND = "second choice"


class Everything(ColumnarEntity, store="kinds/everything", partitions=("lot", "grade")):
    """A row with a column of each kind."""

    number: int
    lot: str | None
    grade: Grade
    level: Literal[1, 2, 3] = 2
    good: bool = True
    share: float | None = None
    price: Decimal = Decimal("0")
    day: date = date(2024, 2, 29)
    at: datetime = datetime(2024, 2, 29, 12, 30)
    clock: time = time(6, 15)
    mark: UUID = UUID(int=7)


def test_every_kind_comes_back_as_it_was(tmp_path: Path) -> None:
    zone = timezone(timedelta(hours=2))
    rows = [
        Everything(number=2**62, lot="../../etc/x", grade=Grade.FIRST, share=0.5,
                   price=Decimal("19.123456789"), at=datetime(2024, 1, 1, 1, tzinfo=zone)),
        Everything(number=-1, lot=None, grade=Grade.SECOND, good=False, share=float("nan")),
        Everything(number=0, lot="", grade=Grade.SECOND, level=3),
    ]  # fmt: skip
    with local(Everything, tmp_path) as store:
        assert store.append(rows) == 3
        found = {each.number: each for each in store.records()}  # type: ignore[attr-defined]
        assert found[-1] == rows[1].model_copy(update={"share": None})
        assert found[0] == rows[2]
        utc = datetime(2023, 12, 31, 23, tzinfo=UTC).replace(tzinfo=None)
        assert found[2**62] == rows[0].model_copy(update={"at": utc})
        assert store.part({"lot": None}).load().num_rows == 1
        assert store("how many rows have grade second choice?").table.rows == ((2,),)  # type: ignore[union-attr]
    inside = list(tmp_path.rglob("*.parquet"))
    assert all(each.is_relative_to(tmp_path / "stores/kinds/everything/data") for each in inside)


def class_with(annotation: Any) -> Callable[[], object]:
    def make() -> object:
        return type(
            "Made", (ColumnarEntity,), {"__annotations__": {"value": annotation}}, store="a/b"
        )

    return make


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (class_with(list[int]), r"Made\.value: a column cannot hold list"),
        (class_with(dict[str, int]), "a column cannot hold dict"),
        (class_with(int | str), "a column cannot hold int | str"),
        (class_with(Literal["a", 1]), "all texts or all integers"),
        (class_with(Annotated[bytes, Hint()]), "allowed: bool, int, float"),
    ],
)
def test_a_type_that_no_column_holds_is_refused(make: Callable[[], object], said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        make()


def test_the_keys_of_a_class_name_its_fields() -> None:
    with pytest.raises(ConfigError, match="no column 'yeer'; did you mean 'year'"):

        class Wrong(ColumnarEntity, store="a/b", partitions=("yeer",)):
            year: int

    with pytest.raises(ConfigError, match="'at' is real and cannot be a partition"):

        class Parted(ColumnarEntity, store="a/b", partitions=("at",)):
            at: float

    with pytest.raises(ConfigError, match="must be a date or a timestamp"):

        class Timed(ColumnarEntity, store="a/b", time="at"):
            at: int

    with pytest.raises(ConfigError, match="namespace: String should match pattern"):

        class Named(ColumnarEntity, store="../x/b"):
            at: int

    class Nameless(ColumnarEntity):
        at: int

    with pytest.raises(ConfigError, match="write class Nameless"):
        schema_of(Nameless)


def test_records_that_do_not_fit_are_named(tmp_path: Path) -> None:
    class Count(ColumnarEntity, store="a/count"):
        seen: int

    with local(Count, tmp_path) as store:
        with pytest.raises(StoreError, match="record 2, seen: not integer"):
            store.append([Count(seen=1), Count(seen=2**63)])
        with pytest.raises(StoreError, match="does not keep records of weather/readings"):
            store.append(readings())
        with pytest.raises(StoreError, match="of one class are kept at once"):
            store.append([Count(seen=1), readings()[0]])
        assert read_version(store.files) is None
        store.append([Count(seen=1)])

        class NewCount(ColumnarEntity, store="a/count"):
            seen: int
            where: str

        with pytest.raises(StoreError, match="where is new and required"):
            store.append([NewCount(seen=1, where="here")])

        class Optional(ColumnarEntity, store="a/count"):
            seen: int | None

        store.append([Optional(seen=None)])
        with pytest.raises(StoreError, match="seen is optional and would be required"):
            store.append([Count(seen=1)])


def test_a_table_is_appended_with_its_own_types(tmp_path: Path) -> None:
    with local(Reading, tmp_path) as store:
        store.append(readings())
        days = pa.array([date(2024, 6, 1)] * 2)
        table = pa.table({"id": ["t1", "t2"], "site": pa.array(["hill"] * 2).dictionary_encode(),
                          "taken_on": days, "rain": [1, 2], "wind": [1.5, None]})  # fmt: skip
        assert store.append_table(table) == 2
        assert store.schema.column("rain").kind == "real"
        assert store.schema.column("rain").unit == "mm"
        assert store("average wind").table.rows == ((1.5,),)  # type: ignore[union-attr]
        with pytest.raises(StoreError, match="rain is real and would be text"):
            store.append_table(table.set_column(3, "rain", pa.array(["a lot", "1"])))
        with pytest.raises(StoreError, match="id is required and left out"):
            store.append_table(table.drop_columns(["id"]))


@pytest.mark.long("several processes write at once")
def test_writers_in_several_processes_lose_nothing(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path\n"
        "from tests.contracts.columnar_store import Reading, readings\n"
        "from flows.memory.columns.store import ColumnarStore\n"
        "store = ColumnarStore(Reading, Path(sys.argv[1]))\n"
        "for each in readings(): store.append([each], key=sys.argv[2] + each.id)\n"
    )
    command = [sys.executable, "-c", code, str(tmp_path / "stores")]
    writers = [subprocess.Popen([*command, name]) for name in ("a", "b", "a")]
    assert [each.wait(120) for each in writers] == [0, 0, 0]
    with local(Reading, tmp_path) as store:
        assert len(store) == 18  # what two wrote under the same keys is there once


def test_old_versions_go_and_their_files_with_them(tmp_path: Path) -> None:
    with local(Reading, tmp_path) as store:
        for _ in range(25):
            store.replace(readings()[:4])
        root = tmp_path / "stores/weather/readings"
        assert len(list((root / "versions").iterdir())) == 10
        assert len(list(root.rglob("*.parquet"))) == 10
        assert len(store) == 4


def test_a_version_of_others_names_no_file_outside(tmp_path: Path) -> None:
    with local(Reading, tmp_path) as store:
        store.append(readings())
        [version] = (tmp_path / "stores/weather/readings/versions").iterdir()
        written = json.loads(version.read_text())
        for name in ("/etc/passwd", "data/../../x.parquet", "data/../" + "a" * 32 + ".parquet"):
            written["files"][0]["name"] = name
            version.write_text(json.dumps(written))
            with pytest.raises(StoreError, match="is no version of a store"):
                len(store)


def test_a_change_that_gives_nothing_makes_no_version(tmp_path: Path) -> None:
    with local(Reading, tmp_path) as store:
        store.append(readings())
        before = read_version(store.files)
        assert commit(store.files, lambda _: None) is None
        assert read_version(store.files) == before


def test_hints_become_a_part_of_what_is_read(tmp_path: Path) -> None:
    class Sale(ColumnarEntity, store="shop/sales", key=("number",)):
        """A sale at the counter."""

        number: int
        lane: Annotated[int, Hint(role="category", words=("till",))]
        worth: Annotated[float, Hint(unit="EUR", words=("takings",), additive=True)] = Field(ge=0)

    rows = [Sale(number=i, lane=i % 4, worth=i * 1.5) for i in range(40)]
    with local(Sale, tmp_path) as store:
        store.append(rows)
        truth = sum(each.worth for each in rows if each.lane == 3)
        found = store("total takings of till 3")
        assert found.table is not None
        assert found.table.rows == ((truth,),)
        by_till = store("takings per till").table
        assert by_till is not None
        assert len(by_till.rows) == 4
        assert sum(float(each[1] or 0) for each in by_till.rows) == sum(e.worth for e in rows)
