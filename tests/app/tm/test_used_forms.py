"""Forms of glossary targets learned from the memory: what counts as a form, and its use in the workspace."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.access.actor import OWNER
from app.glossary import Term
from app.glossary.lemmas import MAX_FORMS
from app.log.store import LogStore
from app.segments.view import detail_view
from app.tm.entries import MemoryEntry
from app.tm.index import MemoryIndex
from app.tm.prefill import index_of_pairs
from app.tm.tmx_memory import write_tmx
from app.tm.used_forms import is_form, used_forms, with_used_forms
from app.workspace.commands import Workspace
from engine import form_list
from tests.app.hand_decoder import HandDecoder, make_workspace, ready_model, settle

FORMS = [
    ("fichier", "fichiers", True, "an ending"),
    ("fichier", "Fichiers", True, "at the start of a sentence"),
    ("cheval", "chevaux", True, "an ending exchanged"),
    ("sesión", "sesiones", True, "an accent that goes"),
    ("Passwort", "Passwörter", True, "an umlaut that comes"),
    ("fichier", "fichier", False, "the word itself"),
    ("fichier", "Fichier", False, "the word itself at the start of a sentence"),
    ("Router", "routern", False, "a word of another kind"),
    ("Netz", "Netzwerk", False, "a compound"),
    ("Hub", "Hubs", False, "too short to tell"),
    ("serveur", "service", False, "too little is alike"),
    ("ordinateur", "ordination", False, "too much of the word goes"),
    ("fichier", "fichier2", False, "no word"),
]


@pytest.mark.parametrize(("word", "other", "expected", "why"), FORMS, ids=[why for *_, why in FORMS])
def test_form_has_a_short_ending_added_or_replaced(word: str, other: str, expected: bool, why: str):
    assert is_form(word, other) is expected, why


def test_form_list_decides_for_listed_words():
    german = form_list("de")
    assert is_form("Konto", "Konten", german) and not is_form("Konto", "Kontoren", german)
    assert is_form("Ordner", "Ordnerei") and not is_form("Ordner", "Ordnerei", german)
    assert is_form("Bilddaten", "Bilddatei") and not is_form("Bildordner", "Ordnung", german)
    assert is_form("Zwirbler", "Zwirblern", german), "unknown to the list"


LETTERS = st.text(st.sampled_from("abcdeé"), min_size=1, max_size=12)


@given(LETTERS, LETTERS, LETTERS)
def test_form_shares_four_letters_and_all_but_two(stem: str, one: str, other: str):
    word, form = stem + one, stem + other
    bare, bare_form = word.replace("é", "e"), form.replace("é", "e")
    shared = max(n for n in range(len(bare) + 1) if bare_form.startswith(bare[:n]))
    fits = shared >= 4 and len(bare) - shared <= 2 and len(bare_form) - shared <= 3 and bare != bare_form
    assert is_form(word, form) == (fits and word[0] == form[0])


USED = [
    ("Ouvrez les fichiers.", "fichier", ["fichiers"]),
    ("Fichiers et {1}fichiers{/1}", "fichier", ["fichiers", "fichiers"]),
    ("Fichier : la liste des fichiers", "fichier", []),
    ("Les panneaux latéraux", "panneau latéral", ["panneaux latéraux"]),
    ("Les panneaux et les volets latéraux", "panneau latéral", []),
    ("l’ordinateur, d’ordinateurs", "ordinateur", []),
    ("Trop d’ordinateurs", "ordinateur", ["ordinateurs"]),
    ("Les fichiers de configuration", "fichier de configuration", ["fichiers de configuration"]),
    ("", "fichier", []),
    ("fichiers", "", []),
]


@pytest.mark.parametrize(("text", "target", "expected"), USED)
def test_form_is_found_only_if_the_target_itself_is_missing(text: str, target: str, expected: list[str]):
    assert used_forms(text, [target], 1, None) == expected


def test_forms_come_only_from_entries_with_the_term_newest_first():
    index = index_of_pairs(
        [
            ("The file is open.", "Le fichier est ouvert."),
            ("The file list", "La liste des fichiers"),
            ("Profiles", "Fichiera"),
            ("Each file.", "Fichiere."),
        ]
    )
    assert with_used_forms(Term("file", "fichier"), index, "en", "fr").inflections == ("fichiere", "fichiers")
    for status in ("exact", "do_not_translate", "forbidden"):
        term = Term("file", "fichier", status=status)
        assert with_used_forms(term, index, "en", "fr") is term
    for term in (Term("file", "fichier", is_for_document=True), Term("filer", "fichier"), Term("files", "fichier")):
        assert with_used_forms(term, index, "en", "fr") is term
    varied = with_used_forms(Term("file", "document", variants=("fichier",)), index, "en", "fr")
    assert set(varied.inflections) == {"fichiers", "fichiere"}, "those of variants too"
    full = Term("file", "fichier", inflections=tuple(map(str, range(MAX_FORMS))))
    assert with_used_forms(full, index, "en", "fr").inflections == full.inflections, "no more than may be asked for"


SENTENCES = st.lists(st.sampled_from(["open", "opens", "file", "files", "a", "7"]), min_size=1, max_size=4).map(
    " ".join
)


@given(st.lists(SENTENCES, max_size=12), SENTENCES, st.integers(1, 5))
def test_entries_with_the_words_are_found_last_added_first(sources: list[str], words: str, count: int):
    index = MemoryIndex()
    for number, source in enumerate(sources):
        index.add(number % 8, MemoryEntry(source, str(number)))
    found = index.with_words(words, len(sources) + 1)
    expected = [e for e in reversed(index.entries()) if set(words.split()) <= set(e.source.split())]
    assert [entry for entry in found if set(words.split()) <= set(entry.source.split())] == expected
    assert index.with_words(words, count) == found[:count]


TEXT = (
    "Restart the zwirbler.\nThe zwirblers are here.\nAll zwirbler parts.\nClose the zwirbler.\nUpdate the zwirbler.\n"
)


@pytest.fixture
def decoder() -> HandDecoder:
    return HandDecoder()


@pytest.fixture
def workspace(store: LogStore, decoder: HandDecoder) -> Iterator[Workspace]:
    """Four segments that hold a term whose target no list knows; the memory is empty and has been read."""
    workspace = make_workspace(store, ready_model(decoder), TEXT)
    settle(workspace)
    workspace.memory.library.index(workspace.direction)
    workspace.open(OWNER, 0)
    answer(workspace, decoder)
    workspace.glossaries.put(OWNER, "g.tsv", [Term("zwirbler", "Zwirbler", 1)])
    answer(workspace, decoder)
    yield workspace
    workspace.close()


def answer(workspace: Workspace, decoder: HandDecoder) -> None:
    for _ in range(3):
        decoder.answer_all()
        settle(workspace)


def forms(decoder: HandDecoder, index: int) -> tuple[str, ...]:
    (phrase,) = decoder.of(index)[-1][0].phrases
    return tuple(phrase.forms)


def test_confirmed_form_is_allowed_in_segments_opened_later(workspace: Workspace, decoder: HandDecoder):
    assert forms(decoder, 0) == forms(decoder, 2) == ()
    workspace.confirm(OWNER, 0, "Mit den Zwirblern.")
    version = workspace.segments[2].version
    workspace.open(OWNER, 2)
    assert forms(decoder, 2) == ("Zwirblern",) == workspace.segments[2].hits[0].term.inflections
    assert workspace.segments[2].version == version, "nobody has done anything in it"
    request = workspace.store.last_event(workspace.session_id, "decode_request")
    assert request is not None and request.payload["constraints"][0]["forms"] == ["Zwirblern"]
    answer(workspace, decoder)
    assert forms(decoder, 3) == forms(decoder, 4) == ("Zwirblern",), "those behind it are asked for ahead"
    workspace.edit(OWNER, 2, "Teile von Zwirblern.", "typed")
    assert "Zwirblern" in str(detail_view(workspace.segments[2]))
    workspace.reopen(OWNER, 0)
    workspace.open(OWNER, 2)
    assert workspace.segments[2].hits[0].term.inflections == (), "it is in the memory no longer"


def test_imported_memory_adds_forms_without_changing_text_or_version(workspace: Workspace, decoder: HandDecoder):
    workspace.edit(OWNER, 2, "Eigenes.", "typed")
    before = workspace.segments[2]
    data = write_tmx([MemoryEntry("A zwirbler.", "Eines Zwirblers.")], "en", "de")
    workspace.memory.import_memory(OWNER, data, "old.tmx")
    workspace.open(OWNER, 2)
    after = workspace.segments[2]
    assert after.hits[0].term.inflections == ("Zwirblers",)
    assert (after.target, after.state, after.version) == (before.target, before.state, before.version)
    workspace.memory.library.forget()
    workspace.open(OWNER, 2)
    assert workspace.segments[2].hits == after.hits, "a memory that is not read yet changes nothing"


def test_changing_other_terms_keeps_forms_from_the_memory(workspace: Workspace, decoder: HandDecoder):
    workspace.confirm(OWNER, 0, "Mit den Zwirblern.")
    workspace.open(OWNER, 2)
    workspace.open(OWNER, 3)
    answer(workspace, decoder)
    workspace.confirm(OWNER, 4, "Der Zwirblerin.")
    num_asked = len(decoder.of(2))
    (glossary,) = workspace.terms.glossaries
    workspace.glossaries.edit(OWNER, glossary.id, {glossary.next_number(): Term("zwirbler", "Zwirbler", 2)})
    answer(workspace, decoder)
    assert workspace.segments[2].hits[0].term.inflections == ("Zwirblern",)
    assert len(decoder.of(2)) == num_asked
