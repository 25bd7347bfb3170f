"""The embedder that compares meanings with a small model on this machine."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

from pydantic import BaseModel, ConfigDict, Field

from flows.memory.documents import encodable
from flows.memory.minilm.files import MODEL, TOKENIZER, locate
from flows.memory.minilm.model import DIMENSION, load
from flows.memory.vector_cache import VectorCache

_CHUNK = 256


class MiniLMEmbedder:
    """Turns texts into vectors with all-MiniLM-L6-v2 (int8, ONNX): English, 384 numbers.

    It sees that "turnover" and "revenue" are near. Nothing is downloaded or sent: its two files
    come with the extra `semantic`. Of a text the first 256 tokens count, about 200 words.
    Vectors that were computed before are taken from the cache. Errors: `ConfigError` where the
    extra is not installed, `RecallError` for files that are not the pinned ones.
    """

    modules: ClassVar[tuple[str, ...]] = ("onnxruntime", "tokenizers")

    class Config(BaseModel):
        model_config = ConfigDict(frozen=True, extra="forbid")

        cache: Path = Field(
            default=Path(".flows/embeddings"), description="the folder that vectors are kept in"
        )
        threads: int = Field(default=1, ge=1, le=64, description="of the processor, while it works")

    def __init__(self, config: Config | None = None) -> None:
        self._config = config or MiniLMEmbedder.Config()
        self._cache = VectorCache(self._config.cache.expanduser().absolute())
        for file in (MODEL, TOKENIZER):
            locate(file)

    @property
    def name(self) -> str:
        """The model and its file: vectors of another file are vectors of another embedder."""
        return f"all-MiniLM-L6-v2-int8-{MODEL.sha256[:8]}"

    @property
    def dimension(self) -> int:
        return DIMENSION

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        return await asyncio.to_thread(self._embed, [encodable(each) for each in texts])

    def _embed(self, texts: Sequence[str]) -> list[list[float]]:
        found = self._cache.find(self.name, texts)
        missing = [text for text in dict.fromkeys(texts) if text not in found]
        for start in range(0, len(missing), _CHUNK):
            chunk = missing[start : start + _CHUNK]
            vectors = load(self._config.threads).vectors(chunk)
            made = dict(zip(chunk, vectors, strict=True))
            self._cache.keep(self.name, made)
            found |= made
        return [found[text] for text in texts]
