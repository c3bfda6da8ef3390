"""One random Marian model and two searches over it: Pinpoint's and the constrained beam search of transformers 4.55.4.

Both get the same weights, the same phrases as the same piece ids, the same beam, n-best size and length limit. What
they write is judged here by means of neither: text by `tests.reference.matching`, pieces by looking, scores by one
teacher-forced pass.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor
from transformers import DisjunctiveConstraint, LogitsProcessor, LogitsProcessorList, MarianConfig, MarianMTModel
from transformers.cache_utils import DynamicCache, EncoderDecoderCache
from transformers.generation.beam_constraints import Constraint, PhrasalConstraint
from transformers.modeling_outputs import BaseModelOutput

from engine.search.batching import SearchStream
from engine.search.phrases import SentenceConstraints, TrackedPhrase
from engine.search.sentence import SearchVocabulary, Sentence, TokenRoles
from engine.search_options import SearchOptions
from engine.text import BOS, EOS, PAD, TextCodec
from tests.reference.matching import count_met, meets_all

_LEANING = 16.0  # what a scripted piece gains in log-probability before renormalising
_FORBIDDEN = -1e4


@dataclass(frozen=True)
class Job:
    """One sentence to translate. A `script` is what the model is made to want, piece by piece, the end last.

    `knows_length`: the end gets likelier with every piece until there are as many as in the source, as in a trained
    model; random weights alone end anywhere. A `broken` job's scores are not numbers.
    """

    source: tuple[int, ...]
    phrases: tuple[TrackedPhrase, ...]
    knows_length: bool = True
    script: tuple[int, ...] = ()
    broken: bool = False

    @property
    def num_constraint_tokens(self) -> int:
        return sum(phrase.num_constraint_tokens for phrase in self.phrases)


@dataclass(frozen=True)
class Answer:
    """The n-best list of one job, best first by the engine's own order, each with its end where it has one.

    `seconds` are of processor time, so that waiting for other programs does not count.
    `says_met`: the engine claims that these meet everything; None where it claims nothing. `log_probs`: what it says
    of each hypothesis, where it does.
    """

    hypotheses: tuple[tuple[int, ...], ...]
    seconds: float
    says_met: bool | None = None
    log_probs: tuple[float, ...] = ()
    error: str = ""


@dataclass(frozen=True)
class Judgement:
    """One hypothesis as an independent look finds it. `repeats`: occurrences on the text beyond those asked for."""

    text: str
    length: int
    on_text: bool
    on_pieces: bool
    has_ended: bool
    log_prob: float
    repeats: int

    @property
    def score(self) -> float:
        """Log-probability per piece, the end included."""
        return self.log_prob / self.length


class RandomMarian:
    """A seeded MarianMTModel over a codec's vocabulary that writes `allowed` pieces and ends after a dozen or so."""

    def __init__(self, codec: TextCodec, allowed: Sequence[int], seed: int) -> None:
        torch.manual_seed(seed)
        size = len(codec.vocabulary)
        config = MarianConfig(
            vocab_size=size,
            decoder_vocab_size=size,
            d_model=64,
            encoder_layers=2,
            decoder_layers=2,
            encoder_attention_heads=4,
            decoder_attention_heads=4,
            encoder_ffn_dim=256,
            decoder_ffn_dim=256,
            max_position_embeddings=256,
            init_std=0.1,
            tie_word_embeddings=False,
            pad_token_id=PAD,
            bos_token_id=BOS,
            eos_token_id=EOS,
            forced_eos_token_id=EOS,
            decoder_start_token_id=BOS,
        )
        self.codec = codec
        self.model = MarianMTModel(config).eval()
        self.never = tuple(sorted(set(range(size)) - set(allowed) - {EOS}))
        with torch.inference_mode():
            # Weights as drawn give all pieces much the same probability and repeat one; these make the last piece, the
            # position and the source matter.
            self.model.model.shared.weight.normal_(0, 0.5)
            self.model.lm_head.weight.normal_(0, 3 / math.sqrt(config.d_model))
            self.model.final_logits_bias[0, list(self.never)] = _FORBIDDEN
            self._let_end(allowed, probability=0.08)

    def _let_end(self, allowed: Sequence[int], probability: float) -> None:
        """Set the end's bias so that, after random pieces, its probability has this median."""
        pieces = torch.tensor(list(allowed))
        source = pieces[torch.randint(len(pieces), (16, 8))]
        target = pieces[torch.randint(len(pieces), (16, 16))]
        logits = self.model(input_ids=source, decoder_input_ids=target).logits
        others = logits.clone()
        others[..., EOS] = -torch.inf
        lead = (others.logsumexp(-1) - logits[..., EOS]).median()
        self.model.final_logits_bias[0, EOS] = lead + math.log(probability / (1 - probability))

    def max_length(self, job: Job, options: SearchOptions) -> int:
        """The most pieces of a translation, the end included, by the engine's own rule."""
        by_source = int(options.max_length_factor * len(job.source)) + options.max_length_offset
        return by_source + job.num_constraint_tokens

    @torch.inference_mode()
    def log_prob(self, job: Job, tokens: Sequence[int]) -> float:
        """Log-probability of the given pieces, in one pass over them."""
        decoder_input = torch.tensor([[BOS, *tokens[:-1]]])
        logits = self.model(input_ids=torch.tensor([job.source]), decoder_input_ids=decoder_input).logits[0]
        log_probs_TV = logits.log_softmax(-1)
        log_probs_TV = torch.cat([lean(log_probs_TV[[t]], t, job) for t in range(len(tokens))])
        return float(log_probs_TV[torch.arange(len(tokens)), torch.tensor(tokens)].double().sum())

    @torch.inference_mode()
    def sample(self, jobs: Sequence[Job], generator: torch.Generator, max_pieces: int = 30) -> list[tuple[int, ...]]:
        """A translation of each job drawn piece by piece by probability, without its end."""
        decoder = MarianDecoder(self, jobs)
        tokens_R = torch.full((len(jobs),), BOS)
        drawn = []
        for _ in range(max_pieces):
            tokens_R = decoder.step(tokens_R).exp().multinomial(1, generator=generator)[:, 0]
            drawn.append(tokens_R)
        rows = [row.tolist() for row in torch.stack(drawn, dim=1)]
        return [tuple(row[: row.index(EOS)] if EOS in row else row) for row in rows]

    def judge(self, job: Job, tokens: Sequence[int]) -> Judgement:
        text = self.codec.decode(tokens).text
        return Judgement(
            text=text,
            length=len(tokens),
            on_text=meets_all(text, job.phrases),
            on_pieces=all(count_in_pieces(tokens, phrase) >= phrase.count for phrase in job.phrases),
            has_ended=tokens[-1] == EOS,
            log_prob=self.log_prob(job, tokens),
            repeats=sum(max(0, count_met(text, phrase) - phrase.count) for phrase in job.phrases),
        )


def count_in_pieces(tokens: Sequence[int], phrase: TrackedPhrase) -> int:
    """How often a spelling of `phrase` stands in `tokens` as a run, without overlap, chosen by earliest end."""
    runs = sorted(
        (start + len(spelling.pieces), start)
        for spelling in phrase.spellings
        for start in range(len(tokens))
        if tuple(tokens[start : start + len(spelling.pieces)]) == spelling.pieces
    )
    count, last_end = 0, 0
    for end, start in runs:
        if start >= last_end:
            count, last_end = count + 1, end
    return count


def lean(log_probs_RV: Tensor, position: int, job: Job) -> Tensor:
    """The log-probabilities of a job after so many pieces, as its script and its sense of length change them."""
    if job.broken:
        return torch.full_like(log_probs_RV, torch.nan)
    if not job.script and not job.knows_length:
        return log_probs_RV
    leaning_RV = log_probs_RV.clone()
    if job.script:
        leaning_RV[:, job.script[min(position, len(job.script) - 1)]] += _LEANING
    else:
        leaning_RV[:, EOS] += min(3.0, max(-8.0, position - len(job.source)))
    return leaning_RV.log_softmax(-1)


class MarianDecoder:
    """The model as `engine.search.beam.StepDecoder` sees one: a step at a time, with its key-value cache."""

    def __init__(self, marian: RandomMarian, jobs: Sequence[Job]) -> None:
        self._model = marian.model
        self._jobs = jobs
        sources, self._mask = padded([job.source for job in jobs])
        encoder = self._model.get_encoder()
        self._encoded_BSE = encoder(input_ids=sources, attention_mask=self._mask).last_hidden_state
        self._cache = EncoderDecoderCache(DynamicCache(), DynamicCache())
        self._sentences_R = torch.arange(len(jobs))
        self._position = 0

    def read(self, pieces_B: Sequence[Sequence[int]]) -> Sequence[Sequence[float]]:
        raise NotImplementedError("the jobs have no prefixes")

    def step(self, tokens_R: Tensor) -> Tensor:
        sentences_R = self._sentences_R
        logits_RV = self._model(
            encoder_outputs=BaseModelOutput(self._encoded_BSE[sentences_R]),
            attention_mask=self._mask[sentences_R],
            decoder_input_ids=tokens_R[:, None],
            past_key_values=self._cache,
            use_cache=True,
        ).logits[:, -1]
        log_probs_RV: Tensor = logits_RV.log_softmax(-1)
        for sentence, job in enumerate(self._jobs):
            is_here_R = sentences_R == sentence
            log_probs_RV[is_here_R] = lean(log_probs_RV[is_here_R], self._position, job)
        self._position += 1
        return log_probs_RV

    def select(self, parents_R: Tensor) -> None:
        self._cache.reorder_cache(parents_R)
        self._sentences_R = self._sentences_R[parents_R]

    def join(self, other: MarianDecoder) -> None:
        raise NotImplementedError("a transformers cache holds rows of one length")


class _JobProcessor(LogitsProcessor):  # type: ignore[misc]
    """Scripts and broken scores for transformers; it calls this with log-probabilities, the beams of a job together."""

    def __init__(self, jobs: Sequence[Job], num_beams: int) -> None:
        self._jobs = jobs
        self._num_beams = num_beams

    def __call__(self, input_ids: Tensor, scores: Tensor) -> Tensor:
        position = input_ids.shape[1] - 1
        parts = scores.split(self._num_beams)
        return torch.cat([lean(part, position, job) for job, part in zip(self._jobs, parts, strict=True)])


def padded(sequences: Sequence[Sequence[int]]) -> tuple[Tensor, Tensor]:
    """Ids and mask, (B, S) each."""
    length = max(len(sequence) for sequence in sequences)
    ids = torch.tensor([[*sequence, *[PAD] * (length - len(sequence))] for sequence in sequences])
    return ids, (ids != PAD).long()


@torch.inference_mode()
def search_pinpoint(marian: RandomMarian, jobs: Sequence[Job], options: SearchOptions) -> list[Answer]:
    """Pinpoint's answers; jobs with different phrases share a batch."""
    started = time.process_time()
    vocabulary = SearchVocabulary(
        texts=marian.codec,
        roles=TokenRoles(BOS, EOS, never=marian.never),
        closing_V=~torch.tensor(marian.codec.glues_right),
        text_of=lambda tokens: marian.codec.decode(tokens).text,
    )
    sentences = [
        Sentence(SentenceConstraints(job.phrases), marian.max_length(job, options), options, source=job) for job in jobs
    ]
    stream = SearchStream(
        lambda begun: MarianDecoder(marian, [sentence.source for sentence in begun]), vocabulary, len(jobs), "batch"
    )
    ended = stream.run(sentences)
    for item in ended:
        if item.error is not None:
            raise item.error
    results = [item.result for item in ended if item.result is not None]
    seconds = time.process_time() - started
    return [
        Answer(
            tuple(found.tokens for found in result.hypotheses),
            seconds,
            says_met=result.outcome == "complete",
            log_probs=tuple(found.log_prob for found in result.hypotheses),
            error="scores are not numbers" if result.outcome == "failed" else "",
        )
        for result in results
    ]


def constraints_of(phrases: Sequence[TrackedPhrase]) -> list[Constraint]:
    """The phrases as transformers takes them: one object for each required occurrence. Raises what it raises."""
    constraints: list[Constraint] = []
    for phrase in phrases:
        spellings = [list(spelling.pieces) for spelling in phrase.spellings]
        for _ in range(phrase.count):
            constraint = DisjunctiveConstraint(spellings) if len(spellings) > 1 else PhrasalConstraint(spellings[0])
            constraints.append(constraint)
    return constraints


@torch.inference_mode()
def search_transformers(
    marian: RandomMarian,
    jobs: Sequence[Job],
    options: SearchOptions,
    **settings: bool,
) -> list[Answer]:
    """The answers of `generate(constraints=...)`, which holds all jobs of a call to the phrases of the first.

    What it raises becomes the answers' error. It stops as it does by default, once its worst finished hypothesis beats
    the score so far of the best live one.
    """
    sources, mask = padded([job.source for job in jobs])
    started = time.process_time()
    try:
        constraints = constraints_of(jobs[0].phrases)
        output = marian.model.generate(
            input_ids=sources,
            attention_mask=mask,
            constraints=constraints or None,
            num_beams=options.beam,
            num_return_sequences=options.nbest,
            max_length=max(marian.max_length(job, options) for job in jobs) + 1,  # it counts the start as well
            length_penalty=1.0,
            do_sample=False,
            logits_processor=LogitsProcessorList([_JobProcessor(jobs, options.beam)]),
            **settings,
        )
    except Exception as error:
        seconds = time.process_time() - started
        return [Answer((), seconds, error=f"{type(error).__name__}: {error}") for _ in jobs]
    seconds = time.process_time() - started
    sequences = output if isinstance(output, Tensor) else output.sequences
    return [Answer(tuple(_stripped(row) for row in rows.tolist()), seconds) for rows in sequences.split(options.nbest)]


def _stripped(row: list[int]) -> tuple[int, ...]:
    """A row of transformers' output without its start, and nothing after its end."""
    tokens = row[1:]
    if EOS in tokens:
        tokens = tokens[: tokens.index(EOS) + 1]
    return tuple(tokens)
