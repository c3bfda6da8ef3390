"""TMX of terms: each unit with both languages is an entry. What stands in inline tags is no part of a term."""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree.ElementTree import Element

from app.glossary.reading.rows import Entry
from app.glossary.reading.xml_entries import entries, language, local

_INLINE = ("bpt", "ept", "ph", "it", "ut")


def read_tmx(data: bytes, name: str, direction: str | None) -> Iterator[Entry]:
    """The entries of the file, numbered by unit; `direction` says which languages count, else the first two do."""
    wanted = (direction or "").split("-")
    for number, unit in entries(data, name, "tu"):
        texts: dict[str, str] = {}
        for variant in unit:
            if local(variant) == "tuv":
                segment = next((child for child in variant if local(child) == "seg"), None)
                texts.setdefault(language(variant), _text(segment) if segment is not None else "")
        if len(wanted) != 2:
            wanted = list(texts)[:2]
        shown = "; ".join(f"{code}: {text}" for code, text in texts.items())
        note = next(("".join(child.itertext()) for child in unit if local(child) == "note"), "")
        source, target = (texts.get(code, "") for code in (*wanted, "", "")[:2])
        yield Entry(number, shown, source, target, note=note)


def _text(element: Element) -> str:
    parts = [element.text or ""]
    for child in element:
        parts += ["" if local(child) in _INLINE else _text(child), child.tail or ""]
    return "".join(parts)
