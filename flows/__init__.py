"""analyst-flows: agents for data, declared in YAML.

`run(path, overrides)` runs a run file, `resume(run_id)` goes on with a run, `fork(run_id, at)` does
so from a step of it as a new run, and `replay(run_id)` runs it again from its record; `arun`,
`aresume`, `afork` and `areplay` are the same for code that awaits them;
`chat(data=FILE).send(text)` talks about data, `Interpreter([function])(text)` answers with
functions. The other names are what a flow of your own is made
of. Nothing is imported before it is used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from flows.core.flow import AtomicConfig, AtomicFlow, CompositeFlow, Flow, FlowConfig, Ports
    from flows.core.result import RunResult
    from flows.core.run import Run
    from flows.runners.door import aresume, arun, resume, run
    from flows.runners.fork import afork, fork
    from flows.runners.replay import areplay, replay
    from flows.services.interpreter import Interpreter
    from flows.services.session import chat

__version__: str

_PLACES = {
    "AtomicConfig": "flows.core.flow",
    "AtomicFlow": "flows.core.flow",
    "CompositeFlow": "flows.core.flow",
    "Flow": "flows.core.flow",
    "FlowConfig": "flows.core.flow",
    "Interpreter": "flows.services.interpreter",
    "Ports": "flows.core.flow",
    "Run": "flows.core.run",
    "RunResult": "flows.core.result",
    "afork": "flows.runners.fork",
    "areplay": "flows.runners.replay",
    "aresume": "flows.runners.door",
    "arun": "flows.runners.door",
    "chat": "flows.services.session",
    "fork": "flows.runners.fork",
    "replay": "flows.runners.replay",
    "resume": "flows.runners.door",
    "run": "flows.runners.door",
}

__all__ = [
    "AtomicConfig",
    "AtomicFlow",
    "CompositeFlow",
    "Flow",
    "FlowConfig",
    "Interpreter",
    "Ports",
    "Run",
    "RunResult",
    "__version__",
    "afork",
    "areplay",
    "aresume",
    "arun",
    "chat",
    "fork",
    "replay",
    "resume",
    "run",
]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        return import_module("importlib.metadata").version("analyst-flows")
    if name not in _PLACES:
        raise AttributeError(f"module 'flows' has no attribute {name!r}")
    return getattr(import_module(_PLACES[name]), name)


def __dir__() -> list[str]:
    return __all__
