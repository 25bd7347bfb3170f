"""What a piece of code has made, told and written where the host looks for it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

from flows.sandbox import tabular
from flows.sandbox.figures import FigureCollector, is_drawing, is_plotly
from flows.sandbox.report import FigureMade, ModelMade, TableMade, VariableMade
from flows.sandbox.scope import MainModule, Variables

_VARIABLES, _TABLES, _MODELS = 200, 20, 10
_LONGEST_REPR = 200
_LONGEST_RESULT = 20_000


@dataclass(frozen=True)
class OutputLimits:
    """The most that comes back: rows of a table, bytes of a file."""

    table_rows: int
    file_bytes: int


@dataclass
class Collection:
    """The parts of a report, while they are gathered; its files are numbered in `folder`."""

    folder: Path
    limits: OutputLimits
    variables: list[VariableMade] = field(default_factory=list)
    tables: list[TableMade] = field(default_factory=list)
    figures: list[FigureMade] = field(default_factory=list)
    models: list[ModelMade] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    _written: int = 0

    def add_variables(self, made: Variables) -> None:
        for name, value in list(made.items())[:_VARIABLES]:
            shape = [int(each) for each in getattr(value, "shape", ()) or () if _is_whole(each)]
            kind = type(value).__name__[:200]
            self.variables.append(
                {"name": name, "type": kind, "repr": short(value), "shape": shape[:10]}
            )
        if len(made) > _VARIABLES:
            self.notes.append(f"{len(made)} variables were made; the first {_VARIABLES} are told")

    def add_table(self, name: str, value: Any) -> None:
        if len(self.tables) >= _TABLES:
            return self._once(f"only the first {_TABLES} tables came back")
        frame = tabular.flat(value, name)
        rows = len(frame)
        if rows > self.limits.table_rows:
            frame = frame.iloc[: self.limits.table_rows]
            self.notes.append(f"table {name}: the first {len(frame):,} of {rows:,} rows came back")
        columns, types = list(frame.columns), tabular.types_of(frame)
        cells = tabular.first_rows(frame)
        path = self._next()
        as_text = tabular.write(frame, str(path))
        if as_text:
            self.notes.append(f"table {name}: kept as text: {', '.join(as_text)[:300]}")
        if self._fits(path, f"table {name}"):
            self.tables.append(
                {
                    "name": name,
                    "columns": columns,
                    "types": types,
                    "rows": cells,
                    "total_rows": rows,
                    "file": path.name,
                }
            )
        return None

    def add_figures(self, figures: FigureCollector, names: dict[int, str]) -> None:
        for number, drawn in enumerate(figures.drawn, 1):
            name = names.get(id(drawn.object), f"figure_{number}")
            path = self._next()
            path.write_bytes(drawn.png if drawn.png is not None else str(drawn.plotly).encode())
            if self._fits(path, f"figure {name}"):
                kind = "png" if drawn.png is not None else "plotly"
                title = drawn.title[:300]
                self.figures.append({"name": name, "title": title, "kind": kind, "file": path.name})
        self.notes += figures.notes

    def add_model(self, name: str, value: Any) -> None:
        from skops import io

        if len(self.models) >= _MODELS:
            return self._once(f"only the first {_MODELS} models came back")
        path = self._next()
        path.write_bytes(io.dumps(value))
        if self._fits(path, f"model {name}"):
            self.models.append({"name": name, "file": path.name})
        return None

    def trying(self, what: str, add: Callable[..., None], *arguments: Any) -> None:
        """Add something made by code that nobody trusts; what fails is left out, with a note."""
        try:
            add(*arguments)
        except Exception as error:  # noqa: BLE001 - any of its methods may raise anything
            reason = f"{type(error).__name__}: {short(error)}"
            self.notes.append(f"{what} did not come back: {reason}"[:500])

    def _next(self) -> Path:
        self._written += 1
        return self.folder / str(self._written)

    def _fits(self, path: Path, what: str) -> bool:
        size = path.stat().st_size
        if size <= self.limits.file_bytes:
            return True
        path.unlink()
        most = self.limits.file_bytes >> 20
        self.notes.append(f"{what} did not come back: {size >> 20} MB, and {most} are allowed")
        return False

    def _once(self, note: str) -> None:
        if note not in self.notes:
            self.notes.append(note)


class Snapshot:
    """The variables before a piece runs, to know afterwards which it made or changed."""

    def __init__(self, scope: MainModule) -> None:
        self._before = {name: (value, _state(value)) for name, value in _own(scope)}

    def made(self, scope: MainModule) -> Variables:
        return {name: value for name, value in _own(scope) if self._is_new(name, value)}

    def _is_new(self, name: str, value: Any) -> bool:
        if name not in self._before:
            return True
        old, state = self._before[name]
        return old is not value or state != _state(value)


def gather(
    collection: Collection,
    scope: MainModule,
    made: Variables,
    result: Any,
    figures: FigureCollector,
) -> str:
    """Fill the collection with what a piece made; returns the text of its result."""
    collection.trying("a figure", figures.take_open)
    for value in (*made.values(), result):
        if is_plotly(value):
            collection.trying("a figure", figures.take_plotly, value)
    names = {id(value): name for name, value in _own(scope)}
    collection.add_variables(made)
    for name, value in _tables(made, result, names):
        collection.trying(f"table {name}", collection.add_table, name, value)
    collection.trying("figures", collection.add_figures, figures, names)
    for name, value in made.items():
        if _is_model(value):
            collection.trying(f"model {name}", collection.add_model, name, value)
    if result is None or is_plotly(result):
        return ""
    text = _repr(result)
    if len(text) > _LONGEST_RESULT:
        collection.notes.append(f"the result's text was cut after {_LONGEST_RESULT:,} characters")
    return text[:_LONGEST_RESULT]


def short(value: Any) -> str:
    if tabular.is_frame(value) and hasattr(value, "columns"):
        columns = ", ".join(str(each) for each in value.columns[:20])
        text = f"{len(value)} rows of {columns}"
    elif isinstance(value, BaseException):
        text = str(value)
    elif is_drawing(value):
        text = f"<{type(value).__name__}>"
    else:
        text = " ".join(_repr(value).split())
    text = text.encode("utf-8", "replace").decode()
    return text if len(text) <= _LONGEST_REPR else text[:_LONGEST_REPR] + " ..."


def _tables(made: Variables, result: Any, names: dict[int, str]) -> Iterator[tuple[str, Any]]:
    found = [(name, value) for name, value in made.items() if tabular.is_frame(value)]
    yield from found
    if tabular.is_frame(result) and not any(value is result for _, value in found):
        yield names.get(id(result), "result"), result


def _own(scope: MainModule) -> list[tuple[str, Any]]:
    """The variables that the code made itself, or that it changed of those it was given."""
    return [
        (name, value)
        for name, value in list(scope.names.items())
        if isinstance(name, str) and not name.startswith("_") and not isinstance(value, ModuleType)
        if name != "tables" or scope.given.get(name) is not value
    ]


def _state(value: Any) -> Any:
    if tabular.is_frame(value):
        return tabular.state_of(value)
    return len(value) if type(value) in (list, dict, set) else None


def _is_model(value: Any) -> bool:
    module = sys.modules.get("sklearn.base")
    return (
        module is not None
        and isinstance(value, module.BaseEstimator)
        and (
            any(name.endswith("_") and not name.startswith("_") for name in vars(value))
            or _says_fitted(value)
        )
    )


def _says_fitted(value: Any) -> bool:
    """Whether a pipeline, which learns nothing itself, says that its steps have."""
    check = getattr(value, "__sklearn_is_fitted__", None)
    try:
        return check is not None and bool(check())
    except Exception:  # noqa: BLE001 - the code's own method
        return False


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) or hasattr(value, "__index__")


def _repr(value: Any) -> str:
    try:
        return str(repr(value))
    except Exception as error:  # noqa: BLE001 - the code's own method
        return f"<{type(value).__name__}, whose repr raises {type(error).__name__}>"
