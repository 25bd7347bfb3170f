"""Columnar stores on S3, against moto's server."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from flows.errors import StoreError
from flows.memory.columns.entity import ColumnarEntity
from flows.memory.columns.store import ColumnarStore
from tests.contracts.columnar_store import ColumnarStoreContract, Reading, readings
from tests.servers.s3 import KEYS, missing_s3, s3_server

pytestmark = [
    pytest.mark.skipif(bool(missing_s3()), reason=missing_s3() or "it is there"),
    pytest.mark.long("a server of S3, which takes seconds to start"),
]


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with s3_server("lake") as address:
        yield address


def remote(
    what: type[ColumnarEntity] | str, folder: Path, server: str, bucket: str = "lake"
) -> ColumnarStore:
    return ColumnarStore(
        what, f"s3://{bucket}/{folder.name}", cache=folder / "cache", endpoint=server,
        region="us-east-1", profiles=folder / "profiles",
    )  # fmt: skip


class TestS3ColumnarStore(ColumnarStoreContract):
    @pytest.fixture(autouse=True)
    def _with_server(self, server: str) -> None:
        self.server = server

    def open(self, what: type[ColumnarEntity] | str, tmp_path: Path) -> ColumnarStore:
        return remote(what, tmp_path, self.server)


def test_what_was_fetched_is_not_fetched_again(tmp_path: Path, server: str) -> None:
    with remote(Reading, tmp_path, server) as store:
        store.append(readings())
        store("total rain")
    copies = {each: each.stat().st_mtime_ns for each in (tmp_path / "cache").rglob("*.parquet")}
    assert len(copies) == 3
    with remote("weather/readings", tmp_path, server) as again:
        assert again("total rain").table.rows == ((33.25,),)  # type: ignore[union-attr]
    assert copies == {each: each.stat().st_mtime_ns for each in copies}


def test_what_cannot_be_reached_is_said_without_the_keys(tmp_path: Path, server: str) -> None:
    with pytest.raises(StoreError, match="there is no bucket swamp") as missing:
        len(remote(Reading, tmp_path, server, "swamp"))
    with pytest.raises(StoreError, match=r"s3://lake/.* cannot be used") as gone:
        len(remote(Reading, tmp_path, "http://127.0.0.1:9"))
    for each in (missing, gone):
        assert KEYS["AWS_SECRET_ACCESS_KEY"] not in str(each.value)
