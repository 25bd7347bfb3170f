"""A process that asks the person at its terminal, for the tests of that terminal.

Usage: python -m tests.human.asker OUT COUNT [on_eof] [seconds between questions]
Writes one JSON line for each answer to OUT, and what ended it.
"""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import Literal, cast

from flows.core.human import Question
from flows.human.terminal import TerminalHuman


async def ask(out: Path, count: int, on_eof: str, pause: float) -> None:
    kind = cast(Literal["wait", "continue"], on_eof)
    human = TerminalHuman(TerminalHuman.Config(on_eof=kind))
    for number in range(1, count + 1):
        answer = await human.ask(Question(id=f"Ask#{number}", text=f"Question {number}?"))
        with out.open("a") as file:
            file.write(answer.model_dump_json() + "\n")
        if pause:
            print("working", flush=True)
            await asyncio.sleep(pause)
    await human.aclose()


def main() -> int:
    out, count, *rest = sys.argv[1:]
    on_eof, pause = (*rest, *("wait", "0")[len(rest) :])
    try:
        asyncio.run(ask(Path(out), int(count), on_eof, float(pause)))
    except KeyboardInterrupt:
        with Path(out).open("a") as file:
            file.write(json.dumps({"ended": "KeyboardInterrupt"}) + "\n")
        return 130
    loaded = "prompt_toolkit" in sys.modules
    with Path(out).open("a") as file:
        file.write(json.dumps({"ended": "normally", "prompt_toolkit": loaded}) + "\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
