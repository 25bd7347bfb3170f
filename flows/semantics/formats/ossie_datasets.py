"""Datasets of an Apache Ossie document, with their fields and keys, and their relationships."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from flows.config.tree import ListNode, Node
from flows.errors import ConfigError, Place
from flows.semantics.formats import ossie_parts as core
from flows.semantics.formats.declaration import DeclarationFaults, assumed
from flows.semantics.formats.expressions import SAYABLE, Unsayable, parse_one_of
from flows.semantics.formats.extension import with_extension
from flows.semantics.formats.keys import Keys
from flows.semantics.formats.names import RowNames, field_of, like, unknown
from flows.semantics.formats.sql_parts import field_sql
from flows.semantics.model import Dataset, Relationship, SemanticField, SemanticModel
from flows.semantics.overlay import merge, table_of
from flows.semantics.query import Expression, FieldRef
from flows.semantics.tree import parts


@dataclass
class DatasetReader:
    """Reads datasets one after the other.

    Where the data are known, in `over`, every column must be one of theirs. Where they are not, a
    column that is named in a key, a relationship or an expression and is no field becomes one.
    `lost` are the fields that were left out, as (dataset, field).
    """

    over: SemanticModel | None
    faults: DeclarationFaults
    lost: set[tuple[str, str]] = field(default_factory=set)

    def dataset(self, keys: Keys, links: frozenset[str]) -> Dataset:
        """A dataset. `links` are its columns in relationships. Raises ConfigError."""
        part = core.dataset_core(keys)
        links |= {*keys.texts("primary_key"), *sum(core.unique_keys(keys), ())}
        held: dict[str, tuple[SemanticField, Keys]] = {}
        for item in keys.items("fields"):
            each = Keys(item, "a field", core.FIELD)
            made = core.field_core(each, links)
            once(made.name, held, f"field of {part.name!r}", each.place_of("name"))
            held[made.name] = (with_extension(made, each), each)
        part = part.model_copy(update={"fields": tuple(made for made, _ in held.values())})
        self._check_columns(part, keys, [each for _, each in held.values()])
        for made, each in held.values():
            part = self.with_field(part, made, each)
        said = with_extension(self._keyed(part, keys), keys)
        said.model_fields_set.discard("fields")
        return said

    def _check_columns(self, dataset: Dataset, keys: Keys, fields: list[Keys]) -> None:
        if self.over is None:
            return
        found = table_of(dataset, self.over.datasets)
        if found is None:
            known = [each.table for each in self.over.datasets]
            raise unknown("table", dataset.table, known, keys.place_of("source"))
        known = [each.column for each in found.fields if each.column]
        folded = {each.casefold() for each in known}
        faults = DeclarationFaults()
        for made, each in zip(dataset.fields, fields, strict=True):
            if made.column and made.column.casefold() not in folded:
                place = core.expressions(each)[0][2]
                faults.add(unknown(f"column of {found.table!r}", made.column, known, place))
        faults.check()

    def with_field(self, dataset: Dataset, made: SemanticField, keys: Keys) -> Dataset:
        """The dataset with the expression of its field; without the field if there is none."""
        texts, place = core.expressions(keys), keys.place_of("expression")
        others = tuple(each for each in dataset.fields if each.name != made.name)
        if made.expression is not None and field_sql(made, dataset) == texts[0][1]:
            return dataset
        column = core.alone(texts)
        if column:
            return _with(dataset, made, {"column": column}) if made.expression else dataset
        whole, closed = self.whole(dataset)
        names = RowNames(whole, place, closed)
        try:
            tree = parse_one_of(texts, names, place)
            self._check_use(tree, made, dataset)
        except Unsayable as error:
            self.lost.add((dataset.name, made.name))
            left_out(self.faults, place, f"the field {dataset.name}.{made.name}", error)
            return dataset.model_copy(update={"fields": others})
        new = [column_field(each) for each in dict.fromkeys(names.new)]
        dataset = _with(dataset, made, {"expression": tree})
        return dataset.model_copy(update={"fields": (*dataset.fields, *new)})

    def _check_use(self, tree: Expression, made: SemanticField, dataset: Dataset) -> None:
        used = {each.field for each in parts(tree) if isinstance(each, FieldRef)}
        if made.name in used:
            raise Unsayable(f"a field made of {made.name!r}, which is its own name,")
        for name in used:
            if (dataset.name, name) in self.lost:
                raise Unsayable(f"a field made of {name!r}, which is left out,")

    def whole(self, dataset: Dataset) -> tuple[Dataset, bool]:
        """The dataset with the fields that the data have besides, and whether they are known."""
        found = table_of(dataset, self.over.datasets) if self.over else None
        if found is None or self.over is None:
            return dataset, False
        alone = SemanticModel(datasets=(found,))
        return merge(alone, SemanticModel(datasets=(dataset,))).datasets[0], True

    def named(
        self, dataset: Dataset, columns: tuple[str, ...], place: Place
    ) -> tuple[Dataset, tuple[str, ...]]:
        """The names of the fields of columns, and the dataset with those that are new."""
        whole, closed = self.whole(dataset)
        names: list[str] = []
        new: list[SemanticField] = []
        for column in columns:
            found = field_of(whole, column) or next((e for e in new if e.name == column), None)
            if found is None and closed:
                known = [each.column for each in whole.fields if each.column]
                raise unknown(f"column of {whole.table!r}", column, known, place)
            if found is None:
                found = column_field(column, link=True)
                new.append(found)
            names.append(found.name)
        fields = (*dataset.fields, *new)
        return dataset.model_copy(update={"fields": fields}) if new else dataset, tuple(names)

    def _keyed(self, dataset: Dataset, keys: Keys) -> Dataset:
        place = keys.place_of("primary_key")
        dataset, key = self.named(dataset, keys.texts("primary_key"), place)
        unique = []
        for columns in core.unique_keys(keys):
            dataset, names = self.named(dataset, columns, keys.place_of("unique_keys"))
            unique.append(names)
        said = {"key": key} if key else {}
        return dataset.model_copy(update={**said, **({"unique": tuple(unique)} if unique else {})})

    def relationship(self, keys: Keys, datasets: dict[str, Dataset]) -> Relationship:
        """A relationship. New columns are added to the `datasets`. Raises ConfigError."""
        start, fields = self._end(keys, "from", datasets)
        end, to_fields = self._end(keys, "to", datasets)
        if not fields or len(fields) != len(to_fields):
            problem = "from_columns and to_columns must name as many columns, one at least"
            raise ConfigError(problem, place=keys.place_of("to_columns"))
        uniques = [set(each) for each in (start.key, *start.unique) if each]
        part = Relationship(
            name=keys.text("name", required=True),
            dataset=start.name,
            fields=fields,
            to=end.name,
            to_fields=to_fields,
            single=set(fields) in uniques,
            inferred=False,
        )
        return with_extension(assumed(part, ("single",)), keys)

    def _end(
        self, keys: Keys, key: str, datasets: dict[str, Dataset]
    ) -> tuple[Dataset, tuple[str, ...]]:
        name = keys.text(key, required=True)
        held = like(name, datasets.values())
        if held is None:
            raise unknown("dataset", name, datasets, keys.place_of(key))
        columns = f"{key}_columns"
        held, names = self.named(held, keys.texts(columns), keys.place_of(columns))
        datasets[held.name] = held
        return held, names


def linked_columns(relationships: tuple[Node, ...]) -> Mapping[str, frozenset[str]]:
    """The columns in relationships, by their dataset; what is not as it should be is left to the
    reading of the relationships."""
    found: dict[str, set[str]] = {}
    for item in relationships:
        for key in ("from", "to"):
            node = getattr(item, "get", lambda _: None)(f"{key}_columns")
            if isinstance(node, ListNode):
                keys = Keys(item, "a relationship")
                found.setdefault(keys.text(key), set()).update(keys.texts(f"{key}_columns"))
    return {name: frozenset(columns) for name, columns in found.items()}


def column_field(column: str, *, link: bool = False) -> SemanticField:
    """A field for a column of which the file says nothing but its name."""
    role = "identifier" if link else "measure"
    part = SemanticField.model_validate(
        {"name": column, "column": column, "role": role, "type": "other", "inferred": False}
    )
    return assumed(part, ("role", "type", "inferred"))


def once(name: str, held: Mapping[str, object], what: str, place: Place) -> None:
    """Raises ConfigError where the name is taken."""
    if name in held:
        raise ConfigError(f"a second {what} is called {name!r}", place=place)


def left_out(faults: DeclarationFaults, place: Place, what: str, error: Unsayable) -> None:
    faults.notice(place, f"{what} is left out: {error} cannot be said here; {SAYABLE}")


def _with(dataset: Dataset, made: SemanticField, said: dict[str, object]) -> Dataset:
    """The dataset with its field as the text of its expression says, which is all there is of it:
    the file may have been edited after our extension was written."""
    names = (set(made.model_fields_set) | set(said)) - ({"expression", "column"} - set(said))
    new = made.model_copy(update={"expression": None, "column": "", **said})
    new.model_fields_set.intersection_update(names)
    fields = tuple(new if each.name == made.name else each for each in dataset.fields)
    return dataset.model_copy(update={"fields": fields})
