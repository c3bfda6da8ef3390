"""Resources of .NET: Translate Toolkit reads the same keys and the new texts."""

from __future__ import annotations

import pytest
from translate.storage.resx import RESXFile

from app.errors import DocumentError
from app.formats.read_file import read_document

FILE = """<?xml version="1.0" encoding="utf-8"?>
<root>
  <resheader name="version"><value>2.0</value></resheader>
  <data name="Title" xml:space="preserve">
    <value>Power &amp; cable</value>
    <comment>Shown at the
      top</comment>
  </data>
  <data name="Two" xml:space="preserve"><value>First {0}
second</value></data>
  <data name="Icon" type="System.Drawing.Icon" mimetype="application/x-microsoft.net.object.bytearray.base64">
    <value>AAAB</value>
  </data>
  <data name="button1.Size" type="System.Drawing.Size, System.Drawing"><value>75, 23</value></data>
  <data name="&gt;&gt;button1.Name" xml:space="preserve"><value>button1</value></data>
  <data name="Number" xml:space="preserve"><value>12</value></data>
  <data name="Empty" xml:space="preserve"><value /></data>
  <data name="Raw" xml:space="preserve"><value><![CDATA[<b>Bold</b>]]></value></data>
</root>
"""


def test_texts_are_segments_and_key_and_comment_are_the_note() -> None:
    document = read_document(FILE.encode(), "a.resx")
    assert [(s.source, s.note) for s in document.segments] == [
        ("Power & cable", "Key: Title · Shown at the top"),
        (r"First {0}\nsecond", "Key: Two"),
        ("<b>Bold</b>", "Key: Raw"),
    ]


def test_only_the_translated_values_change() -> None:
    document = read_document(FILE.encode(), "a.resx")
    written = document.export({0: "Strom & <Kabel>", 1: r"Erst {0}\nzweit", 2: "<b>Fett</b>"}).decode()
    assert written == FILE.replace("Power &amp; cable", "Strom &amp; &lt;Kabel&gt;").replace(
        "First {0}\nsecond", "Erst {0}\nzweit"
    ).replace("<![CDATA[<b>Bold</b>]]>", "&lt;b&gt;Fett&lt;/b&gt;")
    values = {unit.getid(): unit.target for unit in RESXFile.parsestring(written.encode()).units}
    assert (values["Title"], values["Two"], values["Raw"]) == ("Strom & <Kabel>", "Erst {0}\nzweit", "<b>Fett</b>")


@pytest.mark.parametrize("text", ["<resources/>", "<root>", ""])
def test_other_files_are_refused(text: str) -> None:
    with pytest.raises(DocumentError):
        read_document(text.encode(), "a.resx")
