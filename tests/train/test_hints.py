"""Hints are phrases of the target as a request has them, drawn reproducibly, behind sources that stay as they are."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from engine.text import EOS, HINT_PIECE, TextCodec, occurrences
from engine.train.data import PAD, BatchSampler, Lines, PairSet, PreparedData
from engine.train.hints import HintSampler

TARGETS = [
    "Klicken Sie auf „Übernehmen“, um die Einstellungen für alle Knoten (siehe unten) zu speichern.",
    "Die E-Mail-Adresse von 3,5 % aller Nutzer ist %s.",
    "Datei",
    "Ja, gut!",
]


def phrases_of(hints: list[int], codec: TextCodec) -> list[list[int]]:
    """The pieces of each phrase."""
    phrases: list[list[int]] = []
    for piece in hints:
        if piece == codec.id_of(HINT_PIECE):
            phrases.append([])
        else:
            phrases[-1].append(piece)
    return phrases


def sampler_of(codec: TextCodec, rate: float, counts: dict[int, int] | None = None) -> HintSampler:
    """A sampler for pieces that are all as frequent, up to those in `counts`."""
    counts_V = np.full(len(codec.vocabulary), 100)
    for piece, count in (counts or {}).items():
        counts_V[piece] = count
    return HintSampler(codec.vocabulary, rate, counts_V)


@pytest.fixture(scope="module")
def drawn(codec: TextCodec) -> list[tuple[str, list[list[int]]]]:
    """200 draws of each target's phrases."""
    sampler = sampler_of(codec, 1.0)
    targets = [np.array(codec.encode(text).ids, dtype=np.uint16) for text in TARGETS] * 200
    hints = sampler.draw(targets, np.random.default_rng(1))
    return [(text, phrases_of(own, codec)) for text, own in zip(TARGETS * 200, hints, strict=True)]


def test_drawn_phrases_occur_in_the_target_with_the_pieces_of_a_request(drawn, codec) -> None:
    for text, phrases in drawn:
        for phrase in phrases:
            written = codec.decode(phrase).text
            assert occurrences(text, written, "anywhere"), (text, written)
            assert list(codec.encode(written).ids) == phrase


def test_one_to_four_phrases_of_one_to_four_words_have_at_most_half_of_the_target(drawn, codec) -> None:
    lengths: list[int] = []
    counts = []
    for text, phrases in drawn:
        words = [len(codec.decode(phrase).text.split()) for phrase in phrases]
        assert sum(words) <= (len(text.split()) + 1) // 2
        if text == TARGETS[0]:
            counts.append(len(words))
            lengths += words
    assert set(counts) == {1, 2, 3, 4}
    assert set(lengths) == {1, 2, 3, 4}
    assert counts.count(1) > counts.count(4)
    assert lengths.count(1) > lengths.count(4)


def test_punctuation_at_the_edges_is_mostly_left_out(drawn, codec) -> None:
    written = [codec.decode(phrase).text for text, phrases in drawn if text == TARGETS[3] for phrase in phrases]
    assert set(written) == {"Ja", "Ja,", "gut", "gut!"}
    assert written.count("Ja") > 2 * written.count("Ja,") > 0


def test_phrases_of_a_source_do_not_overlap(codec) -> None:
    text = "a b c d e f g h i j k l"
    target = np.array(codec.encode(text).ids)
    for own in sampler_of(codec, 1.0).draw([target] * 100, np.random.default_rng(2)):
        words = [word for phrase in phrases_of(own, codec) for word in codec.decode(phrase).text.split()]
        assert len(words) == len(set(words)) <= 6


def test_punctuation_alone_is_not_a_hint_unless_it_is_kept(codec) -> None:
    target = np.array(codec.encode("...").ids)
    for own in sampler_of(codec, 1.0).draw([target] * 40, np.random.default_rng(3)):
        assert own in ([], [codec.id_of(HINT_PIECE), *codec.encode("...").ids])


def test_rare_words_are_drawn_more_often_than_others(codec) -> None:
    text = "a b c d e f g h i j"
    target = np.array(codec.encode(text).ids)
    hints = sampler_of(codec, 1.0, {int(target[4]): 1}).draw([target] * 3000, np.random.default_rng(5))
    drawn = Counter(codec.decode(own[1:]).text for own in hints if len(own) == 2)
    assert drawn["e"] > 1.5 * drawn.total() / len(drawn)
    assert len(drawn) == 10


def test_so_many_sources_have_hints_as_asked(codec) -> None:
    target = np.array(codec.encode(TARGETS[0]).ids)
    hints = sampler_of(codec, 0.3).draw([target] * 2000, np.random.default_rng(4))
    assert sum(map(bool, hints)) / 2000 == pytest.approx(0.3, abs=0.05)


def test_hints_follow_the_end_of_a_source_and_change_nothing_else_of_a_batch(codec) -> None:
    lines = {language: Lines.of([codec.encode(text).ids for text in TARGETS], 2000) for language in ("en", "de")}
    pairs = PairSet(lines, np.zeros(len(TARGETS), dtype=np.uint8))
    ids = {direction: codec.id_of(f"<{direction}>") for direction in ("en-de", "de-en")}
    prepared = PreparedData(("en", "de"), len(codec.vocabulary), ids, ("docs",), {"docs": 6}, (), 100)

    def batches(hints: HintSampler | None) -> BatchSampler:
        return BatchSampler(pairs, prepared, ("en-de",), 500, domain_tag_rate=0.5, hints=hints)

    sampler, num_hinted = sampler_of(codec, 0.5), 0
    for number, plan in enumerate(batches(None).epoch(0)):
        plain, hinted, again = (
            batches(hints).batch(plan, np.random.default_rng((1, 0, number))) for hints in (None, sampler, sampler)
        )
        assert np.array_equal(hinted.source_BS, again.source_BS)
        assert np.array_equal(plain.target_BT, hinted.target_BT)
        for row, length, other, other_length in zip(
            plain.source_BS, plain.source_lengths_B, hinted.source_BS, hinted.source_lengths_B, strict=True
        ):
            assert other[:length].tolist() == row[:length].tolist()
            assert other[length - 1] == EOS
            assert (other[other_length:] == PAD).all()
            assert other_length == length or other[length] == codec.id_of(HINT_PIECE)
            assert PAD not in other[:other_length]
            num_hinted += other_length > length
    assert num_hinted > 0
