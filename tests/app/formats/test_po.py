"""PO files, checked with the tools of gettext."""

from __future__ import annotations

import gettext
import io
import shutil
import subprocess
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from translate.lang import data as toolkit

from app.errors import DocumentError
from app.formats.read_file import read_document
from app.formats.software.po import from_shown, shown
from app.formats.software.po_header import num_plurals, plural_index, plural_rule

HEADER = (
    b'msgid ""\nmsgstr ""\n"Content-Type: text/plain; charset=UTF-8\\n"\n'
    b'"Content-Transfer-Encoding: 8bit\\n"\n"Plural-Forms: nplurals=2; plural=(n != 1);\\n"\n\n'
)
FILE = HEADER + (
    b'# a translator\'s word\n#. Title of the window\n#: src/main.c:12\nmsgid "Settings"\nmsgstr "Einstellungen"\n\n'
    b'#, c-format\nmsgid "Could not open \\"%s\\".\\n"\nmsgstr ""\n\n'
    b'#, fuzzy, c-format\n#| msgid "%d old file"\nmsgid "%d file"\nmsgid_plural "%d files"\n'
    b'msgstr[0] "%d Akte"\nmsgstr[1] "%d Akten"\n\n'
    b'msgctxt "verb"\nmsgid ""\n"Open\\n"\n"the file"\nmsgstr ""\n\n'
    b'#~ msgid "Gone"\n#~ msgstr "Fort"\n'
)


def po(*messages: bytes) -> bytes:
    return HEADER + b"\n".join(messages)


def messages_of(data: bytes, tmp_path: Path) -> gettext.GNUTranslations:
    """The messages that an application would show: compiled by msgfmt and read by Python's gettext."""
    if shutil.which("msgfmt") is None:
        pytest.skip("no msgfmt on this machine: install gettext")
    path = tmp_path / "a.po"
    path.write_bytes(data)
    command = ["msgfmt", "--check-format", "--check-domain", "-o", str(tmp_path / "a.mo"), str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return gettext.GNUTranslations(io.BytesIO((tmp_path / "a.mo").read_bytes()))


def test_every_plural_form_is_a_segment_with_its_target_and_notes() -> None:
    document = read_document(FILE, "a.po")
    assert [(s.source, s.target, s.state) for s in document.segments] == [
        ("Settings", "Einstellungen", "confirmed"),
        ('Could not open "%s".', None, "new"),
        ("%d file", "%d Akte", "edited"),
        ("%d files", "%d Akten", "edited"),
        (r"Open\nthe file", None, "new"),
    ]
    assert document.segments[0].note == "a translator's word · Title of the window"
    assert document.segments[3].note == "Plural form 2 of 2"
    assert document.segments[4].note == "Context: verb"


def test_notes_of_a_template_do_not_state_how_many_plural_forms_the_language_has() -> None:
    template = FILE.replace(b"nplurals=2; plural=(n != 1);", b"nplurals=INTEGER; plural=EXPRESSION;")
    notes = [segment.note for segment in read_document(template, "a.pot", target="pl").segments]
    forms = [note.partition(" · ")[0] for note in notes if "Plural" in note]
    assert forms == ["Plural form 1", "Plural form 2", "Plural form 3"]


def test_only_translated_strings_change() -> None:
    document = read_document(FILE, "a.po")
    exported = document.export_file({1: 'Konnte „%s“ nicht "öffnen".', 4: r"Datei\nöffnen"}, "de", drafts={4})
    expected = FILE.replace(
        b'%s\\".\\n"\nmsgstr ""', '%s\\".\\n"\nmsgstr "Konnte „%s“ nicht \\"öffnen\\".\\n"'.encode()
    ).replace(
        b'msgctxt "verb"\nmsgid ""\n"Open\\n"\n"the file"\nmsgstr ""',
        '#, fuzzy\nmsgctxt "verb"\nmsgid ""\n"Open\\n"\n"the file"\nmsgstr ""\n"Datei\\n"\n"öffnen"'.encode(),
    )
    assert exported.data == expected
    assert exported.name == "a.de.po"


def test_unchanged_translations_leave_the_bytes_unchanged() -> None:
    document = read_document(FILE, "a.po")
    drafts = {s.index for s in document.segments if s.state == "edited"}
    assert document.export_file({s.index: s.target for s in document.segments if s.target}, drafts=drafts).data == FILE


def test_fuzzy_flag_is_removed_once_all_forms_are_confirmed() -> None:
    document = read_document(FILE, "a.po")
    both = document.export({2: "%d Datei", 3: "%d Akten"})
    assert b'\n\n#, c-format\nmsgid "%d file"' in both
    assert b"#|" not in both
    one = document.export_file({2: "%d Datei", 3: "%d Akten"}, drafts={3}).data
    assert b'#, fuzzy, c-format\n#| msgid "%d old file"' in one
    unsure = document.export_file({0: "Optionen"}, drafts={0}).data
    assert b'#, fuzzy\nmsgid "Settings"\nmsgstr "Optionen"' in unsure


def test_gettext_reads_the_written_file(tmp_path: Path) -> None:
    document = read_document(FILE, "a.po")
    long = 'Sehr lange „Übersetzung“ \\\\ mit "Quotes" und %s ' + "und noch ein Wort " * 12 + "Ende"
    exported = document.export({1: long, 2: "%d Datei", 3: "%d Dateien", 4: r"Datei\nöffnen"})
    read = messages_of(exported, tmp_path)
    assert read.gettext('Could not open "%s".\n') == long.replace("\\\\", "\\") + "\n"
    assert read.ngettext("%d file", "%d files", 2) == "%d Dateien"
    assert read.pgettext("verb", "Open\nthe file") == "Datei\nöffnen"
    assert all(len(line) <= 80 for line in exported.decode().splitlines())


def test_file_keeps_its_character_set_or_adds_a_note() -> None:
    data = FILE.replace(b"UTF-8", b"ISO-8859-1") + 'msgid "Öl"\nmsgstr ""\n'.encode("latin-1")
    document = read_document(data, "a.po")
    assert document.segments[-1].source == "Öl"
    assert document.export({5: "Ölé"}).endswith('msgstr "Ölé"\n'.encode("latin-1"))
    exported = document.export_file({5: "Łódź"})
    assert exported.data.decode("utf-8").endswith('msgid "Öl"\nmsgstr "Łódź"\n')
    assert b"charset=UTF-8" in exported.data
    assert "Ł" in (exported.note or "")


def test_template_without_a_character_set_becomes_utf_8() -> None:
    data = FILE.replace(b"UTF-8", b"CHARSET")
    assert b"charset=UTF-8" in read_document(data, "a.pot").export({1: "Ö"})
    assert b"charset=CHARSET" in read_document(data, "a.pot").export({1: "O"})


def test_line_ends_are_kept_in_written_strings() -> None:
    data = FILE.replace(b"\n", b"\r\n")
    exported = read_document(data, "a.po").export({4: r"Datei\nöffnen"})
    assert exported.count(b"\n") == exported.count(b"\r\n")
    assert 'msgstr ""\r\n"Datei\\n"\r\n"öffnen"\r\n'.encode() in exported


TEXT = st.text(st.sampled_from('aB "\\\n\t%s{0}än😀'), max_size=30)


@given(TEXT)
def test_shown_text_is_one_line_and_converts_back(value: str) -> None:
    assert "\n" not in shown(value)
    assert from_shown(shown(value)) == value


@given(st.lists(TEXT.filter(lambda t: t.strip() != ""), min_size=1, max_size=4), st.data())
def test_any_translation_is_read_back_unchanged(sources: list[str], data: st.DataObject) -> None:
    def quoted(text: str) -> str:
        return '"' + shown(text).replace('"', '\\"') + '"'

    content = HEADER.decode() + "\n".join(f'msgid {quoted(s)}\nmsgstr ""\n' for s in sources)
    document = read_document(content.encode(), "a.po")
    assert document.export({}) == content.encode()
    target = data.draw(TEXT.filter(lambda t: t.strip() != "").map(lambda t: shown(t.strip())))
    index = data.draw(st.sampled_from(range(len(document.segments))))
    again = read_document(document.export({index: target}), "a.po")
    expected = [(s.source, target if s.index == index else None) for s in document.segments]
    assert [(s.source, s.target) for s in again.segments] == expected


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b'msgid "a"\nmsgstr "b\n', "line 2: expected a comment or a keyword"),
        (b'msgid "a"\n\nmsgid "b"\nmsgstr "c"\n', "line 3: the message has a second msgid"),
        (b'msgid "a"\n', "line 1: the message has no msgstr"),
        (b'msgstr "a"\n', "line 1: the message has no msgid"),
        (b'"charset=rot13"\n', "unknown character set rot13"),
        (b'"charset=klingon"\n', "unknown character set klingon"),
        (b'"charset=UTF-8"\nmsgid "\xe4"', "declares UTF-8 but has another encoding"),
        (b'"charset=ascii"\nmsgid "\xe4"', "line 2: byte 0xE4"),
        (HEADER, "no text to translate"),
        (b"", "empty"),
        (b"hello", "line 1"),
    ],
)
def test_invalid_po_file_is_rejected_with_its_line(data: bytes, message: str) -> None:
    with pytest.raises(DocumentError, match=message):
        read_document(data, "a.po")


TEMPLATE = """# A template
#, fuzzy
msgid ""
msgstr ""
"Project-Id-Version: x\\n"
"Language: \\n"
"MIME-Version: 1.0\\n"
"Content-Type: text/plain; charset=CHARSET\\n"
"Content-Transfer-Encoding: 8bit\\n"
"Plural-Forms: nplurals=INTEGER; plural=EXPRESSION;\\n"

domain "other"
#, c-format
msgid "One file"
msgid_plural "%d files"
msgstr[0] ""
msgstr[1] ""
"""


@pytest.mark.parametrize(("language", "num_forms"), [("de", 2), ("ru", 3)])
def test_template_becomes_a_po_file_of_the_language(language: str, num_forms: int, tmp_path: Path) -> None:
    document = read_document(TEMPLATE.encode(), "a.pot")
    export = document.export_file({0: "%d Datei", 1: "%d Dateien ß"}, language)
    written = export.data.decode()
    assert export.name == f"a.{language}.po"
    assert f'"Language: {language}\\n"' in written and f"nplurals={num_forms}; plural=(n" in written
    assert written.count("msgstr[") == num_forms and "#, fuzzy\nmsgid" not in written
    if shutil.which("msgfmt") is not None:
        (tmp_path / "a.po").write_bytes(export.data.replace(b'domain "other"', b""))
        subprocess.run(["msgfmt", "-c", "-o", tmp_path / "a.mo", tmp_path / "a.po"], check=True, capture_output=True)


def test_first_plural_form_has_the_plural_source_if_it_is_used_for_other_numbers_than_one() -> None:
    russian = TEMPLATE.replace("nplurals=INTEGER; plural=EXPRESSION", "nplurals=2; plural=(n%10 != 1)")
    german = TEMPLATE.replace("nplurals=INTEGER; plural=EXPRESSION", "nplurals=2; plural=(n != 1)")
    first = [read_document(text.encode(), "a.po").segments[0].source for text in (russian, german)]
    assert first == ["%d files", "One file"]
    both = russian.replace("One file", "%d file")
    assert read_document(both.encode(), "a.po").segments[0].source == "%d file"


def test_long_lines_are_wrapped_as_by_gettext() -> None:
    if shutil.which("msgcat") is None:
        pytest.skip("no msgcat on this machine: install gettext")
    texts = [" ".join(["word", "a", "longer"][(i * j) % 3] for j in range(9 + i)) for i in range(25)]
    header = 'msgid ""\nmsgstr "Content-Type: text/plain; charset=UTF-8\\n"\n\n'
    data = header + "\n".join(f'msgid "k{i}"\nmsgstr ""\n' for i in range(25))
    written = read_document(data.encode(), "a.po").export(dict(enumerate(texts)))
    assert subprocess.run(["msgcat", "-"], input=written, check=True, capture_output=True).stdout == written


def test_string_of_many_lines_is_read_in_linear_time() -> None:
    def seconds(num_lines: int) -> float:
        data = b'msgid "a"\nmsgstr ""\n' + b'"b"\n' * num_lines
        start = time.process_time()
        read_document(data, "a.po")
        return time.process_time() - start

    seconds(100)
    assert seconds(200_000) < 100 * max(0.01, seconds(10_000))  # quadratic time is 400 times as much


NO_RULE = TEMPLATE.replace('"Plural-Forms: nplurals=INTEGER; plural=EXPRESSION;\\n"\n', "").replace(
    'domain "other"\n', ""
)
NO_LANGUAGE = NO_RULE.replace('"Language: \\n"\n', "")
NO_HEADER = NO_RULE[NO_RULE.index("#, c-format") :]


@pytest.mark.parametrize("content", [NO_RULE, NO_LANGUAGE, NO_HEADER], ids=["no rule", "no language", "no header"])
@pytest.mark.parametrize("language", ["de", "pl", "ja", "ga", "is", "pt-BR"])
def test_msgfmt_accepts_what_is_made_of_a_template_without_a_plural_rule(
    content: str, language: str, tmp_path: Path
) -> None:
    document = read_document(content.encode(), "a.pot", target=language)
    export = document.export_file({s.index: f"{s.index} %d é" for s in document.segments}, language)
    written = export.data.decode()
    rule = plural_rule(language)
    assert rule is not None and f'"Plural-Forms: {rule}\\n"' in written
    assert f'"Language: {language.replace("-", "_")}\\n"' in written and "charset=UTF-8" in written
    assert written.count("msgstr[") == num_plurals(rule)
    if shutil.which("msgfmt") is not None:
        (tmp_path / "a.po").write_bytes(export.data)
        subprocess.run(["msgfmt", "-c", "-o", tmp_path / "a.mo", tmp_path / "a.po"], check=True, capture_output=True)


def test_file_with_plural_forms_but_no_rule_gets_the_rule_of_its_language() -> None:
    document = read_document(NO_RULE.replace("Language: ", "Language: de").encode(), "a.po", target="de")
    written = document.export_file({0: "Eine Datei"}, "de").data.decode()
    assert '"Language: de\\n"' in written and "nplurals=2; plural=(n != 1);" in written


def test_file_without_plural_forms_keeps_its_header() -> None:
    content = NO_LANGUAGE.replace("CHARSET", "UTF-8")
    content = content[: content.index("#, c-format")] + 'msgid "Open"\nmsgstr ""\n'
    written = read_document(content.encode(), "a.po").export_file({0: "Öffnen"}, "de").data.decode()
    assert written == content.replace('"Open"\nmsgstr ""', '"Open"\nmsgstr "Öffnen"')


@pytest.mark.parametrize("language", sorted(toolkit.languages))
def test_plural_rules_have_as_many_forms_as_those_of_the_translate_toolkit(language: str) -> None:
    """Except for Welsh, of which the toolkit has a simpler rule."""
    rule = plural_rule(language)
    _, number, _ = toolkit.languages[language]
    if rule is not None and number and language != "cy":
        assert num_plurals(rule) == number
    if rule is not None:
        assert plural_index(language) is not None
