"""Whatever stands in a file, it is read or refused with a place; nothing else happens."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from flows.errors import ConfigError
from flows.semantics.formats import read_declaration
from tests.semantics.formats.test_dbt import NEWER, OLDER
from tests.semantics.formats.test_ossie import SHOP

OTHERS: list[Any] = [None, 3, -1.5, True, "", "x", "{{ x", [], {}, [[]], ["a"], {"name": "x"}, [3]]


def _paths(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    items = value.items() if isinstance(value, dict) else enumerate(value)
    found = [path] if path else []
    if isinstance(value, dict | list):
        for key, inner in items:
            found += _paths(inner, (*path, key)) if isinstance(inner, dict | list) else []
            found.append((*path, key))
    return found


@pytest.mark.long("every value of a file, replaced by each other kind")
@pytest.mark.parametrize("text", [SHOP, OLDER, NEWER], ids=["ossie", "older dbt", "newer dbt"])
@given(data=st.data())
@settings(
    max_examples=40,
    derandomize=True,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
def test_a_value_of_another_kind_is_a_fault_with_a_place(
    text: str, data: st.DataObject, tmp_path: Path
) -> None:
    plain = copy.deepcopy(yaml.safe_load(text))
    path = data.draw(st.sampled_from(_paths(plain)))
    here = plain
    for key in path[:-1]:
        here = here[key]
    here[path[-1]] = data.draw(st.sampled_from(OTHERS))
    file = tmp_path / "models.yml"
    file.write_text(yaml.safe_dump(plain), encoding="utf-8")
    try:
        read_declaration(file)
    except ConfigError as error:
        assert error.place is not None  # noqa: PT017
