"""Answering a question over the table of a store: read as a typed request, compiled, run, told."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from flows.core.observation import Caution, Preview
from flows.data.query import run_query
from flows.data.tables import ResultTable, Table
from flows.errors import QueryFailed, QueryRefused
from flows.memory.columns.answer import AnswerStatus, StoreAnswer
from flows.memory.columns.catalog import StoreCatalog, with_schema
from flows.memory.columns.schema import StoreSchema
from flows.semantics.model import SemanticModel
from flows.semantics.models import SemanticModels
from flows.semantics.request import REQUEST, Request

# The limits of `flows ask`: with less confidence it asks back, with much less it says no.
ANSWER_ABOVE: Final = 0.4
ASK_ABOVE: Final = 0.2
_TRIES: Final = 3
# What a warning says where a part of the question stays without an answer.
_LEFT_OUT: Final = frozenset(["not_understood", "constraint"])


class StoreReader:
    """Reads questions over one version of a store. It may be used from any thread; it blocks."""

    def __init__(self, schema: StoreSchema, catalog: StoreCatalog, seconds: float) -> None:
        self._schema = schema
        self._catalog = catalog
        self._seconds = seconds
        self._models = SemanticModels(catalog, cache=None)
        self._known: tuple[tuple[Table, ...], SemanticModel] | None = None

    def meaning(self) -> tuple[tuple[Table, ...], SemanticModel]:
        """The table as its semantic model means it, and the model. Errors: `SourceError`."""
        if self._known is None:
            from flows.semantics.tables import meant

            model = with_schema(self._models.model(), self._schema)
            plain = [each.without_sample() for each in self._catalog.tables()]
            self._known = (meant(plain, model), model)
        return self._known

    def answer(self, question: str, limit: int) -> StoreAnswer:
        """The answer by the rules of `flows ask`. A reading that finds nothing or fails is tried in
        another way, if there is one. Errors: `SourceError`, `QueryFailed`."""
        from flows.analysis.analyst.proposal import Analyst

        tables, model = self.meaning()
        analyst = Analyst(tables, model, answer_above=ANSWER_ABOVE, ask_above=ASK_ABOVE)
        found: list[dict[str, str]] = []
        empty: StoreAnswer | None = None
        for _ in range(_TRIES):
            proposal = analyst.propose(question, found)
            if proposal["cannot"] is not None and empty is not None:
                return empty
            try:
                made = self._carried_out(proposal, limit)
            except (QueryFailed, QueryRefused) as error:
                found.append({"tried": proposal["sql"], "kind": "failed", "said": str(error)})
                continue
            if made.status != "empty":
                return made
            empty = empty or made
            tried = "" if made.table is None else made.table.sql or ""
            if any(each["tried"] == proposal["sql"] for each in found):
                return empty
            found.append({"tried": proposal["sql"] or tried, "kind": "empty", "said": made.text})
        return empty or self._refused(found[-1]["said"], 0.0)

    def answer_sql(self, sql: str, limit: int) -> StoreAnswer:
        """The rows of one SELECT over the table. Errors: `QueryRefused`, `QueryFailed`."""
        return self._told(sql, None, 1.0, "the SQL that was given", (), limit)

    def answer_request(self, request: Request, limit: int) -> StoreAnswer:
        """The answer to a typed request. Errors: as of `answer`."""
        from flows.analysis.analyst.proposal import Analyst
        from flows.semantics.check import check

        tables, model = self.meaning()
        if problems := check(request, model):
            said = "; ".join(dict.fromkeys(map(str, problems)))
            return self._refused(f"The request does not fit the store: {said}.", 0.0)
        return self._carried_out(Analyst(tables, model).propose_for(request), limit)

    def _carried_out(self, proposal: Mapping[str, Any], limit: int) -> StoreAnswer:
        sure = float(proposal["confidence"])
        if proposal["cannot"] is not None:
            return self._refused(proposal["cannot"], sure)
        if (asked := proposal["clarify"]) is not None:
            options = tuple(each["question"] for each in asked["options"])
            return StoreAnswer(store=self._schema.id, status="unclear", text=asked["question"],
                               confidence=sure, options=options)  # fmt: skip
        warnings = tuple(Caution.model_validate(each) for each in proposal["warnings"])
        if proposal["parts"]:
            return self._joined(
                [self._carried_out(each, limit) for each in proposal["parts"]], sure
            )
        if proposal["code"] is not None:
            return self._refused(
                "That needs a statistical analysis, and a store answers with queries: counts, "
                "sums, averages, shares, rankings, lists, changes over time.", sure,
            )  # fmt: skip
        if proposal["sql"] is None:
            return StoreAnswer(store=self._schema.id, status="answered", text=proposal["text"],
                               confidence=sure, warnings=warnings)  # fmt: skip
        asked = proposal.get("request")
        request = None if asked is None else REQUEST.validate_python(asked)
        return self._told(proposal["sql"], request, sure, proposal["explanation"], warnings, limit)

    def _told(
        self, sql: str, request: Request | None, sure: float, how: str,
        warnings: tuple[Caution, ...], limit: int,
    ) -> StoreAnswer:  # fmt: skip
        """Run the SQL, and say what it found."""
        from flows.analysis.analyst.meaning import ONE_ROW
        from flows.analysis.methods.answer import Result, narrate

        ran = run_query(self._catalog, sql, max_rows=limit, timeout=self._seconds)
        tables, model = self.meaning()
        result = Result(columns=ran.columns, rows=ran.rows, total=len(ran.rows), name=None)
        text = narrate(request, model, tables, result)
        text = " ".join([text, *(each.text for each in warnings if each.code == ONE_ROW)])
        is_empty = not ran.rows or all(cell is None for row in ran.rows for cell in row)
        if ran.truncated:
            cut = f"Only the first {limit:,} rows are given; there are more."
            warnings = (*warnings, Caution(code="cut", text=cut))
        status: AnswerStatus = "partly" if _leaves_out(warnings) else "answered"
        return StoreAnswer(
            store=self._schema.id, status="empty" if is_empty else status, text=text,
            confidence=sure, table=_preview(ran), request=request, explanation=how,
            warnings=warnings,
        )  # fmt: skip

    def _joined(self, parts: Sequence[StoreAnswer], sure: float) -> StoreAnswer:
        """The answers to several questions as one; a part without an answer is a warning."""
        told = [each for each in parts if each.found]
        if not told:
            return parts[0]
        left = tuple(Caution(code="partly", text=each.text) for each in parts if not each.found)
        return told[-1].model_copy(update={
            "text": "\n".join(each.text for each in told), "confidence": sure, "request": None,
            "status": "partly" if left else "answered",
            "warnings": (*(one for each in told for one in each.warnings), *left),
            "explanation": "; ".join(each.explanation for each in told),
        })  # fmt: skip

    def _refused(self, why: str, sure: float) -> StoreAnswer:
        return StoreAnswer(store=self._schema.id, status="refused", text=why, confidence=sure)


def _leaves_out(warnings: Sequence[Caution]) -> bool:
    return any(each.code in _LEFT_OUT for each in warnings)


def _preview(ran: ResultTable) -> Preview:
    return Preview(
        columns=ran.columns, types=tuple(ran.types), rows=ran.rows, total_rows=len(ran.rows),
        truncated=ran.truncated, sql=ran.sql, elapsed_ms=round(ran.elapsed_ms, 2),
    )  # fmt: skip
