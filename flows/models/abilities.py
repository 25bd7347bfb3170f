"""What a model cannot do, when its endpoint refuses a request for it."""

from __future__ import annotations

import re
from typing import Final

from flows.core.chat import ChatRequest
from flows.errors import ModelRefused

# Words by which an endpoint complains of pictures, and of functions.
_OF_PICTURES: Final = re.compile(r"image|vision|multi.?modal|mmproj", re.IGNORECASE)
_OF_TOOLS: Final = re.compile(r"\btools?\b|tool.?call|function.?call", re.IGNORECASE)


def inability(error: ModelRefused, request: ChatRequest, model: str) -> ModelRefused:
    """The refusal as one of the model's pictures or functions, if its words say so, else itself."""
    said = error.said or ""
    if any(each.images for each in request.messages) and _OF_PICTURES.search(said):
        return ModelRefused(f"the model {model} does not take the pictures: {error.problem}")
    if request.tools and _OF_TOOLS.search(said):
        return ModelRefused(f"the model {model} does not take the functions: {error.problem}")
    return error
