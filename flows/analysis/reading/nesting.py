"""Questions that hold a question of their own: each is read by itself and becomes a plan in a plan.

`prices above the average`: the phrase after `above` is cut out, a number stands for it while the
rest is read, and its plan takes that number's place in the plan of the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import islice

from flows.analysis.language.lexicon import AGGREGATIONS
from flows.analysis.language.match import match_name
from flows.analysis.language.words import Token, singular, split_identifier
from flows.analysis.reading.candidate import Candidate
from flows.analysis.reading.clauses import Line, compared
from flows.analysis.reading.placeholder import Phrase, Placeholder, column_token, words
from flows.analysis.reading.plan import AnyOf, Comparison, Condition, Field, Having, Measure, Plan

# The readings of some tokens, by rising doubt.
Reader = Callable[[Sequence[Token]], list[Candidate]]
_DOUBT = 0.05
_TRIED = 3
_SHORT = 2
_SAME = 0.8
# How many parts of one question may be questions.
_PARTS = 2
# How many ways to cut a question are tried: a text full of comparisons has thousands.
_CUTS = 60


def comparisons(line: Line, reader: Reader) -> Iterator[Candidate]:
    """The readings in which something is compared with what a part of the question asks for."""
    for tokens, doubt in islice(_cut(line), _CUTS):
        for main in reader(tokens)[:_TRIED]:
            found = _settled(main, tokens, reader)
            if found:
                yield replace(found, doubt=found.doubt + doubt + _DOUBT)


def _cut(line: Line) -> Iterator[tuple[Sequence[Token], float]]:
    """The question without one such part, and without two."""
    for tokens, doubt in compared(line):
        yield tokens, doubt
        if sum(isinstance(token.value, Placeholder) for token in tokens) < _PARTS:
            for more, second in _cut(Line.of(tokens)):
                yield more, doubt + second


def _settled(main: Candidate, tokens: Sequence[Token], reader: Reader) -> Candidate | None:
    """The reading with a plan in the place of each number that stood for a phrase."""
    asked = _placeholders(main.plan)
    if len(asked) != sum(isinstance(token.value, Placeholder) for token in tokens):
        return None
    for where, value in asked:
        settled = _answered(main, where, value, reader)
        if settled is None:
            return None
        main = settled
    return main


def _answered(
    main: Candidate, where: Condition | Having, value: Placeholder, reader: Reader
) -> Candidate | None:
    plan = main.plan
    field = where.field if isinstance(where, Condition) else where.measure.field
    if field is None:
        return None
    inner = _inner(value.phrase, field, where.comparison, plan, reader)
    if inner is None:
        return None
    changed = replace(where, values=tuple(inner.plan if v is value else v for v in where.values))
    return replace(
        main,
        plan=_replaced(plan, where, changed),
        doubt=main.doubt + inner.doubt,
        notes=(*main.notes, f"compared with: {'; '.join(inner.notes) or 'all rows'}"),
        unexplained=(*main.unexplained, *inner.unexplained),
    )


def _placeholders(plan: Plan) -> list[tuple[Condition | Having, Placeholder]]:
    tests: list[Condition | Having] = [c for any_of in plan.filters for c in any_of.conditions]
    tests += plan.having
    return [
        (test, value) for test in tests for value in test.values if isinstance(value, Placeholder)
    ]


def _replaced(plan: Plan, old: Condition | Having, new: Condition | Having) -> Plan:
    if isinstance(new, Having):
        return replace(plan, having=tuple(new if each is old else each for each in plan.having))
    return replace(
        plan,
        filters=tuple(
            AnyOf(tuple(new if each is old else each for each in any_of.conditions))
            for any_of in plan.filters
        ),
    )


def _inner(
    phrase: Phrase, field: Field, test: Comparison, plan: Plan, reader: Reader
) -> Candidate | None:
    """What the phrase asks for, as a plan of one cell that can be compared with the field."""
    column = column_token(field.table or plan.table, field.column)
    found = []
    for tokens, doubt in _wordings(phrase, column, test):
        for reading in reader(tokens)[:_TRIED]:
            if _is_one_cell(reading.plan, phrase):
                other = 0.0 if _is_about(reading.plan, field, plan) else 0.1
                found.append(replace(reading, doubt=reading.doubt + doubt + other))
    return min(found, key=lambda each: each.doubt, default=None)


def _wordings(
    phrase: Phrase, column: Token, test: Comparison
) -> Iterator[tuple[tuple[Token, ...], float]]:
    """The questions that a phrase may be short for, each with the doubt that it adds."""
    tokens = phrase.tokens
    if phrase.quantity == "aggregate":
        aggregate, rest = tokens[:1], _without_of(tokens[1:])
        if not rest:
            yield (*words("what is the"), *aggregate, column), 0.0
            return
        yield (*words("what is the"), *tokens), 0.0
        yield (*words("what is the"), *aggregate, column, *words("of"), *rest), 0.1
        if len(rest) <= _SHORT and _calls(rest, column):
            yield (*words("what is the"), *aggregate, column), 0.3
    elif phrase.quantity == "one":
        yield (*words("what is the"), column, *words("of"), *tokens), 0.0
        yield (*words("what is"), *tokens), 0.05
    else:
        largest = (phrase.quantity == "every") == (test in (">", ">="))
        word = "maximum" if largest else "minimum"
        yield (*words(f"what is the {word}"), column, *words("of"), *tokens), 0.0


def _calls(rest: Sequence[Token], column: Token) -> bool:
    """Whether words are another name for a column: `the enrolment size`."""
    parts = split_identifier(column.text)
    return any(match_name((singular(token.lower),), parts, ())[0] >= _SAME for token in rest)


def _without_of(tokens: Sequence[Token]) -> tuple[Token, ...]:
    small = {"of", "for", "the", "overall", "value", "one"}
    while tokens and tokens[0].lower in small:
        tokens = tokens[1:]
    return tuple(tokens)


def _is_one_cell(plan: Plan, phrase: Phrase) -> bool:
    """Whether a plan gives one value; for a thing that is named, the filter must say which."""
    if len(plan.select) != 1 or plan.groups or plan.combined or _placeholders(plan):
        return False
    only = plan.select[0]
    if isinstance(only, Measure):
        named = phrase.quantity != "aggregate"
        wanted = AGGREGATIONS.get(phrase.tokens[0].lower)
        return named or only.aggregation == wanted
    return phrase.quantity == "one" and (plan.limit == 1 or (_names_one(plan) and not plan.having))


def _names_one(plan: Plan) -> bool:
    tests = [f.conditions[0] for f in plan.filters if len(f.conditions) == 1]
    return any(test.comparison == "=" and isinstance(test.values[0], str) for test in tests)


def _is_about(inner: Plan, field: Field, plan: Plan) -> bool:
    term = inner.select[0]
    read = term.field if isinstance(term, Measure) else term
    return read is not None and (read.table or inner.table, read.column) == (
        field.table or plan.table, field.column
    )  # fmt: skip
