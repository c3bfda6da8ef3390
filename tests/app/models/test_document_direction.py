"""The direction of a new document, from its file, its text or the flag; and the document restarted in another one."""

from __future__ import annotations

import itertools
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from app.access.actor import OWNER
from app.errors import CommandError
from app.formats.read_file import read_file
from app.glossary.model import Term
from app.log.store import LogStore
from app.models import document_models as models
from app.models.document_direction import decide, targets_by_source
from app.models.loading import ModelHandle
from app.paths import SAMPLES_FOLDER
from app.sessions import Sessions
from app.ui.api import Api
from engine import ModelEntry
from engine.model import Directions
from tests.app.hand_decoder import HandDecoder

NUMBERS = itertools.count(1)  # of the commands of a page

BOTH = ("en-de", "de-en")
ENGLISH = b"Open the settings before you save the file.\nThe window is closed again when you leave it.\n"
GERMAN = "Öffnen Sie die Einstellungen, bevor Sie die Datei sichern.\nDas Fenster wird danach geschlossen.\n".encode()
XLIFF_1 = (
    '<xliff version="1.2"><file source-language="{}" target-language="{}"><body><trans-unit id="1">'
    "<source>Ok</source></trans-unit></body></file></xliff>"
)
XLIFF_2 = (
    '<xliff version="2.0" srcLang="{}" trgLang="{}"><file id="f"><unit id="1"><segment><source>Ok</source></segment>'
    "</unit></file></xliff>"
)
TMX = (
    '<tmx version="1.4"><header srclang="{0}"/><body><tu><tuv xml:lang="{1}"><seg>B</seg></tuv><tuv xml:lang="{0}">'
    "<seg>A</seg></tuv></tu></body></tmx>"
)
PO = 'msgid ""\nmsgstr ""\n"Language: {}\\n"\n{}\nmsgid "Ok"\nmsgstr ""\n'
MANY = Directions(("en", "de", "fr", "pt", "zho_Hans", "zho_Hant"))


DECIDED = [
    ("a.xlf", XLIFF_1.format("de-DE", "en-US"), BOTH, "de-en", "stated"),
    ("a.xlf", XLIFF_1.format("en", "de"), BOTH, "en-de", "stated"),
    ("a.xlf", XLIFF_2.format("de", "en"), BOTH, "de-en", "stated"),
    ("a.xlf", XLIFF_2.format("pt-BR", "zh-Hant"), MANY, "pt-zho_Hant", "stated"),
    ("a.tmx", TMX.format("de-AT", "en"), BOTH, "de-en", "stated"),
    ("a.po", PO.format("de_DE", ""), BOTH, "en-de", "stated"),
    ("a.po", PO.format("en", '"X-Source-Language: de\\n"\n'), BOTH, "de-en", "stated"),
    ("a.csv", "id,Deutsch,English\n1,Ja,\n", BOTH, "de-en", "stated"),
    ("a.csv", "key,fr,de\n1,Oui,\n", MANY, "fr-de", "stated"),
    ("a.csv", "de,en\nJa,Yes\n", ("en-de",), "en-de", "stated"),  # and the table is turned
    ("a.xlf", XLIFF_2.format("pt", "zh-TW"), MANY, "pt-zho_Hant", "stated"),
    ("a.xlf", XLIFF_2.format("pt", "zh-HK"), MANY, "pt-zho_Hant", "stated"),
    ("a.xlf", XLIFF_2.format("pt", "zh"), MANY, "pt-zho_Hans", "stated"),
    ("a.xlf", XLIFF_2.format("pt", "zh-Hans-TW"), MANY, "pt-zho_Hans", "stated"),
    ("a.xlf", XLIFF_2.format("iw", "nb"), ("en-de", "he-no"), "he-no", "stated"),  # as other codes have it
    ("a.csv", "source,target\nJa,\n", BOTH, "en-de", "first"),
    ("a.html", '<html class="x" lang="de-DE"><body lang="fr"><p>Ok</p></body></html>', BOTH, "de-en", "stated"),
    ("a.html", "<html><body><p lang=de>Ok</p></body></html>", BOTH, "en-de", "first"),  # of a part only
    ("a.txt", ENGLISH, ("de-en", "en-de"), "en-de", "text"),
    ("a.txt", GERMAN, BOTH, "de-en", "text"),
    # a language that a template left, and quotations
    ("a.html", f'<html lang="en"><body><p>{GERMAN.decode()}</p></body></html>', BOTH, "de-en", "text"),
    ("a.txt", "He said “Ich bin ein Berliner” and “Die Würde ist da”. The crowd cheered.", BOTH, "en-de", "text"),
    ("a.txt", b"OK\nRouter 17\nhttp://a.example\n", ("de-en", "en-de"), "de-en", "first"),  # too little
]  # fmt: skip


@pytest.mark.parametrize(("name", "data", "directions", "direction", "reason"), DECIDED)
def test_a_document_decides_its_direction(name: str, data: str | bytes, directions: Any, direction: str, reason: str):
    file = read_file(data if isinstance(data, bytes) else data.encode(), name).overview()
    decision = decide(file, directions, file.languages)
    assert (decision.direction, decision.reason, decision.note) == (direction, reason, "")


@pytest.mark.parametrize(
    ("stated", "directions", "direction", "note"),
    [
        (("fr", "it"), BOTH, "en-de", "fr → it"),
        (("de", "it"), BOTH, "de-en", "de → it"),  # half of it can be had
        (("de", "en"), ("en-de",), "en-de", "de → en"),
    ],
)
def test_unsupported_languages_are_reported(stated: tuple[str, str], directions: Any, direction: str, note: str):
    file = read_file(XLIFF_1.format(*stated).encode(), "a.xlf").overview()
    decision = decide(file, directions, file.languages)
    assert decision.direction == direction
    assert note in decision.note


def test_the_language_is_recognised_among_very_many():
    names = ("en", "de", "fr", "es", "it", "nl", "pt", "pl", "cs", "ja")
    decision = decide(read_file(GERMAN, "a.txt").overview(), Directions(names), ("", ""))
    assert (decision.direction, decision.reason) == ("de-en", "text")


POLISH = "Otwórz ustawienia, zanim zapiszesz plik. Okno zostanie zamknięte, kiedy je opuścisz.\n"
JAPANESE = "ファイルを開くことができませんでした。設定を開いてください。\n"
HTML = '<html lang="{}"><body><p>{}</p></body></html>'


@pytest.mark.parametrize(
    ("name", "text", "directions", "needed"),
    [
        ("a.txt", POLISH, BOTH, "pl-de"),
        ("a.txt", JAPANESE, BOTH, "ja-de"),
        ("a.txt", "Abra las preferencias antes de guardar el fichero nuevo.", BOTH, "es-de"),
        ("a.txt", GERMAN.decode(), ("en-de", "en-fr"), ""),  # the model's only target: nothing to translate into
        ("a.txt", "Ouvrez la porte de la maison maintenant.", BOTH, "fr-de"),
        ("a.txt", "Abra a porta antes de ligar a máquina e feche a janela.", BOTH, "pt-de"),  # like Galician
        ("a.txt", "Åpne døren før du slår på maskinen, og lukk vinduet.", BOTH, "no-de"),  # like Danish
        ("a.txt", "Haga clic en Guardar para continuar.", BOTH, "es-de"),
        ("a.txt", "Klik Simpan untuk melanjutkan pemasangan aplikasi.", BOTH, "id-de"),
        ("a.txt", "MODE D'EMPLOI\nCONSIGNES DE SÉCURITÉ\nCARACTÉRISTIQUES TECHNIQUES\n", BOTH, "fr-de"),
        ("a.html", HTML.format("en", POLISH), BOTH, "pl-de"),  # whatever the file states
        ("a.xlf", XLIFF_2.format("en", "fr").replace("Ok", POLISH), ("en-fr",), "pl-fr"),
    ],
)
def test_a_text_in_another_language_than_the_models_is_reported(
    name: str, text: str, directions: Any, needed: str
) -> None:
    file = read_file(text.encode(), name).overview()
    decision = decide(file, directions, file.languages)
    assert (decision.is_other_text, decision.needed_direction) == (True, needed)
    assert "seems to be in" in decision.note


@pytest.mark.parametrize(
    "text",
    [
        "import numpy as np\ndef mean(values):\n    return np.array(values).sum() / len(values)\n",
        "Lorem ipsum dolor sit amet, consectetur adipiscing elit, sed do eiusmod tempor.",
        "NVIDIA GeForce RTX 4090, Intel Core i7-14700K, ASUS ROG Strix, Corsair Vengeance",
        "Cancel\nSave\nOpen\nClose\nFile\nEdit\nView\nHelp\nUndo\nRedo\n",
        "Hola mundo",
        "José García\nMaría López\nCarlos Fernández\nAna Martínez\nJuan Hernández\nLucía Gómez\n",
        "Mehmet Yılmaz\nAyşe Demir\nFatma Çelik\nMustafa Şahin\nZeynep Kaya\nEmre Öztürk\n",
        "Via Roma 12, 00184 Roma, Italia\nPiazza del Duomo 1, 20121 Milano\nCorso Vittorio Emanuele 5\n",
        POLISH.split(".")[0] + ". Open the settings before you save the file. " * 9,  # mostly English
    ],
)
def test_a_text_in_no_clear_language_is_not_reported(text: str) -> None:
    decision = decide(read_file(text.encode(), "a.txt").overview(), BOTH, ("", ""))
    assert (decision.is_other_text, decision.note, decision.direction) == (False, "", "en-de")


def test_a_bilingual_file_with_sources_in_another_language_of_the_model_is_reported() -> None:
    text = XLIFF_1.format("en", "de").replace("Ok", GERMAN.decode())
    file = read_file(text.encode(), "a.xlf").overview()
    decision = decide(file, BOTH, file.languages)
    assert (decision.direction, decision.is_other_text, decision.needed_direction) == ("en-de", True, "")
    assert "seems to be in German, but the file states en → de" in decision.note


def test_targets_are_grouped_by_source():
    assert targets_by_source(("en-de", "fr-de", "en-fr")) == {"en": ["de", "fr"], "fr": ["de"]}


def model(directions: tuple[str, ...], wanted: str | None = None, folder: str = "models/hand") -> ModelHandle:
    holder = ModelHandle(Path(folder), wanted)
    decoder = HandDecoder()
    decoder.facts = replace(decoder.facts, directions=directions, folder=holder.folder)
    holder.adopt(decoder)
    return holder


def test_direction_flag_overrides_the_documents_languages(store: LogStore):
    sessions = Sessions(store, model(BOTH, "en-de"), SAMPLES_FOLDER)
    assert sessions.open_document(OWNER, GERMAN, "a.txt").direction == "en-de"
    sessions.close()


def test_the_sample_is_in_english(store: LogStore):
    sessions = Sessions(store, model(("de-en", "en-de")), SAMPLES_FOLDER)
    assert sessions.open_sample(OWNER).direction == "en-de"
    sessions.close()


class Page:
    """What a page sends and gets."""

    def __init__(self, sessions: Sessions) -> None:
        self.api = Api(sessions)
        self.token = self.api.hello(OWNER, {})["token"]

    def send(self, name: str, **fields: Any) -> dict[str, Any]:
        base = {
            "token": self.token,
            "client": "tab",
            "sequence": next(NUMBERS),
            "since": -1,
            "open": None,
            "detail_since": -1,
        }
        reply = self.api.command(OWNER, {**base, "name": name, **fields})
        if reply["ok"]:
            self.token = reply["token"]
        return reply


def test_document_is_begun_again_and_the_earlier_session_stays(store: LogStore):
    sessions = Sessions(store, model(BOTH), SAMPLES_FOLDER)
    # An ordinal of German ends no sentence there, but does so in English.
    earlier = sessions.open_document(OWNER, b"Wir treffen uns am 3. Mai wieder. Bis dann!", "a.txt")
    page = Page(sessions)
    first = page.send("edit", segment=0, text="Until then", origin="typed")
    assert first["model"]["num_directions"] == 2
    assert page.send("directions")["result"] == {"directions": {"en": ["de"], "de": ["en"]}}
    wanted = "en-de" if earlier.direction == "de-en" else "de-en"
    reply = page.send("restart_document", direction=wanted)
    assert reply["document"]["direction"] == wanted
    assert reply["token"] != earlier.token
    assert all(row["state"] == "new" for row in reply["rows"])
    assert [row["source"] for row in reply["rows"]] != [segment.source for segment in earlier.segments]
    assert earlier.session_id in [offer["session"] for offer in reply["offers"]]
    back = page.send("resume_session", session=earlier.session_id)
    assert (back["document"]["direction"], back["rows"][0]["target"]) == (earlier.direction, "Until then")
    refused = page.send("restart_document", direction="fr-en")
    assert refused["error"]["message"] == "hand translates en-de, de-en, not fr-en."
    sessions.close()


def test_bilingual_table_is_swapped_with_its_direction(store: LogStore):
    sessions = Sessions(store, model(BOTH), SAMPLES_FOLDER)
    table = b"key,de,en,note\n1,Ja,,x\n2,,No,y\n3,Gut,Well,\n"
    earlier = sessions.open_document(OWNER, table, "a.csv")
    assert [(s.source, s.target) for s in earlier.segments] == [("Ja", None), ("Gut", "Well")]
    again = sessions.restart(OWNER, earlier, "en-de")
    assert [(s.source, s.target) for s in again.segments] == [("No", None), ("Well", "Gut")]
    again.confirm(OWNER, 0, "Nein")
    again.edit(OWNER, 1, "Wohl", "typed")
    written = b"key,de,en,note\n1,Ja,,x\n2,Nein,No,y\n3,Wohl,Well,\n"
    assert sessions.exports.make(OWNER, again, "document").data == written
    sessions.close()
    sessions = Sessions(store, model(BOTH), SAMPLES_FOLDER)
    assert sessions.exports.make(OWNER, sessions.resume(OWNER, again.session_id), "document").data == written
    sessions.close()


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.xlf", XLIFF_1.format("en-US", "de-DE")),
        ("a.xlf", XLIFF_2.format("en", "")),
        ("a.po", PO.format("de_DE", "")),
        ("a.tmx", TMX.format("en", "de-AT")),
        ("a.csv", "en,de\nYes,\n"),
    ],
)
def test_document_that_cannot_be_swapped_is_not_begun_in_the_other_direction(store: LogStore, name: str, data: str):
    sessions = Sessions(store, model(("en-de", "de-en", "en-fr")), SAMPLES_FOLDER)
    workspace = sessions.open_document(OWNER, data.encode(), name)
    num_sessions = len(store.sessions(OWNER))
    stated = " → ".join(language or r"\?" for language in read_file(data.encode(), name).languages)
    with pytest.raises(CommandError, match=f"are {stated}, .* To translate de-en, export the file"):
        sessions.restart(OWNER, workspace, "de-en")
    assert len(store.sessions(OWNER)) == num_sessions
    assert sessions.restart(OWNER, workspace, "en-fr").segments[0].source == workspace.segments[0].source
    sessions.close()


def test_two_scripts_of_one_language_are_not_opposites(store: LogStore):
    sessions = Sessions(store, model(("zho_Hans-zho_Hant", "zho_Hant-zho_Hans")), SAMPLES_FOLDER)
    workspace = sessions.open_document(OWNER, XLIFF_2.format("zh-Hans", "zh-Hant").encode(), "a.xlf")
    assert sessions.restart(OWNER, workspace, "zho_Hant-zho_Hans").direction == "zho_Hant-zho_Hans"
    sessions.close()


def test_table_without_targets_is_not_swapped():
    file = read_file(b"de,en\nJa,\n", "a.csv")
    assert file.reversed() is None
    assert decide(file.overview(), ("en-de",), file.languages).note


def test_glossaries_that_apply_to_the_direction_are_taken_along(store: LogStore):
    sessions = Sessions(store, model(("en-de", "de-en", "en-fr")), SAMPLES_FOLDER)
    workspace = sessions.open_document(OWNER, ENGLISH, "a.txt")
    terms = [Term("file", "Datei", variants=("Akte",)), Term("OK", "OK", status="do_not_translate")]
    workspace.glossaries.put(OWNER, "low", [Term("window", "Fenster")])
    workspace.glossaries.put(OWNER, "high", [*terms, Term("save", "retten", status="forbidden")])

    def glossaries_after(direction: str) -> list[tuple[str, list[tuple[str, str]]]]:
        glossaries = sessions.restart(OWNER, workspace, direction).terms.glossaries
        return [
            (glossary.name, [(term.source, term.target) for term in glossary.terms.values()]) for glossary in glossaries
        ]

    assert glossaries_after("de-en") == [
        ("high", [("Datei", "file"), ("Akte", "file"), ("OK", "OK")]),
        ("low", [("Fenster", "window")]),
    ]
    assert glossaries_after("en-fr") == []
    assert [len(terms) for _, terms in glossaries_after("en-de")] == [3, 1]
    sessions.close()


def test_new_session_keeps_the_model_that_the_document_was_switched_to(
    store: LogStore, monkeypatch: pytest.MonkeyPatch
):
    sessions = Sessions(store, model(("en-de",)), SAMPLES_FOLDER)
    other = model(("en-de", "en-fr"), folder="/models/other")
    sessions.models.catalog._known = lambda: [ModelEntry("other", other.folder, "cached", other.directions)]
    monkeypatch.setattr(models, "ModelHandle", lambda folder, **_: other)
    monkeypatch.setattr(other, "load_in_background", lambda: None)
    workspace = sessions.open_document(OWNER, ENGLISH, "a.txt")
    sessions.models.switch(OWNER, workspace.model_use, "cached/other")
    again = sessions.restart(OWNER, workspace, "en-fr")
    assert (again.direction, again.model) == ("en-fr", other)
    sessions.close()
