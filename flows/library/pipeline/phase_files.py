"""The folder of a phase: what its agents left, as files that a person reads."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import ClassVar, Final

from flows.core.artifacts import write_whole
from flows.core.flow import AtomicConfig, AtomicFlow, Effect, FlowConfig, Parts, Ports
from flows.core.run import Run
from flows.library.pipeline.agent import tools_text
from flows.library.pipeline.state import PhaseState

FOLDER: Final = "phases"


class PhaseFilesInputs(Ports):
    """The name of the folder, and the state of the phase after a try."""

    folder: str
    state: PhaseState
    score: float | None = None


class PhaseFilesOutputs(Ports):
    """The paths of the files, in the run's folder."""

    files: tuple[str, ...] = ()


class PhaseFilesFlow(AtomicFlow):
    """Writes `phases/NUMBER_PHASE`: data_preview.txt, plan.md, plan.json, code, figures, report.md,
    review.json, memory.json, user_rules.txt and tools_used.md. A further try of the phase takes the
    place of what was there; the memory holds all tries."""

    effect: Effect = "idempotent"
    Config: ClassVar[type[FlowConfig]] = AtomicConfig
    Inputs: ClassVar[type[Ports]] = PhaseFilesInputs
    Outputs: ClassVar[type[Ports]] = PhaseFilesOutputs

    def __init__(self, parts: Parts) -> None:
        super().__init__(AtomicConfig(description="Writes the files of the phase."), parts)

    async def run(self, inputs: PhaseFilesInputs, run: Run) -> PhaseFilesOutputs:
        base = Path(FOLDER) / inputs.folder
        folder = run.session.folder
        texts = {base / name: text.encode() for name, text in _texts(inputs)}
        figures = dict(_figures(inputs.state, run, base))
        await asyncio.to_thread(_write, folder, texts | figures)
        return PhaseFilesOutputs(files=tuple(str(each) for each in (*texts, *figures)))


def _write(folder: Path, contents: Mapping[Path, bytes]) -> None:
    for path, content in contents.items():
        write_whole(folder / path, content, durable=False)


def _texts(inputs: PhaseFilesInputs) -> Iterator[tuple[str, str]]:
    state = inputs.state
    preview = state.memory["planner"].history if "planner" in state.memory else ()
    if preview:
        yield "data_preview.txt", preview[-3] if len(preview) >= 3 else preview[0]
    if state.plan:
        yield "plan.md", state.plan
    if state.steps:
        steps = [each.model_dump(mode="json") for each in state.steps]
        yield "plan.json", _json(steps)
    for number, outcome in enumerate(state.work.outcomes, 1):
        yield f"code/step_{number:02}.py", f"# {outcome.step.purpose}\n{outcome.code}\n"
    if state.report:
        yield "report.md", state.report
    scores = [each.model_dump(mode="json") for each in state.scores]
    checks = [each.model_dump(mode="json") for each in state.work.checks]
    yield "review.json", _json({"score": inputs.score, "scores": scores, "unit_tests": checks})
    memory = {name: each.model_dump(mode="json") for name, each in state.memory.items()}
    yield "memory.json", _json(memory)
    yield "user_rules.txt", "".join(f"{name}: {value}\n" for name, value in state.rules.items())
    used = {each.tool for each in state.steps}
    yield "tools_used.md", tools_text([each for each in state.tools if each.name in used]) + "\n"
    if state.task is not None and not state.steps:
        yield "task.json", state.task.model_dump_json(indent=2)


def _figures(state: PhaseState, run: Run, base: Path) -> Iterator[tuple[Path, bytes]]:
    """The pictures of the figures, by what they show."""
    artifacts = run.session.artifacts
    for number, outcome in enumerate(state.work.outcomes, 1):
        for place, name in enumerate(outcome.figures, 1):
            artifact = artifacts.find(name)
            form = next((each for each in artifact.files if each.kind == "png"), None)
            if form is not None:
                path = base / "figures" / f"step_{number:02}_{place}.png"
                yield path, (run.session.folder / form.path).read_bytes()


def _json(value: object) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"
