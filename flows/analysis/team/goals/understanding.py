"""How a question was understood, in a sentence."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from flows.analysis.language.words import singular
from flows.analysis.linking.schema import schema_of
from flows.analysis.methods.method import words
from flows.analysis.parser.exact import words as request_words
from flows.analysis.parser.writer import listed
from flows.analysis.reading.outcome import Reading, Unread
from flows.analysis.team.goals.aims import entity_words, target_of
from flows.analysis.team.goals.builder import rows
from flows.analysis.team.goals.kinds import Kind
from flows.analysis.team.goals.scope import TableScope
from flows.analysis.team.goals.steps import PlannedTask
from flows.semantics.model import SemanticModel
from flows.semantics.query import FieldRef, Query
from flows.semantics.tree import parts

_WANTS: Final[dict[Kind, str]] = {
    "forecast": "a forecast",
    "segments": "groups of rows that are alike",
    "anomalies": "what is unusual",
    "overview": "an overview",
    "drivers": "what drives a target",
    "effect": "the effect of one thing on another",
    "difference": "whether groups differ",
    "ranking": "a comparison",
    "trend": "a development over time",
    "distribution": "how values are spread",
    "question": "an answer that a query gives",
}


def understood_as(
    kind: Kind, scope: TableScope, question: str, steps: Sequence[PlannedTask], model: SemanticModel
) -> str:
    """The kind, target, columns, entity, table and period, and what was not understood."""
    said = [f"The question asks for {_WANTS[kind]}"]
    target = target_of(scope, question)
    if target is not None and kind in ("drivers", "effect"):
        said.append(f"target: {_quoted(target.name)}")
    others = [
        c.name for c in scope.columns if target is None or c.name != target.name or len(said) == 1
    ]
    if others:
        said.append(f"columns: {listed(list(map(_quoted, others)))}")
    if scope.entities:
        said.append(f"about: {entity_words(scope.entities)}")
    said.append(f"table: {listed(list(map(_quoted, _used(scope, steps))))}")
    if scope.period:
        said.append(f"rows: {_period(scope, model)}")
    text = "; ".join(said) + "."
    if left := left_words(scope, question):
        text += f" Not understood and left out: {', '.join(left)}."
    return text


def _quoted(name: str) -> str:
    return f'"{name}"'


def _period(scope: TableScope, model: SemanticModel) -> str:
    """The conditions on rows, in words."""
    query = rows(scope.wide, [scope.period[0].column], scope.period)
    text = request_words(query, model)
    return text.partition(" where ")[2] or text


def _used(scope: TableScope, steps: Sequence[PlannedTask]) -> list[str]:
    """The tables that the tasks are about."""
    named = {
        node.dataset for each in steps for node in parts(each.request) if isinstance(node, FieldRef)
    }
    found = [each.name for each in scope.wide.tables if each.name in named]
    return found or [scope.wide.base.name]


def unused(scope: TableScope, steps: Sequence[PlannedTask]) -> list[str]:
    """The columns that the question names and no task works on."""
    requests = [each.request for each in steps]
    asked = [parts(each) for each in requests if each is not None]
    used = {node.field for each in asked for node in each if isinstance(node, FieldRef)}
    whole = any(isinstance(e, Query) and not (e.show or e.by or e.metrics) for e in requests)
    home = scope.wide.home
    named = [] if whole else [e.name for e in scope.columns if e.name in home]
    return [each for each in named if home[each][1] not in used]


def left_words(scope: TableScope, question: str) -> list[str]:
    """The words of the question that stand for nothing here."""
    from_kind = _KIND_WORDS
    return [
        word for word in dict.fromkeys(scope.unread)
        if word.casefold() not in from_kind and word.casefold() in question.casefold()
    ]  # fmt: skip


def wanted_words(
    scope: TableScope, question: str, reading: Reading | Unread | None = None
) -> list[str]:
    """The words of a question that would name what it is about, and that nothing explains."""
    unread = reading.not_understood if isinstance(reading, Unread) and not scope.columns else ()
    known = {word.casefold() for word in entity_words(scope.entities).split()}
    counted = [] if scope.columns else _COUNTED.findall(scope.plain)
    known |= {word for word in counted if singular(word) in _things(scope)}
    return [
        word for word in dict.fromkeys((*left_words(scope, question), *unread, *counted))
        if word.casefold() not in _SAYS_LITTLE | _KIND_WORDS | known and not word.isdigit()
        and word in question
    ]  # fmt: skip


_COUNTED: Final = re.compile(r"\bhow (?:many|much) ([^\W_]+)", re.IGNORECASE)


def _things(scope: TableScope) -> set[str]:
    """What the rows of the tables are called."""
    found = {singular(word) for t in scope.wide.tables for word in schema_of(t).table_words}
    return found | {"row", "record", "entry", "line", "case", "time"}


# Words that say how much, how often or in which way, and name nothing.
_SAYS_LITTLE: Final = words(
    """all also always any anything both each ever every everything few good great large larger
    largest late least little long longer longest look lot low many may might much must never new
    number of often old one only other others please really same short shorter shortest small
    smaller smallest so some something still such than then thing things two three four five six
    seven eight nine ten usual usually well while work works year years"""
)
_KIND_WORDS: Final = words(
    """affect affects analyse analyze anomalies anomaly average be behind best better between
    bigger boost bottom business can cause causes change changed changing cluster clusters
    coming compare comparison contribute contributes correlated correlation could data dataset
    day days decrease depend depends describe determine determines develop developed development
    differ difference different differently differs distributed distribution do does drive
    driver drivers drives driving effect effects expect expected explain explains factor factors
    facts fallen falling figures findings forecast future get group groups grow growing grown
    growth high higher highest how impact impacts important improve improved increase influence
    influences insight insights interesting key know less lever levers lies low lower lowest
    main make makes matter matters maximise maximize mean minimise minimize month months more
    most next non odd optimise optimize outlier outliers over overview perform performance
    performing performs period periods predict prediction quarter quarters raise rank ranking
    reason reasons reduce related relation relationship report responsible risen rising segment
    segments should significant significantly spread strange strongest summarise summarize
    summary table tell time top total trend trends unusual versus vs weakest week weeks what
    which why will worse worst year years"""
)
