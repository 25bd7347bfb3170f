"""The terminal: a console, a screen that follows a run, and the view of what it came to."""

from flows.ui.console import make_console
from flows.ui.ending import show_result
from flows.ui.screen import Screen

__all__ = ["Screen", "make_console", "show_result"]
