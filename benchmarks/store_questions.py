"""Questions as people type them, put to a store of each kind as an agent of its own.

    python benchmarks/store_questions.py [tuning | held] [--only columnar,entity,vector] [--show]
        [--json FILE]

Three made sets: the bales of a spinning mill (columnar), a bicycle hire (entities with relations)
and the notes of a workshop (texts), twenty questions each, by the rules alone. Rules are made by
looking at these; of the `held` ones (a ferry line, a museum, an allotment society) nobody looks at
the failures one by one. What is right is computed from the data. An answer counts as right if it
says the values that were asked for, none of those that were not, and cites where they stand; a
question that a store has no answer to is right if it is declined. `sure` are the wrong answers with
a confidence of 80 or more.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from contextlib import chdir
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

sys.path.insert(0, str(Path(__file__).resolve().parent))

from company.scoring import SURE, says
from store_sets.bales import Bales
from store_sets.crossings import Crossings
from store_sets.hires import Hires
from store_sets.museum import Museum
from store_sets.notes import Notes
from store_sets.question import StoreQuestion, StoreSet

from flows.services.interpreter import InterpreterResponse

Outcome = Literal["right", "sure", "wrong", "declined"]
OUTCOMES: Sequence[Outcome] = ("right", "sure", "wrong", "declined")
TEXTS = Path(__file__).resolve().parent / "store_sets"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What came of one question."""

    kind: str
    question: str
    outcome: Outcome
    values: tuple[str | float, ...]
    status: str
    confidence: int
    answer: str
    lacks: str


def sets(half: str) -> list[StoreSet]:
    if half == "held":
        return [Crossings(), Museum(), Notes(TEXTS / "allotments.json")]
    return [Bales(), Hires(), Notes(TEXTS / "workshop.json")]


def judge(asked: StoreQuestion, response: InterpreterResponse) -> Outcome:
    """What a response is worth."""
    if response.status not in ("answered", "partly"):
        return "declined" if asked.values else "right"
    right = (
        bool(asked.values) and bool(response.citations) and not response.uncited
        and says(response.answer, asked.values)
        and not any(says(response.answer, (each,)) for each in asked.others)
    )  # fmt: skip
    if right:
        return "right"
    return "sure" if response.confidence >= SURE else "wrong"


def ask(store: StoreSet) -> list[Verdict]:
    """All questions of a set, each put to the agent of its store."""
    verdicts = []
    with tempfile.TemporaryDirectory() as name, chdir(name), store.agent(Path(name)) as agent:
        for each in store.questions:
            made = agent(each.text)
            assert isinstance(made, InterpreterResponse), made
            verdicts.append(
                Verdict(
                    store.kind, each.text, judge(each, made), each.values, made.status,
                    made.confidence, made.answer, made.lacks or made.question,
                )
            )  # fmt: skip
    return verdicts


def lines(verdicts: Sequence[Verdict]) -> list[str]:
    """The figures as a table, a line for each kind of store and one for all."""
    kinds = list(dict.fromkeys(each.kind for each in verdicts))
    told = [f"{'':<10}{'asked':>7}" + "".join(f"{each:>10}" for each in OUTCOMES)]
    for kind in [*kinds, "all"]:
        counts = Counter(each.outcome for each in verdicts if kind in (each.kind, "all"))
        numbers = "".join(f"{counts[each]:>10}" for each in OUTCOMES)
        told.append(f"{kind:<10}{counts.total():>7}{numbers}")
    return told


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("half", nargs="?", default="tuning", choices=["tuning", "held"])
    parser.add_argument("--only", default="", help="kinds of stores, with commas between them")
    parser.add_argument("--show", action="store_true", help="tell of each that is not right")
    parser.add_argument("--json", type=Path, help="a file for every answer")
    given = parser.parse_args()
    only = set(filter(None, given.only.split(",")))
    verdicts = [
        one for each in sets(given.half) if not only or each.kind in only for one in ask(each)
    ]
    if given.show:
        for each in verdicts:
            if each.outcome != "right":
                print(f"{each.outcome:<9}{each.kind}: {each.question}\n    wants {each.values}")
                print(f"    {each.status} {each.confidence}: {each.answer!r} lacks {each.lacks!r}")
    print("\n".join(lines(verdicts)))
    if given.json is not None:
        told = [asdict(each) for each in verdicts]
        given.json.write_text(json.dumps(told, indent=1, ensure_ascii=False) + "\n", "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
