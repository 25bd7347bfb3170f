"""What every entity store does. A store's test inherits `EntityStoreContract` and opens one.

    class TestMyStore(EntityStoreContract):
        def open(self, place: Path) -> EngineStore:
            return MyStore(...)

`open` is called several times with one place: stores share it, also while both are open.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import TypeVar

import pytest

from flows.core.entity_store import (
    EntityKey,
    EntityLookup,
    EntityRecord,
    EntityRelation,
    EntityStore,
)
from flows.errors import StoreError
from flows.memory.entities.engine import begun, load_all
from flows.memory.entities.lookup import find_entities
from flows.memory.entities.stores import EngineStore
from flows.services.entities import load_files

T = TypeVar("T")

BODY = EntityRecord(type="body", key="B-77", values={"name": "Tunic", "pieces": 9})
STYLE = EntityRecord(
    type="style",
    key="KT-2011",
    values={"name": "Kite tunic", "price": 89.5, "sizes": ["S", "M"], "made": True, "note": None},
    hint="The price is in euros, without tax.",
    relations=(EntityRelation(name="body", key="B-77", type="body"),),
)
OTHER = EntityRecord(
    type="style",
    key="KT-2012",
    values={"name": "Kite dress", "price": 120},
    relations=(EntityRelation(name="body", key="B-77"),),
)
ORDER = EntityRecord(type="order", key="10001", values={"city": "Köln"})
ALL = (BODY, STYLE, OTHER, ORDER)


def keys(found: EntityLookup) -> list[tuple[str, str]]:
    return [(each.type, each.key) for each in found.records]


def meant(found: EntityLookup) -> list[str]:
    [missing] = found.missing
    return [each.key for each in missing.did_you_mean]


class EntityStoreContract:
    def open(self, place: Path) -> EngineStore:
        raise NotImplementedError("say how the store under test is opened")

    def use(self, place: Path, work: Callable[[EngineStore], Awaitable[T]]) -> T:
        async def opened() -> T:
            store = self.open(place)
            try:
                return await work(store)
            finally:
                await store.aclose()

        return asyncio.run(opened())

    def filled(self, place: Path, work: Callable[[EngineStore], Awaitable[T]]) -> T:
        self.use(place, lambda store: store.put(ALL))
        return self.use(place, work)

    def test_it_speaks_the_protocol_and_an_empty_one_finds_nothing(self, tmp_path: Path) -> None:
        async def work(store: EngineStore) -> EntityLookup:
            assert isinstance(store, EntityStore)
            assert await store.types() == ()
            assert await store.remove([EntityKey(type="style", key="KT-2011")]) == 0
            await store.put([])
            return await store.get(["KT-2011"])

        found = self.use(tmp_path, work)
        assert (found.records, meant(found)) == ((), [])

    def test_entities_come_back_as_they_were_in_the_order_of_the_keys(self, tmp_path: Path) -> None:
        found = self.filled(
            tmp_path, lambda store: store.get(["10001", "KT-2011", "B-77", "KT-2011"])
        )
        assert found == EntityLookup(records=(ORDER, STYLE, BODY))

    @pytest.mark.parametrize(
        ("asked", "nearest"),
        [
            ("KT2011", "KT-2011"),
            ("kt 20-11", "KT-2011"),
            ("KT-2O11", "KT-2011"),
            ("KT-2101", "KT-2011"),
            ("KT-20111", "KT-2011"),
            ("T-2012", "KT-2012"),
            ("KT-2011-XL", "KT-2011"),
            ("1000", "10001"),
        ],
    )
    def test_a_key_that_is_almost_one_is_not_found_and_the_one_is_named(
        self, tmp_path: Path, asked: str, nearest: str
    ) -> None:
        found = self.filled(tmp_path, lambda store: store.get([asked]))
        assert found.records == ()
        assert meant(found)[0] == nearest

    def test_nothing_is_proposed_for_what_is_like_no_key(self, tmp_path: Path) -> None:
        found = self.filled(tmp_path, lambda store: store.get(["zebra crossing"]))
        assert meant(found) == []

    def test_case_and_blanks_around_a_key_do_not_matter(self, tmp_path: Path) -> None:
        assert keys(self.filled(tmp_path, lambda store: store.get([" kt-2011 "]))) == [
            ("style", "KT-2011")
        ]

    def test_of_keys_that_differ_by_case_the_very_one_is_found(self, tmp_path: Path) -> None:
        async def work(store: EngineStore) -> None:
            await store.put([ORDER.model_copy(update={"key": each}) for each in ("ab", "AB")])
            assert keys(await store.get(["AB"])) == [("order", "AB")]
            assert keys(await store.get(["Ab"])) == []

        self.use(tmp_path, work)

    def test_one_key_of_several_types(self, tmp_path: Path) -> None:
        twin = BODY.model_copy(update={"key": "KT-2011"})

        async def work(store: EngineStore) -> None:
            await store.put([twin])
            assert keys(await store.get(["KT-2011"])) == [
                ("body", "KT-2011"),
                ("style", "KT-2011"),
            ]
            assert keys(await store.get(["KT-2011"], ["style"])) == [("style", "KT-2011")]
            assert store["body", "KT-2011"] == twin
            with pytest.raises(KeyError, match=r"store\['style', 'KT-2011'\]"):
                store["KT-2011"]

        self.filled(tmp_path, work)

    def test_a_type_that_there_is_not_is_refused(self, tmp_path: Path) -> None:
        with pytest.raises(StoreError, match=r"'styl'; did you mean style\? \(types: body, order"):
            self.filled(tmp_path, lambda store: store.get(["KT-2011"], ["styl"]))

    def test_a_store_is_asked_as_a_mapping(self, tmp_path: Path) -> None:
        async def work(store: EngineStore) -> EntityRecord:
            with pytest.raises(KeyError, match=r"'KT-2013'; did you mean KT-2011 \(style\)"):
                store["KT-2013"]
            return store["KT-2011"]

        assert self.filled(tmp_path, work) == STYLE

    def test_the_same_key_again_replaces_with_its_relations(self, tmp_path: Path) -> None:
        plain = EntityRecord(type="style", key="KT-2011", values={"name": "Kite"})

        async def work(store: EngineStore) -> list[str]:
            await store.put([plain])
            assert (await store.get(["KT-2011"])).records == (plain,)
            return [each.key for each in await store.related("B-77")]

        assert self.filled(tmp_path, work) == ["KT-2012"]

    def test_related_entities_in_both_directions(self, tmp_path: Path) -> None:
        async def work(store: EngineStore) -> None:
            [to] = await store.related("KT-2011")
            assert (to.relation, to.direction, to.type, to.key) == ("body", "to", "body", "B-77")
            of_body = await store.related("b-77", relation="body")
            assert [(each.direction, each.type, each.key) for each in of_body] == [
                ("from", "style", "KT-2011"),
                ("from", "style", "KT-2012"),
            ]
            assert len(await store.related("B-77", limit=1)) == 1
            assert await store.related("B-77", "body") == of_body
            assert await store.related("B-77", relation="other") == ()
            # A relation to a body is none to an order of the same key.
            await store.put([ORDER.model_copy(update={"key": "B-77"})])
            to_order = await store.related("B-77", "order")
            assert [each.key for each in to_order] == ["KT-2012"]
            with pytest.raises(StoreError, match="no entity has the key 'B-78'; did you mean B-77"):
                await store.related("B-78")

        self.filled(tmp_path, work)

    def test_types_tell_how_many_and_which(self, tmp_path: Path) -> None:
        async def work(store: EngineStore) -> None:
            await store.load("order", [ORDER], hint="What customers ordered.")
            found = {each.name: each for each in await store.types()}
            assert list(found) == ["body", "order", "style"]
            assert (found["style"].count, found["style"].examples) == (2, ("KT-2011", "KT-2012"))
            assert found["order"].hint == "What customers ordered."

        self.filled(tmp_path, work)

    def test_what_is_removed_is_gone(self, tmp_path: Path) -> None:
        async def work(store: EngineStore) -> None:
            gone = [EntityKey(type="style", key=each) for each in ("KT-2011", "KT-9999")]
            assert await store.remove([*gone, EntityKey(type="shop", key="KT-2012")]) == 1
            assert keys(await store.get(["KT-2011", "KT-2012"])) == [("style", "KT-2012")]
            assert [each.key for each in await store.related("B-77")] == ["KT-2012"]
            assert {each.name: each.count for each in await store.types()}["style"] == 1

        self.filled(tmp_path, work)

    def test_after_its_time_an_entity_is_gone(self, tmp_path: Path) -> None:
        async def work(store: EngineStore) -> None:
            await store.put([STYLE], ttl_s=0.3)
            await store.put([OTHER], ttl_s=300)
            assert keys(await store.get(["KT-2011"])) == [("style", "KT-2011")]
            end = time.monotonic() + 10
            while (found := await store.get(["KT-2011"])).records:
                assert time.monotonic() < end
                await asyncio.sleep(0.02)
            assert meant(found) == ["KT-2012"]
            assert [each.key for each in await store.related("B-77")] == ["KT-2012"]
            assert {each.name: each.count for each in await store.types()}["style"] == 1
            # Without a time it stays again.
            await store.put([STYLE])
            assert keys(await store.get(["KT-2011"])) == [("style", "KT-2011")]
            for wrong in (0, -1, float("nan")):
                with pytest.raises(StoreError, match="ttl_s"):
                    await store.put([STYLE], ttl_s=wrong)

        self.filled(tmp_path, work)

    def test_loading_takes_the_place_of_a_type_and_of_no_other(self, tmp_path: Path) -> None:
        new = [STYLE.model_copy(update={"values": {"round": 2}}), STYLE]

        async def work(store: EngineStore) -> None:
            assert await store.load("style", new) == 1
            assert keys(await store.get(["KT-2011", "KT-2012", "B-77"])) == [
                ("style", "KT-2011"),
                ("body", "B-77"),
            ]
            assert [each.key for each in await store.related("B-77")] == ["KT-2011"]
            # The same again changes nothing.
            assert await store.load("style", new) == 1
            assert (await store.get(["KT-2011"])).records == (STYLE,)
            assert await store.load("style", []) == 0
            assert keys(await store.get(["KT-2011"])) == []

        self.filled(tmp_path, work)

    def test_a_loading_that_fails_changes_nothing(self, tmp_path: Path) -> None:
        def broken() -> Iterator[EntityRecord]:
            for number in range(5_000):
                yield EntityRecord(type="style", key=f"N-{number}")
            raise ValueError("the source broke off")

        async def work(store: EngineStore) -> None:
            with pytest.raises(ValueError, match="broke off"):
                await store.load("style", broken())
            assert {each.name: each.count for each in await store.types()}["style"] == 2
            assert keys(await store.get(["KT-2011", "N-1"])) == [("style", "KT-2011")]
            assert await store.load("style", [OTHER]) == 1  # nobody is said to be loading

        self.filled(tmp_path, work)

    def test_files_that_fail_while_they_replace_types_leave_all_types_whole(
        self, tmp_path: Path
    ) -> None:
        file = tmp_path / "new.jsonl"
        new = [EntityRecord(type=name, key="NEW") for name in ("style", "order")]
        file.write_text("".join(f"{each.model_dump_json()}\n" for each in new))
        written = 0

        def fail_after_the_first(count: int) -> None:
            nonlocal written
            written += count
            if written == 2:
                raise KeyboardInterrupt

        async def work(store: EngineStore) -> None:
            with pytest.raises(KeyboardInterrupt):
                load_files(store, [file], replace=True, on_batch=fail_after_the_first)
            assert keys(await store.get(["KT-2011", "10001", "NEW"])) == [
                ("style", "KT-2011"),
                ("order", "10001"),
            ]
            done = load_files(store, [file], replace=True)
            assert [(each.type, each.entities, each.rows) for each in done] == [
                ("style", 1, 1),
                ("order", 1, 1),
            ]
            assert keys(await store.get(["KT-2011", "B-77"])) == [("body", "B-77")]

        self.filled(tmp_path, work)

    def test_nobody_sees_a_loading_before_it_is_whole(self, tmp_path: Path) -> None:
        def generation(number: int) -> list[EntityRecord]:
            return [
                EntityRecord(type="style", key=f"N-{each}", values={"round": number})
                for each in range(5_000)
            ]

        seen: list[set[object]] = []
        stop = threading.Event()
        asked = [f"N-{each}" for each in range(0, 5_000, 100)]

        async def look(other: EngineStore) -> None:
            while not stop.is_set():
                found = await other.get(asked)
                assert len(found.records) == len(asked)
                seen.append({each.values["round"] for each in found.records})

        async def work(store: EngineStore) -> None:
            await store.load("style", generation(0))
            other = self.open(tmp_path)
            looking = asyncio.create_task(look(other))
            for number in (1, 2, 3):
                await store.load("style", generation(number))
            stop.set()
            await looking
            await other.aclose()

        self.use(tmp_path, work)
        assert all(len(each) == 1 for each in seen), seen
        assert len(seen) > 3

    def test_types_that_are_loaded_together_are_seen_together(self, tmp_path: Path) -> None:
        def turn(store: EngineStore, number: int) -> None:
            with begun(store.engine, ["style", "order"]) as loadings:
                for each in loadings:
                    records = [
                        EntityRecord(
                            type=each.type,
                            key=f"{each.type}-{n}",
                            values={"turn": number},
                            relations=(EntityRelation(name="body", key="B-77"),),
                        )
                        for n in range(200)
                    ]
                    store.engine.write(each, records, None)
                assert store.engine.swap([(each, "") for each in loadings]) == [200, 200]

        seen: list[set[object]] = []
        stop = threading.Event()
        asked = [f"{name}-{n}" for name in ("style", "order") for n in range(0, 200, 20)]

        def look(other: EngineStore) -> None:
            while not stop.is_set():
                found = find_entities(other.engine, asked, ())
                assert len(found.records) == len(asked)
                seen.append({each.values["turn"] for each in found.records})
                assert len(other.engine.related("B-77", (), "", 1_000)[1]) == 400

        async def work(store: EngineStore) -> None:
            turn(store, 0)
            await store.put([BODY])
            other = self.open(tmp_path)
            looking = asyncio.create_task(asyncio.to_thread(look, other))
            for number in range(1, 6):
                await asyncio.to_thread(turn, store, number)
            stop.set()
            await looking
            await other.aclose()

        self.use(tmp_path, work)
        assert all(len(each) == 1 for each in seen), seen
        assert len({turn for each in seen for turn in each}) > 1

    def test_what_is_put_or_removed_while_a_type_is_loaded_stays(self, tmp_path: Path) -> None:
        def style(key: str, note: str) -> EntityRecord:
            return EntityRecord(type="style", key=key, values={"note": note})

        async def work(store: EngineStore) -> None:
            other = self.open(tmp_path)
            await store.put([style(each, "old") for each in ("A", "B", "C", "D")])
            with begun(store.engine, ["style"]) as [loading]:
                store.engine.write(loading, [style("A", "loaded")], None)
                await other.put([style("A", "put"), style("B", "put"), style("Z", "put")])
                await other.remove([EntityKey(type="style", key="C")])
                assert (await store.get(["A", "Z"])).records[0].values["note"] == "put"
                last = [style(each, "loaded") for each in ("B", "C", "D")]
                store.engine.write(loading, last, None)
                assert store.engine.swap([(loading, "")]) == [4]
            found = await store.get(["A", "B", "C", "D", "Z"])
            assert {each.key: each.values["note"] for each in found.records} == {
                "A": "put", "B": "put", "D": "loaded", "Z": "put",
            }  # fmt: skip
            assert await store.load("style", [style("B", "again")]) == 1  # and only until then
            await other.aclose()

        self.use(tmp_path, work)

    def test_two_do_not_load_one_type_at_once(self, tmp_path: Path) -> None:
        async def work(store: EngineStore) -> None:
            other = self.open(tmp_path)
            loading = store.engine.begin("style")
            with pytest.raises(StoreError, match="are being loaded"):
                await other.load("style", [STYLE])
            assert load_all(other.engine, "body", [BODY]) == 1  # another type may be
            store.engine.write(loading, [STYLE], None)
            assert store.engine.swap([(loading, "")]) == [1]
            with pytest.raises(StoreError, match="began to load"):
                store.engine.write(loading, [STYLE], None)
            await other.aclose()

        self.use(tmp_path, work)

    @pytest.mark.parametrize(
        "key", ["näme/ü#1", "大麦-412", "a:b:c{d}", "50% of $1", "🌾", "*?[x]"]
    )
    def test_any_printable_key_is_kept(self, tmp_path: Path, key: str) -> None:
        record = EntityRecord(
            type="thing",
            key=key,
            values={"same": key},
            relations=(EntityRelation(name="self", key=key),),
        )

        async def work(store: EngineStore) -> None:
            await store.put([record])
            assert (await store.get([key])).records == (record,)
            assert [each.direction for each in await store.related(key)] == ["to", "from"]
            assert (await store.get([key + "!"])).missing[0].did_you_mean[0].key == key

        self.use(tmp_path, work)

    def test_a_hundred_keys_in_one_call_and_too_many(self, tmp_path: Path) -> None:
        many = [
            EntityRecord(type=f"t{each % 7}", key=f"K{each}", values={"n": each})
            for each in range(1_500)
        ]

        async def work(store: EngineStore) -> None:
            await store.put(many)
            found = await store.get([f"K{each}" for each in range(600, 700)])
            assert [each.values["n"] for each in found.records] == list(range(600, 700))
            assert len((await store.get([f"K{each}" for each in range(1_000)])).records) == 1_000
            with pytest.raises(StoreError, match=r"1,001 keys .* 1,000 are the most"):
                await store.get([f"K{each}" for each in range(1_001)])

        self.use(tmp_path, work)

    def test_twenty_writes_and_reads_at_once(self, tmp_path: Path) -> None:
        async def work(store: EngineStore) -> EntityLookup:
            records = [ORDER.model_copy(update={"key": f"O-{each}"}) for each in range(20)]
            await asyncio.gather(*(store.put([each]) for each in records))
            found = await asyncio.gather(*(store.get([each.key]) for each in records))
            assert [each.records[0].key for each in found] == [each.key for each in records]
            return await store.get([each.key for each in records])

        assert len(self.use(tmp_path, work).records) == 20

    def test_a_record_that_is_too_large_is_refused_and_nothing_is_kept(
        self, tmp_path: Path
    ) -> None:
        large = EntityRecord(type="order", key="L", values={"text": "x" * 1_100_000})

        async def work(store: EngineStore) -> EntityLookup:
            with pytest.raises(StoreError, match="1,000,000 fit"):
                await store.put([ORDER, large])
            return await store.get([ORDER.key])

        assert self.use(tmp_path, work).records == ()

    def test_as_a_function(self, tmp_path: Path) -> None:
        async def work(store: EngineStore) -> None:
            function = store.as_function()
            about = function.description
            assert about.function_class == "entity"
            assert "- style (2, as KT-2011, KT-2012)" in about.description
            kinds = about.parameters["properties"]["types"]["items"]["enum"]
            assert kinds == ["body", "order", "style"]
            found = await function.call({"keys": ["KT-2011", "KT-201"], "related": True})
            assert found.kind == "ok"
            assert '"hint": "The price is in euros, without tax."' in found.text
            assert '"missing": [{"key": "KT-201", "did_you_mean": [{' in found.text
            assert '"related": {"KT-2011": [{"relation": "body", "direction": "to"' in found.text
            none = await function.call({"keys": ["KT-201"]})
            assert none.kind == "empty"
            assert none.text.startswith("No entity has the key 'KT-201'; did you mean KT-2011")

        self.filled(tmp_path, work)
