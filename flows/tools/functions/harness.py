"""Runs the tests of a tool: the text of this module runs in the sandbox, below the tool's source.

A test without arguments is an example. One with arguments is a property: it is called with many
values of their types, by Hypothesis where it is installed. What a test prints is left out.
"""

# No `from __future__` here: this is no beginning of a file where it runs.
import contextlib
import copy
import importlib.util
import io
import json
import os
import random
import sys
import time
import traceback
import types
import typing
import unittest
import warnings
from collections.abc import Iterator
from typing import Any

EXAMPLES = 50
LARGEST = 10**9
LONGEST = 12  # items of a list, rows of a table
# An alphabet of its own spares Hypothesis the table of all characters, which takes it seconds.
LETTERS = (
    "abcxyzABC 0189 _-.,;:/()'\"\t\n"
    "\u00e4\u00df\u00e9\u03bb\u4e2d\u0130\ufb01\u0301\u200b\U0001f600"
)
MESSAGE = 1_500  # characters


def run_tests(names: dict[str, Any], order: dict[str, Any]) -> None:
    """Call each test of the module whose globals are `names`, and say on a line how it ended.

    A line is the `mark` and JSON: `begun` before a test, `status` and the rest after it.
    """
    sys.stdout.flush()
    output = os.fdopen(os.dup(1), "w")
    tool = order["tool"]
    names[tool] = _watched(names[tool], tool)
    for test in order["tests"]:
        print(order["mark"] + json.dumps({"name": test, "begun": True}), file=output, flush=True)
        started = time.perf_counter()
        found = _outcome(names[test], order["file"])
        found = {"name": test, "seconds": round(time.perf_counter() - started, 3), **found}
        print(order["mark"] + json.dumps(found), file=output, flush=True)


def _outcome(test: Any, file: str) -> dict[str, Any]:
    _seed()
    try:
        with _silence(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            _call(test)
    except unittest.SkipTest as error:
        return {"status": "skipped", "message": str(error)[:MESSAGE]}
    except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever it raises, it has failed
        return {"status": "failed", **_told(error, file)}
    finally:
        if "matplotlib.pyplot" in sys.modules:
            sys.modules["matplotlib.pyplot"].close("all")
    return {"status": "passed"}


@contextlib.contextmanager
def _silence() -> Iterator[None]:
    """Without what is printed, by libraries that are not Python, too."""
    streams = {each: os.dup(each) for each in (1, 2)}
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for each in streams:
        os.dup2(nowhere, each)
    os.close(nowhere)
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            yield
    finally:
        for each, kept in streams.items():
            os.dup2(kept, each)
            os.close(kept)


def _told(error: BaseException, file: str) -> dict[str, Any]:
    """The error in words, and its last line that is one of the tool's source."""
    frames = [each for each in traceback.extract_tb(error.__traceback__) if each.filename == file]
    text = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    if isinstance(error, AssertionError) and not str(error) and frames:
        text = f"it is not so: {frames[-1].line}"
    notes = [each for each in getattr(error, "__notes__", ()) if isinstance(each, str)]
    message = "\n".join((text, *notes))[:MESSAGE]
    return {"message": message, "line": frames[-1].lineno if frames else None}


def _seed() -> None:
    random.seed(0)
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed(0)


def _call(test: Any) -> None:
    """An example once; a property for many values, small ones first."""
    if hasattr(test, "hypothesis"):  # it was given its values by its own decorator
        _settings()
        test()
        return
    kinds = typing.get_type_hints(test)
    kinds.pop("return", None)
    if not kinds:
        test()
        return
    if importlib.util.find_spec("hypothesis") is not None:
        from hypothesis import given

        _settings()
        given(**{name: _strategy(kind) for name, kind in kinds.items()})(test)()
        return
    chance = random.Random(0)
    for number in range(EXAMPLES):
        size = 1 + number * LONGEST // EXAMPLES
        values = {name: _drawn(kind, chance, size) for name, kind in kinds.items()}
        try:
            test(**copy.deepcopy(values))
        except Exception as error:
            shown = ", ".join(f"{name}={value!r}" for name, value in values.items())
            error.add_note(f"Failing test case: {test.__name__}({shown})")
            raise


def _settings() -> None:
    from hypothesis import HealthCheck, settings

    settings.register_profile(
        "tools",
        database=None,
        deadline=None,
        derandomize=True,
        max_examples=EXAMPLES,
        report_multiple_bugs=False,
        suppress_health_check=list(HealthCheck),
    )
    settings.load_profile("tools")


def _strategy(kind: Any) -> Any:
    """What Hypothesis draws values of the type from."""
    from hypothesis import strategies as st

    plain = {
        int: st.integers(-LARGEST, LARGEST),
        float: st.floats(-float(LARGEST), float(LARGEST), allow_nan=False),
        str: st.text(LETTERS, max_size=LONGEST),
        bool: st.booleans(),
        type(None): st.none(),
    }
    if kind in plain:
        return plain[kind]
    name, inner = _parts(kind)
    if name == "literal":
        return st.sampled_from(list(inner))
    if name == "union":
        return st.one_of([_strategy(each) for each in inner])
    if name == "object":
        return st.dictionaries(_strategy(str), _strategy(inner[0]), max_size=LONGEST)
    if name == "several":
        return st.tuples(*map(_strategy, inner))
    if name == "list":
        return st.lists(_strategy(inner[0]), max_size=LONGEST).map(_made_of(kind))
    if name == "table":
        cells = {each: _strategy(column) for each, column in _columns().items()}
        return st.lists(st.fixed_dictionaries(cells), max_size=LONGEST).map(_table)
    return st.one_of(list(plain.values()))


def _drawn(kind: Any, chance: random.Random, size: int) -> Any:
    """A value of the type by chance, no longer than `size`."""
    plain: dict[Any, Any] = {
        int: lambda: chance.choice((0, 1, -1, size, chance.randint(-LARGEST, LARGEST))),
        float: lambda: chance.choice((0.0, -1.5, float(size), chance.uniform(-LARGEST, LARGEST))),
        str: lambda: "".join(chance.choices(LETTERS, k=chance.randrange(size))),
        bool: lambda: chance.random() < 0.5,
        type(None): lambda: None,
    }
    if kind in plain:
        return plain[kind]()
    name, inner = _parts(kind)
    if name == "literal":
        return chance.choice(list(inner))
    if name == "union":
        return _drawn(chance.choice(list(inner)), chance, size)
    if name == "object":
        keys = [_drawn(str, chance, size) for _ in range(chance.randrange(size))]
        return {each: _drawn(inner[0], chance, size) for each in keys}
    if name == "several":
        return tuple(_drawn(each, chance, size) for each in inner)
    if name == "list":
        return _made_of(kind)(
            [_drawn(inner[0], chance, size) for _ in range(chance.randrange(size))]
        )
    if name == "table":
        columns = _columns().items()
        rows = range(chance.randrange(size))
        return _table(
            [{each: _drawn(column, chance, size) for each, column in columns} for _ in rows]
        )
    return chance.choice(list(plain.values()))()


def _parts(kind: Any) -> tuple[str, tuple[Any, ...]]:
    """What sort of type it is, and the types or values in it."""
    origin, inner = typing.get_origin(kind), typing.get_args(kind)
    if origin is typing.Literal:
        return "literal", inner
    if origin in (typing.Union, types.UnionType):
        return "union", inner
    if getattr(origin or kind, "__name__", "") in ("dict", "Mapping"):
        return "object", inner[1:] or (int,)
    if origin is tuple and inner and inner[-1] is not ...:
        return "several", inner
    if getattr(kind, "__name__", "") == "DataFrame":
        return "table", ()
    if getattr(origin or kind, "__name__", "") in (
        "list",
        "tuple",
        "Sequence",
        "Iterable",
        "Collection",
    ):
        return "list", inner[:1] or (int,)
    return "anything", ()


def _made_of(kind: Any) -> Any:
    """What turns a list into a value of the type."""
    return tuple if (typing.get_origin(kind) or kind) is tuple else list


def _columns() -> dict[str, Any]:
    """The columns of a table that is made by chance, and what is in them."""
    return {
        "number": float | None,
        "count": int,
        "text": str | None,
        "group": typing.Literal["a", "b", "c"],
        "flag": bool,
    }


def _table(rows: list[dict[str, Any]]) -> Any:
    import pandas as pd

    frame = pd.DataFrame(rows, columns=list(_columns()))
    return frame.astype({"number": float, "count": int, "flag": bool})


def _watched(function: Any, name: str) -> Any:
    """The tool, which fails where it changes what it is given."""

    def call(*values: Any, **named: Any) -> Any:
        given = [*values, *named.values()]
        try:
            before = copy.deepcopy(given)
        except TypeError:  # a test gives what cannot be copied, and no caller could
            return function(*values, **named)
        found = function(*values, **named)
        for old, new in zip(before, given, strict=True):
            if not _same(old, new):
                raise AssertionError(f"{name} changed what it was given")
        return found

    call.__name__, call.__doc__, call.__wrapped__ = name, function.__doc__, function  # type: ignore[attr-defined]
    return call


def _same(old: Any, new: Any) -> bool:
    if hasattr(old, "equals") and hasattr(old, "columns"):
        labels = list(old.columns) == list(new.columns) and old.index.equals(new.index)
        return labels and list(old.dtypes) == list(new.dtypes) and bool(old.equals(new))
    if isinstance(old, dict):
        return list(old) == list(new) and all(_same(old[key], new[key]) for key in old)
    if isinstance(old, list | tuple):
        return len(old) == len(new) and all(map(_same, old, new))
    return repr(old) == repr(new)
