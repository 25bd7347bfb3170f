"""What to beware of beside an answer, and how its data were cleaned."""

from __future__ import annotations

from collections.abc import Iterable

from flows.core.observation import Caution
from flows.ui.page import Page

_CLEANED = "cleaned"


def show_cautions(page: Page, cautions: Iterable[Caution]) -> None:
    """A line for each caution, and one for the cleaning of all columns."""
    cleaned = []
    for each in cautions:
        if each.code == _CLEANED:
            cleaned.append(each.text)
        else:
            page.text("Beware", each.text, label_style="bold yellow")
    if cleaned:
        page.text("Cleaned", " ".join(cleaned))
