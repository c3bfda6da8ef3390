"""Written XLIFF files are valid by the schemas of the format for any translation."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from app.formats.read_file import read_document
from tests.app.formats.test_xliff import V1, V2

SCHEMAS = Path(__file__).parent / "schemas"


class LocalSchemas(etree.Resolver):
    """Resolves schema imports from local files instead of the network."""

    def resolve(self, system_url: str, public_id: str, context: object) -> object:
        return self.resolve_filename(str(SCHEMAS / Path(system_url).name), context)


def schema(name: str) -> etree.XMLSchema:
    parser = etree.XMLParser()
    parser.resolvers.add(LocalSchemas())
    return etree.XMLSchema(etree.parse(SCHEMAS / name, parser))


CASES = {"1.2": (V1, schema("xliff-core-1.2-strict.xsd")), "2.0": (V2, schema("xliff-core-2.0.xsd"))}
TYPED = st.lists(st.sampled_from(["{1}", "{/1}", "{2}", "{/2}", "{3}", "<b>", "&", "ü ", "\n", "\x01", "]]>", "'\""]))


@pytest.mark.parametrize("version", CASES)
@given(
    texts=st.lists(TYPED.map("".join), min_size=6, max_size=6), draft=st.integers(0, 63), comment=st.text(max_size=9)
)
@settings(max_examples=25, deadline=None)
def test_written_files_are_valid(version: str, texts: list[str], draft: int, comment: str) -> None:
    data, its_schema = CASES[version]
    document = read_document(data.encode(), "a.xlf")
    given_texts = dict(zip(range(len(document.segments)), texts, strict=False))
    drafts = [index for index in given_texts if draft & 1 << index]
    written = document.export_file(given_texts, "de", drafts=drafts, comments={0: comment, 1: "Please\ncheck"})
    assert its_schema.validate(etree.fromstring(written.data)), its_schema.error_log


def test_schemas_reject_invalid_files() -> None:
    for data, its_schema in CASES.values():
        root = etree.fromstring(data.encode())
        assert its_schema.validate(root)
        root[-1].append(etree.Element("unknown"))
        assert not its_schema.validate(root)
