"""Placeholders that only the formats of software have, beside those that every text may have (`engine.PLACEHOLDER`).

A convention that is ambiguous in prose ("at :noon", "@home", "[optional]") holds for the formats of its row, and some
only for files with the evidence that their tool leaves. The placeholders of a file's texts are found when it is read,
and each segment has its own (`app.formats.documents.Segment.placeholders`).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Final

_STRINGS: Final = frozenset({"json", "yaml", "po", "properties", "resx"})
_APPLE: Final = frozenset({"strings", "stringsdict", "xcstrings", "json", "yaml"})
_QT: Final = frozenset({"po", "xliff", "json", "yaml"})
_WORDS_IN_BRACKETS: Final = "alpha|beta|deprecated|empty|experimental|new|none|optional|required|sic|unknown|untitled"


@dataclass(frozen=True, slots=True)
class Convention:
    """A kind of placeholders in texts of certain formats; of any file, or of files with texts that match `evidence`.

    Args:
        name: The tools that have it.
        pattern: Matches a placeholder.
        formats: Keys of `app.formats.Format`.
        evidence: Matches in at least one text of each file in which the convention holds.
        source: The documentation of the convention.
    """

    name: str
    pattern: re.Pattern[str]
    formats: frozenset[str]
    source: str
    evidence: re.Pattern[str] | None = None


# Unlike anything in prose: these are placeholders in every text.
ANYWHERE: Final = re.compile(
    r"""
    # i18next: $t(key), $t(key, {"count": 3})  https://www.i18next.com/translation-function/nesting
    \$t\([^()]{1,200}\)
    # vue-i18n: @:key, @:(key), @:{'key'}, @.lower:key  https://vue-i18n.intlify.dev/guide/essentials/syntax
    | (?<![\w@])@(?:\.[a-z]{1,20})?:(?:\([\w.-]{1,200}\)|\{'[^'{}]{1,200}'\}|[A-Za-z_][\w-]*+(?:\.[\w-]++)*)
    # Symfony, Twig, Windows: %name%  https://symfony.com/doc/current/translation.html
    | (?<![\w%])%(?!(?:hh?|ll?|[Lqjzt])?[A-Za-z]%)[A-Za-z_][\w.-]*+%(?![\w%])
    # String catalogs: %arg, %#@name@
    # https://developer.apple.com/documentation/xcode/localizing-and-varying-text-with-a-string-catalog
    | %arg(?!\w) | %(?:\d+\$)?\#@\w++@
    # ERB, JSP, EJS, PHP: <%= name %>, <?= $name ?>  https://docs.ruby-lang.org/en/master/ERB.html
    | <%.{0,300}?%> | <\?(?:=|php\s).{0,300}?\?>
    # Ruby, JSF, Sass: #{name}  https://docs.ruby-lang.org/en/master/syntax/literals_rdoc.html
    | \#\{[^{}]{1,200}\}
    """,
    re.VERBOSE,
)

CONVENTIONS: Final = (
    Convention(
        "Laravel: :name, :Name, :NAME",
        re.compile(r"(?<![\w:/{@\\]):[A-Za-z_]\w++(?![\w:]*:)"),
        _STRINGS,
        "https://laravel.com/docs/localization#replacing-parameters-in-translation-strings",
    ),
    Convention(
        "Swift: \\(name)",
        re.compile(r"\\{1,2}\([A-Za-z_][\w.]*+(?:\([^()]{0,100}\))?\)"),
        _APPLE,
        "https://docs.swift.org/swift-book/documentation/the-swift-programming-language/stringsandcharacters/",
    ),
    Convention(
        "Drupal: !name",
        re.compile(r"(?<![\w!])![a-z][a-z0-9_]++(?![\w(]|![\w!])"),
        _STRINGS,
        "https://www.drupal.org/docs/7/api/localization-api",
    ),
    Convention(
        "Drupal: @name, %name",
        re.compile(r"(?<![\w@%.-])[@%][a-z][a-z0-9_-]*[a-z0-9](?![\w@%])"),
        _STRINGS,
        "https://www.drupal.org/docs/8/api/translation-api/overview",
        evidence=re.compile(r"(?<![\w@])@(?:count|name|title|type|url|number|user|site|message|error)(?![\w@]|\.\w)"),
    ),
    Convention(
        "Qt: %1, %L1, %n",
        re.compile(r"(?<![\w%])%(?:L?[1-9]|Ln|n)(?![\w$%])"),
        _QT,
        "https://doc.qt.io/qt-6/i18n-source-translation.html",
        evidence=re.compile(r"(?<![\w%])(?<!\d )%(?:L?1|L?n)(?![\w$%]|[,.]\w|\s*%)"),
    ),
    Convention(
        "Tokens: [name]",
        re.compile(rf"(?<![\w\]\\])\[(?!(?:{_WORDS_IN_BRACKETS})\])[a-z][a-z0-9]*+(?:[_.][a-z0-9]++)*\](?![\w(\[])"),
        frozenset({"json"}),
        "https://docs.moodle.org/dev/String_API",
    ),
)


def conventions_of(format_key: str, texts: Iterable[str]) -> tuple[Convention, ...]:
    """The conventions that hold for a file of this format with these texts."""
    possible = [convention for convention in CONVENTIONS if format_key in convention.formats]
    if not possible:
        return ()
    known = [*texts]
    return tuple(
        convention
        for convention in possible
        if convention.evidence is None or any(map(convention.evidence.search, known))
    )


def placeholders_in(text: str, conventions: Collection[Convention]) -> tuple[str, ...]:
    """The distinct placeholders that a text has by these conventions, in their order.

    >>> placeholders_in("The :field of :field", CONVENTIONS)
    (':field',)
    """
    found = sorted((match.start(), match.group()) for each in conventions for match in each.pattern.finditer(text))
    return tuple(dict.fromkeys(placeholder for _, placeholder in found))
