"""The words of a translation that continue a text, if showing them is expected to save time."""

from __future__ import annotations

import math
import random
from dataclasses import replace

import pytest

from app.segments.completion import completion_of
from engine import Hypothesis, Placement


def hypothesis(*pieces: tuple[str, float]) -> Hypothesis:
    """A hypothesis of these pieces, with the space before each, and their probabilities."""
    text, spans = "", []
    for piece, _ in pieces:
        text += piece
        spans.append((len(text) - len(piece.lstrip()), len(text)))
    log_probs = tuple(math.log(probability) for _, probability in pieces)
    ids = tuple(range(len(pieces)))
    return Hypothesis(text, -1.0, -1.0, ids, log_probs, tuple(spans))


@pytest.mark.parametrize(
    ("text", "found", "completion", "why"),
    [
        ("Das ", "Das Haus.", "Haus.", "goes on"),
        ("", "Das Haus.", "Das Haus.", "nothing typed yet"),
        ("Cafe\u0301", "Café am Markt", " am Markt", "the same letters in other code points"),
        ("Die", "Das Haus.", "", "another sentence"),
        ("Das Haus.", "Das Haus.", "", "nothing follows"),
    ],
)
def test_requested_completion_is_the_rest_after_the_text(text: str, found: str, completion: str, why: str):
    assert completion_of(text, hypothesis((found, 1.0)), is_requested=True) == completion, why


CERTAIN = (("Der", 1.0), (" alte", 1.0), (" Router", 1.0), (" geht", 1.0), (" aus.", 1.0))
UNLIKELY_END = (("Ein", 1.0), (" umgebauter", 1.0), (" Router", 0.09), (" geht", 1.0))


@pytest.mark.parametrize(
    ("text", "pieces", "proposal", "completion", "why"),
    [
        ("", CERTAIN, "", "Der alte Router geht aus.", "25 letters for a decision, a key and four more words to read"),
        ("Der alte R", CERTAIN, "", "outer geht aus.", "the rest of a word begun is its first word"),
        ("Der alte Router ", CERTAIN, "", "", "9 keys, less a decision, a key and two words to read: 0.15 - 0.25 s"),
        ("Der alte Router ", CERTAIN, "Der Server geht aus", "geht aus.", "the same words, which have been read"),
        ("", (("Systemeinstellungen", 0.1),), "", "", "0.1 * (19 * 0.2 - 1.4) is less than 0.25"),
        ("", (("Systemeinstellungen", 0.1),), "(Systemeinstellungen)", "Systemeinstellungen", "nothing to read"),
        ("", UNLIKELY_END, "Ein umgebauter Router geht", "Ein umgebauter", "an offer ends before an unlikely word"),
        ("", (("Ein", 0.5), ("fühlungsvermögen", 0.5)), "", "Einfühlungsvermögen", "a word's pieces are multiplied"),
        ("", (("Ein", 0.3), ("fühlungsvermögen", 0.3)), "", "", "0.09 * (19 * 0.2 - 1.4) is less than 0.25"),
        ("Ein", (("Ein", 0.01), ("fühlungsvermögen", 0.9)), "", "fühlungsvermögen", "only what is still to be written"),
    ],
)
def test_words_are_offered_if_they_are_expected_to_save_more_time_than_reading_takes(
    text: str, pieces: tuple[tuple[str, float], ...], proposal: str, completion: str, why: str
):
    assert completion_of(text, hypothesis(*pieces), proposal) == completion, why


def test_offer_has_the_length_that_saves_the_most_time():
    """Compared with all lengths, each rated by listing how many of its words may be right."""
    rng = random.Random(1)
    num_offers = 0
    for _ in range(500):
        pieces = [(" " * (k > 0) + "w" * rng.randint(1, 12), rng.uniform(0.1, 1.0)) for k in range(rng.randint(1, 6))]
        found = hypothesis(*pieces)
        ends = [end for _, end in found.token_spans]
        probabilities = [probability for _, probability in pieces]
        benefits = [benefit(ends[:length], probabilities[:length]) for length in range(1, len(pieces) + 1)]
        best = max(benefits)
        expected = found.text[: ends[benefits.index(best)]] if best > 0.25 else ""
        assert completion_of("", found) == expected
        num_offers += bool(expected)
    assert 100 < num_offers < 400


def benefit(ends: list[int], probabilities: list[float]) -> float:
    """The expected saving by an offer of words that nobody has read, without reading the first."""
    total = 0.0
    for num_right in range(1, len(ends) + 1):
        is_all = num_right == len(ends)
        chance = math.prod(probabilities[:num_right]) * (1.0 if is_all else 1 - probabilities[num_right])
        taking = 1.2 + 0.2 * (1 if is_all else num_right) + 0.25 * (num_right - 1)
        total += chance * max(0.0, 0.2 * ends[num_right - 1] - taking)
    return total


PIECES = (("Der", 0.05), (" alte", 0.9), (" Rou", 0.7), ("ter", 0.7), (" geht", 0.05), (" aus", 0.9), (".", 0.9))


def test_requested_completion_has_a_first_word_however_unlikely_it_is():
    found = hypothesis(*PIECES)
    assert completion_of("", found) == ""
    assert completion_of("", found, is_requested=True) == "Der alte Router"
    assert completion_of("Der alte Router", found, is_requested=True) == " geht aus."


def test_required_words_are_certain():
    found = hypothesis(*PIECES)
    proposal = "Der alte Router geht aus."
    assert completion_of("", found, proposal) == "Der alte Router", "known words are offered at any price of reading"
    locked = replace(found, locked=((16, 24),))
    assert completion_of("Der alte", locked, is_requested=True) == " Router geht aus."
    pinned = replace(found, placements=(Placement(0, "geht", 16, 20),))
    assert completion_of("Der alte", pinned, is_requested=True) == " Router geht aus."


def test_completion_in_a_script_without_spaces_ends_within_a_clause():
    found = hypothesis(("打开", 0.9), ("文", 0.9), ("件", 0.05), ("。", 0.9))
    assert completion_of("打", found, is_requested=True) == "开文"
    assert completion_of("", found, "打开文件。") == "打开文", "a character takes three keys"
