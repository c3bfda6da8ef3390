"""The thread count follows the speed, also when that changes."""

from __future__ import annotations

from collections import Counter

from engine.train.loop import EXPLORE_EVERY, ThreadChooser


def test_the_fastest_choice_is_taken_most_and_found_again_after_a_change() -> None:
    chooser = ThreadChooser((1, 2))
    for fastest in (2, 1, 2):
        taken: Counter[int] = Counter()
        for number in range(200):
            choice = chooser.choose()
            chooser.record(choice, 100.0 if choice == fastest else 40.0)
            if number >= 100:
                taken[choice] += 1
        assert taken[fastest] >= 100 - 100 // EXPLORE_EVERY - 1
        assert taken[3 - fastest] >= 100 // EXPLORE_EVERY - 1  # the other is still watched


def test_a_single_choice_is_always_taken() -> None:
    chooser = ThreadChooser((4,))
    for _ in range(50):
        assert chooser.choose() == 4
        chooser.record(4, 1.0)
