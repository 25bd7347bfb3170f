"""The agent that looks a question up in documents: enough for an answer, or what of them helps."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Final

from pydantic import Field

from flows.core.documents import Chunking, Documents, Indexed, Passage
from flows.core.flow import (
    AtomicConfig,
    AtomicFlow,
    CompositeFlow,
    Effect,
    FlowConfig,
    Parts,
    Ports,
)
from flows.core.observation import Caution
from flows.core.run import Run
from flows.errors import RecallError, SourceError
from flows.library.analyst.action_calls import ask_action
from flows.library.analyst.agent import AgentConfig, AgentInputs, AgentOutputs
from flows.library.analyst.cited_passages import (
    CitedText,
    check_numbers,
    read_cited,
    without_marks,
)
from flows.semantics.findings import Finding, OutputType, Told

ACTION: Final = "retrieval_augmented_generation"
_MOST_TOLD = 5
# One after the other: larger passages hold more of a question's words, smaller ones are purer.
_OTHER_SIZES: Final = (3.0, 0.5, 8.0, 0.25)


class RAGConfig(AgentConfig):
    """The keys of the agent for documents."""

    description: str = (
        "Looks a question up in the documents: what they say, word for word or in short, each "
        "statement with its source. It computes nothing."
    )
    chunking: Chunking = Field(default=Chunking(), description="how documents are cut at first")
    tries: int = Field(
        default=3, ge=1, le=5,
        description="ways of cutting the documents that are tried while nothing is found",
    )  # fmt: skip
    n_results: int = Field(default=6, ge=1, le=50, description="passages that the model is given")
    least_score: float = Field(
        default=0.15, ge=0, le=1,
        description="the least share of the question's telling words that a passage has to hold",
    )  # fmt: skip


class RAGOutputs(AgentOutputs):
    """What the documents say. If it is `enough`, the answer is the finding's insight, and else
    `context` is what helps, with its sources; `[1]` is the first of the `passages`. `indexed` is
    what has changed in the documents."""

    enough: bool
    passages: tuple[Passage, ...] = ()
    context: str = ""
    indexed: Indexed | None = None


class RefreshInputs(Ports):
    """How documents are cut. With `quiet` nobody is told what has changed."""

    chunking: Chunking
    quiet: bool = False


class RefreshOutputs(Ports):
    indexed: Indexed


class RefreshFlow(AtomicFlow):
    """Brings the index of the run's documents up to date, and tells what has changed."""

    needs: ClassVar[Mapping[str, str]] = {"documents": "documents"}
    effect: Effect = "idempotent"
    Inputs: ClassVar[type[Ports]] = RefreshInputs
    Outputs: ClassVar[type[Ports]] = RefreshOutputs

    def __init__(self, config: AtomicConfig, parts: Parts) -> None:
        super().__init__(config, parts)
        self.documents: Documents = parts.service("documents", Documents)  # type: ignore[type-abstract]

    async def run(self, inputs: RefreshInputs, run: Run) -> RefreshOutputs:
        try:
            indexed = await self.documents.refresh(inputs.chunking)
        except RecallError as error:
            raise SourceError(f"the documents cannot be read: {error}") from error
        changes = told_changes(indexed)
        if changes and not inputs.quiet:
            run.notice(f"Documents: {changes}.")
        return RefreshOutputs(indexed=indexed)


class RetrieveInputs(Ports):
    query: str
    chunking: Chunking
    n_results: int
    least_score: float


class RetrieveOutputs(Ports):
    passages: tuple[Passage, ...] = ()


class RetrieveFlow(AtomicFlow):
    """Finds the passages that speak of what a query asks for."""

    needs: ClassVar[Mapping[str, str]] = {"documents": "documents"}
    effect: Effect = "idempotent"
    Inputs: ClassVar[type[Ports]] = RetrieveInputs
    Outputs: ClassVar[type[Ports]] = RetrieveOutputs

    def __init__(self, config: AtomicConfig, parts: Parts) -> None:
        super().__init__(config, parts)
        self.documents: Documents = parts.service("documents", Documents)  # type: ignore[type-abstract]

    async def run(self, inputs: RetrieveInputs, run: Run) -> RetrieveOutputs:
        del run
        try:
            near = await self.documents.find(inputs.query, inputs.n_results, inputs.chunking)
        except RecallError as error:
            raise SourceError(f"the documents cannot be searched: {error}") from error
        return RetrieveOutputs(passages=tuple(p for p in near if p.score >= inputs.least_score))


class RAGAgentFlow(CompositeFlow):
    """Brings the index up to date, finds passages, and asks its action whether they are enough.

    Where nothing is found, the documents are cut another way, `tries` times at most. Without
    documents in the run it can be built, and every call of it is a `SourceError`.
    """

    needs: ClassVar[Mapping[str, str]] = {"documents": "documents"}
    required: ClassVar[tuple[str, ...]] = (ACTION,)
    gives: ClassVar[OutputType] = "table"
    Config: ClassVar[type[FlowConfig]] = RAGConfig
    Inputs: ClassVar[type[Ports]] = AgentInputs
    Outputs: ClassVar[type[Ports]] = RAGOutputs

    def __init__(self, config: RAGConfig, parts: Parts) -> None:
        super().__init__(config, parts)
        self.refresh: RefreshFlow | None = None
        self.retrieve: RetrieveFlow | None = None
        self.lacks = "" if parts.services.get("documents") is not None else "documents"
        if parts.services.get("documents") is not None:
            plain = AtomicConfig(description="Looks for new, changed and deleted documents.")
            self.refresh = RefreshFlow(plain, Parts("refresh", services=parts.services))
            plain = AtomicConfig(description="Finds passages of the documents.")
            self.retrieve = RetrieveFlow(plain, Parts("retrieve", services=parts.services))
            self.subflows |= {"refresh": self.refresh, "retrieve": self.retrieve}

    async def run(self, inputs: AgentInputs, run: Run) -> RAGOutputs:
        indexed, passages = await self._retrieved(inputs.task, run)
        if not passages:
            return _outputs(CitedText(enough=False, text="", passages=()), indexed)
        given = tuple(without_marks(each) for each in passages)
        action = self.subflows[ACTION]
        asked = {"question": inputs.task, "passages": given}
        cited = await ask_action(
            run, action, asked, lambda reply: read_cited(reply, passages), self.config.corrections
        )
        return _outputs(cited, indexed)

    async def _retrieved(self, query: str, run: Run) -> tuple[Indexed, tuple[Passage, ...]]:
        """What has changed in the documents, and the passages that were found."""
        config: RAGConfig = self.config
        if self.refresh is None or self.retrieve is None:
            raise SourceError("the run has no documents: name their folder under `documents`")
        first: Indexed | None = None
        for chunking in chunkings(config.chunking, config.tries):
            if first is not None:
                run.notice(
                    f"Nothing was found in the documents; trying passages of {chunking.size} "
                    f"characters that share {chunking.overlap}."
                )
            quiet = first is not None  # the same files, cut another way
            refreshed = await run.call(self.refresh, {"chunking": chunking, "quiet": quiet})
            first = first or refreshed["indexed"]
            if not first.passages:
                break
            given = {"n_results": config.n_results, "least_score": config.least_score}
            near = await run.call(self.retrieve, {"query": query, "chunking": chunking, **given})
            if near["passages"]:
                return first, near["passages"]
        assert first is not None
        return first, ()


def chunkings(first: Chunking, tries: int) -> list[Chunking]:
    """Ways of cutting documents, the first and then others, each different."""
    found = [first]
    for factor in _OTHER_SIZES:
        size = max(100, min(20_000, int(first.size * factor)))
        overlap = min(size // 4, max(20, int(first.overlap * factor)), 10_000)
        other = Chunking(size=size, overlap=overlap)
        if other not in found:
            found.append(other)
    return found[:tries]


def told_changes(indexed: Indexed) -> str:
    """What is new, changed, deleted and unreadable, in a line; empty for nothing."""
    named = {"new": indexed.new, "changed": indexed.changed, "deleted": indexed.deleted}
    parts = [f"{word} {_listed(names)}" for word, names in named.items() if names]
    if indexed.unread:
        parts.append(f"not read {_listed(f'{k} ({why})' for k, why in indexed.unread.items())}")
    return "; ".join(parts)


def _outputs(cited: CitedText, indexed: Indexed) -> RAGOutputs:
    traced, cautions = check_numbers(cited)
    unread = [f"{name} {why}" for name, why in indexed.unread.items()]
    if unread:
        text = f"Documents that were not read: {_listed(unread)}."
        cautions = (*cautions, Caution(code="unread_document", text=text))
    told = Told(text=cited.text, source=cited.text, traced=traced)
    documents = tuple(dict.fromkeys(each.document for each in cited.passages))
    finding = Finding(
        output_type="text",
        response=_response(cited, indexed),
        insights=(told,) if cited.enough else (),
        cautions=cautions,
        data_used=documents,
    )
    observation = finding.observation()
    if not cited.text:
        observation = observation.model_copy(update={"kind": "empty"})
    context = "" if cited.enough or not cited.text else f"{cited.text}\n{cited.sources()}"
    return RAGOutputs(
        observation=observation, finding=finding, enough=cited.enough, passages=cited.passages,
        context=context, indexed=indexed,
    )  # fmt: skip


def _response(cited: CitedText, indexed: Indexed) -> str:
    if cited.enough:
        return f"The documents answer it. Sources:\n{cited.sources()}"
    if cited.text:
        return f"The documents do not answer it, but say:\n{cited.text}\n{cited.sources()}"
    if not indexed.documents:
        return "There is no document that can be read."
    some = "1 document" if indexed.documents == 1 else f"{indexed.documents} documents"
    return f"Nothing in {some} helps with it."


def _listed(names: Any) -> str:
    every = list(names)
    more = len(every) - _MOST_TOLD
    return ", ".join(every[:_MOST_TOLD]) + (f" and {more} more" if more > 0 else "")
