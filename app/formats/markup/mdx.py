"""MDX, which is Markdown with JavaScript: imports, exports, tags of components and expressions are not translated.

Spaces replace them before the Markdown parser reads the text, so that all offsets stay the same.
"""

from __future__ import annotations

import re

_FENCE = re.compile(r"[ \t>]*(?P<fence>`{3,}|~{3,})")
_LINE = re.compile(r"[^\n]*(?:\n|\Z)")
# Also in files that are called Markdown: lines that are imports without doubt.
_IMPORT = re.compile(r"""import\s(?:[^'"\n]*\sfrom\s+)?['"][^'"\n]+['"];?[ \t]*(?:\n|\Z)""")
# An import or export up to a blank line; a sentence may begin with these words too.
_MODULE = re.compile(
    r"""(?:import\s*(?:['"{*]|[\w$]+\s*,\s*[{*]|[\w$]+\s+from\s+['"])
    |export\s+(?:default|const|let|var|function|async|class|type|interface|\{|\*))(?:[^\n]+(?:\n|\Z))+""",
    re.VERBOSE,
)
_TAG_OR_EXPRESSION = re.compile(r"[ \t]*(?:</?(?=[A-Za-z>])|\{)")
_WRAPPED = re.compile(
    r"([ \t]*<([A-Za-z][\w.]*)(?:\s[^<>{}\n]*)?>)([^\n]*)(</\2>[ \t]*)(?=\n|\Z)"
)  # a line in a component
_TOKEN = re.compile(r"""'[^'\n]*'|"[^"]*"|`[^`]*`|/\*.*?\*/|[{}<>]|\n[ \t]*\n""", re.DOTALL)
_MAX_LENGTH = 5_000  # characters of a tag or an expression


def is_mdx(text: str, name: str) -> bool:
    """True if a Markdown file is MDX: by its name, or because it imports components outside of code."""
    return name.lower().endswith(".mdx") or without_code(text, is_mdx=False) != text


def without_code(text: str, *, is_mdx: bool) -> str:
    """The text with spaces for code; line ends must be `\\n`. In other Markdown, only imports are code."""
    parts: list[str] = []
    position = 0
    unclosed = 0  # up to here, a tag or expression was looked for that is not closed; a second search would take long
    fence = ""
    while position < len(text):
        line = _LINE.match(text, position)
        assert line is not None, "it may be empty"
        end = line.end()
        found = _FENCE.match(line.group())
        if fence:
            is_end = found and found["fence"].startswith(fence) and not line.group()[found.end() :].strip()
            fence = "" if is_end else fence
            parts.append(line.group())
        elif found:
            fence = found["fence"]
            parts.append(line.group())
        elif position >= unclosed:
            code, searched = _code_at(text, position, is_mdx)
            unclosed = 0 if code else searched
            end = max(code, end)
            if code:
                parts.append(re.sub(r"[^\n]", " ", text[position:end]))
            elif is_mdx and (wrapped := _WRAPPED.match(line.group())):
                parts += [" " * len(wrapped[1]), wrapped[3], " " * len(wrapped[4]), line.group()[wrapped.end() :]]
            else:
                parts.append(line.group())
        else:
            parts.append(line.group())
        position = end
    return "".join(parts)


def _code_at(text: str, position: int, is_mdx: bool) -> tuple[int, int]:
    """The end of the code that begins at the start of a line and fills lines, and the offset up to which was searched.

    The first number is 0 if there is no code.
    """
    code = (_MODULE if is_mdx else _IMPORT).match(text, position)
    if code:
        return code.end(), code.end()
    start = _TAG_OR_EXPRESSION.match(text, position) if is_mdx else None
    while start:  # several tags on one line
        end, searched = _end_of(text, start.end() - 1, closes="}" if text[start.end() - 1] == "{" else ">")
        if not end:
            return 0, searched
        rest = _LINE.match(text, end)
        assert rest is not None, "it may be empty"
        if not rest.group().strip():
            return rest.end(), rest.end()
        start = _TAG_OR_EXPRESSION.match(text, end)
    return 0, 0


def _end_of(text: str, position: int, closes: str) -> tuple[int, int]:
    """The end of the tag or expression that begins at `position`, and the offset up to which was searched.

    The first number is 0 if the tag or expression does not end within the paragraph.
    """
    depth = 0
    end = min(position + _MAX_LENGTH, len(text))
    for token in _TOKEN.finditer(text, position, end):
        sign = token.group()
        if sign.isspace() and not depth:
            return 0, token.start()
        depth += (sign == "{") - (sign == "}")
        if depth <= 0 and sign == closes:
            return token.end(), token.end()
    return 0, end
