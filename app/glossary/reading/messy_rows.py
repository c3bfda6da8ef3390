"""Messy rows: cells with more than a term, and sources that occur in every sentence. Each gets a proposal.

"der Motor (m)" -> "Motor"; "Mahlwerk / Mühle" -> "Mahlwerk" with the variant "Mühle"; "<b>file</b>" -> "file"; "the",
and a target such as "n/a" or "TBD" -> left out. Such a row is held: its term is not used until a person accepts the
proposal or keeps the row as it is.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from app.glossary.model import Term
from app.i18n import Message, joined
from app.text.folding import fold_term
from app.text.function_words import ARTICLES, is_function_word
from engine import is_unspaced, is_word_char

Mess = Literal["alternatives", "article", "label", "markup", "function_word", "no_target", "remark"]
MAX_ALTERNATIVES = 8

_SUSPECT = re.compile(r"[/;|,()\[\]{}<>&*_`´’'\"„“”«»?✓✔✗†•·；｜／、，（）［］\s]")
_TAG = re.compile(
    r"</?(?:a|abbr|b|big|br|cite|code|del|div|em|font|i|img|ins|kbd|li|mark|p|q|s|samp|small|span|strong|sub|sup|tt|u|var)"
    r"(?:\s[^<>]*)?/?>",
    re.IGNORECASE,
)
_EMPHASIS = re.compile(r"(?<!\w)(\*\*|__|\*|_|`)(?=\S)([^*_`]+)(?<=\S)\1(?!\w)")
_ENTITY = re.compile(r"&(?:[a-z]{2,8}|#\d{1,7}|#x[0-9a-f]{1,6});", re.IGNORECASE)
_LABELS = (
    "n noun nouns v vb verb verbs vt vi adj adjective adv adverb prep pron conj interj num pl plur plural sg "
    "sing singular m f nt mf masc fem neut masculine feminine neuter mask weibl sächl maskulin feminin neutrum "
    "subst substantiv nomen adjektiv mehrzahl einzahl trans intr transitive intransitive refl reflexive "
    "countable uncountable abbr abbrev acronym abk abkürzung inf infinitive past tech techn technical technik "
    "fachspr formal informal coll colloq colloquial ugs umgangssprachlich geh fam slang rare veraltet dated "
    "obsolete archaic us uk gb br am bre ame be ae at ch au ca british american to preferred bevorzugt "
    "nom masculin féminin pluriel adjectif verbe loc "
    "s sust masculino femenino sm sf nm nf npl "
)
_LABEL_WORDS = frozenset(_LABELS.split())
_BRACKETS = re.compile(r"\s*(?:\(([^()]*)\)|\[[^\[\]]*\]|（([^（）]*)）|［[^［］]*］|\{([^{}]*)\})\s*")
_OPTIONAL = re.compile(r"(?<=\w)\((\w{1,3})\)")  # file(s)
_GENDER = re.compile(r"(?:,\s*|\s+)(?:m|f|n|nt|pl)\.?\Z|,\s*(?:adj|adv|pl|sg|v)\.?\Z")
_GENDERED = frozenset({"de", "fr", "es", "it", "pt", "nl", "sv", "da", "nb", "pl", "cs", "ru"})
# Endings of a dictionary: "Ventil, -s, -e".
_ENDINGS = re.compile(r"(?:,\s+[-¨]{1,2}[^\W\d_]{0,3})+\Z")
_NOTE = re.compile(
    r"(?:see|cf|siehe|s|vgl|auch|also|syn|synonym|voir|ver|véase|vedi|zie|pl|plur|plural|pluriel|mehrzahl"
    r"|abk|abkürzung|abbr|abbreviation|kurz|short)\b[\s.:]+\S",
    re.IGNORECASE,
)
# A text that says what not to use: "nicht: Klappe". "nicht verfügbar" is a target, but no label in brackets.
_NOT = "nicht|nie|niemals|not|never|non|jamais|pas|no|nunca|mai|niet|nooit|inte|aldrig|ikke|aldri|nigdy"
_PROHIBITION = re.compile(
    rf"\W*(?:(?:{_NOT})\s*(?:[:„“«]|[\"'](?=\w))|(?:{_NOT.upper()})\s+\w"
    r"|(?i:do not use|don['’]t use|never use|avoid:|nicht verwenden|nicht benutzen|vermeiden:|statt:|ne pas utiliser"
    r"|no usar|non usare|não usar)).*",
    re.DOTALL,
)
_IN_BRACKETS_NOT = re.compile(rf"(?i:{_NOT}|kein|keine|keinen)\b\W*\w")
_SECOND_NOT = re.compile(rf"(?:{_NOT}|kein|keine|keinen)\s+[A-ZÄÖÜ][a-zäöüß]")  # "Ventil, nicht Klappe"
# In place of an object: "to open sth.", "etw. öffnen".
_OBJECTS = {
    "en": re.compile(r"(?<![\w.])(?:sth|s\.th|sb|s\.b|s\.o)\b(?:\.|'s\b)?"),
    "de": re.compile(r"(?<![\w.])(?:etw|jdn|jdm|jds|jd|jmdn|jmdm|jmds|jmd)\b\.?"),
    "fr": re.compile(r"(?<![\w.])(?:qc|qch|qqch|qn|qqn)\b\.?"),
    "it": re.compile(r"(?<![\w.])(?:qc|qcs|qn|qcn)\b\.?"),
}
# Signs of somebody who was not sure, or refers to a footnote, and quotation marks around a cell.
_REMARKS = re.compile(r"\A[?✓✔✗]+ ?| ?[?✓✔✗†*]+\Z")
_QUOTES = "\"'“”„«»‚‘’"
_QUOTED = re.compile(rf"[{_QUOTES}]([^{_QUOTES}]+)[{_QUOTES}]")
# Words between alternatives: "Mahlwerk oder Mühle".
_OR = {
    "en": re.compile(r"\s+(?:and/or|or)\s+"),
    "de": re.compile(r"\s+(?:und/oder|oder)\s+"),
    "fr": re.compile(r"\s+(?:et/ou|ou)\s+"),
    "es": re.compile(r"\s+(?:y/o|o|u)\s+"),
    "it": re.compile(r"\s+(?:e/o|o|oppure)\s+"),
    "pt": re.compile(r"\s+(?:e/ou|ou)\s+"),
    "nl": re.compile(r"\s+(?:en/of|of)\s+"),
    "sv": re.compile(r"\s+(?:och/eller|eller)\s+"),
    "da": re.compile(r"\s+(?:og/eller|eller)\s+"),
    "nb": re.compile(r"\s+(?:og/eller|eller)\s+"),
    "pl": re.compile(r"\s+(?:i/lub|lub|albo)\s+"),
}
# In place of a target on which nobody has decided yet.
_NO_TARGET = re.compile(
    r"[-‐‑‒–—_.…?!*/\\~()\[\]\s]+|\W*(?:n/a|n\.a|n/v|k\. ?a|tbd|t\.b\.d|tba|tbc|fixme|xxx+)\W*|TODO"
)
# In place of a target: a reference to another entry, and the instruction to keep the source.
_REFERENCE = re.compile(r"\W*(?:→|->|=>|(?:siehe|vgl|cf|see also)\b|s\.(?=\s))[\s.:]*\w.*", re.IGNORECASE)
_REFERRING = re.compile(r"\W*(?:→|->|=>|see|refer|compare|cf|siehe|vgl|voir|s\.)", re.IGNORECASE)
_KEEP_SOURCE = re.compile(
    r"\W*(?:do not translate|don['’]t translate|not translated|dnt|(?:bleibt )?unübersetzt|nicht übersetzen"
    r"|ne pas traduire|no traducir|non tradurre|não traduzir|niet vertalen|översätt inte|nie tłumaczyć"
    r"|(?:=|(?:wie|same as|as in|as)\b)\s*(?:en|english|englisch|source|quelle|original|im original))\W*",
    re.IGNORECASE,
)
_LINE_TAG = re.compile(r"</?(?:br|div|li|p)(?:\s[^<>]*)?/?>", re.IGNORECASE)
_ALWAYS = re.compile(r"\s*[;|；｜／、•·]\s*|\s+/\s*|\s*/\s+|\s*\n\s*|\s+bzw\.\s+")
_NUMBERED = re.compile(r"\s*[12][.)]\s+(?=[^\W\d_])")
_SLASH = re.compile(r"(?<=[^\W\d_]{4})/(?=[^\W\d_]{4})")
_COMMA = re.compile(r",\s+|，\s*")
_BEFORE_ARTICLE = re.compile(r",\s|\s[–—-]\s")  # "Motor, der"
_LETTER = re.compile(r"[^\W\d_]")
_SENTENCE = re.compile(r"[.!?:…]\Z")
_ANY_ARTICLE = frozenset(article for articles in ARTICLES.values() for article in articles)
_MAX_WORDS = 3  # of an alternative that only a comma parts from another


@dataclass(frozen=True, slots=True)
class RowProposal:
    """What is wrong with a row, and the terms that should take its place; none if it should be left out."""

    kind: Mess
    message: Message
    becomes: tuple[Term, ...]


def row_proposal(term: Term, source_language: str, target_language: str) -> RowProposal | None:
    """The proposal for a messy row; None if the row is in order.

    >>> proposal = row_proposal(Term("grinder (noun)", "das Mahlwerk / die Mühle"), "en", "de")
    >>> [(one.source, one.targets) for one in proposal.becomes]
    [('grinder', ('Mahlwerk', 'Mühle'))]
    """
    if (
        term.status != "do_not_translate"
        and _KEEP_SOURCE.fullmatch(term.target)
        and not _KEEP_SOURCE.fullmatch(term.source)
    ):
        kept = replace(term, target=term.source, variants=(), status="do_not_translate")
        return RowProposal("no_target", _MESSAGES["no_target"](term.target), (kept,))
    cells = (term.source, *term.targets)
    empty = next((target for target in term.targets if _is_no_target(target, term)), None)
    has_or = _has_or(term.source, source_language)
    if empty is None and not any(map(_SUSPECT.search, cells)) and not _is_too_frequent(term, source_language):
        return None
    is_parallel = 0 < _num_commas(term.source) == _num_commas(term.target) or (
        has_or and any(_has_or(target, target_language) or target == term.source for target in term.targets)
    )  # "true or false"
    source = _Cell.of(term.source, term.target, source_language, term, is_parallel=is_parallel)
    targets = [_Cell.of(target, term.source, target_language, term, is_parallel=is_parallel) for target in term.targets]
    found = {kind: cell.text for cell in reversed((source, *targets)) for kind in cell.kinds}
    for one in source.alternatives:
        if _is_too_frequent(replace(term, source=one), source_language):
            found["function_word"] = one
    if empty is not None:
        found["no_target"] = empty
    if not found:
        return None
    texts = tuple(
        dict.fromkeys(text for cell in targets for text in cell.alternatives if not _is_no_target(text, term))
    )
    is_paired = len(source.alternatives) == len(texts) > 1  # "red, green" -> "rot, grün"
    becomes = []
    for number, one in enumerate(source.alternatives):
        if _is_too_frequent(replace(term, source=one), source_language):
            continue
        own = texts[number : number + 1] if is_paired else texts
        if term.status == "do_not_translate" and term.target == term.source:
            own = (one,)
        if not own:
            continue
        becomes.append(replace(term, source=one, target=own[0], variants=own[1:]))
    messages = [_MESSAGES[kind](cell) for kind, cell in found.items()]
    return RowProposal(next(iter(found)), joined("; ", messages), tuple(becomes))


_MESSAGES: dict[Mess, Callable[[str], Message]] = {
    "alternatives": lambda cell: Message("“{cell}” seems to list alternatives", cell=cell),
    "article": lambda cell: (
        Message("“{cell}” has “to” before a verb", cell=cell)
        if cell.lower().startswith("to ")
        else Message("“{cell}” has an article", cell=cell)
    ),
    "label": lambda cell: Message("“{cell}” has a label of grammar or subject", cell=cell),
    "markup": lambda cell: Message("“{cell}” contains markup", cell=cell),
    "function_word": lambda cell: Message("“{cell}” occurs in nearly every sentence", cell=cell),
    "no_target": lambda cell: Message("“{cell}” is no translation", cell=cell),
    "remark": lambda cell: Message("“{cell}” has signs that are not part of the term", cell=cell),
}


@dataclass(frozen=True, slots=True)
class _Cell:
    """A cell as given, what is wrong with it, and the texts in it."""

    text: str
    kinds: tuple[Mess, ...]
    alternatives: tuple[str, ...]

    @classmethod
    def of(cls, text: str, other: str, language: str, term: Term, *, is_parallel: bool) -> _Cell:
        """The cell `text`; `other` is the cell on the other side of the row."""
        plain = _without_markup(text)
        unmarked = _without_remarks(plain, other)
        unlabelled, has_label = _without_labels(unmarked, other, language)
        found: list[str] = []
        has_article = False
        for part in _alternatives(unlabelled, language, is_parallel=is_parallel):
            if found and (_NOTE.match(part) or _SECOND_NOT.match(part) or _PROHIBITION.match(part)):
                has_label = True
                continue
            bare, is_labelled = _without_labels(part, other, language)
            has_label |= is_labelled
            for one in _with_and_without_optional(bare):
                is_name = term.source == term.target  # "Der Spiegel"
                word = one if is_name else _without_article(one, language)
                has_article |= word != one
                found.append(word)
        alternatives = tuple(dict.fromkeys(filter(_has_word, found)))
        if not alternatives or len(found) > MAX_ALTERNATIVES:  # signs alone, or no list of alternatives
            return cls(text, (), (text,))
        signs: dict[Mess, bool] = {
            "alternatives": len(found) > 1,
            "article": has_article,
            "label": has_label,
            "markup": plain != text,
            "remark": unmarked != plain,
        }
        kinds = tuple(kind for kind, is_there in signs.items() if is_there)
        return cls(text, kinds, alternatives if kinds else (text,))


def _without_markup(text: str) -> str:
    if "&" in text:
        text = _ENTITY.sub(lambda entity: html.unescape(entity[0]), text)
    if "<" in text:
        text = _TAG.sub(" ", _LINE_TAG.sub("\n", text))
    if any(sign in text for sign in "*_`"):
        text = _EMPHASIS.sub(r"\2", text)
    return re.sub(" +", " ", text).strip()


def _without_remarks(text: str, other: str) -> str:
    """The text without quotation marks around it, and without signs at its edges that the other cell lacks."""
    if len(text.split()) > _MAX_WORDS:
        return text
    bare = text if any(sign in other for sign in "?*✓✔✗†") else _REMARKS.sub("", text)
    quoted = None if any(sign in other for sign in _QUOTES) else _QUOTED.fullmatch(bare)
    bare = quoted[1] if quoted else bare
    return bare if _has_word(bare) else text


def _without_labels(text: str, other: str, language: str) -> tuple[str, bool]:
    """The text without labels in brackets and a gender at its end, and whether it had any."""
    bare = text
    if any(sign in text for sign in "([（［{"):
        bare = _BRACKETS.sub(lambda found: " " if _is_label(found, other, language) else found[0], text).strip()
    bare = _ENDINGS.sub("", bare)
    if language in _OBJECTS:
        bare = " ".join(_OBJECTS[language].sub(" ", bare).split()) if _OBJECTS[language].search(bare) else bare
    if language in _GENDERED:
        bare = _GENDER.sub("", bare)
    return (bare, True) if bare != text and _has_word(bare) else (text, False)


def _is_label(found: re.Match[str], other: str, language: str) -> bool:
    """True for square brackets, and for others with labels alone, a reference, a prohibition, or an article and noun.

    "(n., pl.)", "(see also: tap)", "(nicht Klappe)", "(die Ventile)".
    """
    inside = next((group for group in found.groups() if group is not None), None)
    if inside is None:
        return True
    if found[3] is not None and "{" in other:  # a placeholder
        return False
    if found[3] is None and "(" not in other and _IN_BRACKETS_NOT.match(inside):
        return True
    if _OPTIONAL.match(found.string, found.start()):
        return False
    if _NOTE.match(inside):
        return True
    words = [word for word in re.split(r"[\s.,;/+]+", inside.lower()) if word]
    is_noun = len(words) == 2 and words[0] in ARTICLES.get(language, frozenset()) and found.start() > 0
    return is_noun or (bool(words) and all(word in _LABEL_WORDS or word in _ANY_ARTICLE for word in words))


def _is_no_target(target: str, term: Term) -> bool:
    """True for a sign, word or reference in place of a target, unless the source is one: "?", "n/a", "siehe Pumpe"."""
    if term.status == "do_not_translate" or _stands_for_nothing(term.source):
        return False
    is_reference = _REFERENCE.fullmatch(target) is not None and _REFERRING.match(term.source) is None
    is_prohibition = _PROHIBITION.match(target) is not None and _PROHIBITION.match(term.source) is None
    return is_reference or is_prohibition or _stands_for_nothing(target)


def _stands_for_nothing(cell: str) -> bool:
    return bool(_NO_TARGET.fullmatch(cell) or _NO_TARGET.fullmatch(cell.lower()))


def _has_or(text: str, language: str) -> bool:
    return language in _OR and _OR[language].search(text) is not None


def _alternatives(text: str, language: str, *, is_parallel: bool) -> Iterator[str]:
    articles = ARTICLES.get(language, frozenset())
    parts = [one for one in _NUMBERED.split(text) if one.strip(" ,;")]
    is_numbered = len(parts) > 1 and _NUMBERED.match(text) is not None  # "1. Ventil 2. Hahn"
    for part in [one.strip(" ,;") for one in parts] if is_numbered else _ALWAYS.split(text):
        words = _BEFORE_ARTICLE.split(part)
        if len(words) == 2 and words[1].strip().lower() in articles:
            yield f"{words[1].strip()} {words[0]}"  # "Motor, der"
            continue
        slashed = _SLASH.split(part) if not is_parallel and " " not in part else [part]
        for one in slashed:
            smaller = [piece for piece in _COMMA.split(one) if piece.strip()]
            max_words = 1 if is_parallel else _MAX_WORDS
            pieces = smaller if _is_list(smaller, max_words) else [one]
            for piece in pieces:
                parted = _OR[language].split(piece) if language in _OR and not is_parallel else [piece]
                yield from map(str.strip, parted if _is_list(parted, _MAX_WORDS) else [piece])


def _is_list(pieces: Sequence[str], max_words: int) -> bool:
    """True if these may be alternatives: few words each, no halves of words ("Vor- oder Nachname") or sentences."""
    return all(
        len(piece.split()) <= max_words
        and _LETTER.search(piece)
        and not _SENTENCE.search(piece)
        and not (len(pieces) > 1 and piece.endswith("-"))
        for piece in pieces
    )


def _with_and_without_optional(text: str) -> tuple[str, ...]:
    """ "file(s)" -> "file", "files"; any other text alone."""
    if not _OPTIONAL.search(text):
        return (text,)
    return _OPTIONAL.sub("", text), _OPTIONAL.sub(r"\1", text)


def _without_article(text: str, language: str) -> str:
    articles = ARTICLES.get(language, frozenset())
    first, space, rest = text.partition(" ")
    if space and _has_word(rest) and len(rest) > 1:
        if all(one in articles for one in first.lower().split("/")):
            return rest.strip()
        if language == "en" and first.lower() == "to" and len(rest.split()) <= _MAX_WORDS:
            return rest.strip()
    for sign in ("'", "’"):
        if text.lower().partition(sign)[0] + "'" in articles and len(text) > text.find(sign) + 2:
            return text[text.find(sign) + 1 :]
    return text


def _is_too_frequent(term: Term, language: str) -> bool:
    """True for a source of one letter or of function words alone; capitals that matter tell it from other words."""
    if term.is_case_exact or term.status == "forbidden":
        return False
    words = fold_term(term.source).split(" ")
    if len(words) == 1 and len(words[0]) == 1:
        return is_word_char(words[0]) and not is_unspaced(words[0]) and not words[0].isdigit()
    return all(is_function_word(word, language) for word in words)


def _has_word(text: str) -> bool:
    return any(map(is_word_char, text))


def _num_commas(text: str) -> int:
    return len(_COMMA.findall(text))
