"""The extra `semantic`: an embedder for tests, and a mark for those that need it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest

from flows.errors import ConfigError
from flows.memory.minilm.embedder import MiniLMEmbedder
from flows.memory.minilm.files import MODEL, TOKENIZER, locate


def is_installed() -> bool:
    try:
        return all(locate(each) for each in (MODEL, TOKENIZER))
    except ConfigError:
        return False


needs_model = pytest.mark.skipif(not is_installed(), reason="the extra `semantic` is not installed")


def minilm(cache: Path, **more: int) -> MiniLMEmbedder:
    return MiniLMEmbedder(MiniLMEmbedder.Config.model_validate({"cache": cache, **more}))


def embed(embedder: MiniLMEmbedder, texts: Sequence[str]) -> list[list[float]]:
    return asyncio.run(embedder.embed(texts))
