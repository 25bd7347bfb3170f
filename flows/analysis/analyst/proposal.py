"""The analyst's role: a question over tables becomes SQL, code, text, a question back, or a no."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from flows.analysis.analyst.certainty import (
    askable,
    confidence_of,
    options_of,
    others_of,
    readings_by_table,
    tied_with,
)
from flows.analysis.analyst.meaning import notices_of, refusal_of
from flows.analysis.analyst.words import asking_words, named_words, words_of
from flows.analysis.language.words import tokenize
from flows.analysis.loop.overview import (
    asks_about_tables,
    asks_profile,
    overview,
    profile_answer,
)
from flows.analysis.methods.about import title_of
from flows.analysis.methods.analyses import analysis_of, study_of
from flows.analysis.methods.arguments import Arguments
from flows.analysis.methods.compile import compile_study
from flows.analysis.methods.read import read_study
from flows.analysis.methods.specification import Specification as Study
from flows.analysis.parser.exact import parse_exact
from flows.analysis.plan import Field, Measure, term_name
from flows.analysis.reading.arithmetic import Computed, computed, percentages
from flows.analysis.reading.read import Reading, Unread, read
from flows.analysis.reading.within import ranked_within
from flows.analysis.requests.plans import BeyondPlans
from flows.analysis.requests.queries import NoRowHasIt, query_of
from flows.analysis.requests.spans import with_spans
from flows.analysis.requests.sql import sql_of
from flows.data.tables import Table
from flows.semantics.check import check
from flows.semantics.model import SemanticModel
from flows.semantics.query import Query
from flows.semantics.request import REQUEST, Analysis, Chart, Request

# Texts about the tables and requests for a study are met by phrases that stand for nothing else.
_PHRASED = 0.9
# Below this a question that the exact language can say is rather read by that.
_SURE = 0.7
# Of what was not understood: so many words are said, and so many letters of each.
_SAID = 12
_LONGEST = 60
# How sure a reading has to be is decided by its confidence: here only what says nothing is out.
_MOST_DOUBT = 2.5


@dataclass(frozen=True)
class Analyst:
    """Reads questions over one set of tables, and proposes what answers them.

    Below `answer_above` it asks back when there is a choice, below `ask_above` it says no. It also
    asks back, however sure, when another table answers as well; unless `answer_above` is 0.
    """

    tables: tuple[Table, ...]
    model: SemanticModel
    answer_above: float = 0.0
    ask_above: float = 0.0

    def propose(self, question: str, found: Sequence[Mapping[str, Any]] = ()) -> dict[str, Any]:
        """The proposal, with one of `sql`, `code`, `text`, `clarify` and `cannot`.

        `found` is what was tried before and found wanting: `tried`, `said` and `kind` (`empty` or
        `failed`).
        """
        if not self.tables:
            return _cannot("There is no table to ask.")
        figure = computed(question, self.tables, self.model)
        if figure is not None:
            return self._computed(figure, found)
        if (percentage := percentages(question, self.tables)) is not None:
            return self._of_what(percentage)
        exact = self._exact(question)
        if exact is not None and _is_beyond_reading(exact):
            return self.propose_for(exact, found)
        try:
            made = self._propose(question, found)
        except NoRowHasIt as fault:
            made = _cannot(f"{fault}.")
        sure = made["cannot"] is None and made["clarify"] is None and made["confidence"] >= _SURE
        return made if sure or exact is None else self.propose_for(exact, found)

    def _computed(self, made: Computed, found: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        """The proposal for a question that computes a figure of each row."""
        proposal = replace(self, tables=made.tables, model=made.model).propose(made.question, found)
        if proposal["request"] is None:
            return proposal
        request = made.spelled(REQUEST.validate_python(proposal["request"]))
        return {**proposal, "request": REQUEST.dump_python(request, mode="json")}

    def _of_what(self, questions: Sequence[str]) -> dict[str, Any]:
        """A question back about the whole of which something is a percentage."""
        read = [(each, self.propose(each)["request"]) for each in questions]
        options = [
            {"label": each, "question": each, "request": request}
            for each, request in read
            if request is not None
        ]
        if len(options) < 2:
            return _cannot("it does not say of what it is the percentage.")
        asked = {"question": "A percentage of what?", "options": options}
        return _proposal(clarify=asked, confidence=_SURE)

    def _exact(self, question: str) -> Query | None:
        """The query that a question is in the language of `words`, for one that is in no other."""
        request = parse_exact(question, self.model)
        refused = request is None or check(request, self.model)
        if not isinstance(request, Query) or refused or refusal_of(request, self.model):
            return None
        return request

    def _propose(self, question: str, found: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        study = read_study(question, self.tables)
        reading: Reading | Unread | None = None
        if isinstance(study, Study) and study.chart is not None:
            return self._study(study, found)
        if study is not None:
            reading = self._read(question)
            if not _needs_no_study(question, reading):
                return _unread(study) if isinstance(study, Unread) else self._study(study, found)
        if asks_profile(question):
            return _proposal(text=profile_answer(question, self.tables), confidence=_PHRASED)
        if asks_about_tables(question, self.tables):
            return _proposal(text=overview(question, self.tables), confidence=_PHRASED)
        reading = reading or self._read(question)
        if isinstance(reading, Unread):
            apart = readings_by_table(question, self.tables, self.model)
            if apart and not self.answer_above:  # an answer is wanted, however unsure
                return self._query(question, apart[0])
            return self._ask_back(apart) or _unread(reading)
        return self._reading(question, reading, found)

    def propose_for(
        self, request: Request, found: Sequence[Mapping[str, Any]] = ()
    ) -> dict[str, Any]:
        """The proposal for a request that somebody chose; `found` is as for a question."""
        said = {"confidence": _PHRASED, "request": REQUEST.dump_python(request, mode="json")}
        try:
            if isinstance(request, Query):
                sql = sql_of(request, self.model, self.tables)
                failed = [each.get("tried") for each in found if each.get("kind") == "failed"]
                warnings = notices_of(request, self.model, self.tables)
                made = _proposal(sql=sql, warnings=warnings, **said)
                return _failed(found) if sql in failed else made
            if isinstance(request, Analysis | Chart):
                return self._study(study_of(request, self.model, self.tables), found)
        except BeyondPlans as fault:
            return _cannot(f"That cannot be computed yet: {fault}.")
        return _cannot(f"A request of the kind {request.kind} cannot be answered alone.")

    def _sql_of(self, reading: Reading) -> str:
        return sql_of(query_of(reading.plan, self.model), self.model, self.tables)

    def _read(self, question: str) -> Reading | Unread:
        found = read(question, self.tables, most_doubt=_MOST_DOUBT)
        return found if isinstance(found, Unread) else askable(found, self.model)

    def _reading(
        self, question: str, reading: Reading, found: Sequence[Mapping[str, Any]]
    ) -> dict[str, Any]:
        if found:
            return self._again(question, reading, others_of(reading, self.model), found)
        sure = confidence_of(reading)
        may_ask = self.answer_above > 0 and tied_with(reading)
        if may_ask and sure >= self.ask_above and (asked := self._ask_back(self._every(reading))):
            return asked
        if sure >= self.answer_above:
            return self._query(question, reading)
        unsure = sure < self.ask_above
        asked = None if unsure else self._ask_back(self._every(reading))
        return asked or _too_unsure(reading)

    def _again(
        self,
        question: str,
        reading: Reading,
        others: Sequence[Reading],
        found: Sequence[Mapping[str, Any]],
    ) -> dict[str, Any]:
        """The next reading that is about as likely as the first, else the first again: that a
        query finds nothing is an answer, that it fails is none."""
        tried = {str(each.get("tried", "")) for each in found}
        least = max(self.answer_above, 0.75 * confidence_of(reading))
        for each in others:
            if self._sql_of(each) not in tried and confidence_of(each) >= least:
                return self._query(question, each)
        empty = [str(each.get("tried")) for each in found if each.get("kind") == "empty"]
        for each in (reading, *others):
            if self._sql_of(each) in empty:
                return self._query(question, each)
        return _failed(found, reading.explanation)

    def _every(self, reading: Reading) -> list[Reading]:
        return [reading, *others_of(reading, self.model)]

    def _ask_back(self, readings: Sequence[Reading]) -> dict[str, Any] | None:
        """One short question with the readings to choose from, if there are several."""
        options = options_of(readings, self.model)
        if len(options) < 2:
            return None
        asked = {"question": "Which of these do you mean?", "options": options}
        sure = max((confidence_of(each) for each in readings), default=0.0)
        return _proposal(clarify=asked, confidence=sure)

    def _study(self, study: Study[Arguments], found: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        if found and found[-1].get("kind") == "failed":
            return _failed(found)
        try:
            asked = analysis_of(study, self.model)
        except LookupError as fault:
            return _cannot(f"That cannot be computed: {fault}.", study.explanation)
        request = REQUEST.dump_python(asked, mode="json")
        said = {"explanation": study.explanation, "confidence": _PHRASED, "request": request}
        if isinstance(asked, Analysis):
            code = compile_study(study, self.tables, self.model)
            return _proposal(code=code, warnings=notices_of(asked, self.model, self.tables), **said)
        assert study.chart is not None  # it is drawn
        sql = sql_of(query_of(study.chart, self.model), self.model, self.tables)
        return _proposal(sql=sql, chart=chart_of(study), **said)

    def _query(self, question: str, reading: Reading) -> dict[str, Any]:
        query = ranked_within(query_of(reading.plan, self.model), question)
        if refusal := refusal_of(query, self.model):
            return _cannot(f"{refusal}.", reading.explanation)
        placed = with_spans(query, tokenize(question), reading.links)
        return _proposal(
            sql=sql_of(query, self.model, self.tables),
            explanation=reading.explanation,
            confidence=confidence_of(reading),
            words=words_of(question, reading),
            warnings=[*warnings_of(reading), *notices_of(query, self.model, self.tables)],
            request=REQUEST.dump_python(placed, mode="json"),
        )


def _is_beyond_reading(query: Query) -> bool:
    """Whether a query asks for what the reader of free words has no rules for, and would miss."""
    rank = query.rank
    return query.compare is not None or (rank is not None and (rank.ties or bool(rank.within)))


def _needs_no_study(question: str, reading: Reading | Unread) -> bool:
    """Whether the words that ask for a statistic are names of the data in a query that explains
    every other word too: the `project staff` is not to be projected."""
    if isinstance(reading, Unread) or reading.unexplained:
        return False
    asked = asking_words(question)
    return bool(asked) and asked <= named_words(reading)


def chart_of(study: Study[Arguments]) -> dict[str, Any] | None:
    """What a study that is a chart draws, by the names of its columns."""
    plan = study.chart
    if plan is None:
        return None
    groups = [term_name(each) for each in plan.select if isinstance(each, Field)]
    measures = [term_name(each) for each in plan.select if isinstance(each, Measure)]
    if not groups or not measures:
        return None
    return {
        "type": study.style if study.style in ("bar", "line") else "bar",
        "x": groups[0],
        "y": measures[0],
        "color": groups[1] if len(groups) > 1 else None,
        "title": title_of(study),
    }


def warnings_of(reading: Reading) -> list[dict[str, str]]:
    """What a reader should know beside the result, each with a code and a text."""
    return [{"code": each.code, "text": each.text} for each in reading.warnings]


def _too_unsure(reading: Reading) -> dict[str, Any]:
    left = ", ".join(repr(word) for word in reading.unexplained)
    why = f"not understood: {left}" if left else "it can be read in several ways"
    read = replace(reading, unexplained=()).explanation  # what is not used was said just now
    text = f"I am not sure enough of what it asks: {why}; understood: {read}."
    return _cannot(text, reading.explanation) | {"confidence": confidence_of(reading)}


def _unread(unread: Unread) -> dict[str, Any]:
    """Why not. Of a question that goes on for pages only the first words are said again."""
    words = [
        each if len(each) <= _LONGEST else f"{each[:_LONGEST]}…" for each in unread.not_understood
    ]
    more = f", and {len(words) - _SAID:,} more words" if len(words) > _SAID else ""
    said = replace(unread, not_understood=tuple(words[:_SAID]), understood=())
    read = "; ".join(unread.understood[:_SAID])
    text = f"{said}{more}" + (f"; understood: {read}" if read else "")
    return _cannot(f"{text}.", read)


def _failed(found: Sequence[Mapping[str, Any]], explanation: str = "") -> dict[str, Any]:
    """That what the question means was tried, and why it did not work."""
    said = str(found[-1].get("said", "")) if found else ""
    return _cannot(f"The only reading of it failed: {said}", explanation)


def _cannot(text: str, explanation: str = "") -> dict[str, Any]:
    said = text[:1].upper() + text[1:]
    return _proposal(cannot=said, explanation=explanation, confidence=0.0)


def _proposal(**given: Any) -> dict[str, Any]:
    """The object of the protocol; keys that are not given are null."""
    empty: dict[str, Any] = dict.fromkeys(("sql", "code", "text", "clarify", "cannot"))
    more = {
        "confidence": 0.0,
        "explanation": "",
        "words": [],
        "warnings": [],
        "chart": None,
        "request": None,
    }
    return {**empty, **more, **given}
