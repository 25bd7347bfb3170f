"""SQL as a person reads it: broken before its clauses, in colour."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rich.cells import cell_len
from rich.text import Text

from flows.ui.terminal_text import clean

# The kind of a piece of SQL, and the piece.
Token = tuple[str, str]

MAX_CHARS = 4000
_CLAUSES = frozenset(
    {"SELECT", "FROM", "WHERE", "GROUP", "HAVING", "QUALIFY", "WINDOW", "ORDER", "LIMIT", "OFFSET"}
    | {"UNION", "EXCEPT", "INTERSECT", "JOIN", "LEFT", "RIGHT", "INNER", "FULL", "CROSS"}
)
_JOINED = {"JOIN": frozenset({"LEFT", "RIGHT", "INNER", "OUTER", "FULL", "CROSS", "NATURAL"})}
_KEYWORDS = _CLAUSES.union(
    ["ALL", "AND", "ANY", "AS", "ASC", "BETWEEN", "BY", "CASE", "CAST", "COLLATE", "DESC"],
    ["DISTINCT", "ELSE", "END", "ESCAPE", "EXISTS", "FALSE", "FILTER", "FIRST", "FOLLOWING"],
    ["ILIKE", "IN", "INTERVAL", "IS", "LAST", "LATERAL", "LIKE", "NATURAL", "NOT", "NULL"],
    ["NULLS", "ON", "OR", "OUTER", "OVER", "PARTITION", "PRECEDING", "RANGE", "RECURSIVE"],
    ["ROWS", "SIMILAR", "THEN", "TO", "TRUE", "UNBOUNDED", "UNNEST", "USING", "VALUES"],
    ["WHEN", "WITH", "WITHIN"],
)
_TOKENS = re.compile(
    r"""(?P<comment>--[^\n]*|/\*.*?(?:\*/|\Z))
    |(?P<string>'(?:[^']|'')*(?:'|\Z))
    |(?P<name>"(?:[^"]|"")*(?:"|\Z)|`[^`]*(?:`|\Z))
    |(?P<number>(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)
    |(?P<word>\w+)|(?P<blank>\s+)|(?P<sign>.)""",
    re.VERBOSE | re.DOTALL,
)
_STYLES = {"keyword": "bold blue", "string": "green", "number": "cyan", "comment": "dim"}
_INDENT = "  "


def render_sql(sql: str, width: int) -> Text:
    """The query in lines of at most `width` cells where blanks allow it.

    Only blanks between words are turned into line ends, so the text still means what ran. A query
    that already has lines keeps them. Very long ones are cut, and say so.
    """
    shown = clean(sql).strip()
    text = Text(no_wrap=True, overflow="fold")
    for kind, piece in _laid_out(shown[:MAX_CHARS], width):
        text.append(piece, style=_STYLES.get(kind, ""))
    if len(shown) > MAX_CHARS:
        text.append(f"\n… {len(shown) - MAX_CHARS:,} more characters", style="dim")
    return text


def _tokens(sql: str) -> Iterator[Token]:
    """All pieces of a text of any dialect, each with its kind."""
    for found in _TOKENS.finditer(sql):
        kind, piece = str(found.lastgroup), found.group()
        yield "keyword" if kind == "word" and piece.upper() in _KEYWORDS else kind, piece


def _laid_out(sql: str, width: int) -> Iterator[Token]:
    tokens = list(_tokens(sql))
    if "\n" in sql or cell_len(sql) <= width or any(kind == "comment" for kind, _ in tokens):
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


def _word_width(tokens: list[Token], start: int) -> int:
    """The width of what stands between two blanks."""
    width = 0
    for _, piece in tokens[start:]:
        if piece.isspace():
            break
        width += cell_len(piece)
    return width
