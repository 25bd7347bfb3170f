"""Cases of interfaces and of the twelve data transformations."""

from __future__ import annotations

from typing import Any, Final

from tests.library.aiflows.oracle.case import (
    Case,
    Tree,
    change,
    flow,
    keys,
    kind,
    sequence,
    shown,
    step,
    taken,
)

DATA: Final[Tree] = {
    "a": 1, "b": "text", "c": {"d": 2, "e": {"f": "x"}}, "g": [1, {"h": 2}], "n": None,
}  # fmt: skip
_DOTTED: Final[Tree] = {"a": 1, "x.y": 2, "z": {}}
_MAPPING: Final = "a key that holds a mapping is copied and deleted as any other"
_DOTS: Final = "keys with a dot stay whole, and an empty mapping stays"
_PATHS: Final = "every key of a transformation may be a path"


def _in(about: str, source: Tree, data: Tree = DATA, differs: str = "", here: Any = None) -> Case:
    seen = here if here is None else {"seen": {"id": 0, **here}}
    return Case(about, shown(source), data, differs=differs, here=seen)


def _renames() -> list[Case]:
    def rename(about: str, pairs: dict[str, str]) -> Case:
        return _in(f"KeyRename {about}", keys(keys_to_rename=pairs))

    return [
        rename("a key", {"a": "z"}),
        rename("a key that is not there", {"q": "z"}),
        rename("a key to itself", {"a": "a"}),
        rename("into a mapping", {"a": "c.z"}),
        rename("out of a mapping", {"c.e.f": "z"}),
        rename("to a new mapping", {"a": "y.z"}),
        rename("a mapping", {"c": "z"}),
        rename("one after the other", {"a": "z", "z": "y"}),
        rename("onto another key", {"a": "b"}),
        rename("a key that holds null", {"n": "z"}),
        rename("two keys for each other", {"a": "b", "b": "a"}),
        _in("KeyRename of whole names", change(
            "KeyRename", old_key2new_key={"a": "c.z", "c.d": "q"}, nested_keys=False)),
    ]  # fmt: skip


def _copies() -> list[Case]:
    def copied(about: str, pairs: dict[str, str], here: Any = None) -> Case:
        differs = _MAPPING if here else ""
        return _in(f"KeyCopy {about}", keys(keys_to_copy=pairs), differs=differs, here=here)

    return [
        copied("a key", {"a": "z"}),
        copied("a key that is not there", {"q": "z"}),
        copied("out of a mapping", {"c.e.f": "z"}),
        copied("into a mapping", {"a": "c.e.z"}),
        copied("a list", {"g": "z"}),
        copied("one after the other", {"a": "z", "z": "y"}),
        copied("a mapping", {"c": "z"}, {**DATA, "z": DATA["c"]}),
        _in("KeyCopy of whole names", change(
            "KeyCopy", old_key2new_key={"a": "c.z", "c": "q"}, flatten_data_dict=False)),
    ]  # fmt: skip


def _sets() -> list[Case]:
    return [
        _in("KeySet literals", keys(keys_to_set={"z": 1, "y": "t", "x": None, "w": [1]})),
        _in("KeySet into a mapping", keys(keys_to_set={"c.d": 7, "c.q": 8, "y.z": 9})),
        _in("KeySet a mapping", keys(keys_to_set={"z": {"y": 1}})),
        _in("KeySet in the place of a mapping", keys(keys_to_set={"c": 1})),
        _in("KeySet below a number", keys(keys_to_set={"a.z": 1})),
        _in("KeySet beside keys with a dot", keys(keys_to_set={"q": 1}), _DOTTED,
            _DOTS, {**_DOTTED, "q": 1}),
        _in("KeySet of whole names", change(
            "KeySet", key2value={"c.d": 7}, flatten_data_dict=False)),
    ]  # fmt: skip


def _selects() -> list[Case]:
    def select(about: str, names: list[str]) -> Case:
        return _in(f"KeySelect {about}", keys(keys_to_select=names))

    return [
        select("keys", ["b", "a", "n"]),
        select("in a mapping", ["c.e.f", "a"]),
        select("two of one mapping", ["c.d", "c.e.f"]),
        select("a mapping", ["c"]),
        select("a key that is not there", ["a", "q"]),
        select("through a text", ["b.c"]),
        _in("KeySelect of whole names", change(
            "KeySelect", keys_to_select=["a", "c"], nested_keys=False)),
    ]  # fmt: skip


def _deletions() -> list[Case]:
    def delete(about: str, names: list[str], data: Tree = DATA, here: Any = None) -> Case:
        differs = (_DOTS if data is _DOTTED else _MAPPING) if here else ""
        return _in(f"KeyDelete {about}", keys(keys_to_delete=names), data, differs, here)

    without = {key: value for key, value in DATA.items() if key != "c"}
    return [
        delete("keys", ["a", "b"]),
        delete("in a mapping", ["c.e.f", "c.d"], {**DATA, "c": {"d": 1, "e": {"f": 2, "g": 3}}}),
        delete("a key that is not there", ["q", "c.q"]),
        delete("a mapping", ["c"], here=without),
        delete("beside keys with a dot", ["a"], _DOTTED, {"x.y": 2, "z": {}}),
        _in("KeyDelete of whole names", change(
            "KeyDelete", keys_to_delete=["c", "c.d"], flatten_data_dict=False)),
    ]  # fmt: skip


def _texts() -> list[Case]:
    def ends(about: str, phrase: str, **more: Any) -> Case:
        given = {"input_key": "b", "output_key": "done", "end_of_interaction_string": phrase}
        data = {**DATA, "b": "I am Done now."}
        differs = _PATHS if "." in more.get("output_key", "") else ""
        here = {**data, "c": {**DATA["c"], "done": True}} if differs else None
        source = change("EndOfInteraction", **{**given, **more})
        return _in(f"EndOfInteraction {about}", source, data, differs, here)

    def found(about: str, regex: str, text: str, **more: Any) -> Case:
        given = {"input_key": "b", "output_key": "z", "assert_unique": False, "strip": True}
        source = change("RegexFirstOccurrenceExtractor", regex=regex, **{**given, **more})
        return _in(f"RegexFirstOccurrenceExtractor {about}", source, {"b": text})

    return [
        ends("said", "Done"),
        ends("said in other letters", "i AM done"),
        ends("not said", "finished"),
        ends("in what is no text", "x", input_key="a"),
        ends("under a path", "done", output_key="c.done"),
        found("that is there", r"\d+", "a 12 b 34"),
        found("that is not there", r"\d+", "none"),
        found("a group", r"(\w)=(\d+)", "x=12", match_group=2),
        found("with its spaces", r" \d+ ", "a 12 b", strip=False),
        found("a fallback", r"\d+", "none at all", regex_fallback=r"\w+$"),
        found("one fallback of several", r"\d+", "none at all", regex_fallback=["z", "a."]),
        found("of two lines", r"a.*", "a b\nc"),
        found("that has one group", r"n=(\d+)", "n=1 n=2", assert_unique=True, match_group=1),
        found("that has two groups", r"(\w)=(\d+)", "n=1", assert_unique=True),
    ]


def _json() -> list[Case]:
    def read(about: str, text: str, differs: str = "", here: Any = None, **more: Any) -> Case:
        source = change("Json2Obj", input_key="b", **more)
        return _in(f"Json2Obj {about}", source, {"b": text}, differs, here)

    def written(about: str, value: Any, differs: str = "", here: Any = None, **more: Any) -> Case:
        source = change("Obj2Json", input_key="b", **more)
        return _in(f"Obj2Json {about}", source, {"b": value}, differs, here)

    return [
        read("an object", '{"x": [1, null, {"y": 2.5}]}', output_key="z"),
        read("a list", "[1, 2]", output_key="z"),
        read("what is no JSON", "{x: 1}", output_key="z"),
        read("onto the same key", "[true]", output_key="b"),
        read("without output_key", "[1]"),
        written("an object", {"x": [1, None, {"y": 2.5}]}, output_key="z"),
        written("letters that are not English", "Äö €", "letters are written as they are",
                {"b": "Äö €", "z": '"Äö €"'}, output_key="z"),
        written("without output_key", [1]),
    ]  # fmt: skip


def _others() -> list[Case]:
    def nested(about: str, data: Tree) -> Case:
        return _in(f"UnNesting {about}", change("UnNesting", input_key="c"), data)

    everything = keys(
        keys_to_rename={"a": "one"},
        keys_to_copy={"one": "two"},
        keys_to_set={"three": 3},
        additional_transformations=[
            kind("EndOfInteraction", input_key="b", output_key="end",
                 end_of_interaction_string="EX"),
            kind("scripted.Negate", key="two"),
        ],
        keys_to_select=["one", "two", "three", "end"],
        keys_to_delete=["one"],
    )  # fmt: skip
    picks = sequence(
        {"add": flow("Add")}, [step("add", change("KeyMatchInput"))], input_interface=["n"]
    )
    lists = sequence({"add": flow("Add")}, [step("add")], input_interface=["n"])
    return [
        nested("a mapping", DATA),
        nested("over other keys", {"a": 1, "c": {"a": 2, "b": 3}}),
        nested("what is not there", {"a": 1}),
        nested("what is no mapping", {"a": 1, "c": 2}),
        Case("KeyMatchInput what a flow declares", picks, {"n": 1, "m": 2}),
        Case("KeyMatchInput by default", lists, {"n": 1, "m": 2}),
        Case("KeyMatchInput a key that is not there", lists, {"m": 2}),
        _in("all keys of an interface in their order", everything),
        _in("an interface without keys gives all", keys()),
        _in("a class of one's own that is an interface", {
            "_target_": "scripted.Doubled", "keys_to_rename": {"a": "n"},
        }),
        Case("an output interface", taken(keys(keys_to_rename={"x": "y"}), {"x": 1, "z": 2}), DATA),
        Case("an output that selects", taken(keys(keys_to_select=["x"]), {"x": 1, "z": 2}), DATA),
        Case("an output as it is", taken(None, {"x": {"y": [1]}, "a": 5}), DATA),
    ]  # fmt: skip


KEY_CASES: Final = (
    *_renames(), *_copies(), *_sets(), *_selects(), *_deletions(), *_texts(), *_json(), *_others(),
)  # fmt: skip
