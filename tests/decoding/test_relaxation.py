"""The smallest relaxation against trying every removal."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from itertools import combinations

import pytest

from engine import Avoid, Phrase, Relaxation, Request
from engine.decoding.constraints import PreparedRequest
from engine.decoding.relaxation import smallest_relaxation

MAX_PIECES = 24
ONCE = Phrase("Hof", max_count=1)


@pytest.fixture(scope="module")
def constrain(codec) -> Callable[[Request], PreparedRequest]:
    return lambda request: PreparedRequest.of(request, "en-de", codec, MAX_PIECES)


@pytest.mark.parametrize(
    ("request_", "expected", "why"),
    [
        (Request("a", phrases=[Phrase("Haus"), Phrase("漢字")]), Relaxation(phrases=(1,)), "what cannot be spelt"),
        (Request("a", prefix="漢", suffix="字"), Relaxation(prefix=True, suffix=True), "wherever it stands"),
        (Request("a", locked=["Haus", "漢"]), Relaxation(locked=(1,)), "locked texts too"),
        (Request("a", phrases=[Phrase("Haus")], avoid=["Haus"]), Relaxation(avoid=(0,)), "of one and one the latest"),
        (
            Request("a", phrases=[Phrase("Haus")], avoid=["Haus", Avoid("HAUS", "permissive")]),
            Relaxation(phrases=(0,)),
            "one phrase is fewer than two avoided texts",
        ),
        (
            Request("a", phrases=[Phrase("Haus", forms=["Heim"]), Phrase("Hof")], avoid=["Haus", "Heim", "Hof"]),
            Relaxation(avoid=(1, 2)),
            "one form that is free again will do",
        ),
        (
            Request("a", phrases=[Phrase("Haus " * 5), Phrase("Hof " * 18), Phrase("Garten")]),
            Relaxation(phrases=(1,)),
            "too many pieces: the fewest phrases",
        ),
        (Request("a", phrases=[ONCE], prefix="Hof und Hof "), Relaxation(prefix=True), "a prefix with one too many"),
        (Request("a", phrases=[ONCE], locked=["Hof", "Hof, Hof"]), Relaxation(locked=(1,)), "so a locked text"),
        (Request("a", phrases=[ONCE], suffix="Hof Hof"), Relaxation(suffix=True), "so a suffix"),
        (Request("a", phrases=[ONCE, Phrase("Hof am Hof")]), Relaxation(phrases=(1,)), "so another phrase"),
        (Request("a", phrases=[ONCE, Phrase("Heim", forms=["Hof"])]), Relaxation(phrases=(1,)), "a form in common"),
        (Request("a", phrases=[ONCE], avoid=["Hof"]), Relaxation(avoid=(0,)), "avoided as well"),
        (Request("Haus " * 40, phrases=[Phrase("Haus")]), None, "a source that is too long: nothing helps"),
    ],
)
def test_relaxation_is_the_smallest_and_the_latest(constrain, request_, expected, why):
    assert constrain(request_).obstacles
    assert smallest_relaxation(request_, constrain) == expected, why


@pytest.mark.parametrize(
    ("request_", "why"),
    [
        (Request("a", phrases=[ONCE], prefix="Hof und Hof"), "its last word may go on"),
        (Request("a", phrases=[ONCE], prefix="Hof und Hofes "), "another word"),
        (Request("a", phrases=[ONCE, ONCE], prefix="Hof und Hof "), "what the same phrases ask for adds up"),
        (Request("a", phrases=[ONCE, Phrase("Hof")], prefix="Hof und Hof "), "also where one has no bound"),
        (Request("a", phrases=[ONCE, Phrase("am Hof")]), "one inside another phrase"),
        (Request("a", phrases=[ONCE, Phrase("Hof-", count=2, boundary="anywhere")]), "it may end another word there"),
    ],
)
def test_max_count_that_can_be_kept_is_not_an_obstacle(constrain, request_, why):
    assert not constrain(request_).obstacles, why


def test_relaxation_agrees_with_trying_every_removal(constrain):
    rng = random.Random(3)
    texts = ["Haus", "Heim", "Hof", "漢字", "Garten " * 6]
    num_compared = 0
    for _ in range(60):
        names = rng.sample(texts, rng.randint(1, 4))
        phrases = [Phrase(name, forms=rng.sample(["Dach", "Tor"], rng.choice([0, 0, 0, 1]))) for name in names]
        request = Request("a", phrases=phrases, avoid=rng.sample(["Haus", "Heim", "Hof", "Dach"], rng.randint(0, 3)))
        if not constrain(request).obstacles:
            continue
        found = smallest_relaxation(request, constrain)
        assert found is not None
        items = [("phrases", i) for i in range(len(request.phrases))] + [
            ("avoid", i) for i in range(len(request.avoid))
        ]
        sizes = [
            len(removed)
            for size in range(len(items) + 1)
            for removed in combinations(items, size)
            if not constrain(without(request, set(removed))).obstacles
        ]
        assert len(found.phrases) + len(found.avoid) == min(sizes)
        removed = {("phrases", i) for i in found.phrases} | {("avoid", i) for i in found.avoid}
        assert not constrain(without(request, removed)).obstacles
        num_compared += 1
    assert num_compared > 20


def test_very_many_conflicts_are_resolved_too(constrain):
    words = [
        "Haus",
        "Hof",
        "Heim",
        "Dach",
        "Tor",
        "Garten",
        "Baum",
        "Weg",
        "Tür",
        "Wand",
        "Uhr",
        "Bild",
        "Buch",
        "Glas",
    ]
    request = Request("a", phrases=[Phrase(word) for word in words], avoid=words)
    found = smallest_relaxation(request, constrain)
    assert found is not None
    removed = {("phrases", i) for i in found.phrases} | {("avoid", i) for i in found.avoid}
    assert not constrain(without(request, removed)).obstacles


def without(request: Request, removed: set[tuple[str, int]]) -> Request:
    return replace(
        request,
        phrases=[phrase for i, phrase in enumerate(request.phrases) if ("phrases", i) not in removed],
        avoid=[avoid for i, avoid in enumerate(request.avoid) if ("avoid", i) not in removed],
    )
