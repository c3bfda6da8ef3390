"""A request: a source text and the constraints on its translation.

Frozen dataclasses, checked once when made. Offsets count Unicode code points of the text that they belong to. Nothing
here depends on pieces, tensors or the search.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

from engine.errors import InvalidRequest
from engine.settings import check_settings, check_types, setting

Case = Literal["exact", "auto"]
AvoidCase = Literal["exact", "permissive"]
Boundary = Literal["word", "start", "compound", "anywhere"]
Formality = Literal["formal", "informal"]
MAX_FOLLOW_STRENGTH = 1e6
MAX_FOLLOW_CHARACTERS = 10_000  # the state of a hypothesis has a number for each piece


@dataclass(frozen=True, slots=True)
class Phrase:
    """Text that the translation must contain.

    `forms` are alternatives to `text`; any one of them meets the phrase. The phrase needs at least `count` occurrences
    that do not overlap, and at most `max_count`, including those in the prefix, in locked texts and in other phrases.
    The counts of equal phrases add up.
    `boundary` controls the characters beside an occurrence. "word": it must not be part of a longer word or number.
    "start": it may also be the beginning of a longer word. "compound": it may also be the end of one, with a
    lower-case first letter, as in German compounds (`Datei` in `Dateisystem` and in `Bilddatei`); the search
    accepts such ends if the model writes them, but never forces them. In German, the other parts must be words of
    the form list. "anywhere": no condition. Phrases that share a form, directly or through others, need separate
    occurrences; a phrase with a `max_count` must not share a form.
    `case="auto"` also accepts the capitalised form at the beginning of a sentence. `source_span` is the term's position
    in the source, for phrases from a glossary. It adds details to the placements (see `Placement`). It changes the
    translation only if `Request.follow` does not contain the phrase (see `Follow`).

    `is_expected` is for texts that the model usually writes by itself, such as numbers. The search begins without them.
    If the best translation lacks one, it is followed by another that has them all and changes as little as possible. An
    expected phrase never makes a request infeasible: a phrase that the model cannot write, or that is not aligned with
    its `source_span`, is left out and listed as unmet. `replaces` are texts that the model may write instead, such as
    "1,250" for "1.250"; where the best translation has one, it is replaced by `text`.
    """

    text: str
    forms: tuple[str, ...] = ()
    count: int = 1
    case: Case = "exact"
    boundary: Boundary = "word"
    source_span: tuple[int, int] | None = None
    max_count: int | None = None
    is_expected: bool = False
    replaces: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "forms", _strings("forms", self.forms))
        object.__setattr__(self, "replaces", _strings("replaces", self.replaces))
        check_types(self, InvalidRequest)
        for form in self.all_forms:
            if not form.strip():
                raise InvalidRequest(f"phrase {self.text!r}: form {form!r} is empty; give it text or leave it out")
        if self.count < 1:
            raise InvalidRequest(f"phrase {self.text!r}: count is {self.count}; it must be at least 1")
        if self.max_count is not None and self.max_count < self.count:
            raise InvalidRequest(
                f"phrase {self.text!r}: max_count is {self.max_count}; it must be at least its count, {self.count}"
            )

    @property
    def is_plain(self) -> bool:
        """True if the text has words alone: it is not a placeholder, number or address, which translations copy."""
        return all(character.isalpha() or character.isspace() for character in self.text)

    @property
    def all_forms(self) -> tuple[str, ...]:
        """`text` first, then `forms`."""
        return (self.text, *self.forms)


@dataclass(frozen=True, slots=True)
class Avoid:
    """Text that the translation must not contain as whole words, in any segmentation.

    `case="permissive"` matches any case. The text is allowed inside a phrase, a locked text, the prefix or the suffix.
    """

    text: str
    case: AvoidCase = "exact"

    def __post_init__(self) -> None:
        check_types(self, InvalidRequest)
        if not self.text.strip():
            raise InvalidRequest(f"avoid contains {self.text!r}, which is blank; give it text or leave it out")


@dataclass(frozen=True, slots=True)
class Follow:
    """A previous translation. The new translation differs from it as little as the model and the constraints allow.

    Hypotheses compete by log-probability minus `strength` nats for each change. Changes are pieces that are added to
    `text`, replaced in it or left out of it; their number is the Levenshtein distance between `text` and the
    hypothesis. Pieces of a prefix are not counted if the model has no choice there. If the place of a correction is
    known, give the text with the correction in it, and require the correction as a phrase. Replacing or leaving out a
    piece of a required phrase or locked text counts as 30 changes, so that it stays in its place, also if `text` has
    the same words elsewhere; this does not hold for phrases that the prefix has. With strength 0 the translation is the
    same as without `follow`. If `text` meets all constraints and is not pruned, it competes, too, so the first
    translation never ranks below it; with a very large strength, `text` is then the translation.

    With `places_phrases`, phrases that `text` does not contain are first inserted into it, one after the other in their
    order, and the result is followed instead. A phrase is inserted between two words or replaces up to three words (one
    more for each further word of the phrase), but never a part of the prefix, of locked texts or of other phrases.
    Candidates are the eight places with the best score up to the first piece behind the phrase; of these, the place
    with the best score of the whole text is used. The score is the log-probability plus 1 nat for each piece; of the
    whole text, the phrase's least likely piece counts three times. If the phrase has a `source_span`, replacing words
    that translate the span adds 6 nats, and each other translated word that is replaced costs 3. The search may still
    move the phrase. The text is not changed if it contains all phrases, or does not begin with the prefix.
    """

    text: str
    strength: float = setting(
        4.0, "nats for each piece that differs from the previous text", minimum=0, maximum=MAX_FOLLOW_STRENGTH
    )
    places_phrases: bool = True

    def __post_init__(self) -> None:
        check_types(self, InvalidRequest)
        if len(self.text) > MAX_FOLLOW_CHARACTERS:
            raise InvalidRequest(
                f"follow: text has {len(self.text):,} characters; at most {MAX_FOLLOW_CHARACTERS:,} can be followed; "
                "leave follow out or split the segment"
            )
        check_settings(self, InvalidRequest)


@dataclass(frozen=True, slots=True)
class Example:
    """A source text and its translation by a person."""

    source: str
    target: str

    def __post_init__(self) -> None:
        check_types(self, InvalidRequest)


@dataclass(frozen=True, slots=True)
class Request:
    """A source text of one or more sentences, and the constraints on its translation.

    With `split_sentences`, each sentence of the source is translated alone, and the translations are joined by the
    source's white space. A phrase goes to the sentence of its `source_span`, else to the sentence where the whole
    scores best; the other constraints hold for the whole, too. Where they cannot be divided among the sentences, the
    source is translated as one sentence (see `Translation.sentences`), as it is without `split_sentences`.

    `direction` ("en-de") may be None: the model's first. `phrases` and `avoid` also take strings.
    `prefix` is copied character by character. It may end inside a word, which then continues, or after a space,
    which closes the word. `locked` texts must occur in this order without overlap, with or without text between them;
    the translation ends with `suffix`. A phrase that occurs in any of these is met.
    `domain` (for example "software") and `formality`, how German addresses its reader ("formal": Sie, "informal": du),
    are for models that were trained with them; None leaves the choice to the model. `follow` is a previous translation
    to stay near to.

    A model that is asked by a prompt reads the first `examples`, as many as its template has room for, and with `hints`
    the phrases, so that it expects them; others ignore both. Give the most similar examples first.
    """

    source: str
    direction: str | None = None
    phrases: tuple[Phrase, ...] = ()
    avoid: tuple[Avoid, ...] = ()
    prefix: str = ""
    locked: tuple[str, ...] = ()
    suffix: str = ""
    domain: str | None = None
    formality: Formality | None = None
    follow: Follow | None = None
    hints: bool = True
    split_sentences: bool = True
    examples: tuple[Example, ...] = ()

    def __post_init__(self) -> None:
        phrases = _strings("phrases", self.phrases, but=Phrase)
        object.__setattr__(self, "phrases", tuple(Phrase(item) if isinstance(item, str) else item for item in phrases))
        texts = _strings("avoid", self.avoid, but=Avoid)
        object.__setattr__(self, "avoid", tuple(Avoid(item) if isinstance(item, str) else item for item in texts))
        object.__setattr__(self, "locked", _strings("locked", self.locked))
        if self.follow is not None and not isinstance(self.follow, Follow):
            raise InvalidRequest(f"follow is {self.follow!r}; wrap text in Follow(...)")
        check_types(self, InvalidRequest)
        if not self.source.strip():
            raise InvalidRequest("source is blank; there is nothing to translate")
        for phrase in self.phrases:
            if phrase.source_span is not None:
                start, end = phrase.source_span
                if not 0 <= start < end <= len(self.source):
                    raise InvalidRequest(
                        f"phrase {phrase.text!r}: source_span is ({start}, {end}); it must be inside the source of "
                        f"{len(self.source)} characters"
                    )
        for text in self.locked:
            if not text.strip():
                raise InvalidRequest(f"locked contains {text!r}, which is blank; give it text or leave it out")


def _items(name: str, values: Any) -> tuple[Any, ...]:
    """`values` as a tuple. Raises InvalidRequest for a string and for anything that is not a series."""
    if isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
        raise InvalidRequest(f"{name} is {values!r}; give a list")
    return tuple(values)


def _strings(name: str, values: Any, but: type | None = None) -> tuple[Any, ...]:
    """`values` as a tuple. Raises InvalidRequest unless each is a string or of the type `but`."""
    if isinstance(values, str):
        raise InvalidRequest(f"{name} is the string {values!r}; give a list of strings")
    items = _items(name, values)
    for item in items:
        if not isinstance(item, str if but is None else (str, but)):
            raise InvalidRequest(f"{name} contains {item!r}; it must be a list of strings")
    return items
