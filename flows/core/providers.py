"""The providers of chat models: which environment variables hold their keys, and where they are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from flows.config.secret import env_name
from flows.core.destination import Destination, Provider, origin_of

OPENAI: Final = Provider(("OPENAI_API_KEY",), "https://api.openai.com", ("OPENAI_BASE_URL",))
# By LangChain's names for them.
PROVIDERS: Final[Mapping[str, Provider]] = {
    "openai": Provider(OPENAI.keys, OPENAI.address, ("OPENAI_API_BASE", *OPENAI.addresses)),
    "azure_openai": Provider(
        ("AZURE_OPENAI_API_KEY", "OPENAI_API_KEY"), "", ("AZURE_OPENAI_ENDPOINT",)
    ),
    "azure_ai": Provider(
        ("AZURE_AI_API_KEY", "AZURE_INFERENCE_CREDENTIAL"), "",
        ("AZURE_AI_ENDPOINT", "AZURE_INFERENCE_ENDPOINT"),
    ),
    "anthropic": Provider(
        ("ANTHROPIC_API_KEY",), "https://api.anthropic.com",
        ("ANTHROPIC_API_URL", "ANTHROPIC_BASE_URL"),
    ),
    "cohere": Provider(("COHERE_API_KEY", "CO_API_KEY"), "https://api.cohere.com", ("CO_API_URL",)),
    "deepseek": Provider(
        ("DEEPSEEK_API_KEY",), "https://api.deepseek.com", ("DEEPSEEK_API_BASE",)
    ),
    "fireworks": Provider(("FIREWORKS_API_KEY",), "https://api.fireworks.ai"),
    "google_genai": Provider(
        ("GOOGLE_API_KEY", "GEMINI_API_KEY"), "https://generativelanguage.googleapis.com"
    ),
    "groq": Provider(
        ("GROQ_API_KEY",), "https://api.groq.com", ("GROQ_API_BASE", "GROQ_BASE_URL")
    ),
    "huggingface": Provider(
        ("HF_TOKEN", "HUGGINGFACEHUB_API_TOKEN"), "https://router.huggingface.co"
    ),
    "mistralai": Provider(("MISTRAL_API_KEY",), "https://api.mistral.ai", ("MISTRAL_BASE_URL",)),
    "nvidia": Provider(
        ("NVIDIA_API_KEY",), "https://integrate.api.nvidia.com", ("NVIDIA_BASE_URL",)
    ),
    "ollama": Provider(("OLLAMA_API_KEY",), "http://localhost:11434", ("OLLAMA_HOST",)),
    "openrouter": Provider(
        ("OPENROUTER_API_KEY",), "https://openrouter.ai", ("OPENROUTER_API_BASE",)
    ),
    "perplexity": Provider(("PPLX_API_KEY", "PERPLEXITY_API_KEY"), "https://api.perplexity.ai"),
    "together": Provider(("TOGETHER_API_KEY",), "https://api.together.xyz"),
    "upstage": Provider(("UPSTAGE_API_KEY",), "https://api.upstage.ai"),
    "xai": Provider(("XAI_API_KEY",), "https://api.x.ai"),
}  # fmt: skip
# How LangChain takes the provider from a model's name alone.
_BEGINNINGS: Final = {
    "gpt-": "openai", "o1": "openai", "o3": "openai", "o4": "openai", "chatgpt": "openai",
    "claude": "anthropic", "command": "cohere", "mistral": "mistralai", "mixtral": "mistralai",
    "deepseek": "deepseek", "grok": "xai", "sonar": "perplexity", "solar": "upstage",
}  # fmt: skip


def provider_of(model: str, named: str | None) -> str:
    """The provider of a LangChain model: the one that is named, or that its name says."""
    before, colon, _ = model.partition(":")
    if named or (colon and before.replace("-", "_").lower() in PROVIDERS):
        return (named or before).replace("-", "_").lower()
    found = (name for start, name in _BEGINNINGS.items() if model.lower().startswith(start))
    return next(found, before if colon else model)


def destination_of(
    name: str,
    values: Mapping[str, Any],
    *,
    provider: Provider | None = None,
    sends_own: bool = True,
) -> Destination:
    """Where a model of a provider sends its requests, and with which key. `name` is LangChain's.

    `values` are those of its config. Without `sends_own` the key of the environment is not sent to
    a `base_url` of the config. Errors: `ValueError` for a bad address.
    """
    provider = provider or PROVIDERS.get(name)
    base_url, api_key = values.get("base_url"), values.get("api_key")
    url = base_url if isinstance(base_url, str) and base_url else None
    address = origin_of(url) if url else _own_address(name, provider)
    # A provider that is not known here sends its key to an address that its package knows.
    is_own = url is None or (provider is not None and provider.owns(address))
    at = ("base_url",) if url else ()
    if isinstance(api_key, str) and api_key:
        key = env_name(api_key)
        if key is None:
            return Destination(address, "api_key", is_own, at, ("api_key",), written=True)
        own = provider is not None and key in provider.keys
        return Destination(address, key, is_own and own, at, () if own else ("api_key",))
    key = provider.set_key() if provider else f"the key of {name}"
    if url and not sends_own:
        key = ""
    return Destination(address, key, is_own or not key, at)


def _own_address(name: str, provider: Provider | None) -> str:
    named = provider.named_address() if provider else ""
    try:
        return origin_of(named)
    except ValueError:  # none, or without a scheme as in OLLAMA_HOST
        return named or f"the address of {name}"
