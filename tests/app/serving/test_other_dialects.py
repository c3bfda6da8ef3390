"""LibreTranslate with its unmodified client, and requests of other programs as these send them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.error import HTTPError

import pytest
from libretranslatepy import LibreTranslateAPI

from app.serving.gateway import ApiGateway
from app.serving.keys import ApiFile
from tests.app.serving.conftest import BASE, Program, listening

SENTENCE = "The file could not be opened."
GERMAN = "Die Datei konnte nicht geöffnet werden."
JSON = {"content-type": "application/json"}
FORM = {"content-type": "application/x-www-form-urlencoded"}


@pytest.fixture
def anybody(gateway: ApiGateway) -> Program:
    """A program without a key, on another computer."""
    return Program(gateway, "192.168.1.20")


@pytest.fixture
def libre(gateway: ApiGateway, key: str) -> Iterator[LibreTranslateAPI]:
    with listening(gateway) as address:
        yield LibreTranslateAPI(address, key)


def test_client_of_libretranslate_translates(libre: LibreTranslateAPI):
    assert libre.translate(SENTENCE, "en", "de") == GERMAN
    assert libre.languages() == [
        {"code": "en", "name": "English", "targets": ["de"]},
        {"code": "de", "name": "German", "targets": ["en"]},
    ]
    assert libre.detect(GERMAN)[0]["language"] == "de"
    libre.api_key = "pinpoint-guess"
    with pytest.raises(HTTPError, match="403"):
        libre.translate(SENTENCE, "en", "de")


def test_libretranslate_lists_html_alternatives_and_detected_language(anybody: Program, key: str):
    fields = {"q": [SENTENCE, "Close it."], "source": "auto", "target": "de", "api_key": key, "alternatives": 2}
    reply = anybody.post("/translate", json=fields).json()
    assert reply["translatedText"][0] == GERMAN and [len(each) for each in reply["alternatives"]] == [2, 2]
    assert reply["detectedLanguage"][0]["language"] == "en"
    markup = {"q": "<p>AT&amp;T is a company.</p>", "source": "en", "target": "de", "format": "html", "api_key": key}
    text = anybody.post("/translate", json=markup).json()["translatedText"]
    assert text.startswith("<p>") and "AT&amp;T" in text and text.endswith("</p>")


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("The :attribute must be a number.", ":attribute"),  # Laravel
        ("Hello !name, open the file.", "!name"),  # Drupal
        ("Hello __name__, open the file.", "__name__"),  # i18next
        ("Click <1/> to open the file.", "<1/>"),
        ("See $t(common.open) for help.", "$t(common.open)"),
    ],
)
def test_placeholders_of_software_are_kept_although_the_file_is_unknown(
    anybody: Program, key: str, text: str, kept: str
) -> None:
    fields = {"q": text, "source": "en", "target": "de", "api_key": key}
    assert anybody.post("/translate", json=fields).json()["translatedText"].count(kept) == 1
    headers = {"authorization": f"DeepL-Auth-Key {key}"}
    reply = anybody.post("/v2/translate", json={"text": [text], "target_lang": "DE"}, headers=headers)
    assert reply.json()["translations"][0]["text"].count(kept) == 1


def test_a_text_in_a_language_that_no_model_translates_is_refused_unless_its_language_is_given(
    anybody: Program, key: str
):
    polish = "Otwórz ustawienia, zanim zapiszesz plik. Okno zostanie zamknięte."
    fields = {"q": polish, "source": "auto", "target": "de", "api_key": key}
    refused = anybody.post("/translate", json=fields)
    assert refused.status_code == 400
    assert "seems to be in Polish" in refused.text and "give the source language" in refused.text
    assert anybody.post("/translate", json={**fields, "source": "en"}).status_code == 200


def test_wrapped_paragraph_of_html_is_not_split_at_its_line_ends(anybody: Program, key: str):
    wrapped, german = f"<p>{SENTENCE.replace(' ', chr(10) + '  ')}</p>\n", f"<p>{GERMAN}</p>\n"
    libre = {"q": wrapped, "source": "en", "target": "de", "format": "html", "api_key": key}
    assert anybody.post("/translate", json=libre).json()["translatedText"] == german
    apertium = {"q": wrapped, "langpair": "en|de", "format": "html", "key": key}
    assert anybody.post("/translate", json=apertium).json()["responseData"]["translatedText"] == german


# As Weblate (its machinery "Apertium APy") and OmegaT (its built-in connector) send them.
def test_apertium_answers_weblate_and_omegat(anybody: Program, key: str):
    pairs = anybody.get("/listPairs").json()["responseData"]
    assert {"sourceLanguage": "eng", "targetLanguage": "deu"} in pairs
    assert {"sourceLanguage": "en", "targetLanguage": "de"} in pairs
    weblate = {"langpair": "eng|deu", "q": SENTENCE, "markUnknown": "no", "key": key}
    omegat = {"q": SENTENCE, "markUnknown": "no", "langpair": "en|de", "key": key}
    expected = {"responseData": {"translatedText": GERMAN}, "responseDetails": None, "responseStatus": 200}
    assert anybody.get("/translate", params=weblate).json() == expected
    assert anybody.post("/translate", data=omegat).json() == expected
    wrong = anybody.get("/translate", params={**omegat, "langpair": "en|tlh"})
    assert wrong.json().keys() == {"status", "code", "message", "explanation"}
    assert (wrong.status_code, wrong.json()["code"], wrong.json()["message"]) == (400, 400, "Bad Request")
    assert anybody.get("/translate", params={**omegat, "key": ""}).status_code == 401


# As the plug-ins for OmegaT and Wordfast (the user sets the address with the code) and for Trados and memoQ send them.
def test_opus_cat_identifies_a_caller_by_code_or_address(anybody: Program, keys: ApiFile, gateway: ApiGateway):
    text = keys.create("Ana")[1]
    asked = {"tokenCode": text, "input": SENTENCE, "srcLangCode": "en", "trgLangCode": "de", "modelTag": ""}
    assert anybody.get("/MTRestService/TranslateJson", params=asked).json() == {"translation": GERMAN}
    fixed = {**asked, "tokenCode": "0"}
    refused = anybody.get("/MTRestService/TranslateJson", params=fixed)
    assert (refused.status_code, refused.headers["content-type"]) == (401, "text/plain; charset=utf-8")
    key, _ = keys.create("Ben", address="192.168.1.20")
    assert anybody.get("/MTRestService/TranslateJson", params=fixed).json() == {"translation": GERMAN}
    assert keys.characters_today(key) == len(SENTENCE)
    mapped = Program(gateway, "::ffff:192.168.1.20")  # as a server sees it that listens on "::"
    assert mapped.get("/MTRestService/TranslateJson", params=fixed).status_code == 200
    assert anybody.get("/MTRestService/ListSupportedLanguagePairs?tokenCode=0").json() == ["en-de", "de-en"]
    assert Program(gateway, "192.168.1.21").get("/MTRestService/TranslateJson", params=fixed).status_code == 401
    page = {"sec-fetch-site": "cross-site"}  # an image or a script on another site, in Ben's browser
    assert anybody.get("/MTRestService/TranslateJson", params=fixed, headers=page).status_code == 401
    assert anybody.get("/MTRestService/TranslateJson", params={**asked, "trgLangCode": "pt"}).status_code == 400
    assert anybody.get("/MTRestService/Login", params={"userName": "a", "password": text}).json() == text
    assert anybody.get("/MTRestService/Login", params={"userName": "a", "password": "a"}).status_code == 401


# As Wordfast Pro sends them: with the fields in the address.
def test_opus_cat_ignores_the_body_of_a_request_with_fields_in_the_address(anybody: Program, key: str):
    asked = {"tokenCode": key, "input": SENTENCE, "srcLangCode": "en", "trgLangCode": "de", "modelTag": ""}
    for body in (b"", b"{ss}", SENTENCE.encode(), b"\xff"):
        for headers in ({}, JSON, FORM, {"content-type": "multipart/form-data"}):
            reply = anybody.post("/MTRestService/TranslatePost", params=asked, content=body, headers=headers)
            assert reply.json() == {"translation": GERMAN}


def test_apertium_client_without_a_key_is_known_by_its_address(anybody: Program, keys: ApiFile):
    asked = {"q": SENTENCE, "langpair": "eng|deu"}
    assert anybody.get("/translate", params=asked).status_code == 401
    keys.create("Weblate", address="192.168.1.20")
    for path in ("/translate", f"{BASE}//translate"):  # as OmegaT sends it for a URL that ends in a slash
        reply = anybody.get(path, params=asked).json()
        assert reply["responseData"] == {"translatedText": GERMAN}


def test_mtuoc_answers_in_the_direction_of_new_documents(anybody: Program, keys: ApiFile):
    asked = {"id": 7, "src": SENTENCE}
    assert anybody.post("/translate", json=asked).status_code == 401
    keys.create("Ben", address="192.168.1.20")
    reply = anybody.post("/translate", json=asked).json()
    assert (reply["id"], reply["src"], reply["tgt"], reply["system_name"]) == (7, SENTENCE, GERMAN, "en-de")


@pytest.mark.parametrize(
    ("languages", "status"),
    [
        ({"srcLang": "en", "tgtLang": "de"}, 200),
        ({"srcLang": "de", "tgtLang": "de"}, 400),
        ({"srcLang": "en", "tgtLang": "fr"}, 400),
    ],
)
def test_mtuoc_translates_between_the_languages_that_its_client_names(
    anybody: Program, keys: ApiFile, languages: dict[str, str], status: int
):
    keys.create("Ben", address="192.168.1.20")
    assert anybody.post("/translate", json={"id": 7, "src": SENTENCE, **languages}).status_code == status


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ({"content": b'{"src": "a", "id": 1e999}'}, "cannot be read as JSON"),  # read as Infinity, which is not JSON
        ({"json": {"src": "a", "id": [[]]}}, "id is neither a text nor a number"),
        ({"data": {"src": "a"}, "files": {"id": ("a.txt", b"\xff")}}, "id is neither a text nor a number"),
    ],
    ids=["endless", "list", "file"],
)
def test_mtuoc_refuses_an_id_that_no_reply_can_repeat(anybody: Program, keys: ApiFile, content: Any, says: str):
    keys.create("Ben", address="192.168.1.20")
    reply = anybody.post("/translate", **content)
    assert reply.status_code == 400 and says in reply.json()["error"]


@pytest.mark.parametrize(
    ("fields", "status", "says"),
    [
        ({"q": SENTENCE}, 400, "target is missing"),
        ({"q": [], "target": "de"}, 400, "q is not a text"),
        ({"q": SENTENCE, "target": "de", "format": "pdf"}, 400, "format is 'pdf'"),
        ({"q": SENTENCE, "target": "de", "alternatives": "many"}, 400, "alternatives"),
        ({"q": SENTENCE, "target": "de", "alternatives": "9" * 5000}, 400, "alternatives"),
        ({"q": SENTENCE, "source": "en", "target": "xx"}, 400, "No model translates en-xx"),
        ({"q": "x" * 10_001, "target": "de"}, 413, "10,000 characters"),
        ({"api_key": ""}, 403, "no key"),
        ({"api_key": ["a"]}, 403, "no key"),
    ],
)
def test_bad_request_gets_libretranslates_form_of_error(
    anybody: Program, key: str, fields: dict[str, object], status: int, says: str
):
    reply = anybody.post("/translate", json={"api_key": key, **fields})
    assert (reply.status_code, reply.json().keys()) == (status, {"error"}), reply.text
    assert says in reply.json()["error"]


@pytest.mark.parametrize(
    ("body", "headers", "problem"),
    [
        (b'{"q": "a"', JSON, "as JSON: line 1, column 10: Expecting ',' delimiter"),
        (b'{"q": "a"}\nx', {"content-type": "text/plain"}, "as JSON: line 2, column 1: Extra data"),
        (b'{"q": "\xe4"}', JSON, "as JSON: byte 8 is not UTF-8"),
        (b'{"q": "\\ud800"}', JSON, "as JSON: a text has half of a surrogate pair, such as \\ud800"),
        (b'{"q": NaN}', JSON, "as JSON: NaN is not JSON"),
        (b'{"q": 1e999}', JSON, "as JSON: a number is too large"),
        (b'{"q": ' + b"9" * 5000 + b"}", JSON, "as JSON: a number has too many digits"),
        (b"[" * 9000, JSON, "as JSON: nested too deeply"),
        (b' {"q": "a"}', FORM, "as a form: it is JSON, which needs the header Content-Type: application/json"),
        (b"q=%E4", FORM, "as a form: it is not in UTF-8"),
        (b"q=\xe4", FORM, "as a form: it is not in UTF-8"),
        (b"q&" * 1000, FORM, "as a form: it has more than 1,000 fields"),
    ],
)
def test_error_about_a_body_names_place_and_cure(
    anybody: Program, key: str, body: bytes, headers: dict[str, str], problem: str
):
    reply = anybody.post("/translate", content=body, headers=headers)
    assert reply.status_code == 400
    assert reply.json() == {"error": f"The body cannot be read {problem}."}


def test_address_that_is_not_in_utf_8_is_refused(anybody: Program, key: str):
    """Before, the bytes became replacement characters, which the model translated."""
    for path in (
        f"/translate?q=Gr%F6%DFe&source=de&target=en&api_key={key}",
        f"/translate?q=Gr%F6%DFe&langpair=de|en&key={key}",
        f"/MTRestService/TranslateJson?input=Gr%F6%DFe&srcLangCode=de&trgLangCode=en&tokenCode={key}",
    ):
        reply = anybody.get(path)
        assert reply.status_code == 400
        assert "The query of the address cannot be read: it is not in UTF-8." in reply.text


@pytest.mark.parametrize(
    ("path", "fields", "problem"),
    [
        ("/translate", {"q": "x", "target": "de"}, "There is no key in the field api_key. "),
        ("/translate", {"q": "x", "langpair": "en|de"}, "There is no key in the field key, and none for this "),
        ("/translate", {"src": "x"}, "There is no key in the field key, and none for this address: "),
        ("/MTRestService/TranslatePost", {"input": "x"}, "There is no key in the field tokenCode, and none for this "),
        ("/v2/translate", {"text": "x"}, "There is no key in the header `Authorization: DeepL-Auth-Key KEY`. "),
        ("/api/v1/translate", {"texts": ["x"]}, "There is no key in the header `Authorization: Bearer KEY`. "),
    ],
)
def test_error_about_a_missing_key_names_its_place(anybody: Program, path: str, fields: dict[str, str], problem: str):
    reply = anybody.post(path, json=fields)
    assert reply.status_code in (401, 403) and problem in reply.text
    address = " --address 192.168.1.20" if "for this" in problem else ""
    assert f"`pinpoint keys create NAME{address}` makes one." in reply.text


def test_optional_field_that_is_null_or_empty_is_as_good_as_missing(anybody: Program, key: str):
    """Clients in C# and Java send null for fields that are not set."""
    libre = {"q": SENTENCE, "target": "de", "api_key": key}
    detected = {"confidence": 100.0, "language": "en"}
    for value in (None, ""):
        unset = dict.fromkeys(("source", "format", "alternatives"), value)
        reply = anybody.post("/translate", json={**libre, **unset}).json()
        assert reply == {"translatedText": GERMAN, "detectedLanguage": detected}
    apertium = {"q": SENTENCE, "langpair": "en|de", "format": None, "key": key}
    assert anybody.post("/translate", json=apertium).json()["responseData"] == {"translatedText": GERMAN}
    opus = {"input": SENTENCE, "srcLangCode": "en", "trgLangCode": "de", "inputIsSingleSentence": None}
    path = "/MTRestService/TranslatePost"
    assert anybody.post(path, json={**opus, "tokenCode": key}).json() == {"translation": GERMAN}
    assert anybody.post(path, json={**opus, "tokenCode": None}).status_code == 401


@pytest.mark.parametrize(
    ("path", "fields", "problem"),
    [
        ("/translate", {"q": "x", "key": "KEY"}, "langpair is missing"),
        ("/translate", {"q": "x", "langpair": "en|", "key": "KEY"}, "The target language is empty"),
        ("/translate", {"q": "x", "target": "", "api_key": "KEY"}, "The target language is empty"),
        ("/translate", {"q": None, "target": "de", "api_key": "KEY"}, "q is missing"),
        ("/translate", {"src": None, "key": "KEY"}, "src is missing"),
        (
            "/MTRestService/TranslatePost",
            {"srcLangCode": "en", "trgLangCode": "de", "tokenCode": "KEY"},
            "input is missing",
        ),
        (
            "/MTRestService/TranslatePost",
            {"input": "x", "srcLangCode": "en", "tokenCode": "KEY"},
            "trgLangCode is missing",
        ),
    ],
)
def test_error_about_a_missing_field_names_it(
    anybody: Program, key: str, path: str, fields: dict[str, str | None], problem: str
):
    reply = anybody.post(path, json={name: key if value == "KEY" else value for name, value in fields.items()})
    assert reply.status_code == 400 and problem in reply.text


@pytest.mark.parametrize("path", ["suggest", "translate_file", "frontend/settings", "download_file/a.txt"])
def test_addresses_of_libretranslate_that_are_not_offered_say_so(anybody: Program, path: str):
    for reply in (anybody.get(f"/{path}"), anybody.post(f"/{path}", json={})):
        assert reply.status_code == 404
        assert reply.json() == {"error": f"This server does not offer {reply.request.method} /{path}."}


def test_addresses_of_apertium_that_are_not_offered_say_so(anybody: Program):
    for path in ("/translateDoc", "/analyze", "/perWord"):
        assert anybody.get(path).json()["explanation"] == f"This server does not offer GET {path}."


@pytest.mark.parametrize(
    ("method", "path", "methods"),
    [
        ("PUT", "/translate", "GET, POST"),
        ("DELETE", "/listPairs", "GET, POST"),
        ("OPTIONS", "/languages", "GET"),
        ("GET", "/MTRestService/TranslatePost", "POST"),
        ("PUT", "/v3/glossaries/1", "DELETE, GET, PATCH"),
    ],
)
def test_wrong_method_gets_the_right_ones(anybody: Program, method: str, path: str, methods: str):
    reply = anybody.request(method, path)
    assert (reply.status_code, reply.headers["allow"]) == (405, methods)
    assert f"This server does not offer {method} {path}, only {methods}." in reply.text


def test_error_before_the_body_is_read_has_the_form_of_apertium(anybody: Program, key: str):
    path = "/translate?langpair=en|de"
    for headers, content, status in (
        ({"host": "unknown.example"}, b"", 403),
        ({}, b"x" * 3_000_000, 413),
        (JSON, b"{", 400),
    ):
        reply = anybody.post(path, headers=headers, content=content)
        assert (reply.status_code, reply.json().get("code")) == (status, status), reply.text
