"""Where YAML that cannot be read is broken, in words, and where it can be read on."""

from __future__ import annotations

import re
from typing import Any, Final

import yaml

from flows.config.pasted import has_odd_space

_TOP_KEY: Final = re.compile(r"[^\W\d][\w.-]*:(?=\s|$)")
TWO_VALUES: Final = "mapping values are not allowed here"
_NO_END: Final = "expected <block end>"
_NO_COLON: Final = "could not find expected ':'"
_BRACKETS: Final = ("while parsing a flow sequence", "while parsing a flow mapping")


def fault_mark(error: yaml.MarkedYAMLError) -> Any:
    """Where the fault is: a key without a colon begins before the line in which it is noticed."""
    if error.problem == _NO_COLON and error.context_mark is not None:
        return error.context_mark
    return error.problem_mark or error.context_mark


def explained(error: yaml.MarkedYAMLError, line: str) -> str:
    """What is wrong, in the words of one who writes the file. `line` is the one that it is in."""
    problem = error.problem or error.context or "not valid YAML"
    mark = error.problem_mark
    if "'\\t'" in problem:
        return "a tab: YAML is indented with spaces"
    if problem == "expected the node content, but found '?'":
        return "not valid YAML: inside [ ] and { } write '???' in quotes"
    if problem == TWO_VALUES:
        return "a `:` that starts a second value in this line; quote the text, or indent the key"
    if mark is not None and line[mark.column - 1 : mark.column + 1] == "${":
        return "not valid YAML: inside [ ] and { } write '${...}' in quotes"
    if problem.startswith(_NO_END) and mark is not None:
        before = line[: mark.column].rstrip()
        if before in ("", "-"):
            return "this line is indented otherwise than those that it belongs to"
        if before.endswith(("'", '"')) or line[mark.column - 1] in "'\"":
            return (
                "text behind a closing quote; write a quote inside of a text twice, or put the "
                "text in quotes of the other kind"
            )
    if error.context in ("while scanning an alias", "while scanning an anchor"):
        return f"not valid YAML: {problem}; quote a text that begins with * or &"
    if 'in "%"' in problem or "'%'" in problem or "'@'" in problem or "'`'" in problem:
        return f"not valid YAML: {problem}; quote the text"
    if error.context in _BRACKETS and error.context_mark is not None:
        place = f"line {error.context_mark.line + 1}"
        return f"not valid YAML: {problem}, in the brackets that are opened in {place}"
    if problem == _NO_COLON and has_odd_space(line):
        return "not valid YAML: a no-break space, where YAML wants a plain one"
    if problem == _NO_COLON:
        return "not valid YAML: a key without a `:` behind it"
    return f"not valid YAML: {problem}"


def next_key(text: str, mark: Any, flow_level: int) -> int | None:
    """The line, from 0, at which the text can be read on after a fault: that of the next key at the
    beginning of a line. None where that may be inside of brackets: that they end before it is shown
    by a line that closes what it opens, or by a key in the very line of the fault, if no bracket at
    the beginning of a line follows."""
    if mark is None:
        return None
    lines = text.splitlines()
    line = lines[mark.line] if mark.line < len(lines) else ""
    begin = mark.line + 1
    if flow_level and not _closes(line):
        before = lines[mark.line - 1].rstrip() if mark.line else ""
        if not _TOP_KEY.match(line) or not before or before.endswith((",", "[", "{")):
            return None
        begin = mark.line
    found = next((at for at in range(begin, len(lines)) if _TOP_KEY.match(lines[at])), None)
    if found is not None and flow_level and any(each[:1] in "]}" for each in lines[found:] if each):
        return None
    return found


def _closes(line: str) -> bool:
    """Whether a line closes as many brackets as it opens, and opens some."""
    opened = sum(map(line.count, "[{"))
    return 0 < opened == sum(map(line.count, "]}"))
