"""Runs the compiled search and the Python search of a sentence on the same tiny model."""

from __future__ import annotations

import ctypes
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from ctypes import POINTER, c_float, c_int, c_int32, c_void_p
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from engine.compiled.build import compiler
from engine.search.compiled import CompiledSearch, Searched
from engine.search.sentence import Sentence
from tests.reference.toy import BEGIN, ToyModel, ToyTexts, toy_stream

_SOURCE = Path(__file__).with_name("table_steps.cpp")
_LogProbs = ctypes.CFUNCTYPE(c_int32, POINTER(c_int32), c_int32, POINTER(c_float))


@cache
def table_steps() -> ctypes.CDLL:
    """The trees of prefixes of the tests, compiled."""
    command = compiler()
    if command is None:
        pytest.skip("there is no C++ compiler")
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "table_steps.so"
        subprocess.run([*command, "-std=c++17", "-shared", "-fPIC", str(_SOURCE), "-o", str(target)], check=True)
        found = ctypes.CDLL(str(target))
    found.table_steps_new.argtypes, found.table_steps_new.restype = (c_int, _LogProbs), c_void_p
    found.table_steps_free.argtypes, found.table_steps_free.restype = (c_void_p,), None
    return found


@contextmanager
def steps_of(model: ToyModel, sentence: int) -> Iterator[int]:
    """The tree of prefixes of one of the model's sentences."""

    def log_probs(pieces, count, found) -> int:
        try:
            values = model.log_probs(sentence, (BEGIN, *pieces[:count])).numpy()
            np.ctypeslib.as_array(found, values.shape)[:] = values
            return 0
        except BaseException:
            return -1

    function = _LogProbs(log_probs)
    steps = table_steps().table_steps_new(model.vocabulary_size, function)
    try:
        yield steps
    finally:
        table_steps().table_steps_free(steps)


def compiled_search(model: ToyModel, sentence: Sentence, search: CompiledSearch) -> Searched:
    """The sentence of the model that `sentence.source` numbers, searched by the compiled search."""
    with steps_of(model, sentence.source) as steps:
        return search.run(steps, sentence)


def python_search(model: ToyModel, texts: ToyTexts, sentence: Sentence) -> Searched:
    """The same by the search in Python."""
    stream = toy_stream(model, texts, batch_size=1)
    [ended] = stream.run([sentence])
    if ended.error is not None:
        raise ended.error
    assert ended.result is not None
    return Searched(ended.result, stream.counts.num_steps, stream.counts.num_expansions)
