"""`flows model`: what data mean, inferred, shown, and written as a file that people complete."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from flows.cli.arguments import AsJson

if TYPE_CHECKING:
    from flows.semantics.model import SemanticModel

ENDINGS = (".yaml", ".yml")
VALUES_WRITTEN = 50


def model(
    sources: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE...",
            help="Files, folders, patterns or addresses of databases; NAME=FILE gives one a name.",
            show_default=False,
        ),
    ],
    out: Annotated[
        Path | None,
        typer.Option(help="Write the model as a YAML file, to be completed.", metavar="FILE"),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Write over the file that --out names.")
    ] = False,
    declared: Annotated[
        Path | None,
        typer.Option(
            help="A file that says what the data mean, laid over what they tell themselves.",
            metavar="FILE",
        ),
    ] = None,
    dictionary: Annotated[
        Path | None,
        typer.Option(help="A file that says what tables and columns mean.", metavar="FILE"),
    ] = None,
    as_json: AsJson = False,
) -> int:
    """Show what data mean: rows, roles, units, cleaning, relationships, metrics.

    All of it is inferred from names and values; nothing is changed in your data. --out writes it as
    a file in the format of Apache Ossie. Correct it, and give it to runs as semantic_model=FILE;
    --declared shows what comes of that. A file of dbt's semantic layer will do as well.

    Examples:

      flows model sales.csv
      flows model sales.csv shops.parquet --out model.yaml
      flows model sales.csv shops.parquet --declared model.yaml
      flows model shops.db --json

    Exit codes: 0; 2 wrong usage, data or a file that cannot be read, a file that is there already.
    """
    from flows.cli.output import write_json

    if out is not None:
        check_out(out, force=force)
    found = meant(sources, declared, dictionary)
    written = write_file(out, found) if out is not None else ""
    if as_json:
        write_json(found.model_dump(mode="json"))
    elif out is None:
        from flows.ui.console import make_console
        from flows.ui.semantics import show_model

        show_model(make_console(), found)
    else:
        print(written)
    return 0


def meant(
    sources: list[str], declared: Path | None = None, dictionary: Path | None = None
) -> SemanticModel:
    """The model of the sources. Errors: `UsageError`, `ConfigError` or `CheckError` for what cannot
    be read."""
    from flows.data.catalog import Catalog
    from flows.data.dictionary_catalog import DescribedCatalog
    from flows.data.meaning.dictionary_file import read_dictionary
    from flows.data.profiles.cache import PROFILES
    from flows.errors import SourceError, UsageError
    from flows.semantics.models import SemanticModels
    from flows.services.sources import check_sources, read_sources

    given = read_sources(sources)
    check_sources(given)
    named, here = {each.name: each.where for each in given}, Path.cwd()
    if dictionary is None:
        catalog = Catalog(named, here, PROFILES)
    else:
        known = read_dictionary(dictionary)
        catalog = DescribedCatalog(named, here, PROFILES, dictionary=known)
    try:
        with catalog:
            models = SemanticModels(catalog, declared=declared, cache=PROFILES)
            found = models.model()
            for each in models.take_notices():
                print(f"note: {each}", file=sys.stderr)
            return found
    except SourceError as error:
        raise UsageError(str(error)) from error


def check_out(path: Path, *, force: bool) -> None:
    """Errors: `UsageError` for a place where no model can be written, and for a file that is there
    already."""
    from flows.errors import UsageError

    if path.suffix.lower() not in ENDINGS:
        raise UsageError(f"{path}: a model's name ends in {' or '.join(ENDINGS)}")
    if not path.parent.is_dir():
        raise UsageError(f"{path} cannot be written: there is no folder {path.parent}")
    if path.is_dir():
        raise UsageError(f"{path} is a folder")
    if path.exists() and not force:
        raise UsageError(f"{path} is there already; --force writes over it")


def write_file(path: Path, found: SemanticModel) -> str:
    """Write the model whole, and say where. Errors: `UsageError` where that is not possible."""
    from flows.core.artifacts import write_whole
    from flows.errors import UsageError
    from flows.semantics.formats import write_model

    over = path.exists()
    try:
        write_whole(path, write_model(shortened(found)).encode())
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}") from error
    return f"{path}: written{' over the one that was there' if over else ''}"


def shortened(found: SemanticModel) -> SemanticModel:
    """The model without long lists of values, which nobody writes by hand: what a file leaves out
    stays as it is inferred."""
    datasets = []
    for each in found.datasets:
        fields = tuple(
            field.model_copy(update={"values": ()})
            if len(field.values) > VALUES_WRITTEN and not field.ordered
            else field
            for field in each.fields
        )
        datasets.append(each.model_copy(update={"fields": fields}))
    return found.model_copy(update={"datasets": tuple(datasets)})
