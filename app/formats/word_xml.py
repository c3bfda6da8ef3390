"""XML of Word documents: runs of text, comments, and the marks around the text that a comment is about."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final

from app.formats.base import Comment
from app.formats.xml_text import escape

WORD: Final = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
COMMENTS_TYPE: Final = "application/vnd.openxmlformats-officedocument.wordprocessingml.comments+xml"
RELATIONS: Final = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_NO_AUTHOR: Final = "Pinpoint"  # Word requires an author


def comment_xml(comment: Comment, number: int, namespace: str = "") -> str:
    """A comment of comments.xml; `namespace` declares the prefix "w" where the file does not."""
    author = comment.author or _NO_AUTHOR
    initials = "".join(word[0] for word in author.split())[:4].upper()
    date = ""
    if comment.written_ms:
        date = f' w:date="{datetime.fromtimestamp(comment.written_ms / 1000, UTC):%Y-%m-%dT%H:%M:%SZ}"'
    return (
        f'<w:comment{namespace} w:id="{number}" w:author="{_attribute(author)}"{date} '
        f'w:initials="{_attribute(initials)}">'
        + "".join(f"<w:p>{run_xml(line)}</w:p>" for line in comment.text.split("\n"))
        + "</w:comment>"
    )


def comment_marks(number: int, namespace: str = "") -> tuple[str, str]:
    """The marks before and behind the text that a comment is about."""
    return (
        f'<w:commentRangeStart{namespace} w:id="{number}"/>',
        f'<w:commentRangeEnd{namespace} w:id="{number}"/><w:r{namespace}><w:commentReference w:id="{number}"/></w:r>',
    )


def run_xml(text: str, properties: str = "") -> str:
    """A run with this text and these properties; "" for an empty text."""
    if not text:
        return ""
    about = f"<w:rPr>{properties}</w:rPr>" if properties else ""
    shown = escape(text).replace("\t", '</w:t><w:tab/><w:t xml:space="preserve">')
    return f'<w:r>{about}<w:t xml:space="preserve">{shown}</w:t></w:r>'


def _attribute(text: str) -> str:
    return escape(text).replace('"', "&quot;")
