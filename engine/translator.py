"""Requests in, translations out: text to pieces, encoder, search, pieces to text with every phrase's place.

A `Translator` is not safe to call from several threads at once; `engine.worker.Worker` is.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from threading import Event

import torch

from engine.constraints import Constraints
from engine.errors import InvalidRequest, ModelError
from engine.model import Encoded, LoadedModel, load_model
from engine.request import Hypothesis, Reason, Request, SearchOptions, Status, Translation
from engine.search.beam import BeamSearch, Interruption, SentenceResult, TokenRoles
from engine.search.finished import Found
from engine.search.tracker import ConstraintTracker
from engine.text import BOS_ID, EOS_ID

_DEFAULT_OPTIONS = SearchOptions()
_MAX_KEPT_ENCODINGS = 64
_LOOK_AHEAD_BATCHES = 8


class Translator:
    """One loaded model with all that its text needs."""

    def __init__(self, model: LoadedModel, name: str = "", card: str = "") -> None:
        self._model = model
        self._codec = model.codec
        self.name = name
        self.card = card
        self.directions = model.config.directions
        self.checksum = model.checksum
        vocabulary = model.codec.vocabulary
        specials = (piece_id for piece_id in range(len(vocabulary)) if vocabulary.is_special(piece_id))
        self._roles = TokenRoles(BOS_ID, EOS_ID, never=tuple(i for i in specials if i != EOS_ID))
        self._closing_V = ~torch.tensor(self._codec.glues_right)
        self._encodings: OrderedDict[tuple[str, str], Encoded] = OrderedDict()

    @classmethod
    def load(cls, folder: str | Path, device: str | torch.device = "cpu") -> Translator:
        """Read a model folder; raises ModelError naming the file at fault and the cure."""
        folder = Path(folder)
        model = load_model(folder, device)
        try:
            card = (folder / "card.md").read_text(encoding="utf-8")
        except FileNotFoundError:
            card = ""
        except (OSError, UnicodeDecodeError) as error:
            raise ModelError(f"{folder / 'card.md'} cannot be read ({error}); remove it or copy it again") from error
        return cls(model, folder.resolve().name, card)

    def translate(
        self,
        request: Request,
        options: SearchOptions = _DEFAULT_OPTIONS,
        *,
        cancel: Event | None = None,
        deadline_ms: float | None = None,
    ) -> Translation:
        """The n-best list of one request.

        Raises InvalidRequest for what cannot be asked of this model; what cannot be met is told by the status. Both
        `cancel` and the deadline act within one decoding step and give the best so far.
        """
        started = time.perf_counter()
        constraints = self._constraints(request)
        interruption = _interruption(started, cancel, deadline_ms)
        return self._decode([request], [constraints], options, interruption, started)[0]

    def translate_all(
        self,
        requests: Iterable[Request],
        options: SearchOptions = _DEFAULT_OPTIONS,
        *,
        batch_size: int = 16,
        progress: Callable[[int], None] | None = None,
        cancel: Event | None = None,
    ) -> Iterator[Translation]:
        """Translations in the order of the requests; reads ahead a few batches, to decode like lengths together.

        A request that is invalid or fails gives a translation of status "failed"; the others go on. `progress` is told
        how many are done. After `cancel`, what is left comes back as "cancelled".
        """
        requests = iter(requests)
        num_done = 0
        while window := list(islice(requests, batch_size * _LOOK_AHEAD_BATCHES)):
            for translation in self._translate_window(window, options, batch_size, cancel):
                yield translation
                num_done += 1
                if progress:
                    progress(num_done)

    def _translate_window(
        self, window: Sequence[Request], options: SearchOptions, batch_size: int, cancel: Event | None
    ) -> Iterator[Translation]:
        done: dict[int, Translation] = {}
        ready: list[tuple[int, Constraints]] = []
        for number, request in enumerate(window):
            try:
                ready.append((number, self._constraints(request)))
            except InvalidRequest as error:
                done[number] = Translation(request, "failed", reasons=(Reason("invalid", str(error)),))
        ready.sort(key=lambda item: len(item[1].source_ids))
        next_number = 0
        for start in range(0, len(ready), batch_size):
            numbers, constraints = zip(*ready[start : start + batch_size], strict=True)
            started = time.perf_counter()
            interruption = _interruption(started, cancel, None)
            batch = self._decode([window[n] for n in numbers], constraints, options, interruption, started)
            done.update(zip(numbers, batch, strict=True))
            while next_number in done:
                yield done.pop(next_number)
                next_number += 1
        for number in sorted(done):
            yield done[number]

    def _constraints(self, request: Request) -> Constraints:
        direction = request.direction or self.directions[0]
        if direction not in self.directions:
            raise InvalidRequest(
                f"direction is {direction!r}; this model translates {', '.join(self.directions)}; choose one of them"
            )
        return Constraints.of(request, direction, self._codec, self._model.config.max_pieces)

    @torch.inference_mode()
    def _decode(
        self,
        requests: Sequence[Request],
        constraints: Sequence[Constraints],
        options: SearchOptions,
        interruption: Callable[[], Interruption | None],
        started: float,
    ) -> list[Translation]:
        """Translations of one batch; those that cannot be met at all are told apart before decoding."""
        translations: list[Translation | None] = []
        feasible: list[int] = []
        for number, (request, wanted) in enumerate(zip(requests, constraints, strict=True)):
            blocked = Translation(request, "infeasible", (), wanted.obstacles, wanted.unknown_source)
            translations.append(blocked if wanted.obstacles else None)
            if not wanted.obstacles:
                feasible.append(number)
        if feasible:
            results = self._search([constraints[number] for number in feasible], options, interruption)
            elapsed_ms = (time.perf_counter() - started) * 1000
            for number, result in zip(feasible, results, strict=True):
                told = self._tell(requests[number], constraints[number], result)
                translations[number] = replace(told, elapsed_ms=elapsed_ms)
        return [translation for translation in translations if translation is not None]

    def _search(
        self,
        constraints: Sequence[Constraints],
        options: SearchOptions,
        interruption: Callable[[], Interruption | None],
    ) -> list[SentenceResult]:
        tracker = ConstraintTracker([each.wanted for each in constraints], self._codec)
        max_lengths = [
            wanted.max_length(options, self._model.config.max_pieces, num_tokens)
            for wanted, num_tokens in zip(constraints, tracker.num_tokens_B.tolist(), strict=True)
        ]
        encoded = Encoded.stack([self._encode(wanted) for wanted in constraints])
        search = BeamSearch(
            decoder=self._model.transformer.decoder(encoded),
            tracker=tracker,
            max_lengths=max_lengths,
            options=options,
            roles=self._roles,
            closing=self._closing_V,
            text_of=lambda tokens: self._codec.decode(tokens).text,
            interruption=interruption,
        )
        return search.run()

    def _encode(self, wanted: Constraints) -> Encoded:
        """The encoded source, kept for the next request about the same one."""
        key = wanted.direction, wanted.source
        encoded = self._encodings.pop(key, None)
        if encoded is None:
            ids = self._model.source_ids(wanted.source_ids, wanted.direction)
            device = self._model.transformer.device
            encoded = self._model.transformer.encode(
                torch.tensor([ids], device=device), torch.tensor([len(ids)], device=device)
            )
        self._encodings[key] = encoded
        if len(self._encodings) > _MAX_KEPT_ENCODINGS:
            self._encodings.popitem(last=False)
        return encoded

    def _tell(self, request: Request, wanted: Constraints, result: SentenceResult) -> Translation:
        """The search's result in text and characters."""
        hypotheses = tuple(self._hypothesis(wanted, found) for found in result.found)
        status: Status = result.outcome
        reasons: tuple[Reason, ...] = ()
        if status in ("complete", "unmet"):
            unmet = sorted({phrase for hypothesis in hypotheses for phrase in hypothesis.unmet})
            status = "complete" if hypotheses and not unmet else "unmet"
            reasons = tuple(wanted.not_placed(phrase) for phrase in unmet)
        elif status == "deadline":
            reasons = (Reason("deadline", "the time was up before the search had ended; these are the best so far"),)
        elif status == "cancelled":
            reasons = (Reason("cancelled", "the request was cancelled; a newer one may have taken its place"),)
        else:
            reasons = (
                Reason("not_a_number", "the model gave scores that are not numbers; its weights may be damaged"),
            )
        return Translation(request, status, hypotheses, reasons, wanted.unknown_source, result.num_steps)

    def _hypothesis(self, wanted: Constraints, found: Found) -> Hypothesis:
        decoding = self._codec.decode(found.tokens)
        placements, unmet = wanted.place(decoding.text)
        return Hypothesis(
            text=decoding.text,
            score=found.score,
            log_prob=found.log_prob,
            tokens=found.tokens,
            token_log_probs=found.token_log_probs,
            token_spans=decoding.spans,
            placements=placements,
            unmet=unmet,
        )


def _interruption(started: float, cancel: Event | None, deadline_ms: float | None) -> Callable[[], Interruption | None]:
    def interruption() -> Interruption | None:
        if cancel is not None and cancel.is_set():
            return "cancelled"
        if deadline_ms is not None and (time.perf_counter() - started) * 1000 >= deadline_ms:
            return "deadline"
        return None

    return interruption
