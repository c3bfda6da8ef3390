"""The search over random models of each family: exhaustive over few pieces, and against `generate` of transformers."""

from __future__ import annotations

import itertools
import random
from collections.abc import Sequence
from dataclasses import replace

import pytest
import torch

pytest.importorskip("transformers", reason="transformers is not installed; pip install 'pinpoint[transformers]'")

from engine.interruption import NEVER
from engine.request import Avoid, Phrase, Request
from engine.search.batching import SearchStream
from engine.search_options import SearchOptions
from engine.text import has_bytes, occurrences
from engine.transformers_models.adapter import TransformersModel
from engine.transformers_models.prompt import Prompt, PromptableModel
from engine.transformers_models.prompted import PromptedModel, PromptPipeline
from tests.transformers_models.models_of_tests import FAMILIES, model_of
from tests.transformers_models.test_tokenizer_codec import KINDS
from tests.transformers_models.tokenizers_of_tests import SENTENCES

MOST_WRITTEN = 4  # pieces and the end
_MODELS: dict[tuple[str, str], PromptedModel] = {}


def prompted(family: str, kind: str) -> PromptedModel:
    if (family, kind) not in _MODELS:
        tokenizer = KINDS[kind]()
        model = model_of(family, len(tokenizer) + 3)
        _MODELS[family, kind] = PromptedModel.of(model, tokenizer, "plain", ("en", "de"), family, ends_at_line=False)
    return _MODELS[family, kind]


def prompt_of(model: PromptableModel, number: int) -> Prompt:
    ids = model.codec.encode(SENTENCES[number % len(SENTENCES)]).ids
    return Prompt((1, *ids[: 5 + 3 * (number % 3)]), model.starts)


@torch.inference_mode()
def log_prob_without_cache(model: TransformersModel, prompt: Prompt, tokens: Sequence[Sequence[int]]) -> list[float]:
    """Of answers of the same length, by one pass over all of them."""
    ids = torch.tensor([prompt.ids] * len(tokens))
    before = torch.tensor([[*prompt.starts, *own[:-1]] for own in tokens], dtype=torch.long)
    if model.is_encoder_decoder:
        logits = model.model(input_ids=ids, decoder_input_ids=before).logits[:, len(prompt.starts) - 1 :]
    else:
        logits = model.model(input_ids=torch.cat([ids, before], 1)).logits[:, len(prompt.ids) - 1 :]
    own = torch.tensor([list(own) for own in tokens])[:, :, None]
    return torch.log_softmax(logits.double(), -1).gather(2, own)[:, :, 0].sum(1).tolist()  # type: ignore[no-any-return]


def pieces_to_write(model: PromptableModel, rng: random.Random) -> list[int]:
    """Five pieces of a sentence, those that cut characters included."""
    codec = model.codec
    while True:
        ids = codec.encode(rng.choice(SENTENCES)).ids
        found = [piece for piece in dict.fromkeys(ids) if codec.surfaces[piece].strip(" ")]
        start = rng.randrange(max(1, len(found) - 5))
        if len(found[start : start + 5]) == 5:
            return found[start : start + 5]


# In `make test`, each family with two kinds of tokenizers, so that each kind is there with three families or more.
PAIRS = [
    pytest.param(family, kind, marks=[] if (row - column) % len(KINDS) < 2 else pytest.mark.full)
    for row, family in enumerate(FAMILIES)
    for column, kind in enumerate(KINDS)
]


@pytest.mark.parametrize(("family", "kind"), PAIRS)
def test_a_wide_beam_finds_what_exhaustive_search_finds(family: str, kind: str) -> None:
    asked = prompted(family, kind)
    assert isinstance(asked.adapter, TransformersModel)
    check_exhaustive(asked, asked.adapter, random.Random(f"{family} {kind}"))


def check_exhaustive(
    asked: PromptedModel, reference: TransformersModel, rng: random.Random, tolerance: float = 1e-3, beam: int = 1000
) -> None:
    """Compare the n-best list of a wide beam with all texts of a few pieces, scored by a model of the same weights."""
    model, codec = asked.adapter, asked.codec
    num_checked = 0
    for number in range(40):
        if num_checked == 4:
            break
        kept = pieces_to_write(model, rng)
        phrase = codec.decode(kept[1:3]).text.strip()
        avoided = codec.decode(kept[4:]).text.strip()
        prefix = "" if number % 2 else codec.decode(kept[:1]).text
        texts = (phrase, avoided, prefix)
        if not phrase or not avoided or "\ufffd" in "".join(texts) or occurrences(phrase, avoided):
            continue
        if not {*codec.encode(prefix).ids} <= {*kept}:
            continue
        prompt = prompt_of(model, number)
        pipeline = PromptPipeline(asked, lambda prepared, prompt=prompt: prompt)  # type: ignore[misc]
        request = Request(".", phrases=(Phrase(phrase),), avoid=(Avoid(avoided),), prefix=prefix)
        prepared = pipeline.prepare(request)
        if prepared.obstacles:
            continue
        never = tuple(piece for piece in range(len(codec.surfaces)) if piece not in (*kept, codec.end))
        roles = replace(model.vocabulary.roles, never=never)
        vocabulary = replace(model.vocabulary, roles=roles)
        options = SearchOptions(beam=beam, nbest=4, pruning_threshold=None, score="log_prob")
        sentence = replace(pipeline.sentence(prepared, options, NEVER), max_length=MOST_WRITTEN + 1)
        with torch.inference_mode():
            [ended] = SearchStream(pipeline.decoder, vocabulary, 4).run([sentence])
        assert ended.result is not None, ended.error
        best: dict[str, float] = {}
        for length in range(MOST_WRITTEN + 1):
            answers = [(*own, codec.end) for own in itertools.product(kept, repeat=length)]
            for tokens, log_prob in zip(answers, log_prob_without_cache(reference, prompt, answers), strict=True):
                text = codec.decode(tokens).text
                is_meeting = occurrences(text, phrase) and not occurrences(text, avoided) and text.startswith(prefix)
                if is_meeting and "\ufffd" not in text:
                    best[text] = max(best.get(text, -1e9), log_prob)
        expected = sorted(best.items(), key=lambda item: -item[1])[:4]
        hypotheses = ended.result.hypotheses if ended.result.outcome == "complete" else ()
        found = [(codec.decode(one.tokens).text, one.log_prob) for one in hypotheses]
        scores = [score for _, score in found]
        assert scores == pytest.approx([score for _, score in expected], abs=tolerance, rel=tolerance / 10), texts
        assert scores == pytest.approx([best[text] for text, _ in found], abs=tolerance, rel=tolerance / 10)
        num_checked += bool(expected)
    assert num_checked >= 2


@pytest.mark.parametrize("family", FAMILIES)
def test_texts_without_constraints_are_those_of_generate(family: str) -> None:
    """Over few pieces and with a wide beam, so that it does not matter when a search drops or ends a hypothesis."""
    asked = prompted(family, "byte-level")
    model = asked.adapter
    assert isinstance(model, TransformersModel)
    writable = [piece for piece, surface in enumerate(model.codec.surfaces) if surface and not has_bytes(surface)]
    kept = random.Random(family).sample(writable, 4)
    never = [piece for piece in range(len(model.codec.surfaces)) if piece not in (*kept, model.codec.end)]
    vocabulary = replace(model.vocabulary, roles=replace(model.vocabulary.roles, never=tuple(never)))
    for number in range(2):
        prompt = prompt_of(model, number)
        inputs = torch.tensor([prompt.ids])
        with torch.inference_mode():
            generated = model.model.generate(
                input_ids=inputs,
                attention_mask=torch.ones_like(inputs),
                num_beams=150,
                num_return_sequences=150,
                early_stopping="never",
                length_penalty=1.0,
                max_new_tokens=4,
                do_sample=False,
                suppress_tokens=never,
                forced_eos_token_id=None,
                output_scores=True,
                return_dict_in_generate=True,
            )
        num_before = len(prompt.starts) if model.is_encoder_decoder else len(prompt.ids)
        answers = [tokens[num_before:].tolist() for tokens in generated.sequences]
        expected = [
            (tuple(tokens[: tokens.index(2) + 1]), float(score))
            for tokens, score in zip(answers, generated.sequences_scores, strict=True)
            if 2 in tokens and {*tokens} <= {*kept, 0, 2} and score > -1000
        ]
        pipeline = PromptPipeline(asked, lambda prepared, prompt=prompt: prompt)  # type: ignore[misc]
        options = SearchOptions(beam=150, nbest=5, pruning_threshold=None)
        sentence = replace(pipeline.sentence(pipeline.prepare(Request(".")), options, NEVER), max_length=4)
        with torch.inference_mode():
            [ended] = SearchStream(pipeline.decoder, vocabulary, 1).run([sentence])
        assert ended.result is not None, ended.error
        scores = {one.tokens: one.score for one in ended.result.hypotheses}
        assert [*scores.values()] == pytest.approx(
            [score for _, score in _first_of_each_text(model, expected)], abs=2e-4
        )
        assert next(iter(scores)) == expected[0][0]


def _first_of_each_text(
    model: TransformersModel, found: Sequence[tuple[tuple[int, ...], float]]
) -> list[tuple[tuple[int, ...], float]]:
    """The five best, one for each text: the search gives no text twice."""
    by_text: dict[str, tuple[tuple[int, ...], float]] = {}
    for tokens, score in found:
        by_text.setdefault(model.codec.decode(tokens).text, (tokens, score))
    return [*by_text.values()][:5]


@pytest.mark.parametrize("family", FAMILIES)
def test_sentences_that_come_at_any_time_are_found_as_alone(family: str) -> None:
    asked = prompted(family, "byte-level")
    model = asked.adapter
    assert isinstance(model, TransformersModel)
    prompts: dict[str, Prompt] = {f"text {number}": prompt_of(model, number) for number in range(4)}
    pipeline = PromptPipeline(asked, lambda prepared: prompts[prepared.source])
    options = SearchOptions(beam=6, nbest=3)
    sentences = []
    for number, source in enumerate(prompts):
        phrases = (Phrase("Haus"),) * (number % 2)
        request = Request(source, phrases=phrases, avoid=("und",), prefix="Die" if number == 2 else "")  # type: ignore[arg-type]
        sentences.append(replace(pipeline.sentence(pipeline.prepare(request), options, NEVER), max_length=10))
    with torch.inference_mode():
        alone = [SearchStream(pipeline.decoder, model.vocabulary, 1).run([one])[0].result for one in sentences]
        stream = SearchStream(pipeline.decoder, model.vocabulary, 8, "fifo", refill_share=1.0)
        found = {}
        for sentence in sentences:
            stream.add(sentence)
            for _ in range(3):
                found.update((ended.sentence, ended) for ended in stream.step())
        while len(stream):
            found.update((ended.sentence, ended) for ended in stream.step())
    for sentence, expected in zip(sentences, alone, strict=True):
        result = found[sentence].result
        assert result is not None and expected is not None, found[sentence].error
        assert [one.tokens for one in result.hypotheses] == [one.tokens for one in expected.hypotheses]
        for one in result.hypotheses:
            [log_prob] = log_prob_without_cache(model, prompts[sentence.source.source], [one.tokens])
            assert one.log_prob == pytest.approx(log_prob, abs=2e-3)
