"""Placeholders that only the formats of software have, beside those that every text may have (`engine.PLACEHOLDER`).

A convention that is ambiguous in prose ("at :noon", "@home", "[optional]") holds for the formats that name it
(`app.formats`), and some only for files with the evidence that their tool leaves. The placeholders of a file's texts
are found when it is read, and each segment has its own (`app.formats.documents.Segment.placeholders`).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Final

_WORDS_IN_BRACKETS: Final = "alpha|beta|deprecated|empty|experimental|new|none|optional|required|sic|unknown|untitled"


@dataclass(frozen=True, slots=True)
class Convention:
    """A kind of placeholders in texts of certain formats; of any file, or of files with texts that match `evidence`.

    Args:
        name: The tools that have it.
        pattern: Matches a placeholder.
        evidence: Matches in at least one text of each file in which the convention holds.
        source: The documentation of the convention.
    """

    name: str
    pattern: re.Pattern[str]
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
    # ERB, JSP, EJS, PHP, XML: <%= name %>, <?= $name ?>, <?xml version="1.0"?>  https://docs.ruby-lang.org/en/master/ERB.html
    | <%.{0,300}?%> | <\?(?:=|php\s|xml[\s-]).{0,300}?\?>
    # Ruby, JSF, Sass: #{name}  https://docs.ruby-lang.org/en/master/syntax/literals_rdoc.html
    | \#\{[^{}]{1,200}\}
    # Ruby: %<count>d, %<name>-10s  https://docs.ruby-lang.org/en/master/format_specifications_rdoc.html
    | %[-+0\#]*\d*<[A-Za-z_]\w*>[-+0\#]*\d*(?:\.\d+)?[A-Za-z](?!\w)
    # Handlebars, Mustache: {{{html}}}  https://handlebarsjs.com/guide/#html-escaping
    | \{\{\{[^{}]{1,200}\}\}\}
    # JavaScript, JSP: ${ name }  https://developer.mozilla.org/docs/Web/JavaScript/Reference/Template_literals
    | \$\{[^{}]{1,200}\}
    # Fluent, Angular, FormatJS: {$name}, { $user-name }, { -brand }, { name }, {user['name']}, { NUMBER($n) }
    # https://projectfluent.org/fluent/guide/variables.html
    | (?!\{[\w.]*\})\{[ ]?(?:[$-]?[A-Za-z_][\w.-]*(?:\[[^\[\]{}]{1,50}\])?|[A-Z]{2,20}\([^(){}]{1,100}\))[ ]?\}
    # vue-i18n: {'@'}  https://vue-i18n.intlify.dev/guide/essentials/syntax
    | \{'[^'{}]{1,20}'\}
    # .NET: {0,10:N2}, {0:d MMM yyyy}  https://learn.microsoft.com/dotnet/standard/base-types/composite-formatting
    | \{\d+(?:,-?\d+(?::[^{}]{1,50})?|:[^{}\s]{0,20}[ ][^{}]{1,30})\}
    # Extensions of Chrome: $USER$  https://developer.chrome.com/docs/extensions/reference/api/i18n
    | (?<![\w$])\$[A-Za-z_@][\w@]*\$(?![\w$])
    # TYPO3: ###NAME###  https://docs.typo3.org
    | (?<!\#)\#\#\#[A-Z_]\w*?\#\#\#(?!\#)
    """,
    re.VERBOSE,
)

LARAVEL: Final = Convention(
    "Laravel: :name, :Name, :NAME",
    re.compile(r"(?<![\w:/{@\\]):[A-Za-z_]\w++(?![\w:]*:)"),
    "https://laravel.com/docs/localization#replacing-parameters-in-translation-strings",
)
SWIFT: Final = Convention(
    "Swift: \\(name)",
    re.compile(r"\\{1,2}\([A-Za-z_][\w.]*+(?:\([^()]{0,100}\))?\)"),
    "https://docs.swift.org/swift-book/documentation/the-swift-programming-language/stringsandcharacters/",
)
DRUPAL_7: Final = Convention(
    "Drupal: !name",
    re.compile(r"(?<![\w!])![a-z][a-z0-9_]++(?![\w(]|![\w!])"),
    "https://www.drupal.org/docs/7/api/localization-api",
)
DRUPAL_8: Final = Convention(
    "Drupal: @name, %name",
    re.compile(r"(?<![\w@%.-])[@%][a-z][a-z0-9_-]*[a-z0-9](?![\w@%])"),
    "https://www.drupal.org/docs/8/api/translation-api/overview",
    evidence=re.compile(r"(?<![\w@])@(?:count|name|title|type|url|number|user|site|message|error)(?![\w@]|\.\w)"),
)
QT: Final = Convention(
    "Qt: %1, %L1, %n",
    re.compile(r"(?<![\w%])%(?:L?[1-9]|Ln|n)(?![\w$%])"),
    "https://doc.qt.io/qt-6/i18n-source-translation.html",
    evidence=re.compile(r"(?<![\w%])(?<!\d )%(?:L?1|L?n)(?![\w$%]|[,.]\w|\s*%)"),
)
I18NEXT_3: Final = Convention(
    "i18next before version 4: __name__",
    re.compile(r"(?<!\w)__[A-Za-z][A-Za-z0-9]*(?:[_.][A-Za-z0-9]+)*__(?!\w)"),
    "https://www.i18next.com/misc/migration-guide",
)
MEDIAWIKI: Final = Convention(
    "MediaWiki, banana: $1",
    re.compile(r"(?<![\w$])\$[1-9](?![\w.,]*\d|[\w%])"),
    "https://www.mediawiki.org/wiki/Localisation",
    evidence=re.compile(r"(?<![\w$])\$1(?![\w%]|[.,]\d|\s+(?:[mb]illion|trillion|off|per|each|an?)\b)"),
)
TOKENS: Final = Convention(
    "Tokens: [name]",
    re.compile(rf"(?<![\w\]\\])\[(?!(?:{_WORDS_IN_BRACKETS})\])[a-z][a-z0-9]*+(?:[_.][a-z0-9]++)*\](?![\w(\[])"),
    "https://docs.moodle.org/dev/String_API",
)

# Those of a text whose file is not known, such as a text of the HTTP API.
OF_UNKNOWN_FILE: Final = (LARAVEL, DRUPAL_7, I18NEXT_3)


def conventions_of(possible: Collection[Convention], texts: Iterable[str]) -> tuple[Convention, ...]:
    """The conventions, out of those that are possible in its format, that hold for a file with these texts."""
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

    >>> placeholders_in("The :field of :field", [LARAVEL])
    (':field',)
    """
    found = sorted((match.start(), match.group()) for each in conventions for match in each.pattern.finditer(text))
    return tuple(dict.fromkeys(placeholder for _, placeholder in found))
