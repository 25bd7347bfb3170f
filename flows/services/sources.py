"""The data that a command line names: paths and addresses, with or without a name."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

_NAMED = re.compile(r"([^\W\d]\w*)=(.+)", re.DOTALL)
_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")
_SECRET = re.compile(r"\$\{env:\w+\}")
_PACKED = (".gz", ".zst", ".bz2", ".xz", ".zip")
_LONGEST = 40


def named_sources(given: Sequence[str], taken: Sequence[str] = ()) -> dict[str, str]:
    """Names to paths or addresses. One without a name gets that of its file, folder or database.

    No two names are alike: a second `sales` is `sales_2`. Errors: `UsageError` for a name that is
    given twice.
    """
    from flows.errors import UsageError

    found: dict[str, str] = {}
    used = {each.casefold() for each in taken}
    named = [split_name(each) for each in given]
    for name, where in named:
        if name is not None:
            if name.casefold() in used:
                raise UsageError(f"two sources are named {name!r}")
            used.add(name.casefold())
            found[name] = where
    for name, where in named:
        if name is None:
            free = _free(stem_of(where), used)
            used.add(free.casefold())
            found[free] = where
    order = [where for _, where in named]
    return dict(sorted(found.items(), key=lambda pair: order.index(pair[1])))


def split_name(given: str) -> tuple[str | None, str]:
    """`NAME=PATH` in two, and a path alone; a file whose own name has a `=` is a path."""
    match = _NAMED.fullmatch(given)
    if match is None or _ADDRESS.match(given) or Path(given).exists():
        return None, given
    return match[1], match[2]


def stem_of(where: str) -> str:
    """The name that a source has by itself: `sales` of `data/sales.csv.gz`."""
    address = _ADDRESS.match(where)
    rest = re.split(r"[?#]", where[address.end() :])[0] if address else where
    path = Path(rest.rstrip("/"))
    parts = [each for each in (path.name, *(p.name for p in path.parents)) if each]
    stem = next((each for each in parts if not set("*?[") & set(each)), "data")
    if address and len(path.parts) < 2:  # a server without a database
        stem = stem.rpartition("@")[2].partition(":")[0]
    for ending in _PACKED:
        stem = stem.removesuffix(ending)
    stem = stem if stem.startswith(".") or path.is_dir() else stem.partition(".")[0]
    word = re.sub(r"\W+", "_", stem).strip("_")[:_LONGEST]
    return word if word and not word[0].isdigit() else f"data_{word}".rstrip("_")


def overrides_of(data: Sequence[str], overrides: Sequence[str]) -> list[str]:
    """The overrides that `--data` stands for, before the others."""
    given = (each.lstrip("+").partition("=")[0] for each in overrides)
    taken = [key.removeprefix("data.") for key in given if key.startswith("data.")]
    return [f"data.{name}={quoted(where)}" for name, where in named_sources(data, taken).items()]


def quoted(text: str) -> str:
    """A text as the value of an override, whatever is in it; `${env:NAME}` stays what it is."""
    if _SECRET.fullmatch(text):
        return text
    escaped = re.sub(r"(\\*)'", lambda found: found[1] * 2 + "\\'", text)
    escaped = re.sub(r"(\\*)\$\{", lambda found: found[1] * 2 + "\\${", escaped)
    tail = len(escaped) - len(escaped.rstrip("\\"))
    return "'" + escaped + "\\" * tail + "'"


def _free(name: str, used: set[str]) -> str:
    number, free = 1, name
    while free.casefold() in used:
        number += 1
        free = f"{name}_{number}"
    return free
