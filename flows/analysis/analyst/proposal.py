"""The analyst's role: a question over tables becomes SQL, code, text, a question back, or a no."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from flows.analysis.analyst.certainty import (
    confidence_of,
    options_of,
    tied_with,
)
from flows.analysis.analyst.meaning import notices_of, refusal_of
from flows.analysis.analyst.words import asking_words, named_words, words_of
from flows.analysis.cautions import Caution, cautions
from flows.analysis.compiler.frames import FrameLimit
from flows.analysis.language.words import tokenize
from flows.analysis.loop.overview import (
    asks_about_tables,
    asks_profile,
    overview,
    profile_answer,
)
from flows.analysis.methods.analyses import study_of, study_of_prepared
from flows.analysis.methods.arguments import Arguments
from flows.analysis.methods.compile import compile_study
from flows.analysis.methods.method import MethodError
from flows.analysis.methods.picture import axes_of
from flows.analysis.methods.preparation import step_lines
from flows.analysis.methods.read import read_study
from flows.analysis.methods.specification import Specification as Study
from flows.analysis.methods.subject import title_of
from flows.analysis.parser.exact import parse_exact
from flows.analysis.reading.arithmetic import Computed, computed, percentages
from flows.analysis.reading.reader import Reading, Unread, read
from flows.analysis.requests.spans import with_spans
from flows.analysis.requests.sql import sql_of, sql_of_prepared
from flows.analysis.telling.description import describe
from flows.data.tables import Table
from flows.semantics.calendar import today_of
from flows.semantics.check import check
from flows.semantics.model import SemanticModel
from flows.semantics.query import Query
from flows.semantics.request import (
    REQUEST,
    Analysis,
    Chart,
    Compound,
    Describe,
    Prepare,
    Request,
)
from flows.semantics.row_values import NoRowHasIt
from flows.semantics.tree import parts

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
        """The proposal, with one of `sql`, `code`, `text`, `clarify` and `cannot`, or with `parts`,
        which are proposals of their own.

        `found` is what was tried before and found wanting: `tried`, `said` and `kind` (`empty` or
        `failed`).
        """
        if not self.tables:
            return _cannot("There is no table to ask.")
        exact = self._exact(question)
        if isinstance(exact, Prepare | Compound):
            return self.propose_for(exact, found)
        figure = computed(question, self.tables, self.model)
        if figure is not None:
            return self._computed(figure, found)
        if (percentage := percentages(question, self.tables)) is not None:
            return self._of_what(percentage)
        if exact is not None and _is_beyond_reading(exact):
            return self.propose_for(exact, found)
        made = self._propose(question, found)
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

    def _exact(self, question: str) -> Request | None:
        """What a question asks in the language of `words`, for one that is in no other."""
        request = parse_exact(question, self.model)
        if request is None or isinstance(request, Analysis | Chart) or check(request, self.model):
            return None
        asked = [each for each in parts(request) if isinstance(each, Query)]
        return None if any(refusal_of(each, self.model) for each in asked) else request

    def _propose(self, question: str, found: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        study = read_study(question, self.tables, self.model)
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
            return _unread(reading)
        return self._reading(question, reading, found)

    def propose_for(
        self, request: Request, found: Sequence[Mapping[str, Any]] = ()
    ) -> dict[str, Any]:
        """The proposal for a request that somebody chose; `found` is as for a question."""
        said = {"confidence": _PHRASED, "request": REQUEST.dump_python(request, mode="json")}
        try:
            if isinstance(request, Query):
                made = self._query(request, **said)
                failed = [each.get("tried") for each in found if each.get("kind") == "failed"]
                return _failed(found) if made["sql"] in failed else made
            if isinstance(request, Analysis | Chart):
                return self._study(study_of(request, self.model, self.tables), found)
            if isinstance(request, Prepare):
                return self._prepared(request, found)
        except (MethodError, FrameLimit, NoRowHasIt) as fault:
            return _cannot(f"That cannot be computed yet: {fault}.")
        if isinstance(request, Describe):
            return _proposal(text=describe(request, self.model, self.tables), **said)
        if isinstance(request, Compound):
            return _proposal(parts=[self.propose_for(each) for each in request.requests], **said)
        return _cannot(f"{request.text!r} could not be read: {request.reason}.")

    def _prepared(self, prepare: Prepare, found: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        """The proposal for what is asked of a working table: one statement for a query, code for
        an analysis."""
        if _has_failed(found):
            return _failed(found)
        said = {"confidence": _PHRASED, "request": REQUEST.dump_python(prepare, mode="json")}
        notices = _plain(notices_of(prepare.then, self.model, self.tables))
        if isinstance(prepare.then, Query):
            sql = sql_of_prepared(prepare, self.model, self.tables)
            return _proposal(sql=sql, warnings=notices, **said)
        study = study_of_prepared(prepare, self.model, self.tables)
        steps = step_lines(prepare, self.model, today_of(self.model.calendar, self.tables))
        code = compile_study(study, self.tables, steps, self.model)
        return _proposal(code=code, warnings=notices, explanation=study.explanation, **said)

    def _sql_of(self, reading: Reading) -> str:
        return sql_of(reading.query, self.model, self.tables)

    def _read(self, question: str) -> Reading | Unread:
        return read(question, self.tables, self.model, most_doubt=_MOST_DOUBT)

    def _reading(
        self, question: str, reading: Reading, found: Sequence[Mapping[str, Any]]
    ) -> dict[str, Any]:
        if found:
            return self._again(question, reading, found)
        sure = confidence_of(reading)
        may_ask = self.answer_above > 0 and tied_with(reading)
        if may_ask and sure >= self.ask_above and (asked := self._ask_back(reading)):
            return asked
        if sure >= self.answer_above:
            return self._read_query(question, reading)
        unsure = sure < self.ask_above
        asked = None if unsure else self._ask_back(reading)
        return asked or _too_unsure(reading)

    def _again(
        self, question: str, reading: Reading, found: Sequence[Mapping[str, Any]]
    ) -> dict[str, Any]:
        """The next reading that is about as likely as the first, else the first again: that a
        query finds nothing is an answer, that it fails is none."""
        tried = {str(each.get("tried", "")) for each in found}
        least = max(self.answer_above, 0.75 * confidence_of(reading))
        for each in reading.alternatives:
            if self._sql_of(each) not in tried and confidence_of(each) >= least:
                return self._read_query(question, each)
        empty = [str(each.get("tried")) for each in found if each.get("kind") == "empty"]
        for each in (reading, *reading.alternatives):
            if self._sql_of(each) in empty:
                return self._read_query(question, each)
        return _failed(found, reading.explanation)

    def _ask_back(self, reading: Reading) -> dict[str, Any] | None:
        """One short question with the readings to choose from, if there are several."""
        readings = (reading, *reading.alternatives)
        options = options_of(readings, self.model)
        if len(options) < 2:
            return None
        asked = {"question": "Which of these do you mean?", "options": options}
        return _proposal(clarify=asked, confidence=max(map(confidence_of, readings)))

    def _study(self, study: Study[Arguments], found: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        if _has_failed(found):
            return _failed(found)
        asked = study.request
        request = REQUEST.dump_python(asked, mode="json")
        said = {"explanation": study.explanation, "confidence": _PHRASED, "request": request}
        if isinstance(asked, Analysis):
            try:
                code = compile_study(study, self.tables)
            except MethodError as fault:
                return _cannot(f"{fault}.", study.explanation)
            notices = notices_of(asked, self.model, self.tables)
            return _proposal(code=code, warnings=_plain(notices), **said)
        assert study.chart is not None  # it is drawn
        sql = sql_of(study.chart, self.model, self.tables)
        return _proposal(sql=sql, chart=chart_of(study), **said)

    def _read_query(self, question: str, reading: Reading) -> dict[str, Any]:
        if refusal := refusal_of(reading.query, self.model):
            return _cannot(f"{refusal}.", reading.explanation)
        placed = with_spans(reading.query, tokenize(question), reading.links)
        return self._query(
            reading.query,
            reading.warnings,
            explanation=reading.explanation,
            confidence=confidence_of(reading),
            words=words_of(question, reading),
            request=REQUEST.dump_python(placed, mode="json"),
        )

    def _query(self, query: Query, left_out: Sequence[Caution] = (), **said: Any) -> dict[str, Any]:
        """The proposal of a query, with what must be said beside its result."""
        found = cautions(query, self.model, self.tables)
        warnings = (*left_out, *found, *notices_of(query, self.model, self.tables))
        return _proposal(
            sql=sql_of(query, self.model, self.tables), warnings=_plain(warnings), **said
        )


def _is_beyond_reading(query: Request) -> bool:
    """Whether a query asks for what the reader of free words has no rules for, and would miss."""
    if not isinstance(query, Query):
        return False
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
    query = study.chart
    if query is None:
        return None
    groups, figures = axes_of(query, study.model)
    if not groups or not figures:
        return None
    return {
        "type": study.style if study.style in ("bar", "line") else "bar",
        "x": groups[0],
        "y": figures[0],
        "color": groups[1] if len(groups) > 1 else None,
        "title": title_of(study),
    }


def _plain(warnings: Iterable[Caution]) -> list[dict[str, str]]:
    return [{"code": each.code, "text": each.text} for each in warnings]


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


def _has_failed(found: Sequence[Mapping[str, Any]]) -> bool:
    return bool(found) and found[-1].get("kind") == "failed"


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
        "parts": [],
    }
    return {**empty, **more, **given}
