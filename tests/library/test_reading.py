"""Replies of language models become one object, or a problem that says what is wrong."""

from __future__ import annotations

import json
import random
import re
import time
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from flows.core.chat import Finish
from flows.library.blocks.reading import ReplyProblem, read_object

SEND = {"command": "send", "command_args": {"to": "a {b}", "n": 2}}
PLAIN = json.dumps(SEND)
INDENTED = json.dumps(SEND, indent=2)


@pytest.mark.parametrize(
    "text",
    [
        PLAIN,
        INDENTED,
        f"\ufeff  \n{PLAIN}\n",
        f"```json\n{INDENTED}\n```",
        f"```\n{PLAIN}\n```",
        f"```JSON\n{PLAIN}```",
        f"Here is my decision:\n\n```json\n{PLAIN}\n```\nTell me if it's wrong!",
        f"I'd say: {PLAIN} That's it.",
        f"{PLAIN}\n\nI hope this helps [1].",
        f"<think>perhaps {{'x'}}, or not</think>\n{PLAIN}",
        f"perhaps {{x}}\n</think>\n\n{PLAIN}",
        f"perhaps {{x}}\n </thinking> {PLAIN}",
        f"<tool_call>\n{PLAIN}\n</tool_call>",
        "{'command': 'send', 'command_args': {'to': 'a {b}', 'n': 2}}",
        '{"command": "send", "command_args": {"to": "a {b}", "n": 2,},}',
        '{command: "send", command_args: {to: "a {b}", n: 2}}',
        "{'command': \"send\", 'command_args': {\"to\": 'a {b}', 'n': 2}}",
    ],
)
def test_forms_of_the_same_object(text: str) -> None:
    assert read_object(text, "stop") == SEND


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("{'a': True, 'b': False, 'c': None}", {"a": True, "b": False, "c": None}),
        ('{"a": true, "b": [1, -2.5, 1e3,], }', {"a": True, "b": [1, -2.5, 1000.0]}),
        ('{"a": "one\ntwo\tthree"}', {"a": "one\ntwo\tthree"}),
        (r"""{'a': 'it\'s "here" \\ \n \u00e9'}""", {"a": 'it\'s "here" \\ \n é'}),
        ("{'a': '# no comment // nor /* this */'}", {"a": "# no comment // nor /* this */"}),
        ('{"a": "{\\"b\\": [}"}', {"a": '{"b": [}'}),
        (r'{"a": "\ud83d\ude00"}', {"a": "😀"}),
        ("{}", {}),
        ("{'a': {}, 'b': [],}", {"a": {}, "b": []}),
    ],
)
def test_values_stay_as_they_are(text: str, value: Any) -> None:
    assert read_object(text, "stop") == value


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "empty"),
        ("   \n", "empty"),
        ("I cannot do that.", "it holds none"),
        ('"send"', "it holds none"),
        ("[]", "it is a list"),
        (f"[{PLAIN}]", "it is a list"),
        (f"```json\n[\n{PLAIN}]\n```", "it is a list"),
        (f"{PLAIN}\n{PLAIN}", "more than one"),
        (f"```json\n{PLAIN}\n```\nor\n```json\n{PLAIN}\n```", "more than one"),
        (f"{PLAIN}}}", "brackets do not match"),
        (f'"x": {PLAIN}, "y": 2', "brackets do not match"),
        (f"'x': 'not {PLAIN} but'", "brackets do not match"),
        (f"{PLAIN} and 'y': 2", "brackets do not match"),
        (f"'x': 'a </think> {PLAIN} b', 'y': 2", "brackets do not match"),
        (f'"command_args": {{"to": "b"}}, {PLAIN[1:]}', "more than one"),
        (PLAIN[:-1], "not whole"),
        (PLAIN[:-15], "has no end"),
        (PLAIN[:12], "the text ends inside it"),
        ("```json\n" + INDENTED[:40], "not one whole JSON object"),
        ('{"a": 1 "b": 2}', "line 1, column 9: a comma or } was expected, not '\"b\": 2}'"),
        ('{"a": 1,\n "b" 2}', "line 2, column 6: a colon after the key was expected"),
        ('{"a": "say "hi" now"}', "a comma or } was expected, not 'hi\" now\"}'"),
        ('{"a": yes}', "a value was expected, not 'yes}'"),
        ('{"a": 1, // so\n "b": 2}', "a key was expected, not '// so'"),
        ('{"a": 1, /* so */ "b": 2}', "a key was expected"),
        ('{"a": 1,\n #"b": 2\n}', "line 2, column 2: a key was expected"),
        ("{'a': it's}", "a value was expected"),
        (r'{"a": "\d"}', "an escape that is none"),
        ('{"a": 1, "a": 2}', "the key 'a' stands in the object twice"),
        ("{'a': {'b': 1, 'b': 1}}", "the key 'b' stands in the object twice"),
        ('{"a": NaN}', "NaN"),
        ('{"a": -Infinity}', "-Infinity"),
        ("{'a': Infinity}", "a value was expected"),
        ('{"a": 1e999}', "too large"),
        ("{'a': 1e999}", "too large"),
        ('{"a": ' + "9" * 6000 + "}", "too large"),
        (r'{"a": "\ud83d"}', "surrogate"),
        (r"{'\udc00': 1}", "surrogate"),
        ("<think>I wonder {'command': 'send'}", "thinking"),
        ('{"a": ' * 25 + "1" + "}" * 25, "nested more than 20 deep"),
        ("{'a': " * 25 + "1" + "}" * 25, "nested more than 20 deep"),
        ('{"a": ' * 100_000, "nested more than 20 deep"),
        ('{"a": ' + "[" * 100_000 + "]" * 100_000 + "}", "nested more than 20 deep"),
    ],
)
def test_what_is_refused_is_told(text: str, said: str) -> None:
    with pytest.raises(ReplyProblem) as caught:
        read_object(text, "stop")
    assert said in str(caught.value)
    assert len(str(caught.value)) < 250


@pytest.mark.parametrize(
    ("finish", "said"), [("length", "cut at its length limit"), ("content_filter", "filter")]
)
def test_a_reply_that_did_not_end_by_itself_is_never_read(finish: Finish, said: str) -> None:
    with pytest.raises(ReplyProblem, match=said):
        read_object(PLAIN, finish)


def test_nesting_up_to_the_limit_is_read_alike_by_both_layers() -> None:
    for depth in range(1, 30):
        answers = []
        for quote in "\"'":
            text = f"{{{quote}a{quote}: " * depth + "1" + "}" * depth
            try:
                read_object(text, "stop")
            except ReplyProblem:
                answers.append("refused")
            else:
                answers.append("read")
        assert answers[0] == answers[1]
        assert answers[0] == ("read" if depth <= 20 else "refused")


@pytest.mark.long("whole runs of a flow")
@pytest.mark.parametrize("form", ["strict", "relaxed", "keys", "quotes", "strings", "blanks"])
def test_a_huge_reply_is_read_or_refused_in_no_time(form: str) -> None:
    text = {
        "strict": json.dumps({"a": "x{}'" * 250_000}),
        "relaxed": "{'a': '" + 'it said "x" ' * 80_000 + "',}",
        "keys": "{" + ", ".join(f"'k{n}': {n}" for n in range(60_000)) + ", 'k59999': 0}",
        "quotes": "{" + "' " * 500_000 + "}",
        "strings": "{'a': [" + "'x'," * 200_000,
        "blanks": "{" + " \n" * 500_000 + "#" * 1000,
    }[form]
    started = time.process_time()
    if form in ("strict", "relaxed"):
        assert len(read_object(text, "stop")["a"]) > 900_000
    else:
        with pytest.raises(ReplyProblem):
            read_object(text, "stop")
    assert time.process_time() - started < 5


JSON_LIKE = st.text(st.sampled_from("{}[]:,\"'\\/#*ntu01.-eE aTFN\n`"), max_size=60)


@pytest.mark.long("whole runs of a flow")
@given(st.one_of(st.text(max_size=200), JSON_LIKE, JSON_LIKE.map(lambda text: f"{{{text}}}")))
@example('{"a": "\\')
@example("{'a': '\\u12'}")
@example("{'a': \ud800}")
def test_no_text_makes_it_fail_in_another_way(text: str) -> None:
    try:
        found = read_object(text, "stop")
    except ReplyProblem:
        return
    assert isinstance(found, dict)
    json.dumps(found, allow_nan=False).encode()


WHOLE = st.characters(codec="utf-8")  # no halves of surrogate pairs
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(WHOLE, max_size=20),
    lambda each: st.lists(each, max_size=3) | st.dictionaries(st.text(WHOLE, max_size=5), each),
    max_leaves=8,
)  # fmt: skip


@pytest.mark.long("thousands of random replies")
@given(st.dictionaries(st.text(WHOLE, max_size=8), VALUES))
def test_json_in_any_dress_is_read_as_json_reads_it(value: dict[str, Any]) -> None:
    text = json.dumps(value, ensure_ascii=False)
    for dressed in (text, json.dumps(value, indent=1), f"Well:\n```json\n{text}\n```"):
        assert read_object(dressed, "stop") == value
    relaxed = f"{text[:-1]} ,}}" if value else "{ }"
    assert read_object(relaxed, "stop") == value


ORDER = {
    "thought": "I'd count, then sort",
    "plan": ["first {x}", "then [y]"],
    "command": "sql",
    "command_args": {"question": 'which "best" one, of all: a or b?', "rows": 3, "all": True},
}
SIGNS = "\"'{}[]:,\\ \nxX1#/-"


def mutated(text: str, chance: random.Random) -> str:
    signs = list(text)
    for _ in range(chance.choice((1, 1, 2, 3, 5))):
        at = chance.randrange(len(signs))
        kind = chance.choice(("drop", "change", "add", "swap", "cut"))
        if kind == "drop":
            del signs[at]
        elif kind == "change":
            signs[at] = chance.choice(SIGNS)
        elif kind == "add":
            signs.insert(at, chance.choice(SIGNS))
        elif kind == "cut":
            del signs[at : at + chance.randrange(1, 9)]
        else:
            other = chance.randrange(len(signs))
            signs[at], signs[other] = signs[other], signs[at]
    return "".join(signs)


def scalars(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        for name, each in value.items():
            yield name
            yield from scalars(each)
    elif isinstance(value, list):
        for each in value:
            yield from scalars(each)
    else:
        yield value


ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}


def stands_in(value: Any, text: str) -> bool:
    """Whether a value is written in the text: a string between its own quotes, or as a bare key."""
    if not isinstance(value, str):
        names = {True: ("true", "True"), False: ("false", "False"), None: ("null", "None")}
        written = names[value] if isinstance(value, bool | None) else (json.dumps(value),)
        return any(each in text for each in written)
    plain = re.sub(r"\\(.)", lambda found: ESCAPES.get(found[1], found[1]), text)
    return any(f"{quote}{value}{quote}" in plain for quote in "\"'") or (
        value.isidentifier() and value in text
    )


@pytest.mark.parametrize("form", ["json", "python", "indented"])
def test_no_mutation_makes_a_value_that_was_not_written(form: str) -> None:
    """A reader that guesses moves quotes and closes strings; this one may only refuse."""
    whole = {
        "json": json.dumps(ORDER),
        "python": repr(ORDER),
        "indented": json.dumps(ORDER, indent=2).replace("true", "true,"),
    }[form]
    assert read_object(whole, "stop") == ORDER
    chance = random.Random(f"mutations of {form}")
    read = 0
    for _ in range(2000):
        text = mutated(whole, chance)
        try:
            found = read_object(text, "stop")
        except ReplyProblem:
            continue
        read += 1
        for value in scalars(found):
            assert stands_in(value, text), (value, text)
    assert read > 200  # letters inside strings may change: the test is not empty


@pytest.mark.parametrize(
    "text",
    [
        # Each of these has been "repaired" into another command or argument by a guessing reader.
        '{"command": "sqla, "command_"args": {"q": "x"}}',
        '{"command": "sql", "command_args": {"q": "y\\ [z]?", ":n": 3}',
        '{"command": "sql", "command_args": {"q": which one?, "n": 3}}',
        '{"command": "sql", "command_args": {"q": "x", "n": 3,}"more": 1}',
        '{"command": "delete" - "sql"}',
        '{"command": sql}',
        '{"amount": 1,000}',
        '{"amount": 007}',
        '{"a": "x" "y"}',
    ],
)
def test_what_would_have_to_be_guessed_is_refused(text: str) -> None:
    with pytest.raises(ReplyProblem):
        read_object(text, "stop")
