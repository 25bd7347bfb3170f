"""`flows graph`: a Mermaid flowchart of any graph, whatever its names are."""

from __future__ import annotations

import html
import re
from pathlib import Path

import pytest
import yaml

from flows.cli.mermaid import label
from tests.cli.command import PROJECT
from tests.cli.inside import CHAIN, inside, write

NODE = re.compile(r'^ *(n\d+)(?:\["([^"]*)"\]|\(\("([^"]*)"\)\)|\{"([^"]*)"\})$')
SUBGRAPH = re.compile(r'^ *subgraph (n\d+)\["([^"]*)"\]$')
ARROW = re.compile(r'^ *(n\d+) (-->|-\.->)(?:\|"([^"]*)"\|)? (n\d+)$')
PLAIN = re.compile(r"^(flowchart TD| *direction TB| *end)$")


class Chart:
    """A chart read back: names by identifier, arrows, and what is inside what."""

    def __init__(self, text: str) -> None:
        self.names: dict[str, str] = {}
        self.inside: dict[str, str] = {}
        self.arrows: list[tuple[str, str, str, str]] = []
        open_: list[str] = []
        for line in text.splitlines():
            if match := SUBGRAPH.match(line):
                self._named(match[1], match[2], open_)
                open_.append(match[1])
            elif match := NODE.match(line):
                self._named(match[1], match[2] or match[3] or match[4], open_)
            elif match := ARROW.match(line):
                self.arrows.append((match[1], match[2], read(match[3] or ""), match[4]))
            else:
                assert PLAIN.match(line), line
                if line.strip() == "end":
                    open_.pop()
        assert not open_
        for source, _, _, end in self.arrows:
            assert {source, end} <= set(self.names)

    def _named(self, own: str, text: str, open_: list[str]) -> None:
        assert own not in self.names
        self.names[own] = read(text)
        if open_:
            self.inside[read(text)] = self.names[open_[-1]]

    def steps(self) -> list[tuple[str, str, str, str]]:
        return [(self.names[a], line, said, self.names[b]) for a, line, said, b in self.arrows]


def read(text: str) -> str:
    """A label as Mermaid shows it."""
    return html.unescape(re.sub(r"#(\d+);", r"&#\1;", text))


def test_the_demo(tmp_path: Path) -> None:
    ended = inside("graph", str(PROJECT / "demo.yaml"), cwd=tmp_path)
    assert (ended.code, ended.err) == (0, "")
    chart = Chart(ended.out)
    assert chart.inside["Executor"] == chart.inside["cite"] == "Demo (AutoGPT)"
    assert chart.inside["sql"] == "Executor"
    assert chart.inside["query"] == "sql"  # made in code
    assert chart.inside["chat"] == "Controller"
    steps = chart.steps()
    assert ("start", "-->", "(1) Recall what is known", "Memory") in steps
    assert ("Controller", "-->", "(3) Carry the command out", "Executor") in steps
    assert ("which branch?", "-->", "wiki_search", "wiki_search") in steps
    assert ("Memory", "-.->", "again, until EARLY_EXIT (at most 30 rounds)", "Memory") in steps


HOSTILE = [
    "end",
    'a "quoted" [b] {c} (d)',
    "%%{init: x}%%",
    "style x: a;",
    "`code`",
    "<b>&amp; bold",
    "--> n1",
    "classDef a:b;",
    "x|y",
    "direction LR",
    "1. list",
    "- dash",
    "_not emphasised_",
    "日本語 é",
    "subgraph",
]


def test_parallel_steps_of_hostile_names(tmp_path: Path) -> None:
    topology = [
        {
            "flow": name,
            "goal": f"{name} #quot; /\n\u202e\x1b[31m line two",
            "after": HOSTILE[max(number - 2, 0) : number] if number % 2 else [],
            "output_interface": {
                "keys_to_rename": {"answer": f"a{number}", "EARLY_EXIT": f"e{number}"},
                "keys_to_delete": ["cited"],
            },
        }
        for number, name in enumerate(HOSTILE)
    ]
    file = {
        "_target_": "parallel",
        "name": "end",
        "input_interface": ["answer"],
        "subflows_config": {name: {"_target_": "finish"} for name in HOSTILE},
        "topology": topology,
    }
    ended = inside(
        "graph", write(tmp_path, yaml.safe_dump(file, allow_unicode=False)), cwd=tmp_path
    )
    assert ended.code == 0, ended.err
    chart = Chart(ended.out)
    assert set(HOSTILE) <= set(chart.names.values())
    steps = chart.steps()
    assert len([name for _, _, _, name in steps if name == HOSTILE[3]]) == 2
    assert (HOSTILE[1], "-->", f"{HOSTILE[3]} #quot; / line two", HOSTILE[3]) in steps
    assert (HOSTILE[2], "-->", "", HOSTILE[3]) in steps
    assert ("start", "-->", f"{HOSTILE[4]} #quot; / line two", HOSTILE[4]) in steps
    assert not re.search(r"direction (?!TB)|%%|\x1b|\u202e", ended.out)


def test_a_sequence_and_a_circle_without_limit(tmp_path: Path) -> None:
    chart = Chart(inside("graph", write(tmp_path, CHAIN), cwd=tmp_path).out)
    assert chart.steps() == [
        ("start", "-->", "(1) Begin", "first"),
        ("first", "-->", '(2) Go on: "now"', "second"),
    ]
    circle = CHAIN.replace("sequential", "circular\nmax_rounds: null\nearly_exit_key: answer")
    chart = Chart(inside("graph", write(tmp_path, circle), cwd=tmp_path).out)
    assert chart.steps()[-1] == (
        "second",
        "-.->",
        "again, until answer (no limit of rounds)",
        "first",
    )


@pytest.mark.parametrize("text", ["", "\n\t ", "x" * 500, "\ud800", "a\\", '"', "#", ";"])
def test_any_text_is_a_label_of_one_line(text: str) -> None:
    made = label(text)
    assert re.fullmatch(r'"[^"\n]+"', made)
    assert len(read(made[1:-1])) <= 80


def test_a_broken_file_gives_no_chart(tmp_path: Path) -> None:
    ended = inside(
        "graph", write(tmp_path, CHAIN.replace("flow: second", "flow: secnd")), cwd=tmp_path
    )
    assert (ended.code, ended.out) == (2, "")
    assert "did you mean: second" in ended.err
