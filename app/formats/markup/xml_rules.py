"""The uses of the elements of an XML document (paragraph, in running text, not translated), and attributes with text.

The uses are known for DITA and DocBook and guessed for other XML. Rules of ITS in the file, and rules that a person
chose (`app.formats.part_rules`), change them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from app.formats.part_rules import element_rules
from app.formats.xml_text import Node, Text

_ITS: Final = "http://www.w3.org/2005/11/its"
_SELECTOR = re.compile(r"//(?:[\w.-]+:)?([\w.-]+|\*)(?:/@(?:[\w.-]+:)?([\w.-]+))?")
LETTER: Final = re.compile(r"[^\W\d_]")


@dataclass(frozen=True, slots=True)
class XmlVocabulary:
    """A kind of XML: its root elements, attributes with text, and elements by their use.

    `inline` elements are in running text. `nested` ones are, too, but have a text of their own, as footnotes have.
    `skipped` ones are not translated. In `preformatted` ones, line breaks are part of the text.
    """

    roots: frozenset[str]
    inline: frozenset[str]
    nested: frozenset[str]
    skipped: frozenset[str]
    attributes: frozenset[str] = frozenset()
    preformatted: frozenset[str] = frozenset()


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


_DITA: Final = XmlVocabulary(
    roots=_names("topic concept task reference troubleshooting glossentry glossgroup map bookmap dita learningContent"),
    inline=_names(
        "b i u sup sub tt line-through overline ph xref keyword term cite q codeph varname apiname cmdname filepath "
        "option parmname msgnum msgph uicontrol wintitle menucascade shortcut userinput systemoutput synph tm state "
        "boolean abbreviated-form text markupname xmlelement xmlatt numcharref parameterentity textentity strong em"
    ),
    nested=_names("fn indexterm image data foreign"),
    skipped=_names("codeblock draft-comment required-cleanup foreign unknown data othermeta svg math keydef"),
    attributes=_names("navtitle alt"),
    preformatted=_names("pre lines codeblock msgblock screen"),
)
_DOCBOOK: Final = XmlVocabulary(
    roots=_names("book article chapter section sect1 sect2 appendix preface refentry glossary"),
    inline=_names(
        "abbrev acronym anchor application citation citetitle classname co code command computeroutput constant coref "
        "database email emphasis envar errorcode errorname errortype exceptionname filename firstterm footnoteref "
        "foreignphrase function glossterm guibutton guiicon guilabel guimenu guimenuitem guisubmenu hardware "
        "interfacename keycap keycode keycombo keysym link literal markup mathphrase menuchoice methodname mousebutton "
        "olink option optional orgname package parameter personname phrase productname productnumber prompt property "
        "quote replaceable returnvalue shortcut structfield subscript superscript symbol systemitem tag termdef token "
        "trademark type ulink uri userinput varname wordasword xref"
    ),
    nested=_names("footnote indexterm inlinemediaobject inlineequation"),
    skipped=_names("programlisting screen synopsis cmdsynopsis funcsynopsis classsynopsis remark svg math"),
    preformatted=_names("literallayout address programlisting screen synopsis"),
)


@dataclass(frozen=True, slots=True)
class XmlRules:
    """The uses of the elements of a document, by local name or "*" for any.

    `within` is "yes" for elements in running text, "nested" for those that also have a text of their own, and "no" for
    all others. `translated` is True or False; None means as the parent, and `is_on` is the value of the root.
    `attributes` are the attributes with text. In `preformatted` elements, line breaks are part of the text.
    """

    within: Mapping[str, str]
    translated: Mapping[str, bool | None]
    attributes: Mapping[tuple[str, str], bool]  # by the names of element (or "*") and attribute
    prefix: str = "its:"  # of ITS
    is_on: bool = True
    preformatted: frozenset[str] = frozenset()

    def is_inline(self, node: Node) -> bool:
        """True if an element is in running text."""
        return self._within(node) == "yes"

    def is_block(self, node: Node) -> bool:
        """True if an element is a paragraph or has some."""
        return self._within(node) == "no"

    def _within(self, node: Node) -> str:
        said = node.attributes.get(f"{self.prefix}withinText")
        return said or self.within.get(node.local) or self.within.get("*", "no")

    def is_translated(self, node: Node) -> bool | None:
        """True if the file declares an element as translated; None without a declaration."""
        for name in (f"{self.prefix}translate", "translate"):
            if (value := node.attributes.get(name)) in ("yes", "no"):
                return value == "yes"
        return self.translated.get(node.local)

    def has_text(self, node: Node, attribute: str) -> bool:
        """True if an attribute is translated."""
        of_any = self.attributes.get(("*", attribute), False)
        return self.attributes.get((node.local, attribute), of_any)

    def attributes_of(self, node: Node) -> list[str]:
        """The attributes of an element with text."""
        return [name for name, value in node.attributes.items() if self.has_text(node, name) and LETTER.search(value)]


def vocabulary_of(root: Node) -> XmlVocabulary | None:
    """The kind of XML; None for one that is not known."""
    space = root.attributes.get("xmlns", "")
    if "docbook" in space:
        return _DOCBOOK
    if root.local in _DITA.roots and (root.local not in _DOCBOOK.roots or "class" in root.attributes):
        return _DITA
    return _DOCBOOK if root.local in _DOCBOOK.roots and not space else None


def rules_of(root: Node, vocabulary: XmlVocabulary | None) -> tuple[XmlRules, list[str]]:
    """The rules for a document, and the selectors of ITS rules that are not understood."""
    prefix = next((key for key, value in root.attributes.items() if key.startswith("xmlns:") and value == _ITS), "")
    prefix = f"{prefix.partition(':')[2]}:" if prefix else "its:"
    within = dict.fromkeys(vocabulary.inline, "yes") if vocabulary else _inline_names(root)
    within |= dict.fromkeys(vocabulary.nested if vocabulary else (), "nested")
    translated: dict[str, bool | None] = dict.fromkeys(vocabulary.skipped if vocabulary else (), False)
    attributes = {("*", name): True for name in vocabulary.attributes} if vocabulary else {}
    unknown = []
    for node in root.walk():
        if node.name == f"{prefix}rules":
            translated["rules"] = False
        if node.name not in (f"{prefix}translateRule", f"{prefix}withinTextRule"):
            continue
        for selector in node.attributes.get("selector", "").split("|"):
            match = _SELECTOR.fullmatch(selector.strip())
            if match is None or (match[1] == "*" and match[2] is None):
                unknown.append(selector.strip()[:60])
            elif node.local == "withinTextRule":
                within[match[1]] = node.attributes.get("withinText", "no")
            elif match[2] is None:
                translated[match[1]] = node.attributes.get("translate") == "yes"
            elif node.attributes.get("translate") == "yes":
                attributes[match[1], match[2]] = True
    preformatted = vocabulary.preformatted if vocabulary else frozenset()
    return XmlRules(within, translated, attributes, prefix, preformatted=preformatted), unknown


def _inline_names(root: Node) -> dict[str, str]:
    """The names of elements of which most are beside text, and none contains only elements."""
    beside: Counter[str] = Counter()
    every: Counter[str] = Counter()
    structure = {root.local}
    for parent in (root, *root.walk()):
        children = parent.nodes()
        has_text = has_own_text(parent)
        every.update(child.local for child in children)
        if has_text:
            beside.update(child.local for child in children)
        elif len(children) > 1:
            structure.add(parent.local)
    return {name: "yes" for name, count in beside.items() if 2 * count > every[name] and name not in structure}


def has_own_text(node: Node) -> bool:
    """True if an element has letters of its own."""
    return any(isinstance(child, Text) and LETTER.search(child.value) for child in node.children)


def with_chosen(rules: XmlRules, lines: Sequence[str]) -> XmlRules:
    """The rules together with a person's; elements in running text are translated like the text around them."""
    within, translated, attributes = dict(rules.within), dict(rules.translated), dict(rules.attributes)
    is_on = True
    for rule in element_rules(lines):
        if rule.attribute:
            attributes[rule.element, rule.attribute] = rule.use == "translate"
            continue
        if rule.element == "*":
            is_on = rule.use != "skip"
            translated.clear()
        else:
            translated[rule.element] = {"skip": False, "paragraph": True}.get(rule.use)
        if rule.use != "skip":
            if rule.element == "*":
                within.clear()
            within[rule.element] = "yes" if rule.use == "inline" else "no"
    return replace(rules, within=within, translated=translated, attributes=attributes, is_on=is_on)


def with_state(root: Node, rules: XmlRules) -> Iterator[tuple[Node, bool]]:
    """All elements in order, each with true if it is translated."""
    stack = [(root, rules.is_on)]
    while stack:
        node, is_on = stack.pop()
        said = rules.is_translated(node)
        is_on = is_on if said is None else said
        yield node, is_on
        stack += [(child, is_on) for child in reversed(node.nodes())]
