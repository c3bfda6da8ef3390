"""JSON views of answers: tokens and runs neither lose nor add text."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.glossary import Term, TermHit
from app.segments.proposal_view import (
    DecodingResult,
    aligned_words,
    free_row,
    hypothesis_rows,
    proposal_tokens,
    source_runs,
    word_confidences,
)
from app.segments.resolved_constraints import RequiredText, ResolvedConstraints
from app.text.words import word_spans
from engine import Hypothesis, ListedText, Placement, Request, Translation


def hypothesis(text: str, placements: tuple[Placement, ...] = (), score: float = -0.5) -> Hypothesis:
    return Hypothesis(text, score, score, (1,), (score,), ((0, len(text)),), placements)


def placed(phrase: int, text: str, form: str, *, from_: int = 0) -> Placement:
    start = text.index(form, from_)
    return Placement(phrase, form, start, start + len(form))


def test_text_copied_from_the_source_is_marked():
    text = "Siehe {1}%s{/1}."
    found = proposal_tokens(hypothesis(text, (placed(0, text, "%s"),)), [RequiredText("%s", is_kept=True)])
    expected = [{"t": "Siehe", "w": 0}, {"t": " "}, {"t": "{1}", "tag": True}, {"t": "%s", "w": 1, "kept": True}]
    assert found == [*expected, {"t": "{/1}", "tag": True}, {"t": "."}]
    runs = source_runs("See {1}%s{/1}", (), ())
    expected = [{"t": "See", "w": 0}, {"t": " "}, {"t": "{1}", "tag": True}, {"t": "%s", "w": 1, "kept": True}]
    assert runs == [*expected, {"t": "{/1}", "tag": True}]


@given(st.text(max_size=40), st.data())
def test_joined_tokens_are_the_text_and_cover_every_placement(text: str, data):
    placements = []
    for number in range(data.draw(st.integers(0, 3))):
        if not text:
            break
        start = data.draw(st.integers(0, len(text) - 1))
        end = data.draw(st.integers(start + 1, len(text)))
        placements.append(Placement(number, text[start:end], start, end))
    constraints = [RequiredText(placement.form, is_pinned=True) for placement in placements]
    tokens = proposal_tokens(hypothesis(text, tuple(placements)), constraints)
    assert "".join(token["t"] for token in tokens) == text
    numbers = [token["w"] for token in tokens if "w" in token]
    assert numbers == sorted(numbers)
    assert set(numbers) == set(range(len(word_spans(text))))
    covered = {i for p in placements for i in range(p.start, p.end)}
    position = 0
    for token in tokens:
        inside = set(range(position, position + len(token["t"])))
        assert ("pin" in token) == bool(inside) and inside <= covered if "pin" in token else not (inside & covered)
        position += len(token["t"])


def test_pin_inside_a_word_splits_it_and_both_parts_keep_its_number():
    text = "eine E-Mail senden"
    tokens = proposal_tokens(hypothesis(text, (placed(0, text, "Mail"),)), [RequiredText("Mail", is_pinned=True)])
    assert [(t["t"], t.get("w"), t.get("pin")) for t in tokens] == [
        ("eine", 0, None),
        (" ", None, None),
        ("E-", 1, None),
        ("Mail", 1, "Mail"),
        (" ", None, None),
        ("senden", 2, None),
    ]


def test_pin_inside_a_longer_pin_does_not_split_it():
    text = "Die Datei wurde geöffnet"
    whole = hypothesis(text, (placed(0, text, "Datei wurde geöffnet"), placed(1, text, "wurde")))
    constraints = [RequiredText(form, is_pinned=True) for form in ("Datei wurde geöffnet", "wurde")]
    pieces = [token for token in proposal_tokens(whole, constraints) if "pin" in token]
    assert "".join(token["t"] for token in pieces) == "Datei wurde geöffnet"
    assert {(token["pin"], token["at"]) for token in pieces} == {("Datei wurde geöffnet", 0)}
    rows = hypothesis_rows(
        DecodingResult(Translation(Request("x"), "complete", (whole,)), ResolvedConstraints(tuple(constraints)))
    )
    assert rows[0]["runs"] == [["s", "Die "], ["p", "Datei wurde geöffnet"]]


def test_words_of_lists_are_marked():
    text = "Den Lieferschein und die Ernte."
    listed = (ListedText("set_phrase", text[:16], 0, 16, (0, 17)), ListedText("lexicon", "Ernte", 25, 30, (22, 29)))
    tokens = proposal_tokens(replace(hypothesis(text), listed=listed), [])
    found = [(token["t"], token["listed"]) for token in tokens if "listed" in token]
    assert found == [("Den", "set_phrase"), ("Lieferschein", "set_phrase"), ("Ernte", "lexicon")]


def test_term_is_marked_once_at_its_end_and_is_not_a_pin():
    text = "Der neue Router"
    tokens = proposal_tokens(
        hypothesis(text, (placed(0, text, "neue Router"),)), [RequiredText("neue Router", term_keys=("k",))]
    )
    assert [token["t"] for token in tokens if "terms" in token] == ["Router"]
    assert "".join(token["t"] for token in tokens if "is_term" in token) == "neue Router"
    assert all("pin" not in token for token in tokens)


def test_joined_runs_are_the_hypothesis_with_constraints_and_differences_marked():
    best, second = "Das WLAN ist jetzt an", "Das WLAN ist nun an"
    decoded = DecodingResult(
        Translation(
            Request("x"),
            "complete",
            (hypothesis(best, (placed(0, best, "WLAN"),)), hypothesis(second, (placed(0, second, "WLAN"),), -0.75)),
        ),
        ResolvedConstraints((RequiredText("WLAN", term_keys=("k",)),)),
    )
    rows = hypothesis_rows(decoded)
    assert rows[0]["runs"] == [["s", "Das "], ["t", "WLAN"], ["s", " ist jetzt an"]]
    assert rows[1]["runs"] == [["s", "Das "], ["t", "WLAN"], ["s", " ist "], ["d", "nun"], ["s", " an"]]
    assert [row["score_difference"] for row in rows] == [0, -0.25]
    priced = hypothesis(best, score=-0.75)
    free = free_row(decoded, hypothesis("Das Netz ist an", score=-0.25), priced)
    assert free is not None
    assert free["score_difference"] == 0.5, "better than the constrained translation that it was priced against"
    assert "".join(text for kind, text in free["runs"] if kind != "x") == free["text"] == "Das Netz ist an"
    assert ["d", "Netz"] in free["runs"]
    assert free_row(DecodingResult(Translation(Request("x"), "infeasible")), hypothesis("x"), priced) is None


def test_scores_of_rows_fall_with_their_rank_where_changes_to_a_previous_text_count():
    near, far = hypothesis("Das Netz ist an", score=-0.75), hypothesis("Das WLAN geht", score=-0.25)
    far = replace(far, change_penalty=4.0, score_penalty=1.0)
    near_row, far_row = hypothesis_rows(DecodingResult(Translation(Request("x"), "complete", (near, far))))
    assert (near_row["score"], near_row["penalty"], near_row["score_difference"]) == (-0.75, 0.0, 0.0)
    assert (far_row["score"], far_row["penalty"], far_row["score_difference"]) == (-1.25, 1.0, -0.5)


@given(st.lists(st.text("ab .,!", max_size=30), min_size=1, max_size=4))
def test_runs_contain_the_whole_text_except_for_omitted_parts(texts: list[str]):
    decoded = DecodingResult(Translation(Request("x"), "complete", tuple(hypothesis(text) for text in texts)))
    for row in hypothesis_rows(decoded):
        assert row["text"] == "".join(text for kind, text in row["runs"] if kind != "x")


DIFFERENCES = [
    # best, another, runs of the other, why
    ("Es geht nun gut.", "Es geht gut.", [["s", "Es geht"], ["x", " nun"], ["s", " gut."]], "a word is left out"),
    ("Nun geht es.", "geht es.", [["x", "Nun "], ["s", "geht es."]], "the first word is left out"),
    ("Es geht.", "Es geht", [["s", "Es geht"], ["x", "."]], "the full stop is left out"),
    ("Es geht", "Es geht!", [["s", "Es geht"], ["d", "!"]], "a mark is added"),
    ("Ja, es geht.", "Ja: es geht.", [["s", "Ja"], ["d", ":"], ["s", " es geht."]], "another mark"),
    ("Geh!", "Geh", [["s", "Geh"], ["x", "!"]], "only the mark is left out"),
    ("a/b", "a/b", [["s", "a/b"]], "marks inside a word are part of it"),
    ("{1}Netz{/1} aus.", "{1}Netz{/1}.", [["s", "{1}Netz{/1}"], ["x", " aus"], ["s", "."]], "a tag is not cut"),
]


@pytest.mark.parametrize(("best", "text", "runs", "why"), DIFFERENCES)
def test_words_and_marks_that_are_left_out_are_marked(best: str, text: str, runs: list[list[str]], why: str):
    decoded = DecodingResult(Translation(Request("x"), "complete", (hypothesis(best), hypothesis("-"))))
    free = free_row(decoded, hypothesis(text), hypothesis(best))
    assert free is not None
    assert free["runs"] == runs, why


def test_pins_terms_and_copied_texts_have_marks_of_their_own():
    text = "Das WLAN %s ist an"
    whole = hypothesis(text, (placed(0, text, "WLAN"), placed(1, text, "%s"), placed(2, text, "an")))
    constraints = (RequiredText("WLAN", term_keys=("k",)), RequiredText("%s"), RequiredText("an", is_pinned=True))
    (row,) = hypothesis_rows(
        DecodingResult(Translation(Request("x"), "complete", (whole,)), ResolvedConstraints(constraints))
    )
    assert [run for run in row["runs"] if run[0] != "s"] == [["t", "WLAN"], ["k", "%s"], ["p", "an"]]


def test_source_runs_separate_its_terms():
    source = "Restart the old router."
    hit = TermHit(Term("old router", "Altgerät"), 12, 22)
    assert source_runs(source, (hit,), ["k"]) == [
        {"t": "Restart", "w": 0},
        {"t": " "},
        {"t": "the", "w": 1},
        {"t": " "},
        {"t": "old", "w": 2, "term": "k", "at": 0},
        {"t": " ", "term": "k", "at": 0},
        {"t": "router", "w": 3, "term": "k", "at": 0},
        {"t": "."},
    ]


@given(st.text("ab .,-😀", max_size=30), st.data())
def test_source_runs_join_to_the_source_and_number_its_words(source: str, data: st.DataObject):
    edges = sorted(data.draw(st.sets(st.integers(0, len(source)), max_size=6)))
    hits = [TermHit(Term("x", "y"), *edges[i : i + 2]) for i in range(0, len(edges) - 1, 2)]
    runs = source_runs(source, hits, ["k"] * len(hits))
    assert "".join(run["t"] for run in runs) == source
    for number, (start, end) in enumerate(word_spans(source)):
        assert "".join(run["t"] for run in runs if run.get("w") == number) == source[start:end]
    for number, hit in enumerate(hits):
        assert "".join(run["t"] for run in runs if run.get("at") == number) == source[hit.start : hit.end]


ALIGNED = [
    # source, proposal, spans that the engine aligns, pairs of word numbers, why
    ("Go on.", "Weiter.", [(0, 2, 0, 6), (3, 5, 0, 6)], [(0, 0), (1, 0)], "two words for one"),
    ("😀 Go, now", "„Jetzt“ 😀", [(2, 4, 1, 6), (0, 1, 8, 9)], [(0, 1), (1, 0)], "offsets are code points"),
    ("Go.", "Los.", [(0, 2, 0, 3), (2, 3, 3, 4)], [(0, 0)], "punctuation is not a word"),
    ("well-known", "gut bekannt", [(0, 4, 0, 3), (5, 10, 4, 11)], [(0, 0), (0, 1)], "parts of one word"),
    ("Go", "Los", [], [], "the model cannot tell"),
]


@pytest.mark.parametrize(("source", "text", "spans", "pairs", "why"), ALIGNED)
def test_aligned_words_are_pairs_of_word_numbers(source, text, spans, pairs, why: str):
    assert aligned_words(source, replace(hypothesis(text), alignment=tuple(spans))) == pairs, why


def test_adjacent_different_words_are_one_run():
    best, second = "Berechtigungen bleiben bestehen.", "Sie behalten ihre Rechte bis zum Ablauf."
    decoded = DecodingResult(Translation(Request("x"), "complete", (hypothesis(best), hypothesis(second))))
    assert hypothesis_rows(decoded)[1]["runs"] == [["d", second.removesuffix(".")], ["s", "."]]


def test_word_confidence_is_the_product_of_its_pieces_without_the_end():
    text = "Die E-Mail-Adresse, bitte!"
    pieces = [
        ("Die", 0.9),
        (" E-", 0.5),
        ("Mail", 0.8),
        ("-Adr", 0.5),
        ("esse,", 0.5),
        (" bit", 0.2),
        ("te", 1.0),
        ("!", 0.1),
    ]
    spans, end = [], 0
    for piece, _ in pieces:
        spans.append((end, end + len(piece)))
        end += len(piece)
    log_probs = [math.log(probability) for _, probability in pieces]
    found = Hypothesis(text, -1.0, -1.0, tuple(range(9)), (*log_probs, math.log(0.01)), (*spans, (end, end)))
    assert "".join(piece for piece, _ in pieces) == text
    assert word_confidences(found) == [0.9, 0.1, 0.2]  # 0.5 * 0.8 * 0.5 * 0.5; the mark "!" is a piece of its own
    assert word_confidences(hypothesis("")) == []


JUNK_CASES = [
    ("Die Datei. Dialog", True, "the constraint stands alone behind the final stop"),
    ("Die Datei Dialog..", True, "a doubled stop"),
    ("Die Datei Datei Dialog.", True, "a doubled word"),
    ("Die Datei. Der Dialog.", False, "another sentence"),
    ("Den Dialog und die Datei.", False, "another translation"),
    ("Die Datei Dialog ...", True, "an ellipsis that the source lacks"),
    ("Die Datei. (Dialog", True, "the same behind a bracket"),
    ("Die Datei Dialog... Sie", True, "a word that begins another sentence"),
    ("Der Dialog ist in Nr. Datei", False, "a stop that ends no sentence, before a word of the best"),
    ("Dialog im Sinne von Abs. 3 der Norm", False, "the same with more words"),
]


@pytest.mark.parametrize(("text", "is_junk", "why"), JUNK_CASES)
def test_hypotheses_that_add_only_junk_to_a_better_one_are_not_listed(text: str, is_junk: bool, why: str):
    best = hypothesis("Die Datei Dialog.", (placed(0, "Die Datei Dialog.", "Dialog"),))
    other = hypothesis(text, (placed(0, text, "Dialog"),), -0.6)
    last = hypothesis("Der Dialog.", (placed(0, "Der Dialog.", "Dialog"),), -0.7)
    answer = Translation(Request("The file"), "complete", (best, other, last))
    ranks = [
        row["rank"]
        for row in hypothesis_rows(
            DecodingResult(answer, ResolvedConstraints((RequiredText("Dialog", is_pinned=True),)))
        )
    ]
    assert ranks == ([0, 2] if is_junk else [0, 1, 2]), why


def test_hypotheses_far_less_likely_than_the_best_are_not_listed():
    best, near, far = (hypothesis(text, score=-0.5) for text in ("Die Datei.", "Eine Datei.", "Die Datei. Die Datei."))
    answer = (replace(best, log_prob=-2.0), replace(far, log_prob=-14.5), replace(near, log_prob=-13.5))
    rows = hypothesis_rows(DecodingResult(Translation(Request("The file"), "complete", answer)))
    assert [row["rank"] for row in rows] == [0, 2]


MISPLACED_CASES = [
    (Placement(0, "Kennwort", 4, 12, aligned=True), Placement(0, "Kennwort", 13, 21, aligned=True), True),
    (Placement(0, "Kennwort", 4, 12, aligned=True), Placement(0, "Kennwort", 13, 21, True, ((4, 12),)), False),
    (Placement(0, "Kennwort", 4, 12, aligned=True), Placement(0, "Kennwort", 13, 21, aligned=False), False),
    (Placement(0, "Kennwort", 4, 12, aligned=False), Placement(0, "Kennwort", 13, 21, True, ((4, 12),)), True),
    (Placement(0, "Kennwort", 4, 12), Placement(0, "Kennwort", 13, 21), True),
]


@pytest.mark.parametrize(("in_best", "in_other", "is_listed"), MISPLACED_CASES)
def test_hypotheses_with_more_misplaced_phrases_than_the_best_are_not_listed(
    in_best: Placement, in_other: Placement, is_listed: bool
):
    best = hypothesis("Das Kennwort ändern.", (in_best,))
    other = hypothesis("Das Passwort Kennwort ändern.", (in_other,), -0.6)
    answer = Translation(Request("Change the password"), "complete", (best, other))
    rows = hypothesis_rows(DecodingResult(answer, ResolvedConstraints((RequiredText("Kennwort", is_pinned=False),))))
    assert len(rows) == 1 + is_listed
