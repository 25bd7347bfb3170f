"""The libraries that code finds without importing them, and those that are ready in a fork.

The zygote imports what the code at hand mentions, and no more; what the code reaches otherwise is
imported by its own process, with the same settings.
"""

from __future__ import annotations

import gc
import hashlib
import importlib
import importlib.util
import os
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from flows.sandbox.imports import when_imported

_STAMPS = "compiled"
# All libraries take about 950 MB of address space.
_ROOMY_MB = 2048


@dataclass(frozen=True)
class Library:
    """What is imported for a library, and what it stands on.

    `practice` uses it once, so that a fork finds ready what a first use makes.
    """

    modules: tuple[str, ...]
    needs: tuple[str, ...] = ()
    practice: Callable[[], None] = lambda: None


def mentioned(names: Collection[str], imports: Collection[str], *, tables: bool) -> frozenset[str]:
    """The libraries that code wants, by the names and the imports in it; `tables` are frames."""
    found = {NAMES[name].partition(".")[0] for name in names if name in NAMES}
    found |= {each for each in imports if each in LIBRARIES}
    return complete(found | ({"pandas"} if tables else set()))


def wanted(
    names: Collection[str], imports: Collection[str], *, tables: bool, memory_mb: int
) -> frozenset[str]:
    """The libraries that a process has to find: those that its code mentions. Where it may add
    little memory, all, since what it imports itself counts as added."""
    if memory_mb < _ROOMY_MB:
        return frozenset(LIBRARIES)
    return mentioned(names, imports, tables=tables)


def complete(names: Iterable[str]) -> frozenset[str]:
    """These libraries with all that they stand on."""
    found: set[str] = set()
    todo = list(names)
    while todo:
        name = todo.pop()
        if name not in found:
            found.add(name)
            todo += LIBRARIES[name].needs
    return frozenset(found)


def load(names: Collection[str], kept: Path | None, known: Collection[str] = ()) -> frozenset[str]:
    """Import the libraries but those `known`, and use each once; returns all that are imported.

    With `kept`, where compiled modules are written, also those that are not compiled there yet:
    no other process may write them, and would have to compile them each time.
    """
    _settle()
    installed = [name for name in LIBRARIES if importlib.util.find_spec(name) is not None]
    stamps = {} if kept is None else _stamps(kept, installed)
    fresh = {name for name, stamp in stamps.items() if not stamp.exists()}
    loaded = complete({*names, *fresh, *known})
    for name in installed:
        if name not in loaded or name in known:
            continue
        library = LIBRARIES[name]
        for module in library.modules:
            importlib.import_module(module)
        library.practice()
        if name in stamps:
            stamps[name].parent.mkdir(exist_ok=True)
            stamps[name].touch()
    gc.collect()
    gc.freeze()
    return loaded


def are_all(loaded: Collection[str]) -> bool:
    """Whether no library is left that code could import itself."""
    return LIBRARIES.keys() <= set(loaded)


def _settle() -> None:
    when_imported("pandas", _settle_pandas)
    when_imported("matplotlib", _settle_matplotlib)


def _settle_pandas(pandas: Any) -> None:
    pandas.set_option("display.width", 120, "display.max_columns", 20)


def _settle_matplotlib(matplotlib: Any) -> None:
    matplotlib.use("Agg")
    matplotlib.rcParams["figure.max_open_warning"] = 0


def _use_pandas() -> None:
    import numpy as np
    import pandas as pd

    repr(pd.DataFrame({"number": np.arange(3.0), "text": ["a", "b", "c"]}).describe())


def _use_matplotlib() -> None:
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots()
    axes.plot([1, 2], label="line")
    axes.set_title("title")
    axes.legend()
    figure.savefig(os.devnull, format="png", bbox_inches="tight")
    plt.close("all")


def _use_plotly() -> None:
    import pandas as pd
    from plotly import express

    express.scatter(pd.DataFrame({"x": [1.0], "y": [2.0]}), x="x", y="y").to_json()


def _stamps(kept: Path, names: Iterable[str]) -> dict[str, Path]:
    """By library, the file that says that this version of it was imported from where it is."""
    stamps = {}
    for name in names:
        spec = importlib.util.find_spec(name)
        origin = spec.origin if spec is not None else None
        state = (origin, Path(origin).stat().st_mtime_ns if origin else 0)
        digest = hashlib.sha256(repr(state).encode()).hexdigest()[:16]
        stamps[name] = kept / _STAMPS / f"{name}-{digest}"
    return stamps


# The names that code finds, and what they are.
NAMES: Final = {
    "pd": "pandas",
    "np": "numpy",
    "plt": "matplotlib.pyplot",
    "px": "plotly.express",
    "go": "plotly.graph_objects",
    "sns": "seaborn",
}
# In an order in which each comes after what it stands on.
LIBRARIES: Final = {
    "numpy": Library(("numpy",)),
    "pyarrow": Library(("pyarrow.parquet",), ("numpy",)),
    "pandas": Library(("pandas",), ("numpy", "pyarrow"), _use_pandas),
    "matplotlib": Library(("matplotlib.pyplot",), ("numpy",), _use_matplotlib),
    "plotly": Library(("plotly.express", "plotly.graph_objects"), ("pandas",), _use_plotly),
    "scipy": Library(("scipy.stats",), ("numpy",)),
    "sklearn": Library(
        (
            "sklearn.cluster",
            "sklearn.ensemble",
            "sklearn.linear_model",
            "sklearn.metrics",
            "sklearn.model_selection",
            "sklearn.pipeline",
            "sklearn.preprocessing",
        ),
        ("scipy", "skops"),
    ),
    # Models come back in its format.
    "skops": Library(("skops.io",), ("sklearn",)),
    "seaborn": Library((), ("matplotlib", "pandas", "scipy")),
}
