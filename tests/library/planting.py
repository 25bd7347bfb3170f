# ruff: noqa: E501
"""A developer that plants a fault beside the steps of its plan, to see that the phase finds it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from flows.analysis.prediction.plan import PlanStep
from flows.core.flow import AtomicConfig, CompositeFlow, Flow, FlowConfig, Parts, Ports
from flows.core.run import Run
from flows.library.blocks.chat import ChatOutputs
from flows.library.pipeline.developer import CodingInputs, DeveloperConfig, DeveloperFlow
from flows.library.pipeline.state import PhaseState, StateChange

BOTH = "for_both = lambda table: table.assign({})\ntrain, test = for_both(train), for_both(test)\n"


@dataclass(frozen=True)
class Planted:
    """A fault of a phase. `told` is a word of what is found. One that `stays` is planted in every
    try, before the plan's steps, which have to mend it; others after them, in the first try."""

    phase: str
    code: str
    told: str
    stays: bool = False


CLEANING, FEATURES, MODELS = "DataCleaning", "FeatureEngineering", "ModelBuilding"
FAULTS: dict[str, Planted] = {
    "a row of test lost": Planted(CLEANING, "test = test.iloc[1:].reset_index(drop=True)", "rows_kept"),
    "most rows of train lost": Planted(CLEANING, "train = train.iloc[:20].reset_index(drop=True)", "rows_kept"),
    "rows of train twice": Planted(CLEANING, "import pandas as pd\ntrain = pd.concat([train, train.iloc[:9]], ignore_index=True)", "rows_kept|identifier_kept"),
    "an identifier changed": Planted(CLEANING, "test = test.assign(room=test['room'] + 1)", "identifier_kept"),
    "the identifier lost": Planted(CLEANING, "train = train.drop(columns='room')\ntest = test.drop(columns='room')", "identifier_kept"),
    "the target in test": Planted(CLEANING, "test = test.assign(warm='no')", "target_kept"),
    "the target lost": Planted(CLEANING, "train = train.drop(columns='warm')", "target_kept"),
    "the target changed": Planted(CLEANING, "train = train.assign(warm=train['warm'].iloc[::-1].to_numpy())", "target_kept"),
    "gaps left": Planted(CLEANING, "train = train.assign(sun=train['sun'].where(train['sun'] > 4))", "no_missing_values_left"),
    "a column of train alone": Planted(CLEANING, "train = train.assign(sunny=train['sun'] ** 3)", "same_columns"),
    "a column of test alone": Planted(CLEANING, "test = test.drop(columns='sun')", "same_columns"),
    "a constant": Planted(FEATURES, BOTH.format("kind=7.5"), "no_constant_features"),
    "a column twice": Planted(FEATURES, BOTH.format("sun_copy=table['sun']"), "no_duplicate_features"),
    "a leak of the target": Planted(FEATURES, "train = train.assign(hint=(train['warm'] == 'yes') * 2.0 + train['sun'] / 1000)\ntest = test.assign(hint=test['sun'] / 1000)", "no_leakage", stays=True),
    "an explosion": Planted(FEATURES, BOTH.format("**{f'sun_{n}': table['sun'] ** (n / 90) for n in range(700)}"), "no_feature_explosion"),
    "rows turned": Planted(FEATURES, "test = test.iloc[::-1].reset_index(drop=True)", "identifier_kept|rows_kept"),
    "no validation": Planted(MODELS, "folds = folds.assign(fold=0)", "validation_made"),
    "other columns handed in": Planted(MODELS, "submission = submission.rename(columns={'warm': 'heat'})", "submission_columns"),
    "other identifiers handed in": Planted(MODELS, "submission = submission.assign(room=submission['room'] + 1)", "submission_identifiers"),
    "another order handed in": Planted(MODELS, "submission = submission.iloc[::-1].reset_index(drop=True)", "submission_order"),
    "a row not handed in": Planted(MODELS, "submission = submission.iloc[1:].reset_index(drop=True)", "submission_rows"),
    "gaps handed in": Planted(MODELS, "submission = submission.assign(warm=submission['warm'].where(submission.index > 3))", "submission_values"),
    "an unknown class handed in": Planted(MODELS, "submission = submission.assign(warm='lukewarm')", "submission_values"),
}  # fmt: skip


class PlantingDeveloperConfig(DeveloperConfig):
    """The keys of a developer that plants a fault of `FAULTS`."""

    fault: str


class PlantingDeveloper(DeveloperFlow):
    """Works on the plan, and on one more step that plants the fault."""

    Config: ClassVar[type[FlowConfig]] = PlantingDeveloperConfig

    def __init__(self, config: PlantingDeveloperConfig, parts: Parts) -> None:
        super().__init__(config, parts)
        self.planted = FAULTS[config.fault]
        inner = self.write
        self.write = PlantedCode(parts.below("planted_code"), inner, self.planted)  # type: ignore[assignment]
        del self.subflows[inner.name]
        self.subflows["planted_code"] = self.write

    async def run(self, inputs: PhaseState, run: Run) -> StateChange:
        if inputs.experience.try_number > 1 and not self.planted.stays:
            return await super().run(inputs, run)
        step = PlanStep(purpose="plant")
        steps = (step, *inputs.steps) if self.planted.stays else (*inputs.steps, step)
        return await super().run(inputs.model_copy(update={"steps": steps}), run)


class PlantedCode(CompositeFlow):
    """The code that the developer's own chat gives for the plan, and that of the fault."""

    Config: ClassVar[type[FlowConfig]] = AtomicConfig
    Inputs: ClassVar[type[Ports]] = CodingInputs
    Outputs: ClassVar[type[Ports]] = ChatOutputs

    def __init__(self, parts: Parts, inner: Flow, planted: Planted) -> None:
        super().__init__(AtomicConfig(description="Plants a fault."), parts)
        self.inner, self.planted = inner, planted
        self.subflows = {inner.name: inner}

    async def run(self, inputs: CodingInputs, run: Run) -> ChatOutputs:
        places = [n for n, each in enumerate(inputs.steps) if each.purpose == "plant"]
        steps = tuple(each for each in inputs.steps if each.purpose != "plant")
        run.reset(self.inner)
        asked: Mapping[str, object] = {**inputs.__dict__, "steps": steps}
        said = await run.call(self.inner, asked)
        code = list(json.loads(said["api_output"])["code"])
        for place in places:
            code.insert(place, self.planted.code)
        return ChatOutputs(api_output=json.dumps({"code": code, "from_step": 1}))
