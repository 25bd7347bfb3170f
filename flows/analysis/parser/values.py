"""Values that a remark names without their field, such as `Berlin` or `2024`, as conditions."""

from __future__ import annotations

from collections.abc import Iterator

from flows.analysis.language.phrasebook import COMPARISONS, GRAINS, words_of
from flows.analysis.language.words import singular, split_identifier
from flows.analysis.parser.constants import read_constant
from flows.analysis.parser.cursor import Cursor, ParseError
from flows.semantics.model import Dataset, SemanticField
from flows.semantics.query import (
    Between,
    Comparison,
    Constant,
    Expression,
    FieldRef,
    Not,
    OneOf,
    Operator,
    Period,
    Predicate,
    Query,
)
from flows.semantics.tree import parts

# A known value: the dataset and the field that have it, and how it is written there.
_Value = tuple[str, str, str]
_YEARS = range(1000, 2300)


def read_values(at: Cursor, query: Query) -> Predicate | None:
    """`Berlin` or `'open' and 'paid'`: known values of one field, which is one that the query
    names where several have them; None where no such value comes next."""
    start, found = at.place, list[set[_Value]]()
    while known := _known(at, query):
        found.append(known)
        place = at.place
        if not (at.take_any("and", "or", ",") or at.take("as", "well", "as")):
            break
        behind = at.place
        if not _known(at, query):
            at.place = place
            break
        at.place = behind
    fields = set.intersection(*[{each[:2] for each in one} for one in found]) if found else set()
    if not fields:
        at.place = start
        return None
    chosen = _field(query, fields)
    values = tuple(sorted(v for *field, v in each if tuple(field) == chosen)[0] for each in found)
    of = FieldRef(dataset=chosen[0], field=chosen[1])
    spans = at.span(start)
    if len(values) > 1:
        return OneOf(of=of, values=values, spans=spans)
    right = Constant(value=values[0], spans=spans)
    return Comparison(left=of, operator="=", right=right, spans=spans)


def _field(query: Query, fields: set[tuple[str, str]]) -> tuple[str, str]:
    """The field that is meant: one that the query names, else the only one of its rows."""
    named = {(each.dataset, each.field) for each in parts(query) if isinstance(each, FieldRef)}
    own = {each for each in fields if each[0] == query.dataset}
    meant = (fields & named) or own or fields
    if len(meant) > 1:
        raise ParseError("several fields have this value")
    return meant.pop()


def _known(at: Cursor, query: Query) -> set[_Value]:
    """The fields that have the value which comes next, each with the value as they have it."""
    place = at.place
    for dataset in _datasets(at, query):
        constant = read_constant(at)
        if constant is not None and isinstance(constant[0], str):
            said = constant[0].casefold()
            pairs = {(dataset.name, f.name, v) for f in dataset.fields for v in f.values
                     if v.casefold() == said}  # fmt: skip
            if pairs:
                return pairs
        at.place = place
        if pairs := _written(at, dataset):
            return pairs
    return set()


def _written(at: Cursor, dataset: Dataset) -> set[_Value]:
    """The values whose words come next, those of most words; also in the plural."""
    place = best = at.place
    found = set[_Value]()
    for field in dataset.fields:
        for value in field.values:
            words = words_of(value)
            end = place + len(words)
            if words and end >= best and _alike(at.words[place:end], words):
                found = found if end == best else set()
                best = end
                found.add((dataset.name, field.name, value))
    at.place = best
    return found


def _alike(said: list[str], words: tuple[str, ...]) -> bool:
    """Whether words are these, or the last of them in the plural or singular."""
    if tuple(said) == words:
        return True
    same = len(said) == len(words) and tuple(said[:-1]) == words[:-1]
    return same and len(words[-1]) > 2 and singular(said[-1]) == singular(words[-1])


def _datasets(at: Cursor, query: Query) -> Iterator[Dataset]:
    """The query's dataset, those that it names, and those that its rows refer to."""
    names = [query.dataset]
    names += [each.dataset for each in parts(query) if isinstance(each, FieldRef)]
    names += [
        each.to for each in at.names.model.relationships if each.dataset == query.dataset
    ]  # fmt: skip
    yield from (at.names.by_name[each] for each in dict.fromkeys(names) if each in at.names.by_name)


def read_years(at: Cursor, query: Query) -> Predicate | None:
    """`2024`, `2023 and 2024`, `since 2020`, `from 2020 to 2023`: of a field that holds years as
    numbers, else of the time of the rows; None where none comes next."""
    start, of = at.place, year_field(at, query) or _years_of_time(at, query)
    if of is None:
        return None
    operator = at.phrase(COMPARISONS)
    ranged = operator is None and at.take_any("from", "between")
    if not ranged and operator is None:
        _ = at.take_any("in", "during", "for", "of")
    years = list(_years(at, ("to", "until", "and", "-") if ranged else ("and", "or", ",")))
    spans = at.span(start)
    one = isinstance(of, Period) and len(years) == 1 and operator is None  # a period with a name
    if not years or one or (ranged and len(years) != 2) or (operator and len(years) > 1):
        at.place = start
        return None
    constants = tuple(Constant(value=each, spans=spans) for each in years)
    if ranged:
        return Between(of=of, low=constants[0], high=constants[1], spans=spans)
    if len(years) > 1:
        return OneOf(of=of, values=tuple(years), spans=spans)
    sign: Operator = operator[0] if operator else "="
    return Comparison(left=of, operator=sign, right=constants[0], spans=spans)


def _years(at: Cursor, joints: tuple[str, ...]) -> Iterator[int]:
    """Years with words between them."""
    while at.kind() == "number":
        text = at.tokens[at.place].text
        if not text.isdecimal() or int(text) not in _YEARS:
            return
        at.place += 1
        yield int(text)
        place = at.place
        if not at.take_any(*joints) or at.kind() != "number":
            at.place = place
            return


def year_field(at: Cursor, query: Query) -> Expression | None:
    """The field of years that the query has a condition on, else the only one of its rows."""
    for each in parts(query.where) if query.where is not None else ():
        if isinstance(each, FieldRef) and _holds_years(at.names.field(each.dataset, each.field)):
            return each
    dataset = at.names.by_name.get(query.dataset)
    able = [each for each in dataset.fields if _holds_years(each)] if dataset else []
    return FieldRef(dataset=query.dataset, field=able[0].name) if len(able) == 1 else None


def _years_of_time(at: Cursor, query: Query) -> Period | None:
    """The years of the time of the rows."""
    dataset = at.names.by_name.get(query.dataset)
    if dataset is None or not dataset.time:
        return None
    return Period(of=FieldRef(dataset=dataset.name, field=dataset.time), grain="year")


def _holds_years(field: SemanticField | None) -> bool:
    """Whether a field says when, by the number of the year and not of a part of it."""
    if field is None or field.role != "time" or field.type != "integer":
        return False
    return not any(GRAINS.read(each) in _PARTS for each in split_identifier(field.name))


_PARTS = ("half", "quarter", "month", "week", "day", "weekday", "hour")


def read_flag(at: Cursor) -> Predicate | None:
    """`returned` or `the returns`: that a field of yes and no says yes."""
    start = at.place
    named = at.attempt(lambda at: at.name())
    field = at.names.field(named.dataset, named.field) if isinstance(named, FieldRef) else None
    if field is None or field.role != "flag" or not isinstance(named, FieldRef):
        at.place = start
        return None
    yes = _affirmative(field)
    right = Constant(value=yes, spans=at.span(start))
    return None if yes is None else Comparison(left=named, operator="=", right=right)


def _affirmative(field: SemanticField) -> bool | int | str | None:
    """The value of a flag that says yes."""
    if field.type == "boolean":
        return True
    if field.type == "integer":
        return 1
    return next((each for each in field.values if each.casefold() in _YES), None)


_YES = frozenset({"yes", "y", "true", "t", "1", "ja", "j", "oui", "si", "on"})


def denied(condition: Predicate) -> Predicate:
    """The opposite of a condition, as it is usually said."""
    if isinstance(condition, Comparison) and condition.operator == "=":
        return condition.model_copy(update={"operator": "!="})
    return Not(of=condition, spans=condition.spans)
