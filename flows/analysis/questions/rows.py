"""The rows of one dataset: their names and times, and the fields they lead to."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from flows.analysis.language.words import split_identifier
from flows.analysis.questions.axis import axis_of
from flows.analysis.questions.draft import Entity, Impossible
from flows.analysis.questions.parts import EventPart, NounPart, Operand
from flows.analysis.questions.people import names_of
from flows.analysis.questions.vocabulary import Vocabulary
from flows.semantics.model import Dataset, SemanticField
from flows.semantics.path import leads_to_many
from flows.semantics.query import Arithmetic, Constant, Expression, FieldRef

PEOPLE = frozenset(["employee", "staff", "person", "worker", "member", "people", "colleague"])

_LENT = 0.05  # what it costs that rows happened when that did of which they are a part
_TIMES = frozenset(["date", "timestamp"])
_PERIODS = frozenset(["year", "yr", "month", "quarter", "week", "day", "date", "season"])


def _is_period(field: SemanticField) -> bool:
    """Whether a field holds the number of a period by its name."""
    return bool(_PERIODS & set(split_identifier(field.name)))


class DatasetRows:
    """The rows that a query takes. `cost` adds up what had to be thought of on the way."""

    def __init__(
        self, dataset: Dataset, vocabulary: Vocabulary, event: EventPart | None = None
    ) -> None:
        self.dataset = dataset
        self.vocabulary = vocabulary
        self.model = vocabulary.model
        self.event = event
        self.cost = 0.0
        self._lent: FieldRef | None = None  # the time of that of which they are a part
        self.unknown: frozenset[Operand] = frozenset()  # fields without a value

    def reach(self, operand: Operand) -> FieldRef:
        """A field as one row leads to it; raises Impossible where it leads to none or to many."""
        if not isinstance(operand, FieldRef):
            raise Impossible("a field of a row is meant")
        operand = self._along(operand)
        if operand.via:
            only = self.vocabulary.path(self.dataset.name, (), operand.dataset)
            if only is not None and operand.via == tuple(each.name for each in only):
                operand = operand.model_copy(update={"via": ()})
        path = self.vocabulary.path(self.dataset.name, operand.via, operand.dataset)
        if path is None and operand.via:
            raise Impossible("its rows have no such role")
        if path is None:
            ways = self.vocabulary.ways(self.dataset.name, operand.dataset)
            forward = [each for each in ways if not leads_to_many(each)]
            if not forward:
                raise Impossible(f"{operand.dataset} cannot be reached")
            # `cards of a club`: of its players, not of those who played at home
            plain = [each for each in forward if not any(e.relationship.role for e in each)]
            self.cost += 0.05 if len(plain) == 1 else 0.2
            forward = plain if len(plain) == 1 else forward
            return operand.model_copy(update={"via": tuple(each.name for each in forward[0])})
        if leads_to_many(path):
            raise Impossible(f"a row has many {operand.dataset}")
        self.cost += 0.01 * len(path)
        return operand

    def _along(self, operand: FieldRef) -> FieldRef:
        """A field of a row in a role, with the way to the rows that refer to it put before."""
        role = self.model.relationship(operand.via[0]) if len(operand.via) == 1 else None
        if role is None or role.dataset == self.dataset.name:
            return operand
        ways = self.vocabulary.ways(self.dataset.name, role.dataset)
        if len(ways) != 1 or leads_to_many(ways[0]):
            raise Impossible("its rows have no such role")
        via = (*(each.name for each in ways[0]), role.name)
        return operand.model_copy(update={"via": via})

    def names_of(self, noun: NounPart) -> tuple[FieldRef, ...]:
        """The fields by which people call the rows of a noun, as one row leads to them."""
        target = self.model.dataset(noun.dataset)
        names = () if target is None else names_of(target)
        if not names:
            raise Impossible("a row has no name")
        found = [FieldRef(dataset=noun.dataset, field=each, via=noun.via) for each in names]
        return tuple(self.reach(each) for each in found)

    def value(self, operand: Operand | Expression) -> Expression:
        """A value of one row: a field, or what is computed of fields."""
        if isinstance(operand, Arithmetic):
            left, right = self.value(operand.left), self.value(operand.right)
            return operand.model_copy(update={"left": left, "right": right})
        if isinstance(operand, FieldRef):
            return self.reach(operand)
        if isinstance(operand, Constant):
            return operand
        raise Impossible("a value of a row is meant")

    def name_of(self, dataset: Dataset) -> FieldRef:
        """The field by which people call a row of a dataset."""
        name = dataset.label or (dataset.key[0] if dataset.key else "")
        if not name:
            raise Impossible("a row has no name")
        return FieldRef(dataset=dataset.name, field=name)

    def is_row(self, entity: Entity) -> bool:
        """Whether each row is one of these entities."""
        if isinstance(entity, NounPart):
            return entity.dataset == self.dataset.name and not entity.via
        return (
            isinstance(entity, FieldRef)
            and entity.dataset == self.dataset.name
            and (entity.field == self.dataset.label or self.dataset.key == (entity.field,))
        )

    def are_people(self) -> bool:
        """Whether the rows are people, by what they are called."""
        called = (self.dataset.noun, self.dataset.plural, *self.dataset.words, self.dataset.name)
        return any(PEOPLE & set(split_identifier(each)) for each in called)

    def time(self) -> FieldRef:
        """When a row happened, or when what is asked for happened to it."""
        happened = self.event.field if self.event is not None and self.event.happened else None
        if happened is None and not self.dataset.time and (lent := self._time_of_whole()):
            if self._lent is None:
                self.cost += _LENT
                self._lent = self.reach(lent)
            return self._lent
        name = happened.field if happened is not None else self.dataset.time
        if not name or (happened is not None and happened.dataset != self.dataset.name):
            raise Impossible("its rows have no such time")
        return FieldRef(dataset=self.dataset.name, field=name)

    def _time_of_whole(self) -> FieldRef | None:
        """When that happened of which a row is a part, where there is one such: a goal has no time
        of its own, but that of its match."""
        if any(_is_period(each) for each in self.dataset.fields):
            return None
        wholes = {e.to for e in self.model.relationships if e.dataset == self.dataset.name}
        found = [
            FieldRef(dataset=each.name, field=each.time)
            for each in map(self.model.dataset, wholes)
            if each is not None and (time := each.find(each.time)) and time.type in _TIMES
        ]
        return found[0] if len(found) == 1 else None

    def has_times(self) -> bool:
        """Whether it is known on which day a row happened, and not only in which year."""
        if not self.dataset.time and self.event is None and self._time_of_whole() is None:
            return False
        field = self.vocabulary.field(self.time())
        return field is not None and field.type not in ("integer", "real")

    def groups(
        self, entities: Iterable[Entity]
    ) -> tuple[tuple[Expression, ...], tuple[FieldRef, ...]]:
        """What groups are made by, and what keeps groups of one name apart."""
        by: list[Expression] = []
        identity: list[FieldRef] = []
        for each in entities:
            if isinstance(each, NounPart):
                target = self.model.dataset(each.dataset)
                assert target is not None
                names = self.names_of(each)
                by += names
                if (code := self._code_of(names[0].via)) is not None:
                    by.append(code)
                elif len(target.key) == 1 and target.key[0] != names[0].field:
                    identity.append(names[0].model_copy(update={"field": target.key[0]}))
            elif isinstance(each, FieldRef):
                by.append(self.reach(each))
            else:
                by.append(axis_of(self, each).expression)
        return tuple(dict.fromkeys(by)), tuple(dict.fromkeys(identity))

    def _code_of(self, via: Sequence[str]) -> FieldRef | None:
        """The column that refers to a row in a role by a code in letters, as people know it from
        the data: the `origin` of a flight. None where the reference is a number, or has no role."""
        link = self.model.relationship(via[-1]) if len(via) == 1 else None
        if link is None or not link.role or len(link.fields) != 1:
            return None
        field = self.dataset.find(link.fields[0]) if link.dataset == self.dataset.name else None
        if field is None or field.type != "text":
            return None
        return FieldRef(dataset=self.dataset.name, field=field.name)
