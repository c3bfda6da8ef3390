"""MDX: the code of components is no text, and the text inside of them is Markdown."""

from __future__ import annotations

import pytest

from app.formats.markup.mdx import without_code
from app.formats.read_file import read_document
from tests.app.work import growth

FILE = """---
title: First steps
---
import Tabs from '@theme/Tabs';
import {
  Card,
} from "../card";

export const year = 2024;

# Hello, {props.name}

<Tabs
  defaultValue="mac"
  values={[{label: 'No > text', value: 'mac'}]}
>
  <TabItem value="mac">

    Press **OK** on the <Key name="x" /> key.

  </TabItem>
</Tabs>

{/* A comment
over lines */}

<Card title="Not offered"><b>

Text in the card.

</b></Card>

{year > 2000 && <p>code</p>}

<Note>One line in a note.</Note>

```jsx
import x from 'y'
<Tabs
```

The end.
"""


def test_text_outside_and_inside_of_components_is_offered() -> None:
    document = read_document(FILE.encode(), "a.mdx")
    assert [segment.source for segment in document.segments] == [
        "First steps",
        "Hello, {props.name}",
        'Press {1}OK{/1} on the <Key name="x" /> key.',
        "Text in the card.",
        "One line in a note.",
        "The end.",
    ]
    assert document.export({}) == FILE.encode()
    written = document.export({2: 'Drücken Sie {1}OK{/1} auf <Key name="x" />.', 5: "Ende."}).decode()
    assert written == FILE.replace("Press **OK** on the", "Drücken Sie **OK** auf").replace(
        '" /> key.', '" />.'
    ).replace("The end.", "Ende.")


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_markdown_with_imports_is_mdx_and_sentences_about_imports_are_text(line_end: str) -> None:
    tabs = ["<Tabs", "  x={1}>", "", "      In a tab.", "", "</Tabs>"]
    lines = ["import A from './a.js';", "import 'b.css'", "", "import duties from last year", "", *tabs]
    document = read_document(line_end.join(lines).encode(), "a.md")
    assert [s.source for s in document.segments] == ["import duties from last year", "In a tab."]
    assert document.coverage and document.coverage.percent == 100
    without = read_document(line_end.join(lines[2:]).encode(), "a.md")
    assert "In a tab." not in [s.source for s in without.segments]  # indented code


def test_import_in_a_code_block_does_not_make_markdown_mdx() -> None:
    text = "```js\nimport A from './a.js'\n```\n\nText.\n\n    indented code\n"
    assert [s.source for s in read_document(text.encode(), "a.md").segments] == ["Text."]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<A\n\n>b", "<A\n\n>b"),  # never closed in its paragraph
        ("<A b={'>'}/>\nc", f"{' ' * 12}\nc"),
        ("{a", "{a"),
        ("<>\nc\n</>", "  \nc\n   "),
        ("a <B>", "a <B>"),
        ("<B>a", "<B>a"),
        ("~~~\n<B>\n~~~\n<B>", "~~~\n<B>\n~~~\n   "),
    ],
)
def test_code_becomes_spaces_of_the_same_length(text: str, expected: str) -> None:
    assert without_code(text, is_mdx=True) == expected


@pytest.mark.parametrize("line", ["<A b={", "{a", "<A ", "import {", "{`a", "<A b='"])
def test_broken_code_takes_linear_time(line: str) -> None:
    assert growth(lambda size: without_code(f"{line}\n" * 20 * size, is_mdx=True), 10) < 2.5
