"""Files of segmentation rules: one with given rules, and a small one in the style of those that tools come with."""

from __future__ import annotations


def srx(rules: str) -> bytes:
    """A file of SRX 2.0 with these rules, which begin in line 5, for all languages."""
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<srx version="2.0" xmlns="http://www.lisa.org/srx20">\n'
        '<header segmentsubflows="yes" cascade="yes"/>\n<body><languagerules><languagerule languagerulename="All">\n'
        f"{rules}\n</languagerule></languagerules>\n"
        '<maprules><languagemap languagepattern=".*" languagerulename="All"/></maprules></body></srx>\n'
    ).encode()


def _rule(*, is_break: bool, before: str, after: str) -> str:
    return (
        f'      <rule break="{"yes" if is_break else "no"}">\n        <beforebreak>{before}</beforebreak>\n'
        f"        <afterbreak>{after}</afterbreak>\n      </rule>\n"
    )


def _list(name: str, *rules: str) -> str:
    return f'    <languagerule languagerulename="{name}">\n{"".join(rules)}    </languagerule>\n'


def _exceptions(*abbreviations: str) -> list[str]:
    return [_rule(is_break=False, before=rf"\b{text}", after=r"\s") for text in abbreviations]


PUBLISHED_STYLE = (
    '<?xml version="1.0" encoding="UTF-8"?>\n<srx xmlns="http://www.lisa.org/srx20" version="2.0">\n'
    '<header segmentsubflows="yes" cascade="yes">\n  <formathandle type="start" include="no"/>\n'
    '  <formathandle type="end" include="yes"/>\n  <formathandle type="isolated" include="no"/>\n</header>\n<body>\n'
    "  <languagerules>\n"
    + _list("English", *_exceptions(r"(?:Mr|Mrs|Dr)\.", r"[Ee]\.g\.", r"\Qi.e.\E"))
    + _list(
        "German",
        *_exceptions(r"z\.\h?B\.", r"usw\.", r"Nr\."),
        _rule(is_break=False, before=r"\b\p{Nd}{1,2}\.", after=r"\s+(?:Januar|Mai|Juni)\b"),
    )
    + _list("Japanese", _rule(is_break=True, before=r"[\u3002\uff0e\uff1f\uff01]+", after=""))
    + _list(
        "Default",
        _rule(is_break=True, before=r"[\.\?!…]+[\p{Pe}\p{Pf}&quot;]*", after=r"\s+[\P{Ll}]"),
        _rule(is_break=True, before="", after=r"\n"),
    )
    + "  </languagerules>\n  <maprules>\n"
    '    <languagemap languagepattern="[Ee][Nn].*" languagerulename="English"/>\n'
    '    <languagemap languagepattern="[Dd][Ee].*" languagerulename="German"/>\n'
    '    <languagemap languagepattern="[Jj][Aa].*" languagerulename="Japanese"/>\n'
    '    <languagemap languagepattern=".*" languagerulename="Default"/>\n  </maprules>\n</body>\n</srx>\n'
).encode()
