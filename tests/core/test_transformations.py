"""Each transformation of a key interface, on flat, nested and dotted keys."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ValidationError

from flows.core import keys
from flows.core import transformations as t
from flows.core.dataflow.facts import ANY, KeyFact, KnownKeys
from flows.core.dataflow.kinds import exact_kind, kinds_of
from flows.core.trace import GraphSpot, Trace
from flows.core.transformations import InterfaceContext
from flows.errors import InterfaceError


class Found(BaseModel):
    text: str
    rows: int = 0


def context(
    *ports: str, show: Callable[[str], None] = print, messages: tuple[str, ...] = ()
) -> InterfaceContext:
    return InterfaceContext("goal", ports, show, lambda: messages)


def apply(step: t.Transformation, data: dict[str, Any], *ports: str) -> dict[str, Any]:
    return step.apply(dict(data), context(*ports))


NESTED: dict[str, Any] = {"a": {"b": 1, "c": {"d": 2}}, "e": [1], "x.y": 3, "o": {}}


@pytest.mark.parametrize(
    ("renamed", "expected"),
    [
        ({"e": "f"}, {"a": {"b": 1, "c": {"d": 2}}, "f": [1], "x.y": 3, "o": {}}),
        ({"a": "z"}, {"z": {"b": 1, "c": {"d": 2}}, "e": [1], "x.y": 3, "o": {}}),
        ({"a.c": "z"}, {"a": {"b": 1}, "z": {"d": 2}, "e": [1], "x.y": 3, "o": {}}),
        ({"a.c.d": "a.d"}, {"a": {"b": 1, "c": {}, "d": 2}, "e": [1], "x.y": 3, "o": {}}),
        ({"x.y": "z"}, {"a": {"b": 1, "c": {"d": 2}}, "e": [1], "z": 3, "o": {}}),
        ({"missing": "z"}, NESTED),
        ({"a.b": "a.b"}, NESTED),
        ({"e": "a.b", "a.b": "e"}, {"a": {"b": [1], "c": {"d": 2}}, "e": 1, "x.y": 3, "o": {}}),
        ({"e": "n.m"}, {"a": {"b": 1, "c": {"d": 2}}, "n": {"m": [1]}, "x.y": 3, "o": {}}),
    ],
)
def test_rename(renamed: dict[str, str], expected: dict[str, Any]) -> None:
    assert apply(t.KeyRename(old_key2new_key=renamed), NESTED) == expected


def test_rename_of_whichever_is_there() -> None:
    step = t.KeyRename(old_key2new_key={"answer": "text", "reply": "text"})

    assert apply(step, {"answer": 1}) == {"text": 1}
    assert apply(step, {"reply": 2}) == {"text": 2}


def test_a_models_fields_are_keys() -> None:
    data = {"found": Found(text="hi", rows=2)}

    assert apply(t.KeyRename(old_key2new_key={"found.text": "text"}), data) == {
        "found": {"rows": 2},
        "text": "hi",
    }
    assert apply(t.KeyDelete(keys_to_delete=("found.text",)), data) == {"found": {"rows": 2}}
    assert apply(t.KeySet(key2value={"found.rows": 3}), data)["found"] == {"text": "hi", "rows": 3}
    assert apply(t.UnNesting(input_key="found"), data) == {"text": "hi", "rows": 2}
    assert data == {"found": Found(text="hi", rows=2)}


@pytest.mark.parametrize(
    ("copied", "new"),
    [
        ({"a": "z"}, {"z": {"b": 1, "c": {"d": 2}}}),
        ({"a.c": "z"}, {"z": {"d": 2}}),
        ({"o": "z"}, {"z": {}}),
        ({"x.y": "z"}, {"z": 3}),
        ({"missing": "z"}, {}),
        ({"a.b": "z", "missing": "z"}, {"z": 1}),
    ],
)
def test_copy(copied: dict[str, str], new: dict[str, Any]) -> None:
    assert apply(t.KeyCopy(old_key2new_key=copied), NESTED) == {**NESTED, **new}


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({"n": 1}, {"a": {"b": {}}, "x.y": 3, "n": 1}),
        ({"n": {}}, {"a": {"b": {}}, "x.y": 3, "n": {}}),
        ({"n": None}, {"a": {"b": {}}, "x.y": 3, "n": None}),
        ({"a.b.c": 1}, {"a": {"b": {"c": 1}}, "x.y": 3}),
        ({"x.y": 4}, {"a": {"b": {}}, "x.y": 4}),
        ({"x.z": 4}, {"a": {"b": {}}, "x.y": 3, "x": {"z": 4}}),
        ({"a": 5}, {"a": 5, "x.y": 3}),
    ],
)
def test_set(values: dict[str, Any], expected: dict[str, Any]) -> None:
    assert apply(t.KeySet(key2value=values), {"a": {"b": {}}, "x.y": 3}) == expected


def test_set_values_are_not_shared_between_calls() -> None:
    step = t.KeySet(key2value={"items": []})
    apply(step, {})["items"].append(1)

    assert apply(step, {}) == {"items": []}


def test_set_through_a_value() -> None:
    with pytest.raises(InterfaceError, match="'a' holds a int, not a mapping"):
        apply(t.KeySet(key2value={"a.b": 1}), {"a": 3})


@pytest.mark.parametrize(
    ("selected", "expected"),
    [
        (("e",), {"e": [1]}),
        (("a.b", "a.c.d"), {"a": {"b": 1, "c": {"d": 2}}}),
        (("a.c",), {"a": {"c": {"d": 2}}}),
        (("x.y",), {"x.y": 3}),
        (("o",), {"o": {}}),
    ],
)
def test_select(selected: tuple[str, ...], expected: dict[str, Any]) -> None:
    assert apply(t.KeySelect(keys_to_select=selected), NESTED) == expected


@pytest.mark.parametrize("path", ["nothing", "a.z", "e.b", "a.b.c"])
def test_select_what_is_not_there(path: str) -> None:
    with pytest.raises(InterfaceError, match=f"no key '{path}'.*there are: a, e, o, x.y"):
        apply(t.KeySelect(keys_to_select=(path,)), NESTED)


@pytest.mark.parametrize(
    ("deleted", "expected"),
    [
        ("a", {"e": [1], "x.y": 3, "o": {}}),
        ("a.c", {"a": {"b": 1}, "e": [1], "x.y": 3, "o": {}}),
        ("o", {"a": {"b": 1, "c": {"d": 2}}, "e": [1], "x.y": 3}),
        ("x.y", {"a": {"b": 1, "c": {"d": 2}}, "e": [1], "o": {}}),
        ("x", NESTED),
        ("a.b.c", NESTED),
    ],
)
def test_delete(deleted: str, expected: dict[str, Any]) -> None:
    assert apply(t.KeyDelete(keys_to_delete=(deleted,)), NESTED) == expected


def test_a_dotted_key_with_a_mapping_under_it() -> None:
    data = {"x.y": {"z": 1}}

    assert keys.get(data, "x.y.z") == 1
    assert apply(t.KeySet(key2value={"x.y.z": 2}), data) == {"x.y": {"z": 2}}
    assert apply(t.KeyDelete(keys_to_delete=("x.y.z",)), data) == {"x.y": {}}
    assert apply(t.KeySelect(keys_to_select=("x.y.z",)), data) == {"x.y": {"z": 1}}


def test_match_input() -> None:
    assert apply(t.KeyMatchInput(), {"a": 1, "b": 2}, "b", "c") == {"b": 2}


@pytest.mark.parametrize(
    ("text", "found"),
    [("I am done. end OF It", True), ("not yet", False), ("", False), ("STRASSE: end of it", True)],
)
def test_end_of_interaction(text: str, found: bool) -> None:
    step = t.EndOfInteraction(
        input_key="a.text", end_of_interaction_string="End of it", output_key="a.over"
    )
    assert apply(step, {"a": {"text": text}}) == {"a": {"text": text, "over": found}}


def test_end_of_interaction_of_no_text() -> None:
    step = t.EndOfInteraction(input_key="n", end_of_interaction_string="x", output_key="o")
    with pytest.raises(InterfaceError, match="'n' must be text, it is a int"):
        apply(step, {"n": 3})


CODE = "text\n```sql\nSELECT 1\n```\nmore\n```sql\nSELECT 2\n```"


@pytest.mark.parametrize(
    ("settings", "text", "expected"),
    [
        ({"regex": r"\d+"}, "a 12 b 34", "12"),
        ({"regex": r"```sql(.*?)```", "match_group": 1}, CODE, "SELECT 1"),
        ({"regex": r"```sql(?P<code>.*?)```", "match_group": "code"}, CODE, "SELECT 1"),
        (
            {"regex": r"```sql(.*?)```", "match_group": 1, "strip": False},
            CODE,
            "\nSELECT 1\n",
        ),
        ({"regex": r"\d+"}, "nothing", None),
        ({"regex": r"\d+", "regex_fallback": r"\w+"}, "nothing", "nothing"),
        ({"regex": r"\d+", "regex_fallback": [r"X", r"n.t"]}, "nothing", "not"),
        ({"regex": r"a(b)?c", "match_group": 1}, "ac", None),
        ({"regex": r"x*"}, "abc", ""),
    ],
)
def test_regex(settings: dict[str, Any], text: str, expected: str | None) -> None:
    step = t.RegexFirstOccurrenceExtractor(input_key="t", output_key="o.found", **settings)
    assert apply(step, {"t": text}) == {"t": text, "o": {"found": expected}}


def test_regex_that_must_be_unique() -> None:
    step = t.RegexFirstOccurrenceExtractor(
        input_key="t", output_key="o", regex=r"\d+", assert_unique=True
    )
    assert apply(step, {"t": "only 1"})["o"] == "1"
    with pytest.raises(InterfaceError, match="matches 2 times, not once"):
        apply(step, {"t": "1 and 2"})


def test_regex_without_that_group() -> None:
    step = t.RegexFirstOccurrenceExtractor(
        input_key="t", output_key="o", regex="a(.)", regex_fallback="b", match_group=1
    )
    with pytest.raises(InterfaceError, match="'b' has no group 1"):
        apply(step, {"t": "b"})


@pytest.mark.parametrize("settings", [{"regex": "("}, {"regex": "a", "regex_fallback": ["b", "["]}])
def test_not_a_regex(settings: dict[str, Any]) -> None:
    with pytest.raises(ValidationError, match="not a regular expression"):
        t.RegexFirstOccurrenceExtractor(input_key="t", output_key="o", **settings)


def test_json_both_ways() -> None:
    data = {"reply": {"text": '{"a": {}, "b": [1, null, "é"]}'}}
    parsed = apply(t.Json2Obj(input_key="reply.text"), data)
    assert parsed == {"reply": {"text": {"a": {}, "b": [1, None, "é"]}}}

    back = apply(t.Obj2Json(input_key="reply.text", output_key="json"), parsed)
    assert back["json"] == data["reply"]["text"]
    assert back["reply"] == parsed["reply"]


def test_a_model_is_json() -> None:
    assert json.loads(apply(t.Obj2Json(input_key="f"), {"f": Found(text="x")})["f"]) == {
        "text": "x",
        "rows": 0,
    }


@pytest.mark.parametrize("text", ["{", "", "NaN", "[Infinity]", "[" * 100_000, "1" * 5000 + "x"])
def test_not_json(text: str) -> None:
    with pytest.raises(InterfaceError, match="'t' is not JSON"):
        apply(t.Json2Obj(input_key="t"), {"t": text})


@pytest.mark.parametrize("value", [float("nan"), [float("inf")], {1, 2}, {(1, 2): 3}, object()])
def test_cannot_be_json(value: Any) -> None:
    with pytest.raises(InterfaceError, match="'v' cannot be JSON"):
        apply(t.Obj2Json(input_key="v"), {"v": value})


def test_unnesting() -> None:
    step = t.UnNesting(input_key="a.c")
    assert apply(step, NESTED) == {"a": {"b": 1}, "d": 2, "e": [1], "x.y": 3, "o": {}}
    assert apply(t.UnNesting(input_key="o"), {"o": {}}) == {}
    with pytest.raises(InterfaceError, match="'e' is a list, not a mapping"):
        apply(t.UnNesting(input_key="e"), NESTED)
    with pytest.raises(InterfaceError, match="no key 'out'"):
        apply(t.UnNesting(input_key="out"), NESTED)


def test_unnesting_over_its_own_name() -> None:
    assert apply(t.UnNesting(input_key="o"), {"o": {"o": 1, "p": 2}}) == {"o": 1, "p": 2}


@pytest.mark.parametrize(("last", "expected"), [(False, ["a", "b"]), (True, ["b"])])
def test_print_previous_messages(last: bool, expected: list[str]) -> None:
    shown: list[str] = []
    step = t.PrintPreviousMessages(last_message_only=last)
    data = step.apply({"k": 1}, context(show=shown.append, messages=("a", "b")))
    assert shown == expected
    assert data == {"k": 1}


@pytest.mark.parametrize(
    ("step", "available", "names"),
    [
        (t.KeyRename(old_key2new_key={"a": "b.c"}), {"a", "x"}, {"b", "x"}),
        (t.KeyRename(old_key2new_key={"a.b": "c"}), {"a"}, {"a", "c"}),
        (t.KeyRename(old_key2new_key={"z": "c"}), {"a"}, {"a"}),
        (t.KeyRename(old_key2new_key={"z": "c"}), {ANY}, {ANY, "c"}),
        (t.KeyCopy(old_key2new_key={"a": "c"}), {"a"}, {"a", "c"}),
        (t.KeyCopy(old_key2new_key={"a.b.c": "d"}), {"a.b"}, {"a.b", "d"}),
        (t.KeySet(key2value={"a.b": 1}), set(), {"a"}),
        (t.KeySelect(keys_to_select=("a.b",)), {"a", "x"}, {"a"}),
        (t.KeyDelete(keys_to_delete=("a", "x.y")), {"a", "x"}, {"x"}),
        (t.UnNesting(input_key="a"), {"a", "b"}, {"b", ANY}),
        (t.Json2Obj(input_key="a", output_key="b.c"), {"a"}, {"a", "b"}),
        (t.Obj2Json(input_key="a"), {"a"}, {"a"}),
    ],
)
def test_names(step: t.Transformation, available: set[str], names: set[str]) -> None:
    assert step.names(frozenset(available)) == names


@pytest.mark.parametrize(
    "step",
    [
        t.KeySelect(keys_to_select=("gaol",)),
        t.Json2Obj(input_key="gaol"),
        t.Obj2Json(input_key="gaol.x"),
        t.UnNesting(input_key="gaol"),
        t.RegexFirstOccurrenceExtractor(input_key="gaol", output_key="o", regex="x"),
        t.EndOfInteraction(input_key="gaol", end_of_interaction_string="x", output_key="o"),
    ],
)
def test_names_that_cannot_be(step: t.Transformation) -> None:
    with pytest.raises(InterfaceError, match=r"no key 'gaol.*there are: goal"):
        step.names(frozenset({"goal"}))


names = st.sampled_from(["a", "b", "c", "a.b", "b.c"])
values = st.recursive(
    st.integers() | st.none() | st.text(max_size=3),
    lambda below: st.dictionaries(names, below, max_size=3) | st.lists(below, max_size=2),
    max_leaves=8,
)
states = st.dictionaries(names, values, max_size=4)
paths = st.lists(names, min_size=1, max_size=3).map(".".join)
steps = st.one_of(
    st.dictionaries(paths, paths, max_size=3).map(lambda d: t.KeyRename(old_key2new_key=d)),
    st.dictionaries(paths, paths, max_size=3).map(lambda d: t.KeyCopy(old_key2new_key=d)),
    st.dictionaries(paths, values, max_size=3).map(lambda d: t.KeySet(key2value=d)),
    st.lists(paths, max_size=3).map(lambda d: t.KeySelect(keys_to_select=tuple(d))),
    st.lists(paths, max_size=3).map(lambda d: t.KeyDelete(keys_to_delete=tuple(d))),
    paths.map(lambda path: t.UnNesting(input_key=path)),
    paths.map(lambda path: t.Obj2Json(input_key=path, output_key="a.b")),
)


@pytest.mark.long("whole runs at size")
@given(states, steps)
def test_what_goes_in_is_never_changed(state: dict[str, Any], step: t.Transformation) -> None:
    before = copy.deepcopy(state)
    with suppress(InterfaceError):
        step.apply(dict(state), context())
    assert state == before


def test_selecting_a_key_with_a_dot_in_it_keeps_its_name() -> None:
    step = t.KeySelect(keys_to_select=("b.c",))
    assert step.apply({"a": 1, "b.c": 2}, context()) == {"b.c": 2}
    assert step.names(frozenset({"a", "b.c"})) == {"b.c"}
    assert step.names(frozenset({"a", "b"})) == {"b"}


@pytest.mark.long("whole runs at size")
@given(states, steps)
def test_names_are_an_upper_bound(state: dict[str, Any], step: t.Transformation) -> None:
    """What the check says can come out, does; and it refuses nothing that works."""
    try:
        after = step.apply(dict(state), context())
    except InterfaceError:
        return
    names = step.names(frozenset(state))
    if ANY not in names:
        assert set(after) <= names


@pytest.mark.long("whole runs at size")
@given(states, steps, st.booleans())
def test_what_is_known_of_values_holds(
    state: dict[str, Any], step: t.Followed, exact: bool
) -> None:
    """No fault is told of what works, and what is told to be there, and of which type, is so."""
    facts = {
        key: KeyFact((exact_kind(value),) if exact else kinds_of(type(value)))
        for key, value in state.items()
    }
    try:
        after = step.apply(dict(state), context())  # type: ignore[attr-defined]
    except InterfaceError:
        return
    trace = Trace()
    known = step.follow(KnownKeys(facts), GraphSpot(trace, (), (), "nothing gives it"))
    assert not trace.found
    assert known.open or set(after) <= set(known.facts)
    for key, fact in known.facts.items():
        assert fact.lacks or key in after or not fact.kinds
        if fact.kinds and key in after:
            assert any(type(each.sample) is type(after[key]) for each in fact.kinds)


@pytest.mark.long("whole runs at size")
@given(states, paths, values)
def test_put_then_get(state: dict[str, Any], path: str, value: Any) -> None:
    try:
        keys.put(state, path, value)
    except InterfaceError:
        return
    assert keys.get(state, path) == value


@pytest.mark.long("whole runs at size")
@given(states, paths)
def test_drop_takes_what_get_finds(state: dict[str, Any], path: str) -> None:
    found = keys.get(state, path)
    assert (keys.locate(state, path) is None) == (found is keys.MISSING)
    taken = keys.drop(state, path)
    assert taken == found or (taken is keys.MISSING and found is keys.MISSING)
