"""Facts of long documents: wanted fields, found by `flows run` with the config `documents`.

    python benchmarks/documents.py [tuning | held] [--draw N] [--show 10] [--only TRADE]

Documents of several trades in each half, in Markdown, plain text and HTML: prose, lists, tables
of several shapes. Their values are drawn from seeds, so that the truth is known. A value is right
when the record of its document holds it in the field's type and unit. It has its passage when the
quote beside it stands in the document and holds the value as it is written there. `wrong and sure`
counts other values that the answer gives without telling of several, and values of fields that the
document does not state. Rules are made by looking at `tuning`; of `held` nobody looks at the
failures one by one.
"""

from __future__ import annotations

import argparse
import html
import json
import re
import sys
import tempfile
import time
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from math import isclose
from pathlib import Path
from typing import Any, Final

import yaml
from long_documents.formats import Value
from long_documents.writing import Document, Trade, trades

from flows import run

HALVES: Final = ("tuning", "held")
_CLOSE: Final = 1e-5
_TAG: Final = re.compile(r"<[^>]+>")


@dataclass
class Score:
    """What was found of the values that documents state."""

    values: int = 0
    right: int = 0
    with_passage: int = 0
    doubted: int = 0
    sure: int = 0
    missed: int = 0
    absent: int = 0
    failures: list[str] = field(default_factory=list)

    def add(self, other: Score) -> None:
        for name in ("values", "right", "with_passage", "doubted", "sure", "missed", "absent"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.failures += other.failures

    def line(self) -> str:
        return (
            f"{self.right}/{self.values} right, {self.with_passage}/{self.right} with passage, "
            f"{self.sure} wrong and sure, {self.doubted} told as one of several, "
            f"{self.missed} missed; {self.absent} fields are not stated"
        )


@dataclass
class Found:
    """The answer about one trade: the records and all values with their quotes, as text."""

    records: Mapping[str, Mapping[str, str]]
    quotes: Mapping[tuple[str, str], Sequence[tuple[str, str]]]
    conflicting: Sequence[str]


def find(trade: Trade, folder: Path) -> Found:
    """Run the flow over the documents of a trade."""
    pages = folder / "documents"
    pages.mkdir(parents=True)
    for each in trade.documents:
        (pages / each.name).write_text(each.text, encoding="utf-8")
    asked = {"defaults": ["documents", "_self_"], "folder": str(pages), "fields": trade.fields}
    file = folder / "run.yaml"
    file.write_text(yaml.safe_dump(asked, allow_unicode=True), encoding="utf-8")
    result = run(file, [f"runs={folder / 'runs'}"])
    if result.status != "finished":
        raise SystemExit(f"{trade.name}: {result.reason}")
    kept = next((folder / "runs").glob(f"*{result.run_id}*")) / "artifacts"
    quotes: dict[tuple[str, str], list[tuple[str, str]]] = {}
    for row in _rows(kept / f"{result.outputs['fields']}.json"):
        known = quotes.setdefault((row["document"], row["field"]), [])
        known.append((row["value"], row["quote"]))
    records = {row["document"]: row for row in _rows(kept / f"{result.outputs['records']}.json")}
    return Found(records, quotes, result.outputs["conflicting"])


def _rows(path: Path) -> list[dict[str, str]]:
    table = json.loads(path.read_text(encoding="utf-8"))
    columns = table["columns"]
    return [
        {name: "" if cell is None else str(cell) for name, cell in zip(columns, row, strict=True)}
        for row in table["rows"]
    ]


def score_document(document: Document, found: Found, fields: Sequence[str]) -> Score:
    score = Score()
    record = found.records.get(document.name, {})
    several = {
        each.partition(": ")[2].partition(" is ")[0]
        for each in found.conflicting
        if each.startswith(f"{document.name}: ")
    }
    for name in fields:
        told = record.get(name, "")
        truth = document.values.get(name)
        if truth is None:
            score.absent += 1
            score.sure += bool(told) and name not in several
            if told:
                score.failures.append(f"{document.name} {name}: not stated, got {told!r}")
            continue
        score.values += 1
        if told and is_right(told, truth):
            score.right += 1
            held = has_passage(document, name, found)
            score.with_passage += held
            if not held:
                score.failures.append(f"{document.name} {name}: no passage holds {truth!r}")
            continue
        score.missed += not told
        score.doubted += bool(told) and name in several
        score.sure += bool(told) and name not in several
        mark = " (one of several)" if name in several else ""
        score.failures.append(f"{document.name} {name}: {truth!r}, got {told!r}{mark}")
    return score


def is_right(told: str, truth: Value) -> bool:
    if isinstance(truth, bool):
        return told.casefold() == str(truth).casefold()
    if isinstance(truth, date):
        return told == truth.isoformat()
    if isinstance(truth, list):
        return {e.casefold() for e in told.split("; ")} == {e.casefold() for e in truth}
    if isinstance(truth, str):
        return told.casefold() == truth.casefold()
    try:
        return isclose(float(told), truth, rel_tol=_CLOSE)
    except ValueError:
        return False


def has_passage(document: Document, name: str, found: Found) -> bool:
    """Whether quotes of the document hold the value as it is written, of a list each item."""
    text = _plain(html.unescape(_TAG.sub(" ", document.text)))
    quotes = [_plain(quote) for _, quote in found.quotes.get((document.name, name), ())]
    held = [each for each in quotes if _stands(each, text)]
    said = [_plain(each) for each in document.said[name]]
    every = all if isinstance(document.values[name], list) else any
    return len(held) == len(quotes) and every(any(one in each for each in held) for one in said)


def _stands(quote: str, text: str) -> bool:
    """Whether a document says the quote. The cells of a row are parted in any way."""
    return _tight(quote) in _tight(text)


def _tight(text: str) -> str:
    """The letters and figures of a text, and those alone."""
    return re.sub(r"\W+", "", unicodedata.normalize("NFKC", text))


def _plain(text: str) -> str:
    text = re.sub(r"[|*`\\]|\.{4,}|(?<=\s)-+(?=\s)", " ", f" {text} ")
    return " ".join(text.split()).casefold()


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("half", nargs="?", default="tuning", choices=HALVES)
    parser.add_argument("--draw", type=int, default=0, help="other values in the same documents")
    parser.add_argument("--show", type=int, default=0, help="how many failures of tuning to print")
    parser.add_argument("--only", default="", help="trades that begin so")
    parser.add_argument("--json", type=Path, help="write the score to this file")
    asked = parser.parse_args()
    if asked.show and asked.half == "held":
        sys.exit("of `held` nobody looks at the failures one by one")
    whole = Score()
    start = time.monotonic()
    for trade in trades(asked.half, asked.draw):
        if not trade.name.startswith(asked.only):
            continue
        with tempfile.TemporaryDirectory() as folder:
            found = find(trade, Path(folder))
        score = Score()
        for document in trade.documents:
            score.add(score_document(document, found, list(trade.fields)))
        print(f"{trade.name:12} {score.line()}")
        whole.add(score)
    print(f"{asked.half:12} {whole.line()}; {time.monotonic() - start:.1f} s")
    print("\n".join(whole.failures[: asked.show]))
    if asked.json:
        told: dict[str, Any] = {each: getattr(whole, each) for each in vars(whole)}
        told["failures"] = told["failures"] if asked.half == "tuning" else []
        asked.json.write_text(json.dumps(told, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
