"""What code prints, read from a pipe within a limit."""

from __future__ import annotations

import asyncio
import os

from flows.sandbox.streams import Stream


async def closed_with(text: bytes) -> tuple[str, bool]:
    end, start = os.pipe()
    stream = Stream(end, 100)
    os.write(start, text)
    os.close(start)
    stream.close()
    stream.close()
    return stream.take()


def test_what_was_printed_before_the_end_is_kept_after_it() -> None:
    assert asyncio.run(closed_with(b"last words")) == ("last words", False)


def test_what_is_over_the_limit_is_said() -> None:
    assert asyncio.run(closed_with(b"x" * 1000)) == ("x" * 100, True)
