"""A production log of as many rows as asked for: three drivers, two scaled copies, noise."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import duckdb
import numpy as np

from business.truth import Driver, Truth

SEED: Final = 4_711
ROWS: Final = 1_000_000
LINES: Final = ("A", "B", "C", "D", "E")
BEST_LINE: Final = "D"

PRODUCTION: Final = Truth(
    table="production",
    target="output",
    drivers=(Driver("temperature", 0.8), Driver("pressure", -1.5), Driver("feed_rate", 0.25)),
    noise=2.0,
    twins={"temperature_norm": "temperature", "pressure_norm": "pressure"},
    idle=("humidity", "vibration", "record_id"),
    planted={BEST_LINE: "makes 1.0 more than the other lines"},
)


def write_production(path: Path, rows: int = ROWS, seed: int = SEED) -> None:
    """Write the table as Parquet or CSV, as the file's name ends."""
    random = np.random.default_rng(seed)
    temperature = random.normal(70, 5, rows).round(3)
    pressure = random.normal(12, 2, rows).round(3)
    feed = random.normal(200, 8, rows).round(2)
    line = random.choice(LINES, rows)
    known = {"temperature": temperature, "pressure": pressure, "feed_rate": feed}
    output = 100 + sum(each.slope * (known[each.name] - known[each.name].mean())
                       for each in PRODUCTION.drivers)  # fmt: skip
    columns: dict[str, Any] = {
        "record_id": np.arange(1, rows + 1),
        "line": line,
        "temperature": temperature,
        "temperature_norm": _scaled(temperature),
        "pressure": pressure,
        "pressure_norm": _scaled(pressure),
        "feed_rate": feed,
        "humidity": random.normal(45, 10, rows).round(2),
        "vibration": random.gamma(2, 1.5, rows).round(3),
        "output": (output + (line == BEST_LINE) + random.normal(0, PRODUCTION.noise, rows)).round(
            4
        ),
    }
    _write(path, columns)


def _scaled(values: Any) -> Any:
    return ((values - values.min()) / (values.max() - values.min())).round(6)


def _write(path: Path, columns: dict[str, Any]) -> None:
    kind = "PARQUET" if path.suffix == ".parquet" else "CSV, HEADER"
    with duckdb.connect() as connection:
        connection.register("made", columns)
        names = ", ".join(
            "CAST(line AS VARCHAR) AS line" if name == "line" else name for name in columns
        )
        target = str(path).replace("'", "''")
        connection.execute(f"COPY (SELECT {names} FROM made) TO '{target}' (FORMAT {kind})")
