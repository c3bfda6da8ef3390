"""Notices to people about their work: who gets which, how long they stay, and how a waiting page learns of them."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from app.__main__ import main
from app.access.actor import OWNER, Actor
from app.errors import LogError
from app.log.forgetting import forget_person
from app.log.store import LogStore
from app.ui.api import Api
from tests.app.test_parts import Team, question_after, team

BEN, DAN = Actor.person("Ben"), Actor.person("Dan")

__all__ = ["team"]


def notices(team: Team, name: str) -> list[tuple[str, str, int]]:
    """The kind, the sender and the number of segments of a person's notices."""
    return [(one.kind, one.sender, one.num_segments) for one in team.store.news.notices(Actor.signed_in(name))]


def assign_document(team: Team, name: str, sender: str = "Ana") -> None:
    team.sessions.members.assign(Actor.signed_in(sender), team.document.session_id, name)


def shown(team: Team, name: str) -> dict[str, Any]:
    """What a person gets who opens the document."""
    return Api(team.sessions).hello(Actor.signed_in(name), {"token": team.document.token})


@pytest.fixture
def other_log(team: Team) -> Iterator[LogStore]:
    store = LogStore.open(team.store.path)
    yield store
    store.close()


def test_assignment_of_a_document_is_a_notice_until_its_person_opens_it(team: Team, other_log: LogStore):
    assign_document(team, "Ben")
    assert notices(team, "Ben") == [("assigned", "Ana", 0)]
    assert notices(team, "Ana") == notices(team, "Cem") == []
    shown(team, "Ana")
    # after a restart
    assert [(one.kind, one.document) for one in other_log.news.notices(BEN)] == [("assigned", "doors.txt")]
    (notice,) = shown(team, "Ben")["news"]["notices"]
    assert (notice["session"], notice["document"]) == (team.document.session_id, "doors.txt")
    assert notices(team, "Ben") == [] and shown(team, "Ben")["news"]["notices"] == []


def test_notice_to_a_person_in_the_document_ends_with_the_next_segment_that_they_open(team: Team):
    api = Api(team.sessions)
    shown(team, "Ben")
    team.assign([0], "Ben")
    message = {"token": team.document.token, "name": "open", "segment": 1, "since": -1, "detail_since": -1}
    for num_left in (1, 0):
        assert len(api.command(BEN, message)["news"]["notices"]) == num_left


def test_segments_of_several_assignments_are_counted_together(team: Team):
    team.assign([0, 1], "Ben")
    team.assign([1, 2], "Ben")
    assert notices(team, "Ben") == [("assigned", "Ana", 3)]
    shown(team, "Ben")
    team.assign([2, 3], "Ben")
    assert notices(team, "Ben") == [("assigned", "Ana", 1)], "only what is new since then"
    team.assign([0, 1, 2, 3], "Ben")
    assert notices(team, "Ben") == [("assigned", "Ana", 1)]


def test_end_of_an_assignment_is_a_notice_to_those_who_know_of_it(team: Team):
    team.assign([0, 1], "Ben")
    assign_document(team, "Cem")
    shown(team, "Cem")
    team.assign([0, 1], "Cem")
    assign_document(team, "Dan")
    assert notices(team, "Ben") == [], "he has not opened it"
    assert notices(team, "Cem") == [("assigned", "Ana", 2)], "the segments stay his"
    shown(team, "Cem")
    team.assign([0], "")
    assert notices(team, "Cem") == [("withdrawn", "Ana", 1)]
    team.assign([1], "Dan")
    assert notices(team, "Cem") == [("withdrawn", "Ana", 0)], "nothing is left"
    assert notices(team, "Dan") == [("assigned", "Ana", 0)]
    team.assign([0], "Cem")
    assert notices(team, "Cem") == [("assigned", "Ana", 1)], "the newest counts"


def test_people_get_no_notice_of_what_they_do_themselves(team: Team):
    team.store.people.join("Ana", [team.document.project.id])
    team.assign([0], "Ana")
    assign_document(team, "Ana")
    assign_document(team, "")
    assert notices(team, "Ana") == []


def test_dismissed_notice_is_a_mark_until_the_document_is_opened(team: Team):
    assign_document(team, "Ben")
    team.assign([0], "Cem")
    shown(team, "Cem")
    team.assign([0], "")
    for name in ("Ben", "Cem"):
        team.store.news.dismiss(Actor.signed_in(name), [team.document.session_id])
    assert [one.is_dismissed for one in team.store.news.notices(BEN)] == [True]
    assert notices(team, "Cem") == [], "there is nothing to open"
    assign_document(team, "")
    assert notices(team, "Ben") == [("withdrawn", "Ana", 0)], "he has seen the assignment"


def test_returned_segments_are_a_notice_to_their_translator(team: Team):
    team.document.use_project(replace(team.document.project, has_review=True))
    team.document.confirm(BEN, 0, "Eine Tür.")
    team.document.confirm(Actor.person("Ana"), 1, "Zwei Türen.")
    team.assign([1], "Cem")
    shown(team, "Cem")
    for index, text in enumerate(("Eine Tür.", "Zwei Türen.")):
        team.document.review.decide(DAN, index, "returned", text, "Why?")
    assert notices(team, "Ben") == [("returned", "Dan", 1)], "he confirmed it"
    assert notices(team, "Cem") == [("returned", "Dan", 1)], "it is assigned to him"
    team.document.review.decide(DAN, 0, "", "Eine Tür.")
    team.document.review.decide(DAN, 1, "approved", "Zwei Türen.")
    assert notices(team, "Ben") == notices(team, "Cem") == []


def test_notice_ends_with_the_membership_and_the_name_of_its_sender_is_forgotten(team: Team):
    assign_document(team, "Ben")
    assign_document(team, "Cem")
    team.assign([0], "Dan")
    team.store.people.leave("Cem", [team.document.project.id])
    forgotten = forget_person(OWNER, team.store.connection, "Ana")
    team.store.people.changed()
    team.store.news.changed()
    assert notices(team, "Dan") == [("assigned", forgotten.pseudonym, 1)]
    team.store.people.join("Cem", [team.document.project.id])
    assert notices(team, "Cem") == notices(team, "Ben") == []


def test_waiting_page_gets_a_notice_at_once_and_one_of_the_command_line_at_its_next_question(
    team: Team, capsys: pytest.CaptureFixture[str]
):
    api = Api(team.sessions)
    question = question_after(team.sessions.open_document(BEN, b"Mine.\n", "mine.txt"))

    async def ask_and_assign() -> dict[str, Any]:
        waiting = asyncio.create_task(api.changes(BEN, question))
        await asyncio.sleep(0.1)
        assert not waiting.done()
        await asyncio.to_thread(assign_document, team, "Ben")
        return await asyncio.wait_for(waiting, 60)

    news = asyncio.run(ask_and_assign())["news"]
    assert [notice["kind"] for notice in news["notices"]] == ["assigned"]
    assert main(["assignments", "take-back", str(team.document.session_id), "--log", str(team.store.path)]) == 0
    capsys.readouterr()
    team.store.news._looked = -1.0  # half a second ago
    reply = asyncio.run(api.changes(BEN, {**question, "news_stamp": news["stamp"]}))
    assert reply["news"]["notices"] == []


def test_wrong_value_in_a_notice_is_refused_with_the_cure(team: Team):
    assign_document(team, "Ben")
    team.store.connection.db.execute("UPDATE notice SET kind = 'x'")
    team.store.news.changed()
    with pytest.raises(LogError, match=r"kind is .* restore a backup"):
        team.store.news.view(OWNER)
