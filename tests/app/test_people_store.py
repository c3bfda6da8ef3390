"""What people keep in the memory of the server: limits of a person and of all people."""

from __future__ import annotations

import pytest

from app.people_store import PeopleStore


def kept(store: PeopleStore[str], *places: tuple[str, int]) -> list[bool]:
    return [store.get(person, key) is not None for person, key in places]


def test_person_loses_the_least_recently_used_value_and_nobody_else_does():
    store = PeopleStore[str](2, 1000)
    store.put("Ben", 1, "b", 1)
    for key in (1, 2):
        store.put("Ana", key, "a", 1)
    assert store.get("Ana", 1) == "a"
    store.put("Ana", 3, "a", 1)
    assert kept(store, ("Ana", 1), ("Ana", 2), ("Ana", 3), ("Ben", 1)) == [True, False, True, True]
    assert store.get("Ben", 2) is None, "Ana's"


def test_if_all_values_are_too_large_whoever_has_most_loses_one():
    store = PeopleStore[str](10, 100)
    store.put("Ben", 1, "b", 30)
    for key in range(9):
        store.put("Ana", key, "a", 20)
    assert kept(store, ("Ben", 1), ("Ana", 5), ("Ana", 6), ("Ana", 8)) == [True, False, True, True]


@pytest.mark.parametrize(("seconds", "is_kept"), [(60.0, True), (0.0, False)])
def test_values_that_are_not_used_are_dropped(seconds: float, is_kept: bool):
    store = PeopleStore[str](2, 10)
    store.put("Ana", 1, "a", 1)
    store.remove_idle(seconds)
    assert kept(store, ("Ana", 1)) == [is_kept]
