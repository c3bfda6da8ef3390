"""Constraints with characters that are spelt in bytes: the automata agree with a search in the finished text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from engine.search.byte_masks import ByteMasks
from engine.search.indexed import IndexedTexts
from engine.search.phrases import AvoidedText, Prefix, SentenceConstraints, Spelling, TrackedPhrase
from engine.search.sentence import Sentence
from engine.search.tracker import ConstraintTracker
from engine.search_options import SearchOptions
from engine.text import byte_surface, is_byte_surface, occurrences
from tests.budget import rounds
from tests.reference.toy import LogitsDecoder, ToyDecoder, ToyModel, toy_stream
from tests.search.walking import walk

SPECIALS = 2


@dataclass(frozen=True)
class ByteTexts:
    """A vocabulary of words, word parts, marks and bytes; "▁a" stands apart, all else glues to its left.

    As in imported models, "▁" alone is a space that glues on both sides.
    """

    pieces: tuple[str | int, ...]

    @property
    def surfaces(self) -> list[str]:
        written = (
            byte_surface(p) if isinstance(p, int) else p.replace("▁", " " if p == "▁" else "") for p in self.pieces
        )
        return ["", "", *written]

    @property
    def glues_left(self) -> list[bool]:
        return [True, True, *(isinstance(p, int) or p == "▁" or not p.startswith("▁") for p in self.pieces)]

    @property
    def glues_right(self) -> list[bool]:
        return [True, True, *(p == "▁" for p in self.pieces)]

    def text(self, ids: Sequence[int]) -> str:
        """What the pieces write, by way of UTF-8."""
        written, is_open = b"", True
        for i in ids:
            if i < SPECIALS:
                continue
            piece = self.pieces[i - SPECIALS]
            if isinstance(piece, int):
                written += bytes([piece])
            elif piece == "▁":
                written += b" "
            else:
                written += piece.replace("▁", "" if is_open else " ").encode()
            is_open = piece == "▁"
        return written.decode(errors="replace")

    def ids(self, *pieces: str | int) -> tuple[int, ...]:
        return tuple(self.pieces.index(piece) + SPECIALS for piece in pieces)

    def spelling(self, text: str, form: int = 0) -> Spelling:
        """Each character by itself, in bytes unless it has a piece."""
        pieces: list[str | int] = []
        for place, character in enumerate(text):
            begins_word = place == 0 or text[place - 1] == " "
            piece = "▁" + character if begins_word else character
            if piece in self.pieces:
                pieces.append(piece)
            elif character != " ":
                pieces += [*("▁" * begins_word), *character.encode()]
        return Spelling.of(form, self.ids(*pieces), self)


# é is C3 A9, 😀 is F0 9F 98 80, the combining acute CC 81, the comma 2C and the digit 1 is 31
TEXTS = ByteTexts(("▁a", "a", "é", "▁", ",", "▁1", 0xC3, 0xA9, 0xF0, 0x9F, 0x98, 0x80, 0xCC, 0x81, 0x2C, 0x31, 0x61))
IDS = st.lists(st.integers(SPECIALS, len(TEXTS.pieces) + SPECIALS - 1), max_size=14)
LIKELY = st.lists(
    st.sampled_from(
        [
            TEXTS.ids(*run)
            for run in ([0xC3, 0xA9], [0xF0, 0x9F, 0x98, 0x80], [0xCC, 0x81], ["▁a"], ["a"], [0x2C], [0xC3])
        ]
        + [TEXTS.ids("▁", 0xF0, 0x9F, 0x98, 0x80), TEXTS.ids("▁1"), TEXTS.ids(0x31), TEXTS.ids("é")]
    ),
    max_size=8,
).map(lambda runs: [piece for run in runs for piece in run])
FORMS = ["é", "😀", "aé", "éa", "a😀", "😀 a", "1", "a", "aéa", "1,1", "a é"]
BOUNDARIES = ["word", "start", "anywhere"]


def is_unfinished(ids: list[int]) -> bool:
    """True if the text ends with some of the bytes of a character."""
    run = b""
    for i in ids:
        piece = TEXTS.pieces[i - SPECIALS]
        run = run + bytes([piece]) if isinstance(piece, int) else b""
    rests = [run[start:] for start in range(max(0, len(run) - 3), len(run))]
    return any(is_beginning(rest) and not is_utf8(rest) for rest in rests)


def is_beginning(run: bytes) -> bool:
    """True if bytes begin one character, or are one."""
    tails = [b"", b"\x80", b"\xbf", b"\x80\x80", b"\xbf\xbf", b"\x80\x80\x80", b"\xbf\xbf\xbf"]
    return any(len((run + tail).decode(errors="replace")) == 1 and is_utf8(run + tail) for tail in tails)


def is_utf8(run: bytes) -> bool:
    try:
        run.decode()
    except UnicodeDecodeError:
        return False
    return True


@settings(max_examples=rounds(300, 5000))
@given(ids=st.one_of(IDS, LIKELY), form=st.sampled_from(FORMS), boundary=st.sampled_from(BOUNDARIES))
@example(ids=list(TEXTS.ids("▁a", 0xC3, 0xA9)), form="aé", boundary="word")
@example(ids=list(TEXTS.ids("▁a", 0xC3, "▁a")), form="a", boundary="word")
def test_a_phrase_is_met_where_the_finished_text_has_it(ids: list[int], form: str, boundary: str) -> None:
    phrase = TrackedPhrase((form,), (TEXTS.spelling(form),), boundary)  # type: ignore[arg-type]
    walked = walk(TEXTS, [phrase], ids)
    expected = bool(occurrences(TEXTS.text(ids), form, boundary))  # type: ignore[arg-type]
    assert walked.may_end == (expected and not is_unfinished(ids))


@settings(max_examples=rounds(300, 5000))
@given(ids=st.one_of(IDS, LIKELY), avoided=st.sampled_from(FORMS))
def test_an_avoided_text_kills_exactly_the_texts_that_contain_it(ids: list[int], avoided: str) -> None:
    tracker = ConstraintTracker([SentenceConstraints(avoided=(AvoidedText(avoided),))], TEXTS)
    nodes = tracker.start_B
    for piece in ids:
        nodes, _ = tracker.follow(nodes, np.array([piece]))
    remaining = tracker.remaining_cost(np.array([0]), nodes, np.zeros((1, tracker.num_phrases), dtype=np.int64))
    survives = bool(remaining.may_end_N[0]) and not bool(tracker.is_dead(nodes)[0])
    assert survives == (not occurrences(TEXTS.text(ids), avoided) and not is_unfinished(ids))


@pytest.mark.parametrize("form", FORMS)
def test_the_forced_pieces_write_the_phrase_wherever_it_begins(form: str) -> None:
    phrase = TrackedPhrase((form,), (TEXTS.spelling(form),))
    for before in ([], TEXTS.ids("▁a"), TEXTS.ids("▁a", 0x2C), TEXTS.ids("▁", 0xF0, 0x9F, 0x98, 0x80)):
        ids, missing = list(before), walk(TEXTS, [phrase], before).missing
        while not (state := walk(TEXTS, [phrase], ids)).may_end:
            assert state.missing == missing, (ids, state)
            (piece,) = state.forced - {1}
            ids, missing = [*ids, piece], missing - 1
        assert occurrences(TEXTS.text(ids), form), ids


def test_phrases_never_begin_inside_the_bytes_of_a_character() -> None:
    phrase = TrackedPhrase(("a",), (TEXTS.spelling("a"),))
    state = walk(TEXTS, [phrase], TEXTS.ids("▁", 0xF0, 0x9F))
    assert not state.forced and state.closes
    assert walk(TEXTS, [phrase], TEXTS.ids("▁", 0xF0, 0x9F, 0x98, 0x80)).forced == set(TEXTS.ids("▁a"))


@pytest.mark.parametrize(
    ("text", "num_fixed"),
    [("a😀", 4), ("a😀 ", 5), ("aé", 2), ("😀a", 5), ("😀😀", 8)],
)
def test_a_prefix_is_written_in_its_own_bytes(text: str, num_fixed: int) -> None:
    spelling = TEXTS.spelling(text.rstrip())
    tracker = ConstraintTracker(
        [SentenceConstraints(prefix=Prefix(text, spelling.pieces[:num_fixed]))], IndexedTexts(TEXTS)
    )
    nodes, ids = tracker.start_B, []
    while tracker.in_prefix(nodes)[0]:
        allowed = tracker.prefix_pieces(int(nodes[0]))
        if len(ids) < num_fixed:
            assert allowed == [spelling.pieces[len(ids)]]
        for piece in range(SPECIALS, len(TEXTS.pieces) + SPECIALS):
            following, _ = tracker.follow(nodes, np.array([piece]))
            if is_byte_surface(TEXTS.surfaces[piece]) and not tracker.is_dead(following)[0]:
                assert text.startswith(TEXTS.text([*ids, piece]).rstrip("\ufffd").lstrip())
        piece = allowed[0]
        nodes, _ = tracker.follow(nodes, np.array([piece]))
        assert not tracker.is_dead(nodes)[0]
        ids.append(piece)
    assert TEXTS.text(ids).lstrip().startswith(text)


ALL_BYTES = ByteTexts(tuple(range(256)))


@settings(max_examples=rounds(100, 1000))
@given(st.text(st.characters(exclude_categories=("Cs",), min_codepoint=0x80), min_size=1, max_size=3), st.data())
def test_exactly_the_bytes_that_can_complete_a_character_may_follow(text: str, data: st.DataObject) -> None:
    masks, run = ByteMasks(ALL_BYTES), text.encode()
    assert {piece - SPECIALS for piece in masks.not_first} == {b for b in range(256) if not is_beginning(bytes([b]))}
    cut = data.draw(st.integers(1, len(run)))
    tokens = np.array([[0, 0, 0, *(value + SPECIALS for value in run[:cut])]])
    if is_utf8(run[:cut]):
        assert masks.allowed(tokens) == {}
        return
    begun = text[len(run[:cut].decode(errors="ignore"))].encode()
    unfinished = run[len(run[:cut].decode(errors="ignore").encode()) : cut]
    assert begun.startswith(unfinished)
    (allowed,) = masks.allowed(tokens).values()
    assert {piece - SPECIALS for piece in allowed} == {b for b in range(256) if is_beginning(unfinished + bytes([b]))}


@pytest.mark.parametrize("decoder", [ToyDecoder, LogitsDecoder])
def test_a_search_writes_whole_characters_only(decoder: type[ToyDecoder]) -> None:
    num_with_bytes = 0
    for seed in range(30):
        model = ToyModel(len(TEXTS.surfaces), seed)
        form = FORMS[seed % len(FORMS)]
        phrases = (TrackedPhrase((form,), (TEXTS.spelling(form),)),) * (seed % 2)
        sentence = Sentence(SentenceConstraints(phrases), 16, SearchOptions(beam=4, nbest=4), source=0)
        (ended,) = toy_stream(model, TEXTS, decoder).run([sentence])  # type: ignore[arg-type]
        assert ended.result is not None and ended.result.hypotheses and ended.result.outcome == "complete"
        for found in ended.result.hypotheses:
            text = TEXTS.text(found.tokens)
            assert not phrases or occurrences(text, form)
            is_cut_short = len(found.tokens) == 16  # the end comes at the limit, whatever is unfinished
            assert "\ufffd" not in (text.removesuffix("\ufffd") if is_cut_short else text)
            num_with_bytes += "😀" in text or 0xA9 in [TEXTS.pieces[i - SPECIALS] for i in found.tokens]
    assert num_with_bytes > 10
