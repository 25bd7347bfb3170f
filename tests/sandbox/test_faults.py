"""Errors of code come back with the line of the code, and without a frame of ours."""

from __future__ import annotations

import pytest

from flows.sandbox.validate import validate
from tests.sandbox.conftest import Bench


@pytest.mark.parametrize(
    ("code", "line", "column"),
    [
        ("x = (1", 1, 5),
        ("y = 1\ndef f(:\n    pass", 2, 7),
        ("return 3", 1, 1),
        ("a = 1\n  b = 2", 2, 2),
        ("ok = 1\nx = 'a\0b'", 2, 7),
        ("await x", 1, 1),
    ],
)
def test_validate_says_where_the_syntax_is_wrong(code: str, line: int, column: int) -> None:
    fault = validate(code)
    assert fault is not None
    assert (fault.line, fault.column) == (line, column)


@pytest.mark.parametrize("code", ["", "x = 1", "x is 'a'", "async def f():\n    await f()"])
def test_validate_lets_right_code_pass(code: str) -> None:
    assert validate(code) is None


@pytest.mark.parametrize(
    "code",
    ["-" * 100_000 + "1", "(" * 5_000 + ")" * 5_000, "+".join("1" * 90_000), "x" * 300_000],
    ids=["minus", "brackets", "sum", "long"],
)
def test_validate_survives_code_that_is_made_to_break_it(code: str) -> None:
    assert validate(code) is not None


def test_code_with_wrong_syntax_is_not_run(bench: Bench) -> None:
    done = bench.run("print('first')\nx = (1")
    assert done.status == "error"
    assert done.stdout == ""
    assert done.fault is not None
    assert done.fault.type == "SyntaxError"


def test_an_error_comes_with_the_line_of_the_code(bench: Bench) -> None:
    done = bench.run("def half(x):\n    return 1 / x\n\nprint('before')\nhalf(0)")
    assert (done.status, done.stdout) == ("error", "before\n")
    assert done.fault is not None
    assert (done.fault.type, done.fault.line) == ("ZeroDivisionError", 2)
    assert "    return 1 / x" in done.fault.traceback
    assert "flows" not in done.fault.traceback


def test_an_error_in_a_library_comes_with_the_line_that_called_it(bench: Bench) -> None:
    done = bench.run("t = pd.DataFrame({'a': [1]})\nt['b']")
    assert done.fault is not None
    assert (done.fault.type, done.fault.line) == ("KeyError", 2)
    assert "pandas" in done.fault.traceback
    assert "flows/sandbox" not in done.fault.traceback


def test_variables_made_before_an_error_are_told(bench: Bench) -> None:
    assert [each.name for each in bench.run("a = 1\nb = 1 / 0").variables] == ["a"]


@pytest.mark.parametrize(
    ("code", "kind", "words"),
    [
        ("input('name? ')", "EOFError", "nobody is at the keyboard"),
        ("import sys\nsys.exit(3)", "SystemExit", "the code ended itself"),
        ("raise KeyboardInterrupt", "KeyboardInterrupt", ""),
        ("exec('x = (')", "SyntaxError", "never closed"),
        ("raise type('Odd', (Exception,), {'__str__': lambda s: 1 / 0})", "Odd", "cannot be shown"),
    ],
    ids=["input", "exit", "interrupt", "syntax", "message"],
)
def test_unusual_errors_are_errors_too(bench: Bench, code: str, kind: str, words: str) -> None:
    done = bench.run(code)
    assert done.status == "error"
    assert done.fault is not None
    assert done.fault.type == kind
    assert words in done.fault.message


def test_an_error_in_an_earlier_piece_of_a_session_shows_its_line(bench: Bench) -> None:
    bench.run("def late():\n    return missing", session="faults")
    done = bench.run("x = 1\n\nlate()", session="faults")
    assert done.fault is not None
    assert done.fault.line == 3
    assert "return missing" in done.fault.traceback
