"""Tables that a competition keeps in several files, put together into one."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from flows.data.catalog import Catalog
from flows.data.files.source_options import SourceOptions
from flows.data.tables import plain_name
from flows.errors import SourceError, UsageError
from flows.services.competition_files import CandidateTable

if TYPE_CHECKING:
    import pyarrow


def stacked_parts(parts: Sequence[CandidateTable], name: str, scratch: Path) -> Path:
    """The rows of all parts, one after the other, as a Parquet file. Errors: `UsageError`."""
    import pyarrow
    from pyarrow import parquet

    read = _read([each.source for each in parts], [each.name for each in parts], scratch)
    try:
        whole = pyarrow.concat_tables(read, promote_options="permissive")
    except pyarrow.ArrowException as error:
        names = ", ".join(each.name for each in parts)
        raise UsageError(f"{names} cannot be one table {name}: {error}") from error
    target = scratch / f"{name}.parquet"
    parquet.write_table(whole, target)
    return target


def joined_labels(
    train: str | SourceOptions, labels: CandidateTable, scratch: Path
) -> tuple[Path, list[str]]:
    """Train with the columns of a table of its targets, as a Parquet file; and what may be wrong.

    They are joined by the columns that both have, else side by side. Errors: `UsageError` when the
    rows do not tell which belong together.
    """
    from pyarrow import parquet

    left, right = _read([train, labels.source], ["train", labels.name], scratch)
    own = {plain_name(each): each for each in left.column_names}
    keys = [each for each in right.column_names if plain_name(each) in own]
    added = [each for each in right.column_names if plain_name(each) not in own]
    if not added:
        raise UsageError(f"{labels.name} has no column that train has not: there is no target")
    doubts: list[str] = []
    if keys:
        order, doubts = _matching_rows(left, right, own, keys, labels.name)
        right = right.take(order)
    elif right.num_rows != left.num_rows:
        raise UsageError(
            f"{labels.name} has {right.num_rows:,} rows and train {left.num_rows:,}, and no column "
            "of both tells which belong together"
        )
    for name in added:
        left = left.append_column(name, right.column(name))
    target = scratch / "train_with_targets.parquet"
    parquet.write_table(left, target)
    return target, doubts


def _matching_rows(
    left: pyarrow.Table, right: pyarrow.Table, own: dict[str, str], keys: Sequence[str], name: str
) -> tuple[Any, list[str]]:
    """The row of `right` for each row of `left`, empty where there is none."""
    from pyarrow import array, int64

    rows: dict[tuple[str, ...], int] = {}
    repeated = False
    for at, key in enumerate(_keys(right, keys)):
        repeated = repeated or key in rows
        rows[key] = at
    if repeated:
        raise UsageError(f"{name} has several rows of the same {', '.join(keys)}")
    found = [rows.get(key) for key in _keys(left, [own[plain_name(each)] for each in keys])]
    missing = sum(each is None for each in found)
    if missing == len(found):
        raise UsageError(f"{name} has no {', '.join(keys)} of train: no row gets a target")
    doubts = [f"{missing:,} rows of train have no target in {name}"] if missing else []
    return array(found, type=int64()), doubts


def _keys(table: pyarrow.Table, names: Sequence[str]) -> list[tuple[str, ...]]:
    columns = [[str(each) for each in table.column(name).to_pylist()] for name in names]
    return list(zip(*columns, strict=True))


def _read(
    sources: Sequence[str | SourceOptions], names: Sequence[str], scratch: Path
) -> list[pyarrow.Table]:
    from pyarrow import parquet

    folder = scratch / "parts"
    folder.mkdir(parents=True, exist_ok=True)
    found = []
    try:
        named = {f"part{at}": each for at, each in enumerate(sources)}
        with Catalog(named, Path.cwd()) as catalog:
            for table in catalog.tables():
                path = catalog.export(table.name, folder)
                found.append(parquet.read_table(path))
                path.unlink()
    except SourceError as error:
        raise UsageError(f"{', '.join(names)} cannot be read: {error}") from error
    return found
