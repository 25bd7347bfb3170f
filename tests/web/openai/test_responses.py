"""`/v1/responses` by the official client."""

from __future__ import annotations

from typing import Any

import openai
import pytest


@pytest.mark.long("the real command")
def test_a_response_goes_on_with_the_one_before(client: openai.OpenAI) -> None:
    first = client.responses.create(model="csv_chat", input="What is the total amount?")
    assert "The total amount is 45." in first.output_text
    assert (first.status, first.object) == ("completed", "response")
    then = client.responses.create(
        model="csv_chat", input="And for shop A?", previous_response_id=first.id
    )
    assert "15" in then.output_text
    assert then.id != first.id
    # Its run has gone on since: a second answer to the first begins another.
    again = client.responses.create(
        model="csv_chat", input="What is the total amount for shop B?",
        previous_response_id=first.id,
    )  # fmt: skip
    assert "30" in again.output_text
    assert again.id.rpartition("-")[0] != first.id.rpartition("-")[0]
    messages: Any = [
        {"role": "developer", "content": "Be kind."},
        {"role": "user", "content": [{"type": "input_text", "text": "hello"}]},
    ]
    assert client.responses.create(model="louder", input=messages).output_text == "HELLO"


@pytest.mark.long("the real command")
def test_a_response_in_pieces_and_what_is_refused(client: openai.OpenAI) -> None:
    with client.responses.stream(model="louder", input="one two three " * 9) as stream:
        kinds = [each.type for each in stream]
        whole = stream.get_final_response()
    assert whole.output_text == ("ONE TWO THREE " * 9).strip()
    assert kinds[:2] == ["response.created", "response.in_progress"]
    assert kinds.count("response.output_text.delta") > 2
    assert kinds[-1] == "response.completed"
    failed = [each.type for each in client.responses.create(model="fails", input="x", stream=True)]
    assert failed[-1] == "response.failed"
    wrong: list[tuple[dict[str, Any], type[openai.APIStatusError], str]] = [
        ({"tools": [{"type": "web_search"}]}, openai.BadRequestError, "tools is not offered"),
        ({"background": True}, openai.BadRequestError, "background is not offered"),
        ({"input": [{"type": "item_reference", "id": "x"}]}, openai.BadRequestError,
         "'item_reference' is not taken"),
        ({"previous_response_id": "resp_none-0"}, openai.NotFoundError, "there is no run"),
        ({"previous_response_id": "x"}, openai.NotFoundError, "there is no response 'x'"),
        ({"model": "none"}, openai.NotFoundError, "there is no flow"),
    ]  # fmt: skip
    for more, kind, said in wrong:
        with pytest.raises(kind, match=said):
            client.responses.create(**{"model": "louder", "input": "hello", **more})
