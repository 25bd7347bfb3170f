"""Documents from templates: the values of each are drawn, written, and kept as the truth."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta
from pathlib import Path
from random import Random
from typing import Any, Final

import yaml

from long_documents.formats import Value, written

FOLDER: Final = Path(__file__).parent
_PLACE: Final = re.compile(r"\{([a-z_]+)(?::([^{}]*))?\}")
_BLOCK: Final = re.compile(r"^::(\w+)\n(.*?)^::end\n", re.DOTALL | re.MULTILINE)
_GAP: Final = "   "


@dataclass
class Document:
    """A document with its truth: the value of each field that it states, and for each how it is
    written there; of a list each item."""

    name: str
    text: str = ""
    values: dict[str, Value] = field(default_factory=dict)
    said: dict[str, set[str]] = field(default_factory=dict)


@dataclass
class Trade:
    """Documents of one trade, with the fields that are wanted of each as a run file names them."""

    name: str
    fields: dict[str, dict[str, Any]]
    documents: list[Document]


def trades(half: str, draw: int = 0) -> Iterator[Trade]:
    """The documents of a half. Another `draw` gives other values in the same templates."""
    for path in sorted((FOLDER / half).glob("*.yaml")):
        given = yaml.safe_load(path.read_text(encoding="utf-8"))
        made = {name: spec.pop("make") for name, spec in given["fields"].items()}
        random = Random(1_000 * draw + given["seed"])
        documents = [
            _document(each, made, random) for each in sorted(path.parent.glob(f"{path.stem}-*"))
        ]
        yield Trade(path.stem, given["fields"], documents)


def _document(template: Path, made: Mapping[str, Mapping[str, Any]], random: Random) -> Document:
    drawn = {name: _drawn(spec, random) for name, spec in made.items()}
    document = Document(template.name)

    def fill(place: re.Match[str]) -> str:
        name, form = place[1], place[2] or ""
        value = drawn[name]
        text, part = written(value, form)
        document.values[name] = value
        said = document.said.setdefault(name, set())
        if isinstance(value, list):
            said.update(value)
        else:
            said.add(part)
        return text

    filled = _PLACE.sub(fill, template.read_text(encoding="utf-8"))
    document.text = _BLOCK.sub(lambda found: _table(found[1], found[2]), filled)
    return document


def _drawn(spec: Mapping[str, Any], random: Random) -> Value:
    [(kind, given)] = spec.items()
    if kind == "choice":
        value: Value = random.choice(given)
        return value
    if kind == "sample":
        count, *items = given
        return random.sample(items, count)
    if kind == "answer":
        return random.random() < 0.6
    if kind == "code":
        return re.sub("#", lambda _: str(random.randint(1, 9)), given)
    if kind == "date":
        first, last = (date.fromisoformat(each) for each in given)
        day = first + timedelta(random.randrange((last - first).days))
        return day.replace(day=max(day.day, 13))  # so that a day is never taken for a month
    low, high, step = given
    steps = random.randint(0, round((high - low) / step))
    number = round(low + steps * step, 4)
    return int(number) if number == int(number) else number


def _table(shape: str, text: str) -> str:
    """A table whose cells are parted by ` | ` in a template, in the shape that is named."""
    rows = [[each.strip() for each in line.split("|")] for line in text.splitlines()]
    if shape == "tab":
        return "".join("\t".join(row) + "\n" for row in rows)
    if shape == "pipe":
        rows.insert(1, ["---"] * len(rows[0]))
        return "".join(f"| {' | '.join(row)} |\n" for row in rows)
    widths = [max(len(row[at]) for row in rows if at < len(row)) for at in range(len(rows[0]))]
    return "".join(
        _GAP.join(cell.ljust(width) for cell, width in zip(row, widths, strict=False)).rstrip()
        + "\n"
        for row in rows
    )
