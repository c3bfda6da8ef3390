"""The search of one sentence as one call of compiled code (`engine/compiled/search`): the exact twin of `BeamSearch`.

Phrases are tracked in compiled code, too. For what that does not cover (`_compiled_phrases`), the compiled search asks
the tracker in Python for the next states of the constraints; and if texts are not the surfaces of their pieces, which
hypotheses write the same text.
"""

from __future__ import annotations

import ctypes
from collections import OrderedDict
from collections.abc import Callable, Sequence
from ctypes import POINTER, c_char, c_char_p, c_double, c_int32, c_int64, c_uint8, c_void_p
from dataclasses import dataclass
from typing import Any, Final, get_args

import numpy as np
import numpy.typing as npt

from engine.errors import EngineError, InvalidRequest
from engine.interruption import NEVER, Cause, Interrupted, Interruption
from engine.search.automaton import PhraseAutomaton
from engine.search.finished import SearchHypothesis
from engine.search.indexed import IndexedTexts
from engine.search.matching import kind_of
from engine.search.phrases import PieceTexts, SentenceConstraints
from engine.search.rows import ForcedPrefix, forced_prefix
from engine.search.sentence import Outcome, SearchVocabulary, Sentence, SentenceResult
from engine.search.tracker import FREE, ConstraintTracker
from engine.search_options import Score, Stopping
from engine.text import has_bytes
from engine.text.boundaries import SENTENCE_CLOSERS, SENTENCE_ENDS, SENTENCE_OPENERS, is_digit, is_mark

_CAPACITY: Final = 1024  # transitions that are asked for in one call
_MAX_NUMBERS: Final = 2**18  # of the records of as many states: with 1,000 phrases, 100 states at once
_MAX_KEPT: Final = 16  # sets of constraints
_SCORES: Final = ("log_prob", "score", "penalty", "total", "ranking_score")  # columns of the output
_MESSAGE_SIZE: Final = 256
_NUM_IDLE: Final = 3  # columns of records
_START: Final = 2  # the state of the empty text in the compiled automaton (phrases.h)

# Answers of callbacks and results of a search, as in callbacks.h, task.h and search_interface.cpp.
_FAILED: Final = -1
_WHOLE: Final = -4
_ANSWER_OF: Final[dict[Cause, int]] = {"cancelled": -2, "deadline": -3}
_OUTCOMES: Final[tuple[Outcome, ...]] = ("complete", "unmet", "failed", "deadline", "cancelled")
_CALLBACK_FAILED, _DONE, _OUT_OF_MEMORY, _TOO_LONG = -1, 0, 2, 4

_Int32s = npt.NDArray[np.int32]
_p_int32, _p_uint8, _p_double = POINTER(c_int32), POINTER(c_uint8), POINTER(c_double)
_Interrupted = ctypes.CFUNCTYPE(c_int32)
_TextNumber = ctypes.CFUNCTYPE(c_int32, _p_int32, c_int32)
_NextBytes = ctypes.CFUNCTYPE(c_int32, _p_uint8, c_int32, _p_int32)
_OfNumber = ctypes.CFUNCTYPE(c_int32, c_int32)


class _Callbacks(ctypes.Structure):
    _fields_ = (("interrupted", _Interrupted), ("text_number", _TextNumber), ("next_bytes", _NextBytes))


class _TrackerCallbacks(ctypes.Structure):
    _fields_ = tuple((name, _OfNumber) for name in ("follow", "describe", "forced", "prefix_pieces"))


class _Buffers(ctypes.Structure):
    _fields_ = (
        *((name, c_void_p) for name in ("states", "pieces", "next", "completed", "records", "choices")),
        ("capacity", c_int32),
    )


class _Task(ctypes.Structure):
    _fields_ = (
        *((name, c_double) for name in ("pruning_threshold", "bank_threshold", "late_penalty", "repetition_penalty")),
        *((name, c_double) for name in ("reward", "target_length", "follow_strength")),
        *((name, c_void_p) for name in ("prefix", "prefix_met", "followed", "is_required")),
        *((name, c_int32) for name in ("prefix_length", "prefix_state")),
        ("prefix_endings", c_int32 * 3),
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
        bans_V, traits_V, bytes_V = _tables(vocabulary)
        layouts_V = IndexedTexts.of(vocabulary.texts).layouts.of_V.astype(np.int32)
        starts, characters, classes = _characters(vocabulary.texts.surfaces)
        roles = vocabulary.roles
        surfaces = [surface.encode(errors="surrogatepass") for surface in vocabulary.texts.surfaces]
        self._handle = library.pinpoint_search_vocabulary_new(
            vocabulary.size,
            roles.begin,
            roles.end,
            bans_V.ctypes,
            traits_V.ctypes,
            bytes_V.ctypes,
            (c_char_p * len(surfaces))(*surfaces) if _is_text_of_surfaces(vocabulary) else None,
            layouts_V.ctypes,
            starts.ctypes,
            characters.ctypes,
            classes.ctypes,
        )
        if not self._handle:
            raise MemoryError
        self._has_bytes = any(map(has_bytes, vocabulary.texts.surfaces))
        self._kept: OrderedDict[SentenceConstraints, _Constraints] = OrderedDict()

    def __del__(self) -> None:
        if getattr(self, "_handle", None):
            self._library.pinpoint_search_vocabulary_free(self._handle)

    def run(self, steps: int, sentence: Sentence) -> Searched:
        """Search a sentence in a tree of prefixes of its source: `steps` points to it (`engine/compiled/steps.h`)."""
        tracked = self._tracked(sentence.constraints)
        run = _Run(self._library, self._vocabulary, tracked, sentence)
        return run(steps, self._handle)

    def _tracked(self, constraints: SentenceConstraints) -> _Constraints:
        """The states of these constraints, with all that earlier searches have learned about them."""
        if constraints not in self._kept:
            self._kept[constraints] = self._compiled_phrases(constraints) or _Tracked(
                self._library, constraints, self._vocabulary.texts
            )
            if len(self._kept) > _MAX_KEPT:
                self._kept.popitem(last=False)
        self._kept.move_to_end(constraints)
        return self._kept[constraints]

    def _compiled_phrases(self, constraints: SentenceConstraints) -> _Constraints | None:
        """The constraints as the compiled automaton tracks them; None for those that it does not cover."""
        is_bounded = constraints.avoided or constraints.prefix or any(p.max_count for p in constraints.phrases)
        if self._has_bytes or is_bounded:
            return None
        automaton = PhraseAutomaton(constraints.phrases, self._vocabulary.texts)
        if automaton.sharing:
            return None
        numbers = np.array(_in_numbers(automaton), dtype=np.int32)
        return _Constraints(self._library, self._library.pinpoint_search_phrases_new(self._handle, numbers.ctypes))


class _Constraints:
    """The compiled table of the states of one sentence's constraints (constraints.h)."""

    def __init__(self, library: ctypes.CDLL, handle: int | None) -> None:
        self.interruption = NEVER
        self.guard = _Guard()
        self._library = library
        self.handle = handle
        if not self.handle:
            raise MemoryError

    def __del__(self) -> None:
        if getattr(self, "handle", None):
            self._library.pinpoint_search_constraints_free(self.handle)

    def beginning(self, sentence: Sentence, never: tuple[int, ...]) -> ForcedPrefix:
        """The pieces that the sentence must begin with."""
        constraints = sentence.constraints
        node = FREE if constraints.is_empty else _START
        return ForcedPrefix((), node, np.zeros(len(constraints.phrases), dtype=np.int64))


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


class _Tracked(_Constraints):
    """Constraints whose states come from the tracker in Python."""

    def __init__(self, library: ctypes.CDLL, constraints: SentenceConstraints, texts: PieceTexts) -> None:
        self.tracker = ConstraintTracker([constraints], texts)
        guard, tracker = _Guard(), self.tracker
        num_phrases = len(constraints.phrases)
        num_columns = tracker.tables.records(np.zeros(0, dtype=np.int64)).shape[1] + _NUM_IDLE
        capacity = max(1, min(_CAPACITY, _MAX_NUMBERS // num_columns))
        self._states, self._pieces, self._next = (np.zeros(capacity, dtype=np.int32) for _ in range(3))
        self._completed = np.zeros((capacity, num_phrases), dtype=np.int32)
        self._records = np.zeros((capacity, num_columns), dtype=np.int32)
        self._choices = np.zeros(max(tracker.tables.forced.values[0].size, len(texts.surfaces)), dtype=np.int32)
        arrays = (self._states, self._pieces, self._next, self._completed, self._records, self._choices)
        buffers = _Buffers(*(array.ctypes.data for array in arrays), capacity)
        functions = (self._follow, self._describe, self._forced, self._prefix_pieces)
        self._callbacks = _TrackerCallbacks(*(_OfNumber(guard(function)) for function in functions))
        facts = tracker.phrases_of
        phrases = np.stack(
            [table.values[0] for table in (facts.required, facts.num_pieces, facts.is_sharing, facts.ends_text)], 1
        ).astype(np.int32)
        handle = library.pinpoint_search_constraints_new(
            num_phrases,
            phrases.ctypes,
            int(tracker.num_tokens_B[0]),
            tracker.has_avoided,
            len(texts.surfaces),
            tracker.layouts(0).ctypes,
            ctypes.byref(buffers),
            ctypes.byref(self._callbacks),
        )
        super().__init__(library, handle)
        self.guard = guard

    def beginning(self, sentence: Sentence, never: tuple[int, ...]) -> ForcedPrefix:
        """The pieces that the sentence must begin with."""
        return forced_prefix(self.tracker, 0, sentence.max_length, never)

    def _follow(self, count: int) -> int:
        states, pieces = self._states[:count].tolist(), self._pieces[:count].tolist()
        self._next[:count], rows = zip(*self.tracker.follow_each(states, pieces, self.interruption), strict=True)
        self._completed[:count] = self.tracker.completions[list(rows)] if any(rows) else 0
        return 0

    def _describe(self, count: int) -> int:
        nodes_N = self._states[:count].astype(np.int64)
        for place, node in enumerate(nodes_N.tolist()):
            self.interruption.check()  # the next takes ten milliseconds where phrases share forms
            self._records[place, :_NUM_IDLE] = self.tracker.idle(node)
        self._records[:count, _NUM_IDLE:] = self.tracker.tables.records(nodes_N)
        return 0

    def _forced(self, state: int) -> int:
        self.interruption.check()  # it takes ten milliseconds where phrases share forms
        forced = self.tracker.forced_by_phrase(state)
        self._choices[: forced.size] = forced.ravel()
        return forced.size

    def _prefix_pieces(self, state: int) -> int:
        pieces = self.tracker.prefix_pieces(state)
        self._choices[: len(pieces)] = pieces
        return len(pieces)


class _Run:
    """One search."""

    def __init__(
        self, library: ctypes.CDLL, vocabulary: SearchVocabulary, tracked: _Constraints, sentence: Sentence
    ) -> None:
        self._library = library
        self._vocabulary = vocabulary
        self._tracked = tracked
        self._sentence = sentence
        self._text_numbers: dict[str, int] = {}

    def __call__(self, steps: int, vocabulary_handle: int) -> Searched:
        sentence, tracked = self._sentence, self._tracked
        interruption: Interruption = sentence.interruption
        tracked.interruption, tracked.guard.error = interruption, None
        guard = tracked.guard
        callbacks = _Callbacks(
            _Interrupted() if interruption is NEVER else _Interrupted(guard(self._interrupted)),
            _TextNumber(guard(self._text_number)),
            _NextBytes(guard(self._next_bytes)),
        )
        beginning = tracked.beginning(sentence, self._vocabulary.roles.never)
        task, held = self._task(beginning)
        nbest, longest = sentence.options.nbest, sentence.max_length
        pieces, log_probs = np.zeros((nbest, longest), dtype=np.int32), np.zeros((nbest, longest))
        scores = np.zeros((nbest, len(_SCORES)))
        lengths, num_missing = np.zeros(nbest, dtype=np.int32), np.zeros(nbest, dtype=np.int32)
        output = _Output(*(array.ctypes.data for array in (pieces, log_probs, scores, lengths, num_missing)))
        status = self._library.pinpoint_search_run(
            steps,
            vocabulary_handle,
            tracked.handle,
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

    def _task(self, beginning: ForcedPrefix) -> tuple[_Task, Sequence[object]]:
        """The task, and what it points to."""
        sentence = self._sentence
        options, scoring, followed = sentence.options, sentence.scoring, sentence.followed
        prefix, met = np.array(beginning.pieces, dtype=np.int32), beginning.met_P.astype(np.int32)
        previous = np.array(followed.pieces if followed else (), dtype=np.int32)
        is_required = np.zeros(len(previous), dtype=np.uint8)
        if followed:
            is_required[list(followed.required)] = 1
        endings = (0, 0, 0)
        if options.late_penalty:
            endings = self._vocabulary.endings.behind([beginning.pieces])[0].tolist()
        task = _Task(
            pruning_threshold=_or_infinity(options.pruning_threshold),
            bank_threshold=_or_infinity(options.bank_threshold),
            late_penalty=options.late_penalty,
            repetition_penalty=options.repetition_penalty,
            reward=scoring.reward,
            target_length=scoring.target_length,
            follow_strength=followed.strength if followed else 0.0,
            prefix=prefix.ctypes.data,
            prefix_met=met.ctypes.data,
            followed=previous.ctypes.data,
            is_required=is_required.ctypes.data,
            prefix_length=len(prefix),
            prefix_state=beginning.node,
            prefix_endings=(c_int32 * 3)(*endings),
            followed_length=len(previous) if followed else -1,
            beam=options.beam,
            nbest=options.nbest,
            max_children=options.max_children or 0,
            max_length=sentence.max_length,
            max_sentences=sentence.max_sentences,
            max_repeats=sentence.max_repeats,
            score=get_args(Score).index(scoring.kind),
            stopping=get_args(Stopping).index(options.stopping),
            keeps_finished=options.finished == "keep",
            prunes_by_first=options.pruning == "first_finished",
            spreads=options.crowding == "spread",
        )
        return task, (prefix, met, previous, is_required)

    def _interrupted(self) -> int:
        cause = self._sentence.interruption.cause()
        return _ANSWER_OF[cause] if cause else 0

    def _text_number(self, pieces: Any, count: int) -> int:
        text = self._vocabulary.text_of(pieces[:count])
        return self._text_numbers.setdefault(text, len(self._text_numbers))

    def _next_bytes(self, run: Any, count: int, pieces: Any) -> int:
        found = self._vocabulary.byte_masks.after(bytes(run[:count]))
        if found is None:
            return _WHOLE
        for place, piece in enumerate(found):
            pieces[place] = piece
        return len(found)


def _or_infinity(threshold: float | None) -> float:
    return float("inf") if threshold is None else threshold


def _is_text_of_surfaces(vocabulary: SearchVocabulary) -> bool:
    """True if texts are the surfaces of their pieces with spaces between them; bytes write characters together."""
    has_bytes = bool((vocabulary.byte_masks.values_V >= 0).any())
    return vocabulary.writes_surfaces and not has_bytes and "\0" not in "".join(vocabulary.texts.surfaces)


def _tables(vocabulary: SearchVocabulary) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.uint8], npt.NDArray[np.int16]]:
    """By piece: who may not write it, what it does to sentences, and the value of a byte (vocabulary.h)."""
    bans_V = np.where(vocabulary.closing_V, 0, 4).astype(np.uint8)
    bans_V[list(vocabulary.roles.never)] |= 1
    bans_V[list(vocabulary.byte_masks.not_first)] |= 2
    return bans_V, vocabulary.endings.traits, vocabulary.byte_masks.values_V.astype(np.int16)


def _characters(
    surfaces: Sequence[str],
) -> tuple[_Int32s, npt.NDArray[np.uint32], npt.NDArray[np.uint8]]:
    """Where the characters of each piece begin, and all characters with their classes (vocabulary.h)."""
    starts = np.cumsum([0, *map(len, surfaces)], dtype=np.int32)
    characters = np.frombuffer("".join(surfaces).encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    found, places = np.unique(characters, return_inverse=True)
    classes = np.array([_class_of(chr(character)) for character in found.tolist()], dtype=np.uint8)
    return starts, characters, classes[places]


def _class_of(character: str) -> int:
    facts = (
        is_mark(character),
        character.isspace(),
        character in SENTENCE_ENDS,
        character in SENTENCE_CLOSERS,
        character in SENTENCE_OPENERS,
    )
    return kind_of(character) + sum(4 << place for place, fact in enumerate(facts) if fact)


def _in_numbers(automaton: PhraseAutomaton) -> list[int]:
    """The phrases as numbers (`pinpoint_search_phrases_new`)."""
    numbers = [len(automaton.phrases)]
    for phrase in automaton.phrases:
        numbers += (phrase.count, phrase.num_pieces, -1 if phrase.turn is None else phrase.turn, phrase.ends_text)
    numbers.append(len(automaton.patterns))
    for pattern in automaton.patterns:
        flags = (
            pattern.bounded_left,
            pattern.bounded_right,
            pattern.is_initial,
            pattern.goes_on,
            pattern.ends_in_digit,
            pattern.joins_numbers,
            is_digit(pattern.text[0]),
        )
        numbers += (pattern.owner, sum(1 << place for place, flag in enumerate(flags) if flag), len(pattern.text))
        numbers += map(ord, pattern.text)
    numbers.append(len(automaton.spellings))
    for number, spelling in automaton.spellings:
        numbers += (number, len(spelling.pieces), *spelling.pieces, *spelling.lengths)
    return numbers


def declared(library: ctypes.CDLL) -> ctypes.CDLL:
    """The library with the types of the functions that are called here.

    Raises CompiledSearchError for a library of another version.
    """
    library.pinpoint_search_sizes.argtypes, library.pinpoint_search_sizes.restype = (_p_int32,), None
    structures = (_Task, _Output, _Callbacks, _TrackerCallbacks, _Buffers)
    sizes = (c_int32 * len(structures))()
    library.pinpoint_search_sizes(sizes)
    if [*sizes] != [*map(ctypes.sizeof, structures)]:
        raise CompiledSearchError("the compiled core is of another version; run `python -m engine.compiled.build`")
    library.pinpoint_search_vocabulary_new.argtypes = (
        *(c_int32,) * 3,
        *(c_void_p,) * 3,
        POINTER(c_char_p),
        *(c_void_p,) * 4,
    )
    library.pinpoint_search_vocabulary_new.restype = c_void_p
    library.pinpoint_search_constraints_new.argtypes = (c_int32, c_void_p, *(c_int32,) * 3, *(c_void_p,) * 3)
    library.pinpoint_search_constraints_new.restype = c_void_p
    library.pinpoint_search_phrases_new.argtypes = (c_void_p, c_void_p)
    library.pinpoint_search_phrases_new.restype = c_void_p
    for function in (library.pinpoint_search_vocabulary_free, library.pinpoint_search_constraints_free):
        function.argtypes, function.restype = (c_void_p,), None
    library.pinpoint_search_run.argtypes = (c_void_p,) * 6
    library.pinpoint_search_run.restype = c_int32
    return library
