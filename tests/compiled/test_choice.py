"""Which models the compiled core decodes, and how others are decoded."""

from __future__ import annotations

import warnings
from dataclasses import replace

import pytest

from engine.compiled.c_interface import Core
from engine.model import Transformer, compiled_model
from engine.model.packed_weights import pack
from tests.compiled.test_compiled_model import CONFIG
from tests.compiled.twin import random_model


@pytest.fixture
def model(core: Core, monkeypatch: pytest.MonkeyPatch) -> Transformer:
    monkeypatch.setattr(compiled_model, "core", lambda: core)
    return random_model(CONFIG)


def test_model_in_8_bits_is_decoded_in_the_core(model: Transformer) -> None:
    pack(model, "int8")
    assert model.compiled is not None


def test_other_precisions_are_decoded_by_pytorch(model: Transformer) -> None:
    pack(model, "float32")
    assert model.compiled is None


def test_core_can_be_turned_off(model: Transformer) -> None:
    pack(model, "int8", is_compiled=False)
    assert model.compiled is None


def test_core_that_is_not_built_is_named_with_the_cure(model: Transformer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiled_model, "core", lambda: None)
    with pytest.warns(UserWarning, match="has not been built, .* run `python -m engine.compiled.build`"):
        pack(model, "int8")
    assert model.compiled is None


@pytest.mark.usefixtures("model")
def test_recurrent_decoder_is_not_covered_and_needs_no_warning() -> None:
    recurrent = random_model(replace(CONFIG, decoder="ssru", norm="after"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert compiled_model.compile_if_covered(recurrent) is None
    assert compiled_model.why_not_compiled(recurrent.config) == "the decoder is a recurrence (SSRU)"


@pytest.mark.usefixtures("model")
def test_weights_made_in_8_bits_keep_their_own_steps() -> None:
    assert compiled_model.compile_if_covered(random_model(CONFIG), {"output": (0.01,)}) is None
