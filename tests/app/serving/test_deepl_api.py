"""DeepL's dialect, asked by DeepL's own unmodified client over a real connection."""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterator
from typing import Any

import deepl
import pytest
from deepl.api_data import MultilingualGlossaryDictionaryEntries

from app.errors import ApiError
from app.serving.api_glossaries import ApiGlossaries
from app.serving.gateway import ApiGateway
from app.serving.keys import ApiFile
from tests.app.serving.conftest import Program, listening


@pytest.fixture
def address(gateway: ApiGateway) -> Iterator[str]:
    with listening(gateway) as address:
        yield address


@pytest.fixture
def ana(address: str, key: str, monkeypatch: pytest.MonkeyPatch) -> deepl.DeepLClient:
    monkeypatch.setattr(deepl.http_client, "max_network_retries", 0)
    return deepl.DeepLClient(key, server_url=address)


def test_client_translates_with_constraints_and_style(ana: deepl.DeepLClient):
    one = ana.translate_text("The file could not be opened.", source_lang="EN", target_lang="DE")
    assert (one.text, one.detected_source_lang) == ("Die Datei konnte nicht geöffnet werden.", "EN")
    assert one.billed_characters == 29
    constraints = {"pinpoint": {"phrases": ["Dokument"], "avoid": ["Datei"]}}
    texts = ["Open the file.", "Close the file."]
    pinned = ana.translate_text(texts, target_lang="DE", source_lang="EN", extra_body_parameters=constraints)
    assert all("Dokument" in result.text and "Datei" not in result.text for result in pinned)
    for formality, word in (("more", "Ihre"), ("prefer_less", "deine")):
        styled = ana.translate_text("Save your file.", source_lang="EN", target_lang="DE", formality=formality)
        assert word in styled.text
    to_english = ana.translate_text("Die Datei ist nicht da.", target_lang="EN-US", formality="prefer_more")
    assert (to_english.detected_source_lang, "file" in to_english.text) == ("DE", True)
    with pytest.raises(deepl.DeepLException, match="does not support the formality"):
        ana.translate_text("Die Datei.", source_lang="DE", target_lang="EN-US", formality="more")


def test_british_english_has_its_spelling(ana: deepl.DeepLClient):
    found = {
        variant: ana.translate_text("Wählen Sie eine Farbe aus.", source_lang="DE", target_lang=variant).text
        for variant in ("EN-US", "EN-GB")
    }
    assert "color" in found["EN-US"]
    assert found["EN-GB"] == found["EN-US"].replace("color", "colour")


def test_client_keeps_tags(ana: deepl.DeepLClient):
    text = '<p>Click <b id="1">AT&amp;T</b>.</p><p>Then press <k>Enter</k>.</p>'
    result = ana.translate_text(text, source_lang="EN", target_lang="DE", tag_handling="html", ignore_tags=["k"])
    assert result.text.startswith("<p>") and result.text.count("</p><p>") == 1 and result.text.endswith("</p>")
    assert '<b id="1">' in result.text and "<k>Enter</k>" in result.text and "AT&amp;T" in result.text


def test_sentences_are_translated_alone_unless_that_is_switched_off(ana: deepl.DeepLClient):
    sentences = ["The file could not be opened.", "A man is riding a red bicycle."]
    pair = {"source_lang": "EN", "target_lang": "DE"}
    alone = [found.text for found in ana.translate_text(sentences, **pair)]
    for splitting, gap in (("1", "  "), ("1", "\n"), ("nonewlines", "\n"), (None, " ")):
        options = {} if splitting is None else {"split_sentences": splitting}
        assert ana.translate_text(gap.join(sentences), **pair, **options).text == gap.join(alone)
    assert ana.translate_text("A man is riding a red bi-\ncycle.", **pair).text == alone[1]
    wrapped = "The file could\nnot be opened."
    assert ana.translate_text(wrapped, **pair, split_sentences="nonewlines").text == alone[0]
    assert ana.translate_text("  ".join(sentences), **pair, split_sentences="0").text != "  ".join(alone)


def test_text_in_cdata_sections_is_translated_and_stays_in_them(ana: deepl.DeepLClient):
    options = {"source_lang": "EN", "target_lang": "DE", "tag_handling": "xml"}
    text = "<par><![CDATA[The file could not be opened.]]></par><par><![CDATA[<b>Open the file.</b>]]></par>"
    found = ana.translate_text(text, **options).text
    assert found.startswith("<par><![CDATA[Die Datei konnte nicht geöffnet werden.]]></par><par><![CDATA[<b>")
    assert found.endswith("</b>]]></par>") and "Open the file" not in found


def test_client_gets_structured_xml_split_at_its_elements(ana: deepl.DeepLClient):
    """The shapes of the examples in DeepL's documentation."""
    meta, pars = (
        "<doc>\n  <meta>\n    <title>{}</title>\n  </meta>\n",
        "  <body>\n    <par>{}</par>\n    <par>{}</par>\n",
    )
    english = (meta + pars + "  </body>\n</doc>").format(
        "The pump", "Close the file.\n It is open.", "Open the window."
    )
    german = (meta + pars + "  </body>\n</doc>").format(
        "Die Pumpe", "Schließen Sie die Datei. Es ist offen.", "Öffnen Sie das Fenster."
    )
    by_hand = {"outline_detection": False, "splitting_tags": ["par", "title"]}
    for options in ({}, by_hand, {"split_sentences": "nonewlines"}):
        asked = {"source_lang": "EN", "target_lang": "DE", "tag_handling": "xml", "formality": "more", **options}
        assert ana.translate_text(english, **asked).text == german


@pytest.mark.parametrize(
    ("options", "text", "pattern"),
    [
        ({}, "<par>The file is </par><par> not open.</par>", r"<par>Die Datei ist </par><par> [nN]icht .+\.</par>"),
        (
            {"non_splitting_tags": ["par"]},
            "<par>The file is </par><par> not open.</par>",
            r"<par>Die Datei ist ?</par> ?<par> ?nicht .+\.</par>",
        ),
        ({}, '<x id="17">Open the file</x> now.', r'<x id="17">.*Datei.*</x>.*\.'),
        ({}, "The file<a/> is in the folder<b></b>.", r"Die Datei<a/> .+ im Ordner<b></b>\."),
        ({"ignore_tags": ["x"]}, "Open the page <x>Settings</x> now.", r".* Seite <x>Settings</x>.*\."),
        ({}, "<div>The file could not\nbe opened.</div>", r"<div>Die Datei konnte nicht geöffnet werden\.</div>"),
        ({"split_sentences": "1"}, "<div>Open the file.\nClose it.</div>", r"<div>[^\n]+\.\n[^\n]+\.</div>"),
        ({"split_sentences": "0"}, "<div>The file\nis open.</div>", r"<div>Die Datei ist offen\.</div>"),
        # As Weblate sends placeholders, and as Okapi sends codes.
        ({"ignore_tags": ["x"]}, 'Open the file <x id="6"></x>', r'.*Datei <x id="6"></x> öffnen'),
        ({"tag_handling": "html"}, "The file <br id='p1'/> is <u id='1'>open</u>.", r"Die Datei <br id='p1'/> ist .+"),
        (
            {"tag_handling": "html"},
            "<h1>The file</h1>\n<p translate='no'>Open.</p>",
            r"<h1>Die Datei</h1>\n<p .*>Open.</p>",
        ),
    ],
)
def test_client_gets_tags_where_deepls_documentation_has_them(
    ana: deepl.DeepLClient, options: dict[str, Any], text: str, pattern: str
):
    asked = {"source_lang": "EN", "target_lang": "DE", "tag_handling": "xml", **options}
    found = ana.translate_text(text, **asked).text
    assert re.fullmatch(pattern, found), found


def test_tag_in_place_of_a_word_never_sticks_to_a_word(ana: deepl.DeepLClient):
    sentences = [
        "{} the file.",
        "The file {} is open.",
        "Open the file {}",
        "The folder is not {}.",
        "See {} files, {}!",
    ]
    tags = ['<x id="1"/>', '<x id="6"></x>', "<k>Esc</k>", '<b><x id="2"/></b>']
    texts = [sentence.replace("{}", tag) for sentence in sentences for tag in tags]
    asked = {"source_lang": "EN", "target_lang": "DE", "tag_handling": "xml", "ignore_tags": ["k"]}
    for text, result in zip(texts, ana.translate_text(texts, **asked), strict=True):
        used = [tag for tag in tags if tag in text]
        assert result.text.count(used[0]) == text.count(used[0]), result.text
        assert not re.search(rf"\w{re.escape(used[0])}|{re.escape(used[0])}\w", result.text), result.text


def test_client_keeps_and_uses_a_glossary(ana: deepl.DeepLClient):
    made = ana.create_glossary("Terms", "EN", "DE", {"file": "Akte", "window": "Fenster"})
    assert (made.entry_count, made.ready, made.source_lang) == (2, True, "EN")
    assert str(uuid.UUID(made.glossary_id)) == made.glossary_id
    assert [each.glossary_id for each in ana.list_glossaries()] == [made.glossary_id]
    assert ana.get_glossary(made.glossary_id).name == "Terms"
    assert ana.get_glossary_entries(made) == {"file": "Akte", "window": "Fenster"}
    result = ana.translate_text_with_glossary("The file could not be opened.", made)
    assert "Akte" in result.text
    with pytest.raises(deepl.DeepLException, match="no entries for de-en"):
        ana.translate_text("Akte", source_lang="DE", target_lang="EN-GB", glossary=made.glossary_id)
    ana.delete_glossary(made)
    with pytest.raises(deepl.GlossaryNotFoundException):
        ana.get_glossary(made.glossary_id)


def test_first_of_several_glossaries_counts_for_a_term_of_both(ana: deepl.DeepLClient):
    client = ana.create_glossary("Client", "EN", "DE", {"file": "Akte"})
    house = ana.create_glossary("House", "EN", "DE", {"file": "Unterlage", "folder": "Mappe"})
    other = ana.create_glossary("Other", "DE", "EN", {"Akte": "dossier"})
    text, languages = "Open the file in the folder.", {"source_lang": "EN", "target_lang": "DE"}
    for order, has, has_not in (([client, house], "Akte", "Unterlage"), ([house, other, client], "Unterlage", "Akte")):
        found = ana.translate_text(text, glossary_ids=order, **languages).text
        assert has in found and has_not not in found and "Mappe" in found
    with pytest.raises(deepl.DeepLException, match="no entries for en-de"):
        ana.translate_text(text, glossary_ids=[other], **languages)
    with pytest.raises(deepl.DeepLException, match="no glossary with this id"):
        ana.translate_text(text, glossary_ids=[client, "unknown"], **languages)
    both = {"glossary_id": client.glossary_id}
    with pytest.raises(deepl.DeepLException, match="cannot be used together"):
        ana.translate_text(text, glossary_ids=[house], extra_body_parameters=both, **languages)


def test_glossary_is_used_for_the_language_that_was_detected(client: Program, ana: deepl.DeepLClient, key: str):
    made = ana.create_glossary("Terms", "EN", "DE", {"file": "Akte"})
    body = {"text": ["The file could not be opened."], "target_lang": "DE", "glossary_id": made.glossary_id}
    reply = client.post("/v2/translate", json=body, headers={"authorization": f"DeepL-Auth-Key {key}"})
    assert "Akte" in reply.json()["translations"][0]["text"]


def test_client_keeps_a_glossary_of_several_pairs(ana: deepl.DeepLClient):
    pairs = [
        MultilingualGlossaryDictionaryEntries("EN", "DE", {"file": "Akte"}),
        MultilingualGlossaryDictionaryEntries("DE", "EN", {"Akte": "dossier"}),
    ]
    made = ana.create_multilingual_glossary("Both", pairs)
    assert len(ana.list_multilingual_glossaries()) == 1 and ana.list_glossaries() == []
    result = ana.translate_text("Die Akte ist offen.", source_lang="DE", target_lang="EN-GB", glossary=made.glossary_id)
    assert "dossier" in result.text.lower()
    more = MultilingualGlossaryDictionaryEntries("EN", "DE", {"window": "Fenster"})
    ana.update_multilingual_glossary_dictionary(made, more)
    ana.update_multilingual_glossary_name(made, "More")
    entries = ana.get_multilingual_glossary_entries(made, "EN", "DE").dictionaries[0].entries
    assert entries == "file\tAkte\nwindow\tFenster"
    ana.replace_multilingual_glossary_dictionary(made, more)
    ana.delete_multilingual_glossary_dictionary(made, source_lang="DE", target_lang="EN")
    with pytest.raises(deepl.GlossaryNotFoundException, match="no dictionary of this language pair"):
        ana.delete_multilingual_glossary_dictionary(made, source_lang="DE", target_lang="EN")
    found = ana.get_multilingual_glossary(made.glossary_id)
    assert (found.name, [each.entry_count for each in found.dictionaries]) == ("More", [1])
    ana.delete_multilingual_glossary(made)
    assert ana.list_multilingual_glossaries() == []


def test_client_reads_languages_and_usage(ana: deepl.DeepLClient):
    assert [(each.code, each.name) for each in ana.get_source_languages()] == [("EN", "English"), ("DE", "German")]
    targets = {each.code: each.supports_formality for each in ana.get_target_languages()}
    assert targets == {"DE": True, "EN-GB": False, "EN-US": False}
    assert {each.name for each in ana.get_target_languages()} == {"German", "English (British)", "English (American)"}
    assert {(each.source_lang, each.target_lang) for each in ana.get_glossary_languages()} == {
        ("en", "de"),
        ("de", "en"),
    }
    ana.translate_text("Open.", target_lang="DE", source_lang="EN")
    usage = ana.get_usage()
    assert (usage.character.count, usage.character.limit) == (5, 2_000_000)


def test_languages_of_version_3_name_what_they_support(gateway: ApiGateway, key: str):
    program = Program(gateway, authorization=f"DeepL-Auth-Key {key}")

    def languages(resource: str) -> dict[str, tuple[str, bool, bool, set[str]]]:
        found = program.get("/v3/languages", params={"resource": resource}).json()
        return {
            each["lang"]: (each["name"], each["usable_as_source"], each["usable_as_target"], {*each["features"]})
            for each in found
        }

    source, target = {"tag_handling", "glossary", "auto_detection"}, {"tag_handling", "glossary"}
    assert languages("translate_text") == {
        "en": ("English", True, False, source),
        "de": ("German", True, True, source | {"formality"}),
        "en-GB": ("English (British)", False, True, target),
        "en-US": ("English (American)", False, True, target),
    }
    assert languages("translate_document")["de"][3] == {"glossary", "auto_detection", "formality"}
    assert languages("glossary") == {"en": ("English", True, True, set()), "de": ("German", True, True, set())}
    assert languages("style_rules") == {}
    resources = program.get("/v3/languages/resources").json()
    assert [each["name"] for each in resources] == ["translate_text", "translate_document", "glossary"]
    assert {"name": "formality", "needs_target_support": True} in resources[0]["features"]
    assert program.get("/v3/languages").status_code == 400
    assert Program(gateway).get("/v3/languages", params={"resource": "glossary"}).status_code == 403


def test_client_gets_its_own_exceptions(ana: deepl.DeepLClient, address: str, keys: ApiFile):
    with pytest.raises(deepl.AuthorizationException):
        deepl.DeepLClient("pinpoint-guess", server_url=address).get_usage()
    poor = deepl.DeepLClient(keys.create("Ben", characters_a_day=3)[1], server_url=address)
    with pytest.raises(deepl.QuotaExceededException):
        poor.translate_text("Open the file.", target_lang="DE")
    slow = deepl.DeepLClient(keys.create("Ben", requests_a_minute=1)[1], server_url=address)
    slow.get_usage()
    with pytest.raises(deepl.TooManyRequestsException):
        slow.get_usage()
    with pytest.raises(deepl.DeepLException, match="No model translates into PT"):
        ana.translate_text("Open.", target_lang="PT-BR")


def test_glossary_of_another_person_does_not_exist(gateway: ApiGateway, keys: ApiFile):
    ana, anas_second, ben = (
        Program(gateway, authorization=f"DeepL-Auth-Key {keys.create(name)[1]}") for name in ("Ana", "Ana", "Ben")
    )
    fields = {"name": "Secret", "source_lang": "en", "target_lang": "de", "entries": "file\tAkte"}
    made = ana.post("/v2/glossaries", json=fields)
    number = made.json()["glossary_id"]
    assert made.status_code == 201
    assert anas_second.get(f"/v2/glossaries/{number}/entries").text == "file\tAkte"
    text = {"text": ["x"], "source_lang": "en", "target_lang": "de", "glossary_id": number}
    refused = [
        ben.get(f"/v2/glossaries/{number}"),
        ben.get(f"/v3/glossaries/{number}/entries?source_lang=en&target_lang=de"),
        ben.request("PATCH", f"/v3/glossaries/{number}", json={"name": "Mine"}),
        ben.request("DELETE", f"/v2/glossaries/{number}"),
        ben.post("/v2/translate", json=text),
    ]
    assert {reply.status_code for reply in refused} == {404}
    assert "Secret" not in "".join(reply.text for reply in refused)
    assert ben.get("/v2/glossaries").json() == {"glossaries": []}
    assert ana.get(f"/v2/glossaries/{number}").json()["name"] == "Secret"


@pytest.mark.parametrize(
    ("path", "fields", "status", "says"),
    [
        ("translate", {"text": []}, 400, "text is not a text or a list"),
        ("translate", {"text": "x"}, 400, "target_lang is missing"),
        ("translate", {"text": ["x"] * 51, "target_lang": "DE"}, 413, "50 texts"),
        ("translate", {"text": "x", "target_lang": "DE", "formality": "rude"}, 400, "formality"),
        ("translate", {"text": "x", "target_lang": "DE", "style_id": "1"}, 400, "style_id: this server does not offer"),
        (
            "translate",
            {"text": "x", "target_lang": "DE", "custom_instructions": ["Be kind."]},
            400,
            "does not offer custom",
        ),
        (
            "translate",
            {"text": "x", "target_lang": "DE", "translation_memory_id": "1"},
            400,
            "offer translation memories",
        ),
        ("translate", {"text": "x", "target_lang": "DE", "glossary_ids": ["1"] * 6}, 413, "glossary_ids has 6 names"),
        ("translate", {"text": "x", "target_lang": "DE", "pinpoint": [{}, {}]}, 400, "2 items for 1 texts"),
        ("translate", {"text": "x", "target_lang": "DE", "pinpoint": {"pins": []}}, 400, "pins"),
        ("translate", {"text": "x", "target_lang": "DE", "pinpoint": {"phrases": ["≋⌘"]}}, 400, "no translation"),
        ("glossaries", {"name": "n", "source_lang": "en", "target_lang": "de", "entries": "file"}, 400, "Entry 1"),
        ("glossaries", {"name": "n", "source_lang": "en", "target_lang": "de", "entries": ""}, 400, "1 to 20,000"),
        ("glossaries", {"name": "", "source_lang": "en", "target_lang": "de", "entries": "a\tb"}, 400, "name"),
        ("glossaries", {"name": "n", "entries_format": "csv", "entries": "a," + "x" * 140_000}, 400, "as CSV"),
        (
            "translate",
            {"text": "x", "target_lang": "DE", "pinpoint": {"phrases": ["x", 5]}},
            400,
            "pinpoint.phrases.1: ",
        ),
        ("translate", {"text": "x", "target_lang": "DE", "pinpoint": {"avoid": [{"text": ""}]}}, 400, "avoid.0.text: "),
        ("translate", {"text": "x", "target_lang": "DE", "pinpoint": 0}, 400, "pinpoint is not a JSON object"),
        (
            "glossaries",
            {"name": "n", "source_lang": "", "target_lang": "de", "entries": "a\tb"},
            400,
            "source_lang is ''",
        ),
        (
            "glossaries",
            {"name": "n", "source_lang": "en", "target_lang": "\u202e", "entries": "a\tb"},
            400,
            "target_lang is",
        ),
        (
            "translate",
            {"text": "x", "target_lang": "DE", "pinpoint": "Dokument"},
            400,
            "pinpoint cannot be read as JSON",
        ),
        ("translate", {"text": "x", "target_lang": "DE", "pinpoint": "[]"}, 400, "pinpoint has 0 items for 1 texts"),
        (
            "translate",
            {"text": "x", "target_lang": "DE", "tag_handling": "xml", "ignore_tags": ["k"] * 101},
            413,
            "ignore_tags has 101 names",
        ),
        (
            "translate",
            {"text": "a", "target_lang": "DE", "tag_handling": "xml", "outline_detection": "maybe"},
            400,
            "outline_detection is 'maybe'; it must be true or false",
        ),
        (
            "translate",
            {"text": ["a", "<b>x</i>"], "target_lang": "DE", "tag_handling": "xml"},
            400,
            "input: text 2, char",
        ),
        ("write/rephrase", {"text": ["x"]}, 404, "does not offer POST /v2/write/rephrase"),
    ],
)
def test_bad_request_gets_deepls_form_of_error(
    gateway: ApiGateway, key: str, path: str, fields: dict[str, object], status: int, says: str
):
    program = Program(gateway, authorization=f"DeepL-Auth-Key {key}")
    reply = program.post(f"/v2/{path}", json=fields)
    assert (reply.status_code, reply.json().keys()) == (status, {"message"}), reply.text
    assert says in reply.json()["message"]


def test_forms_are_read_as_json_is(gateway: ApiGateway, key: str):
    program = Program(gateway, authorization=f"DeepL-Auth-Key {key}")
    reply = program.post("/v2/translate", data={"text": ["Open.", "Close."], "source_lang": "EN", "target_lang": "DE"})
    assert [len(each["text"]) > 0 for each in reply.json()["translations"]] == [True, True]


def test_constraints_in_a_form_are_json(gateway: ApiGateway, key: str):
    program = Program(gateway, authorization=f"DeepL-Auth-Key {key}")
    languages = {"source_lang": "EN", "target_lang": "DE"}
    pinned, free = '{"phrases": ["Dokument"]}', "{}"
    for pinpoint, expected in (
        (pinned, [True, True]),
        (f"[{free}, {pinned}]", [False, True]),
        ([pinned, free], [True, False]),
    ):
        form = {"text": ["Open the file.", "Close the file."], **languages, "pinpoint": pinpoint}
        translations = program.post("/v2/translate", data=form).json()["translations"]
        assert ["Dokument" in each["text"] for each in translations] == expected
        assert all("pinpoint" in each for each in translations)


# As DeepL's libraries for .NET, Java and Node.js send them.
def test_dictionaries_in_a_form_are_numbered(gateway: ApiGateway, key: str):
    program = Program(gateway, authorization=f"DeepL-Auth-Key {key}")

    def dictionary(number: int, source: str, target: str, entries: str) -> dict[str, str]:
        fields = {"source_lang": source, "target_lang": target, "entries": entries, "entries_format": "tsv"}
        return {f"dictionaries[{number}].{name}": value for name, value in fields.items()}

    both = {**dictionary(0, "en", "de", "file\tAkte"), **dictionary(1, "de", "en", "Akte\tfile")}
    made = program.post("/v3/glossaries", data={"name": "Both", **both})
    assert made.status_code == 201 and [each["entry_count"] for each in made.json()["dictionaries"]] == [1, 1]
    path = f"/v3/glossaries/{made.json()['glossary_id']}"
    changed = program.request("PATCH", path, data=dictionary(0, "en", "de", "window\tFenster")).json()
    assert {each["source_lang"]: each["entry_count"] for each in changed["dictionaries"]} == {"en": 2, "de": 1}
    assert program.request("PATCH", path, data={"name": "New"}).json()["name"] == "New"
    missing = program.post("/v3/glossaries", data={"name": "None"})
    assert missing.status_code == 400 and "dictionaries is not a list" in missing.json()["message"]


def test_messy_entries_are_stored_as_given_and_reported(gateway: ApiGateway, key: str):
    program = Program(gateway, authorization=f"DeepL-Auth-Key {key}")
    entries = "file\tDatei\ngrinder\tMahlwerk / Mühle\nthe\tder"
    pair = {"source_lang": "en", "target_lang": "de", "entries": entries, "entries_format": "tsv"}
    made = program.post("/v2/glossaries", json={"name": "Terms", **pair})
    assert made.status_code == 201
    assert made.json()["findings"] == [
        {"source_lang": "en", "target_lang": "de", "entry": 2, "source": "grinder", "target": "Mahlwerk / Mühle",
         "message": "“Mahlwerk / Mühle” seems to list alternatives", "proposal": "Mahlwerk | Mühle"},
        {"source_lang": "en", "target_lang": "de", "entry": 3, "source": "the", "target": "der",
         "message": "“the” occurs in nearly every sentence", "proposal": ""},
    ]  # fmt: skip
    number = made.json()["glossary_id"]
    assert program.get(f"/v2/glossaries/{number}/entries").text == entries
    several = program.post("/v3/glossaries", json={"name": "Terms", "dictionaries": [pair]}).json()
    assert len(several["findings"]) == 2
    neat = program.post("/v2/glossaries", json={"name": "Neat", **pair, "entries": "file\tDatei"})
    assert "findings" not in neat.json()


def test_change_of_a_glossary_happens_whole_or_not_at_all(gateway: ApiGateway, key: str):
    program = Program(gateway, authorization=f"DeepL-Auth-Key {key}")
    pair = {"source_lang": "en", "target_lang": "de"}
    made = program.post("/v3/glossaries", json={"name": "Old", "dictionaries": [{**pair, "entries": "file\tAkte"}]})
    path = f"/v3/glossaries/{made.json()['glossary_id']}"
    other = {"source_lang": "de", "target_lang": "en", "entries": "Akte\t" + "x" * 501}
    wrong = {"name": "New", "dictionaries": [{**pair, "entries": "window\tFenster"}, other]}
    assert program.request("PATCH", path, json=wrong).status_code == 400
    twice = {"dictionaries": [{**pair, "entries": "window\tFenster"}] * 2}
    assert "two dictionaries" in program.request("PATCH", path, json=twice).json()["message"]
    empty = program.request("PUT", f"{path}/dictionaries", json={**pair, "entries": ""})
    assert empty.status_code == 400 and "1 to 20,000 entries, not 0" in empty.json()["message"]
    assert program.get(path).json() == made.json()


def test_stored_glossaries_of_a_person_are_limited(keys: ApiFile, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("app.serving.api_glossaries.MAX_GLOSSARY_CHARACTERS", 30)
    glossaries = ApiGlossaries(keys)
    pair, entries = ("en", "de"), {"file": "Akte", "window": "Fenster"}  # 24 characters
    number = glossaries.create("Ana", "Terms", {pair: entries}).id
    glossaries.put("Ana", number, pair, entries)  # the old entries do not count
    with pytest.raises(ApiError, match="30 characters"):
        glossaries.change("Ana", number, "More", {("de", "en"): entries})
    glossaries.create("Ben", "Terms", {pair: entries})
    assert [(each.name, each.num_entries) for each in glossaries.all_of("Ana")] == [("Terms", {pair: 2})]
