"""An OpenAPI 3.0 or 3.1 document: read within limits, its references resolved inside of it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Final
from urllib.parse import urljoin

from flows.config.limits import ConfigLimits
from flows.config.read import read_text, read_yaml, shown
from flows.core.destination import origin_of
from flows.errors import ConfigError, Place
from flows.tools.sources.references import SchemaReferences

_LIMITS: Final = ConfigLimits(
    bytes=32 * 1024 * 1024, depth=100, aliases=1_000, nodes=2_000_000, text=1
)
METHODS: Final = ("get", "put", "post", "delete", "options", "head", "patch", "trace")


@dataclass(frozen=True)
class OpenAPIDocument:
    """The document as plain data. `file` is where it was read from."""

    file: Path
    values: Mapping[str, Any]

    def error(self, problem: str, path: str = "") -> ConfigError:
        """An error that names the file, and where in it."""
        return ConfigError(problem, place=Place(shown(self.file)), path=path)

    @property
    def base_url(self) -> str:
        """The address of its first server, "" if that is missing or relative."""
        servers = self.values.get("servers")
        return server_url(servers[0]) if isinstance(servers, list) and servers else ""

    @property
    def references(self) -> SchemaReferences:
        return SchemaReferences(self.values)

    def resolve(self, value: Any) -> Mapping[str, Any]:
        """The object that a value is, or refers to; an empty one where it leads nowhere."""
        return self.references.resolve(value)

    def operations(self) -> Iterator[tuple[str, str, Mapping[str, Any], Mapping[str, Any]]]:
        """Each operation: path, method, the operation itself, and the item of its path."""
        paths = self.values.get("paths")
        for path, item in paths.items() if isinstance(paths, Mapping) else ():
            resolved = self.resolve(item)
            for method in METHODS:
                if isinstance(operation := resolved.get(method), Mapping):
                    yield str(path), method, operation, resolved


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
    text = read_text(file, _LIMITS)
    place = Place(shown(file))
    if text.lstrip()[:1] == "{":
        try:
            values = json.loads(text)
        except json.JSONDecodeError as error:
            at = Place(shown(file), error.lineno, error.colno)
            raise ConfigError(f"not valid JSON: {error.msg}", place=at) from error
        except RecursionError as error:
            raise ConfigError("the JSON is nested too deep", place=place) from error
    else:
        values = read_yaml(text, file, _LIMITS).values
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
