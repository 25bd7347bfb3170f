"""Rules first, a model for the rest: is `model=tiered` as often right as the better of both?

    python benchmarks/tiered.py [FOLDER] [--most 150] [--right 0.5] [--threshold 0.5] [--json FILE]

FOLDER holds a `cases.jsonl` as of `questions.py`; without it the open half of `business/unseen.py`
is written and asked. The model is a server of our own that speaks OpenAI's protocol: by a hash of
the case it is right in `--right` of them, and sure of a wrong answer in the others. Asked are the
cases of the tuning part, by the rules alone, by the model alone, and by both. A second table says
what would come of other thresholds: the rules' answer where they are so sure, the model's else.

Exit code 1 when both together are right less often than the better of them, less one point.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from questions import ask, lines_of, part_of
from report import machine, table, write
from scoring import Scored, score

from flows.models.fake.answer import ClientRequest, FakeAnswer
from flows.models.fake.server import FakeModel

HERE: Final = Path(__file__).resolve().parent
# What a model's reply can say in SQL, or by refusing.
GOLDS: Final = ("scalar", "set", "rows", "decline")
POINT: Final = 0.01
THRESHOLDS: Final = (0.0, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1.0)
Case = Mapping[str, Any]


def main() -> int:
    options = _options()
    before = machine()
    with tempfile.TemporaryDirectory() as made:
        folder = options.folder or unseen(Path(made))
        cases = asked_cases(lines_of(folder / "cases.jsonl"), options.most)
        found = answers(cases, folder, options.right, options.threshold)
    right = {
        name: sum(each.outcome == "right" for each in scored) / len(cases)
        for name, scored in found.items()
    }
    print(by_model(found, len(cases)))
    swept = sweep(found["rules"], found["model"])
    rows = [[f"{at:.2f}", f"{share:.1%}", f"{given:.0%}"] for at, share, given in swept]
    print(f"\n{table(['threshold', 'right', 'by the rules'], rows)}")
    better = max(right["rules"], right["model"])
    holds = right["both"] >= better - POINT
    print(
        f"\nboth {right['both']:.1%}, the better alone {better:.1%}: {'' if holds else 'NOT '}kept"
    )
    if options.json is not None:
        payload = {"machine": before, "cases": len(cases), "right": right, "thresholds": swept}
        write(payload, "tiered", options.json)
    return 0 if holds else 1


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--most", type=int, default=150, help="cases that are asked")
    parser.add_argument("--right", type=float, default=0.5, help="how often the model is right")
    parser.add_argument("--threshold", type=float, default=0.5)
    parser.add_argument("--json", type=Path)
    return parser.parse_args()


def unseen(made: Path) -> Path:
    """The folder of the open half of the questions about trades."""
    command = [sys.executable, str(HERE / "business" / "unseen.py"), str(made)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return made / "open"


def asked_cases(cases: Sequence[Case], most: int) -> list[Case]:
    """The cases of the tuning part that a model can answer by one query or a refusal, each question
    once, spread over all data sets."""
    found: dict[str, Case] = {}
    for each in cases:
        if part_of(each) != "locked" and each["gold"]["type"] in GOLDS:
            found.setdefault(str(each["question"]), each)
    spread = sorted(found.values(), key=lambda each: _hash("place", each["id"]))
    return spread[:most]


def answers(
    cases: Sequence[Case], folder: Path, right: float, threshold: float
) -> dict[str, list[Scored]]:
    """What became of each case by the rules, the model, and both."""
    with FakeModel(StandIn(cases, right)) as server:
        endpoint = {"OPENAI_BASE_URL": server.base_url, "OPENAI_API_KEY": "none"}
        given = {
            "rules": ("--model", "offline"),
            "model": ("--model", "openai:stand-in"),
            "both": ("--model", "tiered:openai:stand-in", f"model.threshold={threshold}"),
        }
        found: dict[str, list[Scored]] = {}
        for name, more in given.items():
            replies = ask(cases, folder, *more, environment=endpoint)
            found[name] = [score(each, replies.get(str(each["id"]), {})) for each in cases]
        return found


class StandIn:
    """A model that knows the golds, and tells those of a share of the cases."""

    def __init__(self, cases: Sequence[Case], right: float) -> None:
        self._cases = {str(each["question"]): each for each in cases}
        self._right = right

    def __call__(self, request: ClientRequest) -> FakeAnswer:
        messages = request.body["messages"]
        if "response_format" not in request.body:  # it tells a result
            return FakeAnswer("See the table.")
        text = str(messages[-1]["content"])
        found = [question for question in self._cases if question in text]
        case = self._cases[max(found, key=len)]
        knows = _hash("right", case["id"]) < self._right
        return FakeAnswer(json.dumps({**proposal(case["gold"], knows), "confidence": 0.9}))


def proposal(gold: Mapping[str, Any], knows: bool) -> dict[str, str]:
    """What the model proposes: a query that gives the gold, or another number."""
    if not knows:
        return {"sql": "SELECT -987654321 AS n"}
    if gold["type"] == "decline":
        return {"cannot": "The data do not say."}
    if gold["type"] == "scalar":
        rows = [[gold["value"]]]
    elif gold["type"] == "set":
        rows = [[each] for each in gold["values"]]
    else:
        rows = gold["rows"]
    selects = [
        "SELECT " + ", ".join(f"{_sql(cell)} AS c{place}" for place, cell in enumerate(row))
        for row in rows
    ]
    return {"sql": " UNION ALL ".join(selects) or "SELECT 1 AS n WHERE FALSE"}


def _sql(cell: object) -> str:
    if cell is None:
        return "NULL"
    if isinstance(cell, bool | int | float):
        return str(cell).upper() if isinstance(cell, bool) else repr(cell)
    return "'" + str(cell).replace("'", "''") + "'"


def sweep(rules: Sequence[Scored], model: Sequence[Scored]) -> list[tuple[float, float, float]]:
    """For each threshold the share that would be right, and the share that the rules would
    answer."""
    found = []
    for at in THRESHOLDS:
        sure = [each.answered and each.confidence >= at for each in rules]
        outcomes = [
            (one if first else other).outcome
            for one, other, first in zip(rules, model, sure, strict=True)
        ]
        share = sum(each == "right" for each in outcomes) / len(outcomes)
        found.append((at, share, sum(sure) / len(sure)))
    return found


def by_model(found: Mapping[str, Sequence[Scored]], cases: int) -> str:
    rows = []
    for name, scored in found.items():
        right = sum(each.outcome == "right" for each in scored)
        told = sum(each.answered for each in scored)
        rows.append([name, str(cases), str(right), str(told), f"{right / cases:.1%}"])
    return table(["by", "cases", "right", "answered", "share right"], rows)


def _hash(what: str, name: object) -> float:
    """A number from 0 to 1 that belongs to a case."""
    digest = hashlib.sha256(f"{what} {name}".encode()).hexdigest()
    return int(digest[:12], 16) / 16**12


if __name__ == "__main__":
    sys.exit(main())
