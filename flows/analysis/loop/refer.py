"""Makes a part of a goal self-contained: its pronouns replaced by what earlier results named."""

from __future__ import annotations

from collections.abc import Sequence

from flows.analysis.language.words import split_identifier
from flows.analysis.loop.goal import Part, Progress
from flows.analysis.loop.refine import refine
from flows.analysis.loop.split import Referent, has_anaphora, referent_of, resolve, without_pronouns
from flows.analysis.plan import Field, Plan
from flows.analysis.reading.draft import is_time
from flows.analysis.reading.read import Unread, read
from flows.analysis.telling.wording import condition_words
from flows.data.tables import Table

# More values than this are not spelled out in a question; their conditions are repeated instead.
_MOST_NAMED = 20


def resolved(part: Part, progress: Progress) -> tuple[str | None, str]:
    """The part's text standing alone, and a sentence on how; None with the reason if it cannot."""
    nouns = {word: c.name for t in progress.tables for c in t.columns for word in _nouns(c.name)}
    before = progress.last_answered(before=part)
    if not has_anaphora(part.text, tuple(nouns)):
        if part.forced:
            return part.text, ""
        return _elliptic(part, before, progress.tables)
    if before is None or before.result is None or before.result.table is None:
        if part.request is not None:
            return part.text, ""
        return None, "it refers to an earlier result, and there is none"
    plan = progress.plan_of(before)
    referent = None if plan is None else _referent(before, plan, progress.table(plan.table))
    if referent is None:
        return _about_the_same_rows(part, plan, progress.tables)
    text = resolve(part.text, _written(referent), nouns)
    return text, f'"{part.text}" refers to {referent.value}, which the result before named. '


def _elliptic(part: Part, before: Part | None, tables: Sequence[Table]) -> tuple[str, str]:
    """`In 1952?` after a question: the same question about another value."""
    if before is None or part.request is not None:
        return part.text, ""
    changed = refine(before.asked, part.text, tables)
    if changed is None:
        return part.text, ""
    return changed.question, f'"{part.text}" goes on with the question before: {changed.how}. '


def _nouns(name: str) -> set[str]:
    return {" ".join(split_identifier(name)), name.casefold()}


def _referent(before: Part, plan: Plan, asked_of: Table) -> Referent | None:
    table = before.result.table if before.result else None
    if table is None:
        return None
    asked = [t.column for t in plan.select if isinstance(t, Field)]
    times = [c.name for c in asked_of.columns if is_time(c)]
    found = referent_of(table.columns, table.rows, asked, times)
    # A list without an order names nobody in particular, but all of its rows.
    if found and len(table.rows) > 1 and plan.limit is None and not plan.order:
        if table.total_rows > len(table.rows) or len(found.values) > _MOST_NAMED:
            return None
        many = " or ".join(found.values)
        return Referent(found.column, many, found.values, found.is_time)
    return found


def _about_the_same_rows(
    part: Part, plan: Plan | None, tables: Sequence[Table]
) -> tuple[str | None, str]:
    """The result before is a number: the pronoun means the rows that it was computed from."""
    if plan is None:
        return None, "it refers to an earlier result that names nothing"
    plain = without_pronouns(part.text).rstrip(" ?.!")
    text = f"{plain}{condition_words(plan)}"
    if isinstance(read(text, tables), Unread):
        return None, "it refers to an earlier result that names nothing"
    return text, f'"{part.text}" is read as about the same rows of {plan.table}. '


def _written(referent: Referent) -> Referent:
    """Values in quotes where the plain words could be taken for something else."""
    if referent.is_time:
        return referent

    def quoted(value: str) -> str:
        plain = all(
            word.replace("-", "").isalpha() and word[:1].isupper() for word in value.split()
        )
        return value if plain or '"' in value else f'"{value}"'

    many = tuple(quoted(value) for value in referent.values)
    value = " or ".join(many) if " or " in referent.value else quoted(referent.value)
    return Referent(referent.column, value, many, referent.is_time)
