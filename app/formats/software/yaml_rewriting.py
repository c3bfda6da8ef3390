"""Valid YAML that libyaml refuses, rewritten for it in the same length: it reads YAML 1.1, and not all of that.

Places stay the same, so that strings are read from the original text. The rules are from YAML 1.2.2
(https://yaml.org/spec/1.2.2/), by the numbers of its sections.
"""

from __future__ import annotations

import re

_DIRECTIVE = re.compile(r"^%(?:(YAML[ \t]+1\.)(\d+)|(?!YAML[ \t]|TAG[ \t]))", re.MULTILINE)
_DOCUMENT_START = re.compile(r"^---(?=\s|\Z)", re.MULTILINE)
_DOCUMENT_END = re.compile(r"^\.\.\.(?=[ \t]*(?:#[^\r\n]*)?[\r\n]+(?!%)|[ \t]*\Z)", re.MULTILINE)
_NAME = re.compile(r"""(?<![^\s\[{,:])[&*][^\s,\[\]{}'"]++(?!['"])""")  # a quotation mark would end a string
_NOT_IN_NAME = re.compile(r"[^A-Za-z0-9_-]")
_COLON = re.compile(r"(?<=[\[{,\s]):(?=[^\s,\[\]{}])")
_CONTROL = re.compile("[\x7f-\x84\x86-\x9f]")
_EXPLICIT_KEY = re.compile(r"^[ \t-]*\?[ \t\r\n]", re.MULTILINE)
_COLON_ON_NEW_LINE = re.compile(r"(?<=[\w\"'])[\r\n]+(?=[ \t]*:[ \t\r\n])")
_LINE = re.compile(r"[^\r\n]+")
_SPACE = " \t"
_INDICATORS = "-?:"


def rewritten(text: str) -> str:
    """The text with what libyaml refuses replaced by something else of the same length."""
    if _DOCUMENT_START.search(text):
        text = _DIRECTIVE.sub(_known_directive, text)  # 6.8: an unknown directive and a newer version are ignored
    text = _DOCUMENT_END.sub("---", text)  # 9.2: a document without a marker may follow
    text = _NAME.sub(lambda name: name[0][0] + _NOT_IN_NAME.sub("_", name[0][1:]), text)  # 6.9.2: any other sign
    text = _COLON.sub("_", text)  # 7.3.3: in brackets, too, a plain text may begin with a colon
    if not _EXPLICIT_KEY.search(text):
        text = _COLON_ON_NEW_LINE.sub(_spaces, text)  # 7.4.2: in brackets, a key may end before a line break
    text = _CONTROL.sub("_", text)  # 5.1: allowed in quotation marks
    return _LINE.sub(lambda line: _without_tabs(line.group()), text) if "\t" in text else text


def _known_directive(directive: re.Match[str]) -> str:
    return f"%{directive[1]}1".ljust(len(directive.group())) if directive[1] else "#"


def _spaces(found: re.Match[str]) -> str:
    return " " * len(found.group())


def _without_tabs(line: str) -> str:
    """The line with spaces for the tabs that separate and do not indent (6.1): before and behind "-", "?" and ":".

    A tab at the start of a line with a key stays: it is not allowed there.
    """
    words = line.lstrip(_SPACE)
    indent = line[: len(line) - len(words)]
    if "\t" in indent and (not words or words[0] == "#" or (":" not in words and not words.startswith("- "))):
        indent = " " * len(indent)
    lead = ""
    while words[:1] and words[0] in _INDICATORS and words[1:2] in (" ", "\t"):
        rest = words[1:].lstrip(_SPACE)
        lead += words[0] + " " * (len(words) - 1 - len(rest))
        words = rest
    return indent + lead + words
