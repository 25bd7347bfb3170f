"""A semantic model as a file of Apache Ossie: nothing is lost on the way there and back."""

from __future__ import annotations

from pathlib import Path

from hypothesis import HealthCheck, given, settings

from flows.semantics.formats import read_model, write_model
from flows.semantics.model import SemanticModel
from tests.semantics.formats.models import models


@given(model=models())
@settings(
    max_examples=150,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
def test_a_model_that_was_written_is_read_as_it_was(model: SemanticModel, tmp_path: Path) -> None:
    file = tmp_path / "model.yaml"
    file.write_text(write_model(model), encoding="utf-8")
    assert read_model(file) == model
