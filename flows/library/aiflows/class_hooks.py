"""What a class for aiflows that subclasses a composite does beside its steps."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any, Final

from flows.core.values import Values

_SET_UP: Final = "set_up_flow_state"
_LAST_ROUND: Final = "_on_reach_max_rounds"
_EXIT: Final = "_early_exit"


class ClassHooks:
    """The methods of a class that aiflows calls: `set_up_flow_state` before its first call and
    after a reset, `_early_exit` after each step, and `_on_reach_max_rounds` when that has not ended
    its rounds."""

    def __init__(self, written: type, config: Mapping[str, Any]) -> None:
        self.written = written
        self.config = {"name": written.__name__, **config}

    def first_state(self) -> Values:
        """The state that a first call begins with."""
        return dict(self._made().flow_state)

    def end_rounds(self, state: Values) -> None:
        """Let the class change the state after its last round."""
        made = self._made()
        made.flow_state = state
        made._on_reach_max_rounds()

    def exits(self, state: Values) -> bool:
        """Whether a method of its own says that the rounds end here."""
        if not _is_own(self.written, _EXIT):
            return False
        made = self._made()
        made.flow_state = state
        return bool(made._early_exit())

    def _made(self) -> Any:
        made: Any = object.__new__(self.written)
        made.flow_config = copy.deepcopy(self.config)
        made.subflows = {}
        made.set_up_flow_state()
        return made


def hooks_of(written: type, keys: Mapping[str, Any]) -> ClassHooks | None:
    """The hooks of a class with these keys in the run file; None for one without its own."""
    if not any(_is_own(written, name) for name in (_SET_UP, _LAST_ROUND, _EXIT)):
        return None
    return ClassHooks(written, written.get_config(**keys))  # type: ignore[attr-defined]


def _is_own(written: type, name: str) -> bool:
    method = getattr(written, name, None)
    return method is not None and not method.__module__.startswith("aiflows.")
