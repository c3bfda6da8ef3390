"""Texts as words: alignment of two texts, the edits from one to the other, and words put in by hand at their place."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

WORD = re.compile(r"\w+(?:[-'’./:@_]\w+)*|[^\w\s]")
Pair = tuple[int | None, int | None]


@dataclass(frozen=True, slots=True)
class Word:
    """A word or punctuation mark, where it starts in its text, and the white space before it."""

    text: str
    start: int
    gap: str

    @property
    def end(self) -> int:
        return self.start + len(self.text)

    @property
    def is_punctuation(self) -> bool:
        return not any(character.isalnum() for character in self.text)


@lru_cache(maxsize=100_000)
def words_of(text: str) -> tuple[Word, ...]:
    """The words and punctuation marks of a text, in order.

    >>> [word.text for word in words_of('Er sagt: "E-Mail".')]
    ['Er', 'sagt', ':', '"', 'E-Mail', '"', '.']
    """
    words, end = [], 0
    for match in WORD.finditer(text):
        words.append(Word(match[0], match.start(), text[end : match.start()]))
        end = match.end()
    return tuple(words)


@lru_cache(maxsize=100_000)
def alignment(old: str, new: str) -> tuple[Pair, ...]:
    """The fewest changes of words: pairs (old, new) of numbers of words, equal or replaced; None for no partner."""
    a, b = [word.text for word in words_of(old)], [word.text for word in words_of(new)]
    rows = [list(range(len(b) + 1))]
    for i, one in enumerate(a, start=1):
        row = [i]
        for j, other in enumerate(b, start=1):
            row.append(min(rows[-1][j - 1] + (one != other), rows[-1][j] + 1, row[-1] + 1))
        rows.append(row)
    i, j = len(a), len(b)
    pairs: list[Pair] = []
    while i or j:
        if i and j and rows[i][j] == rows[i - 1][j - 1] + (a[i - 1] != b[j - 1]):
            i, j = i - 1, j - 1
            pairs.append((i, j))
        elif i and rows[i][j] == rows[i - 1][j] + 1:
            i -= 1
            pairs.append((i, None))
        else:
            j -= 1
            pairs.append((None, j))
    return tuple(reversed(pairs))


def right_words(text: str, goal: str) -> frozenset[int]:
    """Numbers of the goal's words that the text has at their place."""
    ours, goals = words_of(text), words_of(goal)
    return frozenset(
        j for i, j in alignment(text, goal) if i is not None and j is not None and ours[i].text == goals[j].text
    )


def missing_words(text: str, goal: str) -> list[int]:
    """Numbers of the goal's words, without punctuation, that the text does not have at their place."""
    right = right_words(text, goal)
    return [j for j, word in enumerate(words_of(goal)) if j not in right and not word.is_punctuation]


def num_wrong(text: str, goal: str) -> int:
    """Words to replace, insert or delete, without punctuation."""
    ours, goals = words_of(text), words_of(goal)
    wrong = 0
    for i, j in alignment(text, goal):
        sides = [words[k] for words, k in ((ours, i), (goals, j)) if k is not None]
        is_equal = len(sides) == 2 and sides[0].text == sides[1].text
        wrong += not is_equal and not all(word.is_punctuation for word in sides)
    return wrong


def num_changed(old: str, new: str) -> int:
    """Words to read again after `old` has become `new`: those that are new, and one at each place of a deletion."""
    ours, theirs = words_of(old), words_of(new)
    changed, is_in_deletion = 0, False
    for i, j in alignment(old, new):
        changed += j is not None and (i is None or ours[i].text != theirs[j].text)
        changed += j is None and not is_in_deletion
        is_in_deletion = j is None
    return changed


@dataclass(frozen=True, slots=True)
class Edit:
    """`old[start:end]` becomes `text`; `phrase` is the new text in whole words, `replaced` are the old words.

    `phrase_start` is where the phrase starts after the edit, if all edits to its left have been made.
    """

    start: int
    end: int
    text: str
    phrase: str
    replaced: tuple[str, ...]
    phrase_start: int

    def applied_to(self, old: str) -> str:
        return old[: self.start] + self.text + old[self.end :]


@lru_cache(maxsize=100_000)
def edits(old: str, new: str) -> tuple[Edit, ...]:
    """The edits from left to right, one for each run of wrong words; made in turn they give `new`.

    Right words are never typed again, nor are right letters at the beginning and end of a run. Offsets of an edit count
    in the text after the edits to its left.
    """
    a, b = words_of(old), words_of(new)
    right = [(i, j) for i, j in alignment(old, new) if i is not None and j is not None and a[i].text == b[j].text]
    kept = [None, *right, None]
    found, shift = [], 0
    for before_run, behind_run in pairwise(kept):
        i1, j1 = before_run or (-1, -1)
        i2, j2 = behind_run or (len(a), len(b))
        start = a[i1].end if before_run else 0
        end = a[i2].start if behind_run else len(old)
        new_start = b[j1].end if before_run else 0
        new_end = b[j2].start if behind_run else len(new)
        before, after = old[start:end], new[new_start:new_end]
        if before == after:
            continue
        head, tail = _common(before, after)
        words = b[j1 + 1 : j2]
        found.append(
            Edit(
                start=start + head + shift,
                end=end - tail + shift,
                text=after[head : len(after) - tail],
                phrase=new[words[0].start : words[-1].end] if words else "",
                replaced=tuple(word.text for word in a[i1 + 1 : i2]),
                phrase_start=words[0].start if words else new_start,
            )
        )
        shift += len(after) - len(before)
    return tuple(found)


def _common(before: str, after: str) -> tuple[int, int]:
    """Lengths of the common beginning and, behind it, of the common end."""
    shorter = min(len(before), len(after))
    head = next((k for k in range(shorter) if before[k] != after[k]), shorter)
    tail = next((k for k in range(shorter - head) if before[-1 - k] != after[-1 - k]), shorter - head)
    return head, tail


@dataclass(frozen=True, slots=True)
class Placed:
    """A text after words were put in by hand, and for each word put in its span and the words that it replaced."""

    text: str
    spans: dict[int, tuple[int, int]]
    replaced: dict[int, tuple[str, ...]]


def put_in(text: str, goal: str, chosen: Collection[int]) -> Placed:
    """The text with these words of the goal at their right places.

    A word replaces the wrong word that it is aligned with. Where all words of a run of changes are put in, the wrong
    words of the run go.
    """
    ours, goals = words_of(text), words_of(goal)
    runs: list[list[Pair]] = []
    is_open = False
    for i, j in alignment(text, goal):
        is_equal = i is not None and j is not None and ours[i].text == goals[j].text
        if is_open and not is_equal:
            runs[-1].append((i, j))
        else:
            runs.append([(i, j)])
        is_open = not is_equal
    result = ""
    spans: dict[int, tuple[int, int]] = {}
    replaced: dict[int, tuple[str, ...]] = {}

    def write(word: Word) -> tuple[int, int]:
        nonlocal result
        result += (word.gap if word.gap or not result or word.is_punctuation else " ") if result else ""
        result += word.text
        return len(result) - len(word.text), len(result)

    for run in runs:
        news = [j for _, j in run if j is not None]
        is_whole = bool(news) and all(j in chosen for j in news)
        for i, j in run:
            if j is not None and j in chosen:
                spans[j] = write(goals[j])
                is_other = i is not None and ours[i].text != goals[j].text
                replaced[j] = (ours[i].text,) if i is not None and is_other else ()
            elif i is not None and not is_whole:
                write(ours[i])
        if is_whole:
            dropped = tuple(ours[i].text for i, j in run if i is not None and j is None)
            replaced[news[0]] += dropped
    return Placed(result, spans, replaced)
