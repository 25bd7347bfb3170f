"""Ports that are declared in a config."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from flows.core.flow import AtomicConfig, Parts, Ports
from flows.core.ports import TYPES, PortsSpec, check_ports, ports_model
from flows.core.run import Run
from flows.core.session import Session
from flows.errors import PortError, StepFailed
from tests.flows_for_tests import Add, AddConfig


def read(ports: type[Ports], **values: Any) -> Ports:
    return ports.model_validate(values)


def test_names_alone_take_anything_and_are_needed() -> None:
    ports = ports_model("X", ("a", "b"))
    assert read(ports, a=1, b=None).__dict__ == {"a": 1, "b": None}
    with pytest.raises(ValidationError, match="b\n  Field required"):
        read(ports, a=1)


def test_types() -> None:
    ports = ports_model("X", {"n": "int", "s": "str?", "x": "any?", "l": "list", "d": "dict?"})
    assert read(ports, n=3, l=[1]).__dict__ == {"n": 3, "s": None, "x": None, "l": [1], "d": None}
    with pytest.raises(ValidationError, match="valid integer"):
        read(ports, n="three", l=[])
    with pytest.raises(ValidationError, match="Extra inputs"):
        read(ports, n=3, l=[], more=1)


@pytest.mark.parametrize("kind", TYPES)
def test_every_type_may_be_optional(kind: str) -> None:
    assert ports_model("X", {"a": f"{kind}?"})().__dict__ == {"a": None}


@pytest.mark.parametrize(
    ("spec", "problem"),
    [
        (("a", "a"), "named twice"),
        (("",), "empty"),
        ({"a": "strr"}, "did you mean 'str'?"),
        ({"a": "Any"}, "did you mean 'any'?"),
        (("_private",), "keep for themselves"),
        (("model_config",), "keep for themselves"),
    ],
)
def test_refused(spec: PortsSpec, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        check_ports(spec)


@pytest.mark.parametrize("name", ["schema", "json", "copy", "dict", "a.b", "with space", "class"])
def test_names_that_are_good_for_ports(name: str) -> None:
    assert check_ports((name,)) == (name,)
    values: dict[str, Any] = {name: 3}
    assert ports_model("X", (name,)).model_validate(values).__dict__ == values


def test_what_a_flow_says_of_wrong_inputs() -> None:
    flow = Add(AtomicConfig(), Parts("add"))
    with pytest.raises(PortError) as caught:
        flow.read_inputs({"m": 1})
    text = str(caught.value)
    assert text.startswith("add: ")
    assert "missing input 'n'" in text
    assert "unknown input 'm'" in text
    assert text.endswith("(inputs: n)")


def test_picking_leaves_other_keys_out_and_still_checks(tmp_path: Path) -> None:
    flow = Add(AddConfig(), Parts("add"))
    assert flow.pick({"n": 1, "other": 2}).__dict__ == {"n": 1}
    run = Run(Session("r", tmp_path), flow, "", 0)
    with pytest.raises(StepFailed, match="missing input 'n'") as caught:
        asyncio.run(run.call(flow, {"other": 2}, pick=True))
    assert isinstance(caught.value.root, PortError)
