"""An OpenAPI 3.0 or 3.1 document: read within limits, with the files beside it that it needs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, Final
from urllib.parse import urljoin

from flows.config.read import read_text, shown
from flows.core.destination import origin_of
from flows.errors import ConfigError, Place
from flows.tools.sources.openapi.files import (
    LIMITS,
    DocumentFiles,
    referenced_files,
    references_in,
    values_of,
)
from flows.tools.sources.references import ROOT, Position, Resolved, SchemaReferences
from flows.tools.text import plain

METHODS: Final = ("get", "put", "post", "delete", "options", "head", "patch", "trace")


@dataclass(frozen=True, slots=True)
class FoundOperation:
    """An operation of a document and the item of its path, each with where it stands."""

    path: str
    method: str
    operation: Resolved
    item: Resolved


@dataclass(frozen=True)
class OpenAPIDocument:
    """The document as plain data. `file` is where it was read from."""

    file: Path
    values: Mapping[str, Any]

    def fault(self, problem: str, at: Position) -> ConfigError:
        """An error that names the file, and where in it by a JSON pointer."""
        name = shown(self.file.parent / at.file if at.file else self.file)
        return ConfigError(problem, place=Place(f"{name}#{plain(at.pointer)}"))

    @property
    def base_url(self) -> str:
        """The address of its first server, "" if that is missing or relative."""
        servers = self.values.get("servers")
        return server_url(servers[0]) if isinstance(servers, list) and servers else ""

    @property
    def references(self) -> SchemaReferences:
        """Its references, with the files beside it as they are now."""
        return SchemaReferences(self.values, DocumentFiles(self.file.parent))

    @property
    def other_files(self) -> tuple[Path, ...]:
        """The files beside it that its references lead into, and those of these files."""
        return referenced_files(self._outward, DocumentFiles(self.file.parent))

    @cached_property
    def _outward(self) -> frozenset[str]:
        return references_in(self.values)

    def count(self) -> int:
        """How many operations it has, by its paths; those behind references are not followed."""
        paths = self.values.get("paths")
        items = paths.values() if isinstance(paths, Mapping) else ()
        return sum(
            1 for item in items if isinstance(item, Mapping) for each in METHODS if each in item
        )

    def operations(self, references: SchemaReferences) -> Iterator[FoundOperation | ConfigError]:
        """Each operation, and what is wrong with a path or an operation that cannot be read."""
        paths, at = self.values.get("paths"), ROOT.below("paths")
        for path, item in paths.items() if isinstance(paths, Mapping) else ():
            resolved = references.resolve(item, at.below(path))
            if resolved.fault:
                yield self.fault(resolved.fault, at.below(path))
            for method in METHODS:
                operation = resolved.values.get(method)
                here = resolved.at.below(method)
                if isinstance(operation, Mapping):
                    yield FoundOperation(str(path), method, Resolved(operation, here), resolved)
                elif operation is not None:
                    yield self.fault("this is no operation, which is an object", here)


def read_document(file: Path) -> OpenAPIDocument:
    """Read an OpenAPI document, JSON or YAML. Errors: `ConfigError` that names what it is else."""
    try:
        stat = file.stat()
    except OSError:
        return _read(file, 0.0, 0)  # which says what is wrong with it
    return _read(file, stat.st_mtime, stat.st_size)


@lru_cache(maxsize=8)
def _read(file: Path, changed: float, size: int) -> OpenAPIDocument:
    del changed, size  # another content is another entry of the cache
    values = values_of(read_text(file, LIMITS), file)
    place = Place(shown(file))
    version = values.get("openapi")
    if "swagger" in values:
        raise ConfigError(
            f"a Swagger {values['swagger']} document; convert it to OpenAPI 3", place=place
        )
    if not isinstance(version, str) or not version.startswith(("3.0", "3.1")):
        raise ConfigError(
            "not an OpenAPI document of a version that is read", place=place, path="openapi",
            allowed=("3.0.x", "3.1.x"),
        )  # fmt: skip
    return OpenAPIDocument(file, values)


def server_url(server: Any) -> str:
    """The address of a server with the defaults of its variables; "" for a relative one."""
    if not isinstance(server, Mapping) or not isinstance(url := server.get("url"), str):
        return ""
    variables = server.get("variables")
    for name, each in variables.items() if isinstance(variables, Mapping) else ():
        default = each.get("default") if isinstance(each, Mapping) else None
        url = url.replace(f"{{{name}}}", str(default or ""))
    return url if url.startswith(("http://", "https://")) else ""


def base_url_of(file: Path, given: str | None) -> str:
    """The address that functions of the document are called at: the person's, else the document's.

    Errors: `ValueError` where neither names one.
    """
    written = read_document(file).values.get("servers")
    found = given or read_document(file).base_url
    if given and not given.startswith(("http://", "https://")):
        raise ValueError(f"{given!r} is no address; it begins with https:// or http://")
    if not found:
        relative = " names a relative address only" if written else " names no server"
        raise ValueError(f"{shown(file)}{relative}: give its address with base_url")
    origin_of(found)
    return urljoin(f"{found.rstrip('/')}/", "")
