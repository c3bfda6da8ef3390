"""Term matching: compared with brute force, and in tables with the reason in each row."""

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.glossary import Glossary, Term, TermHit, term_matcher
from app.text.function_words import is_joined_part
from engine.text import occurrences
from tests.app.work import growth

# Letters of both cases, a mark that composes with a and not with b, digits and their joiners, signs, a word joiner.
ALPHABET = "aAbB\u030113.,-_ +²"
TEXT = st.text(st.sampled_from(ALPHABET), max_size=14).map(
    lambda text: re.sub(" +", " ", unicodedata.normalize("NFC", text))
)
SOURCES = st.lists(TEXT.map(str.strip).filter(bool).map(lambda s: s[:5].strip()).filter(bool), min_size=1, max_size=6)


def all_matches(text: str, terms: tuple[Term, ...]) -> set[tuple[Term, int, int]]:
    """Every span of the text compared with every term."""
    found = set()
    for start in range(len(text)):
        for end in range(start + 1, len(text) + 1):
            for term in terms:
                span = text[start:end]
                if term.is_case_exact:
                    is_same = span == term.source
                else:
                    is_same = [c.lower() for c in span] == [c.lower() for c in term.source]
                is_part = is_part_of_name(text, start, end) or is_part_of_compound(text, start, end, term.source)
                if is_same and (start, end) in occurrences(text, span) and not is_part:
                    found.add((term, start, end))
    return found


def is_part_of_name(text: str, start: int, end: int) -> bool:
    """True if it is less than a whole name: words held together by underscores, or an option such as "--all"."""
    is_held = [character.isalnum() or character == "_" for character in text] + [False]
    names = []
    for first in range(len(text)):
        goes_on = first > 0 and is_held[first - 1]
        last = first
        if is_held[first] and not goes_on:
            last = is_held.index(False, first)
            written = text[first:last].rstrip("_")
            last = first + (len(written) if "_" in written.lstrip("_") else 0)
        elif text[first:].startswith("--") and is_held[min(first + 2, len(text))] and not goes_on:
            last = next(n for n in range(first + 2, len(text) + 1) if not is_held[n] and text[n : n + 1] != "-")
            last = first if first > 0 and text[first - 1] == "-" else last
        names.append((first, last))
    return any(first <= start and end <= last and end - start < last - first for first, last in names)


def is_part_of_compound(text: str, start: int, end: int, source: str) -> bool:
    """True if a hyphen joins the span to one or two letters; two capitals are a word, except in a text in capitals."""
    before = re.search(r"([^\W_]|[\u0301])+(?=-\Z)", text[:start]) if text[start] not in ".,-_ +" else None
    after = re.match(r"-(([^\W_]|[\u0301])+)", text[end:]) if text[end - 1] not in ".,-_ +" else None
    parts = [match[0].strip("-") for match in (before, after) if match]
    if text[start:end].isupper() and not source.isupper():
        parts = [part.lower() for part in parts]
    return any(is_joined_part(part, "") for part in parts)


def key(hit: TermHit) -> tuple[Term, int, int]:
    return hit.term, hit.start, hit.end


@given(TEXT, SOURCES)
def test_search_finds_the_same_terms_as_comparing_every_span(text: str, sources: list[str]) -> None:
    terms = tuple(Term(source, "x", row) for row, source in enumerate(sources))
    matches = term_matcher(terms).search(text)
    assert {key(hit) for hit in (*matches.hits, *matches.suppressed)} == all_matches(text, terms)


@given(TEXT, SOURCES)
def test_hits_do_not_overlap_and_only_longer_or_earlier_ones_suppress(text: str, sources: list[str]) -> None:
    matches = term_matcher(tuple(Term(source, "x", row) for row, source in enumerate(sources))).search(text)
    for earlier, later in zip(matches.hits, matches.hits[1:], strict=False):
        assert earlier.end <= later.start
    for lost in matches.suppressed:
        overlapping = [hit for hit in matches.hits if hit.start < lost.end and lost.start < hit.end]
        assert any((lost.start - lost.end, lost.start) >= (hit.start - hit.end, hit.start) for hit in overlapping)


@given(st.text(max_size=40), st.lists(st.text(min_size=1, max_size=6), max_size=5))
def test_any_text_can_be_searched_and_spans_lie_inside(text: str, sources: list[str]) -> None:
    for hit in term_matcher(tuple(Term(source, "x") for source in sources)).find(text):
        assert 0 <= hit.start < hit.end <= len(text)


@pytest.mark.parametrize(
    ("text", "source", "found"),
    [
        ("The Router and the router", "router", ["Router", "router"]),  # no inner capital: either case
        ("ROUTER", "router", ["ROUTER"]),  # a heading
        ("IT says it", "IT", ["IT"]),  # inner capital: exact
        ("The iPhone, not the iphone", "iPhone", ["iPhone"]),
        ("a new york minute in New York", "New York", ["new york", "New York"]),  # capitals begin words only
        ("routers, router's", "router", ["router"]),  # an apostrophe is a boundary, a letter is not
        ("web-mail, e-mail and mail", "mail", ["mail", "mail"]),  # a hyphen joins words, but no less than a word
        ("C++, C+++ and C", "C++", ["C++", "C++"]),  # signs have no boundary of their own
        (".NET and .net", ".NET", [".NET"]),
        ("1.000 and 1. and 1", "1", ["1", "1"]),  # a digit behind the dot makes it one number
        ("hard  disk, hard\u00a0disk, hard\ndisk", "hard disk", ["hard  disk", "hard\u00a0disk", "hard\ndisk"]),
        ("the user’s guide", "user's guide", ["user’s guide"]),  # curly and straight apostrophes
        ("Cafe\u0301 Müller", "café", ["Cafe\u0301"]),  # decomposed in the text, composed in the term
        ("Café Müller", "cafe\u0301", ["Café"]),  # and the other way round
        ("ne\u0301e", "e", []),  # é is one letter, not e and a sign
        ("İstanbul istanbul", "istanbul", ["İstanbul", "istanbul"]),  # its lower case has two characters
        ("ΟΔΌΣ", "οδός", ["ΟΔΌΣ"]),  # a final sigma is another form of a letter
        ("snake_case, __to_case(3), case_of and case", "case", ["case"]),  # part of a name in code is no word
        ("_case_ and __case__", "case", ["case", "case"]),  # which underscores around a word do not make
        ("snake_case", "snake_case", ["snake_case"]),  # unless the name is the term
        ("the date of date(1), date() and date(s)", "date", ["date", "date"]),  # a manual page and a function are names
        ("--file takes a file - or file--copy", "file", ["file", "file"]),  # and so is an option
        ("m² and m", "m", ["m"]),  # ² is a number, so m² is another word
        ("中文字", "文", ["文"]),  # scripts without spaces: by substring
        ("使用Router吗", "router", ["Router"]),  # and other words among them
        ("ดี", "ด", []),  # a vowel sign changes the letter before it
        ("", "a", []),
    ],
)
def test_term_is_found_only_as_a_whole_word(text: str, source: str, found: list[str]) -> None:
    hits = term_matcher((Term(source, "x"),)).find(text)
    assert [text[hit.start : hit.end] for hit in hits] == found


@pytest.mark.parametrize(
    ("text", "sources", "found"),
    [
        ("The files and add-ons. Please add it.", ["add", "add-on"], ["add-ons", "add"]),  # the compound's own term
        ("add-ons", ["add"], []),
        ("ADD-ONS AND E-MAIL", ["add", "mail", "add-on"], ["ADD-ONS"]),
        ("add‑ons", ["add", "add-on"], ["add‑ons"]),
        ("an e\u00ad-mail", ["e-mail", "mail"], ["e\u00ad-mail"]),
        ("a non-stick pan, plug-ins, a set-up, a pop-up", ["stick", "plug", "set", "pop"], []),
        ("state-of-the-art", ["state", "art"], []),
        ("the IT-department, a USB-cable, a 3-phase motor", ["department", "cable", "phase"],
         ["department", "cable", "phase"]),
        ("E-mail-addresses, an e-mail-address", ["address"], ["address"]),  # "mail" is a word
        ("the check-in and check-ins", ["check-in"], ["check-in", "check-ins"]),
        ("add-onset", ["add-on"], []),
        ("add- and other", ["add"], ["add"]),  # nothing is joined
    ],
)  # fmt: skip
def test_term_in_a_hyphenated_compound(text: str, sources: list[str], found: list[str]) -> None:
    hits = term_matcher(tuple(Term(source, "x") for source in sources), "en").find(text)
    assert [text[hit.start : hit.end] for hit in hits] == found


def test_german_compound_keeps_its_words_after_an_acronym() -> None:
    terms = term_matcher((Term("Abteilung", "department"), Term("IT", "IT")), "de")
    assert [hit.term.source for hit in terms.find("Die IT-Abteilung")] == ["IT", "Abteilung"]


@pytest.mark.parametrize(
    "text",
    [
        "git@add:x.git", "root@file", "add:8080/file", "file::add", "file->add", "--mode=add", "<?= $add ?>", "#{add}",
        "{{ add file }}", "${add.file}", "`git add`", "```add file```", "$t(add.key)", "<%= add %>", "%(add)s",
        "%{add}", "%add%", ":add", "@:add", "@add", "#add", "C:\\add\\file", "\\\\server\\add", "%APPDATA%\\add",
        "www.harbor.example/add", "add.harbor.org", "add.py", "src/add/file.py", "./add/file", "add/file.txt",
        "<code>add</code>", "{% add %}", "&add;", "mailto:add@harbor.example", "file.add()", "add_file",
    ],
)  # fmt: skip
def test_term_is_not_found_in_names_placeholders_and_code(text: str) -> None:
    assert term_matcher((Term("add", "x"), Term("file", "y"))).find(text) == ()


@pytest.mark.parametrize(
    "text", ["add, file.", "add/file", "add: file", "The add.Then file", "[add]", "10:add", "(add)"]
)
def test_term_is_found_beside_marks_of_prose(text: str) -> None:
    assert term_matcher((Term("add", "x"),)).find(text)


@pytest.mark.parametrize(
    "unit",
    [
        "add ",
        "add-",
        "add-ons ",
        "/add",
        "`add ",
        "<code>",
        "add.",
        "a_",
        "@add ",
        "C:\\add",
        "add::",
        "add@",
        "add:80",
        "<%",
    ],
)
def test_long_texts_are_searched_in_linear_time(unit: str) -> None:
    terms = term_matcher((Term("add", "x"), Term("add-on", "y")), "en")
    assert growth(lambda size: terms.search(unit * size), 1000) < 3


def test_longest_term_wins_and_others_are_reported_as_suppressed() -> None:
    glossary = term_matcher(
        (Term("network", "Netz"), Term("wireless network", "WLAN"), Term("network cable", "Netzkabel"))
    )
    matches = glossary.search("The wireless network cable.")
    assert [(hit.term.source, hit.start) for hit in matches.hits] == [("wireless network", 4)]
    assert {hit.term.source for hit in matches.suppressed} == {"network", "network cable"}


def test_case_sensitive_term_wins_over_one_with_the_same_letters() -> None:
    glossary = term_matcher((Term("it", "es", 1), Term("IT", "Informatik", 2)))
    assert [hit.term.target for hit in glossary.find("IT is what it is")] == ["Informatik", "es"]


TERMS = {
    "lemma": Term("power cable", "Netzkabel", matching="lemma"),
    "irregular": Term("mouse", "Maus", matching="lemma"),
    "acronym": Term("PC", "PC", matching="lemma"),
    "prefix": Term("encrypt", "verschlüsseln", matching="prefix"),
    "prefix of two": Term("user acc", "Benutzerkonto", matching="prefix"),
    "exact case": Term("Windows", "Windows", case="exact"),
    "any case": Term("IT", "Informatik", case="any"),
}


@pytest.mark.parametrize(
    ("kind", "text", "found"),
    [
        ("lemma", "Power cables and a power cable", ["Power cables", "power cable"]),
        ("lemma", "powerful cable", []),
        ("irregular", "Two mice, one mouse", ["mice", "mouse"]),
        ("acronym", "PCs and pc", ["PCs"]),  # capitals that matter, matter in other forms too
        ("prefix", "It encrypts: encryption, encrypt, unencrypted", ["encrypts", "encryption", "encrypt"]),
        ("prefix of two", "User accounts of a user", ["User accounts"]),
        ("exact case", "Windows has windows", ["Windows"]),
        ("any case", "it and IT", ["it", "IT"]),
    ],
)
def test_term_is_found_in_its_allowed_forms_and_capitals(kind: str, text: str, found: list[str]) -> None:
    hits = term_matcher((TERMS[kind],), language="en").find(text)
    assert [text[hit.start : hit.end] for hit in hits] == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("a power {1}cable{/1} here", "power {1}cable"),  # half of the term in a link
        ("{1}power cable{/1}", "power cable"),
        ("<b>power</b> cable", "power</b> cable"),
        ("power <i> cable</i>", "power <i> cable"),  # two spaces around a tag are one
        ("power{1} cable", None),  # an unpaired placeholder stands for something
        ("power <br/>cable", None),
    ],
)
def test_paired_tags_do_not_hide_a_term(text: str, found: str | None) -> None:
    hits = term_matcher((Term("power cable", "Netzkabel"),)).find(text)
    assert [text[hit.start : hit.end] for hit in hits] == ([found] if found else [])
    assert all(hit.text == "power cable" for hit in hits)


def test_status_decides_between_terms_for_the_same_words_and_the_other_is_a_rival() -> None:
    kept, exact, preferred = (
        Term("router", "router", 3, status="do_not_translate"),
        Term("router", "Router", 2, status="exact"),
        Term("router", "Wegewähler", 1),
    )
    (hit,) = term_matcher((preferred, exact, kept)).find("a router")
    assert (hit.term, hit.rivals) == (kept, (exact, preferred))
    (hit,) = term_matcher((Term("router", "x", is_for_document=True), kept)).find("a router")
    assert hit.term.target == "x", "what a person required in the document goes first"


def test_term_is_not_found_inside_an_address_or_a_tag() -> None:
    terms = term_matcher((Term("harbor", "Hafen"), Term("a@harbor.example", "a@hafen.example")))
    assert terms.find('See https://harbor.example/harbor, /mnt/harbor and <a href="harbor">') == ()
    assert [hit.term.target for hit in terms.find("a@harbor.example, harbor")] == ["a@hafen.example", "Hafen"]


def test_forbidden_term_does_not_suppress_terms_and_loses_to_a_longer_one() -> None:
    forbidden = Term("network", "Netz", 1, status="forbidden")
    terms = (forbidden, Term("network", "Netzwerk", 2), Term("wireless network", "WLAN", 3))
    matches = term_matcher(terms).search("A network, a wireless network")
    assert [(hit.term.target, hit.start) for hit in matches.hits] == [("Netz", 2), ("Netzwerk", 2), ("WLAN", 13)]
    assert [hit.term.target for hit in matches.suppressed] == ["Netz", "Netzwerk"]


def test_hundred_thousand_terms_are_searched_quickly() -> None:
    # All begin with the same word: looking through them one by one would be the brute force above.
    terms = tuple(Term(f"the {number}th term", f"Begriff {number}", number) for number in range(100_000))
    hits = term_matcher(terms).find("Is the 77777th term the last, or the 99999th term?")
    assert [hit.term.row for hit in hits] == [77_777, 99_999]


def test_checksum_depends_only_on_the_terms() -> None:
    one = Glossary.of(1, "one.tsv", [Term("a", "b", 1)])
    assert one.checksum == Glossary.of(2, "two.tsv", [Term("a", "b", 9)]).checksum
    assert one.checksum != Glossary.of(1, "one.tsv", [Term("a", "c", 1)]).checksum
