"""The analyst's role: a question over tables becomes SQL, code, text, a question back, or a no."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from flows.analysis.analyst import certainty
from flows.analysis.analyst.assumed import with_assumption
from flows.analysis.analyst.certainty import confidence_of, options_of, tied_with
from flows.analysis.analyst.computing import propose_prepared, propose_study
from flows.analysis.analyst.group_figures import propose_group_figure
from flows.analysis.analyst.left_out import called, with_doubt
from flows.analysis.analyst.meaning import notices_of, refusal_of
from flows.analysis.analyst.nearest import MOST, nearest_queries
from flows.analysis.analyst.preference import (
    ALONE,
    PHRASES_FROM,
    SURE,
    WHOLE,
    answers,
    confidences,
    is_sure,
    prefers_phrases,
    told,
)
from flows.analysis.analyst.quantities import fit, fitting, settle_units
from flows.analysis.analyst.refusal import (
    ask_of_what,
    make_proposal,
    plain,
    refuse,
    refuse_answer,
    refuse_failed,
    refuse_unread,
    refuse_unsure,
    with_nearest,
)
from flows.analysis.analyst.signs import is_beyond_reading, is_ranked, lists_figures
from flows.analysis.analyst.task import read_task_request
from flows.analysis.analyst.words import needs_no_study, words_of
from flows.analysis.cautions import cautions
from flows.analysis.compiler.frames import FrameLimit
from flows.analysis.language.words import LONGEST, tokenize
from flows.analysis.loop.overview import (
    asks_about_tables,
    asks_profile,
    overview,
    profile_answer,
)
from flows.analysis.methods.analyses import study_of
from flows.analysis.methods.method import MethodError
from flows.analysis.methods.read import read_study
from flows.analysis.methods.specification import Specification as Study
from flows.analysis.parser.exact import parse_exact
from flows.analysis.parser.exact import words as parse_words
from flows.analysis.questions.associations import read_association
from flows.analysis.questions.german import english_text
from flows.analysis.questions.objections import objections_to
from flows.analysis.questions.reader import QuestionReading, read_question, read_questions
from flows.analysis.questions.several import are_sentences
from flows.analysis.questions.vocabulary import Vocabulary, vocabulary_of
from flows.analysis.reading.arithmetic import Computed, computed, percentages
from flows.analysis.reading.reader import Reading, Unread, read
from flows.analysis.requests.spans import with_spans
from flows.analysis.requests.sql import sql_of
from flows.analysis.tasks.text import TaskText, read_task
from flows.analysis.telling.description import describe
from flows.core.observation import Caution
from flows.data.tables import Table
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

# A reading that is less likely right than this gives way to one by the exact language.
_EXACT = 0.88
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
            return refuse("There is no table to ask.")
        proposed = with_assumption(question, self._proposed(question, found), self.tables)
        made = with_doubt(question, proposed, called(self.model))
        if answers(made) and made["confidence"] < self.ask_above:
            made = refuse_answer(made)
        if made["cannot"] is None or found:
            return made
        return with_nearest(made, self._nearest(question), self.tables)

    def _nearest(self, question: str) -> list[str]:
        """The nearest questions to one that was refused, each of which is answered as it is."""
        near = nearest_queries(question, self.tables, self.model, _MOST_DOUBT)
        said = dict.fromkeys(parse_words(each, self.model) for each in near)
        answered = (each for each in said if self._proposed(each)["sql"] is not None)
        return list(islice(answered, MOST))

    def _proposed(self, question: str, found: Sequence[Mapping[str, Any]] = ()) -> dict[str, Any]:
        """As `propose`, whatever is left out."""
        if (task := read_task(question)) is not None:
            return self._task(task, found)
        exact = self._exact(question)
        if isinstance(exact, Prepare | Compound):
            return self.propose_for(exact, found)
        of_groups = propose_group_figure(
            question, self._proposed, lambda each: self.propose_for(each, found), self.model
        )
        if of_groups is not None:
            return of_groups
        figure = computed(question, self.tables, self.model)
        if figure is not None:
            return self._computed(figure, found)
        if (percentage := percentages(question, self.tables)) is not None:
            return ask_of_what(percentage, self.propose)
        if exact is not None and is_beyond_reading(exact):
            return self.propose_for(exact, found)
        first = self.propose_whole(question, found)
        made = self._likelier(question, first, found)
        least = 0.0 if lists_figures(exact) else told(_EXACT)
        if exact is None or (answers(made) and made["confidence"] >= least):
            return made
        return self.propose_for(exact, found)

    def _task(self, task: TaskText, found: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        """The proposal for a task; what it settles and no request holds is said beside it."""

        def read(
            question: str, tables: tuple[Table, ...], model: SemanticModel
        ) -> Mapping[str, Any]:
            return replace(self, tables=tables, model=model).propose(question)

        reading = read_task_request(task, self.tables, self.model, read)
        if reading.request is None:
            return refuse(reading.problem)
        made = self.propose_for(reading.request, found)
        if made["cannot"]:
            return made
        left = [{"code": "constraint", "text": f"Not honoured: {e}."} for e in reading.left]
        warnings = [*made["warnings"], *left]
        return {**made, "confidence": reading.confidence, "warnings": warnings}

    def _likelier(
        self, question: str, made: dict[str, Any], found: Sequence[Mapping[str, Any]]
    ) -> dict[str, Any]:
        """The proposal, or that of the question read phrase by phrase where that is likelier."""
        if made["sql"] and (none := objections_to(question, self.tables, self.model)):
            return refuse(f"no column says it; not understood: {', '.join(map(repr, none))}.")
        if found or made["chart"] is not None:
            return made
        if self._is_understood(made):
            asked = read_question(question, self.tables, self.model)
            if asked is None or asked.confidence < SURE or refusal_of(asked.query, self.model):
                return made
        if not answers(made) or made["sql"]:
            related = read_association(question, self.tables, self.model)
            if related is not None and not check(related, self.model):
                return self.propose_for(related, found)
        whole = is_sure(made) and made["sql"] is not None and made["confidence"] >= WHOLE
        apart = are_sentences(question)  # a condition of one sentence is none of another
        ask = apart or not whole
        several = read_questions(question, self.tables, self.model, PHRASES_FROM) if ask else []
        if whole and len({each.query.where for each in several}) == 1:
            several = []
        if several and not any(refusal_of(each.query, self.model) for each in several):
            return self._several(question, several)
        asked = read_question(question, self.tables, self.model)
        if asked is None:
            return made
        if asked.confidence >= PHRASES_FROM and len(asked.choices) > 1:
            ranked = made["confidence"] >= SURE and is_ranked(made)
            return made if ranked else self._choice(asked)
        sure = confidences(made, asked)
        if prefers_phrases(made, asked, self.answer_above) and not refusal_of(
            asked.query, self.model
        ):
            return fit({**self.propose_phrases(question, asked), "confidence": sure.phrases})
        return fit({**made, "confidence": sure.whole} if made["sql"] else made)

    def _is_understood(self, made: Mapping[str, Any]) -> bool:
        """Whether a question was understood, and no row has what it asks for."""
        sure = made["confidence"] > 0 and made["confidence"] >= self.answer_above
        return made["cannot"] is not None and sure

    def _several(self, text: str, readings: Sequence[QuestionReading]) -> dict[str, Any]:
        """The proposal for several questions, each answered by itself."""
        request = Compound(requests=tuple(each.query for each in readings))
        return make_proposal(
            parts=[self.propose_phrases(text, each) for each in readings],
            confidence=round(ALONE * min(each.confidence for each in readings), 4),
            request=REQUEST.dump_python(request, mode="json"),
        )

    def _choice(self, asked: QuestionReading) -> dict[str, Any]:
        """A question back about the figure by which something is the best."""
        options = options_of(asked.choices, self.model, len(asked.choices))
        said = {"question": "By which figure?", "options": options}
        return make_proposal(clarify=said, confidence=asked.confidence)

    def propose_phrases(self, question: str, asked: QuestionReading) -> dict[str, Any]:
        """The proposal for a question that was read phrase by phrase."""
        query, notes = settle_units(question, asked.query, self._vocabulary)
        return self._query(
            query,
            notes,
            explanation=parse_words(query, self.model),
            confidence=asked.confidence,
            words=asked.words(question),
            request=REQUEST.dump_python(query, mode="json"),
        )

    @property
    def _vocabulary(self) -> Vocabulary:
        return vocabulary_of(self.model, self.tables)

    def _computed(self, made: Computed, found: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        """The proposal for a question that computes a figure of each row."""
        proposal = replace(self, tables=made.tables, model=made.model).propose(made.question, found)
        if proposal["request"] is None:
            return proposal
        request = made.spelled(REQUEST.validate_python(proposal["request"]))
        return {**proposal, "request": REQUEST.dump_python(request, mode="json")}

    def _exact(self, question: str) -> Request | None:
        """What a question asks in the language of `words`, for one that is in no other."""
        request = parse_exact(question, self.model)
        if request is None or isinstance(request, Analysis | Chart) or check(request, self.model):
            return None
        asked = [each for each in parts(request) if isinstance(each, Query)]
        return None if any(refusal_of(each, self.model) for each in asked) else request

    def propose_whole(
        self, question: str, found: Sequence[Mapping[str, Any]] = ()
    ) -> dict[str, Any]:
        """The proposal for a question that is read as a whole, not phrase by phrase."""
        if len(tokenize(question)) > LONGEST and isinstance(long := self._read(question), Unread):
            return refuse_unread(question, long, self.tables)
        study = read_study(question, self.tables, self.model)
        reading: Reading | Unread | None = None
        if study is not None:
            reading = self._read(question)
            drawn = isinstance(study, Study) and study.chart is not None
            if drawn or not needs_no_study(question, reading):
                if isinstance(study, Unread):
                    return refuse_unread(question, study, self.tables)
                return propose_study(study, self.tables, self.model, found, question)
        said = certainty.computed_confidence("description")
        if asks_profile(question):
            return make_proposal(text=profile_answer(question, self.tables), confidence=said)
        if asks_about_tables(question, self.tables):
            return make_proposal(text=overview(question, self.tables), confidence=said)
        reading = reading or self._read(question)
        if isinstance(reading, Unread):
            made = self._translated(question, found)
            return made or refuse_unread(question, reading, self.tables)
        return self._reading(question, reading, found)

    def _translated(
        self, question: str, found: Sequence[Mapping[str, Any]]
    ) -> dict[str, Any] | None:
        """The proposal for a German question read as an English one, if it is understood so."""
        text = english_text(question, self._vocabulary.knows)
        if not text or isinstance(reading := self._read(text), Unread):
            return None
        made = self._reading(text, reading, found)
        return {**made, "words": []} if answers(made) else None

    def propose_for(
        self, request: Request, found: Sequence[Mapping[str, Any]] = ()
    ) -> dict[str, Any]:
        """The proposal for a request that somebody chose; `found` is as for a question."""
        sure = certainty.computed_confidence(request.kind)
        said = {"confidence": sure, "request": REQUEST.dump_python(request, mode="json")}
        try:
            if isinstance(request, Query):
                made = self._query(request, **said)
                failed = [each.get("tried") for each in found if each.get("kind") == "failed"]
                return refuse_failed(found) if made["sql"] in failed else made
            if isinstance(request, Analysis | Chart):
                return propose_study(
                    study_of(request, self.model, self.tables), self.tables, self.model, found
                )
            if isinstance(request, Prepare):
                return propose_prepared(request, self.tables, self.model, found)
        except (MethodError, FrameLimit, NoRowHasIt) as fault:
            return refuse(f"That cannot be computed yet: {fault}.")
        if isinstance(request, Describe):
            return make_proposal(text=describe(request, self.model, self.tables), **said)
        if isinstance(request, Compound):
            return make_proposal(
                parts=[self.propose_for(each) for each in request.requests], **said
            )
        return refuse(f"{request.text!r} could not be read: {request.reason}.")

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
        return asked or refuse_unsure(question, reading, self.tables)

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
        return refuse_failed(found, reading.explanation)

    def _ask_back(self, reading: Reading) -> dict[str, Any] | None:
        """One short question with the readings to choose from, if there are several."""
        readings = (reading, *reading.alternatives)
        options = options_of([each.query for each in readings], self.model)
        if len(options) < 2:
            return None
        asked = {"question": "Which of these do you mean?", "options": options}
        return make_proposal(clarify=asked, confidence=max(map(confidence_of, readings)))

    def _read_query(self, question: str, reading: Reading) -> dict[str, Any]:
        if refusal := refusal_of(reading.query, self.model):
            return refuse(f"{refusal}.", reading.explanation) | {"confidence": SURE}
        query, notes = settle_units(question, reading.query, self._vocabulary)
        placed = with_spans(query, tokenize(question), reading.links)
        return self._query(
            query,
            (*reading.warnings, *notes),
            explanation=reading.explanation,
            confidence=fitting(confidence_of(reading), notes),
            words=words_of(question, reading),
            request=REQUEST.dump_python(placed, mode="json"),
        )

    def _query(self, query: Query, left_out: Sequence[Caution] = (), **said: Any) -> dict[str, Any]:
        """The proposal of a query, with what must be said beside its result."""
        found = cautions(query, self.model, self.tables)
        warnings = (*left_out, *found, *notices_of(query, self.model, self.tables))
        return make_proposal(
            sql=sql_of(query, self.model, self.tables), warnings=plain(warnings), **said
        )
