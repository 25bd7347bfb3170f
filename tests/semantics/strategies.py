"""Random semantic models, small data for them, and random requests: what the laws are tried on.

`models()` makes models, `tables(model)` rows for one, `requests(model)` what may be asked of it.
"""

from __future__ import annotations

from tests.semantics.random_data import Rows, tables
from tests.semantics.random_models import TODAY, models
from tests.semantics.random_requests import queries, requests

__all__ = ["TODAY", "Rows", "models", "queries", "requests", "tables"]
