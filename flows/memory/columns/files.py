"""Where the files of a store are: in a folder of this machine, or below an address of S3."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path, PurePosixPath
from typing import Any, Protocol
from uuid import uuid4

from flows.config.redaction import redact
from flows.errors import StoreError


class StoreFiles(Protocol):
    """Files by their names, which have `/` between folders. A file that was made is never changed.
    Errors: `StoreError`. All methods block."""

    @property
    def address(self) -> str:
        """The folder as people read it."""
        ...

    def read(self, name: str) -> bytes | None:
        """The content of a file; None where there is none."""
        ...

    def create(self, name: str, content: bytes) -> bool:
        """Make a file; False where there is one of that name, which stays as it is."""
        ...

    def names(self, folder: str) -> list[str]:
        """The names of the files of a folder, without the folder's, in their order."""
        ...

    def folders(self, folder: str = "") -> list[str]:
        """The names of the folders of a folder, in their order."""
        ...

    def remove(self, name: str) -> None:
        """Remove a file, if it is there."""
        ...

    def local(self, name: str, size: int) -> Path:
        """The path of a file of this size on this machine. A remote one is fetched once."""
        ...


class LocalFiles:
    """Files of a folder on a local disk. Of several processes that create one file, one does."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder.expanduser().absolute()

    @property
    def address(self) -> str:
        return str(self._folder)

    def read(self, name: str) -> bytes | None:
        try:
            return (self._folder / name).read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise _unusable(self.address, name, error) from error

    def create(self, name: str, content: bytes) -> bool:
        target = self._folder / name
        draft = target.with_name(f".{target.name}.{uuid4().hex}")
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            try:
                with draft.open("xb") as file:
                    file.write(content)
                    file.flush()
                    os.fsync(file.fileno())
                os.link(draft, target)  # fails where the file is there
            finally:
                draft.unlink(missing_ok=True)
            _sync_folder(target.parent)
        except FileExistsError:
            return False
        except OSError as error:
            raise _unusable(self.address, name, error) from error
        return True

    def names(self, folder: str) -> list[str]:
        return [each.name for each in self._entries(folder) if each.is_file()]

    def folders(self, folder: str = "") -> list[str]:
        return [each.name for each in self._entries(folder) if each.is_dir()]

    def _entries(self, folder: str) -> list[Path]:
        try:
            found = sorted((self._folder / folder).iterdir())
        except (FileNotFoundError, NotADirectoryError):
            return []
        except OSError as error:
            raise _unusable(self.address, folder, error) from error
        return [each for each in found if not each.name.startswith(".")]

    def remove(self, name: str) -> None:
        with suppress(FileNotFoundError):
            try:
                (self._folder / name).unlink()
            except PermissionError as error:
                raise _unusable(self.address, name, error) from error

    def local(self, name: str, size: int) -> Path:
        del size
        return self._folder / name


class S3Files:
    """Files below `s3://bucket/folder`, by pyarrow's file system; a copy of each that was read is
    kept in `cache`. The keys are those of the environment (`AWS_ACCESS_KEY_ID` and others).

    S3 cannot refuse what another writer makes at the same moment: a store there has one writer.
    """

    def __init__(self, address: str, cache: Path, endpoint: str = "", region: str = "") -> None:
        self._address = address.rstrip("/")
        self._root = PurePosixPath(self._address.removeprefix("s3://"))
        self._cache = cache.expanduser().absolute()
        self._endpoint, self._region = endpoint, region
        self._made: Any = None

    @property
    def address(self) -> str:
        return self._address

    @property
    def _system(self) -> Any:
        if self._made is None:
            from pyarrow.fs import FileType, S3FileSystem

            scheme, mark, rest = self._endpoint.partition("://")
            given = {"endpoint_override": rest if mark else scheme} if self._endpoint else {}
            if mark:
                given["scheme"] = scheme
            if self._region:
                given["region"] = self._region
            try:
                made = S3FileSystem(connect_timeout=5, request_timeout=30, **given)
                [bucket] = made.get_file_info([self._root.parts[0]])
            except (OSError, ValueError) as error:
                raise _unusable(self.address, "", error) from error
            if bucket.type == FileType.NotFound:
                raise StoreError(f"{self.address}: there is no bucket {bucket.path}")
            self._made = made
        return self._made

    def _path(self, name: str) -> str:
        return str(self._root / name)

    def read(self, name: str) -> bytes | None:
        try:
            with self._system.open_input_stream(self._path(name)) as stream:
                content: bytes = stream.read()
                return content
        except FileNotFoundError:
            return None
        except OSError as error:
            raise _unusable(self.address, name, error) from error

    def create(self, name: str, content: bytes) -> bool:
        try:
            if self._kind(name) == "file":
                return False
            with self._system.open_output_stream(self._path(name)) as stream:
                stream.write(content)
        except OSError as error:
            raise _unusable(self.address, name, error) from error
        return True

    def names(self, folder: str) -> list[str]:
        from pyarrow.fs import FileType

        return self._listed(folder, FileType.File)

    def folders(self, folder: str = "") -> list[str]:
        from pyarrow.fs import FileType

        return self._listed(folder, FileType.Directory)

    def _listed(self, folder: str, kind: Any) -> list[str]:
        from pyarrow.fs import FileSelector

        try:
            select = FileSelector(self._path(folder), allow_not_found=True)
            found = self._system.get_file_info(select)
        except OSError as error:
            raise _unusable(self.address, folder, error) from error
        return sorted(each.base_name for each in found if each.type == kind)

    def remove(self, name: str) -> None:
        try:
            if self._kind(name) == "file":
                self._system.delete_file(self._path(name))
        except OSError as error:
            raise _unusable(self.address, name, error) from error

    def local(self, name: str, size: int) -> Path:
        copy = self._cache / PurePosixPath(name)
        if not copy.is_file() or copy.stat().st_size != size:
            content = self.read(name)
            if content is None:
                raise StoreError(f"{self.address}: the file {name} is gone")
            copy.parent.mkdir(parents=True, exist_ok=True)
            draft = copy.with_name(f".{copy.name}.{uuid4().hex}")
            draft.write_bytes(content)
            draft.replace(copy)
        return copy

    def _kind(self, name: str) -> str:
        from pyarrow.fs import FileType

        [found] = self._system.get_file_info([self._path(name)])
        return "file" if found.type == FileType.File else "none"


def files_of(
    folder: str | Path, inside: str, cache: Path, endpoint: str = "", region: str = ""
) -> StoreFiles:
    """The files in `inside`, below a local folder or an address of S3. Errors: `StoreError`."""
    where = str(folder)
    scheme, mark, rest = where.partition("://")
    if mark and (scheme != "s3" or not rest.strip("/")):
        raise StoreError(f"{redact(where)}: allowed: a folder, or s3://bucket/folder")
    if not mark:
        return LocalFiles(Path(where) / inside)
    address = f"{where.rstrip('/')}/{inside}".rstrip("/")
    return S3Files(address, cache / address.removeprefix("s3://"), endpoint, region)


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _unusable(address: str, name: str, error: Exception) -> StoreError:
    said = getattr(error, "strerror", None) or str(error)
    return StoreError(f"{address}: {name or 'the store'} cannot be used: {said}")
