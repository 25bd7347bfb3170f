"""Which test files a change concerns: `python -m tests.changed [--since REVISION] [--seconds N]`.

Prints the files that reach a changed module by imports, nearest first, as many as fit into the
processor time, and on standard error what it left out. A file that is no Python concerns the tests
that name it. Without a revision the change is what is not committed, or else the last commit.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import grimp

from tests.times import known_times

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("flows", "tests")
UNKNOWN_SECONDS = 3.0  # the time of a file that `make times` has not seen


def main() -> None:
    """Print the test files of the change, one a line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--since", metavar="REVISION")
    parser.add_argument("--seconds", type=float, default=40.0)
    given = parser.parse_args()
    files = changed_files(given.since)
    near = distances(files)
    seconds = {path: each["processor"] for path, each in known_times().items()}
    chosen = choose(near, seconds, given.seconds)
    print(
        f"{len(files)} changed files; {len(near)} test files reach them, {len(chosen)} are run",
        file=sys.stderr,
    )
    print("\n".join(chosen))


def changed_files(since: str | None) -> list[str]:
    """The paths that differ from the revision, and those that git does not know yet."""
    new = _git("ls-files", "--others", "--exclude-standard")
    if since is None:
        since = "HEAD" if new or _git("diff", "--name-only", "HEAD") else "HEAD~1"
    return sorted({*_git("diff", "--name-only", since), *new})


def distances(files: Iterable[str]) -> dict[str, int]:
    """Test files by how many imports lie between them and the nearest changed file."""
    graph = grimp.build_graph(*PACKAGES)
    changed = {_module(each) for each in files if each.endswith(".py")} & graph.modules
    others = [Path(each).name for each in files if not each.endswith(".py")]
    tests = {
        _module(path): path for path in _git("ls-files", "tests/**/test_*.py", "tests/test_*.py")
    }
    reached: dict[str, int] = {}
    border, steps = changed, 0
    while border:
        reached |= dict.fromkeys(border, steps)
        importers = {
            each for module in border for each in graph.find_modules_that_directly_import(module)
        }
        border, steps = importers - reached.keys(), steps + 1
    found = {path: reached[module] for module, path in tests.items() if module in reached}
    for path in tests.values():
        if others and any(name in (ROOT / path).read_text(encoding="utf-8") for name in others):
            found[path] = 0
    return found


def choose(near: dict[str, int], seconds: dict[str, float], most: float) -> list[str]:
    """The nearest files whose times, in seconds of processor time, add up to `most`."""
    chosen: list[str] = []
    spent = 0.0
    for path in sorted(near, key=lambda each: (near[each], seconds.get(each, UNKNOWN_SECONDS))):
        spent += seconds.get(path, UNKNOWN_SECONDS)
        if chosen and spent > most:
            break
        chosen.append(path)
    return chosen


def _module(path: str) -> str:
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def _git(*arguments: str) -> list[str]:
    command = ["git", *arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


if __name__ == "__main__":
    main()
