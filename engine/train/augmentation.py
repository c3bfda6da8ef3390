"""Data augmentation: training pairs with every placeholder and tag of the vocabulary, and of several sentences.

Corpora have thousands of `%s`, but hardly any `{7}` or `<b>`. A piece that never occurs is not learnt, so some pairs
get other placeholders instead of their own, and others get a pair of tags; always the same on both sides.
"""

from __future__ import annotations

import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from engine.text.placeholders import PLACEHOLDER
from engine.train.corpus import SentencePair

_HINTS = re.compile(r"[%{<&\\]")  # no placeholder without one
_WORD = re.compile(r"(?<!\S)[^\W_]{2,}(?!\S)")
_SENTENCE = re.compile(r".*\w.*[.!?:][”“\")’]*\Z")
_OPENING = re.compile(r"([<{])([\w.:-]+)[>}]\Z")


class PlaceholderAugmentation:
    """Pairs as they are trained on, for a vocabulary that holds the placeholders `held`.

    Of the pairs that have the same placeholders on both sides, a share `rate` gets others, drawn from `held`; of those
    without any, a share `tag_rate` gets a pair of tags around a word that both sides have once, or around all.
    """

    def __init__(self, held: Sequence[str], rate: float, tag_rate: float) -> None:
        opened = ((text, _OPENING.match(text)) for text in held)
        closed = ((text, f"{match[1]}/{match[2]}{text[-1]}") for text, match in opened if match)
        self._tags = [(text, closing) for text, closing in closed if closing in held]
        tags = {text for pair in self._tags for text in pair}
        self._values = [text for text in held if text not in tags or text.strip("{}").isdigit()]
        self._rate, self._tag_rate = rate, tag_rate

    def augment(self, pair: SentencePair, rng: random.Random) -> SentencePair:
        """The pair, maybe with other placeholders or with tags."""
        first, second = (PLACEHOLDER.findall(text) if _HINTS.search(text) else [] for text in (pair.first, pair.second))
        if not first and not second:
            return self._tagged(pair, rng) if self._tags and rng.random() < self._tag_rate else pair
        own = list(dict.fromkeys(first))
        if Counter(first) != Counter(second) or len(own) > len(self._values) or rng.random() >= self._rate:
            return pair
        others = dict(zip(own, rng.sample(self._values, len(own)), strict=True))
        first_text, second_text = (
            PLACEHOLDER.sub(lambda match: others[match.group()], text) for text in (pair.first, pair.second)
        )
        return replace(pair, first=first_text, second=second_text)

    def _tagged(self, pair: SentencePair, rng: random.Random) -> SentencePair:
        opening, closing = rng.choice(self._tags)
        counts = Counter(_WORD.findall(pair.first)), Counter(_WORD.findall(pair.second))
        shared = [word for word, count in counts[0].items() if count == counts[1][word] == 1]
        word = rng.choice(shared) if shared else None

        def tagged(text: str) -> str:
            if word is None:
                return f"{opening}{text}{closing}"
            return re.sub(rf"(?<!\S){word}(?!\S)", f"{opening}{word}{closing}", text)

        return replace(pair, first=tagged(pair.first), second=tagged(pair.second))


def joined(pairs: Iterable[SentencePair], rate: float, rng: random.Random) -> Iterator[SentencePair]:
    """Pairs of two or three sentences, `rate` of them for each pair: neighbours among the sentences of one source.

    Corpora have few pairs of several sentences, although segments of documents are often such; what was never seen
    joined is lost in translation. A pair without the end of a sentence on both sides, such as a heading, is not joined.
    """
    waiting: dict[tuple[str, str], list[SentencePair]] = defaultdict(list)
    for pair in pairs:
        if not (_SENTENCE.match(pair.first) and _SENTENCE.match(pair.second)):
            continue
        group = waiting[pair.source_id, pair.domain]
        group.append(pair)
        if len(group) == 3:
            if rng.random() < 3 * rate:
                chosen = group[: rng.choice((2, 3))]
                first, second = (" ".join(getattr(p, side) for p in chosen) for side in ("first", "second"))
                yield replace(pair, first=first, second=second)
            group.clear()
