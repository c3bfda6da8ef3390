"""Regular expressions in the syntax that ICU and Java share, translated for the library `regex`.

The translation has no groups that capture, so that several patterns can be joined into one. What `regex` reads
differently or not at all is refused, with the cure.
"""

from __future__ import annotations

import re
from typing import Final

import regex  # type: ignore[import-untyped]

from app.i18n import Message

MAX_CHARACTERS: Final = 10_000  # abbreviations of a language in one pattern take some 5,000
MAX_REPEATED: Final = 10_000  # elements of a pattern, each counted as often as it is repeated at most
MAX_DEPTH: Final = 30  # of groups in groups, and of sets in sets
FLAGS: Final = regex.VERSION1  # sets within sets, and flags that apply to their group

_QUANTIFIER = re.compile(r"(?:[?*+]|\{(\d{1,6})(?:(,)(\d{1,6})?)?\})[?+]?")
_NAMED = re.compile(r"\(\?<[A-Za-z]\w*>")
_ASSERTION = re.compile(r"\(\?(?:<?[=!]|[:>])")
_FLAGS = re.compile(r"\(\?([imsuU]*)(-[imsuU]+)?([:)])")
_COMMENT = re.compile(r"\(\?#[^)]*\)")
_PROPERTY = re.compile(r"\{\^?[\w =:-]{1,80}\}|[A-Za-z]")
_POSIX = re.compile(r"\[:(\^?)([\w =-]{1,80}):\]")
_HEX = {"u": re.compile(r"[\dA-Fa-f]{4}"), "U": re.compile(r"[\dA-Fa-f]{8}")}
_HEX_X = re.compile(r"\{([\dA-Fa-f]{1,6})\}|([\dA-Fa-f]{1,2})")
_WIDE_HEX_X = re.compile(r"\{([\dA-Fa-f]{1,6})\}|([\dA-Fa-f]{4}|[\dA-Fa-f]{1,2})")
_CONTROLS = {"a": "\a", "e": "\x1b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_VERTICAL = r"\n\x0b\f\r\x85\u2028\u2029"
_CLASSES = {"h": r"[\t\p{Zs}]", "H": r"[^\t\p{Zs}]", "v": f"[{_VERTICAL}]", "V": f"[^{_VERTICAL}]"}
_OUTSIDE_SETS = {
    "A": r"\A", "z": r"\Z", "Z": r"(?=\n?\Z)", "b": r"\b", "B": r"\B", "X": r"\X", "R": rf"(?>\r\n|[{_VERTICAL}])",
}  # fmt: skip
_PROPERTIES_OF_JAVA = {
    "javalowercase": "Lower", "javauppercase": "Upper", "javawhitespace": "White_Space", "javaletter": "L",
    "javaletterordigit": "Alnum", "javadigit": "Nd", "isletter": "L", "isdigit": "Nd", "ispunctuation": "P",
    "iscontrol": "Cc", "iswhite_space": "White_Space",
}  # fmt: skip


class PatternError(ValueError):
    """A pattern that cannot be used; the message, a Message, has the cure."""


def translated(pattern: str, *, takes_long_hex: bool = False) -> str:
    r"""The pattern for `regex` with FLAGS. Raises PatternError.

    With `takes_long_hex`, four digits may follow `\x`, as in files of SRX 1.0.

    >>> translated(r"(Mr|Dr)\.\h")
    '(?:Mr|Dr)\\.[\\t\\p{Zs}]'
    """
    if len(pattern) > MAX_CHARACTERS:
        raise PatternError(
            Message(
                "the pattern has {count:,} characters, limit {limit:,}: split it into several rules",
                count=len(pattern),
                limit=MAX_CHARACTERS,
            )
        )
    result = _Translator(pattern, _WIDE_HEX_X if takes_long_hex else _HEX_X).run()
    try:
        regex.compile(result, FLAGS)
    except (regex.error, OverflowError, RecursionError, ValueError) as problem:
        reason = str(problem).partition(" at position")[0]
        raise PatternError(
            Message(
                "{pattern} is not a regular expression that Pinpoint supports ({reason}): correct it",
                pattern=_shown(pattern),
                reason=reason,
            )
        ) from problem
    return result


class _Translator:
    """One pass over a pattern."""

    def __init__(self, pattern: str, hex_x: re.Pattern[str]) -> None:
        self.text = pattern
        self.hex_x = hex_x
        self.at = 0
        self.parts: list[str] = []
        self.sizes = [0]  # of the open groups, from the outside
        self.last = 0  # size of the last element, to which a quantifier applies

    def run(self) -> str:
        while self.at < len(self.text):
            self._next()
        return "".join(self.parts)

    def _next(self) -> None:
        sign = self.text[self.at]
        if sign == "\\":
            if self.text.startswith("\\Q", self.at):
                self._quote()
            else:
                self._element(self._escape(in_set=False))
        elif sign == "[":
            self._element(self._set(1))
        elif sign == "(":
            self._open()
        elif sign == ")":
            self._close()
        elif found := _QUANTIFIER.match(self.text, self.at):
            self._repeat(found)
        elif sign == "{":
            raise self._refusal("{", Message("write \\{{ for a brace"))
        else:
            self.at += 1
            if sign == "|":
                self.parts.append(sign)
                self.last = 0
            else:
                self._element("\\" + sign if sign in "]}" else sign)

    def _element(self, part: str, size: int = 1) -> None:
        self.parts.append(part)
        self.last = size
        self._grow(size)

    def _grow(self, size: int) -> None:
        self.sizes[-1] += size
        if sum(self.sizes) > MAX_REPEATED:
            raise PatternError(
                Message(
                    "{pattern} repeats more than {limit:,} elements: repeat fewer",
                    pattern=_shown(self.text),
                    limit=MAX_REPEATED,
                )
            )

    def _repeat(self, found: re.Match[str]) -> None:
        least, _, most = found.groups()
        times = max(int(least or 1), int(most or 1))
        self.parts.append(found.group())
        self._grow(self.last * (times - 1))
        self.last *= times
        self.at = found.end()

    def _quote(self) -> None:
        end = self.text.find("\\E", self.at)
        quoted = self.text[self.at + 2 : end if end >= 0 else len(self.text)]
        for character in quoted:
            self._element(_literal(character))
        self.at = len(self.text) if end < 0 else end + 2

    def _open(self) -> None:
        begin = self.at
        if found := _COMMENT.match(self.text, begin):
            self.at = found.end()
            return
        self.at += 1
        if found := _FLAGS.match(self.text, begin):
            on, off = (re.sub("[uU]", "", flags or "") for flags in found.groups()[:2])
            off = off if off != "-" else ""
            if found[3] == ")":
                self.parts.append(f"(?{on}{off})" if on or off else "")
                self.at, self.last = found.end(), 0
                return
            opening, self.at = f"(?{on}{off}:", found.end()
        elif found := _ASSERTION.match(self.text, begin):
            opening, self.at = found.group(), found.end()
        elif found := _NAMED.match(self.text, begin):
            opening, self.at = "(?:", found.end()
        elif self.text.startswith("(?", begin):
            raise self._refusal(self.text[begin : begin + 4], Message("remove it from the rule"))
        else:
            opening = "(?:"
        self.parts.append(opening)
        self.sizes.append(0)
        self.last = 0
        self._check_depth(len(self.sizes) - 1)

    def _check_depth(self, depth: int) -> None:
        if depth > MAX_DEPTH:
            raise PatternError(
                Message(
                    "{pattern} is nested more than {limit} levels deep: split it into several rules",
                    pattern=_shown(self.text),
                    limit=MAX_DEPTH,
                )
            )

    def _close(self) -> None:
        if len(self.sizes) == 1:
            raise self._refusal(")", Message("write \\) for a parenthesis"))
        size = self.sizes.pop() + 1
        self.at += 1
        self._element(")", size)

    def _set(self, depth: int) -> str:
        """The set at the current place, with the sets inside of it."""
        self._check_depth(depth)
        self.at += 1
        parts = ["["]
        if self.text.startswith("^", self.at):
            parts.append("^")
            self.at += 1
        if self.text.startswith("]", self.at):  # a member if it comes first
            parts.append("\\]")
            self.at += 1
        follows_set = False
        while self.at < len(self.text):
            sign, pair = self.text[self.at], self.text[self.at : self.at + 2]
            if sign == "]":
                self.at += 1
                return "".join([*parts, "]"])
            follows_set, was_set = False, follows_set
            if found := _POSIX.match(self.text, self.at):
                parts.append(rf"\{'P' if found[1] else 'p'}{{{found[2]}}}")
                self.at, follows_set = found.end(), True
            elif sign == "[":
                parts.append(self._set(depth + 1))
                follows_set = True
            elif sign == "\\":
                follows_set = pair in (r"\p", r"\P")
                parts.append(self._escape(in_set=True))
            elif pair in ("&&", "--"):
                parts.append(pair)
                self.at += 2
            elif pair == "-[" and not was_set:  # behind a character, a hyphen and a set
                parts.append("\\-")
                self.at += 1
            elif pair in ("&[", "-["):
                if not was_set:
                    raise self._refusal(
                        pair,
                        Message("put a backslash before the character, or write the character twice between two sets"),
                    )
                parts.append(sign * 2)
                self.at += 1
            else:
                parts.append(sign if sign == "-" or sign.isalnum() else _literal(sign))
                self.at += 1
        raise self._refusal("[", Message("end the set with ]"))

    def _escape(self, *, in_set: bool) -> str:
        letter = self.text[self.at + 1 : self.at + 2]
        begin = self.at
        self.at += 2
        if letter in ("p", "P"):
            return self._property(letter)
        if letter in ("x", "u", "U", "0", "c") or letter in _CONTROLS:
            return _literal(self._character(letter, begin))
        if letter in ("d", "D", "s", "S", "w", "W") and letter:
            return "\\" + letter
        if letter in _CLASSES:
            return _CLASSES[letter]
        if letter in _OUTSIDE_SETS and not in_set:
            return _OUTSIDE_SETS[letter]
        if letter == "N" and (found := re.compile(r"\{[\w -]{1,80}\}").match(self.text, self.at)):
            self.at = found.end()
            return "\\N" + found.group()
        if letter.isdigit() or letter == "k":
            raise self._refusal(f"\\{letter}", Message("repeat the pattern of the group in its place"))
        if not letter or (letter.isascii() and letter.isalpha()):
            raise self._refusal(f"\\{letter}", Message("remove it from the rule"))
        return _literal(letter)

    def _property(self, letter: str) -> str:
        found = _PROPERTY.match(self.text, self.at)
        if found is None:
            raise self._refusal(f"\\{letter}", Message("write a Unicode property after it, such as \\p{{L}}"))
        self.at = found.end()
        name = found.group().strip("{}")
        known = _PROPERTIES_OF_JAVA.get(name.lower(), name)
        return f"\\{letter}{{{known}}}"

    def _character(self, letter: str, begin: int) -> str:
        """The character of an escape whose letter was read."""
        if letter in _CONTROLS:
            return _CONTROLS[letter]
        if letter == "c" and (control := self.text[self.at : self.at + 1]).isascii() and control:
            self.at += 1
            return chr(ord(control.upper()) ^ 64)
        if letter == "0":
            found = re.compile("[0-3]?[0-7]{1,2}").match(self.text, self.at)
            base, code = 8, found.group() if found else ""
        else:
            found = (self.hex_x if letter == "x" else _HEX[letter]).match(self.text, self.at) if letter != "c" else None
            base, code = 16, next(filter(None, (*found.groups(), found.group()))) if found else ""
        if found is None or int(code, base) > 0x10FFFF:
            raise self._refusal(self.text[begin : begin + 2], Message("write the number of a character after it"))
        self.at = found.end()
        return chr(int(code, base))

    def _refusal(self, sign: str, cure: Message) -> PatternError:
        return PatternError(
            Message("{sign} in {pattern} is not supported: {cure}", sign=sign, pattern=_shown(self.text), cure=cure)
        )


def _literal(character: str) -> str:
    """The character as a pattern, also inside of a set."""
    escaped: str = regex.escape(character)
    return escaped


def _shown(pattern: str) -> str:
    return pattern if len(pattern) <= 60 else pattern[:59] + "…"
