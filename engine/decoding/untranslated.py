"""Replaces words that the model did not translate by words of its lexicon.

A model with little training data copies words that it does not know ("harvest"), or makes up a word ("Kavalry"). As in
Luong et al. 2015 and Jean et al. 2015, who did it with unknown words, each such word is replaced in its place by a
translation of its source word in the lexicon. Of several translations and their forms, the text decides that the model
finds most probable, and so it does for a German article before the word.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Final

from engine.decoding.aligner import Alignment
from engine.decoding.constraints import PreparedRequest
from engine.decoding.placing import PIECE_REWARD, Edit, EditedText, OpenDecoder, Pieces
from engine.interruption import Interruption
from engine.model.lexicon import Lexicon
from engine.text import Codec, is_sentence_start, occurrences
from engine.translation import ListedText

Span = tuple[int, int]
MAX_REPLACED: Final = 20  # words of a translation, the first ones: each takes some hundredths of a second
_SHORTEST: Final = 3  # letters of a word that is replaced
_LONGEST_SMALL: Final = 3  # letters of words that have no capital in a heading
# A single word in quotation marks or brackets, and any word in addresses and code, often stays as it is.
_PLAIN: Final = re.compile(r"(?<!\S)[^\W\d_]+(?:-[^\W\d_]+)*(?=[])\"”“«]?[.,;:!?]?[])\"”“«]?(?:\s|$))")
_CAPITALISED: Final = re.compile(r" [A-ZÀ-ÖØ-Þ][^\W\d_]")
_ENDINGS: Final = ("", "e", "en", "em", "er", "es")
_ARTICLES: Final = (
    ("der", "die", "das", "den", "dem", "des"),
    *(tuple(stem + ending for ending in _ENDINGS) for stem in ("ein", "kein", "mein", "dein", "sein", "ihr")),
    *(tuple(stem + ending for ending in _ENDINGS[1:]) for stem in ("dies", "jed", "welch")),
)
# After a word without an article at the beginning of an English sentence: that word is a name, unless it is a plural.
_SAYING: Final = re.compile(r" (?:said|says|told|tells|replied|insisted|argued|warned|admitted|explained|wrote)\b")
_TITLE: Final = re.compile(r"\b(?:Mr|Mrs|Ms|Dr|Prof|St|Gen|Lt|Col|Capt|Sgt|Sen|Rep|Gov)\.\s*$")  # before a name


@dataclass(frozen=True, slots=True)
class Untranslated:
    """The characters of a word that was not translated, the words that may take its place, and its source word."""

    start: int
    end: int
    forms: tuple[str, ...]
    source_span: Span


def untranslated_words(
    source: str, text: str, alignment: Alignment, lexicon: Lexicon, followed: str = ""
) -> Iterator[Untranslated]:
    """The words of a translation that were copied or made up and whose source word has an entry, in order.

    Words of the `followed` text stay, as a person may have written them. Words with a capital letter in the middle of a
    sentence are names, unless the source is German.
    """
    plain = {match.span(): match[0] for match in _PLAIN.finditer(source) if len(match[0]) >= _SHORTEST}
    sources = {span: word for span, word in plain.items() if not (lexicon.marks_names and _is_name(source, span))}
    copied = {word.lower(): span for span, word in sources.items() if not lexicon.may_stay(word)}
    for match in _PLAIN.finditer(text):
        word = match[0]
        if occurrences(followed, word):
            continue
        found = copied.get(word.lower())
        if found is None and not lexicon.is_word(word):
            linked = {(a, b) for a, b, start, end in alignment if start < match.end() and match.start() < end}
            spans = [span for span in linked if any(map(str.isalpha, source[slice(*span)]))]
            found = spans[0] if len(spans) == 1 and spans[0] in sources else None
        if found is not None and (forms := lexicon.forms(sources[found])):
            yield Untranslated(match.start(), match.end(), _as_at(text, match.start(), forms), found)


def _is_name(source: str, span: Span) -> bool:
    """True if the word has a capital letter that is not due to the start of a sentence or a heading.

    >>> source = "Harvest begins. Mr. Harvest and Harvest Foods agree. Harvest said so."
    >>> [_is_name(source, match.span()) for match in re.finditer("Harvest", source)]
    [False, True, True, True]
    """
    start, end = span
    if not source[start].isupper() or _is_heading(source):
        return False
    begins_name = _CAPITALISED.match(source, end) is not None or _TITLE.search(source[:start]) is not None
    speaks = _SAYING.match(source, end) is not None and (source[end - 1] != "s" or source[end - 2] == "s")
    return begins_name or speaks or not is_sentence_start(source, start)


def _is_heading(text: str) -> bool:
    """True if all longer words have capital letters, as in "Safety and Maintenance"."""
    longer = [word for word in text.split() if len(word) > _LONGEST_SMALL]
    return len(longer) > 1 and all(word[0].isupper() for word in longer) and text[-1:] not in ".!?"


def _as_at(text: str, start: int, forms: Sequence[str]) -> tuple[str, ...]:
    """The forms as they are written at this place: with a capital letter at the beginning of a sentence."""
    if is_sentence_start(text, start):
        return tuple(dict.fromkeys(form[0].upper() + form[1:] for form in forms))
    return tuple(forms)


def articles_before(text: str, start: int) -> list[str]:
    """The text with each other form of the German article before the word at `start`; empty without one.

    >>> articles_before("Das ist ein Ernte.", 12)[:2]
    ['Das ist eine Ernte.', 'Das ist einen Ernte.']
    """
    match = re.search(r"[^\W\d_]+(?= $)", text[:start])
    if match is None:
        return []
    article = match[0].lower()
    forms = next((group for group in _ARTICLES if article in group), ())
    others = [form if match[0][0].islower() else form.capitalize() for form in forms if form != article]
    return [text[: match.start()] + other + text[match.end() :] for other in others]


@dataclass(frozen=True, slots=True)
class WordReplacer:
    """Replaces the untranslated words in translations of one request.

    `max_pieces` are those that the model writes. Asks `interruption` before each reading of texts. Of many
    forms, only those that are probable in the first translation are tried in the next ones.
    """

    prepared: PreparedRequest
    lexicon: Lexicon
    codec: Codec
    open_decoder: OpenDecoder
    max_pieces: int
    interruption: Interruption
    _probable: dict[tuple[str, ...], tuple[str, ...]] = field(default_factory=dict)

    def replaced(self, text: str, alignment: Alignment) -> tuple[Pieces, tuple[ListedText, ...]] | None:
        """The pieces of the text with its untranslated words replaced, and the end, with the new words in their places.

        None if nothing changes.

        The prefix, required texts, locked texts and words of the followed text stay, and no avoided text is written.
        """
        followed = "" if self.prepared.followed is None else self.codec.decode(self.prepared.followed.pieces).text
        words = untranslated_words(self.prepared.source, text, alignment, self.lexicon, followed)
        changed = text
        new_words: list[tuple[str, int, Span]] = []  # with the number of characters behind, which stay
        for word in reversed([*islice(words, MAX_REPLACED)]):  # from the end, so that the other places stay
            num_behind = len(changed) - word.end
            changed, form = self._without(word, changed)
            if form is not None:
                new_words.append((form, num_behind, word.source_span))
        if changed == text:
            return None
        ends = [len(changed) - num_behind for _, num_behind, _ in new_words]
        listed = tuple(
            ListedText("lexicon", form, end - len(form), end, source_span)
            for (form, _, source_span), end in zip(reversed(new_words), reversed(ends), strict=True)
        )
        return (*self.codec.encode(changed).ids, self.codec.end), listed

    def _without(self, word: Untranslated, text: str) -> tuple[str, str | None]:
        """The text with the word replaced by the form that makes it most probable, and this form, if that is allowed.

        Otherwise the text and None.
        """
        pieces, forms = self.codec.encode(text).ids, self._probable.get(word.forms, word.forms)
        texts = [text[: word.start] + form + text[word.end :] for form in forms]
        edits = [edit for number, new in enumerate(texts) if (edit := self._edit(number, new, pieces)) is not None]
        if not edits or len(pieces) >= self.max_pieces:
            return text, None
        ranked = EditedText((*pieces, self.codec.end), self.open_decoder, self.interruption).best(
            edits, [0.0] * len(edits)
        )
        self._probable.setdefault(word.forms, tuple(forms[edit.form] for edit in ranked))
        chosen = next((edit.form for edit in ranked if self._is_allowed(texts[edit.form], text)), None)
        if chosen is None:
            return text, None
        new = texts[chosen]
        others = articles_before(new, word.start) if self.lexicon.has_articles else ()
        allowed = [other for other in others if self._is_allowed(other, text)]
        return self._most_probable([new, *allowed]), forms[chosen]

    def _most_probable(self, texts: Sequence[str]) -> str:
        """The text with the highest score, with the same reward for each piece as in the choice of a form.

        Texts that the model cannot write are left out; it can write the first one.
        """
        if len(texts) == 1:
            return texts[0]
        self.interruption.check()
        written = {text: (*pieces, self.codec.end) for text in texts if (pieces := self._pieces_of(text)) is not None}
        read = self.open_decoder(len(written)).read([*written.values()])
        scores = [sum(log_probs) + PIECE_REWARD * len(log_probs) for log_probs in read]
        return max(zip(scores, written, strict=True))[1]

    def _edit(self, number: int, new: str, pieces: Pieces) -> Edit | None:
        """The edit that makes text number `number` from these pieces; None if the model cannot write it."""
        ids = self._pieces_of(new)
        if ids is None:
            return None
        shorter = min(len(ids), len(pieces)) - 1
        first = next((n for n in range(shorter) if ids[n] != pieces[n]), shorter)
        behind = next((n for n in range(shorter - first) if ids[-1 - n] != pieces[-1 - n]), shorter - first)
        return Edit(first, len(pieces) - behind, number, ids[first : len(ids) - behind])

    def _pieces_of(self, text: str) -> Pieces | None:
        """The pieces of a text, without the end; None if the model cannot write it."""
        ids = self.codec.encode(text).ids
        return ids if len(ids) < self.max_pieces and self.codec.spells(text) else None

    def _is_allowed(self, new: str, text: str) -> bool:
        """True if a new text meets the request's constraints as well as the text did."""
        prefix = self.prepared.constraints.prefix
        if prefix is not None and not new.startswith(prefix.text.rstrip()):
            return False
        places, new_places = self.prepared.place(text), self.prepared.place(new)
        is_placed = len(new_places[0]) == len(places[0]) and new_places[1] == places[1]
        is_in_order = len(self.prepared.place_ordered(new)) == len(self.prepared.place_ordered(text))
        return (
            is_placed
            and is_in_order
            and not any(
                len(_found(avoided.text, new, avoided.ignores_case))
                > len(_found(avoided.text, text, avoided.ignores_case))
                for avoided in self.prepared.constraints.avoided
            )
        )


def _found(avoided: str, text: str, ignores_case: bool) -> list[Span]:
    return occurrences(text.lower(), avoided.lower()) if ignores_case else occurrences(text, avoided)
