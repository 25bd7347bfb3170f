"""The page that follows one question through all stages, each shown as the code makes it."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from flows.analysis.analyst.proposal import Analyst
from flows.analysis.methods.answer import Result, narrate
from flows.analysis.parser.exact import parse_exact, words
from flows.analysis.parser.explanation import request_yaml
from flows.data.catalog import Catalog
from flows.data.query import run_query
from flows.semantics.check import check
from flows.semantics.inference.model import infer_model
from flows.semantics.model import SemanticModel
from flows.semantics.models import SemanticModels
from flows.semantics.query import FieldRef, Query
from flows.semantics.request import REQUEST

QUESTION = "What is the average life expectancy per continent since 1990, highest first?"
SOURCE = "package://plotly/package_data/datasets/gapminder.csv.gz"
PAGE = """# How a question becomes an answer

Made by `python docs/generate.py` from the code; do not edit it by hand.

English is read once. Behind that a typed **request** travels: to the query, to the words of the
answer, to a question back, to the next question. It names things of the **semantic model**, which
says what the data mean ([semantic-model.md](semantic-model.md)). Here is one question on its way:

> {question}

## 1. What the data mean

`flows model` infers it from names and values; a file can say it better. Some of what it says here:

```text
{model}```

## 2. What was asked

The reader ([analyst.md](analyst.md)) ties the words to fields and values, and makes the request.
Each part says which words it stands for; `flows ask --explain` shows it so.

```text
{request}```

`check` compares it with the semantic model: {checked}. Of a request that does not fit it says where
and why: over the field `{wrong}`, it says "{refused}".

## 3. The same in words

Every request can be told in plain English, for an option to choose or a task to show, and that
English is read back as the same request:

> {told}

Read back it is {same}.

## 4. The query

```text
{sql}
```

## 5. The result

{rows}

## 6. The answer

It is told from the request and the cells of the result; the question is not read again.

> {answer}
"""


@dataclass(frozen=True)
class Stages:
    """What becomes of the question, stage by stage."""

    model: SemanticModel
    proposal: dict[str, Any]
    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    answer: str


def follow(question: str, source: str) -> Stages:
    """The stages of a question over one source."""
    with (
        tempfile.TemporaryDirectory() as folder,
        Catalog({"gapminder": source}, Path(folder)) as catalog,
    ):
        tables = catalog.tables()
        proposal = Analyst(tables, infer_model(tables)).propose(question)
        found = run_query(catalog, proposal["sql"], max_rows=100, timeout=60.0)
        request = REQUEST.validate_python(proposal["request"])
        result = Result(found.columns, found.rows, len(found.rows), None)
        answer = narrate(request, infer_model(tables), tables, result)
        model = SemanticModels(catalog).model()
    return Stages(model, proposal, found.columns, found.rows, answer)


def question_page() -> str:
    """The page."""
    stages = follow(QUESTION, SOURCE)
    request = REQUEST.validate_python(stages.proposal["request"])
    assert isinstance(request, Query)
    told = words(request, stages.model)
    misspelt = _misspelt(request)
    wrong = request.model_copy(update={"by": (misspelt,)})
    again = parse_exact(told, stages.model) == request
    return PAGE.format(
        question=QUESTION,
        model=_model_yaml(stages.model),
        request=request_yaml(request, QUESTION),
        checked="it fits" if not check(request, stages.model) else "it does not fit",
        wrong=misspelt.field,
        refused=check(wrong, stages.model)[0],
        told=told,
        same="equal to the request" if again else "another request",
        sql=stages.proposal["sql"],
        rows=_table(stages.columns, stages.rows),
        answer=stages.answer,
    )


def _misspelt(request: Query) -> FieldRef:
    field = request.by[0]
    assert isinstance(field, FieldRef)
    return field.model_copy(update={"field": f"{field.field}s"})


def _model_yaml(model: SemanticModel) -> str:
    dataset = model.datasets[0]
    fields = [
        {key: value for key, value in (("name", each.name), ("role", each.role),
                                       ("unit", each.unit)) if value}
        for each in dataset.fields
    ]  # fmt: skip
    shown = {"dataset": dataset.name, "a row is": dataset.noun, "fields": fields}
    text: str = yaml.safe_dump(shown, sort_keys=False)
    return text


def _table(columns: tuple[str, ...], rows: tuple[tuple[Any, ...], ...]) -> str:
    lines = [columns, ["---"] * len(columns), *rows]
    return "\n".join(f"| {' | '.join(map(str, each))} |" for each in lines)
