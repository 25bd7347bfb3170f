"""A world whose plans are built once: all runs of one run file share its sandbox."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from flows.build.builder import build
from flows.build.plan import RunPlan
from flows.core.result import RunResult
from flows.models.fake.server import FakeModel
from flows.runners.local import run_plan
from tests.library.world import World


@dataclass
class Desk(World):
    """`runner` holds the one event loop on which the plans' services live, `server` is the language
    model."""

    server: FakeModel = field(kw_only=True)
    runner: asyncio.Runner = field(default_factory=asyncio.Runner)
    plans: dict[tuple[str, ...], RunPlan] = field(default_factory=dict)

    def run(self, text: str, *overrides: str, inputs: Mapping[str, Any] | None = None) -> RunResult:
        self.events.clear()
        key = (text, *overrides)
        if key not in self.plans:
            given = f"inputs: {json.dumps(inputs)}\n"
            file = self.write(f"my{len(self.plans)}.yaml", text + given)
            self.plans[key], _ = build(file, overrides, trust=("tests",))
        plan = replace(self.plans[key], inputs=inputs or {})
        return self.runner.run(run_plan(plan, listeners=(self.events.append,)))

    def close(self) -> None:
        for plan in self.plans.values():
            self.runner.run(plan.aclose())
        self.runner.close()
