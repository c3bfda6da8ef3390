"""Pieces of one layout lead an idle node to the same node, and confirm the same occurrences."""

from __future__ import annotations

import random

import numpy as np
import pytest

from engine.search.indexed import IndexedTexts
from engine.search.layouts import NO_LAYOUT
from engine.search.phrases import SentenceConstraints
from engine.search.tracker import ConstraintTracker
from tests.budget import rounds
from tests.compiled.test_compiled_search import MANY, random_sentence
from tests.reference.toy import WORDS


@pytest.mark.parametrize(("texts", "least"), [(WORDS, 10), (MANY, 1000)])
def test_pieces_of_a_layout_share_each_step_of_an_idle_node(texts, least):
    rng, num_shared = random.Random(5), 0
    for _ in range(rounds(30, 300)):
        tracker = ConstraintTracker([random_sentence(texts, rng).constraints], IndexedTexts(texts))
        layouts_V = tracker.layouts(0)
        glues_left_V = np.array(texts.glues_left)
        assert ((layouts_V % 2 == 1) == glues_left_V)[layouts_V != NO_LAYOUT].all()
        nodes = {int(tracker.start_B[0])}
        for _ in range(12):
            node = rng.choice(sorted(nodes))
            is_idle, is_idle_behind_space, may_have_space = tracker.idle(node)
            following_V, completed_VP = tracker.follow(np.full(texts.size, node), np.arange(texts.size))
            has_space_V = ~glues_left_V & may_have_space
            is_shared_V = np.where(has_space_V, is_idle_behind_space, is_idle) & (layouts_V != NO_LAYOUT)
            for layout in set(layouts_V[is_shared_V].tolist()):
                places = (is_shared_V & (layouts_V == layout)).nonzero()[0]
                num_shared += len(places) - 1
                assert len(set(following_V[places].tolist())) == 1
                assert (completed_VP[places] == completed_VP[places[0]]).all()
            nodes |= set(following_V[2:].tolist()) - {1}
    assert num_shared > least


@pytest.mark.parametrize(
    ("boundary", "own", "shared", "why"),
    [
        ("word", ["ba", "b"], ["ca", "Ab", "a"], "a word cannot begin inside another"),
        ("anywhere", ["ba", "b", "Ab"], ["ca", "a"], "text without boundaries begins anywhere"),
    ],
)
def test_only_pieces_in_which_a_text_may_begin_have_no_layout(boundary, own, shared, why):
    constraints = SentenceConstraints((MANY.phrase("ba", boundary=boundary),))
    layouts_V = ConstraintTracker([constraints], IndexedTexts(MANY)).layouts(0)
    assert all(layouts_V[MANY.ids(piece)[0]] == NO_LAYOUT for piece in own), why
    assert all(layouts_V[MANY.ids(piece)[0]] != NO_LAYOUT for piece in shared), why
