"""The random requests that the laws are tried on reach everything that a request can say."""

from __future__ import annotations

from collections.abc import Iterator
from typing import get_args

import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from flows.semantics import query, request
from flows.semantics.node import Node
from tests.semantics.strategies import models, requests

# What nothing asks of a text that was not read.
_NOT_MADE = {"spans"}
# What only fields of a semantic model are made of.
_ABSENT = (Node, query.DateOf)
_EXAMPLES = 2400


def _nodes() -> Iterator[type[Node]]:
    for module in (query, request):
        for each in vars(module).values():
            if isinstance(each, type) and issubclass(each, Node) and each not in _ABSENT:
                yield each


def _walk(node: Node) -> Iterator[Node]:
    yield node
    for name in type(node).model_fields:
        value = getattr(node, name)
        for each in value if isinstance(value, tuple) else (value,):
            if isinstance(each, Node):
                yield from _walk(each)


def _said(node: Node) -> Iterator[str]:
    """The fields of a node that it does not leave at their defaults, and the words it chose."""
    for name, field in type(node).model_fields.items():
        value = getattr(node, name)
        if name == "kind" or value == field.default:
            continue
        yield f"{type(node).__name__}.{name}"
        if isinstance(value, str) and field.annotation is not str:
            yield f"{type(node).__name__}.{name}={value}"


def _possible() -> set[str]:
    found = set()
    for each in _nodes():
        for name, field in each.model_fields.items():
            if name in _NOT_MADE or name == "kind":
                continue
            found.add(f"{each.__name__}.{name}")
            words = [word for word in get_args(field.annotation) if isinstance(word, str)]
            found |= {f"{each.__name__}.{name}={word}" for word in words if word != field.default}
    return found


@pytest.mark.long("makes two thousand requests")
@pytest.mark.timeout(900)
def test_every_node_and_every_field_of_a_request_is_made() -> None:
    made: set[str] = set()

    @seed(3)
    @settings(
        max_examples=_EXAMPLES, phases=[Phase.generate], database=None,
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    @given(st.data())
    def collect(data: st.DataObject) -> None:
        asked = data.draw(requests(data.draw(models())))
        for node in _walk(asked):
            made.update(_said(node))

    collect()
    assert _possible() - made == set()
