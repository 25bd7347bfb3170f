"""Whether questions are better read by example: the known question of the same shape, its query
filled with the names of this one.

    python benchmarks/examples.py CASES [--part 0/8]

CASES is a file of JSON lines with `question`, `sql` and `database`, a SQLite file beside it. What a
question names in a table (columns, values, numbers) becomes slots: "How many C1 have C2 above N1?".
An example is a question whose query, over one table, holds nothing but what its slots name, so the
query is a shape too. A question takes the examples of all other databases that are nearest in shape
(word pairs by TF-IDF; `--embedder` takes the embedder minilm of the extra `semantic` instead) and
have as many slots, and the first whose query runs answers it. `--part` takes every n-th database to
ask; examples come from all. Printed: how often that is right, how often the analyst is, any of
both, and how often they say the same and are right.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
import tempfile
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from report import table
from sqlglot import exp, parse_one
from sqlglot.errors import SqlglotError

from flows.analysis.analyst.proposal import Analyst
from flows.analysis.language.words import Token, tokenize
from flows.analysis.linking.linker import link
from flows.analysis.linking.links import Link
from flows.analysis.linking.views import Database, database_of
from flows.data.catalog import Catalog
from flows.data.query import run_unchecked
from flows.errors import FlowsError
from flows.evaluation.compare import same_rows
from flows.evaluation.kinds import is_ordered
from flows.memory.minilm.embedder import MiniLMEmbedder
from flows.semantics.inference.model import infer_model

SECONDS = 10
# So many of the nearest examples are tried until the query of one runs.
TRIES = 5


@dataclass(frozen=True)
class Slots:
    """What a question names in one table, in order: columns, and values with their columns."""

    table: str
    shape: str
    columns: tuple[str, ...]
    values: tuple[Any, ...]


@dataclass(frozen=True)
class Shaped:
    """A question as slots, with its query as a shape where that holds nothing else."""

    database: str
    question: str
    sql: str
    slots: Slots | None
    query: str | None


@dataclass(frozen=True)
class Outcome:
    by_example: bool
    by_analyst: bool
    same: bool


def shape_all(path: Path, cases: Sequence[Mapping[str, Any]]) -> list[Shaped]:
    with Catalog({path.stem: str(path)}, Path.cwd(), Path(".flows/profiles")) as catalog:
        tables = catalog.tables()
    database = database_of(tables, infer_model(tables))
    shaped = []
    for case in cases:
        slots = slots_of(tokenize(case["question"]), database)
        query = query_shape(case["sql"], slots) if slots else None
        shaped.append(Shaped(str(path), case["question"], case["sql"], slots, query))
    return shaped


def slots_of(tokens: Sequence[Token], database: Database) -> Slots | None:
    """The slots over the table that explains the words best."""
    best: tuple[float, Slots] | None = None
    for _, schema in database.views(tokens):
        if len(schema.members) > 1:
            continue
        links = link(tokens, schema, prefer_table=True)
        weight = sum(each.score * (each.end - each.start) for each in links)
        if best is None or weight > best[0]:
            best = weight, _filled(tokens, links, schema.members[0].table.name)
    return best[1] if best else None


def _filled(tokens: Sequence[Token], links: Sequence[Link], name: str) -> Slots:
    columns: list[str] = []
    values: list[Any] = []
    words, at = [], 0
    for each in sorted(links, key=lambda one: one.start):
        words += [token.lower for token in tokens[at : each.start]]
        at = each.end
        if each.kind == "column":
            columns += each.columns
            words += ["C"] * len(each.columns)
        elif each.kind == "value":
            column, value = each.values[0]
            columns.append(column)
            values.append(value)
            words.append("V")
        elif each.kind == "literal":
            values.append(each.literal)
            words.append("N")
        else:
            words.append("T")
    words += [token.lower for token in tokens[at:]]
    return Slots(name, " ".join(words), tuple(columns), tuple(values))


def query_shape(sql: str, slots: Slots) -> str | None:
    """The query with slots for names and values; None where it holds what no slot names."""
    try:
        tree = parse_one(sql, read="sqlite")
    except SqlglotError:
        return None
    if [each.name.casefold() for each in tree.find_all(exp.Table)] != [slots.table.casefold()]:
        return None
    columns = [each.casefold() for each in slots.columns]
    values = [str(each).casefold() for each in slots.values]
    for found in list(tree.find_all(exp.Column)):
        if found.name.casefold() not in columns:
            return None
        found.replace(exp.column(f"zz_c{columns.index(found.name.casefold())}"))
    for literal in list(tree.find_all(exp.Literal)):
        if literal.name.casefold() in values:
            at = values.index(literal.name.casefold())
            literal.replace(exp.Placeholder(this=f"zz_v{at}"))
        elif not isinstance(literal.parent, exp.Limit):
            return None
    next(iter(tree.find_all(exp.Table))).replace(exp.to_table("zz_t"))
    return tree.sql("sqlite")


def filled_query(query: str, slots: Slots) -> str | None:
    tree = parse_one(query, read="sqlite")
    for column in list(tree.find_all(exp.Column)):
        at = int(column.name.removeprefix("zz_c"))
        if at >= len(slots.columns):
            return None
        column.replace(exp.column(exp.to_identifier(slots.columns[at], quoted=True)))
    for place in list(tree.find_all(exp.Placeholder)):
        at = int(place.name.removeprefix("zz_v"))
        if at >= len(slots.values):
            return None
        place.replace(exp.convert(slots.values[at]))
    next(iter(tree.find_all(exp.Table))).replace(
        exp.to_table(slots.table, dialect="sqlite", quoted=True)
    )
    return tree.sql("sqlite")


def nearest_examples(
    asked: Sequence[Shaped], examples: Sequence[Shaped], embedded: bool
) -> list[list[Shaped]]:
    """For each question the examples of other databases by falling likeness."""
    import numpy as np
    from sklearn.feature_extraction.text import TfidfVectorizer

    texts = [each.slots.shape if each.slots else "" for each in (*asked, *examples)]
    vectors: Any
    if embedded:
        with tempfile.TemporaryDirectory() as folder:
            embedder = MiniLMEmbedder(MiniLMEmbedder.Config(cache=Path(folder)))
            vectors = np.array(asyncio.run(embedder.embed(texts)))
    else:
        words = TfidfVectorizer(ngram_range=(1, 2), token_pattern=r"[^\s]+", lowercase=False)
        vectors = words.fit_transform(texts).toarray()
    likeness = vectors[: len(asked)] @ vectors[len(asked) :].T
    found = []
    for one, row in zip(asked, likeness, strict=True):
        order = (examples[at] for at in np.argsort(-row))
        fitting = (each for each in order if fits(one, each))
        found.append([each for each, _ in zip(fitting, range(TRIES), strict=False)])
    return found


def fits(one: Shaped, example: Shaped) -> bool:
    """Whether an example of another database has the slots of a question."""
    if one.slots is None or example.slots is None or one.database == example.database:
        return False
    kinds = [Counter(each for each in slots.shape.split() if each in ("C", "V", "N"))
             for slots in (one.slots, example.slots)]  # fmt: skip
    return kinds[0] == kinds[1]


def answer_all(path: str, asked: Sequence[tuple[Shaped, list[Shaped]]]) -> list[Outcome]:
    with Catalog({Path(path).stem: path}, Path.cwd(), Path(".flows/profiles")) as catalog:
        tables = catalog.tables()
        analyst = Analyst(tables, infer_model(tables))

        def rows(sql: str | None) -> Sequence[tuple[Any, ...]] | None:
            if sql is None:
                return None
            try:
                return run_unchecked(
                    catalog, sql, dialect=tables[0].dialect, max_rows=5000, timeout=SECONDS
                ).rows
            except FlowsError:
                return None

        found = []
        for one, examples in asked:
            expected, ordered = rows(one.sql), is_ordered(one.sql)
            queries = (filled_query(each.query or "", one.slots) for each in examples if one.slots)
            got = next((made for sql in queries if (made := rows(sql)) is not None), None)
            told = rows(analyst.propose(one.question)["sql"])
            right = [
                expected is not None and each is not None
                and same_rows(expected, each, ordered=ordered, exact=True)
                for each in (got, told)
            ]  # fmt: skip
            same = got is not None and told is not None and got == told
            found.append(Outcome(right[0], right[1], same))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("cases", type=Path)
    parser.add_argument("--part", default="0/1", help="k/n: of n parts of the databases the k-th")
    parser.add_argument("--embedder", action="store_true", help="compare shapes by minilm")
    options = parser.parse_args()
    place, parts = map(int, options.part.split("/"))
    by_path: dict[Path, list[dict[str, Any]]] = defaultdict(list)
    for line in options.cases.read_text(encoding="utf-8").splitlines():
        case = json.loads(line)
        by_path[(options.cases.parent / case["database"]).resolve()].append(case)
    with ProcessPoolExecutor() as pool:
        shaped = [one for of in pool.map(shape_all, by_path, by_path.values()) for one in of]
        examples = [each for each in shaped if each.query is not None]
        asked = [
            each for each in shaped
            if int(hashlib.sha256(each.database.rpartition("/")[2].encode()).hexdigest(), 16)
            % parts == place
        ]  # fmt: skip
        by_database: dict[str, list[tuple[Shaped, list[Shaped]]]] = defaultdict(list)
        near = nearest_examples(asked, examples, options.embedder)
        for one, of_it in zip(asked, near, strict=True):
            by_database[one.database].append((one, of_it))
        found = [
            each for of in pool.map(answer_all, by_database, by_database.values()) for each in of
        ]
    total = max(1, len(found))
    same = [each for each in found if each.same]
    print(f"{len(found)} questions, {len(by_database)} databases, {len(examples)} examples")
    rows_told = [
        ["by the nearest example", f"{sum(each.by_example for each in found) / total:.3f}"],
        ["by the analyst", f"{sum(each.by_analyst for each in found) / total:.3f}"],
        ["by any of both",
         f"{sum(each.by_example or each.by_analyst for each in found) / total:.3f}"],
        [f"where both say the same ({len(same)})",
         f"{sum(each.by_analyst for each in same) / max(1, len(same)):.3f}"],
    ]  # fmt: skip
    print(table(["read", "right"], rows_told))


if __name__ == "__main__":
    main()
