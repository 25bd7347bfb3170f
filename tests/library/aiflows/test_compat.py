"""What interfaces do to data: ours by default, as aiflows 0.1.7 with `compat: aiflows-0.1`.

What aiflows does is taken from the real package, for the same interface and the same data.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.core.running import run_text

DATA: Mapping[str, Any] = {
    "a": 1, "box": {"in": 2, "deep": {"x": 3}}, "p.q": 4, "empty": {}, "text": "one\ntwo",
}  # fmt: skip
SAID = {"fixed_reply": "so"}
DEEP = {"x": 3}


def result_of(interface: Mapping[str, Any], folder: Path, compat: str) -> Any:
    """What a launcher's output interface makes of DATA, or the reason why it cannot."""
    reply = "flow_modules.aiflows.FixedReplyFlowModule.FixedReplyFlow"
    file = {
        **({"compat": compat} if compat else {}),
        "output_interface": {"_target_": "aiflows.interfaces.KeyInterface", **interface},
        "flow": {
            "_target_": "aiflows.base_flows.SequentialFlow.instantiate_from_default_config",
            "subflows_config": {"say": {"_target_": reply, "fixed_reply": "so"}},
            "topology": [{"goal": "say", "flow": "say"}],
        },
        "inputs": DATA,
    }
    result, _ = run_text(json.dumps(file), folder)
    return "an error" if result.status == "failed" else dict(result.outputs)


def real_result_of(interface: Mapping[str, Any]) -> Any:
    """The same from the real package."""
    interfaces = pytest.importorskip("aiflows.interfaces")
    try:
        made = interfaces.KeyInterface(**copy.deepcopy(dict(interface)))
        return made(goal="", src_flow=None, dst_flow=None, data_dict={**DATA, **SAID})
    except (KeyError, TypeError, AssertionError, AttributeError):
        return "an error"


def by(name: str, **keys: Any) -> Mapping[str, Any]:
    target = f"aiflows.data_transformations.{name}"
    return {"additional_transformations": [{"_target_": target, **keys}]}


def kept(*names: str, **more: Any) -> Mapping[str, Any]:
    return {**{key: value for key, value in DATA.items() if key not in names}, **SAID, **more}


CASES: Mapping[str, tuple[Mapping[str, Any], Any]] = {
    "a chain of renames": ({"keys_to_rename": {"a": "c", "c": "d"}}, kept("a", d=1)),
    "a swap": ({"keys_to_rename": {"a": "text", "text": "a"}}, kept("text")),
    "renamed to itself": ({"keys_to_rename": {"a": "a"}}, kept()),
    "a mapping renamed": ({"keys_to_rename": {"box.deep": "d"}}, kept(box={"in": 2}, d=DEEP)),
    "a dotted key renamed": ({"keys_to_rename": {"p.q": "r"}}, kept("p.q", r=4)),
    "renamed by whole names": (
        by("KeyRename", old_key2new_key={"p.q": "r", "box.in": "no"}, nested_keys=False),
        kept("p.q", r=4),
    ),
    "copied": ({"keys_to_copy": {"box.in": "c.d"}}, kept(c={"d": 2})),
    "a mapping copied": ({"keys_to_copy": {"box.deep": "d"}}, kept(d=DEEP)),
    "a mapping copied, not flattened": (
        by("KeyCopy", old_key2new_key={"box": "d", "p.q": "e.f"}, flatten_data_dict=False),
        kept(**{"d": DATA["box"], "e.f": 4}),
    ),
    "set": ({"keys_to_set": {"c.d": 1}}, kept(c={"d": 1})),
    "set by a whole name": (
        by("KeySet", key2value={"c.d": {"e": 1}}, flatten_data_dict=False),
        kept(**{"c.d": {"e": 1}}),
    ),
    "selected": ({"keys_to_select": ["box.deep", "a"]}, {"box": {"deep": DEEP}, "a": 1}),
    "selected by a whole name": (
        by("KeySelect", keys_to_select=["p.q"], nested_keys=False), {"p.q": 4}
    ),
    "a dotted key selected": ({"keys_to_select": ["p.q"]}, {"p.q": 4}),
    "deleted": ({"keys_to_delete": ["box.in", "none"]}, kept(box={"deep": DEEP})),
    "a mapping deleted": ({"keys_to_delete": ["box"]}, kept("box")),
    "deleted by whole names": (
        by("KeyDelete", keys_to_delete=["p.q", "box"], flatten_data_dict=False),
        kept("p.q", "box"),
    ),
    "a dot is no line break": (
        by("RegexFirstOccurrenceExtractor", regex="e.t", regex_fallback=["(t.o)"], strip=True,
           output_key="found", input_key="text", assert_unique=False, match_group=1),
        kept(found="two"),
    ),
    "one group": (
        by("RegexFirstOccurrenceExtractor", regex="(o)(n)", strip=True, output_key="found",
           input_key="text", assert_unique=True),
        "an error",
    ),
}  # fmt: skip
# Where aiflows is wrong: dotted keys are torn apart, empty mappings vanish, a key that holds a
# mapping is neither copied nor deleted.
DIFFERENT = {
    "a dotted key renamed", "copied", "a mapping copied", "set", "a dotted key selected",
    "deleted", "a mapping deleted",
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_what_an_interface_does(name: str, tmp_path: Path) -> None:
    interface, ours = CASES[name]
    assert result_of(interface, tmp_path, "") == ours
    theirs = real_result_of(interface)
    assert result_of(interface, tmp_path, "aiflows-0.1") == theirs
    assert (ours != theirs) == (name in DIFFERENT)
