"""What a report says about itself: where each number comes from, what it cost, how it was made."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from flows.core.observation import Caution
from flows.report.cleaning import clean, one_line
from flows.report.evidence import Evidences, names_passage, walk
from flows.report.page_tables import anchor, marks
from flows.report.report import Cost, Report
from flows.report.tasks import anchor_of, seconds_text
from flows.semantics.findings import Told


@dataclass(frozen=True, slots=True)
class Checked:
    """How many of the numbers are traced, in words; `look` is good, warn or bad."""

    text: str
    look: str


@dataclass(frozen=True, slots=True)
class LedgerEntry:
    """A number of a text and where it comes from; `note` is "" for one that nothing holds."""

    text: str
    where: str
    note: str
    href: str
    marks: str


@dataclass(frozen=True, slots=True)
class CautionView:
    """A warning, with the number of the task that gave it."""

    text: str
    code: str
    task: str | None
    anchor: str


def checked(report: Report, found: Evidences) -> Checked:
    """How far the numbers of summary and insights are traced, beside how sure the reading of the
    tasks is: a number that stands in a cell may still answer another question."""
    sure = [each.finding.confidence for each in report.results]
    least = min((each for each in sure if each is not None), default=None)
    read = "" if least is None else f", by readings that are {least:.0%} sure or more"
    entries = ledger_of(report, found)
    lost = sum(not each.note for each in entries)
    if not entries:
        return Checked("No numbers to trace", "")
    if not lost:
        one = "Its number is" if len(entries) == 1 else f"All {len(entries)} numbers"
        return Checked(
            f"{one} traced to {'its' if len(entries) == 1 else 'their'} source{read}", "good"
        )
    return Checked(f"{lost} of {len(entries)} numbers untraced{read}", "bad")


def ledger_of(report: Report, found: Evidences) -> tuple[LedgerEntry, ...]:
    """Each number of the summary and of the insights, in their order."""
    many = len(report.passages)
    return tuple(_entries(report.summary, "Summary", found, many)) + tuple(
        entry
        for number, result in walk(report.results)
        if result.status == "done"
        for told in result.finding.insights
        if told.text != report.summary.text
        for entry in _entries(told, f"Insight of task {number}", found, many)
    )


def cautions_of(report: Report) -> tuple[CautionView, ...]:
    """The warnings of the run and of its tasks, each once."""
    views: dict[tuple[str, str], CautionView] = {}
    for number, result in walk(report.results):
        for each in result.finding.cautions:
            views.setdefault((each.code, each.text), _caution(each, number))
    for each in report.cautions:
        views.setdefault((each.code, each.text), _caution(each, None))
    return tuple(views.values())


def tally(report: Report) -> str:
    """How many tasks there were, and how they ended."""
    states = Counter(result.status for _, result in walk(report.results))
    total = sum(states.values())
    words = {"planned": "not done"}
    told = ", ".join(f"{count} {words.get(state, state)}" for state, count in states.items())
    return (
        f"{total} task{'s' * (total != 1)}: {told}. Each stands below the one whose result it uses."
    )


def facts_of(report: Report) -> tuple[tuple[str, str], ...]:
    """What the run used, and what it can be told again by."""
    return run_facts(report.run_id, report.made_at, report.made_with, report.cost)


def run_facts(run_id: str, made_at: str, made_with: str, cost: Cost) -> tuple[tuple[str, str], ...]:
    """What a run used, and what it can be told again by, each with its name."""
    money = "nothing" if not cost.model_calls or cost.dollars == 0 else "unknown"
    if cost.dollars:
        money = f"${cost.dollars:,.4f}" if cost.dollars < 0.1 else f"${cost.dollars:,.2f}"
    tokens = cost.input_tokens + cost.output_tokens
    facts = [
        ("Run", run_id),
        ("Made", made_at),
        ("Time", seconds_text(cost.seconds) or "under 0.1 s"),
        ("Model", cost.model),
        ("Model calls", f"{cost.model_calls:,}"),
        ("Tokens", f"{tokens:,}" if tokens else ""),
        ("Cost", money),
        ("Made with", made_with),
    ]
    return tuple((name, one_line(value)) for name, value in facts if value)


def _entries(told: Told, where: str, found: Evidences, passages: int) -> Iterator[LedgerEntry]:
    for each in told.citations:
        if names_passage(told, each, passages):
            continue
        target = found.target(each)
        if target is None:
            yield LedgerEntry(one_line(each.text), where, "", "", "")
            continue
        href = "question" if target.origin == "question" else anchor(target)
        yield LedgerEntry(
            one_line(each.text), where, one_line(target.note, 400), href, marks(target)
        )


def _caution(caution: Caution, number: str | None) -> CautionView:
    return CautionView(clean(caution.text), caution.code, number, anchor_of(number or ""))
