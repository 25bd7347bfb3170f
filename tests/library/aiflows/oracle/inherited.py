"""Classes whose default configs are those of classes of other modules: a package for the cases."""

from __future__ import annotations

from typing import Final

INHERITED: Final = {
    "inherited/__init__.py": "from .far.flows import Far\n",
    "inherited/near.py": '''
from aiflows.base_flows import AtomicFlow, CircularFlow, SequentialFlow
from scripted import note

ROUNDS = 4
PORTS = {"input_interface": ["n"], "output_interface": ["n"]}


class Add(AtomicFlow):
    __default_flow_config = {"description": "Adds.", "amount": 50, **PORTS}

    def run(self, input_data):
        note(self, input_data)
        return {"n": input_data["n"] + self.flow_config["amount"]}


class Near(SequentialFlow):
    """Its default config lies beside its module."""


class Rounds(CircularFlow):
    """A default config without subflows, of names of the module."""

    __default_flow_config = {
        **PORTS, "name": "Rounds", "description": "Adds.", "max_rounds": ROUNDS,
        "early_exit_key": None,
    }
''',
    "inherited/Near.yaml": """
name: Near
description: Adds.
amount: 33
input_interface: [n]
output_interface: [n]
subflows_config:
  near: {_target_: .near.Add.instantiate_from_default_config, name: N, amount: "${amount}"}
topology: [{goal: near, flow: near}]
""",
    "inherited/far/__init__.py": "",
    "inherited/far/flows.py": '''
import inherited.near
from aiflows.base_flows import AtomicFlow

from .. import near
from ..near import Add as Sum, Near


class More(Sum):
    __default_flow_config = {"amount": 700}


class Far(Near):
    """A file over that of another module's class."""


class Changed(near.Near):
    __default_flow_config = {"subflows_config": {"near": {"amount": 5}}}


class Unchanged(inherited.near.Near):
    """Nothing of its own."""
''',
    "inherited/far/Far.yaml": """
subflows_config:
  far: {_target_: .flows.More.instantiate_from_default_config, name: F}
topology: [{goal: near, flow: near}, {goal: far, flow: far}]
""",
}
