"""A thin door to `flows run`: without a file it runs the demo that lies beside it."""

import sys
from pathlib import Path

from flows.cli import main, stoppable

if __name__ == "__main__":
    with stoppable():
        from flows.cli.run import is_override
    arguments = sys.argv[1:]
    pairs = zip(["", *arguments], arguments, strict=False)
    words = [each for before, each in pairs if before not in ("--events", "--trust", "--data")]
    named = [each for each in words if not each.startswith("-") and not is_override(each)]
    if not named and not {"-h", "--help"} & set(arguments):
        arguments = [str(Path(__file__).with_name("demo.yaml")), *arguments]
    main(["run", *arguments])
