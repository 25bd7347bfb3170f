"""A person at a terminal, through prompt_toolkit. Loaded only when there is a terminal."""

from __future__ import annotations

import os
import sys
import termios

from prompt_toolkit import PromptSession
from prompt_toolkit.history import InMemoryHistory
from prompt_toolkit.input.defaults import create_input
from prompt_toolkit.output.vt100 import Vt100_Output

from flows.human.prompt import clear_line, prompt_text


class Keyboard:
    """Edits one answer at a time, with the earlier ones as history.

    Enter submits. What is pasted comes whole, lines and all. Keys are read raw, so the 4,095
    characters that a terminal's own line may have are no limit.
    """

    def __init__(self) -> None:
        output = Vt100_Output.from_pty(sys.stderr, term=os.environ.get("TERM"))
        # Asking the terminal for its cursor delays or warns where nothing answers.
        output.enable_cpr = False
        self._session: PromptSession[str] = PromptSession(
            history=InMemoryHistory(), input=create_input(sys.stdin), output=output
        )

    async def read(self, question: str) -> str | None:
        """The answer, or None for the end of input. Raises KeyboardInterrupt for Ctrl-C."""
        clear_line()
        try:
            return await self._session.prompt_async(prompt_text(question))
        except (EOFError, OSError, termios.error):
            return None  # Ctrl-D on an empty line, or the terminal is gone.
