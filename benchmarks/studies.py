"""How many questions about statistics, charts and models the embedded analyst answers rightly.

python benchmarks/studies.py [--wrong]
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from pathlib import Path
from time import perf_counter

from report import table

ROOT = Path(__file__).resolve().parents[1]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--wrong", action="store_true", help="list those that are not right")
    asked = parser.parse_args()
    sys.path.insert(0, str(ROOT))  # the questions belong to the tests
    from tests.analysis.statistics.asked import ask_all
    from tests.analysis.statistics.questions import HELD_BACK, TUNING

    rows, failed = [], []
    for name, questions in (("tuning", TUNING), ("held back", HELD_BACK)):
        started = perf_counter()
        with tempfile.TemporaryDirectory() as folder:
            found = ask_all(questions, Path(folder))
        counts = Counter(each.verdict for each in found)
        failed += [each for each in found if each.wrong]
        kinds = [str(counts[kind]) for kind in ("right", "wrong", "not answered")]
        seconds = (perf_counter() - started) / len(found)
        rows.append([name, str(len(found)), *kinds, f"{seconds:.2f} s"])
    print(table(["half", "questions", "right", "wrong", "not answered", "each"], rows))
    if asked.wrong:
        for each in failed:
            print(f"\n{each.question.table}: {each.question.text}", *each.wrong, sep="\n    ")


if __name__ == "__main__":
    main()
