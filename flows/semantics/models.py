"""The semantic model of a catalog's data: inferred once for each content, completed by people."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Sequence
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from flows.data.catalog import Catalog
from flows.data.dictionary_catalog import DescribedCatalog
from flows.data.profiles.entries import Entries
from flows.data.servers import ServerSource
from flows.data.tables import Table
from flows.semantics.model import SemanticModel

# Another number for each change of what is inferred.
VERSION = 9
_KIND = "model"


class _Inferred(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    digest: str
    model: SemanticModel


class SemanticModels:
    """The semantic model of the data of a run.

    The catalog's dictionary and the file `declared` (Apache Ossie or dbt) say what people know of
    the data, the file over all. What is inferred is kept in the folder `cache` by the content of
    the files; that of servers is inferred anew. It may be asked from any thread.
    """

    def __init__(
        self,
        catalog: Catalog,
        *,
        declared: Path | None = None,
        cache: Path | None = None,
    ) -> None:
        self._catalog = catalog
        self._declared = declared
        self._entries = None if cache is None else Entries(cache)
        self._lock = threading.Lock()
        self._known: tuple[tuple[Table, ...], SemanticModel] | None = None
        self._notices: tuple[str, ...] = ()

    def model(self) -> SemanticModel:
        """The model, inferred at the first call and whenever the catalog has read anew.

        Errors: `SourceError` for data that cannot be read, `ConfigError` or `CheckError` for a
        declared model that does not fit them.
        """
        tables = self._catalog.tables()
        with self._lock:
            if self._known is None or self._known[0] is not tables:
                self._known = (tables, self._completed(self._inferred(tables)))
            return self._known[1]

    def take_notices(self) -> tuple[str, ...]:
        """What of the declared file could not be used, each with its place: known once the model
        has been asked for, and given once."""
        with self._lock:
            found, self._notices = self._notices, ()
            return found

    def _completed(self, model: SemanticModel) -> SemanticModel:
        if isinstance(self._catalog, DescribedCatalog):
            from flows.semantics.dictionary import with_dictionary

            model = with_dictionary(model, self._catalog.dictionary)
        if self._declared is not None:
            from flows.semantics.formats import read_declaration
            from flows.semantics.overlay import merge

            declared = read_declaration(self._declared, over=model)
            self._notices = tuple(map(str, declared.notices))
            model = merge(model, declared.model)
        return model

    def _inferred(self, tables: Sequence[Table]) -> SemanticModel:
        from flows.semantics.inference.model import infer_model

        key = self._key(tables) if self._entries is not None else ""
        if self._entries is None or not key:
            return infer_model(tables, self._catalog.inspection)
        found = self._entries.find(_KIND, (key,), _Inferred)
        if found is not None and found.digest == key:
            return found.model
        model = infer_model(tables, self._catalog.inspection)
        self._entries.keep(_KIND, (key,), _Inferred(digest=key, model=model))
        return model

    def _key(self, tables: Sequence[Table]) -> str:
        """A digest of what the sources hold and of what their profiles say; empty where nobody
        knows whether a server's data are still the same."""
        whole = hashlib.sha256(f"{_KIND} {VERSION}\n".encode())
        for name in self._catalog.sources:
            if isinstance(self._catalog.source(name), ServerSource):
                return ""
            whole.update(f"{name}={self._catalog.source_hash(name)}\n".encode())
        for each in tables:
            whole.update(each.model_dump_json().encode() + b"\n")
        return whole.hexdigest()
