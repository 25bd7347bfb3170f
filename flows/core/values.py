"""Values by name: what a flow is given and returns, and what a composite keeps between its steps.

The names are those of ports; of what type a value is, the port says that takes it.
"""

from __future__ import annotations

from typing import Any

Values = dict[str, Any]
