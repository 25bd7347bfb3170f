"""What a part of a goal refers to: a value of an earlier result becomes a condition of its own."""

from __future__ import annotations

import re

from flows.analysis.language.words import split_identifier
from flows.analysis.loop.goal import GoalPart, Progress
from flows.analysis.loop.split import Referent, has_anaphora, referent_of, resolve, without_pronouns
from flows.analysis.parser.edit import edit
from flows.analysis.parser.exact import words
from flows.analysis.reading.reader import Unread, read
from flows.core.observation import Cell
from flows.semantics.check import check
from flows.semantics.model import SemanticModel
from flows.semantics.query import (
    Comparison,
    Constant,
    FieldRef,
    OneOf,
    Predicate,
    Query,
    conjunction,
)
from flows.semantics.request import Analysis, Chart, Unparsed

# More values than this are not listed in a condition; those of the result are repeated instead.
_MOST_NAMED = 20


def refer(part: GoalPart, progress: Progress) -> tuple[str | None, str]:
    """What a part says to whoever does not know the results before, and a sentence on how it was
    understood; None with the reason if it cannot be. A part that goes on with an earlier one gets a
    request of its own."""
    before = progress.last_answered(before=part)
    if not has_anaphora(part.text, tuple(progress.nouns)):
        return part.text, "" if part.forced else _go_on(part, before, progress)
    if before is None or before.result is None or before.result.table is None:
        if part.request is not None:
            return part.text, ""
        return None, "it refers to an earlier result, and there is none"
    query = query_of(before)
    referent = None if query is None else _referent(before, query, progress)
    if query is None or referent is None:
        return _about_the_same_rows(part, query, progress)
    said = f'"{part.text}" refers to {referent.value}, which the result before named. '
    condition = _condition(referent, query)
    if condition is not None:
        _ask_of(part, _without(part.text, referent, progress), condition, progress)
    return resolve(part.text, referent, progress.nouns), said


def query_of(part: GoalPart) -> Query | None:
    """The query that a part asked of the tables, if it was one."""
    request = part.request
    if isinstance(request, Analysis):
        return request.over if not request.arguments else None
    return request if isinstance(request, Query) else None


def _go_on(part: GoalPart, before: GoalPart | None, progress: Progress) -> str:
    """`In 1952?` after a question: the same question about another value."""
    if before is None or before.request is None or part.request is not None:
        return ""
    changed = edit(before.request, part.text, progress.model)
    if isinstance(changed, Unparsed) or changed == before.request:
        return ""
    assert isinstance(changed, Query | Analysis | Chart)
    settle(part, changed, progress.model)
    return f'"{part.text}" goes on with the question before: {part.how}. '


def settle(part: GoalPart, request: Query | Analysis | Chart, model: SemanticModel) -> None:
    """Give a part the request that it stands for."""
    part.request, part.how, part.settled = request, words(request, model), True


def _referent(before: GoalPart, query: Query, progress: Progress) -> Referent | None:
    table = before.result.table if before.result else None
    if table is None:
        return None
    fields = [each for each in query.show or query.by if isinstance(each, FieldRef)]
    dataset = progress.model.dataset(query.dataset)
    known = dataset.fields if dataset is not None else ()
    times = [each.name for each in known if each.role == "time"]
    found = referent_of(table.columns, table.rows, [each.field for each in fields], times)
    # A list without an order names nobody in particular, but all of its rows.
    if found and len(table.rows) > 1 and query.rank is None and not query.sort:
        if table.total_rows > len(table.rows) or len(found.values) > _MOST_NAMED:
            return None
        many = " or ".join(found.values)
        return Referent(found.column, many, found.values, found.is_time)
    return found


def _condition(referent: Referent, query: Query) -> Predicate | None:
    """That a row is about what a result has named."""
    fields = [each for each in query.show or query.by if isinstance(each, FieldRef)]
    of = next((each for each in fields if each.field == referent.column), None)
    if of is None:
        return None
    values: tuple[Cell, ...] = referent.values
    if referent.is_time and all(each.isdecimal() for each in referent.values):
        values = tuple(map(int, referent.values))
    if " or " in referent.value and len(values) > 1:
        return OneOf(of=of, values=values)
    return Comparison(left=of, operator="=", right=Constant(value=values[0]))


def _ask_of(part: GoalPart, text: str, condition: Predicate | None, progress: Progress) -> bool:
    """Read a text without its pronouns as a question about rows for which a condition holds;
    whether that can be asked."""
    reading = read(text, progress.tables, progress.model)
    if isinstance(reading, Unread):
        return False
    where = conjunction([reading.query.where, condition])
    query = reading.query.model_copy(update={"where": where})
    if check(query, progress.model):
        return False
    settle(part, query, progress.model)
    return True


def _without(text: str, referent: Referent, progress: Progress) -> str:
    """The text without its pronouns: `Which of them` asks which of what the result named."""
    noun = " ".join(split_identifier(referent.column))
    text = re.sub(r"\bwhich (?:one )?of (?:them|these|those)\b", f"Which {noun}", text, flags=re.I)
    names = "|".join(sorted(map(re.escape, progress.nouns), key=len, reverse=True))
    place = rf"(?:in |for |of |at )?(?:that|this|the same|those|these) (?:{names}|year)s?"
    text = re.sub(rf"\s*\b{place}(?=\W*$|,)", "", text, flags=re.IGNORECASE)
    text = re.sub(r"\s*\b(?:of|in|for|at|about) (?:it|them|him|her)\b", "", text, flags=re.I)
    text = re.sub(r"(?<!is)(?<!are)(?<!was)(?<!were)\s+there(?=\W*$)", "", text, flags=re.I)
    return without_pronouns(text)


def _about_the_same_rows(
    part: GoalPart, query: Query | None, progress: Progress
) -> tuple[str | None, str]:
    """The result before is a number: the pronoun means the rows that it was computed from."""
    nothing = "it refers to an earlier result that names nothing"
    if query is None:
        return None, nothing
    plain = without_pronouns(part.text)
    said = f'"{part.text}" is read as about the same rows of {query.dataset}. '
    done = _ask_of(part, plain, query.where, progress)
    return (part.text, said) if done else (None, nothing)
