"""Makes the data that restores the case of texts in capitals: `python data/casing/build.py CORPUS` in the top folder.

CORPUS is a folder that `python -m engine.train prepare` reads: English and German sentences side by side. For each
language it writes two files: the usual forms of words, and the weights of `engine/text/case_model.py`. A form is
counted where no sentence begins; a word is listed in its most frequent form if that form cannot be told from its
capitals by writing them in small letters. The weights are learned by stochastic gradient descent (Adagrad) on the same
sentences.
"""

from __future__ import annotations

import lzma
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch

sys.path.insert(0, str(Path(__file__).parents[2]))
from engine.text import case_model
from engine.text.capitals import CASING_FOLDER, capitals_of
from engine.text.case_model import NOTHING, NUM_AROUND, OTHER, SMALL, START, TOKEN, CaseModel, KnownWords
from engine.train.corpus import SentencePair, read_pairs

MIN_COUNT = 2  # of a listed form
SENTENCE_ENDS = ".!?:"
REPEATED = {"news": 3}  # domains with few sentences
MIN_WORDS = 3  # in a sentence to learn from, of which at most these shares are in capitals or begin with one
MAX_IN_CAPITALS, MAX_CAPITALISED = 0.5, {"en": 0.7, "de": 1.0}
NUM_BUCKETS = 2**19
BATCH, RATE, PASSES = 2048, 0.1, 2
STEP = 0.5  # of the weights as stored
NAME_BONUS = 3.0  # for the capital of words that are not in the corpus
MIN_COUNT_KNOWN = {"en": 2, "de": 3}  # of words that are in it
# Rare words are learned as unknown ones with this probability, by their count in the corpus.
UNKNOWN = ((4, 0.7), (20, 0.25), (200, 0.03), (10**9, 0.003))
# Words that are in small letters everywhere teach little: this share of them is used.
CERTAIN_COUNT, CERTAIN_SHARE, CERTAIN_USED = 1000, 0.998, 0.15


@dataclass(slots=True)
class Corpus:
    """The tokens of all sentences in a row, each sentence with empty tokens around it."""

    keys: list[str]
    ids: np.ndarray
    cases: np.ndarray
    glued: np.ndarray


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


def read_corpus(pairs: Iterable[SentencePair], side: int, language: str) -> Corpus:
    number_of: dict[str, int] = {"": 0}
    known: dict[str, tuple[int, int]] = {}
    ids, cases, glued = [0] * NUM_AROUND, [NOTHING] * NUM_AROUND, [False] * NUM_AROUND
    rows = []
    for pair in pairs:
        sentence = (pair.first, pair.second)[side]
        words = [token for token in TOKEN.findall(sentence) if token[0].isalpha()]
        is_odd = sum(map(str.isupper, words)) > MAX_IN_CAPITALS * len(words)
        is_odd = is_odd or sum(word[0].isupper() for word in words) > MAX_CAPITALISED[language] * len(words)
        if is_odd or len(words) < MIN_WORDS:
            continue
        own, end, begins = [], -1, True
        for match in TOKEN.finditer(sentence):
            token = match[0]
            if token not in known:
                key = capitals_of(token)
                case = case_model.case_of(token) if token[0].isalpha() else OTHER
                known[token] = number_of.setdefault(key, len(number_of)), case
            number, case = known[token]
            if case != OTHER and begins:
                case, begins = START, False
            own.append((number, case, match.start() == end))
            end = match.end()
        own += [(0, NOTHING, False)] * NUM_AROUND
        rows += [np.array(own, np.int32)] * REPEATED.get(pair.domain, 1)
    padding = np.array([list(row) for row in zip(ids, cases, glued, strict=True)], np.int32)
    ids, cases, glued = np.concatenate([padding, *rows]).T
    return Corpus(list(number_of), ids, cases, glued)


def learn(corpus: Corpus, forms: Mapping[str, str]) -> np.ndarray:
    """The weights, buckets x choices."""
    traits = np.array([case_model.traits_of(key, forms.get(key)) for key in corpus.keys], np.uint64)
    listed, word = case_model._LISTED, case_model._WORD
    counts = np.bincount(corpus.ids, minlength=len(traits))
    small = np.bincount(corpus.ids[corpus.cases == SMALL], minlength=len(traits))
    unknown = np.select([counts < most for most, _ in UNKNOWN], [share for _, share in UNKNOWN])
    is_certain = (counts > CERTAIN_COUNT) & (small > CERTAIN_SHARE * counts)
    random = np.random.default_rng(1)
    is_listed = traits[corpus.ids, listed] == 1 + case_model.LISTED
    places = np.nonzero((corpus.cases < case_model.NUM_CHOICES) & ~is_listed)[0]
    places = places[~is_certain[corpus.ids[places]] | (random.random(len(places)) < CERTAIN_USED)]
    nothing = NUM_BUCKETS  # a row that stays 0
    weights = torch.zeros(NUM_BUCKETS + 1, case_model.NUM_CHOICES)
    squares = torch.zeros(NUM_BUCKETS + 1, 1)
    for number in range(PASSES):
        random.shuffle(places)
        num_wrong = 0
        for start in range(0, len(places), BATCH):
            own = places[start : start + BATCH]
            where = own[:, None] + np.arange(-NUM_AROUND, NUM_AROUND + 1)
            around = traits[corpus.ids[where]]
            around[..., case_model._GLUED] = corpus.glued[where]
            is_unknown = random.random(len(own)) < unknown[corpus.ids[own]]
            around[is_unknown, NUM_AROUND, listed] = 0
            before = corpus.cases[own - 1].astype(np.uint64)[:, None]
            rows = rows_of(around, before)
            around[:, NUM_AROUND, word] = 0
            hidden = rows_of(around[is_unknown], before[is_unknown])
            rows[is_unknown] = np.where(hidden == rows[is_unknown], hidden, nothing)
            rows_NF = torch.from_numpy(rows)
            gold = torch.from_numpy(corpus.cases[own].astype(np.int64))
            sums = weights[rows_NF].sum(1)
            num_wrong += int((sums.argmax(1) != gold).sum())
            error = torch.softmax(sums, 1)
            error[torch.arange(len(own)), gold] -= 1
            taught = (error.abs().amax(1) > 0.03).nonzero()[:, 0]
            touched = rows_NF[taught].reshape(-1)
            slope = error[taught].repeat_interleave(rows_NF.shape[1], 0)
            squares.index_add_(0, touched, (slope * slope).mean(1, keepdim=True))
            weights.index_add_(0, touched, -RATE * slope / (squares[touched].sqrt() + 0.01))
            weights[nothing] = 0
        print(f"pass {number + 1}: {num_wrong / len(places):.2%} of {len(places):,} words wrong", flush=True)
    return weights[:NUM_BUCKETS].numpy()


def rows_of(around: np.ndarray, before: np.ndarray) -> np.ndarray:
    """The features of words, after cases N x 1, as rows of the weights."""
    features_after = case_model.features_after(around, before, NUM_BUCKETS)[:, 0]
    return np.concatenate([case_model.features(around, NUM_BUCKETS), features_after], axis=1).astype(np.int64)


def stored(weights: np.ndarray, corpus: Corpus, min_count: int) -> CaseModel:
    """The weights in whole steps, those of the first choice taken from all: only differences count."""
    steps = np.clip(np.round((weights[:, 1:] - weights[:, :1]) / STEP), -127, 127).astype(np.int8)
    counts = np.bincount(corpus.ids, minlength=len(corpus.keys))
    known = [key for key, count in zip(corpus.keys, counts, strict=True) if key.isalpha() and count >= min_count]
    return CaseModel(steps, KnownWords.of(known), round(NAME_BONUS / STEP))


def main(folder: Path) -> None:
    torch.set_num_threads(1)
    for side, language in enumerate(("en", "de")):
        forms = usual_forms((pair.first, pair.second)[side] for pair in read_pairs(folder))
        path = CASING_FOLDER / f"{language}.txt.xz"
        path.write_bytes(lzma.compress("\n".join(forms).encode(), preset=9))
        print(f"{path}: {len(forms):,} forms, {path.stat().st_size:,} bytes", flush=True)
        corpus = read_corpus(read_pairs(folder), side, language)
        model = stored(learn(corpus, {capitals_of(form): form for form in forms}), corpus, MIN_COUNT_KNOWN[language])
        path = CASING_FOLDER / f"{language}.weights.xz"
        path.write_bytes(model.content())
        print(f"{path}: {path.stat().st_size:,} bytes", flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
