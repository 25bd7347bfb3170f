"""Whether a question's reading is better chosen by its words: is the reading that is told in words
most like the question's the right one?

    python benchmarks/paraphrases.py CASES [--part 0/8]

CASES is a file of JSON lines with `question`, `sql` and `database`, a SQLite file beside it. Each
question is read by all readers; each different reading is a candidate. It is right when its query
gives the rows of the case's query. Printed are the shares of questions whose candidate is right
when it is the one that the analyst answers with, the one whose words are nearest to the question
(cosine similarity of the embedder minilm, of the extra `semantic`), the one that a logistic
regression takes with and without that similarity (each database is left out in turn), and any.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
import sqlite3
import tempfile
import time
from collections import defaultdict
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from report import table

from flows.analysis.analyst.proposal import Analyst
from flows.analysis.parser.exact import words
from flows.analysis.questions.reader import read_question
from flows.analysis.reading.reader import Unread, read
from flows.analysis.requests.sql import sql_of
from flows.data.catalog import Catalog
from flows.evaluation.compare import same_rows
from flows.evaluation.kinds import is_ordered
from flows.memory.minilm.embedder import MiniLMEmbedder
from flows.semantics.inference.model import infer_model
from flows.semantics.query import Query

SECONDS = 10.0


@dataclass(frozen=True)
class Candidate:
    """One reading of a question: its words, and what speaks for it."""

    words: str
    sql: str
    taken: bool
    phrases: bool
    confidence: float
    right: bool


@dataclass(frozen=True)
class AskedQuestion:
    text: str
    database: str
    candidates: tuple[Candidate, ...]


def rows_of(connection: sqlite3.Connection, sql: str) -> list[tuple[Any, ...]]:
    stop = time.monotonic() + SECONDS
    connection.set_progress_handler(lambda: time.monotonic() > stop, 100_000)
    return connection.execute(sql).fetchall()


def ask(path: Path, cases: Sequence[dict[str, Any]]) -> list[AskedQuestion]:
    """The questions over one database, each with its candidates."""
    with Catalog({path.stem: str(path)}, Path.cwd(), Path(".flows/profiles")) as catalog:
        tables = catalog.tables()
    model = infer_model(tables)
    analyst = Analyst(tables, model)
    asked = []
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
        connection.text_factory = lambda raw: raw.decode(errors="replace")
        for case in cases:
            expected, found = rows_of(connection, case["sql"]), dict[str, Candidate]()
            taken = analyst.propose(case["question"])["sql"]
            for query, confidence, phrases in readings(case["question"], tables, model):
                sql = sql_of(query, model, tables)
                try:
                    got = rows_of(connection, sql)
                except sqlite3.Error:
                    continue
                right = same_rows(expected, got, ordered=is_ordered(case["sql"]), exact=True)
                made = Candidate(words(query, model), sql, sql == taken, phrases, confidence, right)
                found.setdefault(sql, made)
            asked.append(AskedQuestion(case["question"], path.stem, tuple(found.values())))
    return asked


def readings(question: str, tables: Any, model: Any) -> list[tuple[Query, float, bool]]:
    """The queries that the readers make of a question, with their confidence."""
    found: list[tuple[Query, float, bool]] = []
    free = read(question, tables, model, most_doubt=float("inf"))
    if not isinstance(free, Unread):
        every = (free, *free.alternatives)
        found += [(each.query, each.confidence, False) for each in every]
    phrases = read_question(question, tables, model)
    if phrases is not None:
        found.append((phrases.query, phrases.confidence, True))
    return found


async def similarities(asked: Sequence[AskedQuestion]) -> dict[tuple[str, str], float]:
    """The cosine similarity of each question and the words of each of its candidates."""
    texts = sorted({each.text for each in asked}
                   | {each.words for one in asked for each in one.candidates})  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        embedder = MiniLMEmbedder(MiniLMEmbedder.Config(cache=Path(folder)))
        vectors = dict(zip(texts, await embedder.embed(texts), strict=True))
    return {
        (one.text, each.words): sum(
            a * b for a, b in zip(vectors[one.text], vectors[each.words], strict=True)
        )
        for one in asked
        for each in one.candidates
    }


def likelihoods(
    asked: Sequence[AskedQuestion], near: dict[tuple[str, str], float], with_words: bool
) -> dict[tuple[str, str], float]:
    """How likely a candidate is right by a logistic regression fitted on the other databases."""
    import numpy as np
    from sklearn.linear_model import LogisticRegression

    def signs(one: AskedQuestion, each: Candidate) -> list[float]:
        best = max(near[one.text, other.words] for other in one.candidates)
        similarity = near[one.text, each.words]
        told = [similarity, similarity - best] if with_words else []
        return [each.taken, each.phrases, each.confidence, *told]

    every = [(one, each) for one in asked for each in one.candidates]
    values = np.array([signs(*pair) for pair in every])
    right = np.array([each.right for _, each in every])
    databases = np.array([one.database for one, _ in every])
    likely: dict[tuple[str, str], float] = {}
    for name in sorted(set(databases)):
        out = databases == name
        model = LogisticRegression(C=1.0, max_iter=5000).fit(values[~out], right[~out])
        found = model.predict_proba(values[out])[:, 1]
        pairs = [pair for pair, here in zip(every, out, strict=True) if here]
        likely |= {(one.text, each.words): p for (one, each), p in zip(pairs, found, strict=True)}
    return likely


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("cases", type=Path)
    parser.add_argument("--part", default="0/1", help="k/n: of n parts of the databases the k-th")
    options = parser.parse_args()
    place, parts = map(int, options.part.split("/"))
    by_path: dict[Path, list[dict[str, Any]]] = defaultdict(list)
    for line in options.cases.read_text(encoding="utf-8").splitlines():
        case = json.loads(line)
        digest = hashlib.sha256(case["database"].encode()).hexdigest()
        if int(digest, 16) % parts == place:
            by_path[options.cases.parent / case["database"]].append(case)
    asked = [one for path, cases in by_path.items() for one in ask(path, cases)]
    near = asyncio.run(similarities(asked))
    without, both = (likelihoods(asked, near, with_words) for with_words in (False, True))
    print(f"{len(asked)} questions, {len(by_path)} databases")
    several = [one for one in asked if len(one.candidates) > 1]
    rows = []
    for name, some in (("all", asked), ("with several candidates", several)):
        ways = {
            "the analyst's": [any(e.right and e.taken for e in one.candidates) for one in some],
            "nearest in words": [chosen(one, near) for one in some],
            "by confidence": [chosen(one, without) for one in some],
            "by confidence and words": [chosen(one, both) for one in some],
            "any": [any(each.right for each in one.candidates) for one in some],
        }
        rows += [
            [name, str(len(some)), way, f"{sum(of) / max(1, len(of)):.3f}"]
            for way, of in ways.items()
        ]
    print(table(["questions", "n", "candidate", "right"], rows))


def chosen(one: AskedQuestion, scores: dict[tuple[str, str], float]) -> bool:
    """Whether the candidate with the highest score is right."""
    ranked = sorted(one.candidates, key=lambda each: -scores[one.text, each.words])
    return bool(ranked) and ranked[0].right


if __name__ == "__main__":
    main()
