"""Business questions over data whose drivers are known, put to the analyst team.

    python benchmarks/business_questions.py FOLDER [--rows 1000000]
    flows eval FOLDER/tuning.jsonl

writes the data sets, documents about them, and two halves of questions with what a right answer
finds; `business/planted.py` has small tables of many fields with planted effects. Everything comes
from fixed seeds; what is right is computed from how the data was made, or by SQL and pandas, never
by the team. Rules are made by looking at `tuning.jsonl`. `held.jsonl` is
for the figures: nobody looks at its failures one by one.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from business.build import build
from business.production import ROWS


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0] if __doc__ else "")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rows", type=int, default=ROWS, help="of the production log")
    asked = parser.parse_args()
    for half, path in build(asked.folder, asked.rows).items():
        print(f"{half}: {len(path.read_text().splitlines())} questions in {path}")


if __name__ == "__main__":
    main()
