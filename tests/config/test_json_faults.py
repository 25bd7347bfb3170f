"""What is wrong with a text that should be JSON, in words."""

from __future__ import annotations

import json

import pytest

from flows.config.json_faults import json_fault


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{'a': 1}", 'line 1, column 2: names and texts stand in straight double quotes (")'),
        ("{\"a\": 'b'}", "column 7: names and texts stand in straight double quotes"),
        ("{a: 1}", "column 2: a name in double quotes"),
        ('{"a": 1,}', "column 9: a comma stands before the closing }"),
        ("[1, 2,]", "column 7: a comma stands before the closing ]"),
        ('{"a": 1\n "b": 2}', "line 2, column 2: a comma or a closing bracket is missing"),
        ('{"a" 1}', "column 6: a colon is missing"),
        ('{"a": True}', "column 7: this is no value; JSON writes true in small letters"),
        ('{"a": None}', "JSON writes null"),
        ('{"a": x}', "column 7: this is no value"),
        ('{"a": "b}', "column 7: the text that begins here has no closing quote"),
        ('{"a": "b\nc"}', "a line break or control character in a text"),
        ('{"a": "\\q"}', "a backslash that stands for nothing"),
        ('{"a": 1} x', "column 10: something stands after the end"),
        ('{"a": ', "the text ends too early"),
        ("", "the text ends too early"),
    ],
)
def test_a_fault_is_told_in_words(text: str, said: str) -> None:
    with pytest.raises(ValueError) as caught:
        json.loads(text)
    told = json_fault(caught.value)
    assert said in told
    assert "Expecting" not in told
