"""What words mean, and which words are there at all."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flows.core.human import Answer, Question
from flows.human.answers import answer_to, read_answer
from flows.human.terminal_text import plain


@pytest.mark.parametrize(
    "text",
    [
        "q",
        "Q",
        "quit",
        "exit",
        "QUIT",
        " q ",
        "\tq\r\n",
        "\uff51",
        "\uff31\uff55\uff49\uff54",
        "\u3000q\u3000",
        "\u200bq",
    ],
)
def test_q_alone_ends(text: str) -> None:
    assert read_answer(text).kind == "quit"


@pytest.mark.parametrize(
    "text", ["q.", "q q", "quit now", "'q'", "exit now", "q\nq", "no", "", "  "]
)
def test_anything_else_is_text(text: str) -> None:
    answer = read_answer(text)
    assert (answer.kind, answer.text) == ("text", text.strip())


def test_q_leaves_a_question_that_wants_no_text_for_later() -> None:
    number = Question(id="n", text="How many?", answer_schema={"type": "integer"})
    assert answer_to(number, "q") == Answer(kind="nobody")
    assert answer_to(number, "12") == Answer(kind="text", text="12")
    assert answer_to(Question(id="t", text="What?"), "q") == Answer(kind="quit")


def test_the_letters_of_an_answer_stay_as_they_were_typed() -> None:
    assert (
        read_answer(" ½ m² \uff46\uff55\uff4c\uff4c\n你好 ").text
        == "½ m² \uff46\uff55\uff4c\uff4c\n你好"
    )


@pytest.mark.parametrize(
    ("hostile", "shown"),
    [
        ("a\x1b[31mb\x1b[0mc", "abc"),
        ("a\x1b]0;title\x07b", "ab"),
        ("a\x1b]8;;http://evil\x1b\\link\x1b]8;;\x1b\\b", "alinkb"),
        ("a\x9b31mb\x9d0;t\x9cc", "abc"),
        ("a\x1bP1$r\x1b\\b\x1b_x\x1b\\c", "abc"),
        ("a\x1b(Bb\x1bcc\x1b7d\x1bOPe", "abcde"),
        ("never closed \x1b]0;the rest stays", "never closed 0;the rest stays"),
        ("\x1b[2J\x1b[H\x1b[1;1Hx", "x"),
        ("a\u202eb\u2066c\u2069\u061cd", "abcd"),
        ("\ufeffa\x00b\x08c\x7fd\x85e\u2028f", "abcd\ne\nf"),
        ("a\r\nb\rc\td", "a\nb\nc\td"),
        ("x\U000e0041y", "xy"),
        ("half \ud83d", "half \ufffd"),
        ("\x1b\x1b[31m[31mx", "[31mx"),
        ("family 👨‍👩‍👧 and नमस्ते and می‌خواهم", "family 👨‍👩‍👧 and नमस्ते and می‌خواهم"),
    ],
)
def test_nothing_that_commands_a_terminal_is_left(hostile: str, shown: str) -> None:
    assert plain(hostile) == shown


@given(st.text(alphabet=st.sampled_from("\x1b[]0;m\x07\x9b\x9c\\PX^_ab\n\r\u202e\ud800")))
def test_plain_text_holds_no_control_character_and_can_be_encoded(text: str) -> None:
    shown = plain(text)
    assert not set(shown) & set("\x1b\x07\x9b\x9c\r\u202e")
    shown.encode()
    assert plain(shown) == shown
