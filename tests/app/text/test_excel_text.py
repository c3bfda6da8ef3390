"""The escapes of Excel, compared with XlsxWriter, which writes them, and with openpyxl, which reads them."""

import io
import zipfile

from hypothesis import example, given, settings
from hypothesis import strategies as st
from openpyxl.utils.escape import unescape
from xlsxwriter import Workbook

from app.text.excel_text import decoded, encoded
from tests.budget import rounds

PIECES = st.sampled_from(["_x", "_", "x", "000D", "0041", "005F", "0007", "d800", "_x005F_", "_x000d_", "a", "x005F_"])
TEXTS = st.lists(PIECES).map("".join)


@settings(max_examples=rounds(200, 5000), deadline=None)
@given(TEXTS | st.text())
@example("_x005F_x005F_")
@example("_x0007_x000D_")
def test_decoded_gives_an_encoded_text_again(text: str) -> None:
    assert decoded(encoded(text)) == text


@settings(max_examples=rounds(200, 5000), deadline=None)
@given(st.lists(st.sampled_from(["_x000D_", "_x005F_", "_x00e9_", "a", "_", "x"])).map("".join))
def test_escapes_are_decoded_as_by_openpyxl(text: str) -> None:
    assert decoded(text) == unescape(text)


def test_escapes_are_encoded_as_by_xlsxwriter() -> None:
    text = "a_x0041_b _x000D_ a_b _x41_"
    file = io.BytesIO()
    with Workbook(file) as book:
        book.add_worksheet().write_string(0, 0, text)
    with zipfile.ZipFile(file) as archive:
        assert f"<t>{encoded(text)}</t>" in archive.read("xl/sharedStrings.xml").decode()
