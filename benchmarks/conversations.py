"""Dialogues about data whose answers are known: how many turns come out right, and what remarks are
worth that are read as edits.

    python benchmarks/conversations.py DIALOGUES [--control] [--ids ID,...] [--json FILE]

DIALOGUES is a file with a dialogue a line:

    {"id", "data": [paths from the file's folder], "turns": [{"user", "kind", "gold", "golds_alt",
     "ordered", "tolerance", "pick": [words of the option to choose]}]}

Golds are those of `scoring.py`, and {"type": "clarify", "options": [words]}, {"type": "decline"},
{"type": "chat"}, {"type": "values", "values"}, {"type": "total", "value"} (a number, or a column
that adds up to it) and {"type": "mentions", "groups": [[words], ...]}. Each dialogue is a process
of `flows chat --json`. With `--control` nothing is kept between turns: a remark is read together
with the words of the turn before it, as one question of `flows ask`.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from questions import lines_of
from report import machine, table, write
from scoring import grade_of, number_of

OUTCOMES = ("right", "wrong", "asked", "declined", "failed")
_STATUSES = {"answered": "wrong", "clarify": "asked", "abstained": "declined"}


def main() -> int:
    options = _options()
    before = machine()
    dialogues = lines_of(options.dialogues)
    if options.ids:
        dialogues = [each for each in dialogues if each["id"] in options.ids.split(",")]
    if not dialogues:
        print(f"FAILED {options.dialogues} has no dialogue", file=sys.stderr)
        return 1
    folder = options.dialogues.parent
    talk = apart if options.control else together
    found = [talk(each, folder) for each in dialogues]
    turns = [
        (turn["kind"], outcome(turn, reply))
        for dialogue, replies in zip(dialogues, found, strict=True)
        for turn, reply in zip(dialogue["turns"], replies, strict=True)
    ]
    whole = [
        all(outcome(turn, each) == "right" for turn, each in zip(one["turns"], of, strict=True))
        for one, of in zip(dialogues, found, strict=True)
    ]
    print(by_kind(turns))
    print(f"\ndialogues right in all turns: {sum(whole)} of {len(whole)}")
    payload = {
        "machine": before,
        "control": options.control,
        "turns": Counter(each for _, each in turns),
        "dialogues": {"right": sum(whole), "all": len(whole)},
    }
    if options.json is not None:
        write(payload, "conversations", options.json)
    return 0


def together(dialogue: Mapping[str, Any], folder: Path) -> list[dict[str, Any]]:
    """The replies of one conversation to the turns of a dialogue, each said after the reply to the
    one before."""
    data = [str((folder / each).resolve()) for each in dialogue["data"]]
    with tempfile.TemporaryDirectory() as made:
        process = subprocess.Popen(
            [sys.executable, "-m", "flows", "chat", *data, "--json"], cwd=made, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        assert process.stdin is not None
        assert process.stdout is not None
        replies: list[dict[str, Any]] = []
        for turn in dialogue["turns"]:
            process.stdin.write(said(turn, replies[-1] if replies else {}) + "\n")
            process.stdin.flush()
            line = process.stdout.readline()
            replies.append(json.loads(line) if line else {})
        process.communicate()
    return replies


def apart(dialogue: Mapping[str, Any], folder: Path) -> list[dict[str, Any]]:
    """The replies to each turn as one question by itself, with the words of the turn before."""
    data = [str((folder / each).resolve()) for each in dialogue["data"]]
    texts = [str(each["user"]) for each in dialogue["turns"]]
    asked = [texts[0], *(f"{one.rstrip('?.! ')} {other}" for one, other in pairwise(texts))]
    with tempfile.TemporaryDirectory() as made:
        batch = Path(made) / "batch.jsonl"
        batch.write_text("".join(
            json.dumps({"id": n, "question": each, "data": data}) + "\n"
            for n, each in enumerate(asked)
        ), encoding="utf-8")  # fmt: skip
        done = subprocess.run(
            [sys.executable, "-m", "flows", "ask", "--batch", str(batch), "--json"], cwd=made,
            stdout=subprocess.PIPE, text=True, check=False,
        )  # fmt: skip
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


def said(turn: Mapping[str, Any], before: Mapping[str, Any]) -> str:
    """What the person says: the number of the option that is meant, where one was offered."""
    options = (before.get("clarification") or {}).get("options") or []
    for number, option in enumerate(options, 1):
        if any(word in str(option).casefold() for word in turn.get("pick") or ()):
            return str(number)
    return str(turn["user"])


def outcome(turn: Mapping[str, Any], reply: Mapping[str, Any]) -> str:
    """What became of a turn: the best over all its golds."""
    status = reply.get("status")
    if status not in _STATUSES:
        return "failed"
    golds = (turn["gold"], *(turn.get("golds_alt") or ()))
    if any(is_right(each, turn, reply) for each in golds):
        return "right"
    return _STATUSES[status]


def is_right(gold: Mapping[str, Any], turn: Mapping[str, Any], reply: Mapping[str, Any]) -> bool:
    status, rows = reply["status"], reply.get("rows") or []
    kind, text = gold["type"], str(reply.get("answer") or "")
    if kind == "clarify":
        options = (reply.get("clarification") or {}).get("options") or []
        offered = " ".join(str(each) for each in options).casefold()
        return (
            status == "clarify" and len(options) > 1 and any(e in offered for e in gold["options"])
        )
    if kind == "decline":
        return bool(status == "abstained")
    if kind == "chat":
        return status != "clarify" and not rows
    if status not in ("answered", "partly") or (gold.get("chart") and not reply.get("chart")):
        return False
    if kind == "mentions":
        told = f"{text} {json.dumps(rows, default=str)}".casefold()
        return all(any(word in told for word in group) for group in gold["groups"])
    if kind == "values":
        cells = [[cell] for row in rows for cell in row]
        wanted = [{"type": "scalar", "value": each} for each in gold["values"]]
        return all(
            _grade(each, turn, [], text) or any(_grade(each, turn, [cell], "") for cell in cells)
            for each in wanted
        )
    if kind == "total" and any(
        _adds_up(column, gold["value"]) for column in zip(*rows, strict=True)
    ):
        return True
    of = {"type": "scalar", "value": gold["value"]} if kind in ("scalar", "total") else gold
    return _grade(of, turn, rows, text, percent=bool(gold.get("percent")),
                  free=bool(gold.get("either_sign")))  # fmt: skip


def _adds_up(column: Sequence[Any], total: float) -> bool:
    numbers = [number_of(each) for each in column]
    known = [each for each in numbers if each is not None]
    return bool(known) and abs(sum(known) - total) <= 0.005 * abs(total)


def _grade(
    gold: Mapping[str, Any], turn: Mapping[str, Any], rows: Sequence[Sequence[Any]], text: str, *,
    percent: bool = False, free: bool = False,
) -> bool:  # fmt: skip
    units = [*(("share", "share100") if percent else ()), *(("abs",) if free else ())]
    case = {"gold": gold, "unit": ",".join(units), "tolerance": turn.get("tolerance", 0.005),
            "ordered": turn.get("ordered", False)}  # fmt: skip
    return grade_of(case, rows, text) == "right"


def by_kind(turns: Sequence[tuple[str, str]]) -> str:
    """A row for each kind of turn: how many came out how."""
    rows = []
    for kind in (*sorted({kind for kind, _ in turns}), "all"):
        counts = Counter(each for of, each in turns if kind in (of, "all"))
        cells = [str(counts[name]) if counts[name] else "" for name in OUTCOMES]
        rows.append([kind, str(counts.total()), *cells, f"{counts['right'] / counts.total():.0%}"])
    return table(["kind", "n", *OUTCOMES, "share right"], rows)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n\n")[0])
    parser.add_argument("dialogues", type=Path, help="a file with a dialogue a line")
    parser.add_argument("--control", action="store_true", help="nothing is kept between turns")
    parser.add_argument("--ids", help="only these dialogues")
    parser.add_argument("--json", type=Path, help="write the figures there")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
