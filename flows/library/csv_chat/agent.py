"""Where the prompts of the agents of a conversation are, and what those may use."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from flows.library.blocks.chat import Context

PROMPTS: Final = Path(__file__).parent / "prompts"
OVER_DATA: Final[tuple[Context, ...]] = ("tables", "semantics")
