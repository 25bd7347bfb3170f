"""Embeddings of the fake model: unit vectors made from words, the same each time."""

from __future__ import annotations

import hashlib
import math

from flows.models.fake.answer import Json


def embeddings(request: Json, dimensions: int) -> Json:
    """The answer to a request for embeddings of one text or of a list."""
    given = request.get("input", "")
    texts = given if isinstance(given, list) else [given]
    data = [
        {"object": "embedding", "index": index, "embedding": _vector(str(text), dimensions)}
        for index, text in enumerate(texts)
    ]
    usage = {"prompt_tokens": len(texts), "total_tokens": len(texts)}
    return {"object": "list", "model": request["model"], "data": data, "usage": usage}


def _vector(text: str, dimensions: int) -> list[float]:
    vector = [0.0] * dimensions
    for word in text.casefold().split():
        digest = hashlib.sha256(word.encode()).digest()
        vector[digest[0] % dimensions] += 1.0
    length = math.sqrt(sum(each * each for each in vector)) or 1.0
    return [each / length for each in vector]
