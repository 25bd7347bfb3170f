"""Proposals for task texts: the questions read in order over a working table, and settled."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from flows.analysis.tasks.bins import BinsText, binned, without_each
from flows.analysis.tasks.form import AnswerForm
from flows.analysis.tasks.request import apply
from flows.analysis.tasks.statistics import spoken
from flows.analysis.tasks.steps import find_field, step_of
from flows.analysis.tasks.text import TaskText
from flows.data.tables import Table
from flows.semantics.model import SemanticModel
from flows.semantics.preparation import after_step
from flows.semantics.query import (
    Aggregate,
    Constant,
    FieldRef,
    OneOf,
    Period,
    Query,
    conjunction,
    conjuncts,
)
from flows.semantics.request import (
    REQUEST,
    Analysis,
    Argument,
    Asked,
    Compound,
    Describe,
    Encode,
    Impute,
    Keep,
    Prepare,
    Request,
    Split,
    Step,
)
from flows.semantics.tables import prepared
from flows.semantics.tree import changed

# How sure an answer is at most that leaves a constraint out.
UNSETTLED = 0.3
# What the steps of a task have made of a column.
_PREPARED = r"(?:label[- ])?(?:encoded|imputed|filled|cleaned|filtered|remaining)"
# So sure a filter is read at least.
_SURE = 0.7
# So many letters are the same in the forms of a word.
_STEM = 5
# The method of models that are tested on rows which they have not seen.
LEARNING = "predictive_model"
# A sentence that asks for a test and does not say of what.
_TEST_ALONE = re.compile(
    r"^\W*(?:perform|use|run|conduct|apply|do) (?:an? |the )?(?:chi[- ]squared?(?: test)?|"
    r"(?:(?:one|1)[- ]way )?anova|(?:independent |two[- ]sample |student'?s )*t[- ]?test|"
    r"shapiro[- ]wilk(?: test)?|normality test|hypothesis test)(?: (?:of|for) (?:independence|"
    r"association|normality|means))?\W*$",
    re.IGNORECASE,
)
# What the steps of a task have done already.
_AFTER = re.compile(
    r",? \b(?:after|once|following)(?: the)?(?: \w+){0,2} (?:imputation|imputing|filling|encoding|"
    r"cleaning|removal|(?:is|are|was|were|has been|have been) (?:imputed|filled|encoded|removed))"
    r"(?=\W*$)",
    re.IGNORECASE,
)
_ERROR = (
    r"(?:(?:root )?mean (?:squared|absolute) error|r?mse|mae|r2|r[- ]?squared)(?: ?\(\w+\))?"
    r"(?:(?:,| and|, and) (?:the )?(?:(?:root )?mean (?:squared|absolute) error|r?mse|mae|r2|"
    r"r[- ]?squared)(?: ?\(\w+\))?)*"
)
_ON = r"(?: (?:on|for|of|over) the (?:test(?:ing)?|held[- ]out|unseen)(?: set| data| rows| part)?)?"
_MEASURED = re.compile(
    rf"(?:^\W*(?:what (?:is|are)|calculate|compute|report|give)|,? and (?:then )?(?:report|give|"
    rf"calculate|"
    rf"compute|state|evaluate (?:it|the model) (?:by|with|using))) (?:its |the )?"
    rf"(?:\w+'s )?{_ERROR}"
    rf"(?: of the (?:model|predictions))?{_ON}(?=\W*$)\W*|"
    rf",? and evaluate (?:it|the model) (?:by|with|using) (?:its |the )?{_ERROR}{_ON}(?=\W*$)",
    re.IGNORECASE,
)
# What reads the words of one question over tables.
QuestionReader = Callable[[str, tuple[Table, ...], SemanticModel], Mapping[str, Any]]
_QUOTED = re.compile(r"[\"'`\u201c\u2018]([^\"'`\u201c\u2018\u201d\u2019]+)[\"'`\u201d\u2019]")
# What a task writes round its question that changes nothing, and what is left of it.
_WRAPPING = tuple(
    (re.compile(pattern, re.IGNORECASE), said)
    for pattern, said in (
        (r"^\W*(?:first(?:ly)?|then|next|finally|and|also|second(?:ly)?)\b[\s,]*", ""),
        (r"\s*\([rnp]\)", ""),
        (
            r"\b(?:in|of|from) th(?:e|is) (?:given |provided )?(?:dataset|data ?frame|data)"
            r"(?=\W*$)",
            "",
        ),
        (
            r"^(?:(?:count|find|calculate|determine|compute|identify) (?:the )?(?:total )?"
            r"(?:number|"
            r"count)(?: and (?:the )?(?:percentage|share))? of|count) (?:the )?"
            r"(?=missing|null|nan|outl)",
            "find ",
        ),
        (
            r",? and (?:the )?(?:type|kind|nature|strength|direction) of (?:the |their )?"
            r"(?:relationship|correlation|association)(?=\W*$)",
            "",
        ),
        (r"^\W*determine (?=(?:the )?(?:\w+ )?correlation)", "find "),
        # The form names what is wanted of what was found.
        (
            r",? and (?:then )?(?:count|report|list|show|give|return) (?:them|"
            r"(?:their|its) (?:number|"
            r"count|percentage|share))(?=\W*$)",
            "",
        ),
        (r"\bvalues? of (?=the )", "of "),
    )
)


@dataclass(frozen=True, slots=True)
class TaskReading:
    """The request of a task, how sure it is, and what it leaves out; or why there is none."""

    request: Asked | None
    confidence: float
    left: tuple[str, ...] = ()
    problem: str = ""


@dataclass(frozen=True, slots=True)
class _WorkingTable:
    """The dataset that the steps are made of, with the tables and the model as they leave it."""

    dataset: str
    steps: tuple[Step, ...]
    tables: tuple[Table, ...]
    model: SemanticModel


def read_task_request(
    task: TaskText, tables: tuple[Table, ...], model: SemanticModel, read: QuestionReader
) -> TaskReading:
    """The request that answers all questions of a task, with its settings in it."""
    table = _working_table(task, tables, model)
    if isinstance(table, str):
        return TaskReading(None, 0.0, problem=table)
    requests: list[Request] = []
    left, confidence = dict.fromkeys(task.unread), 1.0
    for question in _whole(_tested(task.questions, table)):
        if task.bins:
            question = without_each(question, task.bins)
        plain = _with_averages(_tidied(question, table.model), table.tables)
        made = read(plain, table.tables, table.model)
        asked = made["request"]
        if made["cannot"] or made["clarify"] or asked is None:
            why = made["cannot"] or "it can be read in several ways."
            return TaskReading(None, 0.0, problem=f"{question!r}: {why}")
        confidence = min(confidence, float(made["confidence"]))
        request = changed(REQUEST.validate_python(asked), _without_spans)
        if not isinstance(request, Query | Analysis):
            if table.steps or not isinstance(request, Prepare | Describe | Compound):
                return TaskReading(None, 0.0, problem=f"{question!r} asks for no figures.")
            requests.append(request)
            continue
        request, unread = _filtered(request, task.filters, table, read)
        left |= dict.fromkeys(unread)
        request = _with_ranked(_by_values(request, task.form), task.form)
        if task.bins:
            in_bins = _in_bins(request, task.bins, table.model)
            if in_bins is None:
                return TaskReading(None, 0.0, problem=f"{question!r} was not understood of groups.")
            request = in_bins
        applied = apply(request, task.settings, task.form)
        left |= dict.fromkeys(applied.left)
        left |= dict.fromkeys(_unprepared(applied.request, table))
        requests.append(_prepared(_learned(applied.request, table), table))
    if not requests:
        return TaskReading(None, 0.0, problem="It asks no question.")
    whole = requests[0] if len(requests) == 1 else Compound(requests=tuple(requests))
    unsure = min(confidence, UNSETTLED) if left else confidence
    return TaskReading(whole, unsure, tuple(left))  # type: ignore[arg-type]


def _filtered(
    request: Query | Analysis, filters: tuple[str, ...], table: _WorkingTable, read: QuestionReader
) -> tuple[Query | Analysis, list[str]]:
    """The request of the rows alone that the filters say, and those filters that are not read."""
    unread = []
    for each in filters:
        over = request if isinstance(request, Query) else request.over
        asked = read(f"How many {each} are there?", table.tables, table.model)
        if not asked["request"]:  # a word of a value with the noun of its field: `electric bikes`
            asked = read(f"How many {over.dataset} are {_value_in(each, over, table)}?",
                         table.tables, table.model)  # fmt: skip
        made = REQUEST.validate_python(asked["request"]) if asked["request"] else None
        if (
            not isinstance(made, Query)
            or asked["confidence"] < _SURE
            or made.where is None
            or made != Query(dataset=over.dataset, metrics=made.metrics, where=made.where)
            or made.metrics != (Aggregate(function="count"),)
        ):
            unread.append(f"only {each}")
            continue
        where = conjunction((over.where, changed(made.where, _without_spans)))
        kept = over.model_copy(update={"where": where})
        is_query = isinstance(request, Query)
        request = kept if is_query else request.model_copy(update={"over": kept})
    return request, unread


def _value_in(words: str, over: Query, table: _WorkingTable) -> str:
    """Words without a noun that the field has in its name of which the rest is a value."""
    value, _, noun = words.rpartition(" ")
    dataset = table.model.dataset(over.dataset)
    named = [
        each
        for each in (dataset.fields if dataset is not None else ())
        if value.casefold() in map(str.casefold, each.values)
        and noun.casefold().rstrip("s") in spoken(each.name).split()
    ]
    return value if len(named) == 1 else words


def _by_values(request: Query | Analysis, form: AnswerForm) -> Query | Analysis:
    """A query of rows that have one of several values, for each of them where fields of the form
    name them one by one."""
    if not isinstance(request, Query) or request.by or request.show or not request.metrics:
        return request
    for test in conjuncts(request.where):
        if not isinstance(test, OneOf) or not isinstance(test.of, FieldRef | Period):
            continue
        words = [set(spoken(each.name).split()) for each in form.fields]
        named = [v for v in test.values if any(spoken(str(v)) in each for each in words)]
        if len(named) > 1:
            return request.model_copy(update={"by": (test.of,)})
    return request


def _with_ranked(request: Query | Analysis, form: AnswerForm) -> Query | Analysis:
    """A query of what comes first, with the figure by which it does where the form has a field
    for that too."""
    if not isinstance(request, Query) or request.metrics or request.show or len(form.fields) < 2:
        return request
    if request.rank is None or request.rank.n != 1 or len(request.by) != 1:
        return request
    figures = tuple(each.by for each in request.rank.by if isinstance(each.by, Aggregate))
    return request.model_copy(update={"metrics": figures})


def _in_bins(
    request: Query | Analysis, bins: tuple[BinsText, ...], model: SemanticModel
) -> Query | None:
    if not isinstance(request, Query) or len(bins) != 1:
        return None
    return binned(request, bins[0], model)


def _whole(questions: tuple[str, ...]) -> tuple[str, ...]:
    """The questions; one that only names the test which answers the one before it is part of it."""
    made: list[str] = []
    for each in questions:
        if made and _TEST_ALONE.match(each):
            test = re.sub(r"^\W*\w+ (?:an? |the )?|\W*$", "", each)
            made[-1] = f"{made[-1].rstrip(' .?')} with a {test}?"
        else:
            made.append(each)
    return tuple(made)


def _tested(questions: tuple[str, ...], table: _WorkingTable) -> tuple[str, ...]:
    """The questions without what the steps have done, and without the measures of a tested model,
    which its form names."""
    plain = questions
    if any(isinstance(each, Impute | Encode | Keep) for each in table.steps):
        plain = tuple(_AFTER.sub("", each) for each in plain)
    if any(isinstance(each, Split) for each in table.steps):
        plain = tuple(_MEASURED.sub("", each) for each in plain)
    return tuple(each for each in plain if re.search(r"\w", each))


def _learned(request: Query | Analysis, table: _WorkingTable) -> Query | Analysis:
    """A regression over a split is a linear model, tested with the part that was kept."""
    if not _is_tested(table) or not isinstance(request, Analysis) or request.method != "regression":
        return request
    given = [each for each in request.arguments if each.name in ("target", "fields")]
    model = Argument(name="model", values=(Constant(value="linear regression"),))
    return Analysis(method=LEARNING, over=request.over, arguments=(*given, model))


def _unprepared(request: Query | Analysis, table: _WorkingTable) -> list[str]:
    """The steps of which the request's figures do not depend as the task says."""
    method = request.method if isinstance(request, Analysis) else ""
    left = []
    if _is_tested(table) and method not in ("regression", LEARNING):
        left.append("the split")
    ordinal = any(isinstance(e, Encode) and e.way == "ordinal" for e in table.steps)
    if ordinal and method != "correlation":  # which codes there are changes all other figures
        left.append("codes from 0")
    return left


def _is_tested(table: _WorkingTable) -> bool:
    return any(isinstance(each, Split) for each in table.steps)


def _prepared(then: Query | Analysis, table: _WorkingTable) -> Request:
    if not table.steps:
        return then
    return Prepare(dataset=table.dataset, steps=table.steps, then=then)


def _working_table(
    task: TaskText, tables: tuple[Table, ...], model: SemanticModel
) -> _WorkingTable | str:
    """The working table of the steps, of the first dataset that has what they name; or what is
    wrong with them."""
    if not task.steps:
        return _WorkingTable("", (), tables, model)
    wrong = ""
    for dataset in model.datasets:
        found, made = model, list[Step]()
        for text in task.steps:
            home = found.dataset(dataset.name)
            assert home is not None
            step = step_of(text, home)
            if step is None:
                wrong = f"The step for {text.name!r} was not understood."
                break
            made.append(step)
            found = after_step(step, dataset.name, found)
        else:
            home = found.dataset(dataset.name)
            assert home is not None
            return _WorkingTable(dataset.name, tuple(made), prepared(tables, home), found)
    return wrong


def _tidied(question: str, model: SemanticModel) -> str:
    """A question without what a task writes round its columns: quotes, and the word column."""

    def unquoted(found: re.Match[str]) -> str:
        known = any(find_field(found.group(1), each) for each in model.datasets)
        return found.group(1) if known else found.group(0)

    text = _QUOTED.sub(unquoted, question)
    for pattern, said in _WRAPPING:
        text = pattern.sub(said, text)
    names = "|".join(re.escape(field.name) for each in model.datasets for field in each.fields)
    text = re.sub(rf"\b{_PREPARED} (?=(?:{names})(?!\w))", "", text, flags=re.I)
    return re.sub(rf"(?<!\w)({names}) (?:columns?|features?|variables?)\b", r"\1", text, flags=re.I)


def _with_averages(question: str, tables: tuple[Table, ...]) -> str:
    """A question with the average of a column of noughts and ones in place of its rate: the
    survival rate is the average of `Survived`."""

    def average(found: re.Match[str]) -> str:
        stem = found.group("word").lower()[:_STEM]
        named = [
            column.name
            for table in tables
            for column in table.columns
            if column.name.lower().startswith(stem)
            and (column.type, column.minimum, column.maximum) == ("integer", 0, 1)
        ]
        return f"average {named[0]}" if len(named) == 1 else found.group(0)

    return re.sub(r"\b(?P<word>[A-Za-z]{4,}) rates?\b", average, question)


def _without_spans(node: Any) -> Any:
    return node.model_copy(update={"spans": ()}) if getattr(node, "spans", ()) else node
