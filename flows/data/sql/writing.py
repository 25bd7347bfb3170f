"""SQL text from a checked tree."""

from __future__ import annotations

from sqlglot import exp
from sqlglot.dialects.dialect import Dialect as SqlglotDialect
from sqlglot.errors import ErrorLevel

from flows.data.tables import Dialect


def write(tree: exp.Expr, dialect: Dialect) -> str:
    """The statement without comments. Errors: sqlglot's, for what the dialect cannot say."""
    return tree.sql(dialect=_target(dialect), comments=False, unsupported_level=ErrorLevel.RAISE)


def _target(dialect: Dialect) -> str | type[SqlglotDialect]:
    if dialect not in ("postgres", "mysql"):
        return dialect
    from flows.data.sql.server_dialects import SERVER_DIALECTS  # two dialects more to import

    return SERVER_DIALECTS[dialect]
