"""aiflows 0.1.7: its `CircularFlow` over five `AtomicFlow` subclasses, composed from YAML.

`aiflows_steps.yaml` is read and instantiated as aiflows' own examples do it, and the flow is called
with an `InputMessage` as its launcher calls it. Inputs are matched by `KeyMatchInput`, outputs
merged into the state. Every message is kept in the flows' histories, as always. The log level is
raised from info to warning, because at info a run prints a line about its last round; messages are
logged at debug and are printed at neither level.

Every output message carries the whole history of its flow, so here the cost of a step grows with
the number of rounds.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import hydra
from aiflows.base_flows import AtomicFlow
from aiflows.messages import InputMessage
from aiflows.utils import logging
from aiflows.utils.general_helpers import read_yaml_file
from driver import driver_arguments, measure
from workload import State, advance, initial_state


class CountFlow(AtomicFlow):
    """One subflow of the ring."""

    def run(self, input_data: dict[str, Any]) -> dict[str, Any]:
        counter, items = advance(input_data["counter"], input_data["items"])
        return {"counter": counter, "items": items}


def build(rounds: int) -> Callable[[], State]:
    logging.set_verbosity_warning()
    config = read_yaml_file(Path(__file__).with_suffix(".yaml"))["flow"]
    config["max_rounds"] = rounds
    ring = hydra.utils.instantiate(config, _recursive_=False, _convert_="partial")

    def run() -> State:
        message = InputMessage.build(
            data_dict=initial_state(), src_flow="benchmark", dst_flow=ring.name
        )
        return ring(message).get_output_data()

    return run


if __name__ == "__main__":
    measure(build, driver_arguments().rounds)
