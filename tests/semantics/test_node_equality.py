"""Two nodes are equal when they mean the same, however they were copied."""

from __future__ import annotations

import copy
import pickle

from flows.semantics.query import Constant, FieldRef


def test_a_copy_with_a_change_has_the_hash_of_what_it_means() -> None:
    one = FieldRef(dataset="orders", field="price")
    assert hash(one) == hash(FieldRef(dataset="orders", field="price", spans=((0, 5),)))
    changed = one.model_copy(update={"field": "cost"})
    assert changed == FieldRef(dataset="orders", field="cost") != one
    assert hash(changed) == hash(FieldRef(dataset="orders", field="cost")) != hash(one)


def test_copies_are_equal_and_of_one_hash() -> None:
    one = FieldRef(dataset="orders", field="price")
    hash(one)
    for each in (copy.copy(one), copy.deepcopy(one), pickle.loads(pickle.dumps(one))):
        assert (each, hash(each)) == (one, hash(one))


def test_a_flag_is_no_number() -> None:
    assert Constant(value=True) != Constant(value=1)
    assert FieldRef(dataset="orders", field="price") != Constant(value="price")
