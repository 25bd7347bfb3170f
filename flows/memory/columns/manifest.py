"""The versions of a store: which schema and which files it has, each written once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import PurePosixPath
from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from flows.core.observation import Cell
from flows.errors import StoreError
from flows.memory.columns.files import StoreFiles
from flows.memory.columns.schema import StoreSchema

_FOLDER: Final = "versions"
# Of this many versions the files stay, for those who are just reading an earlier one.
_KEPT: Final = 10
_KEYS_KEPT: Final = 1_000
_TRIES: Final = 50


class StoreFile(BaseModel):
    """A Parquet file of a store: `partition` are the values that all its records have."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: Annotated[str, Field(pattern=r"^data(/[^/\\\x00.]{1,300}){0,9}/[0-9a-f]{32}\.parquet$")]
    rows: Annotated[int, Field(ge=0)]
    bytes: Annotated[int, Field(ge=0)]
    partition: Mapping[str, Cell] = {}


class StoreVersion(BaseModel):
    """What a store holds. `number` counts its changes from 1; `keys` are those of the appends that
    were given one, the last thousand."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    number: int = 0
    store: StoreSchema
    files: tuple[StoreFile, ...] = ()
    keys: tuple[str, ...] = ()

    @property
    def rows(self) -> int:
        return sum(each.rows for each in self.files)


Change = Callable[[StoreVersion | None], StoreVersion | None]


def read_version(files: StoreFiles) -> StoreVersion | None:
    """The latest version; None where there is no store. Errors: `StoreError`."""
    for _ in range(_TRIES):
        names = files.names(_FOLDER)
        if not names:
            return None
        content = files.read(f"{_FOLDER}/{names[-1]}")
        if content is not None:  # else it was removed since, and there is a later one
            return _parsed(files.address, names[-1], content)
    raise StoreError(f"{files.address}: its versions change faster than they can be read")


def commit(files: StoreFiles, change: Change) -> StoreVersion | None:
    """Make the next version by `change`, from the latest; a change that gives None makes none.

    Where another writer has made that version in the meantime, the change is made from it again.
    Returns the new version. Errors: `StoreError`, also of the change.
    """
    for _ in range(_TRIES):
        before = read_version(files)
        made = change(before)
        if made is None:
            return None
        number = 1 if before is None else before.number + 1
        after = made.model_copy(update={"number": number, "keys": made.keys[-_KEYS_KEPT:]})
        if files.create(_name(number), after.model_dump_json().encode()):
            _clear(files, after)
            return after
    raise StoreError(f"{files.address}: other writers change it all the time; try again later")


def _name(number: int) -> str:
    return f"{_FOLDER}/{number:012d}.json"


def _parsed(address: str, name: str, content: bytes) -> StoreVersion:
    try:
        return StoreVersion.model_validate_json(content)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        at = ".".join(map(str, first["loc"]))
        raise StoreError(
            f"{address}/{_FOLDER}/{name} is no version of a store: {at}: {first['msg']}"
        ) from error


def _clear(files: StoreFiles, latest: StoreVersion) -> None:
    """Remove the versions that nobody reads any more, and the files that only they have."""
    numbered = files.names(_FOLDER)
    least = PurePosixPath(_name(max(latest.number - _KEPT + 1, 1))).name
    old = [each for each in numbered if each < least]
    if not old:
        return
    held = {name for each in numbered if each >= least for name in _held(files, each)}
    for each in old:
        for name in _held(files, each) - held:
            files.remove(name)
        files.remove(f"{_FOLDER}/{each}")


def _held(files: StoreFiles, version: str) -> set[str]:
    """The files of a version; none of one that another writer has removed."""
    content = files.read(f"{_FOLDER}/{version}")
    if content is None:
        return set()
    return {each.name for each in _parsed(files.address, version, content).files}
