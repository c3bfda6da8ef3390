"""XLIFF files whose `file` elements have different languages."""

from __future__ import annotations

import pytest

from app.formats.read_file import read_file

UNIT = '<body><trans-unit id="1"><source>{}</source></trans-unit></body>'


def xliff(*files: tuple[str, str]) -> bytes:
    inner = "".join(f"<file {languages}>{UNIT.format(source)}</file>" for languages, source in files)
    return f'<xliff version="1.2">{inner}</xliff>'.encode()


MIXED = xliff(
    ('source-language="en" target-language="de"', "Open it."),
    ('source-language="en-US" target-language="fr"', "Close it."),
    ('source-language="en-US" target-language="de-DE"', "Save it."),
    ('source-language="en"', "Print it."),
)


@pytest.mark.parametrize(
    ("target", "sources", "left_out"),
    [
        ("de", ["Open it.", "Save it.", "Print it."], "en-US → fr"),
        ("fr", ["Close it.", "Print it."], "en → de, en-US → de-DE"),
        ("it", ["Open it.", "Save it.", "Print it."], "en-US → fr"),  # as the first file element says
    ],
)
def test_texts_of_one_pair_of_languages_are_offered_and_the_others_named(
    target: str, sources: list[str], left_out: str
) -> None:
    document = read_file(MIXED, "a.xlf").document("en", target=target)
    assert [segment.source for segment in document.segments] == sources
    assert f"Not offered: texts in {left_out}." in document.notes


def test_the_translation_goes_into_the_file_element_of_its_languages() -> None:
    document = read_file(MIXED, "a.xlf").document("en", target="fr")
    written = document.export_file({0: "Fermez-le.", 1: "Imprimez-le."}, "fr").data.decode()
    assert "<source>Close it.</source><target" in written and "Fermez-le.</target>" in written
    assert written.count("<target") == 2
    assert '<file source-language="en" target-language="fr">' in written  # it had no target language


def test_files_of_one_pair_have_no_note() -> None:
    data = xliff(
        ('source-language="en" target-language="de"', "A b."), ('source-language="en-GB" target-language="de"', "C.")
    )
    document = read_file(data, "a.xlf").document("en", target="de")
    assert len(document.segments) == 2 and not document.notes
