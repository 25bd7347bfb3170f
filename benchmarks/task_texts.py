"""Task texts with constraints and named fields, as the command answers them.

    python benchmarks/task_texts.py [--show] [--json FILE]

The tables travel with plotly and scikit-learn; the values of the fields are computed here by
pandas, scipy and scikit-learn (task_cases.py). About a third of the data sets, by a hash of their
names, is held out: for them only figures are printed. `--show` prints the other texts that were
not answered right.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from report import machine, table, write
from scoring import SURE
from task_cases import KINDS, TaskCase, cases
from task_data import data_sets

OUTCOMES: Final = ("all right", "some right", "declined", "wrong, sure", "wrong, unsure")


def is_held(name: str) -> bool:
    """Whether a data set is in the part that nobody looks at."""
    return int(hashlib.sha256(name.encode()).hexdigest(), 16) % 6 == 0


def outcome(case: TaskCase, answer: Mapping[str, Any]) -> str:
    """What became of a task. A wrong field of a sure answer makes it `wrong, sure`."""
    given = answer.get("fields") or {}
    right = [_same(given.get(name), value) for name, value in case.fields.items()]
    if all(right):
        return "all right"
    wrong = any(name in given and not _same(given[name], v) for name, v in case.fields.items())
    if wrong and float(answer.get("confidence") or 0) >= SURE:
        return "wrong, sure"
    if any(right):
        return "some right"
    return "wrong, unsure" if wrong else "declined"


def _same(given: Any, value: Any) -> bool:
    if isinstance(value, str):
        return str(given).strip().casefold() == value.casefold()
    try:
        return math.isclose(float(given), float(value), rel_tol=1e-9, abs_tol=1e-9)
    except (TypeError, ValueError):
        return str(given) == str(value)


def answers(asked: Sequence[TaskCase], *more: str) -> list[dict[str, Any]]:
    """What `flows ask --batch` says, in the order of the cases; `more` are options of it."""
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        for each in data_sets():
            each.frame.to_csv(folder / f"{each.name}.csv", index=False)
        lines = [
            json.dumps({"id": at, "question": each.question, "data": [f"{each.data}.csv"]})
            for at, each in enumerate(asked)
        ]
        (folder / "questions.jsonl").write_text("\n".join(lines) + "\n")
        ended = subprocess.run(
            [sys.executable, "-m", "flows", "ask", "--batch", "questions.jsonl", "--json",
             "--processes", "1", *more],
            cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True,
        )  # fmt: skip
    return [json.loads(line) for line in ended.stdout.splitlines()]


def _print(part: str, asked: Sequence[TaskCase], outcomes: Sequence[str]) -> None:
    rows = []
    for kind in (*KINDS, "all"):
        counted = Counter(
            o for case, o in zip(asked, outcomes, strict=True) if kind in (case.kind, "all")
        )
        if total := counted.total():
            share = f"{counted['all right'] / total:.0%}"
            rows.append((kind, str(total), *(str(counted[o] or "") for o in OUTCOMES), share))
    print(f"{part}:\n{table(('kind', 'n', *OUTCOMES, 'share right'), rows)}\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0] if __doc__ else "")
    parser.add_argument("--show", action="store_true", help="the open texts not answered right")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    before = machine()
    asked = tuple(cases(tuple(data_sets())))
    found = [(c, a, outcome(c, a)) for c, a in zip(asked, answers(asked), strict=True)]
    samples: dict[str, Counter[str]] = {}
    for part, held in (("open", False), ("held out", True)):
        own = [each for each in found if is_held(each[0].data) == held]
        _print(part, [each[0] for each in own], [each[2] for each in own])
        samples[part] = Counter(each[2] for each in own)
    for case, answer, came in found if options.show else ():
        if came != "all right" and not is_held(case.data):
            print(f"--- {came}: {case.kind}, {case.data}\n{case.question}\n  wanted "
                  f"{dict(case.fields)}\n  given {answer.get('fields')} at "
                  f"{answer.get('confidence')}: {answer.get('answer')}")  # fmt: skip
            print("  ", [w["text"] for w in answer.get("warnings") or []])
    counted = {part: dict(each) for part, each in samples.items()}
    write({"machine": before, "samples": counted}, "task_texts", options.json)


if __name__ == "__main__":
    main()
