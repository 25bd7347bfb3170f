"""What a run is doing, in lines for a person."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Mapping
from typing import Any, Final

from flows.services.hosting.service import RunService

_DEPTH: Final = 2
_CHARACTERS: Final = 300
_LOOK_SECONDS: Final = 0.5


async def progress_lines(service: RunService, run_id: str) -> AsyncGenerator[str, None]:
    """A line for each step that begins near the top of the flow, each that is tried again, and
    each notice, until the run is over or asks."""
    events = service.watch(run_id)
    coming = asyncio.ensure_future(anext(events, None))
    try:
        while run_id in service.live or coming.done():
            done, _ = await asyncio.wait({coming}, timeout=_LOOK_SECONDS)
            if not done:
                continue
            item = coming.result()
            if item is None:
                return
            line = progress_line(json.loads(item.text))
            if line:
                yield line
            coming = asyncio.ensure_future(anext(events, None))
    finally:
        coming.cancel()
        await asyncio.gather(coming, return_exceptions=True)
        await events.aclose()


def progress_line(event: Mapping[str, Any]) -> str:
    """What a public event says of what is being done; "" for one that says nothing."""
    match event:
        case {"kind": "progress", "state": "begun", "address": str(address), "goal": str(goal)}:
            text = goal if address and address.count("/") < _DEPTH else ""
        case {"kind": "progress", "state": "retrying", "wait_s": wait, "message": why}:
            text = f"Trying again in {wait:.0f} s: {why}"
        case {"kind": "round", "round": number, "max_rounds": most}:
            text = f"Round {number} of {most}" if most else f"Round {number}"
        case {"kind": "notice", "text": str(text)}:
            pass
        case _:
            text = ""
    line = " ".join(text.split())
    return line if len(line) <= _CHARACTERS else f"{line[: _CHARACTERS - 1]}…"
