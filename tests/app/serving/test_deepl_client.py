"""Each public method of DeepL's unmodified client, against the table of the administrator's guide."""

from __future__ import annotations

import inspect
import io
import re
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import deepl
import pytest
from deepl.api_data import MultilingualGlossaryDictionaryEntries, TranslationMemoryJob, TranslationMemoryJobResult

from app.access.actor import OWNER
from app.formats.read_file import read_document
from app.serving.gateway import ApiGateway
from app.sessions import Sessions
from tests.app.serving.conftest import listening

GUIDE = Path(__file__).resolve().parents[3] / "docs" / "administrators.md"
HEADING = "| methods of `deepl.DeepLClient` | state |"
WORKS, REFUSED, SENDS_NOTHING = "work", "raise `DeepLException`: not offered", "send nothing"
PAIR = {"source_lang": "EN", "target_lang": "DE"}
TEXT = b"Open the file."


def listed() -> dict[str, str]:
    """The methods in the table of the guide, with their state."""
    table = GUIDE.read_text(encoding="utf-8").partition(HEADING)[2].partition("\n\n")[0]
    rows = [row.strip("|").split("|") for row in table.strip().splitlines()[1:]]
    return {name: state.strip() for names, state in rows for name in re.findall(r"`(\w+)`", names)}


@pytest.fixture
def address(gateway: ApiGateway) -> Iterator[str]:
    with listening(gateway) as address:
        yield address


@pytest.fixture
def ana(address: str, key: str, monkeypatch: pytest.MonkeyPatch) -> deepl.DeepLClient:
    sleep = time.sleep
    monkeypatch.setattr(deepl.translator.time, "sleep", lambda seconds: sleep(0.02))  # between two looks at a document
    monkeypatch.setattr(deepl.http_client, "max_network_retries", 0)
    return deepl.DeepLClient(key, server_url=address)


def calls(ana: deepl.DeepLClient, address: str, folder: Path) -> dict[str, partial[Any]]:
    """A call of each public method with arguments that are right, in an order in which all can succeed."""
    terms = ana.create_glossary("Terms", "EN", "DE", {"file": "Akte"})
    entries = MultilingualGlossaryDictionaryEntries("EN", "DE", {"file": "Akte"})
    both = ana.create_multilingual_glossary("Both", [entries])
    document = {**PAIR, "filename": "a.txt"}
    handle = ana.translate_document_upload(TEXT, **document)
    (folder / "a.txt").write_bytes(TEXT)
    (folder / "a.tmx").write_bytes(b"<tmx/>")
    stored = f"{address}/v3/translation_memories/file/tmx"
    result = TranslationMemoryJobResult("done", download_url=stored)
    methods: list[partial[Any]] = [
        partial(ana.set_app_info, "test", "1"),
        partial(ana.translate_text, "Open the file.", **PAIR),
        partial(ana.translate_text_with_glossary, "Open the file.", terms),
        partial(ana.translate_document, io.BytesIO(TEXT), io.BytesIO(), **document),
        partial(ana.translate_document_from_filepath, folder / "a.txt", folder / "b.txt", **PAIR),
        partial(ana.translate_document_upload, TEXT, **document),
        partial(ana.translate_document_get_status, handle),
        partial(ana.translate_document_wait_until_done, handle),
        partial(ana.translate_document_download, handle, io.BytesIO()),
        partial(ana.create_glossary, "More", "EN", "DE", {"file": "Akte"}),
        partial(ana.create_glossary_from_csv, "More", "EN", "DE", "file,Akte\n"),
        partial(ana.list_glossaries),
        partial(ana.get_glossary, terms.glossary_id),
        partial(ana.get_glossary_entries, terms),
        partial(ana.get_glossary_languages),
        partial(ana.delete_glossary, terms),
        partial(ana.create_multilingual_glossary, "More", [entries]),
        partial(ana.create_multilingual_glossary_from_csv, "More", "EN", "DE", "file,Akte\n"),
        partial(ana.list_multilingual_glossaries),
        partial(ana.get_multilingual_glossary, both.glossary_id),
        partial(ana.get_multilingual_glossary_entries, both, "EN", "DE"),
        partial(ana.update_multilingual_glossary_name, both, "New"),
        partial(ana.update_multilingual_glossary_dictionary, both, entries),
        partial(ana.update_multilingual_glossary_dictionary_from_csv, both, "EN", "DE", "window,Fenster\n"),
        partial(ana.replace_multilingual_glossary_dictionary, both, entries),
        partial(ana.replace_multilingual_glossary_dictionary_from_csv, both, "EN", "DE", "window,Fenster\n"),
        partial(ana.delete_multilingual_glossary_dictionary, both, **PAIR),
        partial(ana.delete_multilingual_glossary, both),
        partial(ana.get_source_languages),
        partial(ana.get_target_languages),
        partial(ana.get_usage),
        partial(ana.rephrase_text, "Open the file."),
        partial(ana.correct_text, "Open the file."),
        partial(ana.create_style_rule, "Style", "de"),
        partial(ana.get_all_style_rules),
        partial(ana.get_style_rule, "1"),
        partial(ana.update_style_rule_name, "1", "New"),
        partial(ana.update_style_rule_configured_rules, "1", {}),
        partial(ana.delete_style_rule, "1"),
        partial(ana.create_style_rule_custom_instruction, "1", "Label", "Be kind."),
        partial(ana.get_style_rule_custom_instruction, "1", "2"),
        partial(ana.update_style_rule_custom_instruction, "1", "2", "Label", "Be kind."),
        partial(ana.delete_style_rule_custom_instruction, "1", "2"),
        partial(ana.list_translation_memories),
        partial(ana.get_translation_memory, "en-de"),
        partial(ana.list_translation_memory_segments, "en-de"),
        partial(ana.delete_translation_memory, "1"),
        partial(ana.create_translation_memory_import, "a.tmx", 6),
        partial(ana.upload_translation_memory_file, stored, b"<tmx/>"),
        partial(ana.import_translation_memory_from_filepath, folder / "a.tmx"),
        partial(ana.create_translation_memory_export, "1"),
        partial(ana.download_translation_memory_export, TranslationMemoryJob("1", "export", [result]), io.BytesIO()),
        partial(ana.export_translation_memory_to_filepath, "1", folder / "b.tmx"),
        partial(ana.get_translation_memory_job, "1"),
        partial(ana.wait_until_translation_memory_job_done, "1"),
        partial(ana.close),
    ]
    return {method.func.__name__: method for method in methods}


def test_memory_is_read_in_pages_and_filtered(ana: deepl.DeepLClient, sessions: Sessions):
    pairs = [(f"Open file {number}.", f"Öffnen Sie Datei {number}.") for number in range(5)]
    store = sessions.store
    document = read_document(b"x\n", "a.txt")
    project = store.load_session(OWNER, store.start_session(OWNER, document, "en-de").id).project_id
    sessions.library.add("en-de", "memory", pairs, project)
    listed_memories = {each.translation_memory_id: each for each in ana.list_translation_memories()}
    assert listed_memories["en-de"].segment_count == 5
    (memory,) = ana.list_translation_memories(page=0, page_size=1)
    assert memory.target_languages
    seen: list[tuple[str, str]] = []
    cursor = None
    while True:
        page = ana.list_translation_memory_segments("en-de", page_size=2, page_cursor=cursor)
        assert page.segment_count == 5 and len(page) <= 2
        seen += [(each.source_text, each.targets[0].target_text) for each in page]
        if (cursor := page.next_page_cursor) is None:
            break
    assert sorted(seen) == pairs
    assert len(ana.list_translation_memory_segments("en-de", filter_text="datei 3")) == 1
    assert len(ana.list_translation_memory_segments("en-de", filter_text="datei", filter_case_sensitive=True)) == 0
    with pytest.raises(deepl.DeepLException, match="no such translation memory"):
        ana.get_translation_memory("xx-yy")


def test_guide_lists_each_public_method_of_deepls_client():
    public = {name for name, _ in inspect.getmembers(deepl.DeepLClient) if not name.startswith("_")}
    assert listed().keys() == public, "the guide has a table of all methods, and this test calls each"
    assert set(listed().values()) == {WORKS, REFUSED, SENDS_NOTHING}


def test_each_method_of_deepls_client_does_what_the_guide_states(ana: deepl.DeepLClient, address: str, tmp_path: Path):
    states = listed()
    assert (states.pop("server_url"), ana.server_url) == (SENDS_NOTHING, address)
    methods = calls(ana, address, tmp_path)
    assert methods.keys() == states.keys()
    for name, call in methods.items():
        if states[name] == REFUSED:
            with pytest.raises(deepl.DeepLException, match=r"This server does not offer [A-Z]+ /v[23]/|status: 404"):
                call()
        else:
            call()
    assert (tmp_path / "b.txt").stat().st_size and not (tmp_path / "b.tmx").exists()
