"""What one turn of a conversation came to, as programs and screens get it."""

from __future__ import annotations

import base64
import html
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from flows.analysis.conversation.turn import TOLD, ConversationTurn, TurnOption, TurnStatus
from flows.core import markup
from flows.core.observation import Caution, Preview
from flows.data.answers.citations import Citation
from flows.report.figures import safe_figure, title_of
from flows.semantics.request import Request

# Rows of a result that later turns can refer to.
_KEPT_ROWS = 50


class TurnClarification(BaseModel):
    """A question back with what can be chosen."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    question: str
    options: tuple[TurnOption, ...] = ()


class TurnReply(BaseModel):
    """A turn that is over. `question_read` says in words how it was read, `table` holds the first
    rows of the result and names the artifact that holds all. `tasks` are the questions of a turn
    that asked for several things, `images` the paths of its figures in the run's folder, `summary`
    its executive summary in Markdown."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    session: str
    turn: int
    said: str
    status: TurnStatus
    question_read: str = ""
    answer: str = ""
    confidence: float | None = None
    table: Preview | None = None
    sql: str | None = None
    code: str | None = None
    chart: dict[str, Any] | None = None
    clarification: TurnClarification | None = None
    citations: tuple[Citation, ...] = ()
    warnings: tuple[Caution, ...] = ()
    figures: tuple[str, ...] = ()
    images: tuple[str, ...] = ()
    tasks: tuple[str, ...] = ()
    summary: str = ""
    request: Request | None = Field(default=None)

    @property
    def has_answer(self) -> bool:
        return self.status in TOLD

    @property
    def remembered(self) -> ConversationTurn:
        """What later turns know of it."""
        table = self.table
        return ConversationTurn(
            text=self.said,
            status=self.status,
            read=self.question_read,
            request=self.request,
            columns=table.columns if table is not None else (),
            rows=table.rows[:_KEPT_ROWS] if table is not None else (),
            total_rows=table.total_rows if table is not None else 0,
            answer=self.answer,
            summary=self.summary,
            options=self.clarification.options if self.clarification is not None else (),
        )

    def as_json(self) -> dict[str, Any]:
        """The turn as plain data: the columns and the first rows stand for the table."""
        found = self.model_dump(mode="json", exclude={"table", "request", "clarification"})
        table, asked = self.table, self.clarification
        found["columns"] = list(table.columns) if table is not None else []
        found["rows"] = [list(row) for row in table.rows] if table is not None else []
        found["clarification"] = None if asked is None else {
            "question": asked.question, "options": [each.label for each in asked.options]
        }  # fmt: skip
        return found

    def _repr_html_(self) -> str:
        """The turn as a notebook shows it: how it was read, the answer, its table and chart."""
        asked, table = self.clarification, self.table
        shown = [markup.note(self.question_read)] if self.question_read else []
        shown.append(markup.paragraph(self.answer or (asked.question if asked else "")))
        shown += [markup.paragraph(f"• {each.label}") for each in (asked.options if asked else ())]
        if table is not None:
            shown.append(markup.table(table.columns, table.rows, table.total_rows))
        shown += [markup.note(each.text) for each in self.warnings]
        return "".join((*shown, self._picture()))

    def _picture(self) -> str:
        """The chart as a picture in the text, "" for none, or of a kind that cannot be drawn."""
        figure = safe_figure((self.chart or {}).get("figure") or {})
        if not figure:
            return ""
        from flows.report.pictures.plot import draw_plot

        title = title_of(figure)
        try:
            drawn = base64.b64encode(draw_plot(figure, title)).decode()
        except ValueError:
            return ""
        alt = html.escape(title)
        return f'<img alt="{alt}" width="600" src="data:image/png;base64,{drawn}">'


def joined(about: Mapping[str, Any], question: str, replies: Sequence[TurnReply]) -> TurnReply:
    """The answers to several tasks as one turn: a paragraph for each. The table and the chart are
    those of the last that has one; it is answered where all are, in
    part where some are, and what was not is said."""
    answered = [each for each in replies if each.has_answer]
    citations: list[Citation] = []
    answer = ""
    for each in replies:
        answer += f"{chr(10) if answer else ''}{each.question_read}: "
        citations += [_moved(one, len(answer)) for one in each.citations]
        answer += each.answer
    left = [each.question_read for each in replies if not each.has_answer]
    beware = [Caution(code="partly", text=f"Not answered: {'; '.join(left)}.")] if left else []
    beware += [one for each in answered for one in each.warnings]
    sure = [each.confidence for each in answered if each.confidence is not None]
    status: TurnStatus = "answered" if answered else "abstained"
    if answered and (left or any(each.status == "partly" for each in answered)):
        status = "partly"
    return TurnReply(
        **about,
        status=status,
        question_read=question,
        answer=answer,
        confidence=min(sure) if sure else None,
        table=next((each.table for each in reversed(answered) if each.table), None),
        sql=";\n".join(each.sql for each in answered if each.sql) or None,
        code="\n\n".join(each.code for each in answered if each.code) or None,
        chart=next((each.chart for each in reversed(answered) if each.chart), None),
        figures=tuple(one for each in answered for one in each.figures),
        citations=tuple(citations),
        warnings=tuple(dict.fromkeys(beware)),
        request=answered[-1].request if answered else None,
    )


def _moved(citation: Citation, by: int) -> Citation:
    return citation.model_copy(update={"start": citation.start + by, "end": citation.end + by})
