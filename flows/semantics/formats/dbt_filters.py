"""Filters of dbt, such as `{{ Dimension('customer__country') }} = 'MX'`, as conditions.

They look like templates and are never run as such: only calls of Dimension, TimeDimension and
Entity with constants are read.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from flows.errors import ConfigError, Place
from flows.semantics.formats.dbt_datasets import Graph
from flows.semantics.formats.expressions import Unsayable, parse_condition
from flows.semantics.formats.names import unknown
from flows.semantics.query import And, Expression, FieldRef, Period, Predicate

_CALL: Final = re.compile(r"\{\{(.*?)\}\}", re.DOTALL)
_CALLS: Final = ("Dimension", "TimeDimension", "Entity", "Metric")
_GRAINS: Final = ("hour", "day", "week", "month", "quarter", "year")


def read_filter(texts: Sequence[tuple[str, Place]], dataset: str, graph: Graph) -> Predicate | None:
    """The condition that all of the filters hold, for rows of the dataset.

    Raises ConfigError for what is no filter or names nothing, Unsayable for what conditions here
    have no words for.
    """
    found = tuple(_condition(text, place, dataset, graph) for text, place in texts)
    if len(found) < 2:
        return found[0] if found else None
    return And(of=found)


def _condition(text: str, place: Place, dataset: str, graph: Graph) -> Predicate:
    names = _Names(dataset, graph, place)
    sql = _CALL.sub(lambda call: names.placed(call[1]), text)
    if "{" in sql:
        raise Unsayable("a filter with a template of its own")
    return parse_condition(sql, "", names, place)


@dataclass
class _Names:
    """The calls in a filter, each under a name that stands for it in the SQL."""

    dataset: str
    graph: Graph
    place: Place
    held: dict[str, Expression] = field(default_factory=dict)

    def placed(self, call: str) -> str:
        name = f"reference {len(self.held)}"
        self.held[name] = self._read(call)
        return f'"{name}"'

    def find(self, parts: Sequence[str]) -> Expression:
        if len(parts) == 1 and parts[0] in self.held:
            return self.held[parts[0]]
        problem = f"{'.'.join(parts)!r} must be {{{{ Dimension('entity__{parts[-1]}') }}}}"
        raise ConfigError(problem, place=self.place)

    def _read(self, text: str) -> Expression:
        try:
            call = ast.parse(text.strip(), mode="eval").body
        except (SyntaxError, ValueError, RecursionError) as error:
            raise self._wrong(text) from error
        grain = ""
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute):
            if call.func.attr != "grain":
                raise Unsayable(f".{call.func.attr}() in a filter")
            grain, call = (self._texts(call, text) or [""])[0], call.func.value
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
            raise self._wrong(text)
        kind = call.func.id
        if kind not in _CALLS:
            raise unknown("call", kind, _CALLS, self.place)
        if kind == "Metric":
            raise Unsayable("a filter by the value of a metric")
        names = self._texts(call, text)
        if not names:
            raise self._wrong(text)
        if kind == "TimeDimension" and len(names) > 1:
            grain = names[1]
        found = self._field(names[0], entity=kind == "Entity")
        return self._in_grain(found, grain)

    def _in_grain(self, of: Expression, grain: str) -> Expression:
        if not grain or (grain.casefold() == "day" and self._is_date(of)):
            return of
        if grain.casefold() not in _GRAINS:
            raise Unsayable(f"the {grain} of a time")
        if grain.casefold() == "year":
            raise Unsayable("a filter by the first day of a year")
        return Period.model_validate({"of": of, "grain": grain.casefold()})

    def _is_date(self, of: Expression) -> bool:
        if not isinstance(of, FieldRef):
            return False
        held = self.graph.datasets[of.dataset].find(of.field)
        return held is not None and held.type == "date"

    def _texts(self, call: ast.Call, text: str) -> list[str]:
        values = [*call.args, *(each.value for each in call.keywords)]
        found = []
        for value in values:
            if isinstance(value, ast.Constant) and isinstance(value.value, str):
                found.append(value.value.strip())
            elif not isinstance(value, ast.List):
                raise self._wrong(text)
        return found

    def _wrong(self, text: str) -> ConfigError:
        problem = f"{{{{{text}}}}} is no call such as {{{{ Dimension('customer__country') }}}}"
        return ConfigError(problem, place=self.place)

    def _field(self, name: str, *, entity: bool) -> Expression:
        """The field of `entity__entity__dimension`, by way of the entities."""
        *path, last = name.split("__")
        here, via = self.dataset, []
        if name == "metric_time":
            held = self.graph.datasets[here].time
            if not held:
                raise Unsayable(f"the time of {here!r}, which has none,")
            return FieldRef(dataset=here, field=held)
        for step in path:
            here, passed = self._step(here, step)
            via += passed
        fields = self.graph.entities if entity else self.graph.dimensions
        found = fields.get((here, last))
        if found is None:
            self._refuse(here, last, entity=entity)
        return FieldRef(dataset=here, field=found or "", via=self._needed(via))

    def _refuse(self, dataset: str, name: str, *, entity: bool) -> None:
        table = self.graph.specs.tables[dataset]
        known = [each.name for each in (table.entities if entity else table.dimensions)]
        what = "entity" if entity else "dimension"
        if name in known:
            raise Unsayable(f"the {what} {name!r}, which is left out,")
        raise unknown(f"{what} of {dataset!r}", name, known, self.place)

    def _step(self, here: str, entity: str) -> tuple[str, list[str]]:
        """The dataset that an entity leads to, and the relationship that is passed."""
        table = self.graph.specs.tables[here]
        if entity == table.primary:
            return here, []
        for name, each in self.graph.relationships:
            if name == entity and each.dataset == here:
                return each.to, [each.name]
            if name == entity and each.to == here and each.single:
                return each.dataset, [f"-{each.name}"]
        known = [table.primary, *(each.name for each in table.entities)]
        if entity in known:
            raise Unsayable(f"the entity {entity!r}, which is the key of no semantic model,")
        raise unknown(f"entity of {here!r}", entity, known, self.place)

    def _needed(self, via: list[str]) -> tuple[str, ...]:
        """The way; empty where it is the one relationship between the two datasets."""
        held = {each.name: each for _, each in self.graph.relationships}
        if len(via) == 1:
            one = held[via[0].removeprefix("-")]
            ends = {one.dataset, one.to}
            if sum({each.dataset, each.to} == ends for each in held.values()) == 1:
                return ()
        return tuple(via)
