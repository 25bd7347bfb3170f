"""Semantic models and metrics of dbt, in both of its specs, read as one semantic model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from flows.config.read import Document, shown
from flows.errors import ConfigError, Place
from flows.semantics.formats.dbt_datasets import Graph
from flows.semantics.formats.dbt_metrics import DbtMetricReader
from flows.semantics.formats.dbt_specs import read_specs
from flows.semantics.formats.declaration import Declaration, DeclarationFaults, assumed
from flows.semantics.model import SemanticModel

KEYS: Final = ("semantic_models", "models", "metrics")
_NOT_OURS: Final = ("target", "dbt_packages", "logs", "node_modules", "venv")
_MOST_FILES: Final = 1000


def read_dbt(documents: Sequence[Document], over: SemanticModel | None = None) -> Declaration:
    """The model of the files. Raises ConfigError, or CheckError for several, with places.

    With `over`, the model of the data, every table and column must be one of theirs.
    """
    specs = read_specs(documents)
    first = documents[0]
    if not specs.tables:
        problem = "there is no semantic model: no `semantic_models`, and no model with the key "
        raise ConfigError(problem + "`semantic_model`", place=Place(first.origin))
    faults = DeclarationFaults()
    graph = Graph(specs, over, faults)
    graph.build()
    metrics = DbtMetricReader(graph).read()
    faults.check()
    model = SemanticModel(
        datasets=tuple(graph.datasets.values()),
        relationships=tuple(each for _, each in graph.relationships),
        metrics=metrics,
    )
    return Declaration(assumed(model, ("name",)), tuple(faults.notices))


def project_files(folder: Path) -> Iterator[Path]:
    """The YAML files of a dbt project, without those that dbt itself writes."""
    found = 0
    for path in sorted(folder.rglob("*")):
        inner = path.relative_to(folder).parts
        if any(part.startswith(".") or part in _NOT_OURS for part in inner):
            continue
        if path.suffix in (".yml", ".yaml") and path.is_file():
            found += 1
            if found > _MOST_FILES:
                problem = f"the folder has more than {_MOST_FILES} YAML files"
                raise ConfigError(problem, place=Place(shown(folder)))
            yield path
