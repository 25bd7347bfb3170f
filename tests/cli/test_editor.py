"""What an editor offers and marks in a run file: the language server that editors use for YAML
reads the schema that the file's first line names.

The npm package `yaml-language-server` is in the folder of the environment variable
`FLOWS_YAML_LANGUAGE_SERVER`, or in `.venv/yaml-language-server`.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cli.command import PROJECT
from tests.cli.inside import inside

HEAD = "# yaml-language-server: $schema=run.schema.json\n"
TAKEN = "defaults:\n  - autogpt\n  - _self_\n"


class Editor:
    """An editor that speaks the protocol of language servers with a child process."""

    def __init__(self, program: Path, folder: Path) -> None:
        self.folder = folder
        self._process = subprocess.Popen(
            [str(program), "--stdio"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self._number = 0
        self.request("initialize", {
            "processId": os.getpid(),
            "rootUri": folder.as_uri(),
            "capabilities": {"textDocument": {"completion": {"completionItem": {}}}},
        })  # fmt: skip
        self._send({"method": "initialized", "params": {}})
        settings = {"yaml": {"completion": True, "validate": True}}
        self._send({"method": "workspace/didChangeConfiguration", "params": {"settings": settings}})

    def marks(self, name: str, text: str) -> list[str]:
        """The messages under the lines of a file that is opened."""
        uri = (self.folder / name).as_uri()
        document = {"uri": uri, "languageId": "yaml", "version": 1, "text": text}
        self._send({"method": "textDocument/didOpen", "params": {"textDocument": document}})
        while True:
            message = self._read()
            params = message.get("params", {})
            if message.get("method", "").endswith("publishDiagnostics") and params["uri"] == uri:
                return [each["message"] for each in params["diagnostics"]]
            self._reply(message)

    def offers(self, name: str, line: int, column: int) -> set[str]:
        """What is offered at a place of an open file, counted from 0."""
        found = self.request("textDocument/completion", {
            "textDocument": {"uri": (self.folder / name).as_uri()},
            "position": {"line": line, "character": column},
        })  # fmt: skip
        return {each["label"] for each in found["items"]}

    def request(self, method: str, params: dict[str, Any]) -> Any:
        self._number += 1
        self._send({"id": self._number, "method": method, "params": params})
        while True:
            message = self._read()
            if message.get("id") == self._number and "method" not in message:
                assert "error" not in message, message
                return message["result"]
            self._reply(message)

    def close(self) -> None:
        self.request("shutdown", {})
        self._send({"method": "exit"})
        self._process.communicate(timeout=30)

    def _reply(self, message: dict[str, Any]) -> None:
        """The server asks the editor for its settings too."""
        if "id" in message and "method" in message:
            items = message.get("params", {}).get("items", ())
            result = [{"validate": True} if each["section"] == "yaml" else None for each in items]
            self._send({"id": message["id"], "result": result or None})

    def _send(self, message: dict[str, Any]) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        assert self._process.stdin is not None
        self._process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self._process.stdin.flush()

    def _read(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        length = 0
        while line := self._process.stdout.readline().strip():
            name, _, value = line.decode().partition(":")
            if name.lower() == "content-length":
                length = int(value)
        assert length, "the language server has ended"
        read: dict[str, Any] = json.loads(self._process.stdout.read(length))
        return read


@pytest.fixture(scope="module")
def editor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Editor]:
    named = os.environ.get("FLOWS_YAML_LANGUAGE_SERVER")
    place = Path(named) if named else PROJECT / ".venv" / "yaml-language-server"
    program = place / "node_modules" / ".bin" / "yaml-language-server"
    if not program.exists() or shutil.which("node") is None:
        pytest.skip("npm install --prefix .venv/yaml-language-server yaml-language-server")
    folder = tmp_path_factory.mktemp("editor")
    (folder / "run.schema.json").write_text(inside("schema", cwd=PROJECT).out)
    opened = Editor(program, folder)
    yield opened
    opened.close()


@pytest.mark.long("a language server of Node is started")
def test_the_keys_of_a_config_that_is_taken_over_are_offered_and_checked(editor: Editor) -> None:
    wrong = f"{HEAD}{TAKEN}max_roundz: 3\n"
    assert any("max_roundz" in each for each in editor.marks("wrong.yaml", wrong))
    right = f"{HEAD}{TAKEN}max_rounds: 3\nearly\n"
    editor.marks("right.yaml", right)
    assert "early_exit_key" in editor.offers("right.yaml", right.count("\n") - 1, 5)
    assert editor.marks("whole.yaml", f"{HEAD}{TAKEN}max_rounds: 3\n") == []


@pytest.mark.long("a language server of Node is started")
def test_so_are_those_of_its_subflows(editor: Editor) -> None:
    below = "subflows_config:\n  Controller:\n    "
    wrong = f"{HEAD}{TAKEN}{below}previous_messagez: 3\n"
    assert any("previous_messagez" in each for each in editor.marks("wrong2.yaml", wrong))
    right = f"{HEAD}{TAKEN}{below}prev\n"
    editor.marks("right2.yaml", right)
    assert "previous_messages" in editor.offers("right2.yaml", right.count("\n") - 1, 8)
