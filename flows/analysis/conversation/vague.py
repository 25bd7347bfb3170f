"""Requests that say too little: what they could mean, as requests to choose from."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import Final

from flows.analysis.analyst.proposal import Analyst
from flows.analysis.conversation.context import Context
from flows.analysis.conversation.merge import inner, subject
from flows.analysis.conversation.turn import TurnOption, TurnReading
from flows.analysis.language.lexicon import FUNCTION_WORDS
from flows.analysis.language.words import singular, split_identifier
from flows.analysis.parser.exact import words
from flows.analysis.questions.concepts import meanings_of
from flows.semantics.check import check
from flows.semantics.model import Dataset, SemanticField, SemanticModel
from flows.semantics.query import (
    Aggregate,
    Expression,
    FieldRef,
    Grain,
    MetricRef,
    Period,
    Query,
    conjuncts,
)

_EMPTY_TEXT: Final = """
    show display give get see analyse analyze analysis analyses visualise visualize visualisation
    visualization plot chart graph draw look explore explain describe tell help do make run some
    something anything data dataset table file csv number figure statistic stat it this that them
    these information info insight overview report thing please want need can could you would like
    about with at into me us my our the how is are was were what's up going doing performing any
    interesting important useful good bad well nice picture general quick bit more few lot
    everything all whole present let's let have know find out now just here there trend result
    detail
"""
_EMPTY: Final = frozenset(_EMPTY_TEXT.split())
_ASKS: Final = re.compile(
    r"\b(?:show|display|give|analy[sz]e|analysis|visuali[sz](?:e|ation)|plot|chart|graph|draw|"
    r"explore|tell|look|insights?|report|statistics|stats|how (?:is|are|was|were)|help|overview)\b",
    re.IGNORECASE,
)
# Words for which there is an answer of its own: what the data hold.
_WHOLE: Final = re.compile(
    r"\b(?:columns?|tables?|rows?|describe|profile|overview|summary|summari[sz]e|structure|schema|"
    r"hold|contain|missing|duplicates?|quality|wrong|outliers?|correlations?)\b",
    re.IGNORECASE,
)
_FURTHER: Final = re.compile(
    r"^\W*(?:(?:can|could|would) you |please |now |and )*(?:break (?:it|that|this|them)? ?(?:all )?"
    r"(?:down|up)|drill (?:down|in)|split (?:it|that|this|them)(?: up)?|(?:show|give)(?: me)? more "
    r"details?|more details?|in more detail|go deeper)(?: further| more| please| a bit)*\W*$",
    re.IGNORECASE,
)
_WORD: Final = re.compile(r"[^\W_]+(?:'[a-z]+)?")
_MOST_OPTIONS: Final = 4
_GROUPS: Final = range(2, 31)
_STEPS: Final = range(2, 21)
_ONLY: Final = 0.7


def clarify(text: str, analyst: Analyst) -> TurnReading | None:
    """A question back where a text asks for something without saying for what: `some analysis`,
    `visualise it`, `show me the sales`. None for any other text."""
    if not _ASKS.search(text) or _WHOLE.search(text):
        return None
    left = _content(text)
    named = _subject(left, analyst.model)
    if named is None:
        return None
    options = tuple(_options(named, left, analyst))[:_MOST_OPTIONS]
    if len(options) < 2:
        return None
    about = " ".join(left) or "the data"
    return TurnReading(kind="clarify", text=f"What do you want to know about {about}?",
                       question=text, options=options)  # fmt: skip


def likeliest(text: str, analyst: Analyst) -> TurnOption | None:
    """The figure that is meant first where a text only names what it is about, a table or a
    measure, by the first group that there is; None for any other text."""
    left = _content(text)
    named = _domain(left, analyst.model) if left else None
    if named is None:
        return None
    options = tuple(_options(*named, analyst))
    grouped = [each for each in options if isinstance(each.request, Query) and each.request.by]
    return next(iter((*grouped, *options)), None)


def figure_of(text: str, analyst: Analyst) -> TurnOption | None:
    """The figure that a text stands for which only names a table; None for any other text."""
    left = _content(text)
    named = [each for each in analyst.model.datasets if set(left) <= _names_of(each)]
    if not left or not named or not any(each.role == "measure" for each in named[0].fields):
        return None
    return next(_options(named[0], [], analyst), None)


def names_dataset(text: str, dataset: Dataset) -> bool:
    """Whether a word of a text is what a dataset or its rows are called."""
    called = _names_of(dataset) - {"row"}
    return any(singular(each) in called for each in _WORD.findall(text.casefold()))


def introduce(analyst: Analyst) -> str:
    """What can be asked, by examples from the data."""
    datasets = analyst.model.datasets
    held = ", ".join(each.name for each in datasets)
    examples = [
        each.question
        for dataset in datasets[:_MOST_OPTIONS]
        for each in islice(_options(dataset, [], analyst), 1, 1 + max(1, 3 // len(datasets)))
    ]
    told = "".join(f"\n- {each}" for each in examples)
    return f"I answer questions about {held}. You can ask for example:{told}" if told else (
        f"I answer questions about {held}."
    )  # fmt: skip


def break_down(text: str, context: Context) -> TurnReading | None:
    """A question back where a text asks for more detail and does not say by what, with the groups
    that there are; None for any other text."""
    query = context.query
    dataset = context.model.dataset(query.dataset) if query is not None else None
    if query is None or dataset is None or not query.metrics or not _FURTHER.match(text):
        return None
    used = {inner(each) for each in query.by} | {subject(each) for each in conjuncts(query.where)}
    groups: list[Expression] = [
        FieldRef(dataset=dataset.name, field=each.name)
        for each in dataset.fields
        if each.role in ("category", "place", "flag") and len(each.values) in _GROUPS
    ]
    if (time := _time(dataset)) is not None:
        groups.append(time)
    groups += [
        FieldRef(dataset=dataset.name, field=each.name)
        for each in dataset.fields
        if each.role == "measure" and _is_scale(each, dataset, context.analyst)
    ]
    options = []
    for each in [group for group in groups if inner(group) not in used][:_MOST_OPTIONS]:
        made = query.model_copy(update={"by": (*query.by, each), "show": (), "rank": None})
        if not check(made, context.model):
            said = words(made, context.model)
            options.append(TurnOption(label=said.replace("`", ""), question=said, request=made))
    if len(options) == 1:
        [only] = options
        said = "There is nothing else that it could be broken down by."
        return TurnReading(kind="answer", question=only.question, request=only.request,
                           confidence=_ONLY, follows=True, assumed=said)  # fmt: skip
    if not options:
        return None
    return TurnReading(kind="clarify", text="Break it down by what?", question=text,
                       options=tuple(options))  # fmt: skip


def _subject(left: list[str], model: SemanticModel) -> Dataset | None:
    """The dataset that the words are about: the one that they name, or the largest where they name
    none; None where they say more."""
    facts = sorted(model.datasets, key=lambda each: -sum(r.dataset == each.name
                                                         for r in model.relationships))  # fmt: skip
    if not facts:
        return None
    if not left:
        return facts[0]
    if len(left) > 2:
        return None
    for dataset in facts:
        if set(left) <= _names_of(dataset):
            return dataset if not dataset.label else None  # rows that have names are listed
    for dataset in facts:
        for field in dataset.fields:
            if field.role == "measure" and _calls(left, field):
                return dataset
    return None


def _content(text: str) -> list[str]:
    """The words of a text that say what it is about, each in its singular."""
    said = [singular(each) for each in _WORD.findall(text.casefold())]
    return [each for each in said if each not in _EMPTY and each not in FUNCTION_WORDS]


def _domain(left: list[str], model: SemanticModel) -> tuple[Dataset, list[str]] | None:
    """The dataset that words name, with those of them that name a measure of it; or the dataset of
    the measure that they name. None where a word names neither."""
    for dataset in model.datasets:
        called = _names_of(dataset)
        rest = [each for each in left if each not in called]
        measures = [each for each in dataset.fields if each.role == "measure"]
        if len(rest) < len(left) and (not rest or any(_calls(rest, each) for each in measures)):
            return dataset, rest
    for dataset in model.datasets:
        if any(each.role == "measure" and _calls(left, each) for each in dataset.fields):
            return dataset, left
    return None


def _is_scale(field: SemanticField, dataset: Dataset, analyst: Analyst) -> bool:
    """Whether a measure has so few steps that its values are groups, as those of a rating."""
    columns = [
        column
        for table in analyst.tables
        if table.name == dataset.table
        for column in table.columns
        if column.name == field.column
    ]
    return field.type == "integer" and any(each.distinct in _STEPS for each in columns)


def _names_of(dataset: Dataset) -> set[str]:
    """The words that a dataset and its rows are called by, each in its singular."""
    called = (*dataset.noun.split(), *dataset.plural.split(), *split_identifier(dataset.name),
              *dataset.words)  # fmt: skip
    return {singular(each) for each in called}


def _calls(left: list[str], field: SemanticField) -> bool:
    """Whether words may name a field."""
    words = {singular(each) for each in split_identifier(field.name)}
    return all(
        each in words or words & {*meanings_of(each), *meanings_of(f"{each}s")} for each in left
    )


def _options(dataset: Dataset, left: list[str], analyst: Analyst) -> Iterator[TurnOption]:
    """Questions about a dataset: its figures by time and by group, those that are named first."""
    model = analyst.model
    measures = sorted(
        (each for each in dataset.fields if each.role == "measure"),
        key=lambda each: not _calls(left, each) if left else False,
    )
    sorts = [each for each in dataset.fields if each.role in ("category", "place", "flag")]
    groups = [each for each in sorts if len(each.values) in _GROUPS]
    figures: list[Expression] = [_figure(dataset, each, model) for each in measures[:2]]
    count = Aggregate(function="count")
    wanted: list[tuple[Expression, Expression | None]] = []
    by_group = [FieldRef(dataset=dataset.name, field=each.name) for each in groups]
    time = _time(dataset)
    if figures:
        wanted += [(figures[0], None)]
        wanted += [(figures[0], each) for each in by_group[:1]]
        wanted += [(figures[0], time)] if time is not None else []
    wanted += [(figure, each) for figure in figures[1:] for each in by_group[1:2] or by_group[:1]]
    wanted += [(count, each) for each in by_group[:2]]
    seen: set[str] = set()
    for figure, group in wanted:
        by = () if group is None else (group,)
        query = Query(dataset=dataset.name, metrics=(figure,), by=by)
        said = words(query, model)
        if said not in seen and not check(query, model):
            seen.add(said)
            yield TurnOption(label=said.replace("`", ""), question=said, request=query)


def _figure(dataset: Dataset, field: SemanticField, model: SemanticModel) -> Expression:
    metric = model.metric(field.name)
    if metric is not None and metric.dataset == dataset.name and not metric.inferred:
        return MetricRef(metric=metric.name)
    of = FieldRef(dataset=dataset.name, field=field.name)
    if metric is not None and isinstance(metric.definition, Aggregate):
        return metric.definition
    return Aggregate(function="average", of=of)


def _time(dataset: Dataset) -> Expression | None:
    """The time of a dataset in periods that can be looked at."""
    field = dataset.find(dataset.time) if dataset.time else None
    if field is None:
        return None
    of = FieldRef(dataset=dataset.name, field=field.name)
    if field.type not in ("date", "timestamp"):
        return of
    years = {str(each)[:4] for each in (field.least, field.most)}
    grain: Grain = "month" if len(years) <= 2 else "year"
    return Period(of=of, grain=grain)
