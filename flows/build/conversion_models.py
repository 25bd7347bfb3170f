"""A backend of aiflows as a model of ours."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from flows.build.interfaces import ConfigPath
from flows.config.composition import Composed
from flows.config.secret import EnvSecret
from flows.config.tree import TARGET
from flows.core.values import Values
from flows.models.litellm import COMPATIBLE, LiteLLMConfig, Route, written_routes
from flows.models.openai import OpenAIConfig

LITELLM: Final = "model.litellm"
_UNSAID: Final = "???"
_SAMPLING: Final = (
    "temperature", "max_tokens", "top_p", "frequency_penalty", "presence_penalty", "stream",
)  # fmt: skip


def has_keys(given: Mapping[str, Any]) -> bool:
    """Whether a backend says its keys itself. One that does not is asked where the environment has
    a key for it, else the run's own model is, which no model of a run is for."""
    return given.get("api_infos") not in (None, _UNSAID)


def kept_backend(given: Mapping[str, Any]) -> Values:
    """A `LiteLLMBackend` that goes by the keys of the environment, under our name for it."""
    return {
        TARGET: LITELLM,
        **{
            key: each
            for key, each in given.items()
            if each is not None and key not in (TARGET, "api_infos")
        },
    }


def convert_backend(given: Mapping[str, Any], composed: Composed, path: ConfigPath) -> Values:
    """The model that asks the endpoint of a `LiteLLMBackend`. A key that stands in the file is not
    copied: that of the provider's environment variable is taken. Errors: `ConfigError`."""
    keys = {key: each for key, each in given.items() if key != TARGET}
    config = LiteLLMConfig.model_validate(keys)
    routes = written_routes(config)
    if config.api_infos is not None and len(routes) > 1:
        raise composed.error(
            "several keys that are used in turn have no form of ours: leave one",
            (*path, "api_infos"),
        )
    route = next((each for each in routes if each.provider == "openai"), None) or next(
        iter(routes), None
    )
    if route is None or not route.url:
        raise composed.error(
            "no address of this model is known: give api_infos with api_base, or choose a model "
            "for the run instead (model=langchain)",
            (*path, "model_name"),
        )
    return {TARGET: "model.openai", "model": route.model, **_address(route), **_settings(config)}


def _address(route: Route) -> Values:
    known = COMPATIBLE[route.provider]
    if route.provider == "openai" and route.url == known.address:
        return {}
    secret = {"api_key": EnvSecret(f"${{env:{known.key}}}")} if known.key else {}
    return {"base_url": route.url, **secret}


def _settings(config: LiteLLMConfig) -> Values:
    defaults = OpenAIConfig(model="any")
    settings = {
        key: getattr(config, key)
        for key in _SAMPLING
        if getattr(config, key) is not None and getattr(config, key) != getattr(defaults, key)
    }
    retry = {
        key: getattr(config, key)
        for key in ("attempts", "wait_max")
        if getattr(config, key) != getattr(defaults.retry, key)
    }
    if retry:
        settings["retry"] = retry
    return settings
