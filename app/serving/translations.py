"""Translates texts for all dialects of the HTTP API, with the models that the app has loaded.

Requests share decoding steps with the pre-translation of documents: everything that a person waits for in the editor
comes first, and people take turns. When a caller hangs up, the requests are cancelled.
"""

from __future__ import annotations

import asyncio
import re
import secrets
import time
from bisect import bisect_right
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeVar

from app.errors import ApiError, CommandError
from app.formats.base import splice
from app.formats.read_file import FileOverview
from app.models.document_direction import decide, language_and_script, other_language
from app.models.loading import ModelHandle
from app.models.style import Style
from app.segments.resolved_constraints import request_of
from app.segments.segment_constraints import kept_text_with
from app.serving.admission import Caller
from app.serving.api_limits import (
    ANSWER_SECONDS,
    LOADING_SECONDS,
    MAX_SENTENCES,
    OUTAGE_LOOK_SECONDS,
    SENTENCES_AT_ONCE,
)
from app.serving.constrained_texts import (
    Answer,
    ConstrainedText,
    PlacedPhrase,
    Splitting,
    TextHypothesis,
    TranslationSetup,
)
from app.tags.protect import Protection
from app.text.language_names import english_name
from app.text.nontranslatables import nontranslatables
from app.text.placeholder_conventions import OF_UNKNOWN_FILE, placeholders_in
from app.text.spelling import is_british
from engine import (
    Alternative,
    AlternativesQuestion,
    Engine,
    EngineError,
    Follow,
    Hypothesis,
    InvalidRequest,
    ListedText,
    Phrase,
    PlacesQuestion,
    PriceQuestion,
    Pricing,
    Question,
    Reason,
    Request,
    ScoreQuestion,
    SearchOptions,
    Translation,
    offer_of,
    sentence_spans,
)

Hangup = Callable[[], Awaitable[None]]
T = TypeVar("T")

LANGUAGE_CODE = re.compile(r"[A-Za-z]{2,8}([-_][A-Za-z0-9]{1,8}){0,3}")
_LINE = re.compile(r"(?:[^\r\n]|(?<=[^\W\d_]-)\r?\n(?=[a-zß-öø-ÿ]))+")  # a word may go on in the next one
_PART_CHARACTERS = 1000  # a part of a text that is longer has one sentence


@dataclass(frozen=True, slots=True)
class _Piece:
    """A part of item number `text`, characters `start` to `end`; the first `num_own` phrases are the item's."""

    text: int
    start: int
    end: int
    protection: Protection
    num_own: int


class TranslationService:
    """Answers requests with the models that `handles` returns, the start model first. Thread-safe."""

    def __init__(self, handles: Callable[[], Sequence[ModelHandle]], options: SearchOptions) -> None:
        self._handles = handles
        self._options = options

    def models(self) -> list[ModelHandle]:
        """The models that are ready."""
        return [handle for handle in self._handles() if handle.state == "ready"]

    def directions(self) -> list[str]:
        """The directions of the models that are ready, without repeats."""
        return list(dict.fromkeys(direction for handle in self.models() for direction in handle.directions))

    @property
    def first_direction(self) -> str:
        """The direction of new documents."""
        return self._handles()[0].direction

    async def loaded(self, source: str | None, target: str) -> None:
        """Waits while all models for these languages are being loaded, but not longer than LOADING_SECONDS.

        It waits in no thread, and ends early where loading fails. Raises ApiError for no language.
        """
        last_moment = time.monotonic() + LOADING_SECONDS
        while (awaited := self._awaited(source, target)) and (seconds := last_moment - time.monotonic()) > 0:
            changes: list[Future[None]] = [Future() for _ in awaited]
            for handle, change in zip(awaited, changes, strict=True):
                handle.on_change(partial(change.set_result, None))
            await asyncio.wait(
                [*map(asyncio.wrap_future, changes)], timeout=seconds, return_when=asyncio.FIRST_COMPLETED
            )

    def _awaited(self, source: str | None, target: str) -> list[ModelHandle]:
        """The models that are being loaded and may translate these languages; none if one of these is ready."""
        if any(fitting_directions(model, source, target) for model in self.models()):
            return []
        loading = [handle for handle in self._handles() if handle.state == "loading"]
        return [handle for handle in loading if not handle.directions or fitting_directions(handle, source, target)]

    def choose(self, source: str | None, target: str, text: str) -> tuple[ModelHandle, str]:
        """The model and direction for these languages; without a source, its language is detected from `text`.

        Raises ApiError if no model translates them, or none is ready.
        """
        models = self.models()
        if not models:
            raise ApiError("not_ready", "The model is still being loaded, or could not be loaded.", retry_after=5)
        for model in models:
            fitting = fitting_directions(model, source, target)
            if fitting and source:
                return model, fitting[0]
            if fitting:
                if other := other_language(text, self.directions()):
                    raise other_text(other, target, self.directions())
                overview = FileOverview("text", ("", target), text, False)
                return model, decide(overview, fitting, ("", target)).direction
        raise unsupported(source, target, self.directions())

    async def setup(
        self,
        source: str | None,
        target: str,
        text: str,
        style: Style | None = None,
        *,
        is_style_required: bool = True,
        splitting: Splitting = "sentences",
    ) -> TranslationSetup:
        """The setup for these languages, see `choose`; waits for a model that is being loaded.

        Raises ApiError; also for a style that the model does not support, if the style is required.
        """
        await self.loaded(source, target)
        # To detect a language, the first request reads the model that recognises languages, for up to a second.
        model, direction = await asyncio.to_thread(self.choose, source, target, text)
        style = style or Style()
        if not is_style_required:
            style = style.known_to(model, direction)
        try:
            style.check(model, direction)
        except CommandError as error:
            raise ApiError("unsupported", str(error)) from error
        return TranslationSetup(model, direction, style, splitting=splitting, is_british=is_british(target))

    async def translate(
        self, caller: Caller, items: Sequence[ConstrainedText], setup: TranslationSetup, gone: Hangup
    ) -> list[Answer]:
        """The answers in the order of the items. Raises ApiError. `gone` ends when the caller has hung up."""
        pieces = await asyncio.to_thread(_all_pieces, items, setup)
        requests = [(piece.protection, items[piece.text].nbest) for piece in pieces]
        found = await self._decode(caller, setup, requests, gone)
        return await asyncio.to_thread(_answers, items, pieces, found, is_british=setup.is_british)

    async def price(self, caller: Caller, item: ConstrainedText, setup: TranslationSetup, gone: Hangup) -> Pricing:
        """The prices of the constraints of an item. Raises ApiError."""
        protection = await asyncio.to_thread(_without_follow, item, setup)
        pricing = await self._ask(caller, setup, PriceQuestion(protection.request, self._options), gone)
        return await asyncio.to_thread(protection.restore_pricing, pricing)

    async def alternatives(
        self,
        caller: Caller,
        item: ConstrainedText,
        setup: TranslationSetup,
        translation: str,
        offset: int,
        count: int,
        gone: Hangup,
    ) -> tuple[Alternative, ...]:
        """Other words for the word at `offset` of a translation of the item. Raises ApiError."""
        request = replace(_request(item, setup), follow=Follow(translation))
        protection = await asyncio.to_thread(_protected, request)
        asked = protection.request
        if protection.copy is not None or asked.follow is None:
            return ()
        answered = await self._ask(caller, setup, ScoreQuestion(asked, asked.follow.text), gone)
        restored = await asyncio.to_thread(protection.restore_hypothesis, answered)
        piece = protection.piece_at(restored, offset)
        start, end = restored.token_spans[piece]
        if not start <= offset < end:
            raise ApiError("invalid", f"offset {offset} is not on a word of the translation.")
        question = AlternativesQuestion(asked, answered.tokens, piece, count, self._options)
        found = await self._ask(caller, setup, question, gone)
        beginning = translation[:offset]
        return await asyncio.to_thread(lambda: tuple(protection.restore_alternative(each, beginning) for each in found))

    async def places(
        self,
        caller: Caller,
        item: ConstrainedText,
        setup: TranslationSetup,
        translation: str,
        phrase: int,
        count: int,
        gone: Hangup,
    ) -> list[TextHypothesis]:
        """A translation of the item with one more occurrence of a phrase, at the best places. Raises ApiError."""
        request = replace(_request(item, setup), follow=Follow(translation))
        protection = await asyncio.to_thread(Protection.of, request)
        number = protection.phrase_number(phrase)
        if protection.copy is not None or protection.request.follow is None or number is None:
            return []
        found = await self._ask(caller, setup, PlacesQuestion(protection.request, number, count), gone)

        def restored() -> Iterator[TextHypothesis]:
            for each in map(protection.restore_hypothesis, found):
                placed = tuple(_placed(each, request.phrases, len(item.phrases)))
                yield TextHypothesis(each.text, each.score, each.log_prob, len(each.tokens), placed)

        return await asyncio.to_thread(lambda: [*restored()])

    async def _ask(self, caller: Caller, setup: TranslationSetup, question: Question[T], gone: Hangup) -> T:
        """The answer to one question. Raises ApiError."""
        engine, key = _engine(setup), _new_key()
        try:
            asked = engine.ask(question, key=key, owner=caller.owner, priority="document")
        except EngineError as error:
            raise _error(error) from error
        (found,) = await _finished(engine, {key: asked}, gone)
        if found is None:
            raise ApiError("not_ready", "The model was unloaded or does not answer: try again.", retry_after=5)
        return found

    async def _decode(
        self, caller: Caller, setup: TranslationSetup, asked: Sequence[tuple[Protection, int]], gone: Hangup
    ) -> list[Translation]:
        """The restored translations of the protected texts, which are given with their numbers of hypotheses."""
        copies = [protection.copy for protection, _ in asked]
        waiting = [pair for pair, copy in zip(asked, copies, strict=True) if copy is None]
        answers = await self._submit(caller, setup, [(protection.request, most) for protection, most in waiting], gone)

        def restored() -> Iterator[Translation]:
            for (protection, _), answer in zip(waiting, answers, strict=True):
                yield protection.restore(answer)

        left = iter(await asyncio.to_thread(lambda: list(restored())))
        return [copy or next(left) for copy in copies]

    async def _submit(
        self, caller: Caller, setup: TranslationSetup, asked: Sequence[tuple[Request, int]], gone: Hangup
    ) -> list[Translation]:
        """The translations, a part after the other: a request of many sentences fills no queue."""
        engine, found = _engine(setup), []
        last_moment = time.monotonic() + ANSWER_SECONDS
        for first in range(0, len(asked), SENTENCES_AT_ONCE):
            part = asked[first : first + SENTENCES_AT_ONCE]
            # Each sentence may wait for a lock, while other people's requests have to be answered.
            futures = await asyncio.to_thread(self._begin, engine, caller, part)
            found += await _finished(engine, futures, gone, last_moment)
        return found

    def _begin(
        self, engine: Engine, caller: Caller, asked: Sequence[tuple[Request, int]]
    ) -> dict[str, Future[Translation]]:
        """The futures of requests, by key. Raises ApiError."""
        futures: dict[str, Future[Translation]] = {}
        try:
            for request, most in asked:
                key = _new_key()
                options = replace(self._options, nbest=most)
                futures[key] = engine.submit(request, options, key=key, owner=caller.owner, priority="document")
        except EngineError as error:
            _cancel(engine, list(futures))
            raise _error(error) from error
        return futures


def _answers(
    items: Sequence[ConstrainedText], pieces: Sequence[_Piece], found: Sequence[Translation], *, is_british: bool
) -> list[Answer]:
    """The answers of the items, from the translations of their pieces."""
    by_text: list[list[tuple[_Piece, Translation]]] = [[] for _ in items]
    for piece, translation in zip(pieces, found, strict=True):
        by_text[piece.text].append((piece, translation))
    answers = [_answer(item, parts) for item, parts in zip(items, by_text, strict=True)]
    return [answer.in_british_spelling() for answer in answers] if is_british else answers


def fitting_directions(model: ModelHandle, source: str | None, target: str) -> list[str]:
    """The directions of a model for these languages; without a source, from all. Raises ApiError for no language."""
    wanted_target, wanted_source = _language(target), source and _language(source)
    return [
        direction
        for direction in model.directions
        if _language(direction.partition("-")[2]) == wanted_target
        and wanted_source in (None, "", _language(direction.partition("-")[0]))
    ]


def unsupported(source: str | None, target: str, directions: Sequence[str]) -> ApiError:
    """The error for languages that no model translates; `directions` are offered instead."""
    asked = f"{source}-{target}" if source else f"into {target}"
    return ApiError("unsupported", f"No model translates {asked}. Available: {offer_of(directions)}.")


def other_text(source: str, target: str, directions: Sequence[str]) -> ApiError:
    """The error for a text without a stated language that seems to be in one that no model translates."""
    message = (
        f"The text seems to be in {english_name(source)}, and no model translates {source}-{target}. Available: "
        f"{offer_of(directions)}. If the text is in another language, give the source language."
    )
    return ApiError("unsupported", message)


async def _finished(
    engine: Engine, futures: Mapping[str, Future[T]], gone: Hangup, last_moment: float | None = None
) -> list[T]:
    """The results. Cancels unfinished work after an error, in an outage, at the last moment, and after a hang-up.

    The last moment is one of `time.monotonic`; None is in ANSWER_SECONDS.
    """
    if not futures:
        return []
    if last_moment is None:
        last_moment = time.monotonic() + ANSWER_SECONDS
    results = asyncio.gather(*map(asyncio.wrap_future, futures.values()))
    hangup = asyncio.ensure_future(gone())
    either: set[asyncio.Future[Any]] = {results, hangup}
    try:
        while (seconds := last_moment - time.monotonic()) > 0:
            done, _ = await asyncio.wait(
                either, timeout=min(seconds, OUTAGE_LOOK_SECONDS), return_when=asyncio.FIRST_COMPLETED
            )
            if done:
                break
            _check_reached(engine)
        if results.done():
            return await results
        if hangup.done():
            raise ApiError("hung_up", "The caller hung up.")
        raise ApiError("too_late", f"There is no answer after {ANSWER_SECONDS:.0f} seconds.", retry_after=30)
    except EngineError as error:
        raise _error(error) from error
    finally:
        if unfinished := [key for key, future in futures.items() if not future.done()]:
            await asyncio.to_thread(_cancel, engine, unfinished)
        for task in either:
            task.cancel()
            with suppress(asyncio.CancelledError, Exception):
                await task


def _cancel(engine: Engine, keys: Iterable[str]) -> None:
    for key in keys:
        engine.cancel(key)


def _error(error: EngineError) -> ApiError:
    if isinstance(error, InvalidRequest):
        return ApiError("invalid", str(error))
    return ApiError("not_ready", "The model was unloaded or does not answer: try again.", retry_after=5)


def _engine(setup: TranslationSetup) -> Engine:
    if setup.model.engine is None:
        raise ApiError("not_ready", "The model is still being loaded.", retry_after=5)
    _check_reached(setup.model.engine)
    return setup.model.engine


def _check_reached(engine: Engine) -> None:
    """Raises ApiError during an outage."""
    if engine.outage is not None:
        raise ApiError("not_ready", "The translation servers cannot be reached: try again later.", retry_after=30)


def _new_key() -> str:
    return f"api/{secrets.token_hex(12)}"


def _language(code: str) -> str:
    if not LANGUAGE_CODE.fullmatch(code):
        if not code:
            raise ApiError("invalid", "The target language is empty: send its code, such as en or pt-BR.")
        raise ApiError("unsupported", f"{code[:40]!r} is not a language code, such as en or pt-BR.")
    return language_and_script(code)


def _all_pieces(items: Sequence[ConstrainedText], setup: TranslationSetup) -> list[_Piece]:
    """The parts of all items. Raises ApiError if they have too many sentences."""
    pieces: list[_Piece] = []
    num_sentences = 0
    for number, item in enumerate(items):
        text = item.text
        for start, end, num_in_part in _parts(item, setup):
            num_sentences += num_in_part
            if num_sentences > MAX_SENTENCES:
                raise ApiError(
                    "too_large", f"The texts have more than {MAX_SENTENCES:,} sentences: send them in parts."
                )
            if text[start:end].strip():
                request = _request(replace(item, text=text[start:end]), setup)
                pieces.append(_Piece(number, start, end, _protected(request), len(item.phrases)))
    return pieces


def _parts(item: ConstrainedText, setup: TranslationSetup) -> Iterator[tuple[int, int, int]]:
    """The parts of a text as (start, end, number of sentences); the characters between them are copied.

    A part has sentences of one line (with `splitting` "sentences") or of the text, of which the engine translates each
    alone. A long line has several parts, so that other callers get their turn between them.
    """
    text = item.text
    if item.is_whole or setup.splitting == "none":
        yield len(text) - len(text.lstrip()), len(text.rstrip()), 1
        return
    lines = [match.span() for match in _LINE.finditer(text)] if setup.splitting == "sentences" else [(0, len(text))]
    for start, end in lines:
        part: tuple[int, int, int] | None = None
        for first, last in _with_tags(text[start:end], setup.source):
            if part is not None and start + last - part[0] > _PART_CHARACTERS:
                yield part
                part = None
            part = (start + first, start + last, 1) if part is None else (part[0], start + last, part[2] + 1)
        if part is not None:
            yield part


def _with_tags(line: str, language: str) -> list[tuple[int, int]]:
    """The spans of the sentences of a line. A tag between two belongs to the second one if it is an opening tag."""
    elements = nontranslatables(line)
    tags = [element for element in elements if element.is_markup and not element.is_access_key]
    blank = splice(line, [(tag.start, tag.end, " " * len(tag.text)) for tag in tags])
    spans = sentence_spans(blank, language, [(element.start, element.end) for element in elements])
    edges = [edge for span in spans for edge in span]
    for tag in tags:
        following = bisect_right(edges, tag.start)
        if following % 2:  # inside a sentence
            continue
        is_later = following < len(edges) and (tag.kind == "open" or not following)
        if is_later:
            edges[following] = tag.start
        elif edges:
            edges[following - 1] = tag.end
    return list(zip(edges[::2], edges[1::2], strict=True))


def _request(item: ConstrainedText, setup: TranslationSetup) -> Request:
    """The same request as for a segment of a document, with the phrases of the item first. Raises ApiError."""
    hits = setup.terms.find(item.text) if setup.terms is not None else ()
    numbers = setup.style.numbers_in(item.text, setup.direction)
    try:
        request = request_of(
            item.text,
            item.constraints,
            hits,
            setup.direction,
            numbers=numbers,
            placeholders=placeholders_in(item.text, OF_UNKNOWN_FILE),
            phrases=item.phrases,
        )
        request = replace(request, suffix=item.suffix)
        return replace(setup.style.applied_to(request), split_sentences=setup.splitting != "none")
    except InvalidRequest as error:
        raise ApiError("invalid", str(error)) from error


def _without_follow(item: ConstrainedText, setup: TranslationSetup) -> Protection:
    """The request for prices, which are the model's own."""
    return _protected(replace(_request(item, setup), follow=None))


def _protected(request: Request) -> Protection:
    return Protection.of(request, placeholders_in(request.source, OF_UNKNOWN_FILE))


def _answer(item: ConstrainedText, parts: Sequence[tuple[_Piece, Translation]]) -> Answer:
    """Joins the answers of the sentences into one."""
    reasons = tuple(
        reason for _, translation in parts for reason in (*translation.reasons, *_avoided_in_kept_texts(translation))
    )
    failed = next((translation for _, translation in parts if translation.status != "complete"), None)
    status = "complete" if failed is None else failed.status
    if any(not translation.hypotheses for _, translation in parts):
        return Answer(item, status, (), reasons)
    if not parts:
        return Answer(item, status, (TextHypothesis(item.text, 0.0, 0.0, 0),))
    num_hypotheses = len(parts[0][1].hypotheses) if len(parts) == 1 else 1
    hypotheses = tuple(_hypothesis(item.text, parts, rank) for rank in range(num_hypotheses))
    return Answer(item, status, hypotheses, reasons)


def _avoided_in_kept_texts(translation: Translation) -> Iterator[Reason]:
    """Why a complete translation has an avoided text: it is in code, an address or a tag that is kept as it is."""
    text = translation.hypotheses[0].text if translation.hypotheses else ""
    for item in translation.request.avoid:
        if kept := kept_text_with(item, text, translation.request.source):
            message = f"{kept!r} is kept from the source, although it contains {item.text!r}, which is avoided"
            yield Reason("avoided", message)


def _placed(hypothesis: Hypothesis, phrases: Sequence[Phrase], num_own: int, at: int = 0) -> Iterator[PlacedPhrase]:
    """The places of a hypothesis at character `at` of the whole; the first `num_own` phrases are those of an item."""
    for place in hypothesis.placements:
        own = place.phrase if place.phrase < num_own else None
        yield PlacedPhrase(own, phrases[place.phrase].text, place.form, at + place.start, at + place.end)


def _hypothesis(source: str, parts: Sequence[tuple[_Piece, Translation]], rank: int) -> TextHypothesis:
    text, copied = "", 0
    placements: list[PlacedPhrase] = []
    unmet: list[str] = []
    chosen: list[Hypothesis] = []
    alignment: list[tuple[int, int, int, int]] = []
    listed: list[ListedText] = []
    for piece, translation in parts:
        hypothesis, phrases = translation.hypotheses[rank], translation.request.phrases
        text += source[copied : piece.start]
        placements += _placed(hypothesis, phrases, piece.num_own, len(text))
        unmet += [phrases[number].text for number in hypothesis.unmet]
        for source_start, source_end, start, end in hypothesis.alignment:
            alignment.append((piece.start + source_start, piece.start + source_end, len(text) + start, len(text) + end))
        for each in hypothesis.listed:
            first, last = each.source_span
            span, start, end = (piece.start + first, piece.start + last), len(text) + each.start, len(text) + each.end
            listed.append(replace(each, start=start, end=end, source_span=span))
        text += hypothesis.text
        copied = piece.end
        chosen.append(hypothesis)
    num_tokens = sum(len(each.tokens) for each in chosen)
    log_prob = sum(each.log_prob for each in chosen)
    score = chosen[0].score if len(chosen) == 1 else log_prob / max(1, num_tokens)
    ranking = score - chosen[0].score_penalty if len(chosen) == 1 else score
    return TextHypothesis(
        text + source[copied:],
        score,
        log_prob,
        num_tokens,
        tuple(placements),
        tuple(unmet),
        ranking,
        tuple(alignment),
        tuple(listed),
    )
