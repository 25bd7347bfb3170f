"""A semantic model read from an Apache Ossie document, versions 0.1 and 0.2 of the format."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeVar

from flows.config.read import Document
from flows.config.tree import Node
from flows.errors import ConfigError
from flows.semantics.formats import ossie_parts as core
from flows.semantics.formats.declaration import Declaration, DeclarationFaults, assumed
from flows.semantics.formats.extension import with_extension
from flows.semantics.formats.keys import Keys
from flows.semantics.formats.ossie_datasets import DatasetReader, linked_columns, once
from flows.semantics.formats.ossie_metrics import OssieMetricReader
from flows.semantics.model import Dataset, Relationship, SemanticModel
from flows.semantics.overlay import merge

VERSIONS: Final = ("0.1", "0.2")
# Keys beside the model in documents of earlier drafts.
_BESIDE: Final = ("version", "dialects", "vendors")
P = TypeVar("P", Dataset, Relationship)


def read_ossie(
    document: Document, over: SemanticModel | None = None, *, partial: bool = False
) -> Declaration:
    """The model of a document. Raises ConfigError, or CheckError for several, with places.

    With `over`, the model of the data, every table and column must be one of theirs, and what is
    in the data need not be in the file. With `partial`, which is for checking a file before the
    data are read, names of metrics are not looked up.
    """
    root = Keys(document.tree, "an Ossie document")
    version = root.text("version")
    if version and not version.startswith(VERSIONS):
        problem = f"version {version} of the format is not known"
        raise ConfigError(problem, place=root.place_of("version"), allowed=VERSIONS)
    keys = _model_keys(root)
    faults = DeclarationFaults()
    model, reader = _connected(keys, over, faults)
    known = merge(over, model) if over else model
    items = [*keys.items("metrics")]
    for each in keys.items("datasets"):
        items.extend(Keys(each, "a dataset").items("metrics"))
    metrics = OssieMetricReader(known, faults, reader.lost, partial)
    found = metrics.read([Keys(item, "a metric", core.METRIC) for item in items])
    faults.check()
    return Declaration(model.model_copy(update={"metrics": found}), tuple(faults.notices))


def _model_keys(root: Keys) -> Keys:
    """The keys of the model: those of the document, or of the one item of `semantic_model`."""
    if "semantic_model" not in root:
        return Keys(root.section, "a semantic model", (*core.MODEL, *_BESIDE))
    Keys(root.section, "an Ossie document", ("semantic_model", *_BESIDE, "ai_context"))
    models = root.items("semantic_model")
    if len(models) != 1:
        place = models[1].place if models else root.place_of("semantic_model")
        raise ConfigError(f"one document has one model; this has {len(models)}", place=place)
    return Keys(models[0], "a semantic model", core.MODEL)


def _connected(
    keys: Keys, over: SemanticModel | None, faults: DeclarationFaults
) -> tuple[SemanticModel, DatasetReader]:
    """The model without its metrics. Raises ConfigError, or CheckError for several."""
    reader = DatasetReader(over, faults)
    links = linked_columns(keys.items("relationships"))
    if not keys.items("datasets"):
        place = keys.place_of("datasets")
        raise ConfigError(
            "a semantic model needs the list `datasets`, with one at least", place=place
        )
    datasets: dict[str, Dataset] = {}

    def dataset(item: Node) -> Dataset:
        each = Keys(item, "a dataset", core.DATASET)
        return reader.dataset(each, links.get(each.text("name"), frozenset()))

    def relationship(item: Node) -> Relationship:
        return reader.relationship(Keys(item, "a relationship", core.RELATIONSHIP), datasets)

    _each(keys.items("datasets"), "dataset", dataset, datasets, faults)
    faults.check()
    relationships: dict[str, Relationship] = {}
    _each(keys.items("relationships"), "relationship", relationship, relationships, faults)
    faults.check()
    model = SemanticModel(
        name=keys.text("name", required=True),
        description=keys.text("description"),
        datasets=tuple(datasets.values()),
        relationships=tuple(relationships.values()),
    )
    unsaid = () if model.description else ("description",)
    return with_extension(assumed(model, unsaid), keys), reader


def _each(
    items: tuple[Node, ...],
    what: str,
    read: Callable[[Node], P],
    held: dict[str, P],
    faults: DeclarationFaults,
) -> None:
    """Reads the items and holds them by their names, which must differ."""
    for item in items:
        try:
            part = read(item)
            once(part.name, held, what, Keys(item, f"a {what}").place_of("name"))
            held[part.name] = part
        except ConfigError as error:
            faults.add(error)
