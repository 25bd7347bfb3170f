"""From a request to what answers it: checked against the semantic model, made SQL or code."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any, ClassVar

from flows.core.flow import AtomicConfig, AtomicFlow, Effect, FlowConfig, Parts, Ports
from flows.core.observation import Caution
from flows.core.run import Run
from flows.data.catalog import Catalog
from flows.data.results.charts import ChartSpec
from flows.semantics.models import SemanticModels
from flows.semantics.query import Query
from flows.semantics.request import Compound, Request


class CompileConfig(AtomicConfig):
    """The keys of a compiling flow."""

    description: str = "Compiles the request."


class CompileInputs(Ports):
    """`evidence` wants the figures by which the first rows of a query came first, too; `by_figure`
    wants a comparison of two scopes as a row for each figure, for others to work on."""

    request: Request
    evidence: bool = False
    by_figure: bool = False


class CompileOutputs(Ports):
    """What answers a `request`, with its `words` in the language that is read back as the same one:
    `sql`, `code`, a `text`, or its `parts`, each answered by itself; or the `problem` why it cannot
    be answered, for whoever made it. `warnings` are what to know beside the answer."""

    request: Request
    sql: str | None = None
    code: str | None = None
    text: str | None = None
    parts: tuple[CompileOutputs, ...] = ()
    warnings: tuple[Caution, ...] = ()
    chart: ChartSpec | None = None
    words: str = ""
    problem: str = ""


class CompileFlow(AtomicFlow):
    """Compiles a request, whoever made it: rules, a language model, or a person in a file."""

    needs: ClassVar[Mapping[str, str]] = {"data": "data", "semantics": "semantics"}
    effect: Effect = "pure"
    Config: ClassVar[type[FlowConfig]] = CompileConfig
    Inputs: ClassVar[type[Ports]] = CompileInputs
    Outputs: ClassVar[type[Ports]] = CompileOutputs

    def __init__(self, config: CompileConfig, parts: Parts) -> None:
        super().__init__(config, parts)
        self.catalog = parts.service("data", Catalog)
        self.semantics = parts.service("semantics", SemanticModels)

    async def run(self, inputs: CompileInputs, run: Run) -> CompileOutputs:
        del run
        return await asyncio.to_thread(self.compiled, inputs)

    def compiled(self, inputs: CompileInputs) -> CompileOutputs:
        """What answers a request. Errors: of reading the data."""
        return compile_request(inputs, self.catalog, self.semantics)


def compile_request(
    asked: CompileInputs, catalog: Catalog, semantics: SemanticModels
) -> CompileOutputs:
    """What answers a request over the data of a catalog. Errors: of reading the data."""
    from flows.analysis.analyst.proposal import Analyst
    from flows.analysis.parser.exact import words
    from flows.analysis.team.statement import is_contrast, statement
    from flows.semantics.check import check
    from flows.semantics.kinds import with_evidence
    from flows.semantics.tables import meant

    request = asked.request
    model = semantics.model()
    tables = meant([table.without_sample() for table in catalog.tables()], model)
    if problems := check(request, model):
        said = "; ".join(dict.fromkeys(map(str, problems)))
        return CompileOutputs(request=request, problem=f"the request does not fit the data: {said}")

    def outputs(one: Request, made: Mapping[str, Any]) -> CompileOutputs:
        inner = one.requests if isinstance(one, Compound) else ()
        parts = tuple(map(outputs, inner, made["parts"]))
        problem = made["cannot"] or next((each.problem for each in parts if each.problem), "")
        return CompileOutputs(
            request=one, sql=made["sql"], code=made["code"], text=made["text"], parts=parts,
            chart=made["chart"], warnings=made["warnings"], words=words(one, model),
            problem=problem,
        )  # fmt: skip

    if asked.evidence and isinstance(request, Query):
        request = with_evidence(request, model)
    made = Analyst(tables, model).propose_for(request)
    if asked.by_figure and isinstance(request, Query) and is_contrast(request):
        made |= {"sql": statement(request, model, tables)}
    return outputs(request, made)
