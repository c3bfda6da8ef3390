"""Segmentation rules in files of SRX 2.0 and 1.0 (Segmentation Rules eXchange)."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

from app.errors import DocumentError
from app.formats.base import line_of
from app.formats.xml_text import Node, decode_xml, tree
from app.i18n import Message
from app.text.encoding import safe_name
from app.text.icu_patterns import PatternError, translated
from app.text.segmentation_rules import RuleSegmenter, SegmentationRule, SegmentationRules

MAX_BYTES: Final = 2 * 2**20
MAX_RULES: Final = 10_000
_MAX_ELEMENTS: Final = 50_000


@dataclass(frozen=True, slots=True)
class RuleFile:
    """An SRX file as a project keeps it."""

    name: str
    data: bytes = field(repr=False)

    def named(self) -> dict[str, str]:
        """The name of the file and the checksum of its bytes, for the log."""
        return {"name": self.name, "sha256": hashlib.sha256(self.data).hexdigest()}


def segmenter_of(file: RuleFile, language: str) -> RuleSegmenter | None:
    """The segmenter of a file for a language; None if the file has no rules for it. Raises DocumentError."""
    rules = _read(file.data, file.name).rules_for(language)
    return RuleSegmenter(file.name, rules) if rules else None


def read(data: bytes, name: str) -> SegmentationRules:
    """Reads an SRX file, which is untrusted. Raises DocumentError with line and cure."""
    name = safe_name(name, "rules.srx")
    if len(data) > MAX_BYTES:
        raise DocumentError(
            "{name} is too large ({size:.1f} MiB, limit {limit} MiB): remove languages that you do not need",
            name=name,
            size=len(data) / 2**20,
            limit=MAX_BYTES // 2**20,
        )
    return _Reader(decode_xml(data, name, _MAX_ELEMENTS).text, name).rules()


_read = lru_cache(maxsize=2)(read)


class _Reader:
    def __init__(self, text: str, name: str) -> None:
        self._text = text
        self._name = name
        self._is_first_version = False

    def rules(self) -> SegmentationRules:
        root = tree(self._text)
        if root.local != "srx":
            raise self._error(root, Message("the file has no segmentation rules in SRX: choose an .srx file"))
        version = root.attributes.get("version", "2.0")
        if version not in ("1.0", "2.0"):
            raise self._error(
                root, Message("SRX {version} is not supported: save the rules as SRX 2.0", version=version[:20])
            )
        self._is_first_version = version == "1.0"
        header, body = root.first("header"), root.first("body")
        lists, maps = (None if body is None else body.first(name) for name in ("languagerules", "maprules"))
        if lists is None or maps is None:
            missing = "languagerules" if lists is None else "maprules"
            raise self._error(
                body or root,
                Message("the element <{element}> is missing: export the rules again", element=missing),
            )
        is_cascading = header is not None and self._choice(header, "cascade", default=False)
        rules = self._rules(lists)
        return SegmentationRules(self._name, rules, self._maps(maps, rules), is_cascading)

    def _rules(self, lists: Node) -> dict[str, tuple[SegmentationRule, ...]]:
        found: dict[str, tuple[SegmentationRule, ...]] = {}
        num_rules = 0
        for one in lists.nodes("languagerule"):
            name = self._attribute(one, "languagerulename")
            if name in found:
                raise self._error(
                    one, Message("there are two lists of rules named “{list}”: rename one", list=name[:60])
                )
            nodes = one.nodes("rule")
            num_rules += len(nodes)
            if num_rules > MAX_RULES:
                raise self._error(
                    one,
                    Message(
                        "the file has more than {limit:,} rules: remove languages that you do not need", limit=MAX_RULES
                    ),
                )
            found[name] = tuple(map(self._rule, nodes))
        return found

    def _rule(self, node: Node) -> SegmentationRule:
        before, after = (self._pattern(node.first(name)) for name in ("beforebreak", "afterbreak"))
        is_break = self._choice(node, "break", default=True)
        return SegmentationRule(is_break, before, after, self._line(node))

    def _maps(self, node: Node, rules: dict[str, tuple[SegmentationRule, ...]]) -> tuple[tuple[str, str], ...]:
        # SRX 1.0 has lists of maps, of which tools use the first one.
        lists: Sequence[Node] = node.nodes("maprule")[:1] or [node]
        maps: list[tuple[str, str]] = []
        for one in lists[0].nodes("languagemap"):
            name = self._attribute(one, "languagerulename")
            if name not in rules:
                raise self._error(
                    one,
                    Message("the list of rules “{list}” does not exist: correct the name", list=name[:60]),
                )
            maps.append((self._translated(self._attribute(one, "languagepattern"), one), name))
        if not maps:
            raise self._error(node, Message("no language has rules: add an element <languagemap> for each language"))
        return tuple(maps)

    def _pattern(self, node: Node | None) -> str:
        return "" if node is None else self._translated(node.content(), node)

    def _translated(self, pattern: str, node: Node) -> str:
        try:
            return translated(pattern, takes_long_hex=self._is_first_version)
        except PatternError as problem:
            raise self._error(node, problem.args[0]) from problem

    def _attribute(self, node: Node, name: str) -> str:
        value = node.attributes.get(name)
        if not value:
            raise self._error(
                node,
                Message("<{element}> has no attribute {name}: add it", element=node.local, name=name),
            )
        return value

    def _choice(self, node: Node, name: str, *, default: bool) -> bool:
        value = node.attributes.get(name)
        if value not in ("yes", "no", None):
            raise self._error(
                node,
                Message("{name} is “{value}”: write yes or no", name=name, value=value[:60]),
            )
        return default if value is None else value == "yes"

    def _line(self, node: Node) -> int:
        return self._text.count("\n", 0, node.start) + 1

    def _error(self, node: Node, problem: Message) -> DocumentError:
        return DocumentError(
            "{name}, {place}: {problem}", name=self._name, place=line_of(self._text, node.start), problem=problem
        )
