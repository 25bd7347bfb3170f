"""The keys of a run file that name files and folders, with whole paths."""

from __future__ import annotations

from flows.build.run_config import RunConfig
from flows.build.services import Services
from flows.config.faults import Faults
from flows.core.values import Values

FILES = ("dictionary", "semantic_model", "glossary")


def located_keys(run: RunConfig, services: Services, faults: Faults) -> Values:
    """The keys with whole paths; a file that is not there is kept in the `faults`. Errors:
    `ConfigError` for data and documents that are used and not there."""
    found: Values = {}
    for key in FILES:
        if named := getattr(run, key):
            with faults:
                found[key] = str(services.file(key, named))
    found["data"] = {
        name: where if isinstance(where, str) else where.model_dump(mode="json", exclude_none=True)
        for name, where in services.located(run.data).items()
    }
    if run.documents is not None:
        found["documents"] = services.located_documents(run.documents)
    if run.functions is not None:
        found["functions"] = services.located_functions(run.functions)
    elif services.given:  # so that the run has a store when it is told again
        found["functions"] = {"sources": {}}
    return found
