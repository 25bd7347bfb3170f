"""Every built-in name that a `_target_` may use, and what it stands for.

A reference is `module:attribute` and is imported when the name is used, not before.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from flows.config.registry import Permit, Preset, Registry
from flows.library.aiflows.verse import serve_backend, serve_modules, served_modules

_BLOCKS = "flows.library.blocks"
_AUTOGPT = "flows.library.autogpt"
_CHAT = "flows.library.csv_chat"
_TEAM = "flows.library.analyst"
_PIPELINE = "flows.library.pipeline"
_INTERPRETER = "flows.library.interpreter"
_AIFLOWS = "flows.library.aiflows"
_TRANSFORMATIONS = "flows.core.transformations"

FLOWS: Final = {
    "sequential": "flows.core.sequential:SequentialFlow",
    "circular": "flows.core.circular:CircularFlow",
    "branching": "flows.core.branching:BranchingFlow",
    "parallel": "flows.core.parallel:ParallelFlow",
    "map": "flows.core.map:MapFlow",
    "chat": f"{_BLOCKS}.chat:ChatFlow",
    "sql": f"{_BLOCKS}.sql:SqlFlow",
    "query": f"{_BLOCKS}.query:QueryFlow",
    "describe": f"{_BLOCKS}.describe:DescribeFlow",
    "profile": f"{_BLOCKS}.profile:ProfileFlow",
    "python": f"{_BLOCKS}.python:PythonFlow",
    "code": f"{_BLOCKS}.code:CodeFlow",
    "glossary": f"{_BLOCKS}.rewrite:RewriteFlow",
    "glossary.learn": f"{_BLOCKS}.learn:LearnFlow",
    "cite": f"{_BLOCKS}.cite:CiteFlow",
    "table.append": f"{_BLOCKS}.append:AppendFlow",
    "memory": f"{_BLOCKS}.recall:MemoryFlow",
    "entities": f"{_BLOCKS}.entities:EntitiesFlow",
    "human.feedback": f"{_BLOCKS}.feedback:HumanFeedbackFlow",
    "tools.wikipedia": f"{_BLOCKS}.search:WikiSearchFlow",
    "tools.langchain": f"{_BLOCKS}.search:LCToolFlow",
    "chart": f"{_BLOCKS}.chart:ChartFlow",
    "render": f"{_BLOCKS}.render:RenderFlow",
    "describe_image": f"{_BLOCKS}.describe_image:DescribeImageFlow",
    "documents": "flows.library.documents.documents:DocumentsFlow",
    "ask": "flows.library.ask.ask:AskFlow",
    "csv_chat": f"{_CHAT}.conversation:ConversationFlow",
    "csv_chat.clarifier": f"{_CHAT}.clarifier:ClarifierFlow",
    "csv_chat.planner": f"{_CHAT}.planner:PlannerFlow",
    "csv_chat.summary": f"{_CHAT}.summary:SummaryFlow",
    "csv_chat.read_csv_file": f"{_CHAT}.tools.read_csv_file:ReadCsvFileFlow",
    "csv_chat.validate_python_code": f"{_CHAT}.tools.validate_python_code:ValidatePythonCodeFlow",
    "csv_chat.execute_python_code": f"{_CHAT}.tools.execute_python_code:ExecutePythonCodeFlow",
    "csv_chat.save_code_to_file": f"{_CHAT}.tools.save_code_to_file:SaveCodeToFileFlow",
    "csv_chat.list_saved_images": f"{_CHAT}.tools.list_saved_images:ListSavedImagesFlow",
    "analyst": f"{_TEAM}.analyst:AnalystFlow",
    "analyst.goal": f"{_TEAM}.goal:GoalFlow",
    "analyst.manager": f"{_TEAM}.manager:ManagerAgentFlow",
    "analyst.team": f"{_TEAM}.team:TeamFlow",
    "analyst.shared_memory": f"{_TEAM}.shared_memory:SharedMemoryFlow",
    "analyst.feedback": f"{_TEAM}.feedback:TaskFeedbackFlow",
    "analyst.data_processor": f"{_TEAM}.data_processor:DataProcessorSQLAgentFlow",
    "analyst.plotly": f"{_TEAM}.plotly:PlotlyVisualizerAgentFlow",
    "analyst.insights": f"{_TEAM}.insights:InsightsGeneratorAgentFlow",
    "analyst.python": f"{_TEAM}.python:PythonDataAgentFlow",
    "analyst.modelling": f"{_TEAM}.modelling:PythonModellingAgentFlow",
    "analyst.autogen": f"{_TEAM}.autogen:AutogenModellingAgentFlow",
    "analyst.rag": f"{_TEAM}.rag:RAGAgentFlow",
    "analyst.summarizer": f"{_TEAM}.summarizer:SummarizerAgentFlow",
    "analyst.report": f"{_TEAM}.report:ReportFlow",
    "analyst.action": f"{_TEAM}.actions:ACTION",
    "pipeline": f"{_PIPELINE}.pipeline:PipelineFlow",
    "pipeline.phase": f"{_PIPELINE}.phase:PhaseFlow",
    "pipeline.reader": f"{_PIPELINE}.reader:ReaderFlow",
    "pipeline.toolsmith": f"{_PIPELINE}.toolsmith:ToolSmithFlow",
    "pipeline.planner": f"{_PIPELINE}.planner:PhasePlannerFlow",
    "pipeline.developer": f"{_PIPELINE}.developer:DeveloperFlow",
    "pipeline.reviewer": f"{_PIPELINE}.reviewer:ReviewerFlow",
    "pipeline.summarizer": f"{_PIPELINE}.summarizer:SummarizerFlow",
    "interpreter": f"{_INTERPRETER}.interpreter:InterpreterFlow",
    "controller": f"{_AUTOGPT}.controller:ControllerFlow",
    "executor": f"{_AUTOGPT}.executor:ExecutorFlow",
    "finish": f"{_AUTOGPT}.finish:FinishFlow",
    "autogpt": f"{_AUTOGPT}.autogpt:AutoGPTFlow",
    "aiflows.launch": f"{_AIFLOWS}.launch:LaunchFlow",
    "aiflows.sequential": f"{_AIFLOWS}.composites:SEQUENTIAL",
    "aiflows.circular": f"{_AIFLOWS}.composites:AiflowsCircularFlow",
    "aiflows.branching": f"{_AIFLOWS}.composites:AiflowsBranchingFlow",
    "aiflows.demonstrated_chat": f"{_AIFLOWS}.composites:SEQUENTIAL",
    "aiflows.controller_executor": f"{_AIFLOWS}.composites:AiflowsCircularFlow",
    "aiflows.autogpt": f"{_AIFLOWS}.composites:AiflowsCircularFlow",
    "aiflows.chat": f"{_AIFLOWS}.chat:ChatModuleFlow",
    "aiflows.vision": f"{_AIFLOWS}.vision:VisionFlow",
    "aiflows.controller": f"{_AIFLOWS}.controller:ControllerModuleFlow",
    "aiflows.demonstrations": f"{_AIFLOWS}.replies:DemonstrationsFlow",
    "aiflows.fixed_reply": f"{_AIFLOWS}.replies:FixedReplyFlow",
    "aiflows.human_input": f"{_AIFLOWS}.human:HumanInputFlow",
    "aiflows.vector_store": f"{_AIFLOWS}.memory:VectorModuleFlow",
    "aiflows.wiki_search": f"{_AIFLOWS}.search:WikiModuleFlow",
    "aiflows.lc_tool": f"{_AIFLOWS}.search:LangChainToolFlow",
}
MODELS: Final = {
    "model.offline": "flows.models.offline:OfflineModel",
    "model.openai": "flows.models.openai:OpenAIModel",
    "model.langchain": "flows.models.langchain:LangChainModel",
    "model.llama": "flows.models.llama.model:LlamaModel",
    "model.replay": "flows.models.replay:ReplayModel",
    "model.litellm": "flows.models.litellm:LiteLLMModel",
    "model.tiered": "flows.models.tiered:TieredModel",
    "model.record": "flows.models.replay:RecordingModel",
    "model.client": "flows.models.client:ClientModel",
}
MEMORIES: Final = {
    "memory.chroma": "flows.memory.chroma:ChromaMemory",
    "memory.lancedb": "flows.memory.vectors.lance_stores:LanceMemory",
}
DOCUMENTS: Final = {"documents.folder": "flows.memory.document_index:DocumentFolder"}
ENTITIES: Final = {
    "entities.sqlite": "flows.memory.entities.stores:SQLiteEntityStore",
    "entities.redis": "flows.memory.entities.stores:RedisEntityStore",
}
VECTORS: Final = {
    "vectors.chroma": "flows.memory.vectors.stores:ChromaVectorStore",
    "vectors.lancedb": "flows.memory.vectors.lance_stores:LanceVectorStore",
}
EMBEDDERS: Final = {
    "embedder.lexical": "flows.memory.lexical:LexicalEmbedder",
    "embedder.minilm": "flows.memory.minilm.embedder:MiniLMEmbedder",
    "embedder.endpoint": "flows.memory.endpoint:EndpointEmbedder",
}
HUMANS: Final = {
    "human.terminal": "flows.human.terminal:TerminalHuman",
    "human.never": "flows.human.nobody:NeverHuman",
    "human.detached": "flows.human.detached:DetachedHuman",
    "human.scripted": "flows.human.script:ScriptedHuman",
}
TOOLS: Final = {
    "ddg_search_run": "flows.tools.langchain_tools:DuckDuckGoSearchRun",
    "ddg_search_results": "flows.tools.langchain_tools:DuckDuckGoSearchResults",
    "wikipedia_query_run": "flows.tools.langchain_tools:WikipediaQueryRun",
}
FUNCTION_SOURCES: Final = {
    "functions.python": "flows.tools.sources.python:PythonSource",
    "functions.openapi": "flows.tools.sources.openapi.source:OpenAPISource",
    "functions.mcp": "flows.tools.sources.mcp.source:McpSource",
    "functions.langchain": "flows.tools.sources.langchain:LangChainSource",
    "functions.entities": "flows.memory.entities.source:EntitySource",
    "functions.vectors": "flows.memory.vectors.source:VectorSource",
    "functions.columns": "flows.memory.columns.source:ColumnarSource",
    "functions.search_stores": "flows.memory.search.source:StoreSearchSource",
}
TRANSFORMATIONS: Final = {
    name: f"{_TRANSFORMATIONS}:{name}"
    for name in (
        "KeyMatchInput",
        "EndOfInteraction",
        "RegexFirstOccurrenceExtractor",
        "Json2Obj",
        "Obj2Json",
        "UnNesting",
        "PrintPreviousMessages",
        "KeyRename",
        "KeyCopy",
        "KeySet",
        "KeySelect",
        "KeyDelete",
    )
}
_METHODS: Final = f"{_AIFLOWS}.interfaces"
_FINISH: Final = f"{_METHODS}:DetectFinish"
_QUIT: Final = f"{_METHODS}:DetectQuit"
INTERFACES: Final = {
    "KeyInterface": "flows.core.interface:KeyInterface",
    "ControllerExecutorFlow.detect_finish_or_continue": _FINISH,
    "AutoGPTFlow.detect_finish_or_continue": _FINISH,
    "AutoGPTFlow.detect_finish_in_human_input": _QUIT,
    "ReActWithHumanFeedback.detect_finish_in_human_input": _QUIT,
    "AutoGPTFlow.prepare_memory_read_input": f"{_METHODS}:MemoryQuery",
    "AutoGPTFlow.prepare_memory_read_output": f"{_METHODS}:MemoryText",
    "AutoGPTFlow.prepare_memory_write_input": f"{_METHODS}:MemoryEntry",
    "AutoGPTFlow.prepare_memory_write_output": f"{_METHODS}:Nothing",
}

KINDS: Final = {
    "flow": FLOWS,
    "model": MODELS,
    "memory": MEMORIES,
    "documents": DOCUMENTS,
    "entities": ENTITIES,
    "vectors": VECTORS,
    "embedder": EMBEDDERS,
    "human": HUMANS,
    "tool": TOOLS,
    "function_source": FUNCTION_SOURCES,
    "transformation": TRANSFORMATIONS,
    "interface": INTERFACES,
}

ACTIONS: Final = (
    "task_list_generation",
    "assign_input_dependency",
    "reflection",
    "plan_generation",
    "data_dictionary_generator",
    "sql_generation",
    "python_code_generation",
    "python_code_correction",
    "chart_generation",
    "insights_generation",
    "task_list_update",
    "summary_generation",
    "retrieval_augmented_generation",
)

PRESETS: Final = {
    **{("flow", f"action.{name}"): Preset("analyst.action", {"action": name}) for name in ACTIONS},
    ("flow", "duckdb"): Preset("sql", {"engine": "duckdb"}),
    ("flow", "memory.chroma"): Preset("memory", {"store": {"_target_": "memory.chroma"}}),
    ("flow", "human.terminal"): Preset("human.feedback", {"human": {"_target_": "human.terminal"}}),
    ("flow", "human.never"): Preset("human.feedback", {"human": {"_target_": "human.never"}}),
}

_DEMONSTRATED: Final = "flow_modules.aiflows.ChatWithDemonstrationsFlowModule"
_CONTROLLED: Final = "flow_modules.aiflows.ControllerExecutorFlowModule"
# aiflows' dotted names. One that ends in a dot stands for all that begin with it.
ALIASES: Final = {
    "analyst.sql": "sql",
    "aiflows.base_flows.SequentialFlow": "aiflows.sequential",
    "aiflows.base_flows.CircularFlow": "aiflows.circular",
    "aiflows.base_flows.BranchingFlow": "aiflows.branching",
    "aiflows.interfaces.KeyInterface": "KeyInterface",
    "langchain.tools.DuckDuckGoSearchRun": "ddg_search_run",
    "langchain_community.tools.DuckDuckGoSearchRun": "ddg_search_run",
    "langchain_community.tools.WikipediaQueryRun": "wikipedia_query_run",
    "aiflows.backends.llm_lite.LiteLLMBackend": "model.litellm",
    "flow_modules.aiflows.ChatFlowModule.": "aiflows.chat",
    "flow_modules.aiflows.ChatInteractiveFlowModule.": "aiflows.chat",
    "flow_modules.aiflows.VisionFlowModule.": "aiflows.vision",
    f"{_DEMONSTRATED}.ChatWithDemonstrationsFlow": "aiflows.demonstrated_chat",
    f"{_DEMONSTRATED}.DemonstrationsAtomicFlow": "aiflows.demonstrations",
    "flow_modules.aiflows.FixedReplyFlowModule.": "aiflows.fixed_reply",
    "flow_modules.aiflows.VectorStoreFlowModule.": "aiflows.vector_store",
    "flow_modules.aiflows.LCToolFlowModule.": "aiflows.lc_tool",
    "flow_modules.aiflows.HumanStandardInputFlowModule.": "aiflows.human_input",
    "flow_modules.aiflows.AutoGPTFlowModule.AutoGPTFlow": "aiflows.autogpt",
    f"{_CONTROLLED}.ControllerAtomicFlow": "aiflows.controller",
    f"{_CONTROLLED}.ControllerExecutorFlow": "aiflows.controller_executor",
    f"{_CONTROLLED}.WikiSearchAtomicFlow": "aiflows.wiki_search",
    **{f"aiflows.data_transformations.{name}": name for name in TRANSFORMATIONS},
    "aiflows.base_flows.sequential.SequentialFlow": "aiflows.sequential",
    "aiflows.base_flows.circular.CircularFlow": "aiflows.circular",
    "aiflows.base_flows.branching.BranchingFlow": "aiflows.branching",
    "aiflows.interfaces.key_interface.KeyInterface": "KeyInterface",
    **{
        f"aiflows.data_transformations.{module}.{name}": name
        for name, module in {
            "KeyMatchInput": "key_match_input",
            "EndOfInteraction": "end_of_interaction",
            "RegexFirstOccurrenceExtractor": "regex_extractor_first",
            "Json2Obj": "json",
            "Obj2Json": "json",
            "UnNesting": "unnesting_dict",
            "PrintPreviousMessages": "print_previous_messages",
            "KeyRename": "key_rename",
            "KeyCopy": "key_copy",
            "KeySet": "key_set",
            "KeySelect": "key_select",
            "KeyDelete": "key_delete",
        }.items()
    },
}


def serve_verse() -> None:
    """Have classes for aiflows find what this package serves of it. Nothing is imported now."""
    serve_modules(served_modules(ALIASES))
    serve_backend()


def builtin_registry(
    trust: Sequence[str] = (),
    folder: Path | None = None,
    permit: Permit | None = None,
    *,
    dotted_files: bool = False,
) -> Registry:
    """The registry of this package. `trust` names packages whose dotted paths are accepted; they
    are installed, or in the folder of the run file. `permit` says whether a file in that folder may
    be run, `dotted_files` that such a file may be named as a module."""
    if trust or dotted_files:
        serve_verse()
    table = {(kind, name): ref for kind, names in KINDS.items() for name, ref in names.items()}
    return Registry(
        table, aliases=ALIASES, presets=PRESETS, trust=trust, folder=folder, permit=permit,
        dotted_files=dotted_files,
    )  # fmt: skip
