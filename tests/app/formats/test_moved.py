"""Where elements begin after edits of a part."""

from random import Random

from app.formats.office.office_file import moved


def test_elements_move_by_the_growth_of_all_edits_that_end_before_them():
    random = Random(1)
    for _ in range(200):
        places = sorted(random.sample(range(100), 2 * random.randrange(1, 9)))
        edits = [(first, end, "x" * random.randrange(9)) for first, end in zip(places[::2], places[1::2], strict=True)]
        random.shuffle(edits)
        starts = random.choices(range(100), k=9)
        expected = [
            start + sum(len(text) - (end - first) for first, end, text in edits if end <= start) for start in starts
        ]
        assert moved(starts, edits) == expected
