"""What the tables of a role mean."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flows.semantics.model import SemanticModel


def model_in(given: Mapping[str, Any]) -> SemanticModel:
    """The semantic model of a role's inputs."""
    found = given["semantic_model"]
    return found if isinstance(found, SemanticModel) else SemanticModel.model_validate(found)
