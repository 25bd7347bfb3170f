"""References: values of an answer that stand in it as the cells they come from.

Within a text, `{{result-1[0].revenue}}` is the cell of row 0 (rows count from 0) and a column of
the result `result-1`; `last` is the latest result. A column's name stands in double quotes when it
has blanks or signs. Functions work on cells, on a whole column (`result-1.revenue`) or on each
other: `{{share(result-1[0].revenue, sum(result-1.revenue)) | .1%}}`. What follows `|` is a format.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal, get_args

from pydantic import BaseModel, ConfigDict

from flows.data.answers.cell_formats import FORMATS, is_format
from flows.errors import CitationError, nearest

Function = Literal[
    "sum", "mean", "min", "max", "count", "difference", "ratio", "share", "change"
]  # fmt: skip
FUNCTIONS: Final[tuple[Function, ...]] = get_args(Function)
OTHER_NAMES: Final[dict[str, Function]] = {"average": "mean", "avg": "mean", "percent": "share"}
# These take exactly two values; the others any number of values and columns.
PAIRS: Final = frozenset({"difference", "ratio", "share", "change"})
LAST: Final = "last"

_DEPTH: Final = 4
_LONGEST: Final = 2000
_WORD: Final = re.compile(r"[\w-]+")
_TOKEN: Final = re.compile(r'(?P<word>[\w-]+)|"(?P<quoted>(?:[^"]|"")*)"|(?P<sign>[\[\]().,])')
_FORM: Final = re.compile(r"\|([^{}|]{0,20})")
_CODE: Final = re.compile(r"```.*?(?:```|\Z)|`[^`\n]*`", re.DOTALL)


class Reference(BaseModel):
    """A cell. Without a `row` it is the whole column, without a `column` too the rows."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    result: str
    row: int | None = None
    column: str | None = None

    def __str__(self) -> str:
        row = "" if self.row is None else f"[{self.row}]"
        return f"{self.result}{row}" + ("" if self.column is None else f".{quoted(self.column)}")


class CellFunction(BaseModel):
    """A function of cells, of columns, or of what other functions give.

    `difference(a, b)` is a - b, `ratio` and `share` are a / b, `change(a, b)` is (b - a) / |a|.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    function: Function
    of: tuple[Reference | CellFunction, ...]

    def __str__(self) -> str:
        return f"{self.function}({', '.join(map(str, self.of))})"


Value = Reference | CellFunction


@dataclass(frozen=True, slots=True)
class Placed:
    """A reference where it stands in a text, `start`:`end`, with its format. `value` is None where
    a `problem` says why it cannot be read; `in_code` that it stands in code of the text."""

    start: int
    end: int
    value: Value | None
    form: str = ""
    in_code: bool = False
    problem: str = ""


def quoted(column: str) -> str:
    """The name of a column as a reference writes it."""
    if _WORD.fullmatch(column):
        return column
    doubled = column.replace('"', '""')
    return f'"{doubled}"'


def in_text(value: Value, form: str = "") -> str:
    """A reference as it stands in a text."""
    return "{{" + str(value) + (f" | {form}" if form else "") + "}}"


def find_references(text: str) -> Iterator[Placed]:
    """The references of a text from its beginning, those that cannot be read with the problem."""
    code = [match.span() for match in _CODE.finditer(text)] if "{{" in text else []
    position = 0
    while (start := text.find("{{", position)) != -1:
        while code and code[0][1] <= start:
            code.pop(0)
        in_code = bool(code) and code[0][0] <= start
        reader = _Reader(text, start + 2)
        try:
            value = reader.value(_DEPTH)
            form = reader.form()
        except CitationError as error:
            end = _end_of(text, start)
            yield Placed(start, end, None, in_code=in_code, problem=str(error))
        else:
            end = reader.position
            yield Placed(start, end, value, form, in_code)
        position = end


def _end_of(text: str, start: int) -> int:
    """Where a reference that cannot be read ends: at its braces, at least within its line."""
    stop = text.find("\n", start)
    stop = min(len(text) if stop == -1 else stop, start + _LONGEST)
    braces = text.find("}}", start, stop)
    return stop if braces == -1 else braces + 2


class _Reader:
    """Reads one reference from a position of a text. Errors: `CitationError`."""

    def __init__(self, text: str, position: int) -> None:
        self.text = text
        self.position = position
        self.limit = position + _LONGEST

    def value(self, depth: int) -> Value:
        name = self._word("the name of a result or a function")
        if self._peek() == "(":
            return self._function(name, depth)
        row = None
        if self._take("["):
            row = self._row()
            self._need("]")
        column = self._column() if self._take(".") else None
        if row is not None and column is None:
            raise CitationError(f"after {name}[{row}] comes the column, as in {name}[{row}].name")
        return Reference(result=name, row=row, column=column)

    def form(self) -> str:
        """The format behind the value, and the end."""
        self._skip()
        form = ""
        if found := _FORM.match(self.text, self.position):
            form = found[1].strip()
            self.position = found.end()
            if not form or not is_format(form):
                raise CitationError(f"{form!r} is no format (formats: {FORMATS})")
        if not self.text.startswith("}}", self.position):
            raise CitationError(f"expected }}}} and not {self._rest()}")
        self.position += 2
        return form

    def _function(self, name: str, depth: int) -> CellFunction:
        known = OTHER_NAMES.get(name.lower(), name.lower())
        function = next((each for each in FUNCTIONS if each == known), None)
        if function is None:
            meant = nearest(name, (*FUNCTIONS, *OTHER_NAMES))
            hint = f"; did you mean {meant}?" if meant else ""
            raise CitationError(
                f"there is no function {name!r}{hint} (functions: {', '.join(FUNCTIONS)})"
            )
        if not depth:
            raise CitationError(f"functions stand in each other at most {_DEPTH} deep")
        self._need("(")
        of = [self.value(depth - 1)]
        while self._take(","):
            of.append(self.value(depth - 1))
        self._need(")")
        if function in PAIRS and len(of) != 2:
            raise CitationError(f"{function} takes two values, as in {function}(a, b)")
        return CellFunction(function=function, of=tuple(of))

    def _row(self) -> int:
        word = self._word("a row's number")
        if not (word.isascii() and word.isdigit()) or len(word) > 9:
            raise CitationError(f"{word!r} is no row: rows are numbers that count from 0")
        return int(word)

    def _column(self) -> str:
        token = self._token()
        if token is None or (token["word"] is None and token["quoted"] is None):
            raise CitationError(f"expected a column's name and not {self._rest()}")
        self.position = token.end()
        if token["word"] is not None:
            return token["word"]
        return token["quoted"].replace('""', '"')

    def _word(self, wanted: str) -> str:
        token = self._token()
        if token is None or token["word"] is None:
            raise CitationError(f"expected {wanted} and not {self._rest()}")
        self.position = token.end()
        return token["word"]

    def _peek(self) -> str:
        token = self._token()
        return (token["sign"] or "") if token else ""

    def _take(self, sign: str) -> bool:
        if self._peek() != sign:
            return False
        self.position += 1
        return True

    def _need(self, sign: str) -> None:
        if not self._take(sign):
            raise CitationError(f"expected {sign} and not {self._rest()}")

    def _token(self) -> re.Match[str] | None:
        self._skip()
        return _TOKEN.match(self.text, self.position, self.limit)

    def _skip(self) -> None:
        while self.position < min(self.limit, len(self.text)) and self.text[self.position] in " \t":
            self.position += 1

    def _rest(self) -> str:
        rest = self.text[self.position : self.position + 12].partition("\n")[0]
        return repr(rest) if rest else "the end of the line"
