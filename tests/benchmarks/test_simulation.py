"""The simulated translator: effort counted by hand, every way of working ends in the goal, the same figures again."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from app.workspace.model_questions import COMPLETION_STRENGTH
from benchmarks.simulation.__main__ import calibration, main
from benchmarks.simulation.breakdown import acts_of, breakdown
from benchmarks.simulation.completing import Completing, predictions, ways_of_completing
from benchmarks.simulation.data import detokenised, read_documents, read_post_edits
from benchmarks.simulation.decoding import Engine
from benchmarks.simulation.effort import Effort
from benchmarks.simulation.protocols import (
    Pin,
    PostEditing,
    ReplaceSelection,
    Segment,
    State,
    Typing,
    effort_of,
    free_hypotheses,
    post_editing,
    relocated,
    run_of,
    ways_of_working,
    word_prediction,
)
from benchmarks.simulation.redecoding import KINDS, chosen_words, read_ahead, redecode, with_source_spans
from benchmarks.simulation.report import write_report
from benchmarks.simulation.requesters import REQUESTERS, Correction, OneRequest, Situation
from benchmarks.simulation.statistics import bleu, bleu_gain, ratio
from benchmarks.simulation.suggestions import Chips, Glancing
from benchmarks.simulation.words import edits, num_changed, num_wrong, put_in, right_words, words_of
from engine import Alternative, Follow, Hypothesis, Request, SearchOptions, Translation, Translator

KEPT = Path(__file__).resolve().parents[2] / "benchmarks" / "results" / "simulation"
SEEN = "Der Hund, der seit Jahren dort wohnt, geht jeden einzelnen Morgen pünktlich nach Haus."
GOAL = "Der alte Hund, der seit Jahren dort wohnt, läuft jeden einzelnen Morgen pünktlich nach Hause."
ALTE = SEEN.replace("Der Hund", "Der alte Hund")  # after the first edit; the others are "läuft" and "Hause"


class ScriptedModel:
    """Answers with the first of its sentences that has what the request requires and lacks what it bans."""

    def __init__(self, *sentences: str) -> None:
        self.sentences = sentences
        self.requests: list[Request] = []

    def translate(self, request: Request, options: SearchOptions) -> Translation:
        self.requests.append(request)
        required = [*(phrase.text for phrase in request.phrases), *request.locked]
        found = [
            sentence
            for sentence in self.sentences
            if sentence.startswith(request.prefix)
            and sentence.endswith(request.suffix)
            and all(text in sentence for text in required)
            and not any(avoid.text in sentence.split() for avoid in request.avoid)
        ]
        hypotheses = tuple(Hypothesis(sentence, -1.0, -1.0, (), (), ()) for sentence in found)
        return Translation(request, "complete" if found else "infeasible", hypotheses)

    def translate_all(self, requests: Sequence[Request], options: SearchOptions) -> Iterator[Translation]:
        return (self.translate(request, options) for request in requests)

    def alternatives(self, *arguments: object) -> Sequence[object]:
        return ()


class UncertainModel(ScriptedModel):
    """Finds all of its sentences unlikely."""

    def translate(self, request: Request, options: SearchOptions) -> Translation:
        found = super().translate(request, options)
        likely = [replace(one, token_log_probs=(-3.0,), token_spans=((0, len(one.text)),)) for one in found.hypotheses]
        return replace(found, hypotheses=tuple(likely))


class DoubtingModel(ScriptedModel):
    """Doubts two words of its sentence, and has another for each."""

    def __init__(self) -> None:
        super().__init__(SEEN)
        words = words_of(SEEN)
        self.hypothesis = Hypothesis(
            SEEN,
            -1.0,
            -1.0,
            tuple(range(len(words))),
            tuple(-2.0 if word.text in ("geht", "Jahren") else -0.1 for word in words),
            tuple((word.start, word.end) for word in words),
        )

    def translate(self, request: Request, options: SearchOptions) -> Translation:
        return Translation(request, "complete", (self.hypothesis,))

    def alternatives(
        self, request: Request, hypothesis: Hypothesis, offset: int, count: int, options: SearchOptions
    ) -> Sequence[Alternative]:
        old, new = ("geht", "läuft") if SEEN.startswith("geht", offset) else ("Jahren", "Tagen")
        text = SEEN.replace(old, new)
        return [
            Alternative("rare", -5.0, Hypothesis(SEEN.replace(old, "rare"), -1.0, -1.0, (), (), ())),
            Alternative(new, -1.0, Hypothesis(text, -1.0, -1.0, (), (), ())),
        ]


def engine_of(*sentences: str) -> Engine:
    return Engine(ScriptedModel(*sentences), SearchOptions(), is_waiting_counted=False)


SEGMENT = Segment("The old dog walks home.", GOAL, "en-de")


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("gleich", "gleich", Effort()),
        ("Die Datei", "Die Dateien", Effort(clicks=1, keys=2, hand_moves=2, decisions=1)),  # click behind Datei, "en"
        ("Die Datei", "Die große Datei", Effort(clicks=1, keys=6, hand_moves=2, decisions=1)),  # "große" and a space
        ("Die große Datei", "Die Datei", Effort(selections=1, keys=1, hand_moves=2, decisions=1)),  # select, delete
        ("Der Hund", "Die Katze", Effort(selections=1, keys=8, hand_moves=2, decisions=1)),  # "ie Katze" over "er Hund"
        ("a b c", "x b y", Effort(selections=2, keys=2, hand_moves=4, decisions=2)),  # the right word is not typed
        ("", "Ja", Effort(clicks=1, keys=2, hand_moves=2, decisions=1)),
    ],
)
def test_effort_of_post_editing_equals_the_count_by_hand(old, new, expected):
    assert post_editing(old, new) == expected


def test_seconds_follow_the_keystroke_level_model():
    one = Effort(clicks=1, selections=2, keys=10, hand_moves=2, decisions=1, words_read=4, waiting_s=0.5)
    assert one.actions == 13
    assert one.seconds == pytest.approx(3 * 1.1 + 10 * 0.2 + 2 * 0.4 + 1.2 + 4 * 0.25 + 0.5)
    assert one + one == Effort(2, 4, 20, 4, 2, 8, 1.0)


def test_effort_of_taking_grey_words_equals_the_count_by_hand():
    free, goal = "Der Hund geht nach Hause.", "Der Hund läuft nach Hause."
    way = Completing("grey", is_known_free=True)
    segment = Segment("The dog walks home.", goal, "en-de")
    # Two keys turn all grey, two take "Der Hund"; space and "l" are typed; "läuft" is read, and one key takes the rest.
    expected = Effort(keys=2 + 2 + 2 + 1, decisions=2, words_read=1)
    assert effort_of(way, segment, engine_of(free, goal), is_oracle=False) == expected
    # With a decision for each stretch, typing eight letters takes as long as taking them.
    (state,) = Completing("grey").states(segment, engine_of(free, goal), is_oracle=False)
    assert state == State(goal, Effort(keys=2 + len("Der Hund l") + 1, decisions=2, words_read=1))


def test_grey_words_are_read_only_where_the_rule_of_the_app_shows_them():
    way, segment = Completing("grey", is_known_free=True), Segment("The dog walks home.", "Der Hund läuft.", "en-de")
    engine = Engine(UncertainModel("Der Hund geht.", "Der Hund läuft."), SearchOptions(), is_waiting_counted=False)
    (state,) = way.states(segment, engine, is_oracle=False)
    assert state.effort == Effort(keys=2 + 2 + len(" läuft."), decisions=1)
    assert list(replace(way, least_edits=2).states(segment, engine, is_oracle=False)) == [], "one edit is made by hand"


def test_grey_completion_asks_near_to_the_proposal_and_not_for_letters_typed_as_foreseen():
    free, goal = "Der Hund geht nach Hause.", "Der Hund läuft nach Hause."
    for model in (ScriptedModel(free, goal), UncertainModel(free, goal)):
        engine = Engine(model, SearchOptions(), is_waiting_counted=False)
        effort_of(Completing("grey"), Segment("The dog walks home.", goal, "en-de"), engine, is_oracle=False)
        asked = [(request.prefix, request.follow) for request in model.requests if request.prefix]
        assert asked == [("Der Hund l", Follow(free, COMPLETION_STRENGTH))], "with and without an offer"


def test_foreseen_words_are_right_if_the_goal_has_them():
    free, goal = "Der Hund geht nach Hause.", "Der Hund rannte nach Hause."
    segment, model = Segment("The dog ran home.", goal, "en-de"), UncertainModel(free, goal)
    found = predictions(segment, Engine(model, SearchOptions(), is_waiting_counted=False))
    # At the beginning of "Hund" two words are foreseen, "geht" wrongly; as all are unlikely, none is behind the first.
    assert [(one.kind, one.is_right) for one in found] == [
        ("next", True),  # Hund
        ("begun", True),  # H
        ("begun", True),  # Hu
        ("next", False),  # geht
        *[("begun", True)] * 2,  # r, ra
        *[("next", True), *[("begun", True)] * 2] * 2,  # nach, Hause
    ]
    assert {round(one.probability, 3) for one in found} == {0.05}
    sure = predictions(segment, engine_of(free, goal))
    assert [one.is_right for one in sure if one.kind == "later"][:1] == [False], "geht behind Hund"
    assert calibration(found * 2)["begun"] == [[0.05, 1.0, 16], *[None] * 9], "in the tenth from 0 to 0.1"
    assert calibration(found)["next"] == [None] * 10, "a share of so few words says little"


def random_text(rng: random.Random) -> str:
    words = [rng.choice(["a", "b", "ab", "Haus", "Häuser", ",", "E-Mail", "12.5"]) for _ in range(rng.randint(0, 9))]
    return "".join(word + rng.choice(["", " ", " ", " "]) for word in words).strip()


@pytest.mark.parametrize("seed", range(200))
def test_edits_made_in_turn_give_the_goal(seed):
    rng = random.Random(seed)
    old, new = random_text(rng), random_text(rng)
    text = old
    for edit in edits(old, new):
        text = edit.applied_to(text)
        assert text[edit.phrase_start :].startswith(edit.phrase)
        assert text[: edit.phrase_start] == new[: edit.phrase_start]
    assert text == new
    assert (post_editing(old, new) == Effort()) == (old == new)
    assert num_wrong(old, new) >= len(right_words(new, new)) - len(right_words(old, new)) - new.count(",")


@pytest.mark.parametrize("seed", range(100))
def test_all_missing_words_put_in_by_hand_give_the_words_of_the_goal(seed):
    rng = random.Random(seed)
    old, new = random_text(rng), random_text(rng)
    goals = words_of(new)
    placed = put_in(old, new, range(len(goals)))
    assert set(right_words(placed.text, new)) == set(range(len(goals)))
    for j, (start, end) in placed.spans.items():
        assert placed.text[start:end] == goals[j].text


def test_missing_phrase_is_found_behind_a_longer_missing_word():
    assert run_of("neu", "Das Haus", "Das Gebäude Haus neu") == [3]


def test_words_put_in_by_hand_replace_the_wrong_words():
    placed = put_in(SEEN, GOAL, [10])
    assert placed.text == SEEN.replace("geht", "läuft")
    assert placed.replaced == {10: ("geht",)}
    assert put_in(SEEN, GOAL, [1]).text == ALTE
    assert (num_wrong(SEEN, GOAL), num_changed(SEEN, GOAL)) == (3, 3)


class TestProtocols:
    def test_text_that_is_right_takes_no_effort(self):
        engine = engine_of(GOAL)
        for way in [*ways_of_working(list(REQUESTERS.values())), *ways_of_completing()]:
            for is_oracle in (False, True):
                assert effort_of(way, SEGMENT, engine, is_oracle) == Effort(), way.name

    def test_every_way_of_working_ends_in_the_goal(self):
        engine = engine_of(SEEN, "Ein Hund läuft nach Hause.", ALTE.replace("geht", "läuft"))
        for way in ways_of_working([REQUESTERS[name] for name in ("phrases", "order", "prefix")]):
            for is_oracle in (False, True):
                *_, last = State(SEEN), *way.states(SEGMENT, engine, is_oracle)
                text = last.text
                for edit in edits(text, GOAL):
                    text = edit.applied_to(text)
                assert text == GOAL, way.name
                assert effort_of(way, SEGMENT, engine, is_oracle).actions > 0

    def test_person_with_hindsight_needs_at_most_the_time_of_both_choices(self):
        engine = engine_of(SEEN, "Ein Hund läuft nach Hause.", ALTE.replace("geht", "läuft"), "Der alte Hund.")
        plain = effort_of(PostEditing(), SEGMENT, engine, is_oracle=False).seconds
        for way in ways_of_working([REQUESTERS[name] for name in ("phrases", "order", "prefix")]):
            naive, oracle = (effort_of(way, SEGMENT, engine, is_oracle).seconds for is_oracle in (False, True))
            assert oracle <= min(naive, plain) + 1e-9, way.name

    def test_pin_costs_pointing_typing_and_reading_the_changes(self):
        engine = engine_of(SEEN, SEEN.replace("Der Hund", "Ein Hund").replace("geht", "läuft"))
        (state,) = Pin("pin", REQUESTERS["phrases"]).states(SEGMENT, engine, False)
        assert state.text.startswith("Ein Hund") and "läuft" in state.text
        # "läuft" is the longest missing word: five letters and Enter; "Ein" is read, "läuft" was typed.
        assert state.effort == Effort(clicks=1, keys=6, hand_moves=2, decisions=1, words_read=1)

    def test_phrase_typed_over_a_selection_is_put_in_the_place_of_the_selected_words(self):
        engine = engine_of(SEEN, SEEN.replace("geht", "läuft"))
        (state,) = ReplaceSelection("replace", REQUESTERS["order"]).states(SEGMENT, engine, False)
        request = engine.translator.requests[-1]
        assert (request.locked, [avoid.text for avoid in request.avoid]) == (("läuft",), ["geht"])
        assert state.effort == Effort(selections=1, keys=6, hand_moves=2, decisions=1)

    def test_pins_go_to_the_engine_as_phrases(self):
        engine = engine_of(SEEN)
        list(Pin("pins", REQUESTERS["phrases"], num_pins=3).states(SEGMENT, engine, False))
        assert [phrase.text for phrase in engine.translator.requests[-1].phrases] == ["läuft", "Hause", "alte"]

    def test_typed_correction_offers_the_rest_and_one_key_takes_it(self):
        engine = engine_of(SEEN, GOAL)
        (state,) = Typing("typing", REQUESTERS["order"]).states(SEGMENT, engine, False)
        assert state.text == GOAL
        # "alte " is typed; "läuft" and "Hause" are read, one decision and one key take both.
        typed = Effort(clicks=1, keys=5, hand_moves=2, decisions=1)
        assert state.effort == typed + Effort(keys=1, decisions=1, words_read=2)

    def test_offer_that_spoils_more_than_it_mends_is_read_and_ignored(self):
        engine = engine_of(SEEN, "Die alte Katze ging heim und blieb seit Jahren dort.")
        typing, plain = Typing("typing", REQUESTERS["order"]), effort_of(PostEditing(), SEGMENT, engine, False)
        naive, oracle = (effort_of(typing, SEGMENT, engine, is_oracle) for is_oracle in (False, True))
        assert naive.actions == plain.actions and naive.seconds > plain.seconds
        assert oracle == plain

    def test_single_changes_of_an_offer_are_taken_one_by_one(self):
        engine = engine_of(SEEN, ALTE.replace("geht", "läuft").replace("Haus", "Berlin"))
        offers = Typing("typing", REQUESTERS["order"], "parts").states(SEGMENT, engine, False)
        assert next(offers).text == ALTE.replace("geht", "läuft"), "Berlin is not taken"

    def test_typed_words_are_never_touched_by_an_offer(self):
        situation = Situation("s", "en-de", SEEN, ALTE, (Correction("alte", 4, 8),))
        assert relocated(situation, SEEN.replace("Hund", "Hund alt")) is None
        assert relocated(situation, "Da " + ALTE) == (Correction("alte", 7, 11),)

    def test_change_is_read_and_taken_only_where_an_edit_is_due(self):
        spoilt = GOAL.replace("Jahren", "Tagen")  # a change where all is right is not looked at
        engine = engine_of(SEEN, spoilt, GOAL)
        (state,) = Glancing("glance", REQUESTERS["behind, follow 1"]).states(SEGMENT, engine, False)
        typed = Effort(clicks=1, keys=5, hand_moves=2, decisions=1)  # "alte "
        assert state == State(GOAL, typed + Effort(decisions=2, keys=2, words_read=2))  # "läuft" and "Hause" by a key
        request = engine.translator.requests[-1]
        assert (request.prefix, request.locked, request.follow) == ("Der alte ", (), Follow(ALTE, 1.0))

    def test_chip_is_offered_at_a_doubtful_word_and_taken_if_it_is_right(self):
        way, engine = Chips("chips"), Engine(DoubtingModel(), SearchOptions(), is_waiting_counted=False)
        (state,) = way.states(SEGMENT, engine, False)
        assert state.text == SEEN.replace("geht", "läuft")
        assert state.effort == Effort(decisions=1, keys=1, words_read=2), "the chip at Jahren is read for nothing"
        (glanced,) = Chips("chips", is_glancing=True).states(SEGMENT, engine, False)
        assert glanced.effort == Effort(decisions=1, keys=1, words_read=1)
        assert [chip.new for chip in way.chips(SEGMENT, engine, free_hypotheses(SEGMENT, engine)[0])] == [
            "Tagen",
            "läuft",
        ]

    def test_breakdown_of_a_pin_adds_up_to_its_time_over_post_editing(self):
        engine = engine_of(SEEN, SEEN.replace("Der Hund", "Ein Hund").replace("geht", "läuft"))
        way = Pin("pin", REQUESTERS["phrases"])
        (act,) = acts_of(way, SEGMENT, engine)
        # Two keys more than by hand: Enter, and the "t" that both words end with. "Ein" is read and mended again.
        assert (act.gesture_s, act.reading_s) == pytest.approx((0.4, 0.25))
        mended = [post_editing(text, "Der alte Hund").seconds for text in ("Ein Hund", "Der Hund")]
        assert act.spoilt_s == pytest.approx(mended[0] - mended[1])
        assert (act.won_s, act.outcome) == (0, "spoils")
        over = [effort_of(one, SEGMENT, engine, False).seconds for one in (way, PostEditing())]
        assert act.seconds == pytest.approx(over[0] - over[1])
        parts = breakdown([act, act], 10.0)
        assert parts["outcomes"] == {"spoils": {"number": 2, "seconds": round(act.seconds / 5, 4)}}

    @pytest.mark.parametrize("offer", ["replaced", "whole", "parts"])
    def test_breakdown_of_typing_adds_up_to_its_time_over_post_editing(self, offer):
        engine = engine_of(SEEN, "Die alte Katze ging heim und blieb seit Jahren dort.", ALTE.replace("geht", "läuft"))
        way = Typing("typing", REQUESTERS["order"], offer)
        over = [effort_of(one, SEGMENT, engine, False).seconds for one in (way, PostEditing())]
        assert sum(act.seconds for act in acts_of(way, SEGMENT, engine)) == pytest.approx(over[0] - over[1])

    def test_right_one_of_the_places_that_the_engine_offers_is_taken(self):
        translator = Translator.load("data/models/en-de")
        source, seen = "The file could not be opened today.", "Die Datei konnte heute nicht geöffnet werden."
        offered = translator.places(Request(source, phrases=["leider"], follow=Follow(seen)), count=3)
        situation = Situation(source, "en-de", seen, seen, (Correction("leider"),), goal=offered[2].text)
        engine = Engine(translator, SearchOptions(beam=2))
        for count, expected in ((1, offered[0]), (3, offered[2])):
            text, _ = REQUESTERS[f"places, {count}"].propose(situation, engine)
            assert text == expected.text

    def test_corrections_go_to_the_engine_in_order_and_replaced_words_are_banned(self):
        text = "Der alte Hund läuft nach Haus."
        corrections = (Correction("läuft", 14, 19, ("geht",)), Correction("alte", 4, 8))
        situation = Situation("s", "en-de", "Der Hund geht nach Haus.", text, corrections)
        request = REQUESTERS["order"].request(situation)
        assert (request.locked, [avoid.text for avoid in request.avoid]) == (("alte", "läuft"), ["geht"])
        touching = replace(situation, corrections=(Correction("Hund", 9, 13), *corrections))
        assert REQUESTERS["order"].request(touching).locked == ("alte Hund läuft",)
        assert REQUESTERS["prefix"].request(situation).prefix == "Der alte Hund läuft "
        followed = REQUESTERS["order, follow 2"].request(situation)
        assert (followed.locked, followed.follow) == (request.locked, Follow(text, 2.0, places_phrases=False))

    def test_words_predicted_right_follow_the_goal(self):
        assert word_prediction(SEGMENT, engine_of(GOAL)) == (15, 15)
        # After "Der" the model has no "alte", after "Der alte " all but "läuft" and "Hause.".
        assert word_prediction(SEGMENT, engine_of(SEEN, ALTE, ALTE.replace("geht", "läuft"))) == (12, 15)


class TestRedecoding:
    def test_words_lost_and_won_are_counted_in_the_goal(self):
        answer = SEEN.replace("Der Hund", "Ein Hund").replace("geht", "läuft").replace("Haus", "Hause")
        seed = next(seed for seed in range(99) if chosen_words("missing1", SEGMENT, SEEN, seed) == [10])
        one = redecode("missing1", SEGMENT, REQUESTERS["phrases"], engine_of(SEEN, answer), seed)
        assert (one.is_met, one.is_placed) == (True, True)
        assert (one.num_right, one.num_spoilt, one.num_won) == (15, 1, 1), "Der is lost, Hause is won, läuft was given"
        assert one.by_hand == SEEN.replace("geht", "läuft")

    @pytest.mark.parametrize("kind", KINDS)
    def test_given_words_depend_on_the_seed_alone(self, kind):
        drawn = [chosen_words(kind, SEGMENT, SEEN, seed) for seed in (1, 1, 2, 3, 4, 5)]
        assert drawn[0] == drawn[1]
        assert all(0 <= j < len(words_of(GOAL)) for chosen in drawn for j in chosen)

    def test_decoding_together_gives_the_answers_of_one_by_one(self):
        alone, together = engine_of(SEEN, GOAL), engine_of(SEEN, GOAL)
        ways = [requester for requester in REQUESTERS.values() if isinstance(requester, OneRequest)]
        requesters = [requester for requester in ways if not requester.needs_source]  # the stand-in does not align
        read_ahead(list(KINDS), SEGMENT, requesters, together, 1)
        num_requests = len(together.translator.requests)
        for kind in KINDS:
            for requester in requesters:
                assert redecode(kind, SEGMENT, requester, together, 1) == redecode(kind, SEGMENT, requester, alone, 1)
        assert len(together.translator.requests) == num_requests > len(KINDS)


def test_source_span_of_a_correction_is_aligned_with_its_words_in_the_goal():
    links = [(0, 3, 0, 3), (4, 7, 4, 8), (8, 11, 9, 13), (12, 15, 18, 22)]
    corrections = (Correction("alte"), Correction("Hund"), Correction("schläft tief"), Correction("alte"))
    found = with_source_spans(corrections, "Der alte Hund und schläft tief alte", links)
    assert [correction.source_span for correction in found] == [(4, 7), (8, 11), (12, 15), None]


def test_interval_contains_the_ratio_and_is_the_same_again():
    ours, base = [1.0, 5.0, 2.0, 0.0], [2.0, 4.0, 4.0, 0.0]
    figure, low, high = ratio(ours, base, seed=3)
    assert figure == 0.8 and low <= figure <= high
    assert ratio(ours, base, seed=3) == [figure, low, high]
    assert ratio(ours, [0.0] * 4, seed=3) is None


def test_gain_in_bleu_equals_the_difference_of_corpus_bleu():
    goals = ["Der alte Hund läuft nach Hause.", "Die Datei kann nicht geöffnet werden.", "Das Haus ist groß und alt."]
    texts, others = [goals[0], "Eine Datei kann nicht geöffnet werden.", goals[2]], [*goals[:1], "Datei?", "Das Haus."]
    gain, low, high = bleu_gain(texts, others, goals, seed=1)
    assert gain == pytest.approx(bleu(texts, goals) - bleu(others, goals), abs=0.02)
    assert low <= gain <= high


def test_documents_give_consecutive_segments(tmp_path):
    lines = [f"Line {k} of the text" for k in range(20)]
    for name in ("a.en", "a.de"):
        (tmp_path / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    (tmp_path / "docs.txt").write_text("one\t12\ntwo\t9\n", encoding="utf-8")  # the last is cut by a line
    files = (tmp_path / "a.en", tmp_path / "a.de", tmp_path / "docs.txt")
    found = read_documents(*files, "en-de", 8, 60, seed=2)
    for name, first, last in (("one", 0, 12), ("two", 12, 20)):
        numbers = [int(segment.source.split()[1]) for segment in found if segment.document == name]
        assert len(numbers) == 4 and numbers == list(range(numbers[0], numbers[0] + 4))
        assert first <= numbers[0] and numbers[-1] < last
    for content, message in (("one\t12\n", "counts 12 lines"), ("one 12\n", "line 1: expected NAME<TAB>NUMBER")):
        (tmp_path / "docs.txt").write_text(content, encoding="utf-8")
        with pytest.raises(ValueError, match=message):
            read_documents(*files, "en-de", 8, 60, seed=2)


def test_post_edits_are_read_as_written(tmp_path):
    path = tmp_path / "edits.tsv"
    path.write_text(
        'src\tpe\tsplit\nHe said : " no " .\tEr sagte , nein .\tdev\nx y z\tu v w\ttrain\n', encoding="utf-8"
    )
    (segment,) = read_post_edits(path, "dev", "en-de", 5, 60, seed=1)
    assert segment.goal == "Er sagte, nein."
    assert detokenised("Schon so geschrieben.", "de") == "Schon so geschrieben."
    path.write_text("source\tpe\na\tb\n", encoding="utf-8")
    with pytest.raises(ValueError, match="no column src"):
        read_post_edits(path, None, "en-de", 5, 60, seed=1)


def test_bundled_model_is_simulated_and_gives_the_same_figures_again(tmp_path):
    pairs = {
        "Click the button.": "Klicken Sie auf die Schaltfläche.",
        "A dog runs.": "Ein Hund rennt.",
    }
    for name, lines in (("a.en", pairs), ("a.de", pairs.values())):
        (tmp_path / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    files = ["--documents", "short", str(tmp_path / "a.en"), str(tmp_path / "a.de")]
    choice = ["--requesters", "phrases", "order", "--kinds", "rand1", "phrase", "--beam", "2", "--without-waiting"]
    found = []
    for k in range(2):
        output = tmp_path / f"results{k}"
        assert main([*files, *choice, "--segments", "2", "--output", str(output)]) == 0
        found.append(json.loads((output / "results.json").read_text(encoding="utf-8")))
    first, second = (results["sets"][0] for results in found)
    del first["answer_ms"], second["answer_ms"]
    assert first == second
    assert first["num_segments"] == 2
    naive = {way["way"]: way for way in first["ways"] if way["person"] == "naive"}
    assert {"ban the first wrong word", "alternatives at the first wrong word"} < set(naive)
    assert naive["post-editing"]["seconds"] in (None, [1, 1, 1])
    assert {row["met"][0] for row in first["redecodings"] if row["requester"] == "phrases"} == {1}
    assert (tmp_path / "results0" / "seconds.svg").exists()


def test_wrong_arguments_get_a_clear_error(tmp_path, capsys):
    with pytest.raises(SystemExit):
        main(["--output", str(tmp_path)])
    assert "give --documents or --post-edits" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main(["--documents", "name", "one-file", "--output", str(tmp_path)])
    assert "--documents has 2 values" in capsys.readouterr().err
    for name, lines in (("a.en", "one\ntwo\n"), ("a.de", "eins\n")):
        (tmp_path / name).write_text(lines, encoding="utf-8")
    files = ["--documents", "short", str(tmp_path / "a.en"), str(tmp_path / "a.de")]
    assert main([*files, "--output", str(tmp_path)]) == 1
    assert "a.en has 2 lines" in capsys.readouterr().err


@pytest.mark.skipif(not (KEPT / "results.json").exists(), reason="no kept results")
def test_kept_report_equals_one_made_from_the_kept_results(tmp_path):
    write_report(tmp_path, json.loads((KEPT / "results.json").read_text(encoding="utf-8")))
    for path in tmp_path.iterdir():
        assert path.read_bytes() == (KEPT / path.name).read_bytes(), path.name
