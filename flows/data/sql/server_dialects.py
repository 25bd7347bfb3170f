"""The SQL of servers, where sqlglot would write what they do not know."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar, Final

from sqlglot import exp
from sqlglot.dialects.dialect import Dialect as SqlglotDialect
from sqlglot.dialects.mysql import MySQL
from sqlglot.dialects.postgres import Postgres
from sqlglot.generator import Generator


def _call(name: str) -> Callable[[Generator, exp.Expr], str]:
    return lambda writer, node: writer.func(name, node.this)


class WrittenPostgres(Postgres):
    class Generator(Postgres.Generator):  # type: ignore[misc, valid-type]
        TRANSFORMS: ClassVar = {**Postgres.Generator.TRANSFORMS, exp.Hex: _call("TO_HEX")}


class WrittenMySQL(MySQL):
    """What MariaDB and MySQL both know."""

    class Generator(MySQL.Generator):  # type: ignore[misc, valid-type]
        TRANSFORMS: ClassVar = {
            **MySQL.Generator.TRANSFORMS,
            exp.RegexpLike: lambda writer, node: writer.binary(node, "REGEXP"),
            exp.Median: _call("MEDIAN"),
            exp.JSONExtractScalar: lambda writer, node: writer.func(
                "JSON_UNQUOTE", exp.JSONExtract(this=node.this, expression=node.expression)
            ),
        }


SERVER_DIALECTS: Final[dict[str, type[SqlglotDialect]]] = {
    "postgres": WrittenPostgres,
    "mysql": WrittenMySQL,
}
