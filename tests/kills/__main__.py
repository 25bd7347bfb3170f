"""`python -m tests.kills`: see `--help`."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from tests.kills.harness import Harness
from tests.kills.summary import Summary


def main() -> int:
    """Kill runs as the command line says, show what came of it, and return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.kills", description=__doc__)
    parser.add_argument("--kills", type=int, default=1000, help="how many at least")
    parser.add_argument("--seed", type=int, default=1, help="of points, moments and chains")
    parser.add_argument("--jobs", type=int, default=2, help="cases that are played at once")
    parser.add_argument("--naive", action="store_true", help="with a journal that must not pass")
    parser.add_argument("--json", type=Path, metavar="FILE", help="where to write the report")
    options = parser.parse_args()

    harness = Harness(kills=options.kills, seed=options.seed, jobs=options.jobs)
    summary: Summary = harness.run(naive=options.naive, show=lambda line: print(line, flush=True))
    print(summary.table())
    if options.json is not None:
        options.json.write_text(json.dumps(summary.as_json(), indent=2) + "\n")
    return 0 if summary.is_good else 1


if __name__ == "__main__":
    sys.exit(main())
