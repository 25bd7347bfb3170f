"""One `flows serve` with flows of a user's own and a conversation, for the tests of this folder."""

from __future__ import annotations

from collections.abc import Iterator

import openai
import pytest

from tests.web.own_flows import write_flows
from tests.web.serving import TOKEN, Serving, serving

SALES = "shop,amount\nA,10\nB,30\nA,5\n"


@pytest.fixture(scope="package")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    folder = tmp_path_factory.mktemp("models")
    (folder / "sales.csv").write_text(SALES, "utf-8")
    with serving(folder, *write_flows(folder), "csv_chat", "--data", "sales.csv") as found:
        yield found


@pytest.fixture
def client(service: Serving) -> Iterator[openai.OpenAI]:
    with openai.OpenAI(base_url=f"{service.url}/v1", api_key=TOKEN, timeout=60) as found:
        yield found
