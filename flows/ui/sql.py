"""SQL as a person reads it: broken before its clauses, in colour."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pygments.lexers.sql import SqlLexer  # type: ignore[import-untyped]  # it ships no types
from pygments.token import Comment, Token  # type: ignore[import-untyped]  # it ships no types
from rich.cells import cell_len
from rich.text import Text

from flows.ui.clean import clean

MAX_CHARS = 4000
_CLAUSES = frozenset(
    {"SELECT", "FROM", "WHERE", "GROUP", "HAVING", "QUALIFY", "WINDOW", "ORDER", "LIMIT", "OFFSET"}
    | {"UNION", "EXCEPT", "INTERSECT", "JOIN", "LEFT", "RIGHT", "INNER", "FULL", "CROSS"}
)
_JOINED = {"JOIN": frozenset({"LEFT", "RIGHT", "INNER", "OUTER", "FULL", "CROSS", "NATURAL"})}
_STYLES: tuple[tuple[Any, str], ...] = (
    (Token.Keyword, "bold blue"),
    (Token.Literal.String, "green"),
    (Token.Literal.Number, "cyan"),
    (Token.Comment, "dim"),
    (Token.Name.Builtin, "bold blue"),
)
_INDENT = "  "


def render_sql(sql: str, width: int) -> Text:
    """The query in lines of at most `width` cells where blanks allow it.

    Only blanks between words are turned into line ends, so the text still means what ran. A query
    that already has lines keeps them. Very long ones are cut, and say so.
    """
    shown = clean(sql).strip()
    text = Text(no_wrap=True, overflow="fold")
    for kind, piece in _laid_out(shown[:MAX_CHARS], width):
        text.append(piece, style=_style(kind))
    if len(shown) > MAX_CHARS:
        text.append(f"\n… {len(shown) - MAX_CHARS:,} more characters", style="dim")
    return text


def _laid_out(sql: str, width: int) -> Iterator[tuple[Any, str]]:
    tokens = list(SqlLexer(stripnl=False, ensurenl=False).get_tokens(sql))
    if "\n" in sql or cell_len(sql) <= width or any(kind in Comment for kind, _ in tokens):
        yield from tokens
        return
    column = depth = 0
    before = ""
    for index, (kind, piece) in enumerate(tokens):
        depth += (piece == "(") - (piece == ")")
        if piece.isspace():
            following = tokens[index + 1][1] if index + 1 < len(tokens) else ""
            if not depth and _opens_clause(following, before):
                yield kind, "\n"
                column = 0
                continue
            if column + 1 + _word_width(tokens, index + 1) > width:
                yield kind, f"\n{_INDENT}"
                column = len(_INDENT)
                continue
        else:
            before = piece.upper()
        yield kind, piece
        column += cell_len(piece)


def _opens_clause(word: str, before: str) -> bool:
    upper = word.upper().partition(" ")[0]
    return upper in _CLAUSES and before not in _JOINED.get(upper, ())


def _word_width(tokens: list[tuple[Any, str]], start: int) -> int:
    """The width of what stands between two blanks."""
    width = 0
    for _, piece in tokens[start:]:
        if piece.isspace():
            break
        width += cell_len(piece)
    return width


def _style(kind: Any) -> str:
    return next((style for parent, style in _STYLES if kind in parent), "")
