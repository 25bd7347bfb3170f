"""A model endpoint that keeps each request as it arrived, to the byte.

with RawModel('{"sql": "SELECT 1"}') as server:
    ... ask server.base_url ...
    assert server.bodies[0] == b'{"model": ...'
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from types import TracebackType
from typing import Self

from flows.models.fake.answer import FakeAnswer
from flows.models.fake.wire import events, whole
from tests.servers.local_http import LocalHttp, Reply, Request


class RawModel:
    """Answers each request with the next of the texts, streamed if it asks so.

    A request with a parameter that is `refused` gets an error that names it instead.
    """

    def __init__(self, *texts: str, refused: Sequence[str] = ()) -> None:
        self._texts = list(texts)
        self._refused = refused
        self._http = LocalHttp(self._answer)

    @property
    def base_url(self) -> str:
        return f"{self._http.url}/v1"

    @property
    def bodies(self) -> list[bytes]:
        """What arrived, in order."""
        return [request.body for request in self._http.requests]

    def _answer(self, request: Request) -> Reply:
        asked = json.loads(request.body)
        for name in self._refused:
            if name in asked:
                newer = "; use max_completion_tokens" if name == "max_tokens" else ""
                problem = f"{name} is not supported{newer}"
                return Reply(status=400, json={"error": {"message": problem}})
        answer = FakeAnswer(text=self._texts.pop(0))
        if not asked["stream"]:
            return Reply(json=whole(answer, asked))
        stream = "".join(f"data: {each}\n\n" for each in events(answer, asked))
        return Reply(body=stream.encode(), headers={"Content-Type": "text/event-stream"})

    def __enter__(self) -> Self:
        self._http.__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._http.__exit__(kind, error, trace)
