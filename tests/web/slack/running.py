"""The real command `flows slack` as a process, beside the stand-in of Slack."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.cli.command import environment
from tests.servers.slack_server import BOT_USER, Message, SlackServer

SECONDS = 240.0
SALES = "C0SALES00"
GENERAL = "C0GENERAL"
ANNA = "U0ANNA000"
BEN = "U0BEN0000"
ME = f"<@{BOT_USER}>"

CSV = """\
date,region,product,revenue
2007-01-05,North,Tea,120
2007-02-11,South,Tea,80
2007-02-12,North,Coffee,300
2007-03-02,West,Coffee,50
2008-01-02,South,Coffee,410
"""


class Application:
    """A running `flows slack`, and the Slack that it is connected to."""

    def __init__(self, process: subprocess.Popen[bytes], slack: SlackServer, log: Path) -> None:
        self.process, self.slack, self._log = process, slack, log
        self.folder = log.parent

    @property
    def log(self) -> str:
        return self._log.read_text("utf-8", "replace")

    def ask(self, text: str, *, user: str = ANNA, channel: str = SALES, **more: Any) -> Message:
        """Ask in a channel, and wait for the answer: the message without progress."""
        before = len(self.slack.messages_of(channel))
        self.slack.say(channel, user, f"{ME} {text}", **more)
        return self.answer(channel, before)

    def answer(self, channel: str, number: int) -> Message:
        """The application's message of that number in the channel, once it is no progress."""

        def found() -> Message | None:
            messages = self.slack.messages_of(channel)
            assert self.process.poll() is None, self.log
            if len(messages) <= number or is_progress(messages[number]):
                return None
            return messages[number]

        found_message: Message = self.slack.wait(found)
        return found_message

    def end(self, number: signal.Signals = signal.SIGTERM) -> int:
        """Send a signal, and wait for the end."""
        self.process.send_signal(number)
        return self.process.wait(SECONDS)


def is_progress(message: Message) -> bool:
    text = str(message["text"])
    return text.startswith("Working on it") or text.rpartition("\n")[2].startswith("… ")


@contextmanager
def running(
    slack: SlackServer, folder: Path, *arguments: str, env: Mapping[str, str] | None = None
) -> Iterator[Application]:
    """The command in a folder, connected; killed at the end if it still runs."""
    log = folder / "log.txt"
    if not (folder / "sales.csv").exists():
        (folder / "sales.csv").write_text(CSV, "utf-8")
    given = {**environment(**slack.environment), **(env or {})}
    with log.open("ab") as written:
        process = subprocess.Popen(
            [sys.executable, "-m", "flows", "slack", *arguments],
            cwd=folder, env=given, stdin=subprocess.DEVNULL, stdout=written, stderr=written,
            start_new_session=True,
        )  # fmt: skip
    application = Application(process, slack, log)
    try:
        slack.wait(lambda: "connected to" in application.log or process.poll() is not None)
        assert process.poll() is None, application.log
        slack.wait_connected()
        yield application
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait(SECONDS)


def shown(message: Message) -> str:
    """All that a person reads of a message."""
    parts = []
    for block in message["blocks"]:
        for each in [block["text"]] if "text" in block else block["elements"]:
            text = each["text"]
            parts.append(text if isinstance(text, str) else f"[{text['text']}]")
    return "\n".join(parts) or str(message["text"])


def buttons(message: Message) -> list[str]:
    return [
        each["text"]["text"]
        for block in message["blocks"]
        if block["type"] == "actions"
        for each in block["elements"]
    ]
