"""Semantic models of dbt as datasets, and their entities as keys and relationships."""

from __future__ import annotations

from dataclasses import dataclass, field

from sqlglot import exp

from flows.errors import ConfigError, Place
from flows.semantics.formats.dbt_specs import DbtSemanticModel, Dimension, Entity, Specs
from flows.semantics.formats.declaration import DeclarationFaults, assumed
from flows.semantics.formats.expressions import SAYABLE, Unsayable, parse_expression
from flows.semantics.formats.names import RowNames, field_of, unknown
from flows.semantics.formats.ossie_datasets import column_field
from flows.semantics.formats.sql_trees import sql_tree
from flows.semantics.model import (
    Dataset,
    DataType,
    Relationship,
    SemanticField,
    SemanticModel,
)
from flows.semantics.overlay import merge, table_of

_WITHIN_DAYS = ("nanosecond", "microsecond", "millisecond", "second", "minute", "hour")


@dataclass
class Graph:
    """Datasets made of the tables of a project, connected by their entities.

    `dimensions` and `entities` are the fields that (dataset, name) stand for; those that were left
    out are not among them. `over` is the model of the data, where they are known.
    """

    specs: Specs
    over: SemanticModel | None
    faults: DeclarationFaults
    datasets: dict[str, Dataset] = field(default_factory=dict)
    dimensions: dict[tuple[str, str], str] = field(default_factory=dict)
    entities: dict[tuple[str, str], str] = field(default_factory=dict)
    relationships: list[tuple[str, Relationship]] = field(default_factory=list)

    def build(self) -> None:
        for table in self.specs.tables.values():
            try:
                self._add(table)
            except ConfigError as error:
                self.faults.add(error)
        self.faults.check()
        for table in self.specs.tables.values():
            for entity in table.entities:
                if entity.type != "natural":
                    self._connect(table, entity)

    def _add(self, table: DbtSemanticModel) -> None:
        noun = (table.primary or table.name).replace("_", " ")
        dataset = Dataset(
            name=table.name,
            source="",
            table=table.table,
            noun=noun,
            plural=noun,
            description=table.description,
            fields=(),
        )
        unsaid = {"source", "noun", "plural", "fields"}
        unsaid |= set() if table.description else {"description"}
        self.datasets[table.name] = assumed(dataset, unsaid)
        if self.over and table_of(dataset, self.over.datasets) is None:
            known = [each.table for each in self.over.datasets]
            raise unknown("table", table.table, known, table.place)
        for entity in table.entities:
            self._entity(table, entity)
        for dimension in table.dimensions:
            self._dimension(table, dimension)
        self._keys(table)

    def _entity(self, table: DbtSemanticModel, entity: Entity) -> None:
        if (table.name, entity.name) in self.entities:
            problem = f"a second entity of {table.name!r} is called {entity.name!r}"
            raise ConfigError(problem, place=entity.place)
        column = self.column(entity.expr, entity.place)
        if column:
            self.entities[table.name, entity.name] = self.named(table.name, column, entity.place)
        elif column is None:
            what = f"the entity {entity.name} of {table.name}"
            text = f"{what} is left out: a key must be a column, not {entity.expr}"
            self.faults.notice(entity.place, text)

    def _dimension(self, table: DbtSemanticModel, dimension: Dimension) -> None:
        key = (table.name, dimension.name)
        if key in self.dimensions:
            problem = f"a second dimension of {table.name!r} is called {dimension.name!r}"
            raise ConfigError(problem, place=dimension.place)
        is_time = dimension.type == "time"
        finer = dimension.grain in _WITHIN_DAYS
        of_time: DataType = "timestamp" if finer else "date"
        part = SemanticField(
            name=dimension.name,
            role="time" if is_time else "category",
            type=of_time if is_time else "other",
            words=(dimension.label,) if dimension.label else (),
            description=dimension.description,
            inferred=False,
        )
        unsaid = {"type"} if not (is_time and dimension.grain) else set()
        unsaid |= set() if dimension.label else {"words"}
        unsaid |= set() if dimension.description else {"description"}
        try:
            self._put(table.name, self._with_expression(table, part, dimension, unsaid))
            self.dimensions[key] = dimension.name
        except Unsayable as error:
            what = f"the dimension {dimension.name} of {table.name}"
            text = f"{what} is left out: {error} cannot be said here; {SAYABLE}"
            self.faults.notice(dimension.place, text)

    def _with_expression(
        self, table: DbtSemanticModel, part: SemanticField, dimension: Dimension, unsaid: set[str]
    ) -> SemanticField:
        column = self.column(dimension.expr, dimension.place)
        if column:
            spelt = self._spelt(table.name, column, dimension.place)
            unsaid = unsaid | {"expression"}
            return assumed(part.model_copy(update={"column": spelt}), unsaid)
        names = self.names(table.name, dimension.place)
        tree = parse_expression(dimension.expr, "", names, dimension.place)
        self.add_columns(table.name, names.new)
        return assumed(part.model_copy(update={"expression": tree}), unsaid | {"column"})

    def column(self, expr: str, place: Place) -> str | None:
        """The column, where the SQL is nothing but its name; None where it is more."""
        if "{{" in expr:
            return None
        tree = sql_tree(expr, "", place)
        return tree.name if isinstance(tree, exp.Column) else None

    def names(self, dataset: str, place: Place) -> RowNames:
        """What the columns in an expression over rows of a dataset are."""
        held = self.datasets[dataset]
        found = table_of(held, self.over.datasets) if self.over else None
        if found is None:
            return RowNames(held, place, closed=False)
        alone = SemanticModel(datasets=(found,))
        whole = merge(alone, SemanticModel(datasets=(held,))).datasets[0]
        return RowNames(whole, place, closed=True)

    def add_columns(self, dataset: str, columns: list[str]) -> None:
        for column in dict.fromkeys(columns):
            if field_of(self.datasets[dataset], column) is None:
                self._put(dataset, column_field(column))

    def named(self, dataset: str, column: str, place: Place) -> str:
        """The name of the field of a column that is a key; it is made where there is none."""
        spelt = self._spelt(dataset, column, place)
        found = field_of(self.datasets[dataset], spelt)
        if found is None:
            found = column_field(spelt, link=True)
            self._put(dataset, found)
        return found.name

    def _spelt(self, dataset: str, column: str, place: Place) -> str:
        """The column as the data spell it, where they are known."""
        held = table_of(self.datasets[dataset], self.over.datasets) if self.over else None
        if held is None:
            return column
        columns = [each.column for each in held.fields if each.column]
        found = next((each for each in columns if each.casefold() == column.casefold()), None)
        if found is None:
            raise unknown(f"column of {held.table!r}", column, columns, place)
        return found

    def _put(self, dataset: str, made: SemanticField) -> None:
        """Adds a field; a dimension takes the place of the key of its column."""
        held = self.datasets[dataset]
        same = field_of(held, made.column) if made.column else None
        if same is not None and same.name == made.name:
            made = assumed(made.model_copy(update={"role": same.role}), self._unsaid(made))
        fields = [each for each in held.fields if each.name != made.name]
        self.datasets[dataset] = held.model_copy(update={"fields": (*fields, made)})
        self.datasets[dataset].model_fields_set.discard("fields")

    def _unsaid(self, made: SemanticField) -> set[str]:
        return set(type(made).model_fields) - made.model_fields_set

    def _keys(self, table: DbtSemanticModel) -> None:
        update: dict[str, object] = {}
        unique = []
        for entity in table.entities:
            name = self.entities.get((table.name, entity.name))
            if name and entity.type == "primary":
                update["key"] = (name,)
            elif name and entity.type == "unique":
                unique.append((name,))
        if unique:
            update["unique"] = tuple(unique)
        if table.time:
            known = [each.name for each in table.dimensions if each.type == "time"]
            if table.time not in known:
                raise unknown("time dimension", table.time, known, table.place)
            if (table.name, table.time) in self.dimensions:
                update["time"] = table.time
        self.datasets[table.name] = self.datasets[table.name].model_copy(update=update)

    def _connect(self, table: DbtSemanticModel, entity: Entity) -> None:
        """Relationships of an entity to the datasets that it is a key of."""
        name = self.entities.get((table.name, entity.name))
        for other in self.specs.tables.values():
            key = next((each for each in other.entities if each.name == entity.name), None)
            to = self.entities.get((other.name, entity.name))
            if key is None or other is table or name is None or to is None:
                continue
            single = entity.type != "foreign"
            is_key = key.type == "primary" or (key.type == "unique" and not single)
            # Of two that are keys both, the one that stands first refers to the other.
            order = list(self.specs.tables)
            if not is_key or (single and order.index(table.name) > order.index(other.name)):
                continue
            part = Relationship(
                name=f"{table.name}_{entity.name}_{other.name}",
                dataset=table.name,
                fields=(name,),
                to=other.name,
                to_fields=(to,),
                single=single,
                role=entity.name.replace("_", " "),
                inferred=False,
            )
            self.relationships.append((entity.name, part))
