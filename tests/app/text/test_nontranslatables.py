"""Placeholders, tags and addresses are found in program strings and markup, but not in ordinary sentences."""

from __future__ import annotations

import pytest

from app.text.nontranslatables import (
    kept_texts,
    nontranslatables,
    placeholder_difference,
    placeholder_problem,
    placeholders,
    without_markup,
)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Copy %s to %1$s, %(name)s and %-5.2f %%", ["%s", "%1$s", "%(name)s", "%-5.2f", "%%"]),
        ("{0} of {name:>5} in ${HOME} {{ user }} {}", ["{0}", "{name:>5}", "${HOME}", "{{ user }}", "{}"]),
        ("our %{terms_link}, 5 %{n}", ["%{terms_link}", "%{n}"]),
        ("{1}OK{/1}", ["{1}", "{/1}"]),
        ('<b>bold</b> <a href="x">&amp; &#x20;<br/>', ["<b>", "</b>", '<a href="x">', "&amp;", "&#x20;", "<br/>"]),
        ("<0>a</0> <1/> <12 /> < 2> <3 4> 5 <6", ["<0>", "</0>", "<1/>", "<12 />"]),  # of i18next and Lingui
        (r"One\ntwo C:\\new", [r"\n"]),
        ("100 % sicher, 5% der, 3 < 4 > 2, AT&T; {so} nicht {", ["{so}"]),
    ],
)
def test_placeholders_are_found(text: str, found: list[str]) -> None:
    assert placeholders(text) == found


def test_missing_and_extra_placeholders_are_named() -> None:
    assert placeholder_problem("%s %s {0}", "{0} %s") == "Placeholders missing: %s"
    assert placeholder_problem("a", "{/1}") == "Placeholders not in the source: {/1}"
    assert placeholder_problem("%s and %d", "%d und %s") == ""


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Copy %s to {0}", "%s {0}"),  # words that a program fills in
        ("Copy {1} to {2}", "{1} {2}"),
        ("{1}OK{/1} file{2} {3}", "open:{1} close:{/1} lone:{2} {3}"),
        ("<b><i>x</i></b>", "open:<b> open:<i> close:</i> close:</b>"),
        ("<b><i>x</b></i>", "open:<b> lone:<i> close:</b> lone:</i>"),  # not nested: the first pair wins
        ("<0>a <1>b</1></0><2/> <3>", "open:<0> open:<1> close:</1> close:</0> lone:<2/> <3>"),
        ("Click <1/> or <icon/>, one<2/>", "address:<1/> address:<icon/> lone:<2/>"),  # in place of words
        ("Press {1}+{2}, <1/>+<2/>", "{1} {2} address:<1/> address:<2/>"),  # between signs, not beside words
        ("Open <x/> and <br/> here", "lone:<x/> lone:<br/>"),
        ('<?xml version="1.0"?> here', 'address:<?xml version="1.0"?>'),
        ("git add <file>, one<br>two", "<file> lone:<br>"),
        (r"one\ntwo", r"lone:\n"),
        ("See https://harbor.example/a?b=1&c=%s.", "address:https://harbor.example/a?b=1&c=%s"),
        ("(help@harbor.example), AT&T, a@b", "address:help@harbor.example"),
        ("in /etc/fstab, ~/.profile, ../up/it", "address:/etc/fstab address:~/.profile address:../up/it"),
        ("Edit .htaccess or .env.local. Open .bashrc.", "address:.htaccess address:.env.local address:.bashrc"),
        ("the .NET files .and others, a.env", ""),
        (r"in C:\Users\new", r"address:C:\Users\new"),
        ("and/or 24/7 km/h / a // b 1/2", ""),
        (r"in C:\Program Files\App now", r"address:C:\Program Files\App"),
        ("Run `make`, not `make all`", "address:`make` address:`make all`"),
        ("$1,250.50, $5 million or 20 $, but A$5, $1 and $name", "sign:$ sign:$ sign:$ address:$name"),
        ("a) Open (b) it, I. am", "sign:a)"),  # labels at the beginning of a line
        ("(iii) the customer\nIV. Delivery\nB.2 Care\n25) Bolts", "sign:(iii) sign:IV. sign:B.2 sign:25)"),
        ("1. Mai, z. B. so", ""),  # may be an ordinal number
        ("a)", ""),
        ("20%ige Lösung, BIC: COBADEFFXXX", "address:COBADEFFXXX"),
        ("DE89 3704 0044 0532 0130 00, Name: ____", "address:DE89 3704 0044 0532 0130 00 address:____"),
        ("+49 (0)30 1234567-89 or (030) 1234567", "address:+49 (0)30 1234567-89 address:(030) 1234567"),
        ("01/02/2024, 01-02-2024, 0.123.456, +3.4 %, MP3, 24-HOUR, MAY-2026", ""),  # no phone numbers and codes
        ("AB-1234/56, SN-00123-A or 4711-B.", "address:AB-1234/56 address:SN-00123-A address:4711-B"),
        ("your ref. AB/mü, and/or, AND/or, MB/s", "address:AB/mü"),  # signs of an author and a typist
        ("part 12.345.678-A, version 2.0.1", "address:12.345.678-A"),
        ("Press F5 or Ctrl+F12, not F16 and F-5", "address:F5 address:F12"),
        ("Hauptstr. 14 and Gartenallee 5b, the street 7", "address:Hauptstr. 14 address:Gartenallee 5b"),
        ('The "big" door is 1/2" wide.', 'sign:"'),
        ('The door is "5" or 6" wide', ""),  # perhaps quotation marks
        ("<00:04.000>open", "lone:<00:04.000>"),  # WebVTT
        ("Use $(OutDir) for $(a b)", "address:$(OutDir)"),
        # Markdown in any text, but no formulas, names, fields and marks of required words
        ("**It** is _on_", "open:** close:** open:_ close:_"),
        ("[The *page*](a.md) ==new==", "open:[ open:* close:* close:](a.md) open:== close:=="),
        ("**<b>x**</b>", "open:** lone:<b> close:** lone:</b>"),
        ("5 * 3 * 2, a*b*c, *.txt or *.md, __init__.py, (*) on, (*) off, 2 ** 3 ** 4, ~5 or ~6", ""),
        ("snake_case and a_b_c, [Your Name], Name* and street*, x[0](y), a == b == c", ""),
        ("{% if user %}Hi{% else %}You{% endif %}", "open:{% if user %} lone:{% else %} close:{% endif %}"),
        (
            '{% url "home" %} or {%- if a -%}b{%- endif -%}',
            'address:{% url "home" %} open:{%- if a -%} close:{%- endif -%}',
        ),
        ("{{#if a}}b{{/if}} {{c}}", "open:{{#if a}} close:{{/if}} {{c}}"),
        ("{{^list}}{{#b}}c{{/b}}{{/list}}", "open:{{^list}} open:{{#b}} close:{{/b}} close:{{/list}}"),
        ("&lt;b&gt;x&lt;/b&gt; &lt;br/&gt;", "open:&lt;b&gt; close:&lt;/b&gt; lone:&lt;br/&gt;"),
        ("&lt;a href=&quot;x&quot;&gt;y&lt;/a&gt;", "open:&lt;a href=&quot;x&quot;&gt; close:&lt;/a&gt;"),
        ("5 &lt; 6 &gt; 4, git add &lt;file&gt;", "&lt; &gt; &lt;file&gt;"),
        ("It&#39;s &quot;on&quot; &#39;", "mark:&#39; mark:&quot; mark:&quot; &#39;"),
        ('<a href="https://harbor.example">x</a>', 'open:<a href="https://harbor.example"> close:</a>'),
    ],
)
def test_kinds_of_nontranslatable_text(text, found):
    names = ("" if element.kind == "placeholder" else f"{element.kind}:" for element in nontranslatables(text))
    assert " ".join(name + element.text for name, element in zip(names, nontranslatables(text), strict=True)) == found
    for number, element in enumerate(nontranslatables(text)):
        assert text[element.start : element.end] == element.text
        assert element.partner < 0 or nontranslatables(text)[element.partner].partner == number


def test_kept_texts_are_counted_without_tags():
    text = "{1}%s{/1} of %s in /mnt/data<br/>"
    assert kept_texts(text) == (("%s", 2), ("/mnt/data", 1))
    assert without_markup(text) == "%s of %s in /mnt/data"


def test_changed_address_is_reported():
    difference = placeholder_difference(
        "See https://a.example/b or c@d.example.", "Siehe https://a.beispiel/b, c@d.example"
    )
    assert difference["changed"] == ("https://a.example/b",)
    assert not difference["missing"]


def test_missing_template_tag_is_reported_and_an_entity_of_a_mark_is_not_required():
    source = "{% if a %}It&#39;s &quot;on&quot;{% endif %} &amp; off"
    assert placeholder_difference(source, "{% if a %}Es ist „an“ &amp; aus")["changed"] == ("{% endif %}",)
    assert placeholder_difference(source, source.replace("&#39;", ""))["missing"] == ()


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("Use --dry-run first -- or not.", ("--dry-run",)),
        ("Set $HOME to $5 or ${name}.", ("$HOME", "${name}")),
        ("Hi {% if user %} there", ("{% if user %}",)),
        ("You have {n, plural, one {# file} other {{n} files}} here", ("{n, plural, one {# file} other {{n} files}}",)),
    ],
)
def test_options_variables_and_icu_messages_are_kept(text, kept):
    assert tuple(element for element, _ in kept_texts(text)) == kept


@pytest.mark.parametrize(
    ("source", "target", "order"),
    [
        ("{1}a{/1}", "{/1}a{1}", ("{/1}",)),
        ("a{/1} b{/2}", "b{/2} a{/1}", ("{/2}", "{/1}")),
        ("a{/1} b{/2}", "b a{/1}{/2}", ()),
        ("a{/1} b{/2}", "b{/2} a", ()),  # missing
        ("{1}a {2}b{/1} c{/2}", "{1}{2}a b{/2} c{/1}", ()),
        ("{1}a {2}b{/1} c{/2}", "{1}{/2}a b{2} c{/1}", ("{/2}",)),
        ("</b>a <i>b</i>", "<i>b</i> </b>a", ()),
    ],
)
def test_ends_of_tags_keep_their_order(source: str, target: str, order: tuple[str, ...]):
    assert placeholder_difference(source, target)["order"] == order
