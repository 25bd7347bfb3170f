"""A tiny run of the controller: it decides, its SQL really runs, a person may answer."""

from __future__ import annotations

import asyncio
import datetime
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from flows.core.chat import ChatRequest, Turn
from flows.core.observation import Observation, Preview
from flows.models.offline import OfflineModel
from tests.analysis.worlds import World


def command(name: str, *arguments: str) -> dict[str, Any]:
    args = [{"name": a, "description": a, "type": "str", "required": True} for a in arguments]
    return {"name": name, "description": f"the command {name}", "input_args": args}


SQL = command("sql", "question")
DESCRIBE = command("describe")
WIKI = command("wiki_search", "search_term")
WEB = command("ddg_search", "query")
FINISH = command("finish", "answer")
ALL = (DESCRIBE, SQL, WIKI, WEB, FINISH)


@dataclass
class Dialogue:
    """Runs rounds until `finish`. `found` is what searches give back, by term."""

    world: World
    goal: str
    commands: Sequence[Mapping[str, Any]] = ALL
    found: Mapping[str, str] = field(default_factory=dict)
    failing_sql: frozenset[str] = frozenset()
    as_plain_data: bool = False
    decisions: list[dict[str, Any]] = field(default_factory=list)
    turns: list[Turn] = field(default_factory=list)
    observation: Observation | None = None
    model: OfflineModel = field(default_factory=OfflineModel)

    def round(self, feedback: str = "", correction: str = "") -> dict[str, Any]:
        """One decision and, unless it finishes, what its command gave back."""
        tables: list[Any] = list(self.world.tables)
        if self.as_plain_data:
            tables = [json.loads(table.model_dump_json()) for table in tables]
        seen = json.loads(self.observation.model_dump_json()) if self.observation else None
        inputs = {
            "goal": self.goal, "commands": list(self.commands), "tables": tables, "memory": [],
            "observation": seen, "human_feedback": feedback, "correction": correction,
        }  # fmt: skip
        request = ChatRequest(
            messages=(), role="controller", inputs=inputs, turns=tuple(self.turns), json_reply=True
        )
        reply = asyncio.run(self.model.reply(request))
        decision: dict[str, Any] = json.loads(reply.text)
        self.turns.append(Turn(inputs=inputs, reply=reply.text))
        self.decisions.append(decision)
        self.observation = self._do(decision)
        return decision

    def run(self, *feedback: str, rounds: int = 12) -> str:
        """The final answer; feedback is given in the rounds after the first."""
        said = ["", *feedback]
        for place in range(rounds):
            decision = self.round(said[place] if place < len(said) else "")
            if decision["command"] == "finish":
                return str(decision["command_args"]["answer"])
        raise AssertionError(f"no end after {rounds} rounds: {self.calls()}")

    def calls(self) -> list[tuple[str, str]]:
        return [(d["command"], next(iter(d["command_args"].values()), "")) for d in self.decisions]

    def _do(self, decision: Mapping[str, Any]) -> Observation | None:
        name, args = decision["command"], decision["command_args"]
        if name == "finish":
            return None
        if name == "sql":
            return self._sql(args["question"], decision.get("request"))
        if name in ("describe", "python", "profile"):
            return Observation(kind="ok", text="glims: 48 rows")
        term = next(iter(args.values()))
        key = f"{name}:{term}"
        if key not in self.found:
            return Observation(kind="error", text=f"{name}: no network")
        return Observation(kind="ok", text=self.found[key])

    def _sql(self, question: str, asked: Mapping[str, Any] | None = None) -> Observation:
        inputs = {
            "question": question, "tables": self.world.tables, "dialect": "", "error": "",
            "request": asked,
        }  # fmt: skip
        request = ChatRequest(messages=(), role="sql", inputs=inputs, json_reply=True)
        said = json.loads(asyncio.run(self.model.reply(request)).text)
        if said["sql"] is None:
            return Observation(kind="error", text=said["cannot"])
        if question in self.failing_sql:
            return Observation(kind="error", text="Binder Error: the database said no")
        columns, rows = self.world.run(said["sql"])
        plain = [tuple(_plain(cell) for cell in row) for row in rows]
        preview = Preview(
            columns=tuple(columns), types=("",) * len(columns), rows=tuple(plain[:20]),
            total_rows=len(plain), truncated=len(plain) > 20, sql=said["sql"],
        )  # fmt: skip
        return Observation(kind="ok" if plain else "empty", text="", table=preview)


def _plain(cell: Any) -> Any:
    return cell.isoformat() if isinstance(cell, datetime.date) else cell
