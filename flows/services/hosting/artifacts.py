"""The artifacts of a run for its callers: by their names in the record, never by a path."""

from __future__ import annotations

import json
from io import BufferedReader
from pathlib import PurePath
from typing import Final, NamedTuple

from flows.core.artifacts import Artifact, SavedFile, open_file
from flows.core.values import Values
from flows.errors import NotFound
from flows.records.record import RunRecord

MOST_ROWS: Final = 10_000


class OpenArtifact(NamedTuple):
    """A file of an artifact, open to be read, and what it is called."""

    name: str
    saved: SavedFile
    file: BufferedReader


def find_artifact(record: RunRecord, name: str) -> Artifact:
    """The artifact of that name. Errors: `NotFound`."""
    for each in record.artifacts:
        if each.name == name:
            return each
    known = tuple(each.name for each in record.artifacts)
    raise NotFound(f"the run {record.place.run_id} has no artifact {name!r}", allowed=known)


def open_artifact(record: RunRecord, name: str, form: str | None = None) -> OpenArtifact:
    """A file of the artifact: the one of that form (`csv`, `parquet`), or the first.

    Errors: `NotFound`, also when the file is gone.
    """
    artifact = find_artifact(record, name)
    forms = {each.kind: each for each in reversed(artifact.files)}
    if form is not None and form not in forms:
        raise NotFound(f"the artifact {name} has no form {form!r}", allowed=tuple(forms))
    saved = forms[form or artifact.kind]
    try:
        file = open_file(record.place.folder, saved.path)
    except OSError as error:
        raise NotFound(f"the file of the artifact {name} is gone or was replaced") from error
    return OpenArtifact(PurePath(saved.path).name, saved, file)


def table_rows(record: RunRecord, name: str, first: int, last: int) -> Values:
    """The rows of a table from `first` to `last`, counted from 0, both with their columns and
    types. Errors: `NotFound` for what is no table."""
    if find_artifact(record, name).what != "table":
        raise NotFound(f"the artifact {name} is no table, and has no rows")
    opened = open_artifact(record, name, "json")
    with opened.file as file:
        table = json.load(file)
    rows = table["rows"]
    return {
        "name": name,
        "columns": table["columns"],
        "types": table["types"],
        "rows": rows[first : last + 1],
        "first": first,
        "total_rows": len(rows),
        "truncated": table.get("truncated", False),
        "sql": table.get("sql"),
    }
