"""The reader of server-sent events."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flows.errors import ModelReplyInvalid
from flows.models.sse import EventDecoder

STREAM = (
    b": a comment\n\n"
    b'data: {"n": "\xc3\xa9"}\r\n\r\n'
    b"event: message\nid: 7\ndata:first line\ndata: second line\n\n\n\n"
    b"retry: 10\n\n"
    b"data: [DONE]\n\n"
)
EVENTS = ['{"n": "é"}', "first line\nsecond line", "[DONE]"]


@given(st.lists(st.integers(0, len(STREAM)), max_size=12))
def test_events_do_not_depend_on_where_the_bytes_are_split(cuts: list[int]) -> None:
    edges = [0, *sorted(cuts), len(STREAM)]
    decoder = EventDecoder(1_000)
    events = [event for start, end in pairwise(edges) for event in decoder.feed(STREAM[start:end])]
    assert events == EVENTS
    assert decoder.end() is None


@pytest.mark.parametrize(
    ("rest", "last"),
    [
        (b"data: [DONE]", "[DONE]"),
        (b"data: [DONE]\n", "[DONE]"),
        (b'data: {"whole": 1}', '{"whole": 1}'),
        (b'data: {"cut": ', None),
        (b"dat", None),
        (b"", None),
    ],
)
def test_the_last_event_counts_only_when_it_is_whole(rest: bytes, last: str | None) -> None:
    decoder = EventDecoder(1_000)
    assert decoder.feed(rest) == []
    assert decoder.end() == last


@pytest.mark.parametrize("piece", [b"data: " + b"x" * 60, b"x" * 60, b"data: " + b"x" * 60 + b"\n"])
def test_an_event_without_an_end_is_bounded(piece: bytes) -> None:
    decoder = EventDecoder(1_000)

    def feed_for_long() -> None:
        for _ in range(100):
            decoder.feed(piece)

    with pytest.raises(ModelReplyInvalid, match="max_reply_bytes"):
        feed_for_long()


def test_bytes_that_are_no_text() -> None:
    with pytest.raises(ModelReplyInvalid, match="UTF-8"):
        EventDecoder(1_000).feed(b"data: \xff\xfe\n\n")
