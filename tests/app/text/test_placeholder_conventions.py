"""Placeholders of single tools are found in files of their formats, and not in prose."""

from __future__ import annotations

import pytest

from app.checks import findings_in
from app.formats import FORMATS
from app.text.nontranslatables import kept_texts, placeholder_difference, placeholders
from app.text.placeholder_conventions import conventions_of, placeholders_in
from tests.app.work import growth


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('See $t(common.open), $t(items, {"count": 3}) and $test(x)', ["$t(common.open)", '$t(items, {"count": 3})']),
        ("Read @:a.b-c, @:(d e) @:(d.e). @.lower:f", ["@:a.b-c", "@:(d.e)", "@.lower:f"]),
        ("@:{'a.b'} @.upper:{'c'} @:{d}", ["@:{'a.b'}", "@.upper:{'c'}", "{d}"]),
        ("%name% has %user.count% files, %APPDATA%", ["%name%", "%user.count%", "%APPDATA%"]),
        ("%d%, %s%s, %lu%-d", ["%d", "%s", "%s", "%lu", "%-d"]),
        ("%arg files, %#@files@ of %1$#@folders@, %args", ["%arg", "%#@files@", "%1$#@folders@", "%a"]),
        (
            "Hi <%= user.name %>, #{count} <?= $n ?> <?php echo 1 ?>",
            ["<%= user.name %>", "#{count}", "<?= $n ?>", "<?php echo 1 ?>"],
        ),
        ("%<count>d of %-5<name>s", ["%<count>d", "%-5<name>s"]),
        ("{{{html}}} and {{name}}", ["{{{html}}}", "{{name}}"]),
        ("${ user.name } ${name}", ["${ user.name }", "${name}"]),
        (
            "{$name} { $user-name } { -brand } { name } {a['b']}",
            ["{$name}", "{ $user-name }", "{ -brand }", "{ name }", "{a['b']}"],
        ),
        ("{ NUMBER($n) } {user-name} {'@'}", ["{ NUMBER($n) }", "{user-name}", "{'@'}"]),
        ("{0,10:N2} on {1:d MMM yyyy}", ["{0,10:N2}", "{1:d MMM yyyy}"]),
        ("Hi $USER$, pay $5 or $A, ###NAME###", ["$USER$", "###NAME###"]),
        ("{a text with words} {1, 2, 3} {Name of it}", []),
        ("me@home.org, a@:b, @home, :name !name [name]", []),
    ],
)
def test_placeholders_unlike_prose_are_found_in_every_text(text: str, found: list[str]) -> None:
    assert placeholders(text) == found


def test_choice_of_java_is_kept_whole() -> None:
    choice = "{0,choice,0#no files|1#one file|1<{0} files}"
    assert kept_texts(f"There are {choice} here") == ((choice, 1),)


def own_in(format_key: str, *texts: str) -> list[tuple[str, ...]]:
    conventions = conventions_of(FORMATS[format_key].conventions, texts)
    return [placeholders_in(text, conventions) for text in texts]


IN_A_FORMAT = [
    ("json", "The :attribute is (:min) to “:Max”, :NAME.", (":attribute", ":min", ":Max", ":NAME")),
    ("yaml", "at 12:30, http://a.b, a:b, ::c :d: :-) :D Note: e", ()),
    ("json", "Hello !name and !other_name.", ("!name", "!other_name")),
    ("json", "Hello !name! Is it !other?", ("!name", "!other")),
    ("json", "Press __key__ or __user.name__, a__b__c, ____", ("__key__", "__user.name__")),
    ("yaml", "$1 opened $2 of 10.", ("$1", "$2")),
    ("json", "Save $1 off, pay $5 or $1.50, $10", ()),
    ("markdown", "__key__ and $1", ()),
    ("po", "Hello @user.", ("@user",)),
    ("po", "Wow! !!important !IMPORTANT a!b !=c", ()),
    ("po", "The %file of @count, !user and @site-name", ("%file", "@count", "!user", "@site-name")),
    ("po", "Work @home, 50 %of all", ()),  # without the evidence of Drupal
    ("po", "%1 of %2 in %L3, %n file(s)", ("%1", "%2", "%L3", "%n")),
    ("po", "Cannot open %1.", ("%1",)),
    ("xliff", "%n file(s), 100%1", ("%n",)),
    ("json", "%50 indirim, %1 / %2", ("%1", "%2")),
    ("po", "%1$s and %2.5f, 5 %1, %10s", ()),
    ("json", r"Delete \\(count) of \\(a.name()) in \(b)", (r"\\(count)", r"\\(a.name())", r"\(b)")),
    ("strings", r"Delete \(count)", (r"\(count)",)),
    ("json", "In [folder] of [user.name] [Folder] [a b] [optional] [link](x) a[0] a[b]", ("[folder]", "[user.name]")),
    ("txt", r"The :attribute !name @count %1 [folder] \(x)", ()),
    ("docx", r"The :attribute !name @count %1 [folder] \(x)", ()),
    ("xliff", "The :attribute !name @count [folder]", ()),
]


@pytest.mark.parametrize(("format_key", "text", "found"), IN_A_FORMAT)
def test_placeholders_like_prose_are_found_in_their_formats_only(
    format_key: str, text: str, found: tuple[str, ...]
) -> None:
    assert own_in(format_key, text) == [found]


def test_evidence_is_looked_for_in_the_whole_file() -> None:
    assert own_in("po", "@count files", "by @author on %date") == [("@count",), ("@author", "%date")]
    assert own_in("po", "by @author") == [()]


def test_each_convention_of_a_format_has_its_source() -> None:
    named = {convention for known in FORMATS.values() for convention in known.conventions}
    assert len(named) == 8 and all(convention.source.startswith("https://") for convention in named)


def test_own_placeholders_are_kept_and_required_by_the_checks() -> None:
    own = (":name", "%date", "[folder]")
    source = ":name opened :name on %date in [folder] :names"
    assert kept_texts(source, own) == ((":name", 2), ("%date", 1), ("[folder]", 1))
    difference = placeholder_difference(source, ":name am %date in [Ordner] :names", own)
    assert difference["missing"] == (":name", "[folder]") and difference["changed"] == ()
    found = findings_in("On %date", "Am Datum", "en-de", placeholders=("%date",))
    assert [finding.message for finding in found if finding.is_error] == ["Placeholders missing: %date"]
    assert placeholder_difference("See $t(a.b)", "Siehe")["missing"] == ("$t(a.b)",)


@pytest.mark.parametrize(
    "part", ["$t(", "@.a", "@:a", "@:(", "%a", "%a.", "%", ":a", "\\(a", "\\(a(", "!a", "@a-", "[a.", "[a", "%1", "%#@"]
)
def test_search_takes_linear_time(part: str) -> None:
    def search(size: int) -> None:
        text = part * size
        placeholders(text)
        own_in("json", text)
        own_in("po", f"@count {text}")

    assert growth(search, 700) < 2.5
