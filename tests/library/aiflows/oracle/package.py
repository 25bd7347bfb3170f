"""Runs files in aiflows 0.1.7 itself, as its launcher does: one process for all of them.

Each line of the input is a folder with a `case.yaml`, and its samples, in JSON. Each line of the
output is what came of it: `outputs` of each sample, or the name and the text of the `error`; and
the `calls` of the classes in `scripted.py`, each with the flow's name and what it was given. The
folder of the classes is the first argument.
"""

from __future__ import annotations

import json
import logging
import sys
from copy import deepcopy
from importlib import import_module
from pathlib import Path
from typing import Any


class CallList(logging.Handler):
    """Keeps the calls that the classes tell of."""

    def __init__(self) -> None:
        super().__init__(logging.INFO)
        self.calls: list[tuple[str, Any]] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.calls.append((record.msg, deepcopy(record.args)))


def main() -> None:
    """Answer each line until there is no more."""
    out = sys.stdout
    sys.stdout = sys.stderr  # aiflows logs there
    sys.path.insert(0, sys.argv[1])
    for name in ("base_flows", "flow_launchers", "interfaces"):
        import_module(f"aiflows.{name}")
    logging.getLogger("aiflows").setLevel(logging.CRITICAL + 1)
    for line in sys.stdin:
        folder, samples = json.loads(line)
        print(json.dumps(answer(Path(folder), samples), default=str), file=out, flush=True)


def answer(folder: Path, samples: list[Any]) -> dict[str, Any]:
    """What a launcher of aiflows makes of the file."""
    kept = CallList()
    logger = logging.getLogger("scripted")
    logger.handlers[:] = [kept]
    logger.setLevel(logging.INFO)
    logger.propagate = False
    sys.path.insert(0, str(folder))
    import_module("aiflows.flow_cache").CACHING_PARAMETERS.cache_dir = str(folder / "cache")
    found: dict[str, Any] = {}
    try:
        found["outputs"] = launched(folder / "case.yaml", samples)
    except Exception as error:  # noqa: BLE001 - whatever it is, it is the answer
        found["error"] = [type(error).__name__, str(error)[-400:]]
    sys.path.remove(str(folder))
    found["calls"] = kept.calls
    return found


def launched(file: Path, samples: list[Any]) -> list[Any]:
    """The outputs of each sample, as its examples launch a file."""
    read = import_module("aiflows.utils.general_helpers").read_yaml_file
    make = import_module("hydra.utils").instantiate
    config = read(str(file))
    config.pop("compat", None)
    parts = {
        side: make(config.pop(side), _recursive_=False, _convert_="partial")
        for side in ("input_interface", "output_interface")
        if "flow" in config and config.get(side) is not None
    }
    flow = make(config.get("flow", config), _recursive_=False, _convert_="partial")
    launcher = import_module("aiflows.flow_launchers").FlowLauncher
    _, told = launcher.launch({"flow": flow, **parts}, samples)
    # One list holds the outputs of all samples, and each sample has it.
    outputs: list[Any] = told[-1]
    return outputs


if __name__ == "__main__":
    main()
