"""Requests in, translations out: text to pieces, encoder, search, results as text.

A `Translator` must not be called from several threads at once; `engine.worker.Worker` may.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import islice
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Any, Literal

from engine.any_translator import AnyTranslator
from engine.compiled.build import CURE
from engine.compiled.c_interface import PrefixTree, core
from engine.decoding.constraints import PreparedRequest
from engine.decoding.loop import DecodingJob, DecodingLoop, decode_all
from engine.decoding.model_pipeline import ModelPipeline
from engine.decoding.pipeline import RequestPipeline
from engine.decoding.question_steps import Steps, alternatives_steps, places_steps, price_steps
from engine.errors import InvalidRequest, ModelError
from engine.importers import FetchProgress, model_folder, origin_of, read_card
from engine.importers.hub_cache import hub_id_of
from engine.importers.resolve import holds_model, is_gguf
from engine.interruption import Interruption
from engine.model.checkpoint import LoadedModel, load_compiled, read_folder
from engine.model.compiled_model import KERNEL_NAMES, TURNED_OFF, why_core_is_not_faster, why_not_usable
from engine.model.config import Precision
from engine.request import Request
from engine.search.batching import REFILL_SHARE, Schedule, SearchStream
from engine.search.compiled import CompiledSearch, Searched
from engine.search.sentence import SearchVocabulary, Sentence
from engine.search.steps import StepDecoder
from engine.search_options import SearchOptions
from engine.text import SentencePieceCodec, TextCodec
from engine.threads import num_threads, set_num_threads
from engine.translation import Alternative, Hypothesis, Pricing, Translation

if TYPE_CHECKING:  # a model in the compiled core is decoded without PyTorch
    import torch
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

    from engine.model.datastore import Datastore, DatastoreOptions, StoredPair
    from engine.transformers_models import PromptedModel

_LOOK_AHEAD_BATCHES = 8
_BLANK = "."  # a source without words: what follows it is likely without any source


class Translator(AnyTranslator):
    """One loaded model with its codec, pipeline and cache of encodings."""

    def __init__(
        self,
        model: LoadedModel | PromptedModel,
        name: str = "",
        card: str = "",
        folder: Path | None = None,
        compaction_interval: int | None = None,
        why_not_compiled: str | None = None,
    ) -> None:
        """`why_not_compiled` says why PyTorch decodes what it decodes, for a person."""
        if compaction_interval is not None and compaction_interval < 1:
            raise InvalidRequest(
                f"compaction_interval is {compaction_interval}; it counts steps, 1 at least, or is None"
            )
        self._model = model
        self._codec = model.codec
        self.name = name
        self.card = card
        self.folder = folder
        self.directions = model.config.directions
        self.domains = model.config.domains
        self.formalities = model.config.formalities
        self.checksum = model.checksum
        self._vocabulary = SearchVocabulary.of(
            self._codec, writes_surfaces=isinstance(self._codec, (TextCodec, SentencePieceCodec))
        )
        self._compiled_searches: list[CompiledSearch] = []  # one for each thread
        self.pipeline: RequestPipeline
        if not isinstance(model, LoadedModel):
            from engine.transformers_models import PromptPipeline

            self.precision, self.decoder, self.learns = model.precision, model.decoder, False
            self.reads_examples = bool(model.template.examples)
            self.pipeline = PromptPipeline(model)
            return
        self.precision = "int8" if model.compiled is not None else model.transformer.precision
        self.pipeline = ModelPipeline(model, compaction_interval)
        if model.compiled is None:
            self.decoder = f"PyTorch: {why_not_compiled}" if why_not_compiled else "PyTorch"
        else:
            self.decoder = f"compiled core, 8 bits ({KERNEL_NAMES[model.compiled.model.kernels]})"

    @classmethod
    def load(
        cls,
        folder: str | Path,
        device: str | torch.device = "cpu",
        precision: Precision | Literal["auto"] = "float32",
        compaction_interval: int | None = None,
        *,
        is_compiled: bool = True,
        on_fetch: FetchProgress | None = None,
        num_threads: int | None = 1,
    ) -> Translator:
        """Loads a model: a folder in our format, the hub's or fairseq's, or a hub id, fetched and converted once.

        A folder of a language model or another model of transformers is loaded by that library (see
        engine/transformers_models), in 16 bits if it does not fit into memory in 32; a GGUF file, also one of the hub
        (MAKER/MODEL/FILE.gguf), by llama.cpp.

        Precision "half" is for GPUs, "int8" for the compiled core on CPUs; "auto" is the best of these for the device:
        on a CPU the core where that is faster, unless `is_compiled` is false, and otherwise "float32" in PyTorch.
        Finished rows leave a batch every `compaction_interval` steps
        (engine/model/table_decoder.py); None: at once on a CPU, every 8 steps on a GPU. During a download, `on_fetch`
        is called with the bytes so far and in total; it may raise to stop. Raises ModelError with the file or device
        at fault and how to fix it.

        Models then compute in `num_threads` threads, in the whole process: on a busy machine, two take ten times as
        long as one. None leaves them as they are.
        """
        if num_threads is not None:
            set_num_threads(num_threads)
        if str(device) != "cpu":
            from engine.model.device import usable_device

            device = usable_device(device)
        if is_gguf(folder):
            from engine.llama_models import check_device, load_gguf

            check_device(str(device))
            folder = model_folder(folder, on_fetch)
            return cls(load_gguf(folder), folder.stem, folder=folder)
        folder = (Path(folder) if holds_model(folder) else model_folder(folder, on_fetch)).resolve()
        if holds_model(folder):
            from engine.transformers_models import load_folder

            name = hub_id_of(folder) or folder.name
            return cls(load_folder(folder, device, precision, name), Path(name).name, folder=folder)
        name, card = Path(origin_of(folder) or folder).name, read_card(folder)
        model = read_folder(folder, device)
        why_not = _why_not_compiled(model, device, precision, is_compiled and compaction_interval is None)
        if why_not is None and (built := core()) is not None:
            return cls(load_compiled(folder, model, built), name, card, folder)
        if precision == "int8":
            raise ModelError(f"weights in 8 bits need the compiled core, but {why_not}; {CURE}, or take float32")
        if precision == "half" or (precision == "auto" and not model.is_on_cpu):
            from engine.model.device import halve

            halve(model.transformer)
        return cls(model, name, card, folder, compaction_interval, why_not)

    @classmethod
    def from_transformers(
        cls,
        model: PreTrainedModel,
        tokenizer: PreTrainedTokenizerBase,
        template: str | Path = "auto",
        languages: Sequence[str] = ("en", "de"),
        *,
        name: str = "",
        ends_at_line: bool = True,
    ) -> Translator:
        """A translator from a model of the transformers library, an LLM or an encoder-decoder model.

        `template` is what the model is asked: a text with `{source}`, the name of a family of
        engine/transformers_models/prompts.toml, a .toml file with the same parts, or "auto", the family of the model.
        The model translates between any two of the `languages`, or in the directions ("en-de") that they name.
        With `ends_at_line`, a translation ends where its line ends. Raises ModelError for a model, tokenizer or
        template that cannot be used.
        """
        name = name or str(getattr(model.config, "name_or_path", "") or model.config.model_type)
        from engine.transformers_models import PromptedModel

        return cls(PromptedModel.of(model, tokenizer, template, languages, name, ends_at_line), name)

    def translate_all_whole(
        self,
        requests: Iterable[tuple[Request, SearchOptions]],
        *,
        batch_size: int = 16,
        schedule: Schedule = "stream",
        cancel: Event | None = None,
        deadline_ms: float | None = None,
        datastore: Datastore | None = None,
    ) -> Iterator[Translation]:
        """The translations of sources as one sentence, as of `translate_all`."""
        interruption = Interruption(cancel, deadline_ms)
        jobs = (DecodingJob(request, own, interruption, datastore=datastore) for request, own in requests)
        loop = self.whole_loop(batch_size, schedule)
        yield from loop.in_order(jobs, batch_size * _LOOK_AHEAD_BATCHES, interruption)

    @property
    def is_on_accelerator(self) -> bool:
        return not self._model.is_on_cpu

    @property
    def end(self) -> int:
        return self._codec.end

    def direction_of(self, request: Request) -> str:
        return request.direction or self.directions[0]

    def constraints_of(self, request: Request, interruption: Interruption) -> PreparedRequest:
        return self.pipeline.prepare(request, None, interruption)

    def whole_loop(self, batch_size: int, schedule: Schedule, refill_share: float = REFILL_SHARE) -> DecodingLoop[Any]:
        """A loop for jobs that take their source as one sentence, as of `decoding_loop`."""
        search = SearchStream(
            self._open_decoder,
            self._vocabulary,
            batch_size,
            schedule,
            refill_share,
            is_compiled=self.pipeline.is_compiled,
            search_compiled=self._search_compiled,
        )
        return DecodingLoop(self.pipeline, search)

    def _search_compiled(self, sentences: Sequence[Sentence]) -> list[Searched | Exception]:
        """The results of the first sentences, one in each thread; ends before one of the same source as another."""
        trees: list[PrefixTree] = []
        for sentence in islice(sentences, num_threads()):
            try:
                tree = self.pipeline.tree(sentence)
            except Exception as error:  # the sentence meets it again when it is the first one
                if not trees:
                    return [error]
                break
            if tree in trees:
                break
            trees.append(tree)
            if len(self._compiled_searches) < len(trees):
                self._compiled_searches.append(CompiledSearch(tree.functions, self._vocabulary))

        def searched(search: CompiledSearch, tree: PrefixTree, sentence: Sentence) -> Searched | Exception:
            try:
                return search.run(tree.steps, sentence)
            except Exception as error:  # of any kind: it must fail no other sentence
                return error

        self.num_compiled += len(trees)
        if len(trees) <= 1:
            return [*map(searched, self._compiled_searches, trees, sentences)]
        with ThreadPoolExecutor(len(trees)) as pool:
            return [*pool.map(searched, self._compiled_searches, trees, sentences)]

    def _open_decoder(self, sentences: Sequence[Sentence]) -> StepDecoder:
        """A decoder of sentences that are searched as a batch."""
        reasons = Counter(self.decoder if one.source.datastore is None else "learned segments" for one in sentences)
        self.num_batched = Counter(self.num_batched) + reasons
        return self.pipeline.decoder(sentences)

    def misspelling(self, text: str) -> str | None:
        """The model's spelling of a text that it cannot write exactly ("⁇" for unknown characters); None if it can."""
        return None if self._codec.spells(text) else self._codec.respell(text)

    def scored(
        self,
        request: Request,
        target: str | None = None,
        tokens: Sequence[int] | None = None,
        datastore: Datastore | None = None,
    ) -> Translation:
        """The score of a given translation of a source as one sentence, as the only hypothesis; see `score`."""
        if target is not None:
            if (written := self.misspelling(target)) is not None:
                raise InvalidRequest(f"target {target!r} cannot be spelt by this model, which would write {written!r}")
            tokens = self._target_tokens(request, target)
        assert tokens is not None
        limit = self._model.config.max_pieces
        if not 0 < len(tokens) <= limit:
            raise InvalidRequest(f"the target has {len(tokens)} pieces; this model scores 1 to {limit}")
        decoding = self._codec.decode(tokens)
        asked = Request(request.source, direction=request.direction, domain=request.domain, formality=request.formality)
        prepared = self.pipeline.prepare(asked, datastore)
        if prepared.obstacles:
            raise InvalidRequest(prepared.obstacles[0].message)
        log_probs = self.pipeline.token_log_probs(prepared, tokens)
        log_prob = sum(log_probs)
        [alignment] = self.pipeline.align(prepared, [tokens], [decoding])
        hypothesis = Hypothesis(
            text=decoding.text,
            score=log_prob / len(tokens),
            log_prob=log_prob,
            tokens=tuple(tokens),
            token_log_probs=tuple(log_probs),
            token_spans=decoding.spans,
            alignment=alignment.links if alignment else (),
            weak_alignment=alignment.weak_links if alignment else (),
        )
        hypothesis = self.pipeline.reading(replace(asked, prefix=target or "")).written(hypothesis)
        return Translation(request, "complete", (hypothesis,), unknown_source=prepared.unknown_source)

    def learn(
        self,
        request: Request,
        target: str,
        datastore: Datastore | None = None,
        *,
        origin: Hashable = None,
        options: DatastoreOptions | None = None,
    ) -> Datastore:
        """The datastore with one more pair: the request's source and `target`, its translation by a person.

        Without a datastore, a new one with `options`. The same datastore if the target does not fit its source; see
        `stored_pair`, which has the other arguments and errors.
        """
        datastore = datastore or self.datastore_of((), options)
        self.pipeline.check(datastore)
        pair = self.stored_pair(request, target, origin=origin, least_fit=datastore.options.least_fit)
        return datastore if pair is None else datastore.with_pairs([*datastore.pairs, pair])

    def whole_pair(self, request: Request, target: str, origin: Hashable, least_fit: float | None) -> StoredPair | None:
        """The datastore entry of the translation of a source as one sentence; see `stored_pair`."""
        if not self._codec.normalise(target):
            raise InvalidRequest("target is blank; there is nothing to learn")
        if least_fit is None:
            from engine.model.datastore import DatastoreOptions

            least_fit = DatastoreOptions().least_fit
        free = Request(request.source, request.direction, domain=request.domain, formality=request.formality)
        prepared = self.pipeline.prepare(free)
        if prepared.obstacles:
            raise InvalidRequest(prepared.obstacles[0].message)
        tokens = self._target_tokens(free, target)
        limit = self._model.config.max_pieces
        if len(tokens) > limit:
            raise InvalidRequest(f"the target has {len(tokens)} pieces; this model learns at most {limit}")
        blank = self.pipeline.prepare(replace(free, source=_BLANK))
        return self.pipeline.stored_pair(prepared, blank, tokens, self._vocabulary.roles.never, origin, least_fit)

    def _target_tokens(self, request: Request, target: str) -> list[int]:
        """The pieces of a whole translation of the request's source, as the model would write it, and the end."""
        written = self.pipeline.reading(replace(request, prefix=target)).request.prefix
        return [*self._codec.encode(written).ids, self.end]

    def datastore_of(self, pairs: Sequence[StoredPair], options: DatastoreOptions | None = None) -> Datastore:
        """A datastore of pairs of this model, on its device, without the first of them if they have too many states."""
        from engine.model.datastore import Datastore, DatastoreOptions

        here = [pair.to(self._model.device) for pair in pairs]
        return Datastore(self.checksum, options or DatastoreOptions()).with_pairs(here)

    def price_whole_steps(self, job: DecodingJob) -> Steps[Pricing]:
        """The steps of `price` for a source as one sentence."""
        return price_steps(self.pipeline, job)

    def alternatives_whole_steps(
        self, job: DecodingJob, tokens: Sequence[int], piece: int, count: int
    ) -> Steps[tuple[Alternative, ...]]:
        """The steps of `alternatives` for a source as one sentence."""
        return alternatives_steps(self.pipeline, self._codec, self._vocabulary, job, tokens, piece, count)

    def places_steps(
        self, request: Request, phrase: int, count: int, interruption: Interruption
    ) -> Steps[tuple[Hypothesis, ...]]:
        """The steps of `places`."""
        return places_steps(self.pipeline, request, phrase, count, interruption)

    def decode(self, job: DecodingJob) -> Translation:
        """Decodes one job alone, to its end; raises its error."""
        decode_all(self.whole_loop(1, "batch"), [job])
        if job.error is not None:
            raise job.error
        return job.result()


def _why_not_compiled(
    model: LoadedModel, device: str | torch.device, precision: Precision | Literal["auto"], is_compiled: bool
) -> str | None:
    """Why the compiled core does not decode a model, for a person; None if it does."""
    if not model.is_on_cpu:
        return f"the model is on {device}"
    if precision not in ("auto", "int8"):
        return f"the precision is {precision}"
    if not is_compiled:
        return TURNED_OFF
    return why_not_usable() if precision == "int8" else why_core_is_not_faster()
