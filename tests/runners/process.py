"""Runs a run file in a process of its own: `python -m tests.runners.process FOLDER [RUN_ID]`.

With a run id it resumes that run. Prints the result as one JSON object. Ctrl-C ends it with 130.
"""

import json
import sys
from pathlib import Path

from flows.core.events import Event, RunStarted
from flows.runners.door import resume, run
from tests.shapes import TRUST


def tell(event: Event) -> None:
    if isinstance(event, RunStarted):
        print(event.run, file=sys.stderr, flush=True)


def main(folder: Path, run_id: str | None) -> None:
    runs = folder / "runs"
    if run_id is None:
        overrides = (f"runs={runs}",)
        result = run(folder / "run.yaml", overrides, trust=TRUST, listeners=(tell,))
    else:
        result = resume(run_id, runs=runs, trust=TRUST, listeners=(tell,))
    print(json.dumps(result.as_json()))


if __name__ == "__main__":
    try:
        main(Path(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else None)
    except KeyboardInterrupt:
        sys.exit(130)
