"""What an interpreter knows before it begins: what there is, and the date."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import date
from typing import ClassVar, Final

from flows.core.flow import AtomicConfig, AtomicFlow, FlowConfig, Parts, Ports
from flows.core.function_description import FunctionDescription
from flows.core.function_store import FunctionStore
from flows.core.run import Run
from flows.errors import ToolError

_MOST_NAMESPACES: Final = 30


class StartConfig(AtomicConfig):
    """The keys of a start."""

    description: str = "Looks at what there is."
    about: str = ""


class StartOutputs(Ports):
    """The date as YYYY-MM-DD, and what the data and functions of the run are about."""

    today: str
    about: str = ""


class StartFlow(AtomicFlow):
    """Notes the date and which functions the run has, so that both are the same when it goes on."""

    needs: ClassVar[Mapping[str, str]] = {"functions": "functions"}
    Config: ClassVar[type[FlowConfig]] = StartConfig
    Outputs: ClassVar[type[Ports]] = StartOutputs

    def __init__(self, config: StartConfig, parts: Parts) -> None:
        super().__init__(config, parts)
        store = parts.services.get("functions")
        self.store: FunctionStore | None = store if isinstance(store, FunctionStore) else None

    async def run(self, inputs: Ports, run: Run) -> StartOutputs:
        del inputs
        config: StartConfig = self.config
        told = [config.about.strip()]
        if self.store is not None:
            try:
                told.append(overview(await self.store.descriptions()))
            except ToolError as error:
                run.notice(f"The functions cannot be listed: {error}")
        text = "\n\n".join(each for each in told if each)
        return StartOutputs(today=date.today().isoformat(), about=text)


def overview(functions: Sequence[FunctionDescription]) -> str:
    """How many functions of which classes each namespace has, the largest namespaces first."""
    if not functions:
        return "There are no functions to search."
    spaces: dict[str, Counter[str]] = {}
    for each in functions:
        spaces.setdefault(each.namespace, Counter())[each.function_class] += 1
    ranked = sorted(spaces.items(), key=lambda item: (-item[1].total(), item[0]))
    lines = [
        f"- {name}: {', '.join(f'{count:,} {kind}' for kind, count in sorted(kinds.items()))}"
        for name, kinds in ranked[:_MOST_NAMESPACES]
    ]
    more = len(ranked) - _MOST_NAMESPACES
    if more > 0:
        lines.append(f"- {more} more namespaces")
    return "\n".join([f"{len(functions):,} functions can be searched, by namespace:", *lines])
