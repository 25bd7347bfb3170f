"""`flows doctor`: what is installed, what is missing, what can be reached."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from flows.cli.arguments import AsJson

if TYPE_CHECKING:
    from flows.cli.check_result import CheckResult

STYLES = {"ok": "green", "missing": "bold red", "failed": "bold red", "note": "yellow"}


def doctor(as_json: AsJson = False) -> int:
    """Say what is installed, what is missing, and what answers.

    For what is missing the line that installs it is shown. Nothing is sent anywhere but to the
    model endpoint that the environment names, which is asked for its list of models; no value of
    an environment variable is shown. Without a network this takes a few seconds.

    Examples:

      flows doctor
      flows doctor --json

    Exit codes: 0 the embedded default works, offline and without a key; 2 it does not.
    """
    from flows.cli.diagnosis import diagnose

    findings = diagnose()
    works = not any(each.is_needed and each.state in ("missing", "failed") for each in findings)
    if as_json:
        whole = {"works": works, "findings": [each.as_json() for each in findings]}
        print(json.dumps(whole, ensure_ascii=False))
    else:
        show(findings, works)
    return 0 if works else 2


def show(findings: list[CheckResult], works: bool) -> None:
    """The findings in their groups, and what they come to."""
    from rich.text import Text

    from flows.ui.console import make_console
    from flows.ui.terminal_text import clean

    console = make_console()
    group = ""
    widest = max(len(each.name) for each in findings)
    for each in findings:
        if each.group != group:
            group = each.group
            console.print(Text(f"\n{group}" if each is not findings[0] else group, style="bold"))
        state = (f"  {each.state:<8}", STYLES[each.state])
        line = Text.assemble(state, f"{each.name.ljust(widest)}  ", clean(each.detail))
        console.print(line, soft_wrap=True)
        if each.install:
            console.print(Text(f"{'':<{widest + 12}}{each.install}", style="bold"), soft_wrap=True)
    verdict = "works here" if works else "does not work here: see what is missing or failed"
    console.print(Text(f"\nThe embedded default, with no key and no network, {verdict}."))
