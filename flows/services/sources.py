"""The data that a person names: paths and addresses, with or without a name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from flows.config.secret import ENV, EnvSecret, masked
from flows.config.settings import Setting
from flows.errors import UsageError

_NAMED = re.compile(r"([^\W\d]\w*)=(.+)", re.DOTALL)
_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")
_PACKED = (".gz", ".zst", ".bz2", ".xz", ".zip")
_LONGEST = 40


@dataclass(frozen=True, slots=True)
class NamedSource:
    """Data under the name that queries use: a path, an address, or `${env:NAME}` that holds one.

    `origin` says where it was named (`--data sales.csv`), for errors.
    """

    name: str
    where: str
    origin: str = field(default="data", compare=False)

    @property
    def setting(self) -> Setting:
        """The source as a value of a run file's `data`."""
        where = EnvSecret(self.where) if ENV.fullmatch(self.where) else self.where
        return Setting(f"data.{self.name}", where, self.origin)


def read_sources(
    given: Sequence[str], taken: Iterable[str] = (), *, origin: str = ""
) -> tuple[NamedSource, ...]:
    """The sources that `[NAME=]PATH` stand for. One without a name gets that of its file, folder or
    database; no two names are alike, nor like one that is `taken`: a second `sales` is `sales_2`.

    `origin` is that of all; without it each is known by its `--data`. Errors: `UsageError` for a
    name that is given twice.
    """
    used = {each.casefold() for each in taken}
    split = [(each, *split_name(each)) for each in given]
    for _, name, _ in split:
        if name is not None:
            if name.casefold() in used:
                raise UsageError(f"two sources are named {name!r}")
            used.add(name.casefold())
    found = []
    for text, name, where in split:
        if name is None:
            name = _free(stem_of(where), used)
            used.add(name.casefold())
        found.append(NamedSource(name, where, origin or _option(text, where)))
    return tuple(found)


def check_sources(sources: Iterable[NamedSource]) -> None:
    """Errors: `UsageError` for a file with nothing in it, which later faults would only hint at."""
    for each in sources:
        path = Path(each.where)
        if path.is_file() and path.stat().st_size == 0:
            raise UsageError(f"{path} is empty")


def source_names(overrides: Iterable[str]) -> list[str]:
    """The names of the sources that overrides give: `sales` of `data.sales=sales.csv`."""
    keys = (each.lstrip("+").partition("=")[0] for each in overrides)
    return [key.removeprefix("data.") for key in keys if key.startswith("data.")]


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


def _option(text: str, where: str) -> str:
    """The option that named the data, without a password that is in the address."""
    return f"--data {text.removesuffix(where)}{masked('data', where)}"


def _free(name: str, used: set[str]) -> str:
    number, free = 1, name
    while free.casefold() in used:
        number += 1
        free = f"{name}_{number}"
    return free
