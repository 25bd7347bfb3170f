"""References to earlier results: what `it`, `there`, `those` and `the second one` stand for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from flows.analysis.conversation.context import Context, equal, labels_of
from flows.analysis.conversation.merge import inner, with_condition, without_timed
from flows.analysis.conversation.superlative import names_of, names_of_figure, place_of_end
from flows.analysis.conversation.turn import ConversationTurn
from flows.analysis.language.remarks import EXTREMES
from flows.analysis.language.words import singular, split_identifier
from flows.semantics.query import (
    Aggregate,
    Comparison,
    Expression,
    FieldRef,
    OneOf,
    Period,
    Predicate,
    Query,
    conjunction,
    conjuncts,
)
from flows.semantics.request import Analysis, Chart, Request

_ORDINAL: Final = re.compile(
    r"\b(?:the )?(?P<place>first|second|third|fourth|fifth|last|1st|2nd|3rd)(?: (?P<noun>\w+))?",
    re.IGNORECASE,
)
_PLACES: Final = {"first": 0, "1st": 0, "second": 1, "2nd": 1, "third": 2, "3rd": 2, "fourth": 3,
                  "fifth": 4, "last": -1}  # fmt: skip
_THAT: Final = re.compile(
    r"(?P<before>\b(?:in|on|for|of|at|from|by|during) )?\b(?:that|this|the same)\s+"
    r"(?P<noun>[a-z]+)\b",
    re.IGNORECASE,
)
_THOSE: Final = re.compile(
    r"\b(?:(?:of|among|from|for|in|by) )?(?:those|these|them|they|their|each of them|all of them)\b"
    r"(?P<noun> [a-z]+)?",
    re.IGNORECASE,
)
_IT: Final = re.compile(
    r"\b(?P<poss>its|his|her|their|whose)\b|\b(?P<sub>it|he|she|him|they|them|that one|this one)\b"
    r"|(?<=\bis )(?:that|this)(?=\W*$)|(?<=\bwas )(?:that|this)(?=\W*$)",
    re.IGNORECASE,
)
_THERE: Final = re.compile(r"\b(?<!is )(?<!are )(?<!was )(?<!were )there\b(?! (?:is|are|was|were))",
                           re.IGNORECASE)  # fmt: skip
_MOST: Final = re.compile(
    r"(?P<before>\b(?:in|on|for|of|at|from|by|during) )?\bthe "
    rf"(?P<end>{EXTREMES.pattern()}|[a-z]+est)(?P<between>[ -][a-z]+)? (?P<noun>[a-z]+)\b",
    re.IGNORECASE,
)
_SPREAD: Final = re.compile(r"\b(?:distribution|histogram|spread|outliers?)\b", re.IGNORECASE)
_EMPTY: Final = re.compile(r"^\W*(?:(?:and|but|what about|how about|on|in|for|at|of)\b\W*)*$", re.I)
_LISTED: Final = 30


@dataclass(frozen=True)
class MeantRows:
    """What a piece of text stands for: rows for which a condition holds. `text` is the question
    without that piece, or with the name of what is meant in its place."""

    where: Predicate | None
    texts: tuple[str, ...]
    turn: ConversationTurn
    single: bool


def refer(text: str, context: Context) -> Request | None:
    """The request of a question that speaks of an earlier result; None where it does not, or where
    what is left of it is not understood."""
    for referent in _referents(text, context):
        if (moved := _moved(referent, context)) is not None:
            return moved
        for each in referent.texts:
            asked = _request_of(each, context)
            if asked is None or (referent.where is None and _only_lists(asked)):
                continue
            made = _with(asked, referent, context)
            if context.fits(made):
                return made
    return None


def _moved(referent: MeantRows, context: Context) -> Request | None:
    """`and on the hottest day?`: the last question about what is referred to."""
    query = context.query
    if query is None or not _EMPTY.match(referent.texts[0]):
        return None
    made = query
    for each in conjuncts(referent.where):
        made = with_condition(without_timed(made, each, context.model), each)
    return made if context.fits(made) and made != query else None


def _only_lists(asked: Request) -> bool:
    """Whether a request names all rows and asks nothing of them."""
    return isinstance(asked, Query) and not (asked.metrics or asked.rank or asked.where)


def _request_of(text: str, context: Context) -> Request | None:
    made = context.analyst.propose(text)
    if made["request"] is None or made["confidence"] < 0.25 or made["cannot"] or made["clarify"]:
        return None
    from flows.semantics.request import REQUEST

    request = REQUEST.validate_python(made["request"])
    return request if isinstance(request, Query | Analysis | Chart) else None


def _with(asked: Request, referent: MeantRows, context: Context) -> Request:
    """The request over the rows that are meant."""
    if isinstance(asked, Chart):
        return asked.model_copy(update={"of": _with(asked.of, referent, context)})
    if isinstance(asked, Analysis):
        return asked.model_copy(update={"over": _with(asked.over, referent, context)})
    assert isinstance(asked, Query)
    taken = {_subject(each) for each in conjuncts(asked.where)} | {inner(e) for e in asked.by}
    own = [
        each
        for each in conjuncts(referent.where)
        if not {_subject(each), inner(_subject(each))} & taken
    ]
    made = asked.model_copy(update={"where": conjunction([*conjuncts(asked.where), *own])})
    if referent.single and (shown := _told(made, referent, context)) is not None:
        return shown
    return made


def _told(query: Query, referent: MeantRows, context: Context) -> Query | None:
    """A column of the one row that is meant, and not a figure of it."""
    dataset = context.model.dataset(query.dataset)
    labels = {_subject(each) for each in conjuncts(referent.where)}
    label = FieldRef(dataset=query.dataset, field=dataset.label) if dataset else None
    if label not in labels or query.by or len(query.metrics) != 1:
        return None
    (figure,) = query.metrics
    if (
        not isinstance(figure, Aggregate)
        or figure.of is None
        or figure.function == "count distinct"
    ):
        return None
    if figure.function == "count":
        return None
    return query.model_copy(update={"metrics": (), "show": (figure.of,), "unique": True})


def _subject(condition: Predicate) -> Expression | None:
    if isinstance(condition, Comparison):
        return condition.left
    return condition.of if isinstance(condition, OneOf) else None


def _referents(text: str, context: Context) -> Iterator[MeantRows]:
    if (found := _ORDINAL.search(text)) is not None:
        yield from _of_place(text, found, context)
    for found in _THAT.finditer(text):
        yield from _of_noun(text, found, context)
    if (found := _MOST.search(text)) is not None:
        yield from _of_extreme(text, found, context)
    if (found := _THERE.search(text)) is not None:
        for turn, where in _singles(context):
            yield MeantRows(where, (_cut(text, found, ""),), turn, single=False)
    if (found := _THOSE.search(text)) is not None:
        yield from _of_many(text, found, context)
    if (found := _IT.search(text)) is not None:
        yield from _of_one(text, found, context)


def _cut(text: str, found: re.Match[str], put: str) -> str:
    """The text with something else in the place of a piece."""
    return re.sub(r"\s+", " ", f"{text[: found.start()]}{put}{text[found.end() :]}").strip()


def _of_place(text: str, found: re.Match[str], context: Context) -> Iterator[MeantRows]:
    """`the second one`, `the first customer`: a row of the latest list."""
    place = _PLACES[found["place"].casefold()]
    noun = (found["noun"] or "one").casefold()
    for turn in reversed(context.before):
        if len(turn.rows) < 2 or not labels_of(turn, context):
            continue
        assert turn.query is not None
        if noun not in ("one", "ones", "place") and singular(noun) not in names_of(
            turn.query, context
        ):
            end = found.end() - len(found["noun"] or "") - 1
        else:
            end = found.end()
        if not -len(turn.rows) <= place < len(turn.rows):
            return
        where, called = _row(turn, place, context)
        if where is None:
            return
        texts = (text[: found.start()] + f"the {called}" + text[end:],)
        yield MeantRows(where, texts, turn, single=True)
        return


def _row(
    turn: ConversationTurn, place: int, context: Context, noun: str = ""
) -> tuple[Predicate | None, str]:
    """The condition that a row of a result is meant, and what such a row is called. With `noun`
    only what is called so counts."""
    known = [(label, at) for label, at in labels_of(turn, context)
             if turn.rows[place][at] is not None]  # fmt: skip
    named = [each for each in known if noun in _called(each[0], context)] if noun else []
    chosen = named or _identity(known, turn, context)
    tests = [equal(label, [turn.rows[place][at]]) for label, at in chosen]
    return conjunction(tests), _noun_of(chosen[0][0], context) if chosen else ""


def _identity(
    known: list[tuple[Expression, int]], turn: ConversationTurn, context: Context
) -> list[tuple[Expression, int]]:
    """Of the labels of a row those that tell it from others: its name, or its groups."""
    query = turn.query
    assert query is not None
    dataset = context.model.dataset(query.dataset)
    if query.by or dataset is None:
        return known
    keys = (*dataset.key, dataset.label)
    telling = [each for each in known if getattr(each[0], "field", "") in keys]
    return telling or known


def _called(label: Expression, context: Context) -> frozenset[str]:
    """The words that call a label, and the rows that it is the name of."""
    if isinstance(label, Period):
        return frozenset(label.grain.split())
    words = {singular(each) for each in _noun_of(label, context).split()}
    if isinstance(label, FieldRef):
        words |= {singular(each) for each in split_identifier(label.field)}
        field = context.field(label)
        if field is not None and field.role == "time":
            words |= {"day", "date", "time"} if field.type != "integer" else {"year"}
    return frozenset(words)


def _noun_of(label: Expression, context: Context) -> str:
    """What a label names: the rows of a dataset, or the field."""
    if isinstance(label, Period):
        return label.grain.split()[0]
    assert isinstance(label, FieldRef)
    dataset = context.model.dataset(label.dataset)
    if dataset is not None and dataset.label == label.field and dataset.noun != "row":
        return dataset.noun
    return " ".join(split_identifier(label.field))


def _of_noun(text: str, found: re.Match[str], context: Context) -> Iterator[MeantRows]:
    """`that customer`, `in that year`: what was named last of what is called so."""
    noun = singular(found["noun"].casefold())
    for turn in reversed(context.before):
        if turn.query is None:
            continue
        called = {word for label, _ in labels_of(turn, context) for word in _called(label, context)}
        if len(turn.rows) == 1 and noun in names_of(turn.query, context) | called:
            where, name = _row(turn, 0, context, noun)
            if where is not None:
                yield MeantRows(where, _without(text, found, name), turn, single=True)
                return
        tests = [each for each in conjuncts(turn.query.where) if noun in _words_of(each, context)]
        where = conjunction(tests)
        if where is not None:
            yield MeantRows(where, _without(text, found, found["noun"]), turn, single=False)
            return


def _without(text: str, found: re.Match[str], noun: str) -> tuple[str, ...]:
    """The question with a noun for what is meant, and without it: first that behind `in`."""
    texts = _cut(text, found, f"{found['before'] or ''}the {noun}"), _cut(text, found, " ")
    return texts[::-1] if found["before"] else texts


def _words_of(condition: Predicate, context: Context) -> frozenset[str]:
    """The words that call what a condition is on."""
    of = _subject(condition)
    words: set[str] = set()
    inner = of.of if isinstance(of, Period) else of
    if isinstance(of, Period):
        words |= {*of.grain.split()}
    if isinstance(inner, FieldRef):
        words |= {singular(each) for each in split_identifier(inner.field)}
        dataset = context.model.dataset(inner.dataset)
        if dataset is not None and dataset.label == inner.field:
            words |= {*dataset.noun.split(), *dataset.words}
        field = dataset.find(inner.field) if dataset else None
        if field is not None and field.role == "time":
            words |= {"year", "month", "day", "date", "time", "period"}
    return frozenset(words)


def _singles(context: Context) -> Iterator[tuple[ConversationTurn, Predicate]]:
    """What was named last by itself: a winner, else what a condition says."""
    for turn in reversed(context.before):
        query = turn.query
        if query is None:
            continue
        if len(turn.rows) == 1 and labels_of(turn, context):
            tests = [*conjuncts(_row(turn, 0, context)[0])]
            if tests:
                yield turn, _together(tests, query)
                return
        named = [
            e for e in conjuncts(query.where) if isinstance(e, Comparison) and e.operator == "="
        ]
        if named:
            yield turn, _together([], query)
            return


def _together(tests: list[Predicate], query: Query) -> Predicate:
    """The conditions of a query with more, which count where both are on one expression."""
    taken = {_subject(each) for each in tests}
    kept = [each for each in conjuncts(query.where) if _subject(each) not in taken]
    found = conjunction([*kept, *tests])
    assert found is not None
    return found


def _of_one(text: str, found: re.Match[str], context: Context) -> Iterator[MeantRows]:
    """`it`, `its population`, `when did they join`: the one thing that was named last."""
    for turn, where in _singles(context):
        labels = labels_of(turn, context) if len(turn.rows) == 1 else []
        called = _noun_of(labels[0][0], context) if labels else ""
        put = "the" if found["poss"] else (f"the {called}" if called else "")
        texts = [_cut(text, found, put), _cut(text, found, put if found["poss"] else "")]
        if labels and turn.query is not None and labels[0][0] in turn.query.by:
            texts.reverse()  # a group has no name of its own that a question could be about
        yield MeantRows(where, tuple(dict.fromkeys(texts)), turn, single=True)


def _of_many(text: str, found: re.Match[str], context: Context) -> Iterator[MeantRows]:
    """`those`, `of them`: the rows of the last list, or the rows that were counted."""
    turn, query = context.last, context.query
    if query is None:
        return
    labels = labels_of(turn, context)
    tests: list[Predicate] = []
    chosen = query.rank is not None or query.having is not None
    if chosen and not turn.whole:
        return  # which ones they are is not known any more
    if labels and chosen and 0 < len(turn.rows) <= _LISTED:
        label, at = labels[0]
        values = [row[at] for row in turn.rows if row[at] is not None]
        tests = [equal(label, list(dict.fromkeys(values)))] if values else []
    if not tests and chosen:
        return
    where = _together(tests, query) if tests else query.where
    dataset = context.model.dataset(query.dataset)
    plural = dataset.plural if dataset is not None and dataset.noun != "row" else "rows"
    said = found.group().casefold()
    put = "the" if said.startswith("their") else plural
    if (before := said.split()[0]) in ("of", "among", "from", "for", "in", "by"):
        put = f"{'of' if before == 'among' else before} the {plural}"
    noun = found["noun"] or ""
    if "their" in said or not noun or singular(noun.strip()) not in names_of(query, context):
        put += noun
    single = len(turn.rows) == 1 and bool(labels)
    yield MeantRows(where, (_cut(text, found, put), _cut(text, found, noun)), turn, single=single)


def _of_extreme(text: str, found: re.Match[str], context: Context) -> Iterator[MeantRows]:
    """`for the highest paying department`: the first row of the last list by its figure."""
    up = EXTREMES.read(found["end"].casefold())
    noun = singular(found["noun"].casefold())
    for turn in reversed(context.before):
        query = turn.query
        if query is None or not turn.rows or not labels_of(turn, context):
            continue
        if noun not in names_of(query, context):
            continue
        said = f"{found['end']} {found['noun']}".casefold()
        if len(turn.rows) == 1 and said in turn.text.casefold():
            where, called = _row(turn, 0, context, noun)
        elif up is not None and (place := place_of_end(turn, up)) is not None:
            where, called = _row(turn, place, context, noun)
        else:
            continue
        if where is None:
            continue
        put, without = f"{found['before'] or ''}the {called}", _cut(text, found, "")
        figure = " ".join(names_of_figure(query))
        texts: tuple[str, ...] = (without, _cut(text, found, put))
        if _SPREAD.search(text):
            texts = (f"{without.rstrip(' ?.!')} of {figure}", *texts)
        yield MeantRows(where, texts, turn, single=True)
        return
