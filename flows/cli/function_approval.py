"""`flows functions approve`: what servers have changed, shown to a person who says yes or no."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from flows.cli.arguments import is_override

if TYPE_CHECKING:
    from flows.services.approval import PendingFunction

WAITS: Final = 75


def approve(given: list[str], trust: list[str], *, yes: bool, as_json: bool) -> int:
    """Show each function that has changed, and note those that the person approves; returns the
    exit code. With `yes` all that are shown are approved without asking."""
    from flows.cli.output import write_json
    from flows.services.approval import pending_functions
    from flows.ui.terminal_text import clean

    file, *rest = given
    overrides = [each for each in rest if is_override(each)]
    ids = [each for each in rest if not is_override(each)]
    found = pending_functions(Path(file), overrides, ids, trust)
    approved = {each.id: _is_approved(each, yes=yes, quiet=as_json) for each in found.functions}
    if as_json:
        functions = [
            {"id": each.id, "why": each.why, "change": each.change, "approved": approved[each.id]}
            for each in found.functions
        ]
        write_json({"functions": functions, "unavailable": dict(found.unavailable)})
    else:
        for name, why in found.unavailable.items():
            print(clean(f"{name} cannot be reached: {why}"))
        waiting = len(approved) - sum(approved.values())
        print(f"{sum(approved.values())} approved, {waiting} waiting")
    return 0 if all(approved.values()) and not found.unavailable else WAITS


def _is_approved(each: PendingFunction, *, yes: bool, quiet: bool) -> bool:
    from flows.human.confirm import confirm
    from flows.ui.terminal_text import clean

    if not quiet:
        print(clean(f"{each.id}: {each.why}.\n{each.change}\n"), flush=True)
    if not yes and (quiet or not confirm(f"Is {each.id} approved as it is now?")):
        return False
    each.approve()
    return True
