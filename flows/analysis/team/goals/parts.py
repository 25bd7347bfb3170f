"""The questions in one, each with what its pronouns stand for as far as that is said before."""

from __future__ import annotations

import re
from collections.abc import Sequence

from flows.analysis.loop.split import has_anaphora, split_goal
from flows.analysis.team.goals.aims import target_of
from flows.analysis.team.goals.scope import scopes_of
from flows.data.tables import Table
from flows.semantics.model import SemanticModel

_ONLY_JOINS = re.compile(
    r"\W*(?:why|how|how come|what for|how so|by how much|"
    r"(?:which|what|who|where)(?: \w+){0,3} (?:is|are|was|were|has|have)(?: been)?(?: \w+)? "
    r"(?:responsible|to blame|behind (?:it|this|that)|the (?:causes?|reasons?|culprits?))"
    r"(?: for (?:it|this|that))?|"
    r"(?:is|are|was) (?:it|this|that|they) (?:a|any|really|serious|bad|significant)\b.*)\W*$",
    re.IGNORECASE,
)


def parts_of(question: str) -> tuple[str, ...]:
    """The questions in one. `Which is best and why?` is one."""
    found: list[str] = []
    for part in split_goal(question):
        if found and _ONLY_JOINS.fullmatch(part):
            found[-1] = f"{found[-1].rstrip(' ?.!')} and {part[:1].lower()}{part[1:]}"
        else:
            found.append(part)
    return tuple(found) or (question,)


_IT = re.compile(r"\b(?:it|its|them|they|their)\b", re.IGNORECASE)


def about_what(
    parts: Sequence[str], tables: Sequence[Table], model: SemanticModel
) -> tuple[str, ...]:
    """The parts with what their pronouns stand for: the column that the part before is about. Only
    a part that such a pronoun follows is read for it."""
    found: list[str] = []
    topic = ""
    for at, part in enumerate(parts):
        if topic and has_anaphora(part):
            part = _IT.sub(topic, part)
        found.append(part)
        if any(map(has_anaphora, parts[at + 1 : at + 2])):
            scope = next(iter(scopes_of(part, tables, model)), None)
            if scope is not None and (target := target_of(scope, part)) is not None:
                topic = f'"{target.name}"'
    return tuple(found)
