"""Makes the lists of usual forms from a corpus: `python data/casing/build.py CORPUS...` in the top folder.

A corpus is a folder that `python -m engine.train prepare` reads: English and German sentences side by side. A form is
counted where no sentence begins. A word is listed in its most frequent form if that form cannot be told from its
capitals by writing them in small letters.
"""

from __future__ import annotations

import lzma
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))
from engine.text.capitals import CASING_FOLDER, capitals_of
from engine.train.corpus import read_pairs

MIN_COUNT = 2
TOKEN = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*|[^\s\w]")
SENTENCE_ENDS = ".!?:"


def usual_forms(sentences: Iterable[str]) -> list[str]:
    """The most frequent form of each word that is not in small letters, or has an ß, sorted."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for sentence in sentences:
        begins = True
        for token in TOKEN.findall(sentence):
            if token[0].isalpha():
                if not begins and len(token) > 1:
                    counts[capitals_of(token)][token] += 1
                begins = False
            else:
                begins = begins or token in SENTENCE_ENDS
    usual = (own.most_common(1)[0] + (capitals,) for capitals, own in counts.items())
    return sorted(form for form, count, capitals in usual if count >= MIN_COUNT and form != capitals.lower())


if __name__ == "__main__":
    for number, language in enumerate(("en", "de")):
        pairs = (pair for folder in sys.argv[1:] for pair in read_pairs(Path(folder)))
        forms = usual_forms((pair.first, pair.second)[number] for pair in pairs)
        path = CASING_FOLDER / f"{language}.txt.xz"
        path.write_bytes(lzma.compress("\n".join(forms).encode(), preset=9))
        print(f"{path}: {len(forms):,} forms, {path.stat().st_size:,} bytes")
