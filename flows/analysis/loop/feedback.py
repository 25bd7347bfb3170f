"""What a person's feedback changes: the parts of the goal, the command to use, or the end."""

from __future__ import annotations

import re
from collections.abc import Sequence

from flows.analysis.language.remarks import BESIDE, IN_PLACE, MORE_ROWS, REMARK_OPENINGS
from flows.analysis.language.sentences import split_goal
from flows.analysis.loop.agents import asks_analysis, asks_insights
from flows.analysis.loop.commands import Commands, asks_documents, asks_outside, asks_search
from flows.analysis.loop.goal import GoalPart, Progress
from flows.analysis.loop.overview import asks_about_tables
from flows.analysis.loop.own_commands import take_missing
from flows.analysis.loop.reference import settle
from flows.analysis.loop.split import has_anaphora
from flows.analysis.methods.read import read_study
from flows.analysis.methods.specification import Specification as Study
from flows.analysis.parser.edit import edit
from flows.analysis.reading.reader import Reading, read
from flows.data.meaning.meanings import read_teaching
from flows.data.tables import Table
from flows.semantics.query import Query
from flows.semantics.request import Analysis, Chart, Unparsed

_STOP = re.compile(
    r"^\W*(?:please )?(?:finish|stop|enough|done|quit|end|that is enough|that's enough|that is all|"
    r"that's all|(?:that's|that is) it|i'm done|i am done|nothing else|"
    r"stop here|stop now|we are done|no more|wrap up)\b[\w\s,.!']{0,40}$",
    re.IGNORECASE,
)
_ASSENT = re.compile(
    r"^\W*(?:ok|okay|yes|y|yep|sure|fine|good|great|nice|thanks|thank you|go on|go ahead|continue|"
    r"proceed|perfect|correct|right|looks good|next|well done|all good)\b[\W\s]*"
    r"(?:go on|continue|thanks|thank you|please|proceed)?\W*$",
    re.IGNORECASE,
)
_ALSO = re.compile(
    r"^\W*(?:and |please |can you |could you |then |now )*(?:also |add )+", re.IGNORECASE
)


def take_feedback(progress: Progress, feedback: str, commands: Commands) -> None:
    """Change the progress as the feedback says, and note in `remarks` how it was understood."""
    text, tables = feedback.strip(), progress.tables
    if not text or _ASSENT.match(text):
        return
    progress.human = True
    if _STOP.match(text):
        progress.stop = True
        progress.remarks.append("You want me to stop here.")
        return
    if (taught := read_teaching(text)) is not None:
        progress.remarks.append(f"You told me what {taught.keyword} stands for.")
        return
    if _takes_command(progress, text, commands) or take_missing(progress, text):
        return
    if not _is_study(text, tables, commands) and _edits(progress, text):
        return
    if _explains(progress, text) or _adds(progress, text, commands):
        return
    progress.unread = True
    why = _not_understood(progress, text)
    progress.remarks.append(f'I could not read your feedback "{text}", so it changes nothing{why}.')


def _takes_command(progress: Progress, text: str, commands: Commands) -> bool:
    """Feedback that calls a command by its name, with the rest as what it is used for."""
    command = commands.mentioned(text)
    if command is None:
        return False
    if command == commands.finish:
        progress.stop = True
        progress.remarks.append("You want me to finish.")
        return True
    rest = re.sub(rf"\b{re.escape(command.name)}\b", " ", text, flags=re.IGNORECASE)
    rest = re.sub(
        r"^\W*(?:(?:please|use|run|call|try|do|with|the|command|to|for|and|now|ask|search|find|"
        r"about|on|:)\s+|\W)+",
        "", rest.strip(), flags=re.IGNORECASE,
    ).strip(" ?.!:")  # fmt: skip
    rest = re.sub(r"\s+(?:with|using|by|via|instead|command|the|please)*\s*$", "", rest).strip()
    last = progress.last
    if not rest and last is not None and command.term:
        rest = last.text
    if not rest and command != commands.describe:
        return False
    progress.insert_after_last(
        GoalPart(rest or "Describe the data", origin="your feedback", forced=command.name)
    )
    progress.remarks.append(f"You want me to use {command.name}.")
    return True


def _edits(progress: Progress, text: str) -> bool:
    """A remark about the question that was asked last: an edit of its request."""
    last = progress.last
    if last is None or last.kind != "question":
        last = progress.last_answered()
    if last is None or last.request is None or _ASKS.match(_opened(text)):
        return False
    changed = edit(last.request, text, progress.model)
    if isinstance(changed, Unparsed) or changed == last.request:
        return False
    assert isinstance(changed, Query | Analysis | Chart)
    part = GoalPart("", origin="your feedback")
    settle(part, changed, progress.model)
    part.text = part.how
    place = progress.parts.index(last)
    if not isinstance(changed, Chart) and _takes_place(text):
        last.status = "replaced"
    progress.parts.insert(place + 1, part)
    progress.remarks.append(f'I read your feedback "{text}" as: {part.how}.')
    return True


def _not_understood(progress: Progress, text: str) -> str:
    """Which words of a remark are not understood, where others are."""
    last = progress.last_answered()
    found = edit(last.request, text, progress.model) if last and last.request else None
    part = isinstance(found, Unparsed) and len(found.text) < len(text.strip(" ?.!"))
    return f': I did not understand "{found.text}"' if part and isinstance(found, Unparsed) else ""


# Whole questions are asked for themselves.
_ASKS = re.compile(r"^\W*(?:which|how many|how did|who|when)\b", re.IGNORECASE)
_OPENING = re.compile(rf"^\W*(?:{REMARK_OPENINGS.pattern()})\b", re.IGNORECASE)
_BESIDE = re.compile(rf"^\W*(?:{BESIDE.pattern()})\b", re.IGNORECASE)
_IN_PLACE = re.compile(rf"\b(?:{IN_PLACE.pattern()})\b", re.IGNORECASE)


def _opened(text: str) -> str:
    """A remark without the words at its beginning that say nothing."""
    while (shorter := _OPENING.sub("", text, count=1)) != text:
        text = shorter
    return text


def _takes_place(text: str) -> bool:
    """Whether a changed answer is instead of the one before it, not beside it."""
    return bool(_IN_PLACE.search(text)) or not _BESIDE.match(text)


def _asks_for_more(text: str) -> bool:
    """Whether a remark asks for the rest of the rows."""
    plain = re.sub(r"^\W*(?:please\s+|show\s+|list\s+|give\s+|me\s+)+|\W+$", "", text, flags=re.I)
    return MORE_ROWS.read(plain) is not None


def _is_study(text: str, tables: Sequence[Table], commands: Commands) -> bool:
    """Whether a text asks for a figure or a statistic, and there is a command for it."""
    return commands.study is not None and isinstance(read_study(text, tables), Study)


_WHY = re.compile(
    r"^\W*(?:why|how so|how did you|how do you know|how was (?:it|this|that)|explain|what did you)"
    r"\b",
    re.IGNORECASE,
)


def _explains(progress: Progress, text: str) -> bool:
    """Feedback that asks how the last answer came about, or for rows that are all there."""
    last = progress.last_answered()
    table = last.result.table if last and last.result else None
    if last is None or table is None:
        return False
    if _asks_for_more(text):
        progress.remarks.append(
            "The result is whole already; the run keeps all its rows in a file."
            if table.total_rows > len(table.rows)
            else "These are all the rows of the result."
        )
        return True
    if not _WHY.match(text) or len(text.split()) > _SHORT or not last.how:
        return False
    progress.remarks.append(f'I read "{last.asked}" {last.how}.')
    return True


_SHORT = 6


def _adds(progress: Progress, text: str, commands: Commands) -> bool:
    """Feedback that is a question of its own, or several."""
    pieces = split_goal(_ALSO.sub("", text)) or ()
    known = [part for each in pieces if (part := _part(each, progress, commands)) is not None]
    if not known:
        return False
    for part in reversed(known):
        progress.insert_after_last(part)
    progress.remarks.append(
        "I take your feedback as "
        + ("a new question." if len(known) == 1 else f"{len(known)} new questions.")
    )
    return True


def _part(text: str, progress: Progress, commands: Commands) -> GoalPart | None:
    """A part for a question of a person; None for a text that asks nothing that is known."""
    part, tables = _read(text, progress), progress.tables
    asks = (
        part.request is not None or asks_search(text) or asks_about_tables(text, tables)
        or asks_outside(text) or has_anaphora(text, tuple(progress.nouns))
        or asks_insights(text) is not None or asks_analysis(text) or asks_documents(text)
        or _is_study(text, tables, commands)
    )  # fmt: skip
    return part if asks else None


def _read(text: str, progress: Progress) -> GoalPart:
    """A part with what its text asks of the tables, if it does."""
    part, reading = (
        GoalPart(text, origin="your feedback"),
        read(text, progress.tables, progress.model),
    )
    if isinstance(reading, Reading):
        part.request = reading.query
        part.how = reading.explanation
    return part
