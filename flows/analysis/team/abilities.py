"""What the agents of a team can do, by their actions and what they give: names say nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

Ability = Literal["queries", "computes", "learns", "draws", "tells", "goals"]
# The action that makes an agent able, and what it then gives; no action for one that has a team.
_ABILITIES: Final[dict[Ability, tuple[str, str]]] = {
    "queries": ("sql_generation", "table"),
    "computes": ("python_code_generation", "table"),
    "learns": ("python_code_generation", "model"),
    "draws": ("chart_generation", "figure"),
    "tells": ("insights_generation", "insights"),
    "goals": ("", "goal"),
}
# What others can work on.
_DATA: Final = frozenset(["table", "model", "goal"])


@dataclass(frozen=True, slots=True)
class Team:
    """The agents that a task list may name, the first of each ability ("" for none), and those
    whose results others can work on."""

    names: tuple[str, ...]
    giving: frozenset[str]
    queries: str = ""
    computes: str = ""
    learns: str = ""
    draws: str = ""
    tells: str = ""
    goals: str = ""


def team_of(given: Mapping[str, Any]) -> Team:
    """The team of a role's inputs: agents as values or as plain data."""
    agents: Sequence[Any] = given.get("agents") or ()
    plain = [each if isinstance(each, Mapping) else each.model_dump() for each in agents]
    able: dict[str, str] = {}
    for ability, (action, gives) in _ABILITIES.items():
        found = (
            str(each["name"]) for each in plain
            if each.get("gives") == gives and (not action or action in each.get("actions", ()))
        )  # fmt: skip
        able[ability] = next(found, "")
    return Team(
        names=tuple(str(each["name"]) for each in plain),
        giving=frozenset(str(each["name"]) for each in plain if each.get("gives") in _DATA),
        **able,
    )
