"""The services that a flow is made with: its own, else the run's."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from flows.build.run_config import RUN_KINDS, RunConfig
from flows.build.services import ConfigPath, Services
from flows.build.unbuilt import missing_service
from flows.config.faults import Faults
from flows.core.function_store import FunctionStoreConfig
from flows.core.signature import FlowType
from flows.core.values import Values


def flow_services(
    flow_type: FlowType,
    path: ConfigPath,
    given: Values,
    services: Services,
    run: RunConfig,
    broken: Collection[str],
    faults: Faults,
) -> tuple[dict[str, object], bool]:
    """The services of a flow by the keys of its `needs`, and whether something stands for one that
    could not be made, or that a `broken` key of the run describes. What is wrong is kept in the
    `faults`."""
    found: dict[str, object] = {}
    lacks = False
    for key, kind in flow_type.needs.items():
        made, own = False, given.get(key)
        if isinstance(own, Mapping) or kind not in broken:
            with faults:
                service = _service(kind, (*path, key), own, services, run)
                if service is not None:
                    found[key] = service
                made = True
        if not made:
            lacks = True
            if (standing := missing_service(kind)) is not None:
                found[key] = standing
    return found, lacks


def _service(
    kind: str, path: ConfigPath, own: object, services: Services, run: RunConfig
) -> object | None:
    """The service of that kind; None where there is none. Errors: `ConfigError`."""
    if kind == "data":
        return services.catalog(run.data, run.dictionary)
    if kind == "semantics":
        catalog = services.catalog(run.data, run.dictionary)
        return services.semantics(catalog, run.semantic_model)
    if kind == "glossary":
        return None if run.glossary is None else services.glossary(run.glossary)
    if kind == "documents":
        return None if run.documents is None else services.documents(run.documents)
    if kind == "functions":
        if run.functions is None and not services.given:
            return None
        return services.functions(run.functions or FunctionStoreConfig())
    if kind == "sandbox":
        return services.sandbox(run.sandbox)
    if isinstance(own, Mapping):
        return services.make(kind, path, own)
    if kind in RUN_KINDS and (shared := getattr(run, kind)) is not None:
        return services.make(kind, (kind,), shared)
    return None
