"""Files and folders of semantics: which format they have, and the model that they hold."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

from flows.config.json_faults import json_fault
from flows.config.limits import ConfigLimits
from flows.config.read import Document, read_text, read_yaml, shown
from flows.config.tree import Section, planted
from flows.errors import ConfigError, Place
from flows.semantics.formats.dbt import KEYS, project_files, read_dbt
from flows.semantics.formats.declaration import Declaration
from flows.semantics.formats.ossie import read_ossie
from flows.semantics.model import SemanticModel

LIMITS: Final = ConfigLimits(bytes=8 * 1024 * 1024, nodes=400_000)
ENDINGS: Final = (".yaml", ".yml", ".json")


def read_model(path: Path, over: SemanticModel | None = None) -> SemanticModel:
    """The model of a file: see `read_declaration`, which also says what was left out of it."""
    return read_declaration(path, over).model


def check_file(path: Path) -> None:
    """Looks through a file that is to be laid over data which have not been read yet, and which it
    may name without saying more of them. Raises ConfigError, or CheckError for several."""
    read_declaration(path, partial=True)


def read_declaration(
    path: Path, over: SemanticModel | None = None, *, partial: bool = False
) -> Declaration:
    """The model that a file declares: of Apache Ossie or of dbt, or a folder of files of dbt.

    `over` is the model that was inferred from the data, for a file that is laid over it by `merge`:
    names of the file may be of the data then, and tables and columns must be. With `partial` names
    may be of data that are not known. Raises ConfigError,
    or CheckError for several, each with file, line and column.
    """
    if path.is_dir():
        return read_dbt(_project(path), over)
    document = read_document(path)
    keys = set(document.tree.entries)
    if not keys & {"datasets", "semantic_model"} and keys & set(KEYS):
        return read_dbt([document], over)
    return read_ossie(document, over, partial=partial)


def _project(folder: Path) -> list[Document]:
    """The files of a dbt project that say something of its models."""
    found = []
    for path in project_files(folder):
        text = read_text(path, LIMITS)
        if any(key in text for key in KEYS):
            document = read_yaml(text, path, LIMITS, may_be_empty=True)
            if set(document.tree.entries) & set(KEYS):
                found.append(document)
    if not found:
        problem = f"no YAML file in it has one of the keys {', '.join(KEYS)}"
        raise ConfigError(problem, place=Place(shown(folder)))
    return found


def read_document(path: Path) -> Document:
    """A YAML or JSON file with its places. Raises ConfigError."""
    if path.suffix.casefold() not in ENDINGS:
        problem = "the name of a semantic model's file ends in .yaml, .yml or .json"
        raise ConfigError(problem, place=Place(shown(path)))
    text = read_text(path, LIMITS)
    if path.suffix.casefold() != ".json":
        return read_yaml(text, path, LIMITS)
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        place = Place(shown(path), getattr(error, "lineno", None), getattr(error, "colno", None))
        raise ConfigError(f"this is not JSON: {json_fault(error)}", place=place) from error
    try:
        return read_yaml(text, path, LIMITS)
    except ConfigError:  # JSON that YAML does not read, so that nobody knows its lines
        tree = planted(value, Place(shown(path)))
        if not isinstance(tree, Section):
            raise
        return Document(path, shown(path), text, tree)
