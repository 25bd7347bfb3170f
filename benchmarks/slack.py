"""Conversations in Slack at once: how long people wait, with `flows slack` as a process.

    python benchmarks/slack.py                         # 50 people, each with three questions
    python benchmarks/slack.py --people 10 --json FILE
    python benchmarks/slack.py --think 5               # people who read for so long between two

All people ask their first question in the same moment, and the next when they have read the
answer. Slack is a stand-in on a loopback port, in this process, so that it takes a part of the
processor too. Every answer is checked against the data: the second and third question can only be
answered after the first, so that an answer in another's context is wrong.

`ack` is until Slack is told that a message arrived (it sends a message again after 3 s), `shown`
until the person sees that it is worked on, `answer` until the answer stands there.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from statistics import median, quantiles

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tests.servers.slack_server import Message, SlackServer
from tests.web.slack.running import ME, SALES, Application, is_progress, running, shown

REGIONS = 25
YEARS = (2007, 2008, 2009)
SETTINGS = "reply: thread\n"
SECONDS = 600.0


def sales(rows: int) -> tuple[str, dict[tuple[str, int], int]]:
    """Sales as a CSV file, and the revenue by region and year."""
    drawn = random.Random(17)
    truth: dict[tuple[str, int], int] = {}
    lines = ["date,region,product,revenue"]
    for _ in range(rows):
        region, year = f"Region{drawn.randrange(REGIONS):02}", drawn.choice(YEARS)
        month, revenue = drawn.randint(1, 12), drawn.randint(1, 500)
        product = drawn.choice(("Tea", "Coffee", "Cocoa"))
        lines.append(f"{year}-{month:02}-15,{region},{product},{revenue}")
        truth[region, year] = truth.get((region, year), 0) + revenue
    return "\n".join(lines), truth


class Person:
    """Somebody who asks three questions, one after the other, in a thread each."""

    def __init__(self, number: int, truth: dict[tuple[str, int], int], think: float) -> None:
        self.user = f"U0PERSON{number:03}"
        self.region = f"Region{number % REGIONS:02}"
        self.years = random.Random(number).sample(YEARS, 2)
        self.truth, self.think = truth, think
        self.shown: list[float] = []
        self.answered: list[float] = []
        self.wrong: list[str] = []

    def questions(self) -> Sequence[tuple[str, int]]:
        """What is asked, and the number that the answer has to name."""
        every = sum(self.truth[self.region, year] for year in YEARS)
        first, second = self.years
        return (
            (f"total revenue of {self.region}", every),
            (f"only {first}", self.truth[self.region, first]),
            (f"and {second}?", self.truth[self.region, second]),
        )

    def talk(self, slack: SlackServer) -> None:
        for question, number in self.questions():
            began = time.monotonic()
            ts = slack.say(SALES, self.user, f"{ME} {question}")
            message = slack.wait(partial(_answer, slack, ts), SECONDS)
            self.shown.append(message["posted"] - began)
            self.answered.append(message["changed"] - began)
            if not re.search(rf"(?<!\d){number}(?!\d)", shown(message).replace(",", "")):
                self.wrong.append(f"{self.user}: {question}: {number:,}: {shown(message)}")
            time.sleep(self.think)


def _answer(slack: SlackServer, thread: str) -> Message | None:
    for message in reversed(slack.messages_of(SALES)):
        if message.get("thread_ts") == thread:
            return None if is_progress(message) else message
    return None


def talked(people: Sequence[Person], application: Application) -> float:
    """Let all people talk at once; returns the seconds until the last has all answers."""
    threads = [
        threading.Thread(target=each.talk, args=(application.slack,), daemon=True)
        for each in people
    ]
    began = time.monotonic()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(SECONDS)
    return time.monotonic() - began


def memory_mb(process: int) -> float:
    """The most memory that the process had."""
    status = Path(f"/proc/{process}/status").read_text("utf-8")
    return int(next(each for each in status.splitlines() if "VmHWM" in each).split()[1]) / 1024


def spread(seconds: Sequence[float]) -> dict[str, float]:
    ordered = quantiles(seconds, n=20)
    return {
        "median": round(median(seconds), 3),
        "p95": round(ordered[-1], 3),
        "max": round(max(seconds), 3),
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--people", type=int, default=50)
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--think", type=float, default=0.0, help="seconds between two questions")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    text, truth = sales(given.rows)
    people = [Person(number, truth, given.think) for number in range(given.people)]
    with tempfile.TemporaryDirectory() as name, SlackServer() as slack:
        folder = Path(name)
        (folder / "sales.csv").write_text(text, "utf-8")
        (folder / "slack.yaml").write_text(SETTINGS, "utf-8")
        with running(slack, folder, "csv_chat", "--data", "sales.csv") as application:
            seconds = talked(people, application)
            memory = memory_mb(application.process.pid)
            code = application.end(signal.SIGTERM)
    answered = [each for person in people for each in person.answered]
    wrong = [each for person in people for each in person.wrong]
    found = {
        "people": given.people,
        "questions": len(answered),
        "right": len(answered) - len(wrong),
        "seconds": round(seconds, 2),
        "answers_a_second": round(len(answered) / seconds, 2),
        "ack_s": spread(slack.state.waits),
        "shown_s": spread([each for person in people for each in person.shown]),
        "answer_s": spread(answered),
        "edits_a_message": round(slack.state.edits / len(answered), 2),
        "memory_mb": round(memory, 1),
        "exit_code": code,
    }
    if given.json is not None:
        given.json.write_text(json.dumps(found, indent=2), "utf-8")
    for key, value in found.items():
        print(f"{key:20} {value}")
    for each in wrong[:5]:
        print(each, file=sys.stderr)
    return 0 if not wrong and len(answered) == 3 * given.people else 1


if __name__ == "__main__":
    sys.exit(main())
