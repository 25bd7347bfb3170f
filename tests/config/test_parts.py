"""The parts of a prompt are its text, and each says where it comes from."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flows.analysis.conversation.turn import ConversationTurn, TurnOption
from flows.analysis.extraction.fields import NamedField
from flows.analysis.prediction.plan import Experience, Planning, PlanStep
from flows.analysis.prediction.task import PredictionTask
from flows.analysis.prediction.work import AgentScore, ColumnChanges, Reviewing, Summarizing
from flows.config.parts import PromptPart
from flows.config.prompts import Prompt, load_prompt
from flows.core.command import Command, CommandArgument
from flows.core.documents import Passage
from flows.core.observation import Caution, Observation, Preview
from flows.data.documents.passages import DocumentPassage
from flows.data.meaning.dictionary import DataDictionary, DictionaryEntry
from flows.data.tables import Column, Table
from flows.errors import ConfigError
from flows.library.analyst.actions import Agent, TaskOutcome
from flows.library.blocks.sql import Found
from flows.library.csv_chat.summary import TaskAnswer
from flows.library.interpreter.results import ToolResult
from flows.semantics.findings import Task

LIBRARY = Path(__file__).resolve().parents[2] / "flows" / "library"
FILES = sorted(LIBRARY.glob("**/prompts/*.j2"))


def outcome(prompt: Prompt, values: Mapping[str, Any]) -> str:
    """What rendering gives: the text, or what is wrong."""
    try:
        return prompt.render(values)
    except ConfigError as error:
        return f"error: {error}"


def outcome_of_parts(prompt: Prompt, values: Mapping[str, Any]) -> str:
    try:
        parts = prompt.parts(values)
    except ConfigError as error:
        return f"error: {error}"
    assert all(type(part.text) is str and part.text for part in parts)
    assert all(1 <= part.line <= prompt.text.count("\n") + 1 for part in parts)
    roots = {name.split(".")[0] for part in parts for name in part.names}
    assert roots <= prompt.variables
    return "".join(part.text for part in parts)


# The prompts of the project.

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
CELL = TEXT | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.none()
PREVIEW = st.builds(
    Preview,
    columns=st.tuples(TEXT, TEXT),
    types=st.just(("text", "text")),
    rows=st.lists(st.tuples(CELL, CELL), max_size=3).map(tuple),
    total_rows=st.integers(0, 5),
    sql=st.none() | TEXT,
)
ARGUMENT = st.builds(
    CommandArgument, name=TEXT, type=TEXT, description=TEXT, required=st.booleans()
)
COMMAND = st.builds(
    Command,
    name=TEXT,
    description=TEXT,
    input_args=st.lists(ARGUMENT, max_size=2).map(tuple),
)
FOUND = st.builds(Found, tried=TEXT, said=TEXT, kind=st.sampled_from(["empty", "failed"]))
SOME = TEXT.filter(bool)
AGENT = st.builds(Agent, name=TEXT, description=TEXT, gives=TEXT)
TASK = st.builds(
    Task,
    task_id=st.integers(0, 9),
    name=SOME,
    description=SOME,
    data_dependency=st.none() | st.integers(0, 9),
)
ENTRY = st.builds(DictionaryEntry, column=TEXT, description=TEXT, unit=TEXT)
DICTIONARY = st.builds(DataDictionary, entries=st.lists(ENTRY, max_size=2).map(tuple))
COLUMN = st.builds(
    Column,
    name=TEXT,
    type=st.just("text"),
    role=st.just("category"),
    values=st.lists(TEXT, max_size=2).map(tuple),
)
TABLE = st.builds(
    Table,
    dialect=st.just("duckdb"),
    name=TEXT,
    source=TEXT,
    columns=st.lists(COLUMN, max_size=2).map(tuple),
)
PASSAGE = st.builds(Passage, id=TEXT, document=TEXT, where=TEXT, text=TEXT, score=st.floats(0, 1))
ROWS = st.lists(st.tuples(CELL, CELL), max_size=2).map(tuple)
TEXTS = st.lists(TEXT, max_size=2).map(tuple)
OUTCOME = st.builds(
    TaskOutcome,
    data_dependency=st.none() | st.integers(0, 9),
    insights=TEXTS,
    table=TEXT,
    columns=TEXTS,
    rows=ROWS,
    dictionary=st.none() | DICTIONARY,
    cautions=st.lists(st.builds(Caution, code=TEXT, text=TEXT), max_size=2).map(tuple),
)
TASK_ANSWER = st.builds(
    TaskAnswer,
    question=TEXT,
    status=st.just("answered"),
    answer=TEXT,
    request=st.none(),
    table=st.none() | PREVIEW,
    figures=TEXTS,
    warnings=TEXTS,
)
PREDICTED = st.builds(
    PredictionTask, targets=TEXTS, identifier=st.none() | TEXT, kind=st.just("binary"),
    metric=TEXT, greater_is_better=st.booleans(), group=st.none(), time=st.none(),
    submission=st.none(), fields=st.just({}), reasons=st.just({}), doubts=TEXTS, own=TEXT,
)  # fmt: skip
PLANNING = st.builds(
    Planning, task=PREDICTED, phase=TEXT, train=TABLE, test=st.none(), sample=st.none(),
    tools=st.just(()), rules=st.just({}), experience=st.just(Experience()),
)  # fmt: skip
SCORES = st.lists(st.builds(AgentScore, agent=TEXT, reasons=TEXTS), max_size=2).map(tuple)
# What the agents of a pipeline are given is of another kind for each.
GIVEN_TO = {
    "planner": PLANNING,
    "toolsmith": PLANNING,
    "reviewer": st.builds(
        Reviewing, phase=TEXT, agents=TEXTS, task=st.none() | PREDICTED, task_problems=TEXTS
    ),
    "summarizer": st.builds(
        Summarizing, phase=TEXT, title=TEXT, task=st.none() | PREDICTED, scores=SCORES,
        questions=TEXTS, changes=st.builds(ColumnChanges, added=TEXTS, removed=TEXTS),
    ),
}  # fmt: skip
VALUES = {
    "steps": st.lists(
        st.builds(PlanStep, purpose=TEXT, tool=TEXT, arguments=st.just({"a": 1}), into=TEXTS),
        max_size=2,
    ).map(tuple),
    "texts": st.lists(
        st.builds(ToolResult, call_id=TEXT, name=TEXT, number=st.integers(0, 9), text=TEXT),
        max_size=2,
    ).map(tuple),
    "failed": TEXTS,
    "frames": TEXTS,
    "suggestions": TEXTS,
    "answers": st.lists(TASK_ANSWER, max_size=2).map(tuple),
    "agents": st.lists(AGENT, max_size=2).map(tuple),
    "tasks": st.lists(TASK, max_size=2).map(tuple),
    "data": st.none() | TABLE,
    "known": DICTIONARY,
    "dictionary": st.none() | DICTIONARY,
    "columns": TEXTS,
    "types": st.just(("text", "text")),  # one for each column
    "rows": ROWS,
    "plan": TEXTS,
    "warnings": TEXTS,
    "passages": st.lists(PASSAGE, max_size=2).map(tuple),
    "conversation": st.lists(OUTCOME, max_size=2).map(tuple),
    "results": st.lists(OUTCOME, max_size=2).map(tuple),
    "beside": st.lists(PREVIEW, max_size=1).map(tuple),
    "turns": st.lists(
        st.builds(
            ConversationTurn,
            text=TEXT,
            status=st.just("answered"),
            read=TEXT,
            answer=TEXT,
            request=st.none(),
            columns=st.just(()),
            rows=st.just(()),
            options=st.lists(
                st.builds(TurnOption, label=TEXT, question=TEXT, request=st.none()), max_size=2
            ).map(tuple),
        ),
        max_size=2,
    ).map(tuple),
    "total_rows": st.integers(0, 9),
    "most_tasks": st.integers(1, 9),
    "truncated": st.booleans(),
    "modelling": st.booleans(),
    "found": st.lists(FOUND, max_size=2).map(tuple),
    "commands": st.lists(COMMAND, max_size=3).map(tuple),
    "memory": st.lists(TEXT, max_size=3).map(tuple),
    "observation": st.none()
    | st.builds(
        Observation,
        kind=st.sampled_from(["ok", "empty", "error"]),
        text=TEXT,
        table=st.none() | PREVIEW,
    ),
}

OF_DOCUMENTS = {
    "passages": st.lists(
        st.builds(DocumentPassage, number=st.integers(1, 99), text=TEXT, page=st.integers(1, 9)),
        max_size=3,
    ).map(tuple),
    "fields": st.lists(
        st.builds(NamedField, name=st.just("season"), description=TEXT), max_size=2
    ).map(tuple),
}


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
@settings(max_examples=20)  # of each of the many prompts
@given(data=st.data())
def test_the_prompts_of_the_project(file: Path, data: st.DataObject) -> None:
    prompt = load_prompt(file.stem, [file.parent])
    agent = file.stem.partition(".")[0]
    known = VALUES | {"given": GIVEN_TO.get(agent, TEXT)}
    if agent == "developer":
        known["code"] = TEXTS
    if agent == "document_fields":
        known |= OF_DOCUMENTS
    values = {name: data.draw(known.get(name, TEXT)) for name in sorted(prompt.variables)}
    assert outcome_of_parts(prompt, values) == prompt.render(values)


def test_all_of_them_are_tried() -> None:
    assert len(FILES) >= 7


def test_where_the_text_of_an_observation_comes_from() -> None:
    prompt = load_prompt("controller.human", [LIBRARY / "autogpt" / "prompts"])
    values = {
        "goal": "find barley",
        "memory": ("rye", "oats"),
        "observation": Observation(kind="ok", text="The query gave 1 row."),
        "human_feedback": "go on",
    }
    found: dict[str, list[PromptPart]] = {}
    for part in prompt.parts(values):
        for name in part.names:
            found.setdefault(name, []).append(part)
    shown = {name: [part.text for part in parts] for name, parts in found.items()}
    assert shown["observation.text"] == ["The query gave 1 row."]
    assert shown["human_feedback"] == ["go on"]
    assert shown["memory"] == ["rye", "oats"]
    assert shown["goal"] == ["find barley"]
    lines = prompt.text.split("\n")
    assert "observation.text" in lines[found["observation.text"][0].line - 1]
    assert found["memory"][0].line == found["memory"][1].line


# Any template.

LEAF: dict[str, Any] = {"name": "<3>", "n": 3, "sub": []}
GIVEN: dict[str, Any] = {
    "a": {"text": "Anna", "list": [1, 2], "deep": {"k e y": [["x"]]}, "none": None},
    "b": [{"name": "one", "n": 1, "sub": []}, {"name": "<two>", "n": 2, "sub": [LEAF]}],
    "c": "  some\ntext <b> ",
    "d": "",
}
HEADER = "{#- variables: a, b, c, d -#}\n"
UNUSED = "{{ '' if a and b and c and d }}"


def prompt_of(body: str) -> Prompt:
    """A prompt in which all four variables are used; `body` begins in its second line."""
    return Prompt.from_text("any", f"{HEADER}{body}{UNUSED}")


@pytest.mark.parametrize(
    ("expression", "names"),
    [
        ("a.text", ("a.text",)),
        ("a['text']", ("a.text",)),
        ("a.deep['k e y'][0][0]", ("a.deep.k e y.0.0",)),
        ("a.deep[c and 'k e y']", ("a.deep", "c")),
        ("a.list[-1]", ("a.list",)),
        ("a.list[:1]", ("a.list",)),
        ("a", ("a",)),
        ("c.strip().upper()", ("c",)),
        ("a.text.split(c)", ("a.text", "c")),
        ("c | trim | replace('e', a.text)", ("c", "a.text")),
        ("a.text if c else d", ("c", "a.text", "d")),
        ("[a.text, c, a.text] | join(d)", ("a.text", "c", "d")),
        ("{'Anna': c}[a.text]", ("c", "a.text")),
        ("b | map(attribute='name') | join", ("b",)),
        ("a.list[0] + 1 > 2 and a.none is none", ("a.list.0", "a.none")),
        ("'x'", ()),
        ("range(3) | list", ()),
        ("range(a.list[1]) | list", ("a.list.1",)),
    ],
)
def test_the_names_of_an_expression(expression: str, names: tuple[str, ...]) -> None:
    prompt = prompt_of(f"[{{{{ {expression} }}}}]")
    text = prompt.render(GIVEN)
    assert prompt.parts(GIVEN) == (
        PromptPart("[", 2),
        PromptPart(text[1:-1], 2, names),
        PromptPart("]", 2),
    )


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ("{% for x in b %}{{ x.name }}{% endfor %}", [("one", "b"), ("<two>", "b")]),
        ("{% for x in b if x.n > 1 %}{{ loop.index }}{% endfor %}", [("1", "b")]),
        ("{% for k, v in a.deep.items() %}{{ k }}{% endfor %}", [("k e y", "a.deep")]),
        ("{% for x in a.list %}{% for y in b %}{{ x }}{% endfor %}{% endfor %}",
         [("1", "a.list"), ("1", "a.list"), ("2", "a.list"), ("2", "a.list")]),
        ("{% for x in b[1].sub %}{{ x.name }}{{ a.text }}{% endfor %}{{ c }}",
         [("<3>", "b.1.sub"), ("Anna", "a.text"), (GIVEN["c"], "c")]),
        ("{% for x in a.none or [] %}{% else %}{{ c }}{% endfor %}", [(GIVEN["c"], "c")]),
        ("{% for a in b %}{{ a.n }}{% endfor %}{{ a.text }}",
         [("1", "b"), ("2", "b"), ("Anna", "a.text")]),
        ("{% set x = a.text %}{{ x }}", [("Anna", "a.text")]),
        ("{% set x, y = a.text, c %}{{ y }}", [(GIVEN["c"], "a.text c")]),
        ("{% set x = 1 %}{{ x }}", [("1", "")]),
        ("{% set x = c %}{% for y in b %}{% set x = y.n %}{{ x }}{% endfor %}{{ x }}",
         [("1", "b"), ("2", "b"), (GIVEN["c"], "c")]),
        ("{% set x = c %}{% if d %}{% set x = a.text %}{% endif %}{{ x }}",
         [(GIVEN["c"], "a.text c")]),
        ("{% set x = 1 %}{% if c %}{% set x = a.text %}{% else %}{% set x = d %}{% endif %}{{ x }}",
         [("Anna", "a.text d")]),
        ("{% if d %}{% elif c %}{% set c = a.text %}{% endif %}{{ c }}", [("Anna", "c a.text")]),
        ("{% with x = a.text, y = c %}{{ x }}{% endwith %}", [("Anna", "a.text")]),
        ("{% set x = c %}{% block z %}{{ a.text }}{% endblock %}", [("Anna", "a.text")]),
        ("{{ b[1].name | e }}", [("&lt;two&gt;", "b.1.name")]),
    ],
)  # fmt: skip
def test_names_are_followed(body: str, found: list[tuple[str, str]]) -> None:
    prompt = prompt_of(body)
    parts = prompt.parts(GIVEN)
    assert [(part.text, " ".join(part.names)) for part in parts] == found
    assert "".join(part.text for part in parts) == prompt.render(GIVEN)


def test_lines_are_those_of_the_file() -> None:
    prompt = prompt_of(
        "one {{ c }}\n"  # line 2
        "{% for x in b -%}\n"
        "\n"
        "   {{ x.n }}:\n"  # line 5
        "   {{\n"
        "     x.name\n"  # line 7
        "   }}\n"
        "{% endfor %}\n"
        "{#- a comment\n"
        "     of two lines -#}\n"
        "   last {{- d }}\n"  # line 12
    )
    values = {**GIVEN, "c": "C", "d": "D"}
    assert [(part.text, part.line) for part in prompt.parts(values)] == [
        ("one ", 2), ("C", 2), ("\n", 2),
        ("1", 5), (":\n   ", 5), ("one", 7), ("\n", 8),
        ("2", 5), (":\n   ", 5), ("<two>", 7), ("\n", 8),
        ("last", 12), ("D", 12), ("\n", 12),
    ]  # fmt: skip


def test_a_recursive_loop_is_one_part() -> None:
    prompt = prompt_of(
        "The tree:\n"
        "{% for x in b recursive %}\n"
        "- {{ x.name }}{{ loop(x.sub) | indent(2) if x.sub }}\n"
        "{% endfor %}\n"
    )
    text = "- one\n- <two>- <3>\n  \n"
    assert prompt.parts(GIVEN) == (PromptPart("The tree:\n", 2), PromptPart(text, 4, ("b",)))


def test_values_are_never_read_as_a_template() -> None:
    values = {**GIVEN, "c": "{{ a }}{% raw %}"}
    assert prompt_of("{{ c }}").parts(values) == (PromptPart("{{ a }}{% raw %}", 2, ("c",)),)


def test_what_goes_wrong_is_told_as_by_rendering() -> None:
    for body in ("\n{{ c.none }}", "{{ a.text + 1 }}", "{{ 1 / 0 }}", "{{ a.__class__ }}"):
        prompt = prompt_of(body)
        assert outcome(prompt, GIVEN).startswith("error: any.j2:")
        assert outcome_of_parts(prompt, GIVEN) == outcome(prompt, GIVEN)
    with pytest.raises(ConfigError, match="was not given b, d"):
        prompt_of("").parts({"a": 1, "c": 2})


EXPRESSIONS = st.sampled_from(
    [
        "a.text", "a['list'][0]", "b[0].name", "c", "c | trim", "d", "x", "x.name", "y",
        "loop.index", "loop.last", "'<' ", "b | length", "c.split()", "a.none", "a.missing",
        "[c, d] | join", "c | replace('t', d)", "(a.text | e)", "1 / 0", "a.text if d",
        "b | tojson", "range(2)", "loop(x.sub)", "loop(x.sub) | upper", "{'a': c}['a']", "not d",
        "c == d", "b | first",
    ]
)  # fmt: skip
LITERALS = st.sampled_from(
    ["", " ", "\n", "  \n ", "text", " {# c #} ", "<b>", "{% raw %}{{ a }}{% endraw %}", "é\r\n"]
)
MARKS = st.sampled_from(["", "-", "+"])


@st.composite
def tags(draw: st.DrawFn, inside: str) -> str:
    return f"{{%{draw(MARKS)} {inside} {draw(st.sampled_from(['', '-']))}%}}"


@st.composite
def bodies(draw: st.DrawFn, depth: int = 3) -> str:
    """A piece of a template, of which some cannot be parsed and some cannot be rendered."""
    pieces = []
    for _ in range(draw(st.integers(1, 3))):
        kinds = ["data", "show", "show", "set"] + ["if", "for", "with", "block"] * (depth > 0)
        kind, shown = draw(st.sampled_from(kinds)), draw(EXPRESSIONS)
        if kind == "data":
            pieces.append(draw(LITERALS))
        elif kind == "show":
            pieces.append(f"{{{{{draw(st.sampled_from(['', '-']))} {shown} }}}}")
        elif kind == "set":
            pieces.append(draw(tags(f"set {draw(st.sampled_from('xyc'))} = {shown}")))
        else:
            begin, middle, end = {
                "if": (f"if {shown}", "else", "endif"),
                "for": (draw(st.sampled_from(LOOPS)), "else", "endfor"),
                "with": (f"with x = {shown}", "", "endwith"),
                "block": (f"block {draw(st.sampled_from('pqrs'))}", "", "endblock"),
            }[kind]
            inside = draw(bodies(depth - 1))
            if middle and draw(st.booleans()):
                inside += draw(tags(middle)) + draw(bodies(depth - 1))
            pieces.append(draw(tags(begin)) + inside + draw(tags(end)))
    return "".join(pieces)


LOOPS = ["for x in b", "for x in b recursive", "for x, y in a.deep.items()", "for x in a.list if x"]


@pytest.mark.long("all configs are read")
@given(body=bodies(), more=st.sampled_from(["", "{% set x = c %}{% set y = b %}"]))
def test_any_template(body: str, more: str) -> None:
    try:
        prompt = prompt_of(more + body)
    except ConfigError:
        return  # what cannot be loaded has no parts
    assert outcome_of_parts(prompt, GIVEN) == outcome(prompt, GIVEN)


# Prompts that were recorded.


def test_a_prompt_is_made_again_from_its_text(tmp_path: Path) -> None:
    (tmp_path / "ask.system.j2").write_bytes(
        b"\xef\xbb\xbf{#- variables: c -#}\r\nSay {{ c }}!\r\n"
    )
    loaded = load_prompt("ask.system.j2", [tmp_path])
    assert loaded.text == "{#- variables: c -#}\r\nSay {{ c }}!\r\n"
    (tmp_path / "ask.system.j2").unlink()

    again = Prompt.from_text("ask.system.j2", loaded.text)

    assert (again.name, again.digest) == (loaded.name, loaded.digest)
    assert (again.source, again.variables) == (Path("ask.system.j2"), frozenset("c"))
    assert again.render({"c": "it"}) == loaded.render({"c": "it"}) == "Say it!"
    assert again.parts({"c": "it"}) == loaded.parts({"c": "it"})


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Say it", "ask.j2:1:1: the first line must declare the variables"),
        ("{#- variables: c -#}\n{{ c | uper }}", "ask.j2:2:1: there is no filter 'uper'"),
        ("{#- variables: c -#}\n{{ d }}", "ask.j2:2:4: the variable 'd' is used but not declared"),
        ("{#- variables: c -#}\n\n{{ c }", "ask.j2:3:1: unexpected '}'"),
        ("{#- variables: c -#}\n{% include c %}", "ask.j2:2:1: a prompt is one file"),
    ],
)
def test_a_text_is_checked_as_a_file_is(text: str, words: str) -> None:
    with pytest.raises(ConfigError) as caught:
        Prompt.from_text("ask", text)
    assert str(caught.value).startswith(words)
