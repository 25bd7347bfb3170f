"""Questions as people ask them, over data whose answers are known: what comes back, by kind.

    python benchmarks/questions.py CASES [--part tuning|locked|all] [--answers FILE] [--json FILE]

CASES is a file of cases, or a folder with a `cases.jsonl`. A case is a line of JSON:

    {"id", "dataset", "data": [paths from the file's folder], "question", "kind", "gold",
     "golds_alt": [other golds that are right as well], "ordered", "tolerance", "unit",
     "part": "tuning" or "locked", where the set says so itself}

`scoring.py` says what a gold is and when an answer is right. A third of the data sets is locked, by
a hash of their names: rules are made by looking at the others, and of the locked ones nothing but
sums is ever printed or written. `--answers` scores what `flows ask --batch --json` printed before.
Exit code 1 when a case of the part has no answer at all.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from report import machine, table, write
from scoring import OUTCOMES, Scored, score

ROOT = Path(__file__).resolve().parent.parent
PARTS = ("tuning", "locked", "all")


def main() -> int:
    options = _options()
    before = machine()
    file = options.cases / "cases.jsonl" if options.cases.is_dir() else options.cases
    cases = [each for each in lines_of(file) if options.part in ("all", part_of(each))]
    if not cases:
        print(f"FAILED {file} has no case of the part {options.part}", file=sys.stderr)
        return 1
    if options.answers is not None:
        replies = {str(each["id"]): each for each in lines_of(options.answers)}
    else:
        replies = ask(cases, file.parent)
    scored = [score(each, replies.get(str(each["id"]), {})) for each in cases]
    print(by_kind(cases, scored))
    reliability = reliability_of_answers(scored)
    print(f"\n{reliability_table(reliability)}")
    payload = {
        "machine": before,
        "part": options.part,
        "kinds": {kind: Counter(of) for kind, of in outcomes_by_kind(cases, scored).items()},
        "reliability": reliability,
        "cases": [
            {"id": case["id"], "kind": case["kind"], "outcome": each.outcome,
             "confidence": each.confidence}
            for case, each in zip(cases, scored, strict=True)
            if part_of(case) == "tuning"
        ],
    }  # fmt: skip
    if options.json is not None:
        write(payload, "questions", options.json)
    missing = sum(str(each["id"]) not in replies for each in cases)
    if missing:
        print(f"FAILED {missing} cases have no answer", file=sys.stderr)
    return 1 if missing else 0


def lines_of(file: Path) -> list[dict[str, Any]]:
    """The objects of a file, one a line."""
    text = file.read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines() if line.startswith("{")]


def part_of(case: Mapping[str, Any]) -> str:
    """Whether rules may be made by looking at a case, unless it says so itself: of one data set
    all or none."""
    if "part" in case:
        return str(case["part"])
    digest = hashlib.sha256(str(case["dataset"]).encode()).hexdigest()
    return "locked" if int(digest, 16) % 3 == 0 else "tuning"


def ask(
    cases: Sequence[Mapping[str, Any]],
    folder: Path,
    *options: str,
    environment: Mapping[str, str] | None = None,
) -> dict[str, dict[str, Any]]:
    """The replies of the command to all cases, by their ids; `options` and variables of the
    `environment` are for the command."""
    with tempfile.TemporaryDirectory() as made:
        batch = Path(made) / "batch.jsonl"
        asked = [
            {"id": str(each["id"]), "question": each["question"],
             "data": [str((folder / path).resolve()) for path in each["data"]]}
            for each in cases
        ]  # fmt: skip
        batch.write_text("".join(json.dumps(each) + "\n" for each in asked), encoding="utf-8")
        command = [sys.executable, "-m", "flows", "ask", "--batch", str(batch), "--json"]
        done = subprocess.run(
            [*command, *options],
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            check=False,
            cwd=made,
            env={**os.environ, **(environment or {})},
        )
    found = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    return {str(each["id"]): each for each in found}


def outcomes_by_kind(
    cases: Sequence[Mapping[str, Any]], scored: Sequence[Scored]
) -> dict[str, list[str]]:
    """The outcomes of each kind of question, and at the end of all."""
    found: dict[str, list[str]] = {kind: [] for kind in sorted({c["kind"] for c in cases})}
    for case, each in zip(cases, scored, strict=True):
        found[case["kind"]].append(each.outcome)
    return {**found, "all": [each.outcome for each in scored]}


def by_kind(cases: Sequence[Mapping[str, Any]], scored: Sequence[Scored]) -> str:
    """A row for each kind of question: how many came out how."""
    rows = []
    for kind, of in outcomes_by_kind(cases, scored).items():
        counts = Counter(of)
        cells = [str(counts[name]) if counts[name] else "" for name in OUTCOMES]
        share = counts["right"] / len(of)
        rows.append([kind, str(len(of)), *cells, f"{share:.0%}"])
    return table(["kind", "n", *OUTCOMES, "share right"], rows)


def reliability_of_answers(scored: Iterable[Scored]) -> dict[str, Any]:
    """How often answers of each confidence are right; a partly right one is not."""
    sys.path.insert(0, str(ROOT))
    from flows.evaluation.reliability import reliability_of

    return reliability_of((e.confidence, e.outcome == "right") for e in scored if e.answered)


def reliability_table(reliability: Mapping[str, Any]) -> str:
    rows = [
        [f"{each['from']:.0%} to {each['to']:.0%}", str(each["answers"]), str(each["right"]),
         f"{each['confidence']:.0%}", f"{each['share']:.0%}"]
        for each in reliability["bins"]
    ]  # fmt: skip
    if not rows:
        return "nothing was answered"
    heads = ["confidence", "answers", "right", "mean confidence", "share right"]
    return f"{table(heads, rows)}\n\ncalibration error {reliability['error']:.1%}"


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0] if __doc__ else "")
    parser.add_argument("cases", type=Path, metavar="CASES", help="cases.jsonl, or its folder")
    parser.add_argument("--part", choices=PARTS, default="tuning", help="of the data sets (tuning)")
    parser.add_argument("--answers", type=Path, help="answers to score, without asking")
    parser.add_argument("--json", type=Path, help="where to write the results")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
