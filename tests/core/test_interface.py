"""Key interfaces: the six operations in their order, and data that stays as it was."""

from __future__ import annotations

import copy
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flows.core.interface import InterfaceConfig, KeyInterface
from flows.core.transformations import InterfaceContext, UnNesting, names_after
from flows.errors import InterfaceError

CONTEXT = InterfaceContext("goal", ("a",), print, tuple)


def test_order() -> None:
    """rename, copy, set, additional, select, delete: each sees what the ones before it made."""
    interface = KeyInterface(
        InterfaceConfig(
            keys_to_delete=("gone",),
            keys_to_select=("inner", "set", "copied", "gone"),
            keys_to_set={"set": 1, "nest": {"inner": 2}},
            keys_to_copy={"renamed": "copied"},
            keys_to_rename={"old": "renamed", "g": "gone"},
        ),
        (UnNesting(input_key="nest"),),
    )

    assert interface({"old": 7, "g": 8}, CONTEXT) == {"copied": 7, "set": 1, "inner": 2}


def test_without_operations_all_passes() -> None:
    data = {"a": 1, "b": {}}
    assert KeyInterface(InterfaceConfig())(data, CONTEXT) == data


def test_target_key_is_known_by_its_name_in_yaml() -> None:
    config = InterfaceConfig.model_validate({"_target_": "KeyInterface", "keys_to_select": ["a"]})
    assert config.target == "KeyInterface"
    with pytest.raises(ValueError, match="keys_to_selct"):
        InterfaceConfig.model_validate({"keys_to_selct": ["a"]})


def test_names_follow_the_operations() -> None:
    interface = KeyInterface(
        InterfaceConfig(keys_to_rename={"a": "b"}, keys_to_set={"c": 1}, keys_to_select=("b", "c"))
    )
    assert names_after(interface, frozenset({"a", "z"})) == {"b", "c"}
    with pytest.raises(InterfaceError, match="no key 'b'"):
        names_after(interface, frozenset({"z"}))


names = st.sampled_from(["a", "b", "a.b", "c.d"])
values = st.recursive(
    st.integers(),
    lambda below: st.dictionaries(names, below, max_size=3) | st.lists(below, max_size=2),
    max_leaves=6,
)
configs = st.builds(
    InterfaceConfig,
    keys_to_rename=st.dictionaries(names, names, max_size=2),
    keys_to_copy=st.dictionaries(names, names, max_size=2),
    keys_to_set=st.dictionaries(names, values, max_size=2),
    keys_to_select=st.lists(names, max_size=2).map(tuple),
    keys_to_delete=st.lists(names, max_size=2).map(tuple),
)


@pytest.mark.long("whole runs at size")
@given(configs, st.dictionaries(names, values, max_size=4))
def test_what_goes_in_is_never_changed(config: InterfaceConfig, data: dict[str, Any]) -> None:
    before, config_before = copy.deepcopy(data), config.model_copy(deep=True)
    with suppress(InterfaceError):
        KeyInterface(config)(data, CONTEXT)
    assert data == before
    assert config == config_before
