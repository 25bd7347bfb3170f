"""States of rows: columns that say yes or no, and times of what need not have happened yet."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from flows.analysis.language.words import root, split_identifier
from flows.analysis.questions.concepts import word_table
from flows.core.observation import Cell
from flows.data.tables import Column, Table
from flows.semantics.model import Dataset, SemanticField, SemanticModel
from flows.semantics.query import FieldRef

# Words for a state, then the stems of columns that say when or whether it began.
_BEGUN_TEXT = """
    closed resolved solved finished completed done settled fixed:
        closed close resolved resolution solved finished completed completion done settled fixed end
        ended closing
    cancelled canceled terminated ended quit stopped lapsed expired: cancelled canceled cancellation
        terminated termination ended end quit stopped churned churn expired expiry
    churned lost: churned churn cancelled canceled cancellation end ended left exited
    left gone departed resigned quit exited: left leaving leave exited exit termination terminated
        departure attrition end resigned discharged discharge checkout
    leaving leave leaves: left exited exit churned churn cancelled canceled cancellation end
        termination departure attrition
    returned back: returned return back
    shipped sent dispatched: shipped shipping ship sent dispatched
    delivered received: delivered delivery received
    paid: paid payment
    approved: approved approval
    answered: answered answer response responded
    hired: hired hire
    discharged released: discharged discharge released release
"""
# Words for that a state has not begun, then the words of that state.
_NOT_BEGUN_TEXT = """
    open pending unfinished ongoing outstanding unresolved unsolved unclosed incomplete:
        closed
    active running live current: cancelled churned left
    staying stayed stay staying employed remaining remain remained with-us around: left
    admitted inpatient hospitalised hospitalized: left
    out unreturned outstanding: returned
    open pending ongoing outstanding active current running live unfinished: returned
    overdue owed outstanding unsettled: paid
    open pending: paid
"""
_CALLED_OFF = frozenset(
    [
        "cancelled",
        "canceled",
        "cancel",
        "cancels",
        "cancellation",
        "dropped",
        "scrapped",
        "scratched",
    ]
)
PLANNED = frozenset(["sched", "scheduled", "planned", "plan", "expected", "crs", "booked"])
_OF_TIMES = frozenset(["time", "date", "at", "on", "ts"])
_YES = frozenset(["yes", "y", "true", "t", "1", "ja", "j", "oui", "si", "sim"])
# What stands in a cell for yes where it stands empty for no.
_MARKS = frozenset(["x", "✓", "✔", *_YES])
_NO = frozenset(["no", "n", "false", "f", "0", "nein", "non", "nao"])


_BEGUN, _NOT_BEGUN = word_table(_BEGUN_TEXT), word_table(_NOT_BEGUN_TEXT)


class States:
    """The columns of a model that say in which state a row is. Each is a field with the value that
    says yes, None where it holds the time at which the state began."""

    def __init__(self, model: SemanticModel, tables: Sequence[Table]) -> None:
        columns = {(each.name, one.name): one for each in tables for one in each.columns}
        self._by_root: dict[str, list[tuple[FieldRef, Cell]]] = {}
        # What was planned and did not happen: times that may be missing beside a planned one.
        self._missed: list[FieldRef] = []
        self._yes: dict[FieldRef, tuple[Cell, ...]] = {}
        for dataset in model.datasets:
            self._missed += _actual_times(dataset, columns)
        self._words = frozenset(each for each in (*_BEGUN, *_NOT_BEGUN))
        for dataset in model.datasets:
            for field in dataset.fields:
                column = columns.get((dataset.table, field.column))
                every = _yes_of(field, column)
                yes = every[0] if every else None
                if yes is None and not _may_be_missing(dataset, field, column):
                    continue
                said = FieldRef(dataset=dataset.name, field=field.name)
                if yes is not None:
                    self._yes[said] = every
                called = (field.name, *field.words)
                for word in dict.fromkeys(w for each in called for w in split_identifier(each)):
                    self._by_root.setdefault(root(word), []).append((said, yes))

    def yes(self, field: FieldRef) -> Cell:
        """The value of a column of yes and no that says yes; None for any other column."""
        return next(iter(self._yes.get(field, ())), None)

    def every_yes(self, field: FieldRef) -> tuple[Cell, ...]:
        """All values of a column of yes and no that say yes: `yes` and `Y`, where both stand."""
        return self._yes.get(field, ())

    def is_open(self, word: str) -> bool:
        """Whether a word says that something is not over, of rows that may have no end yet."""
        return any(yes is None and not begun for _, yes, begun, _ in self.of(word))

    def may_begin(self, word: str) -> bool:
        """Whether a word calls a state that not all rows have reached."""
        known = word in self._words
        return known and any(yes is None for _, yes, *_ in self.of(word))

    def of(self, word: str) -> Iterator[tuple[FieldRef, Cell, bool, float]]:
        """The columns that say whether rows are in the state that a word calls, the value for yes,
        whether they are in it, and what it costs to believe it."""
        holds = True
        if word not in self._words and word.startswith("un") and len(word) > 5:
            word, holds = word[2:], False
        seen: set[FieldRef] = set()
        for field, yes in self._by_root.get(root(word), ()):
            seen.add(field)
            yield field, yes, holds, 0.06
        for state in (word, *_NOT_BEGUN.get(word, ())):
            begun = holds if state == word else not holds
            for place, stem in enumerate(_BEGUN.get(state, ())):
                for field, yes in self._by_root.get(root(stem), ()):
                    if field not in seen:
                        seen.add(field)
                        yield field, yes, begun, 0.1 + 0.01 * place
        if word in _CALLED_OFF and not seen:
            for field in self._missed[:2]:
                yield field, None, not holds, 0.12


def _actual_times(
    dataset: Dataset, columns: Mapping[tuple[str, str], Column]
) -> Iterator[FieldRef]:
    """The times of rows that may be missing and of which another time is the plan: `start` beside
    `planned_start`."""
    times = {each.name: split_identifier(each.name) for each in dataset.fields
             if each.role == "time"}  # fmt: skip
    for planned in times.values():
        rest = {each for each in planned if each not in PLANNED and each not in _OF_TIMES}
        if not rest or not PLANNED & set(planned):
            continue
        for field in dataset.fields:
            words = set(times.get(field.name, ()))
            column = columns.get((dataset.table, field.column))
            if rest <= words and not PLANNED & words and column is not None and column.missing:
                yield FieldRef(dataset=dataset.name, field=field.name)


def _yes_of(field: SemanticField, column: Column | None) -> tuple[Cell, ...]:
    """The values of a column of yes and no that say yes; none of any other column."""
    if field.type == "boolean":
        return (True,)
    values = field.values or (column.values if column is not None else ())
    if field.type not in ("text", "integer") or not values:
        return ()
    yes = [each for each in values if each.strip().casefold() in _YES]
    no = [each for each in values if each.strip().casefold() in _NO]
    if len(values) > 3 and len(yes) + len(no) < len(values):
        return ()
    return tuple(yes) if yes and no else ()


def _may_be_missing(dataset: Dataset, field: SemanticField, column: Column | None) -> bool:
    """Whether a value says that something is so, and none that it is not: times of what has not
    happened yet, and cells that are crossed or empty."""
    cleaned = any(each.kind == "unknown" for each in field.cleaning)
    missing = cleaned or (column is not None and column.missing > 0)
    values = {each.strip().casefold() for each in field.values}
    if missing and field.role != "time" and values:
        return values <= _MARKS
    return field.role == "time" and field.name != dataset.time and missing
