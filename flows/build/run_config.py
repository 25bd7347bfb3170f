"""The keys of a run file: those of the run itself, beside those of its flow."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Final

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationInfo

from flows.build.mcp_config import McpConfig
from flows.config.secret import Secret
from flows.config.tree import TARGET
from flows.core.function_store import FunctionStoreConfig
from flows.core.limits import Limits, Price
from flows.core.sandbox import SandboxConfig
from flows.core.store import Durability
from flows.core.workers import RunnerConfig
from flows.data.files.source_options import SourceOptions

SUBFLOWS: Final = "subflows_config"
RUN_KINDS: Final = ("model", "memory", "entities", "human", "embedder")
SIDES: Final = ("input_interface", "output_interface")


def _described(value: Any, info: ValidationInfo) -> Any:
    """A service as it is. Errors: `ValueError` for a name alone, which says how it is chosen."""
    if isinstance(value, str):
        name, key = value.rpartition(".")[2], info.field_name
        raise ValueError(  # noqa: TRY004  what pydantic takes for a fault
            f"must be a mapping, not {value!r}: choose it with defaults: [{{{key}: {name}}}, "
            f"_self_], or describe it, {key}: {{_target_: {key}.{name}}}"
        )
    return value


def _named(value: Any) -> Any:
    """Data sources as they are. Errors: `ValueError` for paths without names."""
    if isinstance(value, str | list):
        first = str(value[0] if isinstance(value, list) and value else value)
        name = "".join(each if each.isalnum() else "_" for each in Path(first).stem) or "name"
        raise ValueError(f"each source has a name, as in data: {{{name}: {first}}}")  # noqa: TRY004
    return value


Service = Annotated[dict[str, Any] | None, BeforeValidator(_described)]


class RunConfig(BaseModel):
    """The keys of a run file beside those of its flow."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    model: Service = Field(default=None, description="the chat model of all flows")
    memory: Service = Field(default=None, description="the memory of all flows")
    entities: Service = Field(default=None, description="what is known of things by their keys")
    human: Service = Field(default=None, description="how a person is reached")
    embedder: Service = Field(
        default=None, description="how memory, documents and names are compared with a text"
    )
    data: Annotated[dict[str, Secret | SourceOptions], BeforeValidator(_named)] = Field(
        default={}, description="data sources: names to paths, URLs, or a path with settings"
    )
    dictionary: str | None = Field(
        default=None, description="a file that says what tables and columns mean"
    )
    semantic_model: str | None = Field(
        default=None,
        description="a file that says what the data mean (Apache Ossie, or dbt), over what they "
        "tell by themselves; flows model FILE --out writes one",
    )
    glossary: str | None = Field(
        default=None,
        description="a CSV file (keyword, keyword_in_the_data, entity) that questions are read "
        "with; it is made when the first word is learned",
    )
    documents: str | dict[str, Any] | None = Field(
        default=None,
        description="a folder of documents (pdf, txt, md, docx, html), or one; or a service with "
        "settings",
    )
    functions: FunctionStoreConfig | None = Field(
        default=None, description="the functions that an agent may search and call"
    )
    sandbox: SandboxConfig = Field(
        default=SandboxConfig(), description="what holds the Python code that flows run"
    )
    inputs: dict[str, Any] = Field(default={}, description="the inputs of the flow")
    limits: Limits = Field(default=Limits(), description="budgets of the run")
    prices: dict[str, Price] = Field(
        default={}, description="US dollars for a million tokens, by the model's name"
    )
    runner: RunnerConfig = Field(
        default=RunnerConfig(),
        description="where the elements of maps are done, and parallel steps",
    )
    durability: Durability = Field(
        default="full",
        description="full: what a step did is on the disk before the next; normal: when the "
        "system writes it, so that a power cut can take the last steps",
    )
    runs: str = Field(default="runs", description="the folder that run folders are made in")
    mcp: McpConfig = Field(
        default=McpConfig(), description="how flows mcp offers the flow to its clients"
    )


# Flows have these keys at the top of a run file, whether or not the file mentions them.
FLOW_KEYS: Final = (
    "name", "description", "timeout", TARGET, SUBFLOWS, "topology", "max_rounds", "early_exit_key",
    *SIDES,
)  # fmt: skip
KNOWN: Final = (*RunConfig.model_fields, *FLOW_KEYS)
