"""Going on after a config error, so that all of them are said together."""

from __future__ import annotations

from types import TracebackType

from flows.config.composition import raise_all
from flows.errors import CheckError, ConfigError, UnknownValue


class Faults:
    """Keeps the config errors of its `with` blocks, each once; other errors go through."""

    def __init__(self) -> None:
        self.found: dict[str, ConfigError] = {}

    def __enter__(self) -> Faults:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool:
        del kind, trace
        if not isinstance(error, ConfigError):
            return False
        self.keep(error)
        return True

    def keep(self, *errors: ConfigError) -> None:
        """Keep the errors, and each of those that were found together. One that is only about an
        unknown value is none: what keeps the value from being known is kept already."""
        for error in errors:
            for each in error.errors if isinstance(error, CheckError) else (error,):
                if not isinstance(each, UnknownValue):
                    self.found.setdefault(str(each), each)

    def raise_all(self) -> None:
        """Raise what was found, in the order of its places; nothing when there is nothing."""
        raise_all(list(self.found.values()))
