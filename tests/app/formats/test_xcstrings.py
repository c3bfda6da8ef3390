"""String catalogs: the json module reads the new localizations, and everything else stays."""

from __future__ import annotations

import json
from typing import Any

import pytest

from app.errors import DocumentError
from app.formats.read_file import read_document, read_file

FILE = """{
  "sourceLanguage" : "en",
  "strings" : {
    "" : {

    },
    "%lld items" : {
      "comment" : "In the cart",
      "localizations" : {
        "de" : {
          "variations" : {
            "plural" : {
              "one" : {
                "stringUnit" : {
                  "state" : "needs_review",
                  "value" : "%lld Artikel"
                }
              }
            }
          }
        },
        "en" : {
          "variations" : {
            "plural" : {
              "one" : {
                "stringUnit" : {
                  "state" : "translated",
                  "value" : "%lld item"
                }
              },
              "other" : {
                "stringUnit" : {
                  "state" : "translated",
                  "value" : "%lld items"
                }
              }
            }
          }
        }
      }
    },
    "Open the \\"door\\"\\n" : {

    },
    "Pinpoint" : {
      "shouldTranslate" : false
    },
    "save" : {
      "extractionState" : "manual",
      "localizations" : {
        "en" : {
          "stringUnit" : {
            "state" : "translated",
            "value" : "Save now"
          }
        }
      }
    }
  },
  "version" : "1.0"
}
"""


def units_of(data: bytes, key: str, language: str = "de") -> Any:
    return json.loads(data)["strings"][key]["localizations"][language]


def test_texts_of_the_source_language_are_segments_with_their_targets() -> None:
    document = read_document(FILE.encode(), "a.xcstrings")
    assert [(s.source, s.target, s.state, s.note) for s in document.segments] == [
        ("%lld item", "%lld Artikel", "edited", "Key: %lld items [plural.one] · In the cart"),
        ("%lld items", None, "new", "Key: %lld items [plural.other] · In the cart"),
        ('Open the "door"', None, "new", 'Key: Open the "door" '),
        ("Save now", None, "new", "Key: save"),
    ]
    assert read_file(FILE.encode(), "a.xcstrings").languages == ("en", "de")


def test_placeholder_in_braces_is_no_tag() -> None:
    document = read_document(FILE.replace("Save now", "Open {name}").encode(), "a.xcstrings")
    (segment,) = (segment for segment in document.segments if "{" in segment.source)
    assert (segment.source, document.tags(segment.index)) == ("Open {name}", {})


def test_localizations_are_added_and_changed_and_nothing_else() -> None:
    document = read_document(FILE.encode(), "a.xcstrings")
    assert document.export({}) == FILE.encode()
    written = document.export_file({0: "1 Artikel", 2: 'Die "Tür" öffnen', 3: "Sichern"}, "de", drafts={3}).data
    assert units_of(written, 'Open the "door"\n') == {
        "stringUnit": {"state": "translated", "value": 'Die "Tür" öffnen\n'}
    }
    assert units_of(written, "save") == {"stringUnit": {"state": "needs_review", "value": "Sichern"}}
    old = '"needs_review",\n                  "value" : "%lld Artikel"'
    entry = """ : {
      "localizations" : {
        "de" : {
          "stringUnit" : {
            "state" : "translated",
            "value" : "Die \\"Tür\\" öffnen\\n"
          }
        }
      }
    },
    "Pinpoint\""""
    added = """            "value" : "Save now"
          }
        },
        "de" : {
          "stringUnit" : {
            "state" : "needs_review",
            "value" : "Sichern"
          }
        }
"""
    expected = FILE.replace(old, old.replace("needs_review", "translated").replace("%lld Artikel", "1 Artikel"))
    expected = expected.replace(' : {\n\n    },\n    "Pinpoint"', entry)
    expected = expected.replace('            "value" : "Save now"\n          }\n        }\n', added)
    assert written.decode() == expected


def test_missing_plural_form_is_added_to_the_existing_forms() -> None:
    written = read_document(FILE.encode(), "a.xcstrings").export({0: "%lld Ding", 1: "%lld Sachen"})
    forms = units_of(written, "%lld items")["variations"]["plural"]
    assert {form: unit["stringUnit"]["value"] for form, unit in forms.items()} == {
        "one": "%lld Ding",
        "other": "%lld Sachen",
    }
    assert units_of(written, "%lld items", "en") == units_of(FILE.encode(), "%lld items", "en")


@pytest.mark.parametrize("has_one", [False, True])
def test_substitution_has_its_settings_in_each_language(has_one: bool) -> None:
    def localization(**texts: str) -> dict[str, Any]:
        plural = {form: {"stringUnit": {"state": "translated", "value": text}} for form, text in texts.items()}
        files = {"argNum": 2, "formatSpecifier": "lld", "variations": {"plural": plural}}
        text = {"state": "translated", "value": "%1$@ %#@files@"}
        return {"stringUnit": text, "substitutions": {"files": files}}

    languages = {"en": localization(one="%arg file", other="%arg files")}
    if has_one:
        languages["de"] = localization(one="%arg Datei")
    content = {"sourceLanguage": "en", "strings": {"files": {"localizations": languages}}, "version": "1.0"}
    document = read_document(json.dumps(content).encode(), "a.xcstrings", target="de")
    texts = [segment.source for segment in document.segments]
    one, other = texts.index("%arg file"), texts.index("%arg files")
    exported = document.export_file({one: "%arg Datei", other: "%arg Dateien"}, "de").data
    files = units_of(exported, "files")["substitutions"]["files"]
    assert files == localization(one="%arg Datei", other="%arg Dateien")["substitutions"]["files"]


def catalog(**texts: dict[str, str]) -> bytes:
    """A catalog with these keys; their confirmed texts by language, with "_" for "-"."""
    strings = {
        key: {
            "localizations": {
                tag.replace("_", "-"): {"stringUnit": {"state": "translated", "value": text}}
                for tag, text in by_tag.items()
            }
        }
        for key, by_tag in texts.items()
    }
    return json.dumps({"sourceLanguage": "en", "strings": strings, "version": "1.0"}).encode()


def test_catalog_with_several_languages_has_the_targets_of_the_language_of_the_document() -> None:
    data = catalog(save={"de": "Sichern", "fr": "Garder"}, stop={"fr": "Arrêter"})
    assert [s.target for s in read_document(data, "a.xcstrings").segments] == [None, None]
    document = read_document(data, "a.xcstrings", target="de")
    assert [(s.target, s.state) for s in document.segments] == [("Sichern", "confirmed"), (None, "new")]
    assert document.export_file({0: "Sichern"}, "de").data == data
    written = document.export_file({0: "Sichern", 1: "Halt"}, "de").data
    assert units_of(written, "stop")["stringUnit"]["value"] == "Halt"
    assert units_of(written, "save") == units_of(data, "save")
    assert units_of(written, "stop", "fr") == units_of(data, "stop", "fr")


def test_copy_of_the_source_that_is_new_is_no_target() -> None:
    content = json.loads(catalog(save={"de": "save"}, stop={"de": "Halt"}, ok={"de": "ok"}))
    for key in ("save", "stop"):
        content["strings"][key]["localizations"]["de"]["stringUnit"]["state"] = "new"
    document = read_document(json.dumps(content).encode(), "a.xcstrings")
    assert [(s.source, s.target, s.state) for s in document.segments] == [
        ("save", None, "new"),
        ("stop", "Halt", "edited"),
        ("ok", "ok", "confirmed"),
    ]


def test_only_other_language_is_not_overwritten_by_a_new_one() -> None:
    data = catalog(save={"nl": "Bewaren"})
    document = read_document(data, "a.xcstrings", target="de")
    assert document.segments[0].target is None
    written = document.export_file({0: "Sichern"}, "de").data
    assert units_of(written, "save")["stringUnit"]["value"] == "Sichern"
    assert units_of(written, "save", "nl") == units_of(data, "save", "nl")
    assert units_of(document.export({0: "Opslaan"}), "save", "nl")["stringUnit"]["value"] == "Opslaan"


@pytest.mark.parametrize(
    ("tags", "language", "expected"),
    [
        (("pt_BR", "fr"), "pt", "pt-BR"),
        (("pt_BR", "pt_PT"), "pt", "pt"),  # neither is meant more than the other
        (("pt_BR", "pt_PT"), "pt-PT", "pt-PT"),
        (("zh_Hans", "zh_Hant"), "zho_Hant", "zh-Hant"),
        (("zh_Hans",), "de", "de"),
    ],
)
def test_variant_of_a_language_is_used_if_there_is_only_one(
    tags: tuple[str, ...], language: str, expected: str
) -> None:
    data = catalog(save=dict.fromkeys(tags, "x"))
    document = read_document(data, "a.xcstrings", target=language)
    assert document.segments[0].target == ("x" if expected.replace("-", "_") in tags else None)
    content = json.loads(document.export_file({0: "y"}, language).data)["strings"]["save"]["localizations"]
    assert {tag for tag, unit in content.items() if unit["stringUnit"]["value"] == "y"} == {expected}


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"{}", "is not a string catalog"),
        (b'{"sourceLanguage": "en", "strings": []}', "is not a string catalog"),
        (b'{"sourceLanguage": "en", "strings": {"a": 1, "b": null, "12": {}}}', "contains no text"),
        (b'{"sourceLanguage": "en", "strings": {', "not valid JSON"),
        (b"[" * 300 + b"]" * 300, "nested more than 100 levels deep"),
    ],
)
def test_other_files_are_refused_with_the_cure(data: bytes, message: str) -> None:
    with pytest.raises(DocumentError, match=message):
        read_document(data, "a.xcstrings")
