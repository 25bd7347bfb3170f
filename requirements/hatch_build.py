"""Writes the JSON Schema of run files before a wheel is made, as git does not keep it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

SCHEMA = Path("configs", "schema", "run.schema.json")
# What `flows schema` imports: much less than the package needs to run.
NEEDED = {
    "anyio",
    "httpx",
    "hydra-core",
    "jinja2",
    "markupsafe",
    "omegaconf",
    "openai",
    "pydantic",
    "pydantic-core",
    "pyyaml",
    "sqlglot",
    "tenacity",
    "typer",
}


class SchemaHook(BuildHookInterface):  # type: ignore[type-arg]
    """Writes the schema into the folder `configs`, which goes into the wheel as a whole."""

    def dependencies(self) -> list[str]:
        """The package's own requirements of what `flows schema` imports."""
        wanted = self.metadata.core.dependencies
        return [each for each in wanted if re.split(r"[^\w-]", each)[0].lower() in NEEDED]

    def initialize(self, version: str, build_data: dict[str, object]) -> None:
        """Write it. An editable install needs none, as its configs are those of the checkout.

        Errors: `CalledProcessError`, below what `flows schema` says.
        """
        del build_data
        if version == "editable":
            return
        command = [sys.executable, "-m", "flows", "schema", "--out", str(SCHEMA)]
        environment = {**os.environ, "PYTHONPATH": self.root}
        subprocess.run(command, cwd=self.root, env=environment, check=True)
