"""A run that is killed in its last step, and its resumption in this process with the clocks on.

`resume_time.py` starts the run by `flows run` with `ours_resume.yaml`, which names the flow here.
With the variable `BENCHMARK_DIES_AFTER` the flow kills its own process after so many steps;
without it the run comes to its end. As a driver this resumes the run in `--folder` and prints a
JSON line; to make the plan from what was recorded is not measured.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import os
import signal
import time
from pathlib import Path

from ours_talk import ThinkFlow, ThinkInputs, ThinkOutputs

from flows.build.restoration import recorded_plan
from flows.core.run import Run
from flows.runners.local import run_plan


class MortalThinkFlow(ThinkFlow):
    """The ring's subflow, until its process is killed."""

    kind = "benchmark.mortal_think"

    async def run(self, inputs: ThinkInputs, run: Run) -> ThinkOutputs:
        if os.environ.get("BENCHMARK_DIES_AFTER") == str(inputs.counter):
            os.kill(os.getpid(), signal.SIGKILL)
        return await super().run(inputs, run)


async def resume(folder: Path) -> None:
    plan = recorded_plan(folder, trust=("ours_resume",))
    gc.collect()
    wall, cpu = time.perf_counter(), time.process_time()
    result = await run_plan(plan, run_id=folder.name, resume=True)
    took = {"wall_s": time.perf_counter() - wall, "cpu_s": time.process_time() - cpu}
    ended = {"status": result.status, "outputs": dict(result.outputs)}
    print(json.dumps(took | ended), flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--folder", type=Path, required=True)
    asyncio.run(resume(parser.parse_args().folder))
