"""`flows entities`: loading, refreshing and looking up; and the store of a run file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.inside import inside, write
from tests.servers.redis import RedisServer, redis_program

LINES = """\
{"type": "body", "key": "B-77", "values": {"name": "Tunic"}}

{"type": "style", "key": "KT-2011", "values": {"price": 89.5}, "hint": "In euros.", \
"relations": [{"name": "body", "key": "B-77", "type": "body"}]}
"""
STYLES = "code,name,price,body,since\nKT-2011,Kite tunic,89.50,B-77,2024-03-01\n"
STYLES += "KT-2012,Kite dress,120,B-78,\n,Nameless,1,,\n00123,Old one,3,B-77,2020-01-05\n"
REFRESH = """\
entities: {_target_: entities.sqlite, path: shop.sqlite3}
data: {styles: styles.csv}
types:
  - type: style
    table: styles
    key: code
    hint: A style is made of a body.
    relations: {body: {column: body, type: body}}
  - type: body
    query: SELECT body, count(*) AS styles FROM styles WHERE body IS NOT NULL GROUP BY body
    key: body
"""
RUN = """\
_target_: entities
name: Look
entities: {_target_: entities.sqlite, path: shop.sqlite3}
inputs: {keys: [KT-2011, KT-2013], related: true}
"""


def test_lines_are_loaded_listed_and_found(tmp_path: Path) -> None:
    (tmp_path / "things.jsonl").write_text(LINES)
    assert inside("entities", cwd=tmp_path).out == "The store has no entities.\n"
    loaded = inside("entities", "load", "things.jsonl", cwd=tmp_path)
    assert loaded.code == 0, loaded.err
    assert loaded.out == "body: 1 entity (1 row read)\nstyle: 1 entity (1 row read)\n"
    assert inside("entities", cwd=tmp_path).out == "body: 1, as B-77\nstyle: 1, as KT-2011\n"
    found = inside("entities", "get", "KT-2011", "kt2011", cwd=tmp_path)
    assert found.code == 1
    assert found.out == (
        "style KT-2011\n  price: 89.5\n  body -> body B-77\n  hint: In euros.\n"
        "kt2011: not there; did you mean KT-2011 (style)?\n"
    )
    related = inside("entities", "get", "B-77", "--related", "--json", cwd=tmp_path).json()
    assert related["related"][0]["related"] == [
        {"relation": "body", "direction": "from", "key": "KT-2011", "type": "style"}
    ]
    # More of them come beside those that are there; with --replace in their place.
    (tmp_path / "more.jsonl").write_text('{"key": "KT-1"}\n')
    more = inside("entities", "load", "more.jsonl", "--type", "style", "--json", cwd=tmp_path)
    assert more.json()["types"][0]["entities"] == 2
    only = ("--type", "style", "--replace", "--hint", "New ones.")
    assert inside("entities", "load", "more.jsonl", *only, cwd=tmp_path).code == 0
    listed = inside("entities", "--json", cwd=tmp_path).json()["types"]
    assert [(each["name"], each["count"], each["hint"]) for each in listed] == [
        ("body", 1, ""),
        ("style", 1, "New ones."),
    ]
    (tmp_path / "more.jsonl").write_text("\n")
    empty = inside("entities", "load", "more.jsonl", *only, cwd=tmp_path)
    assert empty.code == 2
    assert "there is no entity in more.jsonl; nothing was changed" in empty.err


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ('{"type": "style", "key": "A", "valuse": {}}', "things.jsonl:4:1: valuse: Extra inputs"),
        ('{"type": "style"}', "things.jsonl:4:1: key: Field required"),
        ("[1]", "things.jsonl:4:1: Input should be an object"),
        ('{"type": "style", "key": "A\\u0000"}', "things.jsonl:4:1: key: Value error, a key is"),
        ('{"type": "style"', "things.jsonl:4:1: Invalid JSON"),
    ],
)
def test_a_wrong_line_is_named_and_nothing_is_kept(line: str, told: str, tmp_path: Path) -> None:
    (tmp_path / "things.jsonl").write_text(f"{LINES}{line}\n")
    ended = inside("entities", "load", "things.jsonl", cwd=tmp_path)
    assert ended.code == 2
    assert told in ended.err
    assert inside("entities", cwd=tmp_path).out == "The store has no entities.\n"


@pytest.mark.long("whole runs of the command")
def test_a_file_that_is_not_there_is_told_in_words(tmp_path: Path) -> None:
    ended = inside("entities", "load", "gone.jsonl", cwd=tmp_path)
    told = "error: gone.jsonl cannot be read: No such file or directory\n"
    assert (ended.code, ended.err) == (2, told)


def test_refresh_replaces_types_from_tables_and_says_what_it_left_out(tmp_path: Path) -> None:
    (tmp_path / "styles.csv").write_text(STYLES)
    (tmp_path / "refresh.yaml").write_text(REFRESH)
    for _ in range(2):  # the same again comes to the same
        ended = inside("entities", "refresh", "refresh.yaml", cwd=tmp_path)
        assert ended.code == 0, ended.err
        assert ended.out == (
            "style: 3 entities (4 rows read, 1 row without a key left out)\n"
            "body: 2 entities (2 rows read)\n"
        )
    store = ("--store", "shop.sqlite3")
    found = inside("entities", "get", "KT-2011", "00123", "B-77", *store, "--json", cwd=tmp_path)
    records = {each["key"]: each for each in found.json()["records"]}
    assert records["KT-2011"]["values"] == {
        "name": "Kite tunic",
        "price": 89.5,
        "body": "B-77",
        "since": "2024-03-01",
    }
    assert records["00123"]["relations"] == [{"name": "body", "key": "B-77", "type": "body"}]
    assert records["B-77"]["values"] == {"styles": 2}
    # What is gone from the data is gone; an override is an override.
    (tmp_path / "fewer.csv").write_text("code,name,price,body,since\nKT-1,One,1,B-1,2024-01-01\n")
    words = ("refresh.yaml", "data.styles=fewer.csv", "--json")
    again = inside("entities", "refresh", *words, cwd=tmp_path).json()
    assert [each["entities"] for each in again["types"]] == [1, 1]
    assert inside("entities", "get", "KT-2011", *store, cwd=tmp_path).code == 1


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        (("key: code", "key: cod"), "refresh.yaml:6:10: types.0.key: there is no column 'cod'"),
        (
            ("table: styles", "table: style"),
            "refresh.yaml:5:12: types.0.table: there is no table 'style'; did you",
        ),
        (("table: styles", "tabel: styles"), "unknown key 'tabel'"),
        (("GROUP BY body", "GROUP BY boddy"), "refresh.yaml:10:12: types.1.query: "),
        (("column: body", "column: bode"), "there is no column 'bode'"),
        (("entities.sqlite", "entities.sqlit"), "did you mean: entities.sqlite"),
    ],
)
def test_a_wrong_refresh_is_told_with_its_place_and_changes_nothing(
    wrong: tuple[str, str], told: str, tmp_path: Path
) -> None:
    (tmp_path / "styles.csv").write_text(STYLES)
    (tmp_path / "refresh.yaml").write_text(REFRESH.replace(*wrong))
    ended = inside("entities", "refresh", "refresh.yaml", cwd=tmp_path)
    assert ended.code == 2
    assert told in ended.err
    listed = inside("entities", "--store", "shop.sqlite3", cwd=tmp_path)
    assert listed.out == "The store has no entities.\n"


@pytest.mark.long("whole runs of the command")
def test_a_run_file_has_a_store_that_its_flow_looks_into(tmp_path: Path) -> None:
    (tmp_path / "styles.csv").write_text(STYLES)
    (tmp_path / "refresh.yaml").write_text(REFRESH)
    assert inside("entities", "refresh", "refresh.yaml", cwd=tmp_path).code == 0
    file = write(tmp_path, RUN)
    ended = inside("run", file, "--json", cwd=tmp_path)
    assert ended.code == 0, ended.err
    observation = ended.json()["outputs"]["observation"]
    found = json.loads(observation["text"])
    assert [each["key"] for each in found["entities"]] == ["KT-2011"]
    assert found["missing"][0]["did_you_mean"][0]["key"] == "KT-2011"
    assert found["related"]["KT-2011"][0]["key"] == "B-77"
    replayed = inside("replay", "last", "--json", cwd=tmp_path)
    assert replayed.code == 0, replayed.err
    assert inside("check", file, cwd=tmp_path).code == 0


@pytest.mark.skipif(redis_program() is None, reason="redis-server is not installed")
def test_a_store_in_redis_and_who_may_be_sent_its_password(tmp_path: Path) -> None:
    pytest.importorskip("redis", reason="the package redis is not installed")
    (tmp_path / "things.jsonl").write_text(LINES)
    with RedisServer() as server:
        store = ("--store", f"{server.url}#shop")
        env = {"REDIS_PASSWORD": server.password, "SHOP_PASSWORD": server.password}
        loaded = inside("entities", "load", "things.jsonl", *store, cwd=tmp_path, env=env)
        assert loaded.code == 0, loaded.err
        listed = inside("entities", *store, cwd=tmp_path, env=env)
        assert listed.out == "body: 1, as B-77\nstyle: 1, as KT-2011\n"
        refused = inside("entities", *store, cwd=tmp_path, env={})
        assert refused.code == 4
        assert f"the Redis server {server.url}: it wants a password" in refused.err

        entities = (
            f"entities: {{_target_: entities.redis, url: {server.url!r}, name: shop,"
            " password: '${env:SHOP_PASSWORD}'}"
        )
        own = RUN.splitlines()[2]
        file = write(tmp_path, RUN.replace(own, entities))
        untrusted = inside("run", file, cwd=tmp_path, env=env)
        assert untrusted.code == 2
        assert f"SHOP_PASSWORD would be sent to redis://127.0.0.1:{server.port}" in untrusted.err
        address = f"redis://127.0.0.1:{server.port}"
        ended = inside("run", file, "--trust", address, "--json", cwd=tmp_path, env=env)
        assert ended.code == 0, ended.err
        assert '"KT-2011"' in ended.json()["outputs"]["observation"]["text"]
        for path in (tmp_path / "runs").rglob("*"):
            if path.is_file():
                assert server.password.encode() not in path.read_bytes(), path


CALL = """\
_target_: tests.tools.call_flow:CallFunctions
name: Calls
entities: {_target_: entities.sqlite, path: shop.sqlite3}
functions: {sources: {shop: {_target_: functions.entities}}}
inputs: {question: what is known of style KT-2011, calls: [[shop/get_entities, {keys: [KT-2011]}]]}
"""


def test_the_store_of_a_run_is_a_function_that_agents_find_and_call(tmp_path: Path) -> None:
    (tmp_path / "things.jsonl").write_text(LINES)
    store = ("--store", "shop.sqlite3")
    assert inside("entities", "load", "things.jsonl", *store, cwd=tmp_path).code == 0
    file = write(tmp_path, CALL)
    ended = inside("run", file, "--trust", "tests", "--json", cwd=tmp_path)
    assert ended.code == 0, ended.err
    outputs = ended.json()["outputs"]
    assert outputs["found"] == ["shop/get_entities"]
    [observation] = outputs["observations"]
    assert json.loads(observation["text"])["entities"][0]["values"] == {"price": 89.5}
    own = CALL.splitlines()[2]
    without = inside(
        "run", write(tmp_path, CALL.replace(own, "")), "--trust", "tests", cwd=tmp_path
    )
    assert without.code == 2
    assert "there is no entity store" in without.err
