"""The semantic model that the profiles of tables tell."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from flows.analysis.linking.joins import Joins
from flows.data.tables import Table
from flows.semantics.model import Dataset, Relationship, SemanticField, SemanticModel


def model_of(tables: Sequence[Table]) -> SemanticModel:
    """Datasets with their fields, and the relationships that their joins are."""
    relationships: list[Relationship] = []
    seen: Counter[str] = Counter()
    for edge in Joins.of(tables).edges:
        join = edge.joined
        name = f"{join.table}_{join.to}"
        seen[name] += 1
        relationships.append(
            Relationship(
                name=name if seen[name] == 1 else f"{name}_{seen[name]}",
                dataset=join.table,
                fields=join.columns,
                to=join.to,
                to_fields=join.to_columns,
                single=join.single,
            )
        )
    return SemanticModel(datasets=tuple(map(_dataset, tables)), relationships=tuple(relationships))


def _dataset(table: Table) -> Dataset:
    fields = (
        SemanticField(name=each.name, role="text", type=each.type, column=each.name)
        for each in table.columns
    )
    return Dataset(
        name=table.name, source=table.source, table=table.name, noun="row", plural="rows",
        fields=tuple(fields),
    )  # fmt: skip
