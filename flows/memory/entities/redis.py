"""Entities in Redis, or in Valkey, which speaks the same protocol."""

from __future__ import annotations

import time
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

from flows.config.redaction import redact
from flows.config.secret import masked
from flows.core.entity_store import EntityKey, EntityNeighbour, EntityRecord, EntityType
from flows.errors import StoreError
from flows.memory.entities.engine import (
    LOADING_SECONDS,
    SAMPLE,
    EntityLoading,
    from_json,
    in_batches,
    to_json,
    type_of,
)
from flows.memory.entities.keys import normal_form
from flows.memory.entities.redis_scripts import FORMS, KEEP, READ, RELATED, RELEASE, SWAP

# The keys of a store all begin with `flows:{NAME}:`, so that a cluster keeps them in one place:
#   types              hash: type to the generation that counts
#   hints              hash: type to what is said of it
#   G:e:KEY            text: the record as JSON
#   G:letters          set of the letters of its normal forms
#   G:forms            sorted set of `FORM NUL KEY`, in the order of the alphabet
#   G:expires          sorted set of the keys that end, by their time
#   G:to:TARGET        sorted set of `RELATION NUL TYPE OF THE TARGET NUL KEY`
#   G:targets          set of the targets
#   G:changed          set of the keys that were put or removed while G is loaded
#   loading:TYPE       text: who loads the type anew, and its generation; it ends by itself
#   begun              hash: each generation that was begun to its type
NUL: Final = "\0"
LAST: Final = "\U0010ffff"
_DELETED_AT_ONCE: Final = 1_000
_WANTS_PASSWORD: Final = ("HELLO must be called", "Authentication required", "NOAUTH")
_FEW: Final = 5


class RedisEngine:
    """The entities of one store of a Redis server. Several clients may use it at once."""

    def __init__(
        self, url: str, name: str, *, username: str | None, password: str | None, timeout_s: float
    ) -> None:
        from redis import Redis
        from redis.backoff import NoBackoff
        from redis.retry import Retry

        given = {"username": username, "password": password}
        self._prefix = f"flows:{{{name}}}:"
        self._where = str(masked("url", url))
        try:
            # Its types do not know that replies are text, as `decode_responses` has it.
            self._client: Any = Redis.from_url(
                url,
                decode_responses=True,
                socket_timeout=timeout_s,
                socket_connect_timeout=timeout_s,
                retry=Retry(NoBackoff(), 1),
                **{key: each for key, each in given.items() if each is not None},
            )
        except ValueError as error:
            raise StoreError(redact(f"this is no address of a Redis server: {error}")) from None
        self._scripts = {
            text: self._client.register_script(text)
            for text in (READ, RELATED, FORMS, SWAP, KEEP, RELEASE)
        }

    def records(self, keys: Sequence[str], types: Sequence[str]) -> list[str]:
        named = f" {' '.join(types)} " if types else ""
        return list(self._run(READ, ["types"], [named, self._prefix, *keys]))

    def with_forms(self, forms: Sequence[str]) -> list[EntityKey]:
        return self._between([(f"{each}{NUL}", f"{each}{NUL}{LAST}") for each in forms], _FEW)

    def with_beginning(self, form: str, limit: int) -> list[EntityKey]:
        return self._between([(form, f"{form}{LAST}")], limit)

    def letters(self) -> str:
        with self._talking() as client:
            found: set[str] = set()
            for generation in self._live(client).values():
                found |= client.smembers(self._name(generation, "letters"))
            return "".join(sorted(found))

    def related(
        self, key: str, types: Sequence[str], relation: str, limit: int
    ) -> tuple[list[str], list[EntityNeighbour]]:
        named = f" {' '.join(types)} " if types else ""
        bounds = (f"[{relation}{NUL}", f"[{relation}{NUL}{LAST}") if relation else ("-", "+")
        given = [named, self._prefix, key, *bounds, limit]
        records, others = self._run(RELATED, ["types"], given)
        found = [
            EntityNeighbour(relation=name, direction="from", key=other, type=type_)
            for type_, name, other in zip(others[::3], others[1::3], others[2::3], strict=True)
        ]
        found.sort(key=lambda each: (each.relation, each.type, each.key))
        return list(records), found[:limit]

    def types(self) -> list[EntityType]:
        found = []
        with self._talking() as client:
            hints = client.hgetall(self._name("hints"))
            for type_, generation in sorted(self._live(client).items()):
                self._expire(client, generation)
                forms = self._name(generation, "forms")
                first = [each.split(NUL)[1] for each in client.zrange(forms, 0, SAMPLE - 1)]
                some = self._earlier(client, {type_: generation}, [(type_, key) for key in first])
                found.append(type_of(type_, hints.get(type_, ""), client.zcard(forms), some))
        return found

    def put(self, records: Sequence[EntityRecord], ttl_s: float | None) -> None:
        texts = {(each.type, each.key): to_json(each) for each in records}
        with self._talking() as client:
            for type_ in dict.fromkeys(type_ for type_, _ in texts):
                if not client.hexists(self._name("types"), type_):
                    client.hsetnx(self._name("types"), type_, self._new_generation(client, type_))

            types = list(dict.fromkeys(type_ for type_, _ in texts))

            def queue(pipe: Any) -> None:
                # Watched: whoever puts a new generation in place meanwhile, or begins to load one,
                # makes it start again.
                live = pipe.hgetall(self._name("types"))
                loaded = self._loaded(pipe, types)
                earlier = [
                    (generations[each.type], each)
                    for generations in (live, loaded)
                    for each in self._earlier(pipe, generations, list(texts))
                ]
                pipe.multi()
                for generation, record in earlier:
                    self._unrelate(pipe, generation, record)
                for type_ in types:
                    own = {each.key: each for each in records if each.type == type_}
                    self._insert(pipe, live[type_], list(own.values()), ttl_s)
                    if type_ in loaded:
                        self._insert(pipe, loaded[type_], list(own.values()), ttl_s)
                        pipe.sadd(self._name(loaded[type_], "changed"), *own)

            client.transaction(queue, *self._watched(types))

    def remove(self, keys: Sequence[EntityKey]) -> int:
        named = [(each.type, each.key) for each in keys]
        types = list(dict.fromkeys(type_ for type_, _ in named))
        gone = 0

        def queue(pipe: Any) -> None:
            nonlocal gone
            live, loaded = pipe.hgetall(self._name("types")), self._loaded(pipe, types)
            found = self._earlier(pipe, live, named)
            among_loaded = self._earlier(pipe, loaded, named)
            gone = len(found)
            pipe.multi()
            for generations, records in ((live, found), (loaded, among_loaded)):
                for record in records:
                    self._forget(pipe, generations[record.type], record)
            for type_, key in named:
                if type_ in loaded:
                    pipe.sadd(self._name(loaded[type_], "changed"), key)

        with self._talking() as client:
            client.transaction(queue, *self._watched(types))
        return gone

    def begin(self, type_: str) -> EntityLoading:
        token = uuid.uuid4().hex
        with self._talking() as client:
            generation = self._new_generation(client, type_)
            lock = self._name("loading", type_)
            value = f"{token} {generation}"
            if not client.set(lock, value, nx=True, px=int(LOADING_SECONDS * 1000)):
                client.hdel(self._name("begun"), generation)
                raise StoreError(
                    f"entities of the type {type_} are being loaded by another process; wait until"
                    " it has ended"
                )
            self._clear(client)
        return EntityLoading(type_, token, int(generation))

    def write(
        self, loading: EntityLoading, records: Sequence[EntityRecord], ttl_s: float | None
    ) -> None:
        given = [_token(loading), int(LOADING_SECONDS * 1000)]
        self._owned(KEEP, ["loading:" + loading.type], given, loading)
        last = {each.key: each for each in records}
        if not last:
            return
        generation = str(loading.generation)
        changed = self._name(generation, "changed")

        def queue(pipe: Any) -> None:
            # Watched: what others put or remove meanwhile makes it start again, and then stays.
            known = pipe.smismember(changed, list(last))
            own = [
                each for each, is_known in zip(last.values(), known, strict=True) if not is_known
            ]
            pipe.multi()
            self._insert(pipe, generation, own, ttl_s)

        with self._talking() as client:
            client.transaction(queue, changed)

    def swap(self, loadings: Sequence[tuple[EntityLoading, str]]) -> list[int]:
        names = ["types", "hints", *("loading:" + each.type for each, _ in loadings)]
        given = [
            part
            for each, hint in loadings
            for part in (_token(each), each.type, str(each.generation), hint)
        ]
        self._owned(SWAP, names, given, *(each for each, _ in loadings))
        with self._talking() as client:
            self._clear(client)
            for each, _ in loadings:
                client.unlink(self._name(str(each.generation), "changed"))
            return [
                int(client.zcard(self._name(str(each.generation), "forms"))) for each, _ in loadings
            ]

    def discard(self, loading: EntityLoading) -> None:
        self._run(RELEASE, ["loading:" + loading.type], [_token(loading)])
        with self._talking() as client:
            self._clear(client)

    def close(self) -> None:
        self._client.close()

    def _insert(
        self, pipe: Any, generation: str, records: Sequence[EntityRecord], ttl_s: float | None
    ) -> None:
        """Queue what keeps the records, each of another key."""
        if not records:
            return
        forms = {f"{normal_form(each.key)}{NUL}{each.key}": 0 for each in records}
        letters = set().union(*(form.partition(NUL)[0] for form in forms))
        named = {self._name(generation, "e", each.key): to_json(each) for each in records}
        expires = self._name(generation, "expires")
        if ttl_s is None:
            pipe.mset(named)
            pipe.zrem(expires, *(each.key for each in records))
        else:
            for name, text in named.items():
                pipe.set(name, text, px=max(1, int(ttl_s * 1000)))
            pipe.zadd(expires, {each.key: time.time() + ttl_s for each in records})
        pipe.zadd(self._name(generation, "forms"), forms)
        if letters:
            pipe.sadd(self._name(generation, "letters"), *letters)
        for record in records:
            for each in record.relations:
                to = self._name(generation, "to", each.key)
                pipe.zadd(to, {NUL.join((each.name, each.type, record.key)): 0})
                pipe.sadd(self._name(generation, "targets"), each.key)

    def _unrelate(self, pipe: Any, generation: str, record: EntityRecord) -> None:
        for each in record.relations:
            to = self._name(generation, "to", each.key)
            pipe.zrem(to, NUL.join((each.name, each.type, record.key)))

    def _forget(self, pipe: Any, generation: str, record: EntityRecord) -> None:
        self._unrelate(pipe, generation, record)
        pipe.unlink(self._name(generation, "e", record.key))
        pipe.zrem(self._name(generation, "expires"), record.key)
        pipe.zrem(self._name(generation, "forms"), f"{normal_form(record.key)}{NUL}{record.key}")

    def _earlier(
        self, client: Any, live: dict[str, str], keys: Sequence[tuple[str, str]]
    ) -> list[EntityRecord]:
        names = [self._name(live[type_], "e", key) for type_, key in keys if type_ in live]
        return [from_json(each) for each in (client.mget(names) if names else ()) if each]

    def _expire(self, client: Any, generation: str) -> None:
        """Forget what Redis has let go of, so that no key of it is proposed or counted."""
        expires, forms = self._name(generation, "expires"), self._name(generation, "forms")
        gone = client.zrangebyscore(expires, 0, time.time(), start=0, num=10 * _DELETED_AT_ONCE)
        for some in in_batches(gone, _DELETED_AT_ONCE):
            client.zrem(forms, *(f"{normal_form(key)}{NUL}{key}" for key in some))
            client.zrem(expires, *some)

    def _between(self, ranges: Sequence[tuple[str, str]], limit: int) -> list[EntityKey]:
        bounds = [text for least, most in ranges for text in (f"[{least}", f"({most}")]
        found = self._run(FORMS, ["types"], [self._prefix, limit, *bounds])
        return [
            EntityKey(type=type_, key=key)
            for type_, key in zip(found[::2], found[1::2], strict=True)
        ]

    def _clear(self, client: Any) -> None:
        """Delete the generations that nobody sees or loads, some keys at a time."""
        begun = client.hgetall(self._name("begun"))
        locks = [self._name("loading", each) for each in set(begun.values())]
        held = client.mget(locks) if locks else ()
        used = {each.split()[1] for each in held if each} | set(self._live(client).values())
        for generation in begun.keys() - used:
            self._drop(client, generation)
            client.hdel(self._name("begun"), generation)

    def _drop(self, client: Any, generation: str) -> None:
        forms, targets = self._name(generation, "forms"), self._name(generation, "targets")
        while some := client.zrange(forms, 0, _DELETED_AT_ONCE - 1):
            client.unlink(*(self._name(generation, "e", each.split(NUL)[1]) for each in some))
            client.zrem(forms, *some)
        while named := client.spop(targets, _DELETED_AT_ONCE):
            client.unlink(*(self._name(generation, "to", each) for each in named))
        others = ("expires", "letters", "changed")
        client.unlink(*(self._name(generation, each) for each in others))

    def _new_generation(self, client: Any, type_: str) -> str:
        generation = str(client.incr(self._name("generation")))
        client.hset(self._name("begun"), generation, type_)
        return generation

    def _live(self, client: Any) -> dict[str, str]:
        live: dict[str, str] = client.hgetall(self._name("types"))
        return live

    def _loaded(self, client: Any, types: Sequence[str]) -> dict[str, str]:
        """The generations that are being loaded of the types."""
        held = client.mget([self._name("loading", each) for each in types]) if types else ()
        return {type_: each.split()[1] for type_, each in zip(types, held, strict=True) if each}

    def _watched(self, types: Sequence[str]) -> list[str]:
        """The keys that say which generations of the types count, and which are loaded."""
        return [self._name("types"), *(self._name("loading", each) for each in types)]

    def _name(self, *parts: str) -> str:
        return self._prefix + ":".join(parts)

    def _owned(
        self, script: str, names: list[str], given: list[Any], *loadings: EntityLoading
    ) -> None:
        """Run a script that only who loads the types may run. Errors: `StoreError`."""
        try:
            self._run(script, names, given)
        except StoreError as error:
            if "TAKEN" not in str(error):
                raise
            types = " or ".join(each.type for each in loadings)
            raise StoreError(
                f"another process began to load the type {types} anew, since this one had"
                f" written nothing for {LOADING_SECONDS:g} s"
            ) from error

    def _run(self, script: str, names: list[str], given: list[Any]) -> Any:
        with self._talking():
            return self._scripts[script](keys=[self._name(each) for each in names], args=given)

    @contextmanager
    def _talking(self) -> Iterator[Any]:
        """The client. Errors: `StoreError` for what the server or the network says."""
        from redis.exceptions import RedisError

        try:
            yield self._client
        except RedisError as error:
            said = str(error)
            if said.startswith(_WANTS_PASSWORD):
                said = "it wants a password (password: ${env:NAME} in a file)"
            raise StoreError(redact(f"the Redis server {self._where}: {said}")) from error


def _token(loading: EntityLoading) -> str:
    """What the server keeps while the type is loaded."""
    return f"{loading.token} {loading.generation}"
