"""Placeholders are found where programs and markup have them, and not in ordinary sentences."""

from __future__ import annotations

import pytest

from app.formats.placeholders import placeholder_problem, placeholders


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Copy %s to %1$s, %(name)s and %-5.2f %%", ["%s", "%1$s", "%(name)s", "%-5.2f", "%%"]),
        ("{0} of {name:>5} in ${HOME} {{ user }} {}", ["{0}", "{name:>5}", "${HOME}", "{{ user }}", "{}"]),
        ("{1}OK{/1}", ["{1}", "{/1}"]),
        ('<b>bold</b> <a href="x">&amp; &#x20;<br/>', ["<b>", "</b>", '<a href="x">', "&amp;", "&#x20;", "<br/>"]),
        (r"One\ntwo C:\\new", [r"\n"]),
        ("100 % sicher, 5% der, 3 < 4 > 2, AT&T; {so} nicht {", ["{so}"]),
    ],
)
def test_placeholders_are_found(text: str, found: list[str]) -> None:
    assert placeholders(text) == found


def test_what_is_missing_and_what_is_too_much_is_named() -> None:
    assert placeholder_problem("%s %s {0}", "{0} %s") == "Placeholders missing: %s"
    assert placeholder_problem("a", "{/1}") == "Placeholders that the source does not have: {/1}"
    assert placeholder_problem("%s and %d", "%d und %s") == ""
