"""A person who is asked while a screen follows the run: both use one terminal."""

from __future__ import annotations

import asyncio
import sys

from flows.core.human import Question
from flows.human.terminal import TerminalHuman
from flows.ui.console import make_console
from flows.ui.screen import Screen
from tests.ui.story import DECISION, Story


async def talk(screen: Screen, pause: float) -> None:
    story, human = Story(screen), TerminalHuman(TerminalHuman.Config())
    for number in (1, 2):
        story.round(number)
        story.begin(f"Controller#{number}", "Choose the next command")
        story.stream(f"Controller#{number}", '{"thought"')
        await asyncio.sleep(pause)
        story.finish(f"Controller#{number}", DECISION)
        story.begin(f"Ask#{number}", "Ask the person")
        answer = await human.ask(Question(id=str(number), text="Your feedback:"))
        story.finish(f"Ask#{number}", {"human_feedback": answer.text})


if __name__ == "__main__":
    try:
        with Screen(make_console()) as opened:
            asyncio.run(talk(opened, float(sys.argv[1])))
    except KeyboardInterrupt:
        raise SystemExit(130) from None
