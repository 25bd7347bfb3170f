"""The model of a catalog: kept by content, completed by a dictionary and by a person's file."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from pydantic import BaseModel

import flows
from flows.build.builder import build
from flows.data.catalog import Catalog
from flows.data.dictionary_catalog import DescribedCatalog
from flows.data.meaning.dictionary_file import read_dictionary
from flows.errors import CheckError, ConfigError
from flows.semantics.formats import read_model, write_model
from flows.semantics.model import SemanticField, SemanticModel, Unknown
from flows.semantics.models import SemanticModels
from flows.semantics.tree import changed
from tests.data.conftest import mariadb_shop, postgres_shop  # noqa: F401
from tests.servers.mariadb import MariaDB
from tests.servers.postgres import Postgres

ORDERS = "order_id,customer_id,amount,score\n" + "".join(
    f"{n},{n % 4 + 1},{n * 1.5},{-99 if n % 5 == 0 else n % 5}\n" for n in range(1, 40)
)
CUSTOMERS = "customer_id,name\n1,Ann\n2,Bea\n3,Cy\n4,Di\n"
SOURCES = {"orders": "orders.csv", "customers": "customers.csv"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "orders.csv").write_text(ORDERS)
    (tmp_path / "customers.csv").write_text(CUSTOMERS)
    long_ago = time.time() - 3600
    for name in SOURCES.values():
        os.utime(tmp_path / name, (long_ago, long_ago))
    return tmp_path


def model_of(folder: Path, declared: Path | None = None) -> SemanticModel:
    cache = folder / "cache"
    with Catalog(SOURCES, folder, cache) as catalog:
        return SemanticModels(catalog, declared=declared, cache=cache).model()


def entries(folder: Path) -> list[Path]:
    return sorted((folder / "cache").glob("model-*.json"))


@pytest.mark.long("whole vocabularies are read")
def test_it_is_inferred_once_for_each_content(folder: Path) -> None:
    first = model_of(folder)
    (entry,) = entries(folder)
    written = entry.stat().st_mtime_ns, entry.read_bytes()
    with Catalog(SOURCES, folder, folder / "cache") as catalog:
        catalog.tables()
        models = SemanticModels(catalog, cache=folder / "cache")
        started = time.perf_counter()
        again = models.model()
        took = time.perf_counter() - started
        assert models.model() is again
        assert catalog.workers.files.pid is None
    assert again == first
    assert took < 0.5
    assert entry.read_bytes() == written[1]
    (folder / "orders.csv").write_text(ORDERS.replace("-99", "5"))
    changed = model_of(folder)
    assert changed != first
    assert len(entries(folder)) == 2


@pytest.mark.parametrize("damage", ["cut", "empty", "of another"])
def test_a_damaged_entry_is_made_again(folder: Path, damage: str) -> None:
    first = model_of(folder)
    (entry,) = entries(folder)
    content = entry.read_bytes()
    entry.write_bytes({"cut": content[:-9], "empty": b"", "of another": b"{}"}[damage])
    assert model_of(folder) == first
    assert entry.read_bytes() == content


def test_a_dictionary_gives_descriptions_units_and_synonyms(folder: Path) -> None:
    (folder / "words.csv").write_text(
        "table,column,description,unit,synonyms\n"
        'orders,amount,What was paid,EUR,"turnover; takings"\norders,,What was sold,,deals\n'
    )
    known = read_dictionary(folder / "words.csv")
    with DescribedCatalog(SOURCES, folder, dictionary=known) as catalog:
        model = SemanticModels(catalog).model()
    orders = model.dataset("orders")
    assert orders is not None
    assert (orders.description, orders.words) == ("What was sold", ("deals",))
    amount = orders.find("amount")
    assert amount is not None
    assert (amount.description, amount.unit) == ("What was paid", "EUR")
    assert amount.words[:2] == ("turnover", "takings")
    metric = model.metric("amount")
    assert metric is not None
    assert (metric.unit, metric.words[:2]) == ("EUR", ("turnover", "takings"))


@pytest.mark.parametrize("ending", ["yaml", "json"])
def test_a_dictionary_of_any_kind_has_synonyms(tmp_path: Path, ending: str) -> None:
    text = {
        "yaml": "- column: mrr\n  synonyms: [monthly revenue, MR]\n",
        "json": '{"mrr": {"description": "x", "aliases": ["monthly revenue", "MR"]}}',
    }[ending]
    path = tmp_path / f"words.{ending}"
    path.write_text(text)
    (entry,) = read_dictionary(path).entries
    assert entry.synonyms == ("monthly revenue", "MR")


def test_what_is_written_is_read_to_the_same(folder: Path) -> None:
    first = model_of(folder)
    path = folder / "model.yaml"
    path.write_text(write_model(first))
    assert read_model(path) == without_ends(first)
    assert model_of(folder, path) == first


def without_ends(model: SemanticModel) -> SemanticModel:
    """The model without the ends of its values, which are those of the data alone."""

    def unseen(part: BaseModel) -> BaseModel:
        ends = {"least": None, "most": None}
        return part.model_copy(update=ends) if isinstance(part, SemanticField) else part

    return changed(model, unseen)


def test_a_file_is_laid_over_what_is_inferred(folder: Path) -> None:
    path = folder / "ours.yaml"
    path.write_text(
        "version: '0.2.0.dev0'\nname: shop\ndatasets:\n  - name: orders\n    source: orders\n"
        "    description: What we sell.\n"
    )
    model = model_of(folder, path)
    orders = model.dataset("orders")
    assert orders is not None
    assert (orders.description, orders.noun) == ("What we sell.", "order")
    score = orders.find("score")
    assert score is not None
    assert score.cleaning == (Unknown(values=(-99,)),)
    path.write_text(path.read_text().replace(": orders", ": odrers"))
    with pytest.raises((ConfigError, CheckError), match=r"odrers(.|\n)*orders"):
        model_of(folder, path)


@pytest.mark.long("models of many tables are inferred")
def test_models_of_servers_are_inferred_from_their_own_sql(
    postgres_shop: Postgres,  # noqa: F811
    mariadb_shop: MariaDB,  # noqa: F811
    tmp_path: Path,
) -> None:
    found = []
    for server in (postgres_shop, mariadb_shop):
        with Catalog({"shop": server.url()}, tmp_path, tmp_path / "cache") as catalog:
            found.append(SemanticModels(catalog, cache=tmp_path / "cache").model())
    assert not entries(tmp_path)
    for model in found:
        orders = next(each for each in model.datasets if each.table.endswith("orders"))
        assert (orders.noun, orders.key, orders.time) == ("order", ("order_id",), "placed")
        assert {each.name: each.role for each in orders.fields} == {
            "order_id": "identifier", "customer": "category", "region": "identifier",
            "placed": "time", "amount": "measure", "paid": "flag",
        }  # fmt: skip
        assert [each.to for each in model.relationships if each.dataset == orders.name] == [
            "regions"
        ]


@pytest.fixture
def server_of_amounts(postgres_shop: Postgres) -> Iterator[str]:  # noqa: F811
    postgres_shop.execute(
        'CREATE TABLE public."Täglich ""x""" (day text, fee text, level int, boss_id int)',
        'INSERT INTO public."Täglich ""x""" '
        "SELECT to_char(date '2024-01-01' + n, 'DD.MM.YYYY'), "
        "'€' || n || '.50', CASE WHEN n % 4 = 0 THEN -99 ELSE n % 4 + n % 3 END, NULL "
        "FROM generate_series(1, 3000) AS n",
        'GRANT SELECT ON public."Täglich ""x""" TO reader',
    )
    yield postgres_shop.url()
    postgres_shop.execute('DROP TABLE public."Täglich ""x"""')


@pytest.mark.long("whole vocabularies are read")
def test_texts_of_a_server_are_looked_at(server_of_amounts: str, tmp_path: Path) -> None:
    with Catalog({"shop": server_of_amounts}, tmp_path) as catalog:
        model = SemanticModels(catalog).model()
    daily = next(each for each in model.datasets if each.find("fee"))
    day, fee, level, _ = daily.fields
    assert (day.role, day.type, daily.time) == ("time", "date", "day")
    assert (fee.role, fee.unit) == ("measure", "EUR")
    assert level.cleaning == (Unknown(values=(-99,)),)


RUN = """\
_target_: tests.semantics.nouns_flow.Nouns
name: Nouns
data: {orders: orders.csv, customers: customers.csv}
semantic_model: ours.yaml
dictionary: words.csv
"""
OURS = """\
version: '0.2.0.dev0'
name: shop
datasets:
  - {name: orders, source: orders, description: What we sell.}
"""


@pytest.fixture
def run_file(folder: Path) -> Path:
    (folder / "run.yaml").write_text(RUN)
    (folder / "ours.yaml").write_text(OURS)
    words = "table,column,description\norders,,Sold\ncustomers,,Who buys\n"
    (folder / "words.csv").write_text(words)
    return folder / "run.yaml"


@pytest.mark.long("whole vocabularies are read")
def test_a_run_has_the_model_of_its_data_with_what_people_say(
    run_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(run_file.parent)
    result = flows.run(run_file, trust=("tests",))
    assert result.outputs["nouns"] == ("order", "customer")
    assert result.outputs["said"] == ("What we sell.", "Who buys")


@pytest.mark.parametrize(
    ("text", "says"),
    [(": [", "ours.yaml:1"), ("version: '0.2.0.dev0'\ndatasets: 7\n", "ours.yaml:2")],
)
def test_a_file_that_is_no_model_is_refused_before_the_run(
    run_file: Path, text: str, says: str
) -> None:
    (run_file.parent / "ours.yaml").write_text(text)
    with pytest.raises((ConfigError, CheckError)) as caught:
        build(run_file, trust=("tests",))
    assert says in str(caught.value)


def test_a_replay_and_a_fork_start_from_whole_paths(run_file: Path) -> None:
    plan, _ = build(run_file, trust=("tests",))
    for key, name in (("semantic_model", "ours.yaml"), ("dictionary", "words.csv")):
        assert plan.spec[key] == str(run_file.parent / name)
