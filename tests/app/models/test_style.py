"""The style of translations, apart from models."""

from __future__ import annotations

from app.models.style import Style


def test_part_beside_another_style_keeps_whether_numbers_are_required() -> None:
    chosen = Style("formal", "software", requires_numbers=False)
    assert chosen.besides(Style("formal", None)) == Style(None, "software", requires_numbers=False)
