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
    # Each is there still, as it was, though its run has gone on.
    for each in (first, then, again):
        kept = client.responses.retrieve(each.id)
        assert (kept.output_text, kept.status) == (each.output_text, "completed")
        assert kept.usage == each.usage
    assert client.responses.retrieve(then.id).previous_response_id == first.id
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
        ({"previous_response_id": "resp_none-0"}, openai.BadRequestError,
         "Previous response with id 'resp_none-0' not found"),
        ({"previous_response_id": "x"}, openai.BadRequestError,
         "Previous response with id 'x' not found"),
        ({"model": "none"}, openai.NotFoundError, "there is no flow"),
    ]  # fmt: skip
    for more, kind, said in wrong:
        with pytest.raises(kind, match=said):
            client.responses.create(**{"model": "louder", "input": "hello", **more})
    with pytest.raises(openai.BadRequestError) as refused:
        client.responses.create(model="louder", input="x", previous_response_id="resp_none-0")
    assert (refused.value.code, refused.value.param) == (
        "previous_response_not_found", "previous_response_id",
    )  # fmt: skip
    for unknown in ("resp_none-0", "x", f"{whole.id}1"):
        with pytest.raises(openai.NotFoundError, match="not found"):
            client.responses.retrieve(unknown)
    with pytest.raises(openai.APIStatusError, match="Responses are not deleted"):
        client.responses.delete(whole.id)


@pytest.mark.long("the real command")
def test_a_response_that_is_under_way_is_cancelled(client: openai.OpenAI) -> None:
    inputs = {"seconds": 60, "why": "to be cancelled"}
    stream = client.responses.create(
        model="slow", input="", stream=True, extra_body={"inputs": inputs}
    )
    begun = next(iter(stream))
    assert begun.type == "response.created"
    name = begun.response.id
    assert client.responses.retrieve(name).status in ("queued", "in_progress")
    assert client.responses.cancel(name).status == "cancelled"
    assert [each.type for each in stream][-1] == "response.failed"
    assert client.responses.retrieve(name).status == "cancelled"
    with pytest.raises(openai.BadRequestError, match="cannot be cancelled"):
        client.responses.cancel(name)
