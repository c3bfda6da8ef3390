"""The search of one sentence as one call of compiled code (`engine/compiled/search`): the exact twin of `BeamSearch`.

Constraints are tracked in compiled code, too. If texts are not the surfaces of their pieces, the compiled search asks
Python which hypotheses write the same text; and for pieces with bytes, what kind of characters they write.
"""

from __future__ import annotations

import ctypes
from collections import OrderedDict
from collections.abc import Callable, Sequence
from ctypes import POINTER, c_char, c_char_p, c_double, c_int32, c_int64, c_uint8, c_uint32, c_void_p
from dataclasses import dataclass
from typing import Any, Final, get_args

import numpy as np
import numpy.typing as npt

from engine.errors import EngineError, InvalidRequest
from engine.interruption import Cause, Interrupted, Interruption
from engine.search.automaton import PhraseAutomaton
from engine.search.finished import SearchHypothesis
from engine.search.indexed import IndexedTexts
from engine.search.matching import Pattern, kind_of
from engine.search.max_count import MaxCounts
from engine.search.phrases import SentenceConstraints
from engine.search.prefix_avoid import PrefixAvoidAutomaton
from engine.search.sentence import Outcome, SearchVocabulary, Sentence, SentenceResult
from engine.search_options import Score, Stopping
from engine.text import has_bytes
from engine.text.boundaries import SENTENCE_CLOSERS, SENTENCE_ENDS, SENTENCE_OPENERS, is_digit, is_mark
from engine.threads import free_beside

_MAX_KEPT: Final = 16  # sets of constraints
_MAX_LEARNED: Final = 2**17  # states and transitions of a set that is kept: some 50 MB with few phrases
_MAX_FREED_AT_ONCE: Final = 2**13  # of these, which takes two milliseconds; more are freed in a thread of their own
_SCORES: Final = ("log_prob", "score", "penalty", "total", "ranking_score")  # columns of the output
_MESSAGE_SIZE: Final = 256

# Answers of callbacks and results of a search, as in callbacks.h, task.h and search_interface.cpp.
_FAILED: Final = -1
_ANSWER_OF: Final[dict[Cause, int]] = {"cancelled": -2, "deadline": -3}
_SCORE_KINDS: Final = {name: number for number, name in enumerate(get_args(Score))}
_STOPPINGS: Final = {name: number for number, name in enumerate(get_args(Stopping))}
_OUTCOMES: Final[tuple[Outcome, ...]] = ("complete", "unmet", "failed", "deadline", "cancelled")
_CALLBACK_FAILED, _DONE, _OUT_OF_MEMORY, _TOO_LONG = -1, 0, 2, 4

_Int32s = npt.NDArray[np.int32]
_p_int32, _p_uint8, _p_double = POINTER(c_int32), POINTER(c_uint8), POINTER(c_double)
_Interrupted = ctypes.CFUNCTYPE(c_int32)
_TextNumber = ctypes.CFUNCTYPE(c_int32, _p_int32, c_int32)
_Describe = ctypes.CFUNCTYPE(c_int32, c_uint32, POINTER(c_uint32))


class _Callbacks(ctypes.Structure):
    _fields_ = (("interrupted", _Interrupted), ("text_number", _TextNumber))


class _Task(ctypes.Structure):
    _fields_ = (
        *((name, c_double) for name in ("pruning_threshold", "bank_threshold", "late_penalty", "repetition_penalty")),
        *((name, c_double) for name in ("reward", "target_length", "follow_strength")),
        *((name, c_void_p) for name in ("followed", "is_required")),
        *((name, c_int32) for name in ("followed_length", "beam", "nbest", "max_children", "max_length")),
        *((name, c_int32) for name in ("max_sentences", "max_repeats", "score", "stopping")),
        *((name, c_int32) for name in ("keeps_finished", "prunes_by_first", "spreads")),
    )


class _Output(ctypes.Structure):
    _fields_ = (
        *((name, c_void_p) for name in ("pieces", "log_probs", "scores", "lengths", "num_missing")),
        ("num_rows", c_int64),
        *((name, c_int32) for name in ("num_hypotheses", "is_satisfying", "num_steps", "num_model_steps", "outcome")),
        ("message", c_char * _MESSAGE_SIZE),
    )


class CompiledSearchError(EngineError):
    """The compiled search failed; the message says why."""


@dataclass(frozen=True, slots=True)
class Searched:
    """The result of a compiled search, its calls of the model, and the rows expanded in all of them."""

    result: SentenceResult
    num_model_steps: int
    num_expansions: int


class CompiledSearch:
    """Searches sentences of one model, one after the other; use one object for each thread."""

    def __init__(self, library: ctypes.CDLL, vocabulary: SearchVocabulary) -> None:
        """`library` is the compiled core."""
        self._library = declared(library)
        self._vocabulary = vocabulary
        self._texts = IndexedTexts.of(vocabulary.texts)
        self._guard = _Guard()
        self._describe = _Describe(self._guard(_describe))
        bans_V, traits_V = _bans(vocabulary), vocabulary.endings.traits
        layouts_V = self._texts.layouts
        starts, characters, alphabet = _characters(vocabulary.texts.surfaces)
        roles = vocabulary.roles
        surfaces = [surface.encode(errors="surrogatepass") for surface in vocabulary.texts.surfaces]
        self._handle = library.pinpoint_search_vocabulary_new(
            vocabulary.size,
            roles.begin,
            roles.end,
            bans_V.ctypes,
            traits_V.ctypes,
            (c_char_p * len(surfaces))(*surfaces) if _is_text_of_surfaces(vocabulary) else None,
            layouts_V.ctypes,
            starts.ctypes,
            characters.ctypes,
            alphabet.ctypes,
            len(alphabet),
            self._describe,
        )
        if not self._handle:
            raise MemoryError
        self._kept: OrderedDict[SentenceConstraints, _Constraints] = OrderedDict()

    def __del__(self) -> None:
        if getattr(self, "_handle", None):
            self._library.pinpoint_search_vocabulary_free(self._handle)

    def run(self, steps: int, sentence: Sentence) -> Searched:
        """Search a sentence in a tree of prefixes of its source: `steps` points to it (`engine/compiled/steps.h`)."""
        constraints = self._tracked(sentence.constraints)
        run = _Run(self._library, self._vocabulary, self._guard, sentence)
        try:
            return run(steps, self._handle, constraints)
        finally:
            is_too_large = constraints.num_learned > _MAX_LEARNED
            del constraints
            if is_too_large:
                self._forget(sentence.constraints)

    def _tracked(self, constraints: SentenceConstraints) -> _Constraints:
        """The states of these constraints, with all that earlier searches have learned about them."""
        if constraints not in self._kept:
            numbers = np.array(_in_numbers(constraints, self._texts), dtype=np.int32)
            self._kept[constraints] = _Constraints(self._library, self._handle, numbers)
            if len(self._kept) > _MAX_KEPT:
                self._forget(next(iter(self._kept)))
        self._kept.move_to_end(constraints)
        return self._kept[constraints]

    def _forget(self, constraints: SentenceConstraints) -> None:
        """Frees a table; a large one, which takes 25 ms, in another thread: the next request may use the model."""
        is_large = self._kept[constraints].num_learned > _MAX_FREED_AT_ONCE
        forgotten = [self._kept.pop(constraints)]
        if is_large:
            free_beside(forgotten)


class _Constraints:
    """The compiled table of the states of one sentence's constraints (constraints.h)."""

    def __init__(self, library: ctypes.CDLL, vocabulary: int, numbers: _Int32s) -> None:
        self._library = library
        made, message = c_void_p(), ctypes.create_string_buffer(_MESSAGE_SIZE)
        status = library.pinpoint_search_constraints_new(
            vocabulary, numbers.ctypes, len(numbers), ctypes.byref(made), message, _MESSAGE_SIZE
        )
        if status == _OUT_OF_MEMORY:
            raise MemoryError("not enough memory for the constraints")
        if status != _DONE:
            raise CompiledSearchError(message.value.decode(errors="replace"))
        self.handle = made

    def __del__(self) -> None:
        if getattr(self, "handle", None):
            self._library.pinpoint_search_constraints_free(self.handle)

    @property
    def num_learned(self) -> int:
        """The states and transitions that searches have learned."""
        found: int = self._library.pinpoint_search_constraints_size(self.handle)
        return found


class _Guard:
    """Stores the exception of a callback, since none may pass through compiled code."""

    def __init__(self) -> None:
        self.error: BaseException | None = None

    def __call__(self, function: Callable[..., int]) -> Callable[..., int]:
        def guarded(*arguments: Any) -> int:
            try:
                return function(*arguments)
            except Interrupted as interrupted:
                return _ANSWER_OF[interrupted.cause]
            except BaseException as error:  # of any kind: the caller of the search raises it
                self.error = error
                return _FAILED

        return guarded


class _Run:
    """One search."""

    def __init__(self, library: ctypes.CDLL, vocabulary: SearchVocabulary, guard: _Guard, sentence: Sentence) -> None:
        self._library = library
        self._vocabulary = vocabulary
        self._guard = guard
        self._sentence = sentence
        self._text_numbers: dict[str, int] = {}

    def __call__(self, steps: int, vocabulary_handle: int, constraints: _Constraints) -> Searched:
        sentence, guard = self._sentence, self._guard
        interruption: Interruption = sentence.interruption
        guard.error = None
        callbacks = _Callbacks(
            _Interrupted(guard(self._interrupted)) if interruption.is_possible else _Interrupted(),
            _TextNumber(guard(self._text_number)),
        )
        task, held = self._task()
        nbest, longest = sentence.options.nbest, sentence.max_length
        pieces, log_probs = np.zeros((nbest, longest), dtype=np.int32), np.zeros((nbest, longest))
        scores = np.zeros((nbest, len(_SCORES)))
        lengths, num_missing = np.zeros(nbest, dtype=np.int32), np.zeros(nbest, dtype=np.int32)
        output = _Output(*(array.ctypes.data for array in (pieces, log_probs, scores, lengths, num_missing)))
        status = self._library.pinpoint_search_run(
            steps,
            vocabulary_handle,
            constraints.handle,
            ctypes.byref(task),
            ctypes.byref(callbacks),
            ctypes.byref(output),
        )
        del held
        if status == _CALLBACK_FAILED:
            assert guard.error is not None
            raise guard.error
        if status == _OUT_OF_MEMORY:
            raise MemoryError("not enough memory for the search")
        if status == _TOO_LONG:
            raise InvalidRequest(f"the model cannot write {longest} pieces; ask for a shorter translation")
        if status != _DONE:
            raise CompiledSearchError(output.message.decode(errors="replace"))
        found = tuple(
            SearchHypothesis(
                tuple(pieces[i, : lengths[i]].tolist()),
                tuple(log_probs[i, : lengths[i]].tolist()),
                **dict(zip(_SCORES, scores[i].tolist(), strict=True)),
                num_missing=int(num_missing[i]),
                is_satisfying=bool(output.is_satisfying),
            )
            for i in range(output.num_hypotheses)
        )
        result = SentenceResult(_OUTCOMES[output.outcome], found, output.num_steps)
        return Searched(result, output.num_model_steps, output.num_rows)

    def _task(self) -> tuple[_Task, Sequence[object]]:
        """The task, and what it points to."""
        sentence = self._sentence
        options, scoring, followed = sentence.options, sentence.scoring, sentence.followed
        previous = np.array(followed.pieces if followed else (), dtype=np.int32)
        is_required = np.zeros(len(previous), dtype=np.uint8)
        if followed:
            is_required[list(followed.required)] = 1
        task = _Task(
            pruning_threshold=_or_infinity(options.pruning_threshold),
            bank_threshold=_or_infinity(options.bank_threshold),
            late_penalty=options.late_penalty,
            repetition_penalty=options.repetition_penalty,
            reward=scoring.reward,
            target_length=scoring.target_length,
            follow_strength=followed.strength if followed else 0.0,
            followed=previous.ctypes.data,
            is_required=is_required.ctypes.data,
            followed_length=len(previous) if followed else -1,
            beam=options.beam,
            nbest=options.nbest,
            max_children=options.max_children or 0,
            max_length=sentence.max_length,
            max_sentences=sentence.max_sentences,
            max_repeats=sentence.max_repeats,
            score=_SCORE_KINDS[scoring.kind],
            stopping=_STOPPINGS[options.stopping],
            keeps_finished=options.finished == "keep",
            prunes_by_first=options.pruning == "first_finished",
            spreads=options.crowding == "spread",
        )
        return task, (previous, is_required)

    def _interrupted(self) -> int:
        cause = self._sentence.interruption.cause()
        return _ANSWER_OF[cause] if cause else 0

    def _text_number(self, pieces: Any, count: int) -> int:
        text = self._vocabulary.text_of(pieces[:count])
        return self._text_numbers.setdefault(text, len(self._text_numbers))


def _or_infinity(threshold: float | None) -> float:
    return float("inf") if threshold is None else threshold


def _is_text_of_surfaces(vocabulary: SearchVocabulary) -> bool:
    """True if texts are the surfaces of their pieces with spaces between them; bytes write characters together."""
    surfaces = "".join(vocabulary.texts.surfaces)
    return vocabulary.writes_surfaces and not has_bytes(surfaces) and "\0" not in surfaces


def _bans(vocabulary: SearchVocabulary) -> npt.NDArray[np.uint8]:
    """By piece: which rows may not write it (vocabulary.h)."""
    bans_V = np.where(vocabulary.closing_V, 0, 4).astype(np.uint8)
    bans_V[list(vocabulary.roles.never)] |= 1
    bans_V[list(vocabulary.byte_masks.not_first)] |= 2
    return bans_V


def _characters(
    surfaces: Sequence[str],
) -> tuple[_Int32s, npt.NDArray[np.uint32], npt.NDArray[np.uint32]]:
    """Where the characters of each piece begin, all characters as numbers of an alphabet, and this (vocabulary.h)."""
    starts = np.cumsum([0, *map(len, surfaces)], dtype=np.int32)
    characters = np.frombuffer("".join(surfaces).encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    found, places = np.unique(characters, return_inverse=True)
    alphabet = np.array([_described(code) for code in found.tolist()], dtype=np.uint32).reshape(-1, 4)
    return starts, places.astype(np.uint32).ravel(), alphabet


def _described(code: int) -> tuple[int, int, int, int]:
    """A character with its small letter, the first character of that, and its class (`Character` in vocabulary.h)."""
    character = chr(code)
    lower = character.lower()
    facts = (
        is_mark(character),
        character.isspace(),
        character in SENTENCE_ENDS,
        character in SENTENCE_CLOSERS,
        character in SENTENCE_OPENERS,
    )
    traits = kind_of(character) + sum(4 << place for place, fact in enumerate(facts) if fact)
    return code, ord(lower) if len(lower) == 1 else 0, ord(lower[0]), traits


def _describe(code: int, found: Any) -> int:
    for place, fact in enumerate(_described(code)):
        found[place] = fact
    return 0


def _in_numbers(constraints: SentenceConstraints, texts: IndexedTexts) -> list[int]:
    """The constraints as numbers (constraint_numbers.h)."""
    automaton = PhraseAutomaton(constraints.phrases, texts)
    numbers = [len(automaton.phrases)]
    for number, phrase in enumerate(automaton.phrases):
        limits = (-1 if limit is None else limit for limit in (phrase.turn, phrase.max_count))
        numbers += (phrase.count, phrase.num_pieces, *limits, automaton.group_of.get(number, -1), phrase.ends_text)
    numbers += _patterns_in_numbers(automaton.patterns)
    numbers.append(len(automaton.spellings))
    for number, spelling in automaton.spellings:
        numbers += (number, len(spelling.pieces), *spelling.pieces, len(spelling.lengths), *spelling.lengths)
    numbers.append(MaxCounts(automaton, texts).fits_in_a_piece)
    if not (constraints.avoided or constraints.prefix):
        return [*numbers, False]
    prefix_avoid = PrefixAvoidAutomaton(constraints, texts)
    numbers += (True, *_patterns_in_numbers(prefix_avoid.patterns), prefix_avoid.num_avoided)
    numbers += _characters_in_numbers(prefix_avoid.folded(prefix_avoid.prefix))
    numbers.append(len(prefix_avoid.prefix))
    for written in range(len(prefix_avoid.prefix)):
        beginnings = prefix_avoid.beginnings(written)
        numbers.append(len(beginnings))
        for beginning in beginnings:
            numbers += (ord(beginning[0]), ord(beginning[1]) if len(beginning) > 1 else 0)
    numbers.append(len(prefix_avoid.fixed))
    for (written, num_bytes), piece in prefix_avoid.fixed.items():
        numbers += (written, num_bytes, piece)
    return [*numbers, prefix_avoid.open_from, prefix_avoid.ignores_case]


def _patterns_in_numbers(patterns: Sequence[Pattern]) -> list[int]:
    numbers = [len(patterns)]
    for pattern in patterns:
        flags = (
            pattern.bounded_left,
            pattern.bounded_right,
            pattern.is_initial,
            pattern.goes_on,
            pattern.ends_in_digit,
            pattern.joins_numbers,
            is_digit(pattern.text[0]),
            pattern.ignores_case,
        )
        numbers += (pattern.owner, sum(1 << place for place, flag in enumerate(flags) if flag))
        numbers += _characters_in_numbers(pattern.text)
    return numbers


def _characters_in_numbers(text: str) -> list[int]:
    return [len(text), *map(ord, text)]


def declared(library: ctypes.CDLL) -> ctypes.CDLL:
    """The library with the types of the functions that are called here.

    Raises CompiledSearchError for a library of another version.
    """
    library.pinpoint_search_sizes.argtypes, library.pinpoint_search_sizes.restype = (_p_int32,), None
    sizes_here = [ctypes.sizeof(one) for one in (_Task, _Output, _Callbacks, c_uint32 * 4)]
    sizes = (c_int32 * len(sizes_here))()
    library.pinpoint_search_sizes(sizes)
    if [*sizes] != sizes_here:
        raise CompiledSearchError("the compiled core is of another version; run `python -m engine.compiled.build`")
    library.pinpoint_search_vocabulary_new.argtypes = (
        *(c_int32,) * 3,
        *(c_void_p,) * 2,
        POINTER(c_char_p),
        *(c_void_p,) * 4,
        c_int32,
        _Describe,
    )
    library.pinpoint_search_vocabulary_new.restype = c_void_p
    library.pinpoint_search_constraints_new.argtypes = (c_void_p, c_void_p, c_int32, c_void_p, c_void_p, c_int32)
    library.pinpoint_search_constraints_new.restype = c_int32
    library.pinpoint_search_constraints_size.argtypes = (c_void_p,)
    library.pinpoint_search_constraints_size.restype = c_int32
    for function in (library.pinpoint_search_vocabulary_free, library.pinpoint_search_constraints_free):
        function.argtypes, function.restype = (c_void_p,), None
    library.pinpoint_search_run.argtypes = (c_void_p,) * 6
    library.pinpoint_search_run.restype = c_int32
    return library
