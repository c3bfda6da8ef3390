"""Messy rows of glossaries: what is found, and what is proposed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.glossary import Term
from app.glossary.reading.glossary_file import read_glossary
from app.glossary.reading.messy_rows import row_proposal
from app.glossary.reading.row_checks import RowDecision, decided, undecided, wrong_with
from tests.app.work import growth

MESSY = [
    ("grinder", "Mahlwerk / Mühle", "alternatives", ["grinder = Mahlwerk = Mühle"]),
    ("grinder", "Mahlwerk/Mühle", "alternatives", ["grinder = Mahlwerk = Mühle"]),
    ("spout", "Auslauf, Ausguss", "alternatives", ["spout = Auslauf = Ausguss"]),
    ("spout", "Auslauf; Ausguss", "alternatives", ["spout = Auslauf = Ausguss"]),
    ("spout", "Auslauf | Ausguss", "alternatives", ["spout = Auslauf = Ausguss"]),
    ("grinder / mill", "Mahlwerk", "alternatives", ["grinder = Mahlwerk", "mill = Mahlwerk"]),
    ("red, green", "rot, grün", "alternatives", ["red = rot", "green = grün"]),
    ("file(s)", "Datei(en)", "alternatives", ["file = Datei", "files = Dateien"]),
    ("power on / off", "schalten", "alternatives", ["power on = schalten"]),  # "off" alone is in many sentences
    ("engine", "der Motor", "article", ["engine = Motor"]),
    ("engine", "Motor, der", "article", ["engine = Motor"]),
    ("the engine", "Motor", "article", ["engine = Motor"]),
    ("engine, the", "Motor", "article", ["engine = Motor"]),
    ("to save", "speichern", "article", ["save = speichern"]),
    ("employee", "der/die Angestellte", "article", ["employee = Angestellte"]),
    ("engine", "Motor (m)", "label", ["engine = Motor"]),
    ("engine", "Motor, m.", "label", ["engine = Motor"]),
    ("engine", "Motor m", "label", ["engine = Motor"]),
    ("valve", "Ventil, -s, -e", "label", ["valve = Ventil"]),
    ("tap", "der Hahn, ¨-e", "article", ["tap = Hahn"]),
    ("valve (see also: tap)", "Ventil", "label", ["valve = Ventil"]),
    ("valve", "Ventil (vgl. Hahn)", "label", ["valve = Ventil"]),
    ("valve", "1. Ventil 2. Hahn", "alternatives", ["valve = Ventil = Hahn"]),
    ("valve", "1) Ventil, 2) Hahn", "alternatives", ["valve = Ventil = Hahn"]),
    ("valve", "Ventil • Hahn", "alternatives", ["valve = Ventil = Hahn"]),
    ("valve", "Ventil<br>Hahn", "alternatives", ["valve = Ventil = Hahn"]),
    ("pump", "Pumpe, die (Pl.: Pumpen)", "article", ["pump = Pumpe"]),
    ("valve", "siehe Hahn", "no_target", []),
    ("valve", "→ Hahn", "no_target", []),
    ("valve", "s. Hahn", "no_target", []),
    ("Photoshop", "nicht übersetzen", "no_target", ["Photoshop = Photoshop"]),
    ("Photoshop", "[DNT]", "no_target", ["Photoshop = Photoshop"]),
    ("valve", "Ventil bzw. Hahn", "alternatives", ["valve = Ventil = Hahn"]),
    ("engine", "(der) Motor", "label", ["engine = Motor"]),
    ("file (noun)", "Datei", "label", ["file = Datei"]),
    ("data (n., pl.)", "Daten", "label", ["data = Daten"]),
    ("gear [tech.]", "Getriebe", "label", ["gear = Getriebe"]),
    ("<b>file</b>", "Datei", "markup", ["file = Datei"]),
    ("**file**", "`Datei`", "markup", ["file = Datei"]),
    ("Q&amp;A", "F&amp;A", "markup", ["Q&A = F&A"]),
    ("a", "ein", "function_word", []),
    ("in", "in", "function_word", []),
    ("The", "Der", "function_word", []),
    ("of the", "des", "function_word", []),
    ("C", "C", "function_word", []),
    ("grinder", "-", "no_target", []),
    ("grinder", "n/a", "no_target", []),
    ("grinder", "TBD", "no_target", []),
    ("grinder", "(t.b.d.)", "no_target", []),
    ("grinder", "TODO", "no_target", []),
    ("grinder", "???", "no_target", []),
    ("grinder", "Mahlwerk oder Mühle", "alternatives", ["grinder = Mahlwerk = Mühle"]),
    ("grinder", "Mahlwerk, Mühle oder Mahler", "alternatives", ["grinder = Mahlwerk = Mühle = Mahler"]),
    ("grinder or mill", "Mahlwerk", "alternatives", ["grinder = Mahlwerk", "mill = Mahlwerk"]),
    ("valve", "= nicht: Klappe", "no_target", []),
    ("valve", "NICHT Klappe verwenden", "no_target", []),
    ("valve", "do not use: Klappe", "no_target", []),
    ("valve", "Ventil (nicht: Klappe)", "label", ["valve = Ventil"]),
    ("valve", "Ventil (nie Klappe)", "label", ["valve = Ventil"]),
    ("valve", "Ventil, nicht Klappe", "label", ["valve = Ventil"]),
    ("valve", "Ventil; nicht: Klappe", "label", ["valve = Ventil"]),
    ("valve", "Ventil, Pl. Ventile", "label", ["valve = Ventil"]),
    ("valve", "das Ventil (die Ventile)", "article", ["valve = Ventil"]),
    ("valve", "Ventil – das", "article", ["valve = Ventil"]),
    ("valve", "Ventil (Abk.: V)", "label", ["valve = Ventil"]),
    ("valve", "Ventil {n}", "label", ["valve = Ventil"]),
    ("valve (BE), tap (AE)", "Hahn", "alternatives", ["valve = Hahn", "tap = Hahn"]),
    ("valve", "Ventil (DE), Hahn (AT)", "alternatives", ["valve = Ventil = Hahn"]),
    ("(to) open", "öffnen", "label", ["open = öffnen"]),
    ("to open sth.", "etw. öffnen", "label", ["open = öffnen"]),
    ("to help s.o.", "jdm. helfen", "label", ["help = helfen"]),
    ("Word", "wie EN", "no_target", ["Word = Word"]),
    ("Word", "= Englisch", "no_target", ["Word = Word"]),
    ("valve", "Ventil ???", "remark", ["valve = Ventil"]),
    ("valve", "?Ventil", "remark", ["valve = Ventil"]),
    ("valve *", "Ventil", "remark", ["valve = Ventil"]),
    ("valve", "„Ventil“", "remark", ["valve = Ventil"]),
    ("the grinder (n)", "das <b>Mahlwerk</b> / die Mühle (f)", "markup", ["grinder = Mahlwerk = Mühle"]),
]


@pytest.mark.parametrize(("source", "target", "kind", "becomes"), MESSY)
def test_messy_row_has_a_proposal(source: str, target: str, kind: str, becomes: list[str]):
    proposal = row_proposal(Term(source, target, 7), "en", "de")
    assert proposal is not None
    assert [" = ".join((term.source, *term.targets)) for term in proposal.becomes] == becomes
    assert all(term.row == 7 for term in proposal.becomes)
    if len({source, target}) == 2 and "<b>" not in target:
        assert proposal.kind == kind


IN_ORDER = [
    ("router", "Router"),
    ("TCP/IP", "TCP/IP"),
    ("I/O", "E/A"),
    ("km/h", "km/h"),
    ("C++", "C++"),
    ("R&D", "F&E"),
    ("IT", "IT"),  # capitals tell it from "it"
    ("New York", "New York"),
    ("Der Spiegel", "Der Spiegel"),  # a name
    ("user's guide", "Benutzerhandbuch"),
    ("hertz (Hz)", "Hertz (Hz)"),  # an abbreviation is no label
    ("router (network device)", "Router"),
    ("1,000", "1.000"),
    ("list -l", "list -l"),
    ("pre- and post-processing", "Vor- und Nachbereitung"),
    ("step 1. Open", "Schritt 1. Öffnen"),
    ("5, 6", "5, 6"),
    ("snake_case_name", "snake_case_name"),
    ("2*3*4", "2*3*4"),
    ("vitamin D", "Vitamin D"),
    ("power of attorney", "Vollmacht"),
    ("Please wait, then continue with the rest.", "Bitte warten Sie, und fahren Sie dann fort."),
    ("§", "Paragraf"),
    ("<file>", "<Datei>"),  # a word of the text, not an element of HTML
    ("/", "/"),
    ("5", "fünf"),
    ("n/a", "k. A."),
    ("-", "–"),
    ("percent", "%"),
    ("see above", "siehe oben"),
    ("do not translate", "nicht übersetzen"),
    ("euro", "€"),
    ("sodium", "Na"),
    ("true or false", "wahr oder falsch"),
    ("Trick or Treat", "Trick or Treat"),
    ("pre- or post-processing", "Vor- oder Nachbereitung"),
    ("full name", "Vor- oder Nachname"),
    ("unavailable", "nicht verfügbar"),
    ("no access", "kein Zugriff"),
    ("do not use: flap", "nicht verwenden: Klappe"),
    ("not: empty", "nicht: leer"),
    ("Why?", "Warum?"),
    ("*.txt", "*.txt"),
    ("{n} guests", "{n} Gäste"),
    ("unpacked (not set up)", "entpackt (nicht eingerichtet)"),
    ("'exit-nopipe'", "»exit-nopipe«"),
    ("starred version", "*-Version"),
    ("What Is Needed to Start", "Was wird dazu gebraucht?"),
    ("“Open”", "„Öffnen“"),
    ("information technology (IT)", "Informationstechnik (IT)"),
    ("CO", "CO"),
]


@pytest.mark.parametrize(("source", "target"), IN_ORDER)
def test_row_in_order_has_none(source: str, target: str):
    assert row_proposal(Term(source, target), "en", "de") is None


def test_languages_decide_what_an_article_is():
    proposal = row_proposal(Term("l’écran", "screen"), "fr", "en")
    assert proposal is not None and proposal.becomes[0].source == "écran"
    assert row_proposal(Term("die", "Matrize"), "en", "de") is None
    assert row_proposal(Term("die", "the"), "de", "en") is not None
    assert row_proposal(Term("文", "text"), "zh", "en") is None, "one letter of a script without spaces is a word"


def test_other_fields_of_the_term_stay():
    term = Term("IT / PC", "die IT / PC", 3, status="exact", case="exact", note="x", glossary="g.csv")
    proposal = row_proposal(term, "en", "de")
    assert proposal is not None
    assert {(one.status, one.case, one.note, one.glossary, one.row) for one in proposal.becomes} == {
        ("exact", "exact", "x", "g.csv", 3)
    }
    kept = row_proposal(Term("Alpha / Beta", "Alpha / Beta", status="do_not_translate"), "en", "de")
    assert kept is not None and [(one.source, one.target) for one in kept.becomes] == [
        ("Alpha", "Alpha"), ("Beta", "Beta"),
    ]  # fmt: skip


CELLS = st.text(st.sampled_from("abM öder/;|,()[]<b>&*_`'’m.f n"), max_size=24)


@given(CELLS, CELLS)
def test_proposed_terms_are_valid_and_need_no_further_decision_on_markup(source: str, target: str):
    term = Term(source.strip(), target.strip(), 1)
    if wrong_with(term) is None and (proposal := row_proposal(term, "en", "de")) is not None:
        for one in proposal.becomes:
            assert wrong_with(one) is None
            assert one.source.strip() == one.source and not one.source.startswith("<b>")


@pytest.mark.parametrize("cell", ["a/", "a, ", "(m) ", "<b>", "**a** ", "der ", "&amp;", "[x]", "((((", "a;"])
def test_long_cells_are_read_in_linear_time(cell: str):
    assert growth(lambda size: row_proposal(Term(cell * size, cell * size), "en", "de"), 700) < 3


def test_file_holds_messy_rows_with_their_lines_and_proposals():
    read = read_glossary("file,Datei\nthe,der\ngrinder,Mahlwerk / Mühle\n".encode(), "terms.csv", "en-de")
    assert [term.source for term in read.terms] == ["file"]
    assert [(report.row, str(undecided(report))) for report in read.held] == [
        (2, "“the” occurs in nearly every sentence; the row is not used. Proposal: leave it out"),
        (3, "“Mahlwerk / Mühle” seems to list alternatives; the row is not used. Proposal: Mahlwerk | Mühle"),
    ]

    def sources(decision: RowDecision) -> list[str]:
        return [term.source for term in decided(read.terms, ((report, decision) for report in read.held))]

    assert (sources("leave"), sources("accept"), sources("keep")) == (
        ["file"], ["file", "grinder"], ["file", "the", "grinder"],
    )  # fmt: skip
