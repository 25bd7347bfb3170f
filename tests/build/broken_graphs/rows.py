"""The form of a row, and the composite that most rows are about.

In the text «  marks where a fault must point; the marks are in the order of their places, and taken
out before the file is written. `said` has for each of them the path and a part of the text. `mend`
are replacements in the text after which nothing may be said. To add a row, add it to a table.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from flows.build.builder import build
from flows.errors import CheckError, ConfigError

MARK = "«"


@dataclass(frozen=True)
class BrokenGraph:
    """A run file with faults in its keys; see above."""

    name: str
    text: str
    said: tuple[tuple[str, str], ...]
    mend: tuple[tuple[str, str], ...]

    @property
    def broken(self) -> str:
        return self.text.replace(MARK, "")

    @property
    def places(self) -> list[tuple[int, int]]:
        """Line and column of each mark."""
        found = []
        for number, line in enumerate(self.text.splitlines(), 1):
            parts = line.split(MARK)
            for count in range(1, len(parts)):
                found.append((number, len("".join(parts[:count])) + 1))
        return found

    @property
    def mended(self) -> str:
        text = self.broken
        for old, new in self.mend:
            assert old in text, f"{self.name}: {old}"
            text = text.replace(old, new, 1)
        return text


def row(
    name: str,
    text: str,
    *said: str,
    mend: tuple[str, str] | tuple[tuple[str, str], ...],
) -> BrokenGraph:
    """A row; each of `said` is `path: part of the text`, `mend` one replacement or several."""
    told = tuple((path, part) for path, _, part in (each.partition(": ") for each in said))
    one = isinstance(mend[0], str)
    mends = (mend,) if one else mend
    return BrokenGraph(name, text, told, mends)  # type: ignore[arg-type]


def composite(
    *steps: str,
    ports: str = "[n]",
    outputs: str = "null",
    kind: str = "sequential",
    more: str = "",
) -> str:
    """A composite with these steps. A mark before a step is one before its mapping."""
    text = f"""\
_target_: {kind}
input_interface: {ports}
output_interface: {outputs}
{more}subflows_config:
  add: {{_target_: T.Add}}
  double: {{_target_: T.Double}}
  sum: {{_target_: T.Accumulate}}
  any: {{_target_: T.Echo}}
  stop: {{_target_: T.Stop}}
topology:
"""
    for step in steps:
        mark = MARK if step.startswith(MARK) else ""
        text += f"  - {mark}{{goal: do it, flow: {step.removeprefix(MARK)}}}\n"
    return text


def faults_of(text: str, folder: Path, *overrides: str) -> list[ConfigError]:
    """All that a check says of a run file with this text, faults and warnings."""
    file = folder / "run.yaml"
    file.write_text(text.replace("T.", "tests.flows_for_tests."))
    try:
        plan, _ = build(file, (f"runs={folder / 'runs'}", *overrides), trust=("tests",))
    except CheckError as several:
        return list(several.errors)
    except ConfigError as error:
        return [error]
    return list(plan.warnings)
