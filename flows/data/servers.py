"""Database servers as sources: the parts of their addresses, without their passwords in sight."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from urllib.parse import parse_qsl, unquote, urlsplit

from flows.config.redaction import HIDDEN, remember
from flows.data.tables import Dialect
from flows.errors import SourceError, nearest

_DIALECTS: dict[str, Dialect] = {
    "postgresql": "postgres",
    "postgres": "postgres",
    "mysql": "mysql",
    "mariadb": "mysql",
}
_PORTS: dict[Dialect, int] = {"postgres": 5432, "mysql": 3306}
_OPTIONS: dict[Dialect, tuple[str, ...]] = {
    "postgres": ("schema", "host", "sslmode", "sslrootcert"),
    "mysql": ("schema", "unix_socket", "ssl_ca"),
}
_SCHEME = re.compile(r"^\s*([A-Za-z][A-Za-z0-9+.-]*)://")
_FORM = "SCHEME://USER:PASSWORD@HOST:PORT/DATABASE?schema=NAME"


@dataclass(frozen=True, slots=True)
class ServerSource:
    """A database on a server. Making one reaches nothing.

    `name` is its name in the config, `table` the SQL name that follows from it, `where` its address
    without the password. `schemas` are those that are read: of PostgreSQL all that the user may
    see, when there is none; of MySQL the database. `host` is a folder of a socket when it begins
    with a slash.
    """

    name: str
    table: str
    where: str
    dialect: Dialect
    host: str
    port: int
    user: str
    password: str = field(repr=False)
    database: str
    schemas: tuple[str, ...] = ()
    options: Mapping[str, str] = field(default_factory=dict)


def is_server(where: str) -> bool:
    """Whether the text of a config is the address of a database server."""
    scheme = _SCHEME.match(where)
    return scheme is not None and scheme[1].lower() in _DIALECTS


def shown_address(where: str) -> str:
    """scheme://host:port of a server's address; the scheme alone where it cannot be read."""
    scheme = where.strip().partition("://")[0]
    try:
        parts = urlsplit(where.strip())
        port = parts.port
    except ValueError:
        return f"{scheme}://"
    given = dict(parse_qsl(parts.query))
    host = given.get("host") or given.get("unix_socket") or parts.hostname or ""
    return f"{scheme}://{host}" + (f":{port}" if port else "")


def open_server(name: str, where: str, table: str) -> ServerSource:
    """The parts of a server's address. `table` is the SQL name of the source.

    Raises SourceError for an address that is not of the form, which never says the password.
    """
    scheme = _SCHEME.match(where)
    if scheme is None or scheme[1].lower() not in _DIALECTS:
        raise SourceError(f"source '{name}': this is not the address of a database server")
    dialect = _DIALECTS[scheme[1].lower()]
    try:
        parts = urlsplit(where.strip())
        port = parts.port or _PORTS[dialect]
        given = parse_qsl(parts.query, keep_blank_values=True, strict_parsing=bool(parts.query))
    except ValueError:
        raise SourceError(_malformed(name, scheme[1])) from None
    if parts.fragment or "@" in parts.path or "@" in parts.query:
        raise SourceError(_malformed(name, scheme[1]))
    password = remember(unquote(parts.password or ""))
    options = _checked_options(name, dialect, given)
    host = options.pop("host", "") or options.get("unix_socket", "") or parts.hostname or ""
    database = unquote(parts.path.strip("/"))
    user = unquote(parts.username or "")
    _check_parts(name, host, user, database)
    schemas = tuple(each for each in options.pop("schema", "").split(",") if each)
    return ServerSource(
        name=name,
        table=table,
        where=_shown(scheme[1], user, bool(password), host, parts.port, database),
        dialect=dialect,
        host=host,
        port=port,
        user=user,
        password=password,
        database=database,
        schemas=schemas,
        options=options,
    )


def named_tables(found: Sequence[tuple[str, str]], home: str) -> list[str]:
    """Names for (schema, table): in the schema `home` the table's own, else schema_table.

    A name that is taken, in upper or lower case, gets a number.
    """
    names: list[str] = []
    taken: set[str] = {table.casefold() for schema, table in found if schema == home}
    for schema, table in found:
        name = table if schema == home else f"{schema}_{table}"
        number = 1
        while schema != home and name.casefold() in taken:
            number += 1
            name = f"{schema}_{table}_{number}"
        taken.add(name.casefold())
        names.append(name)
    return names


def without_driver(source: ServerSource, extra: str) -> SourceError:
    return SourceError(
        f"source '{source.name}': reading {source.where} needs a driver that is not installed: "
        f"pip install 'analyst-flows[{extra}]'"
    )


def _checked_options(name: str, dialect: Dialect, given: list[tuple[str, str]]) -> dict[str, str]:
    allowed = _OPTIONS[dialect]
    for key, _ in given:
        if key not in allowed:
            near = nearest(key, allowed)
            meant = f"; did you mean {near}?" if near else ""
            raise SourceError(
                f"source '{name}': the address has the unknown option {key!r}{meant} "
                f"(allowed: {', '.join(allowed)})"
            )
    return dict(given)


def _check_parts(name: str, host: str, user: str, database: str) -> None:
    parts = {"host": host, "user": user, "database": database}
    missing = [part for part, value in parts.items() if not value]
    if missing:
        raise SourceError(
            f"source '{name}': the address names no {' and no '.join(missing)}; form: {_FORM}"
        )
    for part, value in parts.items():
        if any(not each.isprintable() for each in value):
            raise SourceError(f"source '{name}': the {part} holds a character that none has")


def _malformed(name: str, scheme: str) -> str:
    return (
        f"source '{name}': the {scheme}:// address is not of the form {_FORM}; "
        "in a password, write @ as %40, : as %3A, / as %2F, ? as %3F, # as %23 and % as %25"
    )


def _shown(
    scheme: str, user: str, has_password: bool, host: str, port: int | None, database: str
) -> str:
    hidden = f":{HIDDEN}" if has_password else ""
    at = f"{host}:{port}" if port else host
    return f"{scheme}://{user}{hidden}@{at}/{database}"
