"""How long the numbers of an answer take to verify, for hostile answers and large results.

python benchmarks/citations.py
"""

from __future__ import annotations

import random
from time import perf_counter

from flows.data.answers.citations import NamedResult
from flows.data.answers.rendering import render
from flows.data.answers.verifier import cite

COLUMNS, ROWS, NUMBERS = 200, 100_000, 10_000


def wide_table(random_: random.Random) -> NamedResult:
    """200 columns, each third of them text; the rows are 1,000 different ones again and again."""
    texts = ("North", "South", "the East")
    kinds = [
        tuple(
            random_.random() * 1000 if column % 3 else random_.choice(texts)
            for column in range(COLUMNS)
        )
        for _ in range(1000)
    ]
    rows = tuple(kinds[number % 1000] for number in range(ROWS))
    return NamedResult("wide", tuple(f"c{n}" for n in range(COLUMNS)), rows, None, ROWS)


def main() -> None:
    random_ = random.Random(1)
    wide = wide_table(random_)
    numbers = [f"North had {random_.random() * 1000:.2f}%" for _ in range(NUMBERS)]
    answers = {
        "10,000 numbers, one sentence": ", ".join(numbers),
        "10,000 numbers, as many sentences": ". ".join(numbers),
        "10,000 small numbers": "North 0, " * NUMBERS,
        "500,000 digits": "9" * 500_000,
        "250,000 times 1,": "1," * 250_000,
        "500,000 backticks": "`" * 500_000,
    }
    print(f"a result of {COLUMNS} x {ROWS:,} cells")
    for name, answer in answers.items():
        began = perf_counter()
        found = cite(answer, [wide], "?")
        print(f"{name:36} {perf_counter() - began:6.2f} s  {len(found):,} numbers")
    began = perf_counter()
    render("{{sum(wide.c1)}} {{wide[5].c2}} " * 10_000, {"wide": wide})
    print(f"{'20,000 references':36} {perf_counter() - began:6.2f} s")


if __name__ == "__main__":
    main()
