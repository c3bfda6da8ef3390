"""Non-translatable text is removed from the request and restored in the answer, next to the aligned words."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from app.segments.resolved_constraints import request_of
from app.segments.segment_constraints import NO_CONSTRAINTS
from app.tags.protect import MAX_ADDRESSES, MAX_TAGS, Protection
from app.text.nontranslatables import kept_texts, nontranslatables, without_markup
from app.text.quantities.requirements import required_quantities
from engine import (
    Avoid,
    Follow,
    Phrase,
    PivotTranslation,
    Pricing,
    Reason,
    Request,
    SearchOptions,
    Translation,
    Translator,
)
from tests.app.mirror import mirrored, restored
from tests.app.work import growth

URL = "https://harbor.example/download"
PARTS = st.sampled_from(
    [
        "Press",
        "OK",
        "{1}",
        "{/1}",
        "{2}",
        "<b>",
        "</b>",
        "<br/>",
        URL,
        "a@b.example",
        "%s",
        "{% if a %}",
        "{% endif %}",
        "&lt;b&gt;",
        "&lt;/b&gt;",
        "/etc/fstab",
        "der",
        "”",
        ",",
    ]
)


def test_request_without_tags_and_addresses_is_unchanged():
    for source in ("Press OK now.", "Copy %s to {0} &amp; wait.", "{1}{/1} !", "a < b > c"):
        request = Request(source, phrases=(Phrase("ja"),), avoid=("nein",), prefix="J", locked=("x",))
        protection = Protection.of(request)
        assert protection.request is request
        answer = mirrored(request)
        assert protection.restore(answer) == answer


def test_tags_are_removed_and_addresses_replaced_by_names():
    request = Request(
        f"{{1}}Press OK{{/1}} at {URL}, {URL} and a@b.example.",
        phrases=(
            Phrase("OK", source_span=(9, 11)),
            Phrase(URL, count=2, boundary="anywhere"),
            Phrase("{1}"),  # already required
            Phrase("{1}Bei a@b.example", forms=("An a@b.example",)),
            Phrase("{1}OK{/1}"),  # a duplicate of the first
        ),
        avoid=(Avoid("{1}Taste"), Avoid("{1}")),
        prefix="Bei {1}" + URL,
        locked=("{/1}", "da {/1}ist"),
    )
    engine_request = Protection.of(request).request
    assert engine_request.source == "Press OK at URL1, URL1 and URL2."
    assert engine_request.phrases == (
        Phrase("OK", source_span=(6, 8)),
        Phrase("URL1", count=2, max_count=2),
        Phrase("Bei URL2", forms=("An URL2",)),
    )
    assert engine_request.avoid == (Avoid("Taste"), Avoid("{1}"))
    assert (engine_request.prefix, engine_request.locked) == ("Bei URL1", ("da ist",))


def test_name_for_an_address_is_unused_in_the_request():
    assert Protection.of(Request(f"Open URL1: {URL}", prefix="URL2 ")).request.source == "Open URL1: URL3"


def test_addresses_are_restored_in_the_text_between_two_models():
    protection = Protection.of(Request(f"Veja {URL} agora.", "pt-de"))
    name = protection.request.source.split()[1]
    assert name != URL
    answer = PivotTranslation(protection.request, "complete", (), pivot=f"See {name} now.")
    restored_answer = protection.restore(answer)
    assert isinstance(restored_answer, PivotTranslation) and restored_answer.pivot == f"See {URL} now."


@pytest.mark.parametrize("wish", [{"prefix": "Siehe https://har"}, {"prefix": "h"}, {"locked": ("harbor",)}])
def test_partly_typed_address_gets_no_name(wish):
    assert Protection.of(Request(f"See {URL}.", **wish)).is_needed is False


def test_restored_spans_refer_to_the_texts_with_tags():
    source = f"Open {{1}}the file{{/1}} at {URL} now."
    request = Request(source, phrases=(Phrase("file", source_span=(13, 17)), Phrase(URL)))
    best = restored(request).hypotheses[0]
    assert best.text == f"now {URL} at {{1}}file the{{/1}} Open."
    assert [best.text[p.start : p.end] for p in best.placements] == ["file", URL] == [p.form for p in best.placements]
    assert all(source[a:b] == best.text[c:d] for a, b, c, d in best.alignment)
    assert [best.text[a:b] for a, b in best.token_spans] == ["now", URL, "at", "file", "the", "Open"]
    assert restored(request).request is request


def test_pin_and_locked_text_with_tags_are_restored_exactly():
    source = "Press {1}OK{/1} or {2}Cancel all{/2} now."
    request = Request(source, phrases=(Phrase("{1}all Cancel"), Phrase("or {/1}OK")))
    best = restored(request).hypotheses[0]
    assert [best.text[p.start : p.end] for p in best.placements] == ["{1}all Cancel", "or {/1}OK"]
    protection = Protection.of(replace(request, phrases=(), locked=("now {1}all", "OK")))
    answer = mirrored(protection.request)
    locked = replace(answer.hypotheses[0], locked=((0, 7), (18, 20)))
    best = protection.restore(replace(answer, hypotheses=(locked,))).hypotheses[0]
    assert [best.text[a:b] for a, b in best.locked] == ["now {1}all", "OK"]


def test_beginning_with_tags_is_followed_by_the_remaining_tags():
    protection = Protection.of(Request("Press {1}OK{/1} or {2}Cancel{/2}.", prefix="{2}Cancel{/2} or {1}O"))
    assert protection.request.prefix == "Cancel or O"
    best = protection.restore(mirrored(protection.request)).hypotheses[0]
    assert best.text == "{2}Cancel{/2} or {1}OK{/1} Press."


@pytest.mark.parametrize("begun", ["{", "{1", "{1}O", "{1}OK{", "{1}OK{/1", "{1}OK{/1} P"])
def test_partly_typed_tag_is_completed(begun):
    best = restored(Request("Press {1}OK{/1}.", prefix=begun)).hypotheses[0]
    assert best.text == "{1}OK{/1} Press."


@pytest.mark.parametrize(
    ("fields", "bounds", "why"),
    [
        ({}, (1, 2), "as often as in the source"),
        ({"prefix": "%s {0}"}, (1, 2), "as a person's own text has them"),
        ({"prefix": "%s %s"}, (None, 2), "who may want more of one"),
        ({"locked": ("{0} {0}", "{0}")}, (1, None), "in locked texts too"),
        ({"phrases": (Phrase("nach %s"),)}, (1, 2), "or in a pin"),
        ({"phrases": (Phrase("%s, %s"),)}, (None, 2), "of two"),
        ({"phrases": (Phrase("nach %s", count=2),)}, (None, 2), "or required twice"),
    ],
)
def test_kept_text_occurs_no_more_often_than_required(fields, bounds, why):
    kept = Phrase("%s", boundary="anywhere"), Phrase("{0}", count=2, boundary="anywhere")
    request = Request("Copy %s to {0} or {0}.", **{**fields, "phrases": (*kept, *fields.get("phrases", ()))})
    protection = Protection.of(request)
    assert tuple(phrase.max_count for phrase in protection.request.phrases) == (
        *bounds,
        *(None,) * bool(fields.get("phrases")),
    ), why
    assert not protection.is_needed, "the answer is in the terms of the request"


def test_kept_text_inside_another_word_has_no_maximum():
    request = Request("Copy {{0}} to {0}.", phrases=(Phrase("{0}", boundary="anywhere"),))
    assert Protection.of(request).request is request


def test_reasons_and_prices_refer_to_the_original_request():
    request = Request(f"{{1}}See{{/1}} {URL}.", phrases=(Phrase("{1}"), Phrase(URL)))
    protection = Protection.of(request)
    engine_request = protection.request
    unmet = Translation(engine_request, "unmet", reasons=(Reason("not_placed", "'URL1' found no place", 0),))
    assert protection.restore(unmet).reasons == (Reason("not_placed", f"'{URL}' found no place", 1),)
    pricing = Pricing(0.5, (0.25,), (), mirrored(engine_request), mirrored(engine_request))
    priced = protection.restore_pricing(pricing)
    assert priced.phrases == (None, 0.25)
    assert priced.free.hypotheses[0].text == f"{URL} {{1}}See{{/1}}."


def test_source_with_too_many_tags_keeps_them():
    source = "Press " + "{1}OK{/1} " * MAX_TAGS
    assert Protection.of(Request(source)).request.source == source


def test_offset_in_the_restored_text_leads_to_the_engines_piece():
    request = Request(f"Open {{1}}the file{{/1}} at {URL}.")
    protection = Protection.of(request)
    answered = mirrored(protection.request).hypotheses[0]
    best = protection.restore_hypothesis(answered)
    for word in ("at", "file", "Open"):
        start, end = answered.token_spans[protection.piece_at(best, best.text.index(word))]
        assert word in answered.text[start:end]


@given(st.lists(PARTS, min_size=1, max_size=12), st.booleans())
def test_everything_in_a_source_is_restored_once(parts, is_apart):
    source = (" " if is_apart else "").join(parts)
    phrases = tuple(Phrase(text, count=count, boundary="anywhere") for text, count in kept_texts(source))
    if not source.strip():
        return
    request = Request(source, phrases=phrases)
    best = restored(request).hypotheses[0]
    if not Protection.of(request).is_needed:
        return
    kept = [text for text, _ in kept_texts(source)]  # removing tags may join words into another occurrence
    assume(all(without_markup(source).count(text) == source.count(text) for text in kept))
    for element in nontranslatables(source):
        assert best.text.count(element.text) == source.count(element.text)
    taken_over = re.compile(
        "|".join(sorted((re.escape(element.text) for element in nontranslatables(source)), key=len, reverse=True))
    )
    assert sorted(taken_over.sub("", best.text).replace(" ", "")) == sorted(taken_over.sub("", source).replace(" ", ""))
    for placement in best.placements:
        assert best.text[placement.start : placement.end] == placement.form
    for start, end, first, last in best.alignment:
        assert 0 <= start < end <= len(source) and 0 <= first < last <= len(best.text)


def test_engine_text_stays_between_the_restored_tags():
    """With the bundled model: the restored answer is the plain answer with tags and addresses inserted."""
    translator = Translator.load(Path("data/models/en-de"))
    source = f"Press {{1}}OK{{/1}} to open {URL} in the {{2}}window{{/2}}."
    protection = Protection.of(request_of(source, NO_CONSTRAINTS, (), "en-de"))
    plain = Request("Press OK to open URL1 in the window.", "en-de", phrases=(Phrase("URL1", max_count=1),))
    assert protection.request == plain
    answer = translator.translate(plain, SearchOptions(beam=4, nbest=3))
    for own, other in zip(protection.restore(answer).hypotheses, answer.hypotheses, strict=True):
        assert other.text.count("URL1") == 1
        assert without_markup(own.text) == other.text.replace("URL1", URL)
        assert sorted(a.text for a in nontranslatables(own.text)) == sorted(a.text for a in nontranslatables(source))
        assert [own.text[p.start : p.end] for p in own.placements] == [URL]


def with_addresses(number: int) -> Request:
    source = "Copy " + " ".join(f"/mnt/disk{n}" for n in range(number)) + " now"
    return Request(source, phrases=tuple(Phrase(text) for text, _ in kept_texts(source)))


def test_naming_addresses_takes_linear_time():
    assert growth(lambda number: restored(with_addresses(number)), MAX_ADDRESSES // 2) < 2.5


def test_source_with_too_many_addresses_is_unchanged():
    assert Protection.of(with_addresses(MAX_ADDRESSES)).is_needed
    request = with_addresses(MAX_ADDRESSES + 1)
    assert not Protection.of(request).is_needed
    assert restored(request).hypotheses[0].text.count("/mnt/disk") == MAX_ADDRESSES + 1


LINES = [
    (r"Line one\nLine two", "Line one\n\nLine two", r"one Line\ntwo Line"),
    (r"Line one\n\nLine two", "Line one\n\nLine two", r"one Line\n\ntwo Line"),
    (r"Name:\n{1}Address{/1}\n", "Name:\n\nAddress", r"Name:\n{1}Address{/1}\n"),
    (r"Press it\nand wait", "Press it and wait", None),  # one sentence
    (r"C:\\new Line", r"C:\\new Line", None),
    ("<b>One</b> line<br>Two lines", "One line\n\nTwo lines", "line <b>One</b><br>lines Two"),
    ("Press it<br/>and wait", "Press it and wait", None),
]


@pytest.mark.parametrize(("source", "asked", "answer"), LINES)
def test_line_of_a_program_is_a_sentence_of_its_own(source, asked, answer):
    protection = Protection.of(Request(source, "en-de"))
    assert protection.request.source == asked
    if answer is not None:
        lines = [" ".join(reversed(line.split(" "))) for line in asked.split("\n\n")]
        found = replace(mirrored(protection.request).hypotheses[0], text="\n\n".join(lines), alignment=())
        assert protection.restore_hypothesis(found).text == answer


def test_line_break_that_the_engine_did_not_keep_is_placed_by_the_words():
    protection = Protection.of(Request(r"One line\nTwo lines", "en-de"))
    found = mirrored(protection.request).hypotheses[0]
    assert protection.restore_hypothesis(found).text.count(r"\n") == 1


@pytest.mark.parametrize(
    ("source", "asked", "answer"),
    [
        ("It&#39;s &quot;on&quot; now", 'It\'s "on" now', "now &quot;on&quot; It&#39;s"),
        ("{% if a %}Press OK{% endif %}", "Press OK", "{% if a %}OK Press{% endif %}"),
        ("Hi {{#if a}}dear{{/if}}", "Hi dear", "{{#if a}}dear{{/if}} Hi"),
        ("&lt;b&gt;Press&lt;/b&gt; OK", "Press OK", "OK &lt;b&gt;Press&lt;/b&gt;"),
    ],
)
def test_tags_of_templates_and_escaped_texts_are_not_given_to_the_model(source, asked, answer):
    request = request_of(source, NO_CONSTRAINTS, (), "en-de")
    assert Protection.of(request).request.source == asked
    assert restored(request).hypotheses[0].text == answer


def test_pin_and_beginning_with_tags_of_templates_are_restored():
    request = Request("{% if a %}Press{% endif %} OK", phrases=(Phrase("{% if a %}Press{% endif %}"),))
    assert [phrase.text for phrase in Protection.of(request).request.phrases] == ["Press"]
    assert restored(request).hypotheses[0].text == "OK {% if a %}Press{% endif %}"


def test_previous_text_is_followed_without_tags_and_with_names_for_addresses():
    source = "Press {1}OK{/1} at https://harbor.example/a."
    request = Request(source, follow=Follow("Drücken Sie {1}OK{/1} auf https://harbor.example/a."))
    followed = Protection.of(request).request.follow
    assert followed == Follow("Drücken Sie OK auf URL1.")
    assert Protection.of(Request("Press OK.", follow=Follow("OK drücken."))).request.follow == Follow("OK drücken.")


@pytest.mark.parametrize(
    ("source", "asked", "answer"),
    [
        ("Heat to 180 °C.", "Heat to 180.", "180 °C to Heat."),  # a unit keeps its space
        ("→ Next", "Next", "→ Next"),
        ("Fill in H₂O or CO₂.", "Fill in URL1 or URL2.", "CO₂ or H₂O in Fill."),  # formulas are copied by name
        ("See the note¹ below.", "See the note below.", "below note¹ the See."),  # a raised number is no formula
        ("See the file{1}1{/1} below.", "See the file below.", "below file{1}1{/1} the See."),
        ("Great work 👍🏽!", "Great work!", "work 👍🏽 Great!"),  # a sign of several characters
        ("Pay € now", "Pay now", "now Pay €"),
        ("Pay € 20 now", "Pay 20 now", "now 20 € Pay"),  # the sign of a currency goes behind its amount in German
        ("Pay $1,250 now", "Pay 1,250 now", "now 1,250 $ Pay"),
        ("Pay 5,- € now", "Pay 5 now", "now 5 € Pay"),  # a dash in place of the cents
        ("Pay 20 € now", "Pay 20 now", "now 20 € Pay"),
    ],
)
def test_signs_are_not_given_to_the_model_and_keep_their_places(source, asked, answer):
    request = request_of(source, NO_CONSTRAINTS, (), "en-de")
    assert Protection.of(request).request.source == asked
    assert restored(request).hypotheses[0].text == answer
    assert not restored(request).hypotheses[0].unmet


@pytest.mark.parametrize("source", ["€ 20,00", "10 °C ± 0.5 %", "✓", "½", "{1}12{/1}", "https://harbor.example/a"])
def test_source_without_letters_is_copied_without_the_model(source):
    copy = Protection.of(request_of(source, NO_CONSTRAINTS, (), "en-de")).copy
    assert copy is not None and [hypothesis.text for hypothesis in copy.hypotheses] == [source]


@pytest.mark.parametrize(
    ("source", "wish"), [("5 V", {}), ("€ 5", {"phrases": (Phrase("fünf"),)}), ("€ 5", {"avoid": ("5",)})]
)
def test_source_with_letters_or_an_unmet_constraint_goes_to_the_model(source, wish):
    assert Protection.of(Request(source, **wish)).copy is None


@pytest.mark.parametrize(
    ("source", "direction", "asked", "answer", "why"),
    [
        ("Take the {place}st exit", "en-de", "Take the {place} exit", "exit {place}. the Take", "German has a dot"),
        ("Take the {#}th exit", "en-de", "Take the {#} exit", "exit {#}. the Take", "the number of an ICU message"),
        ("the {place}st exit", "en-fr", "the {place} exit", "exit {place}er the", "1er"),
        ("the {place}nd exit", "en-fr", "the {place} exit", "exit {place}e the", "2e"),
        ("the {place}nd exit", "en-sv", "the {place} exit", "exit {place}:a the", "2:a"),
        ("the %dth exit", "en-ja", "the %d exit", "exit 第%d the", "before the number"),
        ("the %1$srd exit", "en-es", "the %1$s exit", "exit %1$s the", "the mark depends on the noun"),
        ("the {0}th exit", "en-de", "the {0} exit", "exit {0}. the", "no tag"),
        ("the $t(n)th exit", "en-de", "the URL1 exit", "exit $t(n). the", "a placeholder with a name"),
        ("{a}th of {a} exits", "en-de", "{a}th of {a} exits", "exits {a} of {a}th", "not in all places"),
        ("Use {name}th1 here", "en-de", "Use {name}th1 here", "here {name}th1 Use", "no suffix"),
        ("{n}th exit", "de-en", "{n}th exit", "exit {n}th", "not from English"),
    ],
)
def test_suffix_of_an_ordinal_number_becomes_the_mark_of_the_language(source, direction, asked, answer, why):
    request = request_of(source, NO_CONSTRAINTS, (), direction)
    assert Protection.of(request).request.source == asked, why
    assert restored(request).hypotheses[0].text == answer, why


def test_mark_of_an_ordinal_number_that_a_person_has_written_is_not_doubled():
    request = replace(request_of("{n}th exit", NO_CONSTRAINTS, (), "en-de"), prefix="Exit", locked=("{n}.",))
    answer = mirrored(request)
    written = replace(
        answer.hypotheses[0], text="Exit {n}.", locked=((5, 9),), alignment=(), placements=(), token_spans=()
    )
    protection = Protection.of(request)
    assert protection.restore_hypothesis(written).text == "Exit {n}."


def test_ordinal_number_alone_gets_its_mark_without_the_model():
    copy = Protection.of(request_of("{n}st", NO_CONSTRAINTS, (), "en-de")).copy
    assert copy is not None and copy.hypotheses[0].text == "{n}."


def test_suffix_in_tags_of_their_own_is_no_ordinal_of_a_placeholder():
    found = nontranslatables("the 21{1}st{/1} exit, <b>n</b>th")
    assert {element.kind for element in found} == {"open", "close"}


@pytest.mark.parametrize(
    ("source", "direction", "asked"),
    [
        ("Die Sitzung ist am 05.12.2026.", "de-en", "Die Sitzung ist am 5. Dezember 2026."),
        ("Am 24.12. und vom 31.12. bis 2.1. zu.", "de-en", "Am 24. Dezember und vom 31. Dezember bis 2. Januar zu."),
        ("Gültig ab 1. Jan. 2026, siehe 2.1. oben.", "de-en", "Gültig ab 1. Januar 2026, siehe 2.1. oben."),
        ("Closed on Dec. 24 and 5/12/2026.", "en-de", "Closed on December 24 and May 12, 2026."),
        ("On Mon, Mar 3, 2026 at 9:15 AM, he rang.", "en-de", "On Monday, March 3, 2026 at 9:15 a.m., he rang."),
        ("Sat: 10:00 AM - 4:00 PM, Sun closed", "en-de", "Saturday: 10:00 AM - 4:00 PM, Sunday closed"),
        ("On 3 March 2026 and 2026-03-15 it rained.", "en-de", "On 3 March 2026 and 2026-03-15 it rained."),
    ],
)
def test_dates_in_digits_and_short_months_are_read_in_full(source: str, direction: str, asked: str) -> None:
    assert Protection.of(Request(source, direction)).request.source == asked


def test_signs_in_a_row_of_a_table_bring_no_spaces() -> None:
    assert Protection.of(Request("Subtotal\t€ 2,450.00", "en-de")).request.source == "Subtotal\t2,450.00"


@pytest.mark.parametrize(
    ("source", "direction", "asked", "required"),
    [
        ("am {1}5.{/1}12.2026.", "de-en", "am 5. Dezember 2026.", "12/5/2026"),
        ("am 05.12.<b>2026</b>", "de-en", "am 5. Dezember 2026", "12/5/2026"),
        ("on 04/{1}03{/1}/2026", "en-de", "on April 3, 2026", "3.4.2026"),
        ("on Oct{1} 31, 2013", "en-de", "on October 31, 2013", "31. Oktober 2013"),
        ("at <b>0</b>4/03/2026", "en-de", "at 04/03/2026", "3.4.2026"),
        ("im {1}3.{/1} Stock", "de-en", "im 3. Stock", "3rd"),
    ],
)
def test_dates_and_ordinal_numbers_with_tags_inside_are_read_as_one(source, direction, asked, required):
    numbers = required_quantities(source, *direction.split("-"))
    request = request_of(source, NO_CONSTRAINTS, (), direction, numbers=numbers)
    assert Protection.of(request).request.source == asked
    assert [phrase.text for phrase in request.phrases] == [required]


@pytest.mark.parametrize("month", ["Apr 3, 2026", "04/03/2026"])
def test_month_of_a_date_is_not_written_twice(month):
    source = f"Delivered since {month}."
    request = request_of(source, NO_CONSTRAINTS, (), "en-de", numbers=required_quantities(source, "en", "de"))
    translator = Translator.load(Path("data/models/en-de"))
    protection = Protection.of(request)
    text = protection.restore(translator.translate(protection.request)).hypotheses[0].text
    assert text.count("April") + text.count(".4.") == 1


@pytest.mark.parametrize("line_break", ["{1}", r"\n", "<br/>"])
def test_word_that_goes_on_behind_a_line_break_is_read_as_one(line_break):
    source = f"The envi-{line_break}ronment is clean."
    protection = Protection.of(request_of(source, NO_CONSTRAINTS, (), "en-de"))
    assert protection.request.source == "The envi-\nronment is clean."
    translator = Translator.load(Path("data/models/en-de"))
    text = protection.restore(translator.translate(protection.request)).hypotheses[0].text
    assert "Umgebung" in text and line_break in text
