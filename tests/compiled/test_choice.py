"""Which models the compiled core decodes, and how others are decoded."""

from __future__ import annotations

import pytest

from engine import ModelError, Translator, use_core
from engine.bundled_data import DATA_FOLDER
from engine.compiled.c_interface import Core, CoreError
from engine.model import compiled_model
from engine.model.compiled_model import KERNEL_NAMES

FOLDER = DATA_FOLDER / "models" / "en-de"


@pytest.fixture(autouse=True)
def _core(core: Core, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiled_model, "core", lambda: core)


@pytest.mark.parametrize("precision", ["int8", "auto"])
def test_model_in_8_bits_is_decoded_in_the_core(precision) -> None:
    translator = Translator.load(FOLDER, precision=precision)
    assert translator.precision == "int8"
    assert translator.decoder in [f"compiled core, 8 bits ({name})" for name in KERNEL_NAMES.values()]


def test_32_bits_are_decoded_by_pytorch() -> None:
    assert Translator.load(FOLDER).decoder == "PyTorch: the precision is float32"


def test_core_can_be_turned_off() -> None:
    translator = Translator.load(FOLDER, precision="auto", is_compiled=False)
    assert (translator.precision, translator.decoder) == ("float32", "PyTorch: the compiled core is turned off")
    with pytest.raises(ModelError, match="need the compiled core, but the compiled core is turned off"):
        Translator.load(FOLDER, precision="int8", is_compiled=False)


def test_core_can_be_turned_off_for_all_models_of_a_process() -> None:
    use_core(False)
    try:
        assert Translator.load(FOLDER, precision="auto").decoder == "PyTorch: the compiled core is turned off"
    finally:
        use_core(True)
    assert Translator.load(FOLDER, precision="auto").precision == "int8"


def test_core_that_is_not_built_is_named_with_the_cure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiled_model, "core", lambda: None)
    assert Translator.load(FOLDER, precision="auto").decoder == "PyTorch: the compiled core has not been built"
    with pytest.raises(ModelError, match=r"has not been built; .* run `python -m engine\.compiled\.build`"):
        Translator.load(FOLDER, precision="int8")


def test_core_without_fast_products_is_not_the_automatic_choice(core: Core, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(core, "kernels", lambda: {"avx2": False, "plain": True})
    translator = Translator.load(FOLDER, precision="auto")
    assert translator.precision == "float32"
    assert "no fast products for this processor" in translator.decoder


def test_damaged_core_does_not_keep_a_model_from_loading(monkeypatch: pytest.MonkeyPatch) -> None:
    def damaged():
        raise CoreError("core.so cannot be loaded")

    monkeypatch.setattr(compiled_model, "core", damaged)
    assert Translator.load(FOLDER, precision="auto").decoder == "PyTorch: core.so cannot be loaded"
