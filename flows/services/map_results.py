"""What `flows map` writes: a line of JSON, or a row of Parquet, for each row of its inputs."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from pydantic_core import to_jsonable_python

from flows.build.map_rows import ROWS
from flows.core.result import RunResult
from flows.core.values import Values
from flows.records.lookup import find_run
from flows.services.files import check_writable, write_file

if TYPE_CHECKING:
    from pyarrow import Array

# The key of a run's start under which the file is recorded, "" where none was named.
WANTED: Final = "mapped"


def checked_results(path: Path | None) -> Path | None:
    """The file to write. Errors: `UsageError` for one that cannot be."""
    if path is not None:
        check_writable(path, makes_folders=True)
    return path


def wanted_results(runs: Path, run_id: str) -> tuple[list[Values], Path | None] | None:
    """The rows of a recorded map over a file, and the file that was named when it began; None of
    another run. Errors: `JournalError`; `UsageError` for a file that cannot be written any more."""
    recorded = find_run(runs, run_id).rows()
    start = recorded[0].data() if recorded else {}
    if WANTED not in start:
        return None
    return start["inputs"][ROWS], checked_results(Path(start[WANTED]) if start[WANTED] else None)


def write_results(path: Path | None, rows: Sequence[Values], result: RunResult) -> list[Path]:
    """Write a line for each row: its `inputs`, its `outputs` or null, its `error` or null; into a
    Parquet file as columns of these names. The file is there whole or not at all; it is left alone
    by a run that has not come to its end.

    Returns the files that were written. Errors: `UsageError`.
    """
    if path is None or "results" not in result.outputs:
        return []
    errors = {each.index: each.error for each in result.outputs["failures"]}
    lines = [
        {"inputs": row, "outputs": outputs, "error": errors.get(number)}
        for number, (row, outputs) in enumerate(zip(rows, result.outputs["results"], strict=True))
    ]
    if path.suffix.casefold() == ".parquet":
        content = _parquet(lines)
    else:
        texts = [json.dumps(each, ensure_ascii=False, default=str) for each in lines]
        content = ("\n".join(texts) + "\n").encode()
    write_file(path, content, makes_folders=True)
    return [path]


def _parquet(lines: Sequence[Values]) -> bytes:
    """The lines as a Parquet file: `inputs` and `outputs` are structs, `error` is text."""
    import pyarrow
    from pyarrow import parquet

    plain = to_jsonable_python(lines, fallback=str, inf_nan_mode="constants")
    table = pyarrow.table(
        {
            "inputs": _structs([each["inputs"] for each in plain]),
            "outputs": _structs([each["outputs"] for each in plain]),
            "error": pyarrow.array([each["error"] for each in plain], pyarrow.string()),
        }
    )
    file = io.BytesIO()
    parquet.write_table(table, file)
    return file.getvalue()


def _structs(rows: Sequence[Values | None]) -> Array:
    """Mappings as structs that have the keys of all of them; None is null."""
    import pyarrow

    names = list(dict.fromkeys(name for row in rows if row is not None for name in row))
    if not names:  # Parquet has no struct without a field
        return pyarrow.nulls(len(rows), pyarrow.string())
    fields = [_column([None if row is None else row.get(name) for row in rows]) for name in names]
    missing = pyarrow.array([row is None for row in rows])
    return pyarrow.StructArray.from_arrays(fields, names, mask=missing)


def _column(values: list[Any]) -> Array:
    """Values of one key; as JSON where they are of kinds that no column can hold together."""
    import pyarrow

    try:
        found = pyarrow.array(values)
        _check_fields(found.type)
    except (pyarrow.ArrowException, OverflowError):
        texts = [None if each is None else json.dumps(each, ensure_ascii=False) for each in values]
        return pyarrow.array(texts, pyarrow.string())
    return found


def _check_fields(kind: Any) -> None:
    """Errors: `ArrowInvalid` for a struct without a field, at any depth: Parquet has none."""
    import pyarrow

    if pyarrow.types.is_struct(kind) and not kind.num_fields:
        raise pyarrow.ArrowInvalid("a struct without a field")
    for number in range(kind.num_fields):
        _check_fields(kind.field(number).type)
