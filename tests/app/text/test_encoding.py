"""Encodings, signatures of binary files, and safe file names."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.errors import DocumentError
from app.text.encoding import ENCODINGS, codec_of, decode_text, safe_name, unencodable

TEXT = "Grüße: “naïve” – 5 €\r\nzweite Zeile\n"


@pytest.mark.parametrize(
    ("data", "encoding", "mark", "text"),
    [
        (b"plain\n", "utf-8", b"", "plain\n"),  # ASCII is UTF-8: a translation may bring umlauts
        (TEXT.encode(), "utf-8", b"", TEXT),
        (b"\xef\xbb\xbf" + TEXT.encode(), "utf-8", b"\xef\xbb\xbf", TEXT),
        (b"\xff\xfe" + TEXT.encode("utf-16-le"), "utf-16-le", b"\xff\xfe", TEXT),
        (b"\xfe\xff" + TEXT.encode("utf-16-be"), "utf-16-be", b"\xfe\xff", TEXT),
        (TEXT.encode("utf-16-le"), "utf-16-le", b"", TEXT),  # no mark: zero bytes at even or odd offsets only
        (TEXT.encode("utf-16-be"), "utf-16-be", b"", TEXT),
        ("Привет, мир\n".encode("utf-16-le"), "utf-16-le", b"", "Привет, мир\n"),  # few zero bytes are enough
        (b"\xff\xfe\x00\x00" + TEXT.encode("utf-32-le"), "utf-32-le", b"\xff\xfe\x00\x00", TEXT),
        (TEXT.encode("cp1252"), "cp1252", b"", TEXT),
        ("Müller".encode("latin-1"), "cp1252", b"", "Müller"),  # both agree: the more common name
        (b"M\xfcller \x81\x8d", "iso-8859-1", b"", "M\xfcller \x81\x8d"),  # bytes that are undefined in Windows-1252
    ],
)
def test_encoding_is_detected_and_restores_the_bytes(data: bytes, encoding: str, mark: bytes, text: str) -> None:
    decoded = decode_text(data, "a.txt", DocumentError)
    assert (decoded.encoding, decoded.mark, decoded.text) == (encoding, mark, text)
    assert decoded.mark + decoded.text.encode(decoded.encoding) == data


@pytest.mark.parametrize("data", [TEXT.encode("cp1252"), TEXT.encode("utf-16-le")])
def test_guessed_encoding_is_named_in_a_note(data: bytes) -> None:
    note = decode_text(data, "a.txt", DocumentError).note
    assert note is not None
    assert "Windows-1252" in note or "UTF-16" in note


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "empty"),
        (b"\xef\xbb\xbf", "only a byte order mark"),
        (b" \r\n\t\n", "white space"),
        (b"PK\x03\x04rest", ".docx"),
        (b"%PDF-1.7\n", "PDF"),
        (b"\x89PNG\r\n\x1a\n\x00\x00", "PNG"),
        (b"\x1f\x8b\x08\x00", "gzip"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "old office file"),
        (b"SQLite format 3\x00", "SQLite"),
        (bytes(range(256)) * 4, "binary"),
        (b"text\x00\x00\x00text", "binary"),  # zero bytes at even and odd offsets are not UTF-16
        (b"\x01\x02\x03\x04\x05 text", "binary"),
        (b"\xff\xfea", "truncated"),  # half a character after the mark of UTF-16
        (("Grüße und Küsse, äöü\n" * 20).encode() + b"bad \xff byte", "line 21"),  # not gibberish in Windows-1252
    ],
)
def test_binary_file_is_rejected_with_its_name_and_a_remedy(data: bytes, message: str) -> None:
    with pytest.raises(DocumentError, match=r"x\.txt") as caught:
        decode_text(data, "x.txt", DocumentError)
    assert message in str(caught.value)
    assert ":" in str(caught.value)  # problem: remedy


@given(st.binary(max_size=300))
def test_any_bytes_are_rejected_or_round_trip(data: bytes) -> None:
    try:
        decoded = decode_text(data, "x.txt", DocumentError)
    except DocumentError:
        return
    assert decoded.mark + decoded.text.encode(decoded.encoding) == data
    decoded.text.encode("utf-8")  # no lone surrogates: the text can be stored


def test_unencodable_lists_each_character_once() -> None:
    assert unencodable("Łódź – Łódź →", "cp1252") == ("Ł", "ź", "→")


@pytest.mark.parametrize(
    ("name", "safe"),
    [
        ("manual.txt", "manual.txt"),
        ("../../etc/passwd", "passwd"),
        ("C:\\Users\\me\\my file.txt", "my file.txt"),
        ('a<b>:"c|?*.txt', "a_b___c___.txt"),
        ("..", "document.txt"),
        (".hidden.txt", "hidden.txt"),
        ("", "document.txt"),
        ("con.txt", "_con.txt"),  # a device on Windows
        ("a\x00b\x1b[31m.txt", "ab[31m.txt"),
        ("gnp.\u202etxt.exe", "gnp.txt.exe"),  # a right-to-left mark hides the extension
        ("Übersicht 中文.txt", "Übersicht 中文.txt"),
        ("x" * 300 + ".txt", "x" * 96 + ".txt"),
    ],
)
def test_file_name_is_made_safe(name: str, safe: str) -> None:
    assert safe_name(name, "document.txt") == safe


@given(st.text(max_size=200))
def test_any_name_becomes_valid_on_every_system(name: str) -> None:
    safe = safe_name(name, "document.txt")
    assert 0 < len(safe) <= 100
    assert not set(safe) & set('<>:"|?*\\/\n\r\t\x00')
    assert not safe.startswith(".")
    assert safe_name(safe, "document.txt") == safe


@pytest.mark.parametrize("encoding", ["cp1251", "koi8-r"])
def test_cyrillic_text_is_recognised(encoding):
    text = "Нажмите кнопку, чтобы открыть файл. Press OK."
    decoded = decode_text(text.encode(encoding), "a.txt", DocumentError)
    assert (decoded.text, decoded.encoding) == (text, encoding)
    assert decoded.note is not None and decoded.label in decoded.note


def test_western_text_with_many_accents_is_not_taken_for_cyrillic():
    text = "Größe, Übergrößen, Äußerung – créée à l’été, là où naïveté règne"
    assert decode_text(text.encode("cp1252"), "a.txt", DocumentError).encoding == "cp1252"


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("Tento žlutý kůň běží přes řeku a nikdo neví proč.", "cp1250"),
        ("Ten żółty koń biegnie przez rzekę, a gęś idzie obok. Złoty błąd.", "cp1250"),
        ("Az őrült író űrhajóról írt könyvet.", "cp1250"),
        ("这个文件用简体中文写成。", "gb18030"),
        ("日本語の文章です。ひらがなとカタカナ。", "euc_jp"),
        ("日本語の文章です。ひらがなとカタカナ。", "shift_jis"),
        ("한국어로 쓴 글입니다. 안녕하세요.", "euc_kr"),
        ("Это обычный русский текст без затей.", "cp866"),
        ("Ťažké slová, ďateľ a šťava.", "cp1250"),
        ("Der Größe nach: schöne Häuser, süße Äpfel.", "cp1252"),
        ("L’été où naïve garçon a mangé des pâtes.", "cp1252"),
        ("Perché la città è così bella? Più giù, lunedì.", "cp1252"),
        ("På Bornholm spiser børn gerne rødgrød.", "cp1252"),
        ("Amanhã não há lições, então põe a mesa: avô, sedução.", "cp1252"),
        ("Volume 5 m³, ¿qué? Año español, corazón.", "cp1252"),
    ],
)
def test_encodings_of_other_languages_are_distinguished_from_western_ones(text: str, encoding: str) -> None:
    decoded = decode_text(text.encode(encoding), "a.txt", DocumentError)
    assert (decoded.encoding, decoded.text) == (encoding, text)


@pytest.mark.parametrize(
    ("data", "encoding", "message"),
    [
        (b"a\n\x81", "cp1252", "line 2: byte 0x81 is not valid in Windows-1252: choose another encoding"),
        (b"\x1b$Ba\x1b(B\x1b(B", "iso2022_jp", "is not valid|cannot be saved again unchanged"),
    ],
)
def test_encoding_that_does_not_fit_is_refused(data: bytes, encoding: str, message: str) -> None:
    with pytest.raises(DocumentError, match=message):
        decode_text(data, "a.txt", DocumentError, encoding)


@pytest.mark.parametrize("name", ["klingon", "base64", "utf-7", "unicode_escape", "idna", "rot13", "utf-16", ""])
def test_codec_that_is_not_a_text_encoding_is_unknown(name: str) -> None:
    assert codec_of(name) is None
    assert [codec_of(name) for name in ("Windows-1250", "latin1", "GBK")] == ["cp1250", "iso-8859-1", "gbk"]
    assert [codec_of(name) for name in ENCODINGS] == list(ENCODINGS)


def test_a_nul_in_a_text_is_named_with_its_line() -> None:
    for data in (b"a=One\r\nb=Tw\0o\r\n", "ä=One\nb=Tw\0o".encode()):
        with pytest.raises(DocumentError, match=r"a\.properties, line 2: the character NUL"):
            decode_text(data, "a.properties", DocumentError)
    with pytest.raises(DocumentError, match="is a binary file"):
        decode_text(b"\1\2\0a\3", "a.properties", DocumentError)
