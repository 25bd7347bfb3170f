"""Text made fit for a screen. What is taken out is tested beside `flows.human.terminal_text`."""

from __future__ import annotations

from flows.ui.terminal_text import as_text, clean, one_line, shorten


def test_newlines_stay_or_become_blanks() -> None:
    assert clean("a\r\n\tb\x1b[1m") == "a\n    b"
    assert clean(" a\r\n\tb\n", keep_newlines=False) == "a b"


def test_one_line_is_cut_with_a_mark() -> None:
    assert one_line("a\nb", 10) == "a b"
    assert one_line("abc def " * 100, 8) == "abc def…"
    assert len(one_line("x" * 10**7, 50)) == 50


def test_a_long_text_says_how_much_is_left() -> None:
    assert shorten("a\nb\nc", chars=100, lines=3) == "a\nb\nc"
    assert shorten("a\nb\nc", chars=100, lines=2) == "a\nb\n… 2 more characters"
    assert shorten("x" * 1_000_000, chars=10, lines=2) == f"{'x' * 10}\n… 999,990 more characters"


def test_values_are_json() -> None:
    assert as_text("a") == "a"
    assert as_text({"a": [1, None, "ü"]}) == '{"a": [1, null, "ü"]}'
    assert as_text(object()).startswith('"<object')
