"""Each tag is placed once in a translation, nested as in the source, at the aligned words."""

from __future__ import annotations

import re
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.tags.insert import insert_tags
from app.tags.placement import FixedSpan, Tag, place_tags
from app.tags.protect import Protection
from engine import Hypothesis, Request
from tests.app.mirror import restored
from tests.app.work import growth

TAG = re.compile(r"\{/?\d+\}")
WORDS = st.sampled_from(["ein", "Haus", "am", "See", "OK", "10", "Wi-Fi"])


@dataclass(frozen=True)
class Case:
    """A source with tags, a target without, and links between their characters."""

    source: str
    target: str
    links: tuple[tuple[int, int, int, int], ...]
    weak_links: tuple[tuple[int, int, int, int], ...] = ()


@st.composite
def cases(draw: st.DrawFn) -> Case:
    number = 0

    def content(depth: int) -> str:
        nonlocal number
        parts = []
        for _ in range(draw(st.integers(0 if depth else 1, 3))):
            kind = draw(st.sampled_from(["word", "word", "pair", "lone"] if depth < 3 else ["word"]))
            if kind == "word":
                parts.append(draw(WORDS))
                continue
            number += 1
            own = number
            parts.append(f"{{{own}}}{content(depth + 1)}{{/{own}}}" if kind == "pair" else f"Bau{{{own}}}")
        return draw(st.sampled_from([" ", " ", ", "])).join(parts)

    source = content(0) + draw(st.sampled_from(["", ".", " !"]))
    target = " ".join(draw(st.lists(WORDS, min_size=1, max_size=7))) + draw(st.sampled_from(["", ".", " ?"]))
    source += "" if re.search(r"\w", TAG.sub("", source)) else "Haus"
    here, there = _spans(Protection.of(Request(source)).request.source), _spans(target)
    pairs = st.tuples(st.sampled_from(here), st.sampled_from(there))
    links, weak_links = draw(st.lists(pairs, max_size=8)), draw(st.lists(pairs, max_size=2))
    return Case(source, target, tuple((*a, *b) for a, b in links), tuple((*a, *b) for a, b in weak_links))


def _spans(text: str) -> list[tuple[int, int]]:
    return [match.span() for match in re.finditer(r"\w+", text)]


def _with_tags(case: Case, prefix: str = "") -> str:
    protection = Protection.of(Request(case.source, prefix=prefix))
    end = len(case.target)
    return protection.restore_hypothesis(
        Hypothesis(
            case.target, 0.0, 0.0, (1,), (0.0,), ((0, end),), alignment=case.links, weak_alignment=case.weak_links
        )
    ).text


def _parents(text: str) -> dict[str, str]:
    """For each tag, the pair around it. Raises if pairs cross."""
    opened, parents = [""], {}
    for tag in TAG.findall(text):
        if tag.startswith("{/"):
            assert opened.pop() == tag.replace("/", ""), f"{text}: {tag} closes what is not the innermost"
            continue
        parents[tag] = opened[-1]
        if tag.replace("{", "{/") in text:
            opened.append(tag)
    assert opened == [""], text
    return parents


@given(cases())
def test_each_tag_is_placed_once_and_nested_as_in_the_source(case):
    result = _with_tags(case)
    assert sorted(TAG.findall(result)) == sorted(TAG.findall(case.source))
    assert _parents(result) == _parents(case.source)


@given(cases())
def test_text_between_the_tags_is_unchanged(case):
    result = _with_tags(case)
    assert "".join(TAG.sub("", result).split()) == "".join(case.target.split())
    # A tag between spaces keeps both, and a pair without text keeps its own.
    if not re.search(r" \{/?\d+\} |\{(\d+)\}(?:\{/?\d+\})*\{/\1\}", f" {case.source} "):
        assert TAG.sub("", result) == case.target


@given(cases(), st.integers(0, 20))
def test_beginning_is_unchanged(case, length):
    prefix = case.target[:length]
    result = _with_tags(case, prefix)
    assert result.startswith(prefix)
    assert sorted(TAG.findall(result)) == sorted(TAG.findall(case.source))
    assert _parents(result) == _parents(case.source)


@given(
    st.lists(st.tuples(st.integers(0, 4), st.integers(0, 5)), max_size=8),
    st.tuples(st.integers(0, 4), st.integers(1, 5)),
)
def test_pair_spans_the_smallest_run_with_all_aligned_words(links, stretch):
    """Compares with a brute-force search over all runs of words. The pair must leave at least one word outside."""
    first, last = stretch[0], min(5, stretch[0] + stretch[1])
    source, target = list("abcde"), list("uvwxyz")
    inside = {t for s, t in links if first <= s < last}
    if not inside or last - first == 5:
        return
    runs = [(a, b) for a in range(6) for b in range(a + 1, 7) if inside <= set(range(a, b))]
    a, b = min(runs, key=lambda run: run[1] - run[0])
    tagged = [*source[:first], "{1}" + " ".join(source[first:last]) + "{/1}", *source[last:]]
    result = _with_tags(
        Case(" ".join(tagged), " ".join(target), tuple((2 * s, 2 * s + 1, 2 * t, 2 * t + 1) for s, t in links))
    )
    assert result == " ".join([*target[:a], "{1}" + " ".join(target[a:b]) + "{/1}", *target[b:]])


@pytest.mark.parametrize(
    ("source", "target", "links", "expected"),
    [
        ("Press {1}OK{/1} now.", "Jetzt OK drücken.", "now-Jetzt Press-drücken", "Jetzt {1}OK{/1} drücken."),
        ("{1}Press OK{/1}.", "Bitte drücken.", "Press-drücken", "{1}Bitte drücken{/1}."),
        ("a {1}b{/1} {2}c{/2}", "x BC", "a-x b-BC c-BC", "x {1}BC{/1}{2}{/2}"),
        ("a {1}b c{/1} {2}d{/2}", "B D C A", "a-A b-B c-C d-D", "{1}B{/1} {2}D{/2} C A"),
        ("the {1}big{/1} dog", "der große Hund", "the-der dog-Hund", "der {1}große{/1} Hund"),
        ("a {1}“b”{/1} c", "C „B“ A", "a-A b-B c-C", "C {1}„B“{/1} A"),
        ("{1}Note:{/1} see b", "Hinweis: siehe B", "Note-Hinweis see-siehe b-B", "{1}Hinweis:{/1} siehe B"),
        ("file{1} opens", "Öffnet die Datei", "file-Datei opens-Öffnet", "Öffnet die Datei{1}"),
        ("open {1}file", "Datei öffnen", "open-öffnen file-Datei", "{1}Datei öffnen"),
        # the same part of the same word
        ("H{1}2{/1}O is on", "an ist H2O", "H2O-H2O is-ist on-an", "an ist H{1}2{/1}O"),
        ("{1}f{/1}ile is", "Datei ist", "file-Datei is-ist", "{1}Datei{/1} ist"),
        ("One.<br/>Two.", "Eins. Zwei.", "One-Eins Two-Zwei", "Eins.<br/>Zwei."),
        ("help choosing<br/>b?", "Hilfe, B zu wählen?", "help-Hilfe choosing-wählen b-B", "Hilfe, B zu<br/>wählen?"),
        (r"one\ntwo\n", "zwei eins", "one-eins two-zwei", r"zwei eins\n\n"),
        ("a<b> b </b>c", "A B C", "a-A b-B c-C", "A<b> B </b>C"),
        ("a <b> b </b> c", "A B C", "a-A b-B c-C", "A <b> B </b> C"),
        # a pair without text is in place of a word, too
        ("a {1}{/1} b", "B A", "a-A b-B", "B A {1}{/1}"),
        ("open <0></0> and", "öffne und", "open-öffne and-und", "öffne <0></0> und"),
        ("press <0><1></1></0>, then", "drücke, dann", "press-drücke then-dann", "drücke <0><1></1></0>, dann"),
        ("open<0></0> it", "öffne es", "open-öffne it-es", "öffne<0></0> es"),
        # pairs that overlap: the inner ends are next to their words
        ("<0>a <1>b</0> c</1>", "A B C", "a-A b-B c-C", "<0>A <1>B</0> C</1>"),
        # a tag in place of a word, at an edge of the text or before a mark
        ("open file <x/>", "Datei öffnen", "open-öffnen file-Datei", "Datei öffnen <x/>"),
        ("open file <x/>.", "Datei öffnen.", "open-öffnen file-Datei", "Datei <x/> öffnen."),
        ("open <x/>, b", "B öffnen, b", "open-öffnen b-B", "B öffnen <x/>, b"),
        ("a <x/> b.", "b B A.", "a-A b-B", "b B A <x/>."),
        ("<x/> files", "Dateien", "files-Dateien", "<x/> Dateien"),
        # before a mark that ends a clause, unless the source has one before the tag
        ("press OK+<b> now", "drücke OK+. jetzt", "press-drücke OK-OK now-jetzt", "drücke OK+<b>. jetzt"),
        ("press OK,<b> now", "drücke OK, jetzt", "press-drücke OK-OK now-jetzt", "drücke OK,<b> jetzt"),
        # ends without a beginning keep their order, also those of overlapping pairs
        ("red{/1} house{/2} now", "jetzt Haus rot", "red-rot house-Haus now-jetzt", "jetzt Haus rot{/1}{/2}"),
        ("{1}red{/1} house{/2} now", "jetzt Haus rot", "red-rot house-Haus now-jetzt", "jetzt Haus {1}rot{/1}{/2}"),
        ("a {1}b {2}c{/1} d{/2} e", "E D C B", "b-B c-C d-D e-E", "E D {1}{2}C B{/1}{/2}"),
        # times of words in WebVTT, too
        ("a <00:01.000>b <00:02.000>c", "A C B", "a-A b-B c-C", "A C <00:01.000><00:02.000>B"),
        ("Press {1}OK{/1} now", "Jetzt OK drücken", "", "Jetzt {1}OK{/1} drücken"),
        # between two sentences, whatever the last word of the first is aligned with
        (
            "Open b now.{1}Close c.",
            "Jetzt B öffnen. C schließen.",
            "now-Jetzt b-B c-C",
            "Jetzt B öffnen.{1}C schließen.",
        ),
        ("Open b now. {1}Close c.", "Jetzt B öffnen. C schließen.", "now-Jetzt c-C", "Jetzt B öffnen. {1}C schließen."),
        ("Open b now.{1}Close c.", "Jetzt B öffnen, C schließen.", "now-Jetzt c-C", "Jetzt{1}B öffnen, C schließen."),
    ],
)
def test_tags_are_placed_next_to_the_aligned_words(source, target, links, expected):
    """`links` are between words; the last two cases are an empty pair and a model without word alignment."""
    assert _with_tags(Case(source, target, _links_between(source, target, links))) == expected


@pytest.mark.parametrize(
    ("source", "target", "links", "weak", "expected"),
    [
        # a word that is not translated: the pair is empty, beside the word before
        ("Klicken {1}Sie{/1} auf b", "Click on B", "Klicken-Click b-B", "", "Click{1}{/1} on B"),
        ("the light {1}area{/1}.", "das Licht ab.", "the-das light-Licht", "", "das Licht {1}{/1}ab."),
        # a weak link is better evidence than a word between the neighbours' partners
        ("x {1}used{/1} by", "X die von benutzt", "x-X by-von", "used-benutzt", "X die von {1}benutzt{/1}"),
        # but not to a word of another pair
        ("a {1}b{/1} {2}c{/2}", "A B", "a-A b-B", "c-B", "A {1}B{/1}{2}{/2}"),
        # nor for a pair with a word that has a sure partner
        ("a {1}b c{/1} d", "D B x A", "a-A b-B d-D", "c-x", "D {1}B{/1} x A"),
    ],
)
def test_pair_around_words_without_partners_is_placed_at_the_likeliest_words_or_stays_empty(
    source, target, links, weak, expected
):
    spans = _links_between(source, target, links), _links_between(source, target, weak)
    assert _with_tags(Case(source, target, *spans)) == expected


def _links_between(source: str, target: str, links: str) -> tuple[tuple[int, int, int, int], ...]:
    """Links between words, from "source-target source-target"."""
    plain = Protection.of(Request(source)).request.source

    def span(text: str, word: str) -> tuple[int, int]:
        start = re.search(rf"(?<!\w){word}(?!\w)", text).start()
        return start, start + len(word)

    named = [link.split("-") for link in links.split()]
    return tuple((*span(plain, first), *span(target, second)) for first, second in named)


def test_fixed_tag_is_not_placed_again_and_its_partner_follows_it():
    tags = [Tag("{1}", "open", 0), Tag("{/1}", "close", 1, number=1), Tag("{2}", "lone", 3, number=2)]
    fixed = [FixedSpan(0, 3, frozenset(tags[:1]))]
    links = ((0, 1, 0, 1), (2, 3, 6, 7))
    assert place_tags(tags, "a b", "A x + B", links, fixed) == [(3, tags[1]), (7, tags[2])]
    both = [FixedSpan(0, 3, frozenset(tags[:2]))]
    assert place_tags(tags, "a b", "A x + B", links, both) == [(7, tags[2])]


def test_tagged_text_maps_old_spans_to_new_ones():
    text = "Das ist URL1, ja"
    made = insert_tags(
        text, [(4, Tag("<b>", "open", 0, True)), (7, Tag("</b>", "close", 1, False, True))], [(8, 12, "a.de")]
    )
    assert made.text == "Das <b>ist</b> a.de, ja"
    places = {text[a:b]: made.text[slice(*made.span(a, b))] for a, b in [(0, 3), (4, 7), (8, 12), (9, 10), (12, 16)]}
    assert places == {"Das": "Das", "ist": "ist", "URL1": "a.de", "R": "a.de", ", ja": ", ja"}


def test_placing_nested_pairs_takes_linear_time():
    def place(num_words: int) -> None:
        pairs = range(30)
        opened, closed = (f"{{{n}}}w " for n in pairs), (f" w{{/{n}}}" for n in reversed(pairs))
        source = f"x {''.join(opened)}{'word ' * num_words}{''.join(closed)} end"
        assert restored(Request(source)).hypotheses[0].text

    assert growth(place, 60) < 2.5
