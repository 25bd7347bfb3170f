"""What is wrong with a table: the arguments."""

from __future__ import annotations

from typing import ClassVar

from flows.analysis.methods.arguments import AnyColumn, Arguments


class DataQuality(Arguments):
    """The columns to look at; all of them where none is named. `keys` tell rows apart."""

    method: ClassVar[str] = "data_quality"

    fields: tuple[AnyColumn, ...] = ()
    keys: tuple[AnyColumn, ...] = ()
