"""What a person can command a session instead of answering: to show, change, or save its config."""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from pydantic_core import to_json

from flows.build.plan import RunPlan
from flows.build.restoration import RecordSource, flows_by_path
from flows.build.walls import is_off_in
from flows.config.overrides import short_override
from flows.config.secret import check_secrets_kept
from flows.core.editions import Edition
from flows.core.journal import Journal
from flows.core.rows import Row
from flows.core.session import Session
from flows.core.values import Values
from flows.errors import ConfigError, FlowsError, Place, UsageError, nearest
from flows.records.differences import differences
from flows.records.session_changes import stack_of
from flows.runners.changes import change_text
from flows.runners.document import save_document, shown_document
from flows.runners.fit import check_fit

HELP: Final = """\
Commands to the session; anything else is your answer.
  :set PATH=VALUE ...   change values, as overrides of the command line do
  :swap PATH=NAME       put another flow, model or service in a place
  :undo                 take back the last change
  :show [PATH]          the config as it is now
  :save FILE [--force]  write it as a run file
  :help                 this
An answer that begins with a colon is written with two: ::text"""
COMMANDS: Final = ("set", "swap", "undo", "show", "save", "help")
MOST_WORDS: Final = {"undo": 0, "help": 0, "show": 1}
MOST_CHARS: Final = 4096
ORIGIN: Final = "session, change"


class CheckedChange:
    """A change of a session that was checked: `plan` is how it goes on, `said` the command without
    its secrets, `told` what differs. `undo` says that it takes the last change back; `doubts` are
    what a check warns of since, `lost` the flows whose kept state is not taken over."""

    def __init__(
        self,
        plan: RunPlan,
        said: str,
        told: str,
        *,
        undo: bool = False,
        doubts: Sequence[ConfigError] = (),
    ) -> None:
        self.plan = plan
        self.doubts = tuple(doubts)
        self.said = said
        self.told = told
        self.undo = undo
        self.lost: tuple[str, ...] = ()

    def body(self, asked: tuple[str, ...]) -> str:
        """The text of its row. `asked` are the steps that stand at a question."""
        told = {"said": self.said, "undo": self.undo, "asked": asked, "lost": self.lost}
        head = to_json(told).decode()
        return f"{head[:-1]},{self.plan.record_text[1:]}"

    @property
    def reply(self) -> str:
        what = "Taken back" if self.undo else "Changed"
        lost = f" What {', '.join(self.lost)} kept is not taken over." if self.lost else ""
        doubts = "".join(f"\nwarning: {_doubt(each)}" for each in self.doubts)
        return f"{what}: {self.told}. It holds from the next step on.{lost}{doubts}"


def _doubt(warning: ConfigError) -> str:
    meant = f"; did you mean {warning.meant}?" if warning.meant else ""
    return f"{warning.path}: {warning.problem}{meant}"


class SessionCommands:
    """Carries out the commands of a session that runs, or waits, by the plan. Nothing is changed
    here: a change that fits is in `change`, for the runner to record and go on with."""

    def __init__(self, plan: RunPlan, folder: Path) -> None:
        self.plan = plan
        self.folder = folder
        self.change: CheckedChange | None = None
        self.reply = ""
        self.late = ""

    @property
    def changes(self) -> bool:
        return self.change is not None

    def take_reply(self) -> str:
        """What is to be said of the last command, once."""
        reply, self.reply = self.reply, ""
        return reply

    async def perform(self, text: str, session: Session, addresses: Sequence[str]) -> None:
        """Carry out a command at the question of the steps, or before they begin. What is wrong
        with it is the reply."""
        journal = session.journal
        if journal is None:
            self.reply = "This run is not recorded, so that it cannot be changed."
            return
        if self.change is not None:  # made at a question beside this one
            self.late = f"\nNot carried out, as another change came first: :{text[:60]}"
            return
        try:
            rows = await journal.written()
            self.reply = await self.carry_out(text, rows, tuple(addresses))
        except FlowsError as error:
            self.reply = str(error)

    async def carry_out(self, text: str, rows: list[Row], asked: tuple[str, ...]) -> str:
        """What is to be said. Errors: `UsageError` for what is no command; `ConfigError` for a
        change that is wrong; `JournalError` for one that does not fit what was recorded."""
        name, words = read_words(text)
        most = MOST_WORDS.get(name, len(words))
        if len(words) > most:
            raise UsageError(
                f":{name} takes {'one word' if most else 'no words'}, and not {words!r}"
            )
        match name:
            case "help":
                return HELP
            case "show":
                return shown_document(self.plan, words[0] if words else "", stack_of(rows))
            case "save":
                return save_document(self.plan, words)
            case "undo":
                self.change = self._undone(rows)
            case _:
                self.change = self._changed(name, words)
        change, self.change = self.change, None
        change.lost = await check_fit(change.plan, self.plan, rows, asked, self.folder)
        self.change = change
        return ""

    def _changed(self, name: str, words: list[str]) -> CheckedChange:
        if not words:
            raise UsageError(f"say what: :{name} PATH=VALUE")
        for word in words:
            _check_form(name, word)
        record = json.loads(self.plan.record_text)
        said = f":{name} " + " ".join(map(short_override, words))
        return self._to(
            self._source().plan(record, words, human=self.plan.human, origin=ORIGIN), said
        )

    def _undone(self, rows: list[Row]) -> CheckedChange:
        stack = stack_of(rows)
        if not stack:
            raise UsageError("there is nothing to take back: the session was not changed")
        plan = self._source().plan(stack[-1].before.data(), human=self.plan.human)
        return self._to(plan, f":undo ({stack[-1].said})", undo=True)

    def _source(self) -> RecordSource:
        trust = replace(self.plan.trust, typed=False)
        place = Place("the session")
        functions = self.plan.functions
        return RecordSource(place, self.folder, trust=trust, functions=functions)

    def _to(self, plan: RunPlan, said: str, *, undo: bool = False) -> CheckedChange:
        """The change to a plan. Errors: `ConfigError` for one that changes nothing, or that only
        the command line may say."""
        plan.check_trust()
        plan.check_inputs()
        check_secrets_kept(plan.spec)  # else the run could not be gone on with
        if is_off_in(plan.spec) and not is_off_in(self.plan.spec):
            raise ConfigError(
                "a sandbox can be turned off on the command line only, when a run begins",
                path="sandbox.mode",
            )
        before, now = (_config(json.loads(each.record_text)) for each in (self.plan, plan))
        found = differences(before, now)
        if not found:
            raise UsageError("that is how it is already: nothing is changed")
        if before.get("runs") != now.get("runs"):
            raise ConfigError("a run stays in the folder that it began in", path="runs")
        if self.plan.human is not None and before.get("human") != now.get("human"):
            plan = self._with_own_human(plan)
        plan = replace(plan, runs_folder=self.plan.runs_folder)
        known = set(map(_doubt, self.plan.warnings))
        doubts = [each for each in plan.warnings if _doubt(each) not in known]
        return CheckedChange(plan, said, change_text(found), undo=undo, doubts=doubts)

    def _with_own_human(self, plan: RunPlan) -> RunPlan:
        """The plan with the way of reaching a person that its config says."""
        return self._source().plan(json.loads(plan.record_text))

    async def apply(self, journal: Journal, asked: Sequence[str]) -> RunPlan:
        """Record the change, and give the plan that the session goes on with. A change that does
        not fit any more, as steps beside the question went on, is dropped and told. Errors:
        `JournalError` when nothing can be recorded."""
        change = self.change
        assert change is not None
        self.change = None
        asked = tuple(dict.fromkeys(asked))
        rows = await journal.written()
        try:
            change.lost = await check_fit(change.plan, self.plan, rows, asked, self.folder)
        except FlowsError as error:
            self.reply = str(error)
            await change.plan.aclose()
            return self.plan
        await journal.write("change", "", "", change.body(asked))
        edition = Edition(flows_by_path(self.plan), rows[-1].seq + 1, asked)
        self.plan = replace(change.plan, past=(*self.plan.past, edition))
        self.reply, self.late = f"{change.reply}{self.late}", ""
        return self.plan


def read_words(text: str) -> tuple[str, list[str]]:
    """A command's name and its words; quotes hold a word with blanks together. Errors:
    `UsageError`."""
    if len(text) > MOST_CHARS or "\n" in text:
        raise UsageError(
            f"a command is one line of at most {MOST_CHARS} characters; an answer that begins with "
            "a colon is written with two: ::text"
        )
    name, _, rest = text.strip().partition(" ")
    name = name.casefold()
    if name not in COMMANDS:
        meant = nearest(name, COMMANDS)
        hint = f"; did you mean :{meant}?" if meant else ""
        listed = ", ".join(f":{each}" for each in COMMANDS)
        raise UsageError(
            f"there is no command :{name[:40]}{hint} ({listed}; an answer that begins with a colon "
            "is written with two: ::text)"
        )
    return name, _words(name, rest)


def _words(name: str, rest: str) -> list[str]:
    """The words after a command's name. The quotes and brackets of overrides stay as they are."""
    if name not in ("set", "swap"):
        try:
            return shlex.split(rest)
        except ValueError as error:
            raise UsageError(f":{name} {rest}: {error}") from error
    words: list[str] = []
    depth, quote, start = 0, "", 0
    for at, letter in enumerate(f"{rest} "):
        if quote:
            quote = "" if letter == quote else quote
        elif letter in "'\"":
            quote = letter
        elif letter in "{[(":
            depth += 1
        elif letter in "}])":
            depth -= 1
        elif letter == " " and depth <= 0:
            words += [rest[start:at]] if rest[start:at].strip() else []
            start = at + 1
    if rest[start:].strip():
        words.append(rest[start:].strip())
    return words


def _check_form(name: str, word: str) -> None:
    """Errors: `UsageError` for a word that is no override of that kind."""
    if name == "swap" and ("=" not in word or word.startswith("~")):
        raise UsageError(f":swap takes PATH=NAME, and not {word[:60]!r}")
    if "=" not in word and not word.startswith("~"):
        raise UsageError(f":set takes PATH=VALUE, and not {word[:60]!r}")


def _config(record: Values) -> Values:
    """All of a record that a person can change."""
    return {**record["spec"], "inputs": record["inputs"]}
