"""Cases of prompts and of chats: what is sent to the model, message by message."""

from __future__ import annotations

from typing import Any, Final

from tests.library.aiflows.oracle.case import (
    MAKER,
    Case,
    Tree,
    circle,
    keys,
    kind,
    sequence,
    step,
)

CHAT: Final = f"flow_modules.aiflows.ChatFlowModule.ChatAtomicFlow.{MAKER}"
PROMPT: Final = "aiflows.prompt_template.JinjaPrompt"
_VALUES: Final = {
    "query": "Why?", "items": ["a", "b"], "table": {"x": 1, "y": None}, "yes": True, "ratio": 0.5,
}  # fmt: skip
_TWICE: Final = "a message that both first_k and last_k keep is sent once"


def prompt(template: str, *inputs: str, **partial: Any) -> Tree:
    return {
        "_target_": PROMPT,
        "template": template,
        "input_variables": list(inputs),
        "partial_variables": partial,
    }


def chat(**more: Any) -> Tree:
    backend = {
        "_target_": "aiflows.backends.llm_lite.LiteLLMBackend",
        "api_infos": [{"backend_used": "openai", "api_key": "sk-case", "api_base": "BASE_URL"}],
        "model_name": "gpt-tiny",
        "wait_time_per_key": 0,
        "stream": False,
    }
    return {"_target_": CHAT, "name": "Chat", "description": "Chats.", "backend": backend, **more}


def asked(chat_flow: Tree, *inputs: str, sink: Tree | None = None) -> Tree:
    """One call of the chat with these keys."""
    source = keys(keys_to_select=list(inputs or ("query",)))
    file = sequence({"chat": chat_flow}, [step("chat", source, sink)])
    file["output_interface"] = ["api_output"]
    return file


def _prompts() -> list[Case]:
    def rendered(about: str, template: str, *inputs: str, **partial: Any) -> Case:
        human = prompt(template, *inputs, **partial)
        given = chat(human_message_prompt_template=human, input_interface=list(inputs))
        return Case(f"prompt {about}", asked(given, *inputs), _VALUES, ("so",))

    undefined = chat(human_message_prompt_template=prompt("{{query}} {{qery}}", "query"))
    looped = chat(
        human_message_prompt_template=prompt(
            "{% for i in itms %}{{i}}{% endfor %}{% if yess %}a{% else %}b{% endif %} {{query}}",
            "query",
        )
    )
    priced = chat(human_message_prompt_template=prompt("${5}: {{query}}", "query"))
    return [
        rendered("with an input", "Answer: {{query}}", "query"),
        rendered("with a partial variable", "{{greeting}} {{query}}", "query", greeting="Hi"),
        rendered("whose input is a partial variable too", "{{query}}", "query", query="other"),
        rendered("with a line break at its end", "{{query}}\n", "query"),
        rendered("with line breaks around it", "\n\n{{query}}\n\n", "query"),
        rendered("with a loop", "{% for i in items %}\n- {{i}}\n{% endfor %}", "items"),
        rendered("with a condition", "{% if yes %}{{query}}{% else %}no{% endif %}",
                 "yes", "query"),
        rendered("with filters", "{{query|upper}} {{items|join(', ')}} {{items|length}}",
                 "query", "items"),
        rendered("with a list and a mapping", "{{items}} {{table}} {{table.x}}", "items", "table"),
        rendered("with numbers and truth", "{{ratio}} {{yes}} {{table.y}}",
                 "ratio", "yes", "table"),
        rendered("with a comment", "{# not shown #}{{query}}", "query"),
        rendered("with letters of its own", "<b>&amp; \u201c{{query}}\u201d \U0001f600", "query"),
        rendered("with a variable of its own", "{% set q = query %}{{q}}{{q}}", "query"),
        Case("prompt with a variable that nothing fills", asked(undefined), _VALUES, ("so",)),
        Case("prompt with a list that nothing fills", asked(looped), _VALUES, ("so",)),
        Case("prompt with a dollar and a brace", asked(priced), _VALUES, ("so",)),
    ]  # fmt: skip


def _chats() -> list[Case]:
    system = prompt("Be kind, in {{language}}.", language="French")
    first = prompt("First: {{query}}", "query")
    human = prompt("Then: {{query}}", "query")
    shown = [{"query": "1+1?", "response": "2"}, {"query": "2+2?", "response": "4"}]
    both = {"system_message_prompt_template": system, "init_human_message_prompt_template": first}
    prints = keys(additional_transformations=[kind("PrintPreviousMessages")])
    last = keys(
        additional_transformations=[kind("PrintPreviousMessages", last_message_only=True)],
        keys_to_rename={"api_output": "answer"},
        keys_to_copy={"answer": "api_output"},
    )
    return [
        Case("chat with a message", asked(chat()), _VALUES, ("so",)),
        Case("chat with a system's message", asked(chat(**both)), _VALUES, ("so",)),
        Case("chat with demonstrations", asked(chat(**both), "query", "demonstrations"),
             {**_VALUES, "demonstrations": shown}, ("so",)),
        Case("chat whose messages are printed", asked(chat(**both), sink=prints), _VALUES,
             ("so",)),
        Case("chat whose last message is printed", asked(chat(**both), sink=last), _VALUES,
             ("so",)),
        Case("chat whose speakers have other names", _rounds({
            **both, "system_name": "developer", "user_name": "Human", "assistant_name": "AI"}),
             _VALUES, ("one", "two", "three")),
        Case("chat that goes on", _rounds({**both, "human_message_prompt_template": human}),
             _VALUES, ("one", "two", "three")),
        Case("chat that goes on without a system", _rounds({}), _VALUES, ("one", "two", "three")),
        Case("chat that is reset", _rounds(both, reset=True), _VALUES, ("one", "two", "three")),
        Case("chat with other inputs later", _rounds({
            "init_human_message_prompt_template": first,
            "human_message_prompt_template": prompt("And {{last}}?", "last"),
            "input_interface_non_initialized": ["query"],
            "input_interface_initialized": ["last"],
        }, source=False), _VALUES, ("one", "two", "three")),
    ]  # fmt: skip


def _rounds(given: Tree, source: bool = True, reset: bool = False) -> Tree:
    """Three calls; the answer is `last` and `query` of the next one."""
    both = keys(
        keys_to_rename={"api_output": "last"} if not source else {},
        keys_to_copy={"api_output": "query"} if source else {},
    )
    topology = [step("chat", keys(keys_to_select=["query"]) if source else None, both, reset=reset)]
    return circle({"chat": chat(**given)}, topology, max_rounds=3)


def _windows() -> list[Case]:
    def window(first: int | None, last: int | None, differs: str = "") -> Case:
        given = {
            "system_message_prompt_template": prompt("Be kind."),
            "previous_messages": {"first_k": first, "last_k": last},
        }
        about = f"chat that keeps the first {first} and the last {last} messages"
        answers = ("one", "two", "three")
        here = {**_VALUES, "query": "three", "api_output": "three"} if differs else None
        return Case(about, _rounds(given), _VALUES, answers, differs, here)

    return [
        window(None, None),
        window(None, 1),
        window(None, 3),
        window(1, None),
        window(1, 1),
        window(1, 2, _TWICE),
        window(2, 1, _TWICE),
        window(3, 4, _TWICE),
        window(0, 2),
    ]


CHAT_CASES: Final = (*_prompts(), *_chats(), *_windows())
