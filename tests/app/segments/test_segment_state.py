"""Status of terms and pins in a segment, and why it needs attention."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.glossary import Term, term_matcher
from app.glossary.lemmas import with_forms
from app.segments.findings import attention_for, banned_texts, findings_of, unmet_texts
from app.segments.proposal_view import DecodingResult
from app.segments.segment_constraints import NO_CONSTRAINTS, Constraints
from app.segments.state import SegmentState
from app.segments.view import detail_view
from app.text.words import count_occurrences
from engine import Avoid, Reason, Request, Translation
from tests.app.hand_decoder import translation

SOURCE = "The router saves the file."
GLOSSARY = term_matcher((Term("router", "Router"), Term("file", "Datei")))


def segment(**fields: object) -> SegmentState:
    return replace(SegmentState(0, SOURCE, num_words=5, hits=GLOSSARY.find(SOURCE)), **fields)  # type: ignore[arg-type]


def answered(base: SegmentState, *texts: str) -> SegmentState:
    request = Request(SOURCE, phrases=tuple(constraint.phrase() for constraint in base.resolved.required))
    decoded = DecodingResult(translation(request, *texts), base.resolved)
    return replace(base, decoded=decoded, shown=decoded if texts else base.shown, requested=1, answered=1)


def attention_of(of: SegmentState) -> str:
    return attention_for(of, findings_of(of, of.target or "", "en-de"))


def statuses(of: SegmentState) -> dict[str, tuple[str, str]]:
    return {term["target"]: (term["status"], term["note"]) for term in detail_view(of)["terms"]}


OCCURRENCE_CASES = [
    ("Der Router und der Router", "Router", 2, "two words"),
    ("Routers Routerkabel", "Router", 0, "parts of longer words"),
    ("E-Mail", "Mail", 1, "a hyphen parts words"),
    ("1.000", "1", 0, "a number is one word"),
    ("A A A", "A A", 1, "no overlap"),
    ("C++, C++", "C++", 2, "an edge that is not a letter needs no word boundary"),
    ("E‑Mail, E\u00ad-Mail", "E-Mail", 2, "hyphens are the same, hidden characters do not count"),
    ("it’s “fine”", 'it\'s "fine"', 1, "curly and straight quotes are the same"),
]


@pytest.mark.parametrize(("text", "phrase", "expected", "why"), OCCURRENCE_CASES)
def test_occurrences_are_whole_words(text: str, phrase: str, expected: int, why: str):
    assert count_occurrences(text, phrase) == expected, why


def test_term_status_follows_the_proposal_until_the_translator_types():
    hits = tuple(replace(hit, term=with_forms((hit.term,), "de")[0]) for hit in GLOSSARY.find(SOURCE))
    proposed = answered(segment(hits=hits), "Der Router speichert die Datei.")
    assert statuses(proposed) == {"Router": ("met", ""), "Datei": ("met", "")}
    written = replace(proposed, target="Die Routern sichern alles.", state="edited")
    assert statuses(written)["Router"] == ("met", "Form in the text: Routern")
    assert statuses(written)["Datei"] == ("unmet", "In the proposal, not in your text.")
    assert attention_of(written) == "Not in the text: Datei"


def test_noun_at_the_end_of_a_compound_is_met():
    def written(term: Term) -> SegmentState:
        return segment(hits=term_matcher((term,)).find(SOURCE), target="Er sichert die Bilddateien.", state="edited")

    (noun,) = with_forms((Term("file", "Datei"),), "de")
    assert statuses(written(noun)) == {"Datei": ("met", "Form in the text: Bilddateien")}
    assert attention_of(written(noun)) == ""
    name = Term("file", "Datei", status="exact")  # without forms or compounds
    assert statuses(written(name))["Datei"][0] == "unmet"


@pytest.mark.parametrize(
    ("aligned", "doubled", "doubt", "note"),
    [
        (None, (), "", ""),
        (True, (), "", ""),
        (True, ((4, 10),), "doubled", "Also translated as “Router”."),
        (False, (), "misaligned", ""),
        (False, ((4, 10),), "misaligned", "The source term seems to be translated as “Router”."),
    ],
)
def test_term_is_doubtful_if_the_alignment_contradicts_it(aligned, doubled, doubt, note):
    text = "Der Router speichert die Datei."
    base = answered(segment(), text)
    assert base.decoded is not None and base.decoded.best is not None
    router, file = base.decoded.best.placements
    best = replace(base.decoded.best, placements=(router, replace(file, aligned=aligned, doubled=doubled)))
    decoded = replace(base.decoded, translation=replace(base.decoded.translation, hypotheses=(best,)))
    terms = {term["target"]: term for term in detail_view(replace(base, decoded=decoded))["terms"]}
    assert (terms["Datei"]["status"], terms["Datei"]["doubt"], terms["Datei"]["note"]) == ("met", doubt, note)
    assert terms["Router"]["doubt"] == ""
    written = replace(base, decoded=decoded, target=text, state="edited")  # no doubts about the translator's own text
    assert all(term["doubt"] == "" for term in detail_view(written)["terms"])


NO_PLACE = "The model found no translation with “Datei”: pin another form, or release a pin or term."


def test_term_without_a_place_is_flagged_with_the_reason():
    proposed = answered(segment(), "Der Router speichert alles.")
    assert statuses(proposed)["Datei"] == ("unmet", NO_PLACE)
    assert attention_of(proposed) == NO_PLACE


def test_pins_are_pending_until_the_answer_arrives():
    base = answered(segment(), "Der Router speichert die Datei.")
    pinned = replace(base, requested=2, constraints=Constraints(pins=("sofort",)))
    assert detail_view(pinned)["pin_states"] == [{"text": "sofort", "status": "pending", "reason": "", "source": ""}]
    assert detail_view(pinned)["proposal"]["is_stale"]


def test_only_the_impossible_constraint_is_flagged_without_an_answer():
    base = replace(segment(), constraints=Constraints(pins=("gut", "\U00012345")))
    blamed = Translation(Request(SOURCE), "infeasible", reasons=(Reason("unspellable", "cannot be spelt", 1),))
    failed = replace(base, decoded=DecodingResult(blamed, base.resolved), requested=1, answered=1)
    assert [(pin["status"], pin["reason"]) for pin in detail_view(failed)["pin_states"]] == [
        ("pending", ""),
        ("unmet", message := "The model cannot produce “\U00012345” exactly: pin another spelling, or release it."),
    ]
    assert attention_of(failed) == message


def test_reason_of_the_whole_segment_is_a_notice():
    too_long = Translation(Request(SOURCE), "infeasible", reasons=(Reason("source_too_long", "too long: split it"),))
    failed = replace(segment(), decoded=DecodingResult(too_long), requested=1, answered=1)
    assert detail_view(failed)["notices"] == ["The source is too long for the model: split the segment."]
    assert detail_view(failed)["proposal"] is None


def test_banned_word_in_the_translators_text_needs_attention():
    own = segment(target="Der Router speichert die Datei.", constraints=Constraints(bans=(Avoid("speichert"),)))
    assert attention_of(own) == "Banned, but in the text: speichert"
    assert attention_of(replace(own, target="Der Router sichert die Datei.")) == ""


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("Öffnen Sie das Dokument.", "Banned, but in the text: Dokument"),
        ("Öffnen Sie die Dokumente.", "Banned, but in the text: Dokumente"),
        ("Öffnen Sie das alte Dokument.", ""),  # part of a required text
        ("Das alte Dokument, ein Dokument.", "Banned, but in the text: Dokument"),
        ("Öffnen Sie das alte Dokument, den Dokumentar.", ""),
    ],
)
def test_forbidden_term_in_the_translators_text_needs_attention(target: str, message: str):
    file = Term("file", "Dokument", status="forbidden", inflections=("Dokumente",))
    terms = term_matcher((file, *([Term("the", "alte Dokument")] if "alte" in target else [])))
    own = SegmentState(0, SOURCE, 5, hits=terms.find(SOURCE), target=target)
    assert attention_of(own) == message


def test_ban_is_reported_as_occurring_only_inside_a_term():
    base = segment(
        hits=term_matcher((Term("file", "alte Datei"),)).find(SOURCE), constraints=Constraints(bans=(Avoid("Datei"),))
    )
    before = answered(replace(base, constraints=NO_CONSTRAINTS), "Die alte Datei.")
    (state,) = detail_view(replace(before, constraints=base.constraints, shown=None))["ban_states"]
    assert state["status"] == "pending"  # the answer was requested without the ban
    (state,) = detail_view(answered(base, "Die alte Datei."))["ban_states"]
    assert (state["status"], state["reason"]) == ("stands", "Occurs only inside a required term.")


def test_ban_is_reported_as_occurring_in_an_option_that_is_copied():
    source = "Run the command with --info first."
    base = replace(segment(constraints=Constraints(bans=(Avoid("info"),))), source=source)
    (state,) = detail_view(answered(base, "Führen Sie den Befehl zuerst mit --info aus."))["ban_states"]
    assert (state["status"], state["reason"]) == ("stands", "Occurs in “--info”, which is copied from the source.")


def test_pin_shows_its_aligned_source_words():
    base = answered(segment(constraints=Constraints(pins=("Datei",))), "Der Router speichert die Datei.")
    (state,) = detail_view(base)["pin_states"]
    assert state["source"] == ""
    best = base.shown.best
    aligned = replace(best, alignment=((0, 3, 0, 3), (17, 21, 25, 30)))
    shown = replace(base.shown, translation=replace(base.shown.translation, hypotheses=(aligned,)))
    (state,) = detail_view(replace(base, shown=shown))["pin_states"]
    assert state["source"] == base.source[17:21]


def test_text_without_the_placeholders_of_its_source_needs_attention() -> None:
    segment = SegmentState(0, "Copy %s to {1}it{/1}", num_words=4, target="Kopiere %s nach {1}dort")
    assert attention_of(segment) == "Placeholders missing: {/1}"
    assert attention_of(replace(segment, target="Kopiere %s {1}dorthin{/1}")) == ""


def test_pin_of_a_tag_alone_is_left_to_the_placeholder_check() -> None:
    pinned = segment(source="Press <b>OK</b>.", hits=(), constraints=Constraints(pins=("<b>",)))
    assert unmet_texts(pinned, "Drücken Sie OK.") == []


def test_pins_and_bans_count_in_a_translation_in_capitals() -> None:
    pinned = segment(
        source="THE FILE IS OPEN.", hits=(), constraints=Constraints(pins=("Akte",), bans=(Avoid("Datei"),))
    )
    assert unmet_texts(pinned, "DIE AKTE IST OFFEN.") == banned_texts(pinned, "DIE AKTE IST OFFEN.") == []
    assert unmet_texts(pinned, "DIE DATEI IST OFFEN.") == ["Akte"]
    assert banned_texts(pinned, "DIE DATEI IST OFFEN.") == ["Datei"]


@pytest.mark.parametrize(
    ("text", "alignment", "fields", "expected"),
    [
        ("Click{1}{/1} it", [("Click", "Klicken"), ("it", "das")], {}, ["{1}"]),
        ("Click {1}it{/1}", [("Click", "Klicken"), ("it", "Sie")], {}, []),
        ("Click{1}{/1}, it", [("Click", "Klicken"), (",", "Sie"), ("it", "das")], {}, ["{1}"]),  # punctuation only
        ("Click{1}{/1} it", [], {}, ["{1}"]),  # a model without word alignment, or two models of which one has none
        ("Click {1}it{/1}", [], {"source": "{1}Klicken{/1}"}, []),  # around the whole source
        ("Click {1}it{/1}", [], {"source": "{1}{2}Klicken{/2}{/1}."}, []),
        ("Click {1}Sie{/1}", [("Click", "Klicken")], {}, []),  # the same words
        (
            "Click{1}{/1} it",
            [("Click", "Klicken")],
            {"constraints": Constraints(prefix="Click{1}")},
            [],
        ),  # the user's own tag
        ("Click{1}{/1} it", [("Click", "Klicken")], {"target": "Click {1}it{/1}"}, []),  # the user's own text
    ],
)
def test_tag_of_words_without_a_partner_in_the_proposal_is_a_finding(text, alignment, fields, expected):
    source = fields.get("source", "Klicken {1}Sie{/1} das")
    links = tuple(
        (source.index(word), source.index(word) + len(word), text.index(other), text.index(other) + len(other))
        for other, word in alignment
    )
    base = replace(SegmentState(0, source, num_words=3), **fields)
    made = answered(base, text)
    best = replace(made.shown.translation.hypotheses[0], alignment=links)
    shown = replace(made.shown, translation=replace(made.shown.translation, hypotheses=(best,)))
    found = findings_of(replace(made, shown=shown), made.text, "de-en")
    assert [tag for finding in found if finding.kind == "position" for tag in finding.texts] == expected
