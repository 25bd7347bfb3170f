"""The functions that every interpreter has beside those of its store."""

from __future__ import annotations

from typing import Any, Final

from flows.core.function_description import FunctionDescription

NAMESPACE: Final = "interpreter"
ABOUT: Final = "about"
STRATEGY: Final = "strategy"
REVISE: Final = "revise_functions"
ASK: Final = "ask_person"
READ: Final = "read_result"
RECALL: Final = "recall_sessions"
CLASSES: Final = ("Any", "VectorSearch", "ColumnarQuantitativeSearch", "entity", "api", "flow",
                  "python")  # fmt: skip


def _described(name: str, description: str, **properties: Any) -> FunctionDescription:
    required = [key for key, each in properties.items() if "default" not in each]
    return FunctionDescription(
        name=name,
        description=description,
        parameters={
            "type": "object",
            "properties": properties,
            "required": required,
            "additionalProperties": False,
        },
        namespace=NAMESPACE,
        function_class="flow",
        source="interpreter",
        effect="pure",
    )


ABOUT_FUNCTION: Final = _described(
    ABOUT, "Tells what the data and functions here are about, and which namespaces and classes of "
    "functions can be searched.",
)  # fmt: skip
STRATEGY_FUNCTION: Final = _described(
    STRATEGY,
    "Looks up advice on how to answer a kind of question, such as which kind of store to use.",
    question={"type": "string", "description": "what advice is needed on"},
)
REVISE_FUNCTION: Final = _described(
    REVISE,
    "Searches for other functions and updates the list of those that you can call. Use it when "
    "none of your functions answers the question: split what you need into separate questions. "
    "For the values of entities whose keys are given, an entity function is enough. Search for an "
    "api when its parameters, such as identifiers, are known; for a ColumnarQuantitativeSearch for "
    "statistics and facts; for a VectorSearch for general, vague or open-ended questions.",
    questions={
        "type": "array",
        "items": {"type": "string"},
        "minItems": 1,
        "maxItems": 10,
        "description": "precise questions, each for one function",
    },
    issues={
        "type": "string",
        "default": "",
        "description": "why the question cannot be answered with the functions that there are",
    },
    prune={
        "type": "boolean",
        "default": False,
        "description": "whether functions that were never called leave the list",
    },
    limit={
        "type": "integer",
        "default": 3,
        "minimum": 1,
        "maximum": 20,
        "description": "functions for each question; two or three times as many as will be used",
    },
    function_class={
        "type": "string",
        "enum": list(CLASSES),
        "default": "Any",
        "description": "the class of functions to search",
    },
)
ASK_FUNCTION: Final = _described(
    ASK,
    "Asks the person for what the question leaves open, such as a missing identifier. Do not ask "
    "for what a function can find.",
    question={"type": "string", "minLength": 1, "description": "one question, in a sentence"},
    options={
        "type": "array",
        "items": {"type": "string"},
        "default": [],
        "description": "the answers that are possible, if they are few",
    },
)
READ_FUNCTION: Final = _described(
    READ,
    "Reads on in the result of an earlier call that was cut or left out.",
    call={"type": "integer", "minimum": 1, "description": "the number of the call"},
    path={
        "type": "string",
        "default": "",
        "description": "a JSON pointer into the result, such as /orders/3; empty for the whole",
    },
    offset={
        "type": "integer",
        "minimum": 0,
        "default": 0,
        "description": "the first element of a list, or the first character of a text",
    },
)
RECALL_FUNCTION: Final = _described(
    RECALL,
    "Recalls earlier questions and what they came to. Use it when the question refers to something "
    "that was asked before; values may have changed since then.",
    question={"type": "string", "minLength": 1, "description": "what was asked, in words"},
)
