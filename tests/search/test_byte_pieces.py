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
from engine.text import byte_surface, has_bytes, occurrences, surface_of
from tests.budget import rounds
from tests.reference.toy import LogitsDecoder, ToyDecoder, ToyModel, toy_stream
from tests.search.walking import walk

SPECIALS = 2


Piece = str | int | bytes


@dataclass(frozen=True)
class ByteTexts:
    """A vocabulary of words, word parts, marks and bytes; "▁a" and b" a" stand apart, all else glues to its left.

    As in imported models, "▁" alone is a space that glues on both sides.
    """

    pieces: tuple[Piece, ...]

    @property
    def size(self) -> int:
        return len(self.pieces) + SPECIALS

    @property
    def surfaces(self) -> list[str]:
        return ["", "", *map(self._surface, self.pieces)]

    @staticmethod
    def _surface(piece: Piece) -> str:
        if isinstance(piece, bytes):
            return surface_of(piece.removeprefix(b" ") or piece)
        return byte_surface(piece) if isinstance(piece, int) else piece.replace("▁", " " if piece == "▁" else "")

    @property
    def glues_left(self) -> list[bool]:
        return [True, True, *(p == "▁" or not self._is_apart(p) for p in self.pieces)]

    @staticmethod
    def _is_apart(piece: Piece) -> bool:
        return not isinstance(piece, int) and piece[:1] in ("▁", b" ") and piece != b" "

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
            elif isinstance(piece, bytes):
                written += piece.removeprefix(b" ") if is_open else piece
            elif piece == "▁":
                written += b" "
            else:
                written += piece.replace("▁", "" if is_open else " ").encode()
            is_open = piece == "▁"
        return written.decode(errors="replace")

    def data(self, ids: Sequence[int]) -> bytes:
        """What the pieces of byte-level BPE write: their bytes one after the other, without a space at the start."""
        return b"".join(map(self._raw, ids)).removeprefix(b" ")

    def ids(self, *pieces: Piece) -> tuple[int, ...]:
        return tuple(self.pieces.index(piece) + SPECIALS for piece in pieces)

    def spelling(self, text: str, form: int = 0) -> Spelling:
        """Each character by itself, in bytes unless it has a piece; or the longest pieces of byte-level BPE."""
        if b" " in self.pieces:
            return Spelling.of(form, self._longest(b" " + text.encode()), self)
        pieces: list[Piece] = []
        for place, character in enumerate(text):
            begins_word = place == 0 or text[place - 1] == " "
            piece = "▁" + character if begins_word else character
            if piece in self.pieces:
                pieces.append(piece)
            elif character != " ":
                pieces += [*("▁" * begins_word), *character.encode()]
        return Spelling.of(form, self.ids(*pieces), self)

    def _longest(self, rest: bytes) -> list[int]:
        ids: list[int] = []
        while rest:
            fitting = (p for p in range(SPECIALS, len(self.surfaces)) if rest.startswith(self._raw(p)))
            ids.append(max(fitting, key=lambda piece: len(self._raw(piece))))
            rest = rest[len(self._raw(ids[-1])) :]
        return ids

    def _raw(self, number: int) -> bytes:
        piece = self.pieces[number - SPECIALS]
        return bytes([piece]) if isinstance(piece, int) else piece if isinstance(piece, bytes) else piece.encode()


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


# Bytes of several characters in one piece, as in byte-level BPE; 日 is E6 97 A5 and 本 is E6 9C AC
CUT = ByteTexts(
    (
        *(b" a", "a", "é", ",", "日", b" ", 0xC3, 0xA9, 0xE6, 0x97, 0xA5, 0x9C, 0xAC, 0x61),
        *(b"\xe6\x97", b" \xe6", b" \xe6\x97", b"\xa5\xe6\x9c", b"\xac\xe6\x97"),
        *(b"\xa9a", b"a\xe6", b"\x97\xa5", b"\xa5a\xc3"),
    )
)
CUT_IDS = st.lists(st.integers(SPECIALS, len(CUT.pieces) + SPECIALS - 1), max_size=10)
CUT_LIKELY = st.lists(
    st.sampled_from(
        [
            CUT.ids(*run)
            for run in (
                [0xC3, 0xA9],
                [b"\xe6\x97", b"\xa5\xe6\x9c", 0xAC],
                [b" \xe6\x97", 0xA5],
                [b" \xe6", b"\x97\xa5"],
                [b"\xe6\x97", b"\xa5a\xc3", b"\xa9a"],
                [b"a\xe6", 0x9C, b"\xac\xe6\x97", 0xA5],
                [b"\xe6\x97"],
                [b" a"],
            )
        ]
    ),
    max_size=5,
).map(lambda runs: [piece for run in runs for piece in run])
CUT_FORMS = ["日本", "日", "本", "a日", "é", "éa", "日 a", "a"]
VOCABULARIES = [(TEXTS, form) for form in FORMS] + [(CUT, form) for form in CUT_FORMS]


def is_unfinished(texts: ByteTexts, ids: list[int]) -> bool:
    """True if the text ends with some of the bytes of a character."""
    run = b""
    for i in ids:
        piece = texts.pieces[i - SPECIALS]
        own = bytes([piece]) if isinstance(piece, int) else piece if isinstance(piece, bytes) else b" "
        run = run + own if own != b" " else b""
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


def check_phrase(texts: ByteTexts, ids: list[int], form: str, boundary: str) -> None:
    phrase = TrackedPhrase((form,), (texts.spelling(form),), boundary)  # type: ignore[arg-type]
    walked = walk(texts, [phrase], ids)
    expected = bool(occurrences(texts.text(ids), form, boundary))  # type: ignore[arg-type]
    assert walked.may_end == (expected and not is_unfinished(texts, ids))


@settings(max_examples=rounds(80, 5000))
@given(ids=st.one_of(IDS, LIKELY), form=st.sampled_from(FORMS), boundary=st.sampled_from(BOUNDARIES))
@example(ids=list(TEXTS.ids("▁a", 0xC3, 0xA9)), form="aé", boundary="word")
@example(ids=list(TEXTS.ids("▁a", 0xC3, "▁a")), form="a", boundary="word")
def test_a_phrase_is_met_where_the_finished_text_has_it(ids: list[int], form: str, boundary: str) -> None:
    check_phrase(TEXTS, ids, form, boundary)


@settings(max_examples=rounds(80, 5000))
@given(ids=st.one_of(CUT_IDS, CUT_LIKELY), form=st.sampled_from(CUT_FORMS), boundary=st.sampled_from(BOUNDARIES))
def test_a_phrase_is_met_where_pieces_begin_or_end_inside_its_characters(
    ids: list[int], form: str, boundary: str
) -> None:
    check_phrase(CUT, ids, form, boundary)


@settings(max_examples=rounds(80, 5000))
@given(ids=st.one_of(IDS, LIKELY), avoided=st.sampled_from(FORMS))
@example(ids=[10, 11, 12, 13, 14, 15], avoided="😀")  # an accent behind a symbol makes another character of it
def test_an_avoided_text_kills_exactly_the_texts_that_contain_it(ids: list[int], avoided: str) -> None:
    check_avoided(TEXTS, ids, avoided)


@settings(max_examples=rounds(80, 5000))
@given(ids=st.one_of(CUT_IDS, CUT_LIKELY), avoided=st.sampled_from(CUT_FORMS))
def test_an_avoided_text_is_found_where_pieces_begin_or_end_inside_its_characters(ids: list[int], avoided: str) -> None:
    check_avoided(CUT, ids, avoided)


def check_avoided(texts: ByteTexts, ids: list[int], avoided: str) -> None:
    tracker = ConstraintTracker([SentenceConstraints(avoided=(AvoidedText(avoided),))], texts)
    nodes = tracker.start_B
    for piece in ids:
        nodes, _ = tracker.follow(nodes, np.array([piece]))
    remaining = tracker.remaining_cost(np.array([0]), nodes, np.zeros((1, tracker.num_phrases), dtype=np.int64))
    survives = bool(remaining.may_end_N[0]) and not bool(tracker.is_dead(nodes)[0])
    assert survives == (not occurrences(texts.text(ids), avoided) and not is_unfinished(texts, ids))


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
            if has_bytes(TEXTS.surfaces[piece]) and not tracker.is_dead(following)[0]:
                assert text.startswith(TEXTS.text([*ids, piece]).rstrip("\ufffd").lstrip())
        piece = allowed[0]
        nodes, _ = tracker.follow(nodes, np.array([piece]))
        assert not tracker.is_dead(nodes)[0]
        ids.append(piece)
    assert TEXTS.text(ids).lstrip().startswith(text)


@pytest.mark.parametrize("text", ["a日", "a本é", "日本", "éa本"])
def test_the_last_word_of_a_prefix_may_be_written_in_any_pieces_with_bytes(text: str) -> None:
    """Exactly the sequences of allowed pieces that begin the text are written, by a walk through all of them."""
    tracker = ConstraintTracker([SentenceConstraints(prefix=Prefix(text))], IndexedTexts(CUT))
    complete: list[list[int]] = []

    def walk_from(nodes: np.ndarray, ids: list[int]) -> None:
        if not tracker.in_prefix(nodes)[0]:
            complete.append(ids)
            return
        allowed = tracker.prefix_pieces(int(nodes[0]))
        assert allowed, [CUT.pieces[i - SPECIALS] for i in ids]
        for piece in range(SPECIALS, len(CUT.pieces) + SPECIALS):
            following, _ = tracker.follow(nodes, np.array([piece]))
            if not ids and piece in CUT.ids(b" "):
                continue
            data = (CUT.data([*ids, piece]), text.encode())
            fits = data[0].startswith(data[1]) or data[1].startswith(data[0])
            assert (piece in allowed) == (not tracker.is_dead(following)[0]) == fits
            if fits:
                walk_from(following, [*ids, piece])

    walk_from(tracker.start_B, [])
    assert len(complete) > 3
    assert all(CUT.data(ids).startswith(text.encode()) for ids in complete)


ALL_BYTES = ByteTexts(tuple(range(256)))


@settings(max_examples=rounds(40, 1000))
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


@settings(max_examples=rounds(60, 3000))
@given(ids=st.one_of(CUT_IDS, CUT_LIKELY))
def test_exactly_the_pieces_that_break_no_character_may_follow(ids: list[int]) -> None:
    masks = ByteMasks(CUT)
    if not ids or not is_beginning_of_text(CUT.data(ids)):
        return
    tokens = np.array([[0, *ids]])
    allowed = masks.allowed(tokens).get(0)
    assert (allowed is not None) == is_unfinished(CUT, ids)
    for piece in range(SPECIALS, len(CUT.pieces) + SPECIALS):
        may_follow = piece in allowed if allowed is not None else piece not in masks.not_first
        assert may_follow == is_beginning_of_text(CUT.data([*ids, piece])), CUT.pieces[piece - SPECIALS]


def is_beginning_of_text(data: bytes) -> bool:
    """True if bytes are UTF-8, but for the end of the last character."""
    return any(is_utf8(data[: len(data) - cut]) and is_beginning(data[len(data) - cut :] or b"a") for cut in range(4))


@pytest.mark.parametrize("decoder", [ToyDecoder, LogitsDecoder])
@pytest.mark.parametrize(("texts", "forms"), [(TEXTS, FORMS), (CUT, CUT_FORMS)], ids=["bytes", "cut characters"])
def test_a_search_writes_whole_characters_only(texts: ByteTexts, forms: list[str], decoder: type[ToyDecoder]) -> None:
    num_with_bytes = 0
    for seed in range(30):
        model = ToyModel(len(texts.surfaces), seed)
        form = forms[seed % len(forms)]
        phrases = (TrackedPhrase((form,), (texts.spelling(form),)),) * (seed % 2)
        sentence = Sentence(SentenceConstraints(phrases), 16, SearchOptions(beam=4, nbest=4), source=0)
        (ended,) = toy_stream(model, texts, decoder).run([sentence])  # type: ignore[arg-type]
        assert ended.result is not None and ended.result.hypotheses and ended.result.outcome == "complete"
        for found in ended.result.hypotheses:
            text = texts.text(found.tokens)
            assert not phrases or occurrences(text, form)
            is_cut_short = len(found.tokens) == 16  # the end comes at the limit, whatever is unfinished
            assert "\ufffd" not in (text.removesuffix("\ufffd") if is_cut_short else text)
            num_with_bytes += any(isinstance(texts.pieces[i - SPECIALS], int | bytes) for i in found.tokens)
    assert num_with_bytes > 10
