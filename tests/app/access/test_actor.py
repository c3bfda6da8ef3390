"""Actors: what each kind may do, and that work without one raises."""

from __future__ import annotations

from typing import Any

import pytest

from app.access.actor import OWNER, SYSTEM, Actor
from app.access.admitted import actor_of, admit, known_actor
from app.access.memberships import Memberships
from app.errors import CommandError
from app.log.store import LogStore
from tests.app.log.test_log_store import DOCUMENT

ANA = Actor.person("Ana")
NOT_ACTORS: list[Any] = [None, "", "Ana", 0]
RESTRICTED = Memberships({"": "administrator", "Ben": "manager"}, {1: {"Ben": False}})


@pytest.mark.parametrize(("kind", "name"), [("person", ""), ("owner", "Ana"), ("system", "Ana"), ("admin", "Ana")])
def test_impossible_actor_is_refused(kind: Any, name: str):
    with pytest.raises((ValueError, CommandError), match=r"name|kind"):
        Actor(kind, name)


def test_only_people_are_restricted_and_a_stranger_sees_nothing():
    assert RESTRICTED.access(OWNER).projects is None and RESTRICTED.access(SYSTEM).projects is None
    assert RESTRICTED.access(Actor.person("Ben")).projects == {1}
    assert RESTRICTED.access(ANA).projects == frozenset() and not RESTRICTED.access(ANA).may_create
    assert Memberships().access(ANA).projects is None, "nobody has a role yet"


@pytest.mark.parametrize("wrong", NOT_ACTORS)
def test_no_rights_are_given_without_an_actor(wrong: Any):
    for memberships in (RESTRICTED, Memberships()):
        with pytest.raises(TypeError, match="needs an actor"):
            memberships.access(wrong)


@pytest.mark.parametrize("wrong", NOT_ACTORS)
def test_nothing_is_read_or_written_without_an_actor(store: LogStore, wrong: Any):
    session = store.start_session(OWNER, DOCUMENT, "en-de")
    for work in (
        lambda: store.append(wrong, session.id, "close", {}),
        lambda: store.start_session(wrong, DOCUMENT, "en-de"),
        lambda: store.load_session(wrong, session.id),
        lambda: store.sessions(wrong),
        lambda: store.projects(wrong),
    ):
        with pytest.raises(TypeError, match="needs an actor"):
            work()
    assert len(store.sessions(OWNER)) == 1 and store.num_events(OWNER, session.token) == 1


def test_request_has_an_actor_only_after_a_door_admitted_it():
    scope: dict[str, Any] = {}
    assert known_actor(scope) is None
    with pytest.raises(TypeError, match="needs an actor"):
        actor_of(scope)
    admit(scope, ANA)
    assert actor_of(scope) is known_actor(scope) is ANA
    with pytest.raises(TypeError, match="needs an actor"):
        admit(scope, "Ana")  # type: ignore[arg-type]
