"""A text that a person changed or confirmed loses what the file says about the origin of its former text."""

from __future__ import annotations

import pytest

from app.access.actor import OWNER
from app.formats.read_file import read_document
from app.log.store import LogStore
from app.reports.translated_document import translated_document
from app.segments.stored_state import restore_segment
from tests.app.formats.test_xliff_reviews import FILES
from tests.app.workspace.test_review import workspace_of

QUALIFIERS = (
    *("exact-match", "fuzzy-match", "id-match", "leveraged-glossary", "leveraged-inherited", "leveraged-mt"),
    *("leveraged-repository", "leveraged-tm", "mt-suggestion", "tm-suggestion", "rejected-grammar"),
)
TRADOS = 'conf="Draft" origin="tm" origin-system="base" percent="85" text-match="Source" struct-match="true"'
MEMOQ = 'mq:status="PartiallyEdited" mq:percent="85" mq:translatorcommitmatchrate="85"'
PHRASE = 'm:confirmed="0" m:score="0.85" m:gross-score="0.9" m:trans-origin="tm"'
STATE_2 = 'state="initial" subState="tm:fuzzy"'


def exported(data: bytes, name: str, text: str, *, is_draft: bool) -> str:
    return read_document(data, name).export_file({0: text}, drafts={0} if is_draft else ()).data.decode()


@pytest.mark.parametrize("qualifier", QUALIFIERS)
@pytest.mark.parametrize(("text", "is_draft"), [("Eine", True), ("Eine", False), ("Eins", False)])
def test_state_qualifier_of_the_former_text_goes(qualifier: str, text: str, is_draft: bool):
    state = f'state="needs-review-translation" state-qualifier="{qualifier}"'
    data = FILES["a.xlf"].format(state=state).encode()
    assert "state-qualifier" not in exported(data, "a.xlf", text, is_draft=is_draft)
    assert read_document(data, "a.xlf").export({}) == data


def test_state_qualifier_of_another_kind_stays():
    data = FILES["a.xlf"].format(state='state="new" state-qualifier="x-house"').encode()
    assert 'state="translated" state-qualifier="x-house"' in exported(data, "a.xlf", "Eine", is_draft=False)


@pytest.mark.parametrize(
    ("name", "state", "expected"),
    [
        ("a.sdlxliff", TRADOS, '<sdl:seg id="1" conf="{}" origin="interactive"/>'),
        ("a.mqxliff", MEMOQ, '<trans-unit id="1" mq:status="{}">'),
        ("a.mxliff", PHRASE, '<trans-unit id="a:0" m:confirmed="{}" m:score="0" m:gross-score="0" m:locked="false">'),
        ("b.xlf", STATE_2, '<segment state="{}">'),
    ],
)
@pytest.mark.parametrize(("text", "is_draft"), [("Eine", True), ("Eine", False), ("Eins", False)])
def test_tools_are_not_told_the_match_of_the_former_text(
    name: str, state: str, expected: str, text: str, is_draft: bool
):
    states = {
        "a.sdlxliff": ("Translated", "Draft"),
        "a.mqxliff": ("ManuallyConfirmed", "Edited"),
        "a.mxliff": ("1", "0"),
        "b.xlf": ("translated", "initial"),
    }
    data = FILES[name].format(state=state).encode()
    assert expected.format(states[name][is_draft]) in exported(data, name, text, is_draft=is_draft)


def test_metadata_of_version_2_about_a_match_goes_and_other_metadata_stays():
    kept = '<mda:meta type="client">Harbor</mda:meta>'
    metadata = (
        '<mda:metadata><mda:metaGroup appliesTo="target"><mda:meta type="match-percent">85</mda:meta>'
        f'{kept}<mda:meta type="originSystem">base</mda:meta></mda:metaGroup></mda:metadata>'
    )
    data = FILES["b.xlf"].format(state='state="initial"').replace('<unit id="a">', f'<unit id="a">{metadata}')
    data = data.replace("<xliff ", '<xliff xmlns:mda="urn:oasis:names:tc:xliff:metadata:2.0" ')
    written = exported(data.encode(), "b.xlf", "Eine", is_draft=True)
    assert f'<mda:metaGroup appliesTo="target">{kept}</mda:metaGroup>' in written
    alone = exported(data.replace(kept, "").encode(), "b.xlf", "Eine", is_draft=True)
    assert "mda:meta" not in alone  # an empty group is not valid
    several = data.replace("</unit>", "<segment><source>Two</source></segment></unit>")
    assert metadata in exported(several.encode(), "b.xlf", "Eine", is_draft=True)  # of which segment, is not known


def test_confirmed_suggestion_is_exported_without_its_qualifier(store: LogStore):
    data = FILES["a.xlf"].format(state='state="needs-review-translation" state-qualifier="mt-suggestion"').encode()
    workspace = workspace_of(store, store.start_session(OWNER, read_document(data, "a.xlf"), "en-de").token)
    workspace.confirm(OWNER, 0, "Eins")
    record = store.load_session(OWNER, workspace.token)
    written = translated_document(record.document, map(restore_segment, record.segments)).data.decode()
    assert '<target state="translated">Eins' in written
