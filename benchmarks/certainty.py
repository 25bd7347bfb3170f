"""How often answers by studies, prepared steps and descriptions are right, by what computes them.

    python benchmarks/certainty.py [--tasks] [--answers CASES FILE] [--fit] [--json FILE]

Asked are the questions of `studies.py`; with `--tasks` the texts of `task_texts.py`; `--answers`
takes cases as of `questions.py` and what `flows ask --batch --json --explain` printed for them.
Rules were made by looking at the tuning half and the open task texts, so that these say too much:
the fit is of the others. Printed is for each kind how many answers there are, how often they are
right, and how sure they are told to be by what is fitted on the other data sets (groups of them are
left out in turn); `--fit` writes what all of them come to, to
`flows/analysis/analyst/certainty.json`: a regression of the log odds on the kind and on the doubt
that a reading leaves, the kinds drawn to what they have in common.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from questions import lines_of
from report import table
from scoring import score
from task_cases import TaskCase, cases
from task_data import data_sets
from task_texts import answers, is_held, outcome

from flows.analysis.analyst.certainty import chance
from flows.evaluation.reliability import reliability_of

ROOT = Path(__file__).resolve().parent.parent
FITTED = ROOT / "flows" / "analysis" / "analyst" / "certainty.json"
FOLDS = 4
# How strongly the kinds are drawn together, and what a doubt of 1 takes away before it is seen.
DRAWN, DOUBTED = 1.0, 2.0


@dataclass(frozen=True)
class Answered:
    """An answer by something else than a query over a data set, and whether it is right. By a
    `tuned` one rules were made."""

    origin: str
    data: str
    kind: str
    doubt: float
    right: bool
    tuned: bool


def of_studies() -> Iterator[Answered]:
    """The questions about statistics, each over its table."""
    sys.path.insert(0, str(ROOT))  # the questions belong to the tests
    from tests.analysis.statistics.asked import ask_all
    from tests.analysis.statistics.questions import QUESTIONS

    with tempfile.TemporaryDirectory() as folder:
        for each in ask_all(QUESTIONS, Path(folder)):
            if each.study is not None and each.verdict != "not answered":
                tuned = each.question.half == "tuning"
                study, data, right = each.study, each.question.table, each.verdict == "right"
                yield Answered("statistics", data, study.kind, study.doubt, right, tuned)


def of_tasks() -> Iterator[Answered]:
    """The task texts, which are right where all fields are."""
    asked: Sequence[TaskCase] = tuple(cases(tuple(data_sets())))
    for case, answer in zip(asked, answers(asked, "--explain"), strict=True):
        if kind := kind_of(answer):
            right = outcome(case, answer) == "all right"
            yield Answered("task texts", case.data, kind, 0.0, right, not is_held(case.data))


def of_answers(file: Path, given: Path) -> Iterator[Answered]:
    """Answers that were given, to questions about data that no rule was made by."""
    replies = {str(each["id"]): each for each in lines_of(given)}
    for case in lines_of(file):
        answer = replies.get(str(case["id"]), {})
        if kind := kind_of(answer):
            right = score(case, answer).outcome == "right"
            yield Answered(file.parent.name, case["dataset"], kind, 0.0, right, tuned=False)


def kind_of(answer: Mapping[str, Any]) -> str:
    """What an answer was computed by; empty for a query, whose reading says how sure it is."""
    if answer.get("status") not in ("answered", "partly"):
        return ""
    request = answer.get("request") or {}
    kind = str(request.get("kind", "" if answer.get("sql") else "description"))
    return str(request["method"]) if kind == "analysis" else "" if kind == "query" else kind


def fitted(seen: Sequence[Answered]) -> dict[str, Any]:
    """The log odds of all, what each kind adds, and what a doubt of 1 takes away."""
    import numpy as np
    from scipy.optimize import minimize

    kinds = sorted({each.kind for each in seen})
    place = np.array([kinds.index(each.kind) for each in seen])
    doubt = np.array([each.doubt for each in seen])
    right = np.array([each.right for each in seen], dtype=float)

    def loss(at: Any) -> float:
        odds = at[0] + at[2:][place] - np.exp(at[1]) * doubt
        said = np.sum(np.logaddexp(0, odds) - right * odds)
        # As if one more were right and one more wrong.
        more = 2 * np.logaddexp(0, at[0]) - at[0]
        drawn = DRAWN * np.sum(at[2:] ** 2) / 2 + (at[1] - np.log(DOUBTED)) ** 2
        return float(said + more + drawn)

    found = minimize(loss, np.array([2.0, np.log(DOUBTED), *np.zeros(len(kinds))])).x
    added = {kind: round(float(each), 3) for kind, each in zip(kinds, found[2:], strict=True)}
    doubted = round(float(np.exp(found[1])), 3)
    return {"all": round(float(found[0]), 3), "doubt": doubted, "kinds": added}


def told(seen: Sequence[Answered]) -> Iterator[tuple[Answered, float]]:
    """Each answer with how sure it is by those over other data sets that no rule was made by."""
    for fold in range(FOLDS):
        fit = fitted([each for each in seen if not each.tuned and fold_of(each) != fold])
        for each in seen:
            if fold_of(each) == fold:
                yield each, chance(fit, each.kind, each.doubt)


def fold_of(one: Answered) -> int:
    return int(hashlib.sha256(one.data.encode()).hexdigest(), 16) % FOLDS


def print_kinds(name: str, found: Sequence[tuple[Answered, float]]) -> None:
    by_kind: dict[str, list[tuple[Answered, float]]] = defaultdict(list)
    for each in found:
        by_kind[each[0].kind].append(each)
    rows = []
    for kind, of in (*sorted(by_kind.items()), ("all", list(found))):
        right, sure = sum(each.right for each, _ in of), sum(sure for _, sure in of)
        cells = [str(len(of)), str(right), f"{right / len(of):.0%}", f"{sure / len(of):.0%}"]
        rows.append([kind, *cells])
    error = reliability_of((sure, each.right) for each, sure in found)["error"]
    print(f"\n{name}:\n{table(['kind', 'answers', 'right', 'share right', 'told'], rows)}")
    print(f"calibration error {error:.1%}")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tasks", action="store_true", help="the task texts as well")
    parser.add_argument("--answers", type=Path, nargs=2, action="append", default=[],
                        metavar=("CASES", "FILE"), help="cases and what was answered")  # fmt: skip
    parser.add_argument("--seen", type=Path, help="what --json wrote before, asking nothing")
    parser.add_argument("--fit", action="store_true", help="write the fit")
    parser.add_argument("--json", type=Path, help="where to keep what was seen")
    options = parser.parse_args()
    if options.seen:
        seen = [Answered(**each) for each in json.loads(options.seen.read_text())]
    else:
        seen = [*of_studies(), *(of_tasks() if options.tasks else ())]
    for file, given in options.answers:
        seen += of_answers(file, given)
    if options.json:
        options.json.write_text(json.dumps([asdict(each) for each in seen]))
    if options.fit:
        fit = fitted([each for each in seen if not each.tuned])
        FITTED.write_text(f"{json.dumps(fit, indent=2)}\n", encoding="utf-8")
    found = list(told(seen))
    print_kinds("no rule was made by them", [each for each in found if not each[0].tuned])
    print_kinds("rules were made by them", [each for each in found if each[0].tuned])


if __name__ == "__main__":
    main()
