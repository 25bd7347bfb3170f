"""The agent that learns models: a plan, code in the sandbox, and the model as a card."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Mapping, Sequence
from typing import ClassVar, Final

from pydantic import ValidationError

from flows.core.flow import AtomicConfig, AtomicFlow, CompositeFlow, FlowConfig, Parts, Ports
from flows.core.observation import Cell
from flows.core.run import Run
from flows.data.tables import ResultTable
from flows.library.analyst.agent import AgentConfig, AgentInputs, AgentOutputs, found
from flows.library.analyst.cited_texts import Teller
from flows.library.analyst.developer import ACTIONS, Developer
from flows.library.analyst.interpreter import NEEDS, CodeInterpreter, Seconds
from flows.library.analyst.measures import with_measures
from flows.semantics.findings import Finding, ModelCard, ModelMetric, OutputType, Weight

# The variables by which code hands a model over.
METRICS, IMPORTANCES, PREDICTIONS, MODEL = "metrics", "importances", "predictions", "model"
_RESULT: Final = "result"

Row = Mapping[str, Cell]


class PythonModellingConfig(AgentConfig):
    """The keys of a modeller."""

    description: str = (
        "Learns a model with Python over a table and judges it on rows that it has not seen: which "
        "columns drive a target, how well it can be predicted. Gives a model with metrics, "
        "importances and predictions."
    )
    seconds: Seconds = None


class CardInputs(Ports):
    """The artifacts of tables and models by the variables that they were."""

    kept: dict[str, str]


class CardOutputs(Ports):
    """The model; None where nothing of it was handed over."""

    card: ModelCard | None = None


class CardFlow(AtomicFlow):
    """Reads what code has handed over of a model: of parts of it a card with those parts."""

    Config: ClassVar[type[FlowConfig]] = AtomicConfig
    Inputs: ClassVar[type[Ports]] = CardInputs
    Outputs: ClassVar[type[Ports]] = CardOutputs

    def __init__(self, parts: Parts) -> None:
        super().__init__(AtomicConfig(description="Reads the model."), parts)

    async def run(self, inputs: CardInputs, run: Run) -> CardOutputs:
        return CardOutputs(card=await asyncio.to_thread(self._card, inputs.kept, run))

    @staticmethod
    def _card(kept: Mapping[str, str], run: Run) -> ModelCard | None:
        artifacts = run.session.artifacts

        def rows(name: str) -> list[Row]:
            if name not in kept:
                return []
            try:
                table = ResultTable.model_validate_json(artifacts.read(kept[name]))
            except ValidationError:  # a model of that name, and no table
                return []
            return [dict(zip(table.columns, row, strict=True)) for row in table.rows]

        models = [each for each in kept.values() if artifacts.find(each).what == "model"]
        saved = kept.get(MODEL, "")
        return card_of(
            rows(METRICS), rows(IMPORTANCES) or rows(_RESULT),
            saved if saved in models else next(iter(models), ""), kept.get(PREDICTIONS, ""),
        )  # fmt: skip


class PythonModellingAgentFlow(CompositeFlow):
    """As the Python developer, for models: what it hands over becomes the finding's card."""

    required: ClassVar[tuple[str, ...]] = ACTIONS
    gives: ClassVar[OutputType] = "model"
    needs: ClassVar[Mapping[str, str]] = NEEDS
    Config: ClassVar[type[FlowConfig]] = PythonModellingConfig
    Inputs: ClassVar[type[Ports]] = AgentInputs
    Outputs: ClassVar[type[Ports]] = AgentOutputs

    def __init__(self, config: PythonModellingConfig, parts: Parts) -> None:
        super().__init__(config, parts)
        interpreter = CodeInterpreter(parts, config.seconds)
        self.developer = Developer(
            self.subflows, interpreter, modelling=True, corrections=config.corrections
        )
        self.card = CardFlow(Parts("card", services=parts.services))
        self.teller = Teller(parts)
        self.subflows |= {**interpreter.subflows, "card": self.card, **self.teller.subflows}

    async def run(self, inputs: AgentInputs, run: Run) -> AgentOutputs:
        written = await self.developer.write_code(inputs, run)
        finding = await self.developer.find(inputs, written, run)
        kept = written.gave["kept"]
        card: ModelCard | None = (await run.call(self.card, {"kept": kept}))["card"]
        if card is None:
            return found(finding)
        learned = finding.model_copy(update={"model": card, "response": said(card, finding)})
        return await with_measures(learned, kept, self.teller, run)


def said(card: ModelCard, finding: Finding) -> str:
    """A model in a sentence; its numbers are told where they can be cited."""
    what = f"A model ({card.kind})" if card.kind else "A model"
    of = f" of {card.target}" if card.target else ""
    top = [each.feature for each in card.importances[:3]]
    most = f" What counts most in it: {', '.join(top)}." if top else ""
    return f"{what}{of}.{most} {finding.response}"


def card_of(
    metrics: Sequence[Row], importances: Sequence[Row], artifact: str = "", predictions: str = ""
) -> ModelCard | None:
    """The card of what was handed over; None for nothing. Importances come largest first."""
    measured = [
        ModelMetric(
            name=str(row["metric"]),
            held_out=_number(row.get("held_out")),
            cross_validated=_number(row.get("cross_validated")),
            baseline=_number(row.get("baseline")),
        )
        for row in metrics
        if row.get("metric") is not None
    ]
    weights = [
        Weight(feature=str(row["feature"]), importance=value, effect=_number(row.get("effect")))
        for row in importances
        if row.get("feature") is not None and (value := _number(row.get("importance"))) is not None
    ]
    if not measured and not weights and not artifact:
        return None
    first: Row = metrics[0] if metrics else {}
    weights.sort(key=lambda each: -each.importance)
    return ModelCard(
        kind=str(first.get("model") or ""),
        target=str(first.get("target") or ""),
        features=tuple(each.feature for each in weights),
        rows=_count(first.get("rows")),
        learned_rows=_count(first.get("learned_rows")),
        held_out_rows=_count(first.get("held_out_rows")),
        metrics=tuple(measured),
        importances=tuple(weights),
        artifact=artifact,
        predictions=predictions,
    )


def _number(cell: Cell) -> float | None:
    if not isinstance(cell, int | float) or isinstance(cell, bool) or not math.isfinite(cell):
        return None
    return float(cell)


def _count(cell: Cell) -> int:
    value = _number(cell)
    return int(value) if value is not None and value >= 0 else 0
