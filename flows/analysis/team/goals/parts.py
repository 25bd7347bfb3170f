"""The questions in one, each with what its pronouns stand for as far as that is said before."""

from __future__ import annotations

import re
from collections.abc import Sequence

from flows.analysis.language.sentences import split_goal
from flows.analysis.loop.split import has_anaphora
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


# What tells to look at the things that follow it, and nothing more.
_LOOK_AT = re.compile(
    r"^\W*(?:(?:please|can you|could you|i want (?:to|an?)|let us|let's)\s+)*"
    r"(?:(?:analy[sz]e|analysis|"
    r"report|overview|summar(?:y|i[sz]e)|look|describe|explore|give|show|create|make|insights?)\b\s*"
    r"(?:(?:me|us|an?|the|our|my|all|at|on|of|into|about|for)\b\s*)*:?\s*)*",
    re.IGNORECASE,
)
_LISTED = re.compile(r"\s*(?:[,;]|\b(?:and|plus|as well as)\b|&)\s*(?:also\s+)?", re.IGNORECASE)
# What a list of things does not hold: what relates them, and what asks.
_RELATES = re.compile(
    r"\b(?:between|by|per|for|from|with|without|to|than|vs|versus|over|across|in|since|of|each|"
    r"compared?|do|does|did|is|are|was|were|has|have|can|could|should|will|would|why|how|what|"
    r"which|who|whose|when|where|not|most|best|more|less|if)\b",
    re.IGNORECASE,
)
_SEVERAL, _WORDS, _CLEAR = range(2, 9), 4, 0.5


def listed_things(
    question: str, tables: Sequence[Table], model: SemanticModel
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The things that a question only lists, where two or more of them lie in tables of their
    own: an overview of each, and those that no table holds. Both are empty for other questions."""
    listed = _LISTED.split(question[_match_end(question) :].rstrip(" .!?"))
    pieces = [each.strip() for each in listed if each.strip()]
    short = all(len(each.split()) <= _WORDS and not _RELATES.search(each) for each in pieces)
    if len(pieces) not in _SEVERAL or not short:
        return (), ()
    likeliest = {each: next(iter(scopes_of(each, tables, model)), None) for each in pieces}
    known = {
        k: each.wide.base.name for k, each in likeliest.items() if each and each.worth >= _CLEAR
    }
    if len(known) < 2 or len(set(known.values())) < len(known):
        return (), ()
    unknown = tuple(each for each in pieces if each not in known)
    return tuple(f"Overview of {each}" for each in known), unknown


def _match_end(question: str) -> int:
    found = _LOOK_AT.match(question)
    return found.end() if found else 0


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
