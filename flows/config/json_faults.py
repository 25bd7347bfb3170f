"""What is wrong with a text that should be JSON: line, column and the fault in words."""

from __future__ import annotations

from json import JSONDecodeError
from typing import Final

_WORDS: Final = {
    "Expecting ',' delimiter": "a comma or a closing bracket is missing before this",
    "Expecting ':' delimiter": "a colon is missing after the name",
    "Unterminated string starting at": "the text that begins here has no closing quote",
    "Invalid control character at": "a line break or control character in a text; write it as \\n",
    "Invalid \\escape": "a backslash that stands for nothing; write two",
    "Extra data": "something stands after the end of the value",
}
_CONSTANTS: Final = {"T": "true", "F": "false", "N": "null"}


def json_fault(error: Exception) -> str:
    """The fault, as in "line 3, column 14: a comma is missing"; another error as it says."""
    if isinstance(error, JSONDecodeError):
        return f"line {error.lineno}, column {error.colno}: {_words(error)}"
    return json_problem(error)


def json_problem(error: Exception) -> str:
    """The fault without its line and column."""
    if isinstance(error, RecursionError):
        return "brackets are nested too deeply"
    if isinstance(error, UnicodeDecodeError):
        return f"byte {error.start + 1}: 0x{error.object[error.start]:02X} is not UTF-8"
    return _words(error) if isinstance(error, JSONDecodeError) else str(error)


def _words(error: JSONDecodeError) -> str:
    found, before = error.doc[error.pos : error.pos + 1], error.doc[: error.pos].rstrip()[-1:]
    if not found:
        return "the text ends too early: a value or a closing bracket is missing"
    if error.msg in ("Expecting value", "Expecting property name enclosed in double quotes"):
        if found in ("'", "\u201c", "\u201d", "\u2018"):
            return 'names and texts stand in straight double quotes (")'
        if before == "," and found in ("}", "]"):
            return f"a comma stands before the closing {found}"
        if found in _CONSTANTS and error.msg == "Expecting value":
            return f"this is no value; JSON writes {_CONSTANTS[found]} in small letters"
        is_name = error.msg != "Expecting value"
        return 'a name in double quotes (") has to stand here' if is_name else "this is no value"
    known = next((text for start, text in _WORDS.items() if error.msg.startswith(start)), None)
    return known or error.msg
