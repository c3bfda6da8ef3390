"""Makes the list of British spellings: `python data/spelling/build.py AMERICAN BRITISH`, two lists of words.

The lists are those of Debian's packages wamerican-large and wbritish-large (SCOWL). A word is taken if only the
American list has it, if a rule turns it into a word of the British list, and if it is not rare.
"""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterator
from pathlib import Path

from wordfreq import zipf_frequency

sys.path.insert(0, str(Path(__file__).parents[2]))
from app.paths import BRITISH_SPELLINGS

# The American and the British spelling of a part of a word, in the order in which they are tried.
RULES = (
    ("or", "our"), ("iz", "is"), ("yz", "ys"), ("er", "re"), ("og", "ogue"), ("ens", "enc"), ("l", "ll"), ("ll", "l"),
    ("e", "ae"), ("e", "oe"), ("ay", "ey"), ("ow", "ough"), ("old", "ould"), ("olt", "oult"), ("num", "nium"),
    ("elry", "ellery"), ("eler", "eller"), ("airp", "aerop"), ("onut", "oughnut"), ("paj", "pyj"), ("skep", "scep"),
    ("mom", "mum"), ("must", "moust"), ("ax", "axe"), ("art", "arte"), ("dg", "dge"), ("coz", "cos"),
    ("check", "chequ"), ("draf", "draugh"), ("gram", "gramme"), ("fet", "foet"), ("p", "pp"), ("gray", "grey"),
    ("neuver", "noeuvre"), ("neuver", "noeuvr"), ("alty", "ality"), ("rifact", "rtefact"), ("artifact", "artefact"),
    ("ves", "vis"),
)  # fmt: skip
# Right in general, wrong for a word: names, and words of another meaning.
EXCEPTIONS = frozenset({"louver", "louvers", "plage", "story", "stories"})
MIN_FREQUENCY = 1.5  # of a word, by wordfreq: the logarithm of its occurrences in a billion words


def words_of(path: str) -> set[str]:
    """The words of small letters in a list."""
    return {word for word in Path(path).read_text(encoding="utf-8").split() if word.isalpha() and word.islower()}


def changed(word: str) -> Iterator[str]:
    """The word after each rule at each place."""
    for american, british in RULES:
        place = word.find(american)
        while place >= 0:
            yield word[:place] + british + word[place + len(american) :]
            place = word.find(american, place + 1)


def british_spelling(word: str, british: Collection[str], only_british: Collection[str]) -> str | None:
    """The British spelling of a word, after one rule or two; first one that is not American."""
    once = [*changed(word)]
    twice = [spelling for first in once for spelling in changed(first)]
    for spellings, known in ((once, only_british), (once, british), (twice, only_british), (twice, british)):
        for spelling in spellings:
            if spelling in known:
                return spelling
    return None


if __name__ == "__main__":
    american, british = words_of(sys.argv[1]), words_of(sys.argv[2])
    lines = []
    for word in sorted(american - british - EXCEPTIONS):
        is_usual = zipf_frequency(word, "en") >= MIN_FREQUENCY
        if is_usual and (spelling := british_spelling(word, british, british - american)):
            lines.append(f"{word}\t{spelling}\n")
    BRITISH_SPELLINGS.write_text("".join(lines), encoding="utf-8")
    print(f"{BRITISH_SPELLINGS}: {len(lines):,} words")
