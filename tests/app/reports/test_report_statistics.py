"""The statistics of a session: compared with counts by hand, other libraries or a slow implementation."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sacrebleu.metrics.chrf import CHRF
from sacrebleu.metrics.ter import TER

from app.formats.documents import Segment
from app.log.changes import Change, change_events
from app.reports.edit_effort import MAX_WORDS_WITH_SHIFTS, SIGNATURES, edit_effort
from app.reports.statistics import SessionStatistics, session_statistics
from app.reports.word_origins import WordOrigins
from app.reports.working_time import words_per_hour, working_time
from tests.app.log.sample_events import EventRow, events_of, request, result, segments_of
from tests.budget import rounds

# ---- time ----


def test_time_counts_from_focus_to_leaving_and_net_leaves_out_long_pauses() -> None:
    happenings = [
        (0, "open", None, {}),
        (10_000, "focus", 0, {}),
        (14_000, "edit", 0, {"text": "a"}),
        (74_000, "edit", 0, {"text": "b"}),  # 60 s: just still work
        (75_000, "decode_result", 0, {}),  # the machine is no sign of a person
        (134_001, "focus", 1, {}),  # 60.001 s since the person did anything: none of it is work
        (136_000, "blur", 1, {}),
        (200_000, "focus", 0, {}),  # away in between
        (201_000, "edit", 0, {"text": "c"}),
        (5_000, "resume", None, {}),  # another run, another clock
        (9_000, "edit", 0, {"text": "d"}),  # not focused in this run: nothing to measure from
        (20_000, "focus", 1, {}),
        (20_500, "close", None, {}),
    ]
    time = working_time(events_of(happenings))
    assert (time.segments[0].gross_ms, time.segments[0].net_ms) == (4_000 + 60_000 + 60_001 + 1_000, 65_000)
    assert (time.segments[1].gross_ms, time.segments[1].net_ms) == (1_999 + 500, 2_499)
    assert time.net_ms == 65_000 + 2_499
    assert time.gross_ms == 201_000 + 15_500


def test_pause_starts_at_the_last_action_and_ends_with_the_next() -> None:
    happenings = [
        (0, "open", None, {}),
        (1_000, "focus", 0, {}),
        (111_000, "idle", 0, {"idle_ms": 60_000}),  # 50 s of reading, then nothing
        (900_000, "focus", 0, {}),
        (903_000, "edit", 0, {"text": "a"}),
        (963_000, "idle", 0, {"idle_ms": 60_000}),
    ]
    time = working_time(events_of(happenings))
    assert (time.gross_ms, time.net_ms) == (903_000, 50_000 + 3_000)
    assert time.segments[0].gross_ms == 53_000


@given(
    st.lists(st.tuples(st.integers(0, 100_000), st.sampled_from(["focus", "edit", "blur", "decode_result", "idle"]))),
    st.integers(0, 120_000),
)
def test_net_time_is_within_gross_and_grows_with_the_idle_limit(steps: list[tuple[int, str]], limit_ms: int) -> None:
    at_ms, happenings = 0, [(0, "open", None, {})]
    for pause_ms, event_type in steps:
        at_ms += pause_ms
        happenings.append((at_ms, event_type, pause_ms % 3, {"idle_ms": 60_000} if event_type == "idle" else {}))
    events = events_of(happenings)
    time, longer = working_time(events, limit_ms), working_time(events, limit_ms + 1000)
    assert 0 <= time.net_ms <= sum(segment.gross_ms for segment in time.segments.values()) <= time.gross_ms
    assert time.net_ms <= longer.net_ms
    assert working_time(events, 10**9).net_ms == sum(segment.gross_ms for segment in time.segments.values())


# ---- effort ----


@given(st.text("aβ漢 .,-X1\u00a0\n", max_size=30))
@settings(max_examples=100)
def test_effort_of_an_unchanged_text_is_that_of_sacrebleu(text: str) -> None:
    effort = edit_effort(text, text)
    assert (effort.num_edits, effort.edit_distance) == (0, 0)
    assert effort.chrf == CHRF().sentence_score(text, [text]).score
    assert effort.num_words == edit_effort(f"{text}x", text).num_words


@pytest.mark.parametrize(
    ("proposal", "post_edit", "num_edits", "distance"),
    [
        ("das rote Haus", "das rote Haus", 0, 0),
        ("das Haus rote", "das rote Haus", 1, 8),  # one shift
        ("das Haus", "das rote Haus", 1, 5),
        ("Das rote Haus", "das rote Haus", 0, 1),  # capitals are no edit, but a character
        ("", "das Haus", 2, 8),
        ("das Haus", "", 2, 8),
    ],
)
def test_edit_effort_equals_a_count_by_hand(proposal: str, post_edit: str, num_edits: int, distance: int) -> None:
    effort = edit_effort(proposal, post_edit)
    assert (effort.num_edits, effort.edit_distance) == (num_edits, distance)
    assert effort.hter == num_edits / max(1, len(post_edit.split()))
    assert (effort.chrf == 100) == (proposal == post_edit)


WORDS = st.lists(st.sampled_from(["der", "die", "Haus", "rot", "und"]), max_size=8).map(" ".join)


def slow_distance(first: str, second: str) -> int:
    """Levenshtein's, straight from its definition, row by row."""
    row = list(range(len(second) + 1))
    for i, a in enumerate(first, 1):
        above, row = row, [i]
        for j, b in enumerate(second, 1):
            row.append(min(above[j] + 1, row[-1] + 1, above[j - 1] + (a != b)))
    return row[-1]


@settings(max_examples=rounds(60, 2000), deadline=None)
@given(WORDS, WORDS)
def test_edit_effort_equals_sacrebleu_and_levenshtein(proposal: str, post_edit: str) -> None:
    effort = edit_effort(proposal, post_edit)
    assert effort.edit_distance == slow_distance(proposal, post_edit)
    if proposal and post_edit:
        theirs = TER().corpus_score([proposal], [[post_edit]])
        assert (effort.num_edits, effort.num_words) == (theirs.num_edits, theirs.ref_length)


@st.composite
def edited_texts(draw: st.DrawFn) -> tuple[str, str]:
    """A text of up to 60 words, and the same with words inserted, replaced, deleted and moved."""
    words = draw(st.lists(st.sampled_from([f"Wort{n}" for n in range(30)]), min_size=1, max_size=50))
    edited = list(words)
    for _ in range(draw(st.integers(0, 14))):
        place = draw(st.integers(0, len(edited)))
        if draw(st.booleans()) and len(edited) < 59:
            edited.insert(place, draw(st.sampled_from(["neu", "Wort1", "Wort2"])))
        elif place < len(edited) > 1:
            edited.insert(draw(st.integers(0, len(edited))), edited.pop(place))
            if draw(st.booleans()):
                edited.pop()
    return " ".join(words), " ".join(edited)


@settings(max_examples=rounds(60, 2000), deadline=None)
@given(edited_texts())
def test_edit_effort_of_long_texts_equals_sacrebleu(texts: tuple[str, str]) -> None:
    assert edit_effort(*texts).num_edits == TER().sentence_score(texts[0], [texts[1]]).num_edits


@settings(max_examples=rounds(100, 5000), deadline=None)
@given(st.text("ab \u00a0", max_size=12), st.text("ab \u00a0", max_size=12))
def test_chrf_equals_sacrebleu(proposal: str, post_edit: str) -> None:
    assert edit_effort(proposal, post_edit).chrf == CHRF().sentence_score(proposal, [post_edit]).score
    ends = f"abcabcabc {proposal} cbacbaab", f"abcabcabc {post_edit} cbacbaab"
    assert edit_effort(*ends).chrf == CHRF().sentence_score(ends[0], [ends[1]]).score


def test_signatures_equal_sacrebleu() -> None:
    for metric, signature in zip((TER(), CHRF()), SIGNATURES, strict=True):
        metric.corpus_score(["a"], [["a"]])
        expected = str(metric.get_signature()).replace("nrefs:1|", "")
        assert sorted(expected.split("|")) == sorted(signature.split("|")[1:])


def test_long_texts_are_measured_without_shifts() -> None:
    words = [f"w{n}" for n in range(MAX_WORDS_WITH_SHIFTS + 1)]
    effort = edit_effort(" ".join([*words[1:], words[0]]), " ".join(words))
    assert (effort.num_edits, effort.has_shifts) == (2, False)
    short = " ".join([*words[2:20], words[1], *words[20:]]), " ".join(words[1:])
    assert (edit_effort(*short).num_edits, edit_effort(*short).has_shifts) == (1, True)


# ---- where the words came from ----


def origins_after(*happenings: tuple[str, dict[str, Any]], given: str | None = None) -> dict[str, str]:
    origins = WordOrigins(given)
    for event_type, payload in happenings:
        origins.add(event_type, payload)
    return dict(origins.words)


ASKED = request(1, ("pin", "Datei"), ("term", "Ordner"), ("pin", "neue"))
ANSWER = result(1, "Die neue Datei im Ordner.", "Eine neue Datei.", phrases=("Datei", "Ordner", "neue"))
OFFERED = (
    ("pin", {"text": "neue", "origin": "alternative"}),
    ("pin", {"text": "Datei", "origin": "person"}),
    ("decode_request", ASKED),
    ("decode_result", ANSWER),
)


def test_constraint_words_are_distinguished_from_model_words() -> None:
    confirmed = ("confirm", {"text": "Die neue Datei im Ordner."})
    expected = {"Die": "model", "neue": "alternative", "Datei": "pin", "im": "model", "Ordner.": "term"}
    assert origins_after(*OFFERED) == expected
    assert origins_after(*OFFERED, confirmed) == expected


def test_changed_word_is_typed_and_its_neighbors_keep_their_origin() -> None:
    typed = ("edit", {"text": "Die neue Dateien im großen Ordner.", "origin": "typed"})
    assert origins_after(*OFFERED, typed) == {
        "Die": "model", "neue": "alternative", "Dateien": "typed", "im": "model", "großen": "typed", "Ordner.": "term",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("origin", "name"),
    [
        ("typed", "typed"), ("restored", "typed"), ("case", "typed"), ("completion", "completion"),
        ("source", "source"), ("replace", "replaced"), ("propagated", "propagated"), ("memory", "memory"),
        ("unknown", "other"),
    ],
)  # fmt: skip
def test_each_origin_has_its_name(origin: str, name: str) -> None:
    assert origins_after(("edit", {"text": "ganz anders", "origin": origin})) == {"ganz": name, "anders": name}


def test_chosen_hypothesis_is_model_text_and_rest_keeps_earlier_words() -> None:
    taken = ("hypothesis_taken", {"text": "Eine neue Datei.", "origin": "hypothesis"})
    assert origins_after(*OFFERED, taken) == {"Eine": "model", "neue": "alternative", "Datei.": "pin"}
    typed = ("edit", {"text": "Unsere neue Datei", "origin": "typed"})
    rest = ("hypothesis_taken", {"text": "Unsere neue Datei liegt hier", "origin": "rest"})
    answer = ("decode_result", result(2, "Unsere neue Datei liegt hier"))
    assert origins_after(*OFFERED, typed, answer, rest) == {
        "Unsere": "typed", "neue": "alternative", "Datei": "pin", "liegt": "model", "hier": "model",
    }  # fmt: skip


MACHINE = "Die neue Datei im Ordner."


def change(event_type: str, offset: int, text: str, origin: str = "typed", **more: str) -> tuple[str, dict[str, Any]]:
    return event_type, {"offset": offset, "text": text, "origin": origin, **more}


@pytest.mark.parametrize(
    ("happenings", "expected", "why"),
    [
        ([("insert", 9, "rote ", {"before": MACHINE})],
         "Die:model neue:alternative rote:typed Datei:pin im:model Ordner.:term", "a word between two"),
        ([("insert", 14, "en", {"before": MACHINE})],
         "Die:model neue:alternative Dateien:typed im:model Ordner.:term", "letters at a word"),
        ([("insert", 0, MACHINE, {"removed": MACHINE})],
         "Die:typed neue:typed Datei:typed im:typed Ordner.:typed", "the same words, but the person wrote them"),
        ([("delete", 3, " neue", {"before": MACHINE})], "Die:model Datei:pin im:model Ordner.:term", "a word less"),
        ([("delete", 8, " ", {"before": MACHINE})], "Die:model neueDatei:typed im:model Ordner.:term", "two in one"),
        ([("insert", 6, " ", {"before": MACHINE})],
         "Die:model ne:typed ue:typed Datei:pin im:model Ordner.:term", "one in two"),
        ([("insert", 8, " ", {"before": MACHINE})],
         "Die:model neue:alternative Datei:pin im:model Ordner.:term", "nothing but space"),
        ([("paste", 25, " sehr schnell", {"before": MACHINE})],
         "Die:model neue:alternative Datei:pin im:model Ordner.:term sehr:pasted schnell:pasted", "from elsewhere"),
        ([("delete", 3, " neue Datei", {"before": MACHINE}), ("paste", 3, " neue Datei", {})],
         "Die:model neue:alternative Datei:pin im:model Ordner.:term", "cut and pasted again"),
        ([("delete", 3, " neue Datei", {"before": MACHINE}), ("paste", 14, " neue Datei", {})],
         "Die:model im:model Ordner.:term neue:alternative Datei:pin", "moved to the end"),
        ([("delete", 3, " neue Datei", {"before": MACHINE}), ("insert", 3, " neue Datei", {})],
         "Die:model neue:typed Datei:typed im:model Ordner.:term", "deleted and written again"),
        ([("insert", 0, "x ", {"before": "Was hier stand"})],
         "x:typed Was:other hier:other stand:other", "to a text that nobody proposed"),
    ],
)  # fmt: skip
def test_each_change_sets_the_origin_of_the_words_at_its_place(
    happenings: list[tuple[str, int, str, dict[str, str]]], expected: str, why: str
) -> None:
    origins = WordOrigins()
    for event in OFFERED:
        origins.add(*event)
    for event_type, offset, text, more in happenings:
        origins.add(*change(event_type, offset, text, "paste" if event_type == "paste" else "typed", **more))
    assert " ".join(f"{word}:{origin}" for word, origin in origins.words) == expected, why


def test_undo_and_redo_of_a_change_restore_word_origins() -> None:
    taken = [("hypothesis_taken", {"origin": "n-best", "rank": 1}),
             change("insert", 0, "Eine neue Datei.", "n-best", removed=MACHINE)]  # fmt: skip
    pasted = change("paste", 5, "alte ", "paste")
    machines = {"Eine": "model", "neue": "alternative", "Datei.": "pin"}
    undo = ("undo", {"text": "Eine neue Datei.", "origin": "undo"})
    redo = ("redo", {"text": "Eine alte neue Datei.", "origin": "redo"})
    assert origins_after(*OFFERED, *taken) == machines
    assert origins_after(*OFFERED, *taken, pasted) == machines | {"alte": "pasted"}
    assert origins_after(*OFFERED, *taken, pasted, undo) == machines
    assert origins_after(*OFFERED, *taken, pasted, undo, redo) == machines | {"alte": "pasted"}


@given(st.lists(st.tuples(st.integers(0, 20), st.integers(0, 6), WORDS, st.sampled_from(["typed", "paste", "case"]))))
def test_tracked_words_equal_the_words_of_the_text(changes: list[tuple[int, int, str, str]]) -> None:
    origins, text = WordOrigins("der Hund und die Katze"), "der Hund und die Katze"
    for at, count, new, origin in changes:
        start, stop = min(at, len(text)), min(at + count, len(text))
        for event in change_events([Change(start, text[start:stop], new, origin)]):
            origins.add(*event)
        text = text[:start] + new + text[stop:]
    assert [word for word, _ in origins.words] == text.split()
    assert origins.text == text


def test_events_stored_together_count_as_one_edit() -> None:
    happenings = [
        (0, "open", None, {}),
        (1, "insert", 0, {"offset": 0, "text": "ab", "origin": "typed"}),
        (1, "delete", 0, {"offset": 1, "text": "b", "origin": "typed"}),
        (2, "hypothesis_taken", 0, {"origin": "n-best", "rank": 0}),
        (2, "insert", 0, {"offset": 0, "removed": "a", "text": "c", "origin": "n-best"}),
        (3, "undo", 0, {"text": "a", "origin": "undo"}),
    ]
    events = [replace(event, segment_version=event.monotonic_ms or None) for event in events_of(happenings)]
    (segment,) = session_statistics(segments_of("One"), events).segments
    assert (segment.num_edits, segment.num_taken, segment.final_text) == (2, 1, "a")


def test_undo_restores_word_origins() -> None:
    typed = ("edit", {"text": "Die Datei.", "origin": "typed"})
    other = ("edit", {"text": "Ganz anders", "origin": "typed"})
    undo = ("undo", {"text": "Die Datei.", "origin": "undo"})
    assert origins_after(*OFFERED, typed, other, undo) == origins_after(*OFFERED, typed)
    assert origins_after(*OFFERED, typed, ("undo", {"text": None, "origin": "undo"})) == origins_after(*OFFERED)


def test_words_of_scripts_without_spaces_keep_their_origin() -> None:
    asked = [("pin", {"text": "文件", "origin": "person"}), ("decode_request", request(1, ("pin", "文件")))]
    answered = ("decode_result", result(1, "打开文件。", phrases=("文件",)))
    assert origins_after(*asked, answered) == {"打": "model", "开": "model", "文": "pin", "件。": "pin"}
    insert = {"text": "新", "offset": 2, "origin": "typed", "before": "打开文件。"}
    grown = origins_after(*asked, answered, ("insert", insert))
    assert grown == {"打": "model", "开": "model", "新": "typed", "文": "pin", "件。": "pin"}


def test_translations_of_the_file_have_the_origin_file() -> None:
    typed = ("edit", {"text": "Alter neuer Text", "origin": "typed"})
    assert origins_after(typed, given="Alter Text") == {"Alter": "file", "neuer": "typed", "Text": "file"}


@given(
    st.lists(
        st.tuples(st.sampled_from(["edit", "undo", "hypothesis_taken", "confirm"]), WORDS, st.sampled_from("ab")),
        max_size=12,
    )
)
def test_every_word_of_the_text_has_one_origin(changes: list[tuple[str, str, str]]) -> None:
    origins, text = WordOrigins(), ""
    for event_type, text, origin in changes:
        origins.add(event_type, {"text": text, "origin": origin})
    assert [word for word, _ in origins.words] == text.split()


# ---- all together ----


def figures() -> SessionStatistics:
    segments = [
        *segments_of("The new file in the folder.", "Close it.", "Never opened"),
        Segment(3, "Old", 0, 3, "Alt"),
    ]
    happenings = [
        (0, "open", None, {}),
        (5, "decode_result", 0, result(0, "Nie gesehen")),  # before the glossary: nobody saw it
        (10, "decode_request", 0, request(1, ("pin", "Datei"), ("term", "Ordner"))),
        (20, "decode_result", 0, result(1, "Neue Datei im Ordner.", phrases=("Datei", "Ordner"))),
        (1000, "focus", 0, {}),
        (2000, "key", 0, {"counts": {"character": 12, "delete": 3, "magic": 9}}),
        (3000, "edit", 0, {"text": "Die neue Datei im Ordner.", "origin": "typed"}),
        (3100, "pin", 0, {"text": "Datei", "origin": "person"}),
        (3200, "prices", 0, {"constraints": [{"text": "Datei", "price": 0.25}, {"text": "Ordner", "price": None}],
                             "avoid": [{"text": "Akte", "case": "exact", "price": "nan"}]}),
        (4000, "confirm", 0, {"text": "Die neue Datei im Ordner."}),
        (4000, "focus", 1, {}),
        (4100, "decode_result", 1, result(0, "Schließen.")),
        (6000, "confirm", 1, {"text": "Schließen."}),
        (6500, "reopen", 1, {}),
        (8000, "confirm", 1, {"text": "Schließen."}),
        (8000, "close", None, {}),
    ]  # fmt: skip
    return session_statistics(segments, events_of(happenings))


def test_session_statistics_equal_a_count_by_hand() -> None:
    found = figures()
    first, second, third, fourth = found.segments
    assert [segment.state for segment in found.segments] == ["confirmed", "confirmed", "new", "new"]
    assert (first.first_proposal, first.final_text) == ("Neue Datei im Ordner.", "Die neue Datei im Ordner.")
    assert (first.num_source_words, first.num_edits, first.num_pins, first.num_decodes) == (6, 1, 1, 1)
    assert first.effort is not None and (first.effort.num_edits, first.effort.num_words) == (1, 5)
    assert first.keys == {"character": 12, "delete": 3}
    assert first.origins == {"typed": 2, "pin": 1, "model": 1, "term": 1}
    assert (first.num_terms, first.num_terms_met) == (1, 1)
    assert [(p.kind, p.text, p.price) for p in first.prices] == [
        ("pin", "Datei", 0.25), ("term", "Ordner", None), ("ban", "Akte", None)
    ]  # fmt: skip
    assert (first.gross_ms, first.net_ms, second.net_ms) == (3000, 3000, 4000)
    assert (second.is_unchanged, second.num_reopened, first.is_unchanged) == (True, 1, False)
    assert (third.final_text, third.effort, third.first_opened_ms) == (None, None, None)
    assert fourth.final_text == "Alt"
    assert (found.num_confirmed, found.num_words_confirmed, found.num_words) == (2, 8, 11)
    assert (found.gross_ms, found.net_ms, found.median_ms) == (8000, 7000, 3500)
    assert found.words_per_hour is None, "7 seconds say nothing about the speed"
    assert found.hter == 1 / 6
    assert (found.num_unchanged, found.num_compared) == (1, 2)
    assert found.origins == {"typed": 2, "pin": 1, "model": 2, "term": 1}


def test_speed_is_shown_from_one_minute_on():
    assert words_per_hour(500, 500) is None, "segments that only had to be confirmed"
    assert words_per_hour(10, 59_999) is None
    assert words_per_hour(10, 60_000) == 600


@pytest.mark.parametrize(
    ("given", "changes", "started_from"),
    [
        (None, [("insert", {"offset": 0, "text": "Neu.", "origin": "typed"})], "model"),
        (None, [("insert", {"offset": 0, "text": "Alt", "origin": "memory", "state": "pretranslated"})], "memory"),
        (None, [("insert", {"offset": 0, "removed": "Neu.", "text": "Alt", "origin": "memory"})], "memory"),
        (None, [("edit", {"text": "Alt", "origin": "memory"})], "memory"),  # as older logs have it
        # A match put behind what stands there: the person goes on from that.
        (None, [("insert", {"offset": 4, "before": "Neu.", "text": " Alt", "origin": "memory"})], "model"),
        (None, [("edit", {"text": "Alt", "origin": "memory"}), ("undo", {"text": None, "origin": "undo"})], "model"),
        (
            None,
            [("edit", {"text": "Alt", "origin": "memory"}), ("undo", {"text": None, "origin": "undo"}),
             ("redo", {"text": "Alt", "origin": "redo"})],
            "memory",
        ),
        (
            None,
            [("edit", {"text": "Alt", "origin": "memory"}),
             ("insert", {"offset": 0, "removed": "Alt", "text": "Neu.", "origin": "n-best"})],
            "model",
        ),
        ("Alt", [("insert", {"offset": 3, "text": "es", "origin": "typed"})], "file"),
        ("Alt", [("edit", {"text": None, "origin": "undo"})], "model"),
    ],
)  # fmt: skip
def test_only_texts_started_from_the_proposal_are_compared_with_it(
    given: str | None, changes: list[tuple[str, dict[str, Any]]], started_from: str
) -> None:
    segment = Segment(0, "New.", 0, 4, given, "new" if given is None else "edited")
    happenings: list[EventRow] = [
        (0, "open", None, {}),
        (1, "focus", 0, {}),
        (2, "decode_result", 0, result(0, "Neu.")),
    ]
    happenings += [(number, name, 0, payload) for number, (name, payload) in enumerate(changes, 3)]
    happenings.append((99, "confirm", 0, {"text": "Alles neu."}))
    found = session_statistics([segment], events_of(happenings))
    (of_segment,) = found.segments
    assert of_segment.started_from == started_from
    is_compared = started_from == "model"
    assert (found.num_compared, of_segment.effort is not None, found.hter is not None) == (is_compared,) * 3


def test_confirmed_memory_match_is_not_an_unchanged_proposal() -> None:
    filled = {"offset": 0, "text": "Neu.", "origin": "memory", "state": "pretranslated"}
    happenings: list[EventRow] = [
        (0, "decode_result", 0, result(0, "Neu.")), (1, "insert", 0, filled), (2, "confirm", 0, {"text": "Neu."})
    ]  # fmt: skip
    found = session_statistics(segments_of("New."), events_of(happenings))
    assert (found.num_confirmed, found.num_unchanged, found.origins) == (1, 0, {"memory": 1})
