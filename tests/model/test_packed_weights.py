"""Packed weights: what they compute, that rows do not see each other, and what happens where a CPU cannot."""

from __future__ import annotations

import copy
import dataclasses

import pytest
import torch
from hypothesis import example, given, settings
from hypothesis import strategies as st

from engine.model import Decoder, ModelConfig, Transformer, packed_weights
from engine.model.activations import attach_gauges
from engine.model.config import Activation
from engine.model.packed_weights import CalibratedLinear, HalfWeightLinear, Int8Linear, can_multiply_int8, pack
from engine.model.transformer import Precision
from engine.text import BOS, EOS
from tests.budget import rounds

needs_fbgemm = pytest.mark.skipif(not can_multiply_int8(), reason="no FBGEMM on this processor")

V = 96
CONFIG = ModelConfig(
    vocabulary_size=V,
    directions=("en-de",),
    model_size=32,
    num_heads=2,
    feed_forward_size=64,
    encoder_layers=1,
    decoder_layers=2,
    max_pieces=48,
)
SIZES = st.sampled_from((1, 2, 5, 8, 16, 17, 31, 32, 64, 100, 130))


def random_model(seed: int = 0, activation: Activation = "relu") -> Transformer:
    """Weights that 16 bits hold, as those of a model file, and large enough to tell pieces apart."""
    torch.manual_seed(seed)
    model = Transformer(dataclasses.replace(CONFIG, activation=activation)).eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(0.1 * torch.randn_like(parameter))
            parameter.copy_(parameter.half().float())
    return model


def packed_model(precision: Precision) -> Transformer:
    model = random_model()
    pack(model, precision, smallest=1)
    return model


def random_rows(num_rows: int, size: int) -> torch.Tensor:
    """Rows of most different magnitudes, as decoder states have them."""
    return torch.randn(num_rows, size) * torch.logspace(-3, 3, num_rows)[torch.randperm(num_rows), None]


@needs_fbgemm
@settings(max_examples=rounds(15, 60))
@given(seed=st.integers(0, 10**6), num_rows=st.integers(1, 40), size=SIZES, num_outputs=SIZES)
def test_row_alone_equals_row_in_batch_bit_by_bit(seed: int, num_rows: int, size: int, num_outputs: int) -> None:
    torch.manual_seed(seed)
    weight, bias, x = (
        torch.randn(num_outputs, size).half().float(),
        torch.randn(num_outputs),
        random_rows(num_rows, size),
    )
    for layer in (
        HalfWeightLinear(weight, bias),
        Int8Linear(weight, bias),
        CalibratedLinear(weight, bias, (-2.0, 5.0)),
        CalibratedLinear(weight, bias, (0.0, 3.0), has_relu=True, keeps_nan=True),
    ):
        together = layer(x)
        others = torch.randperm(num_rows)[: max(1, num_rows // 2)]
        assert torch.equal(layer(x[others]), together[others]), type(layer).__name__
        assert all(torch.equal(layer(x[row : row + 1])[0], together[row]) for row in range(num_rows))


@needs_fbgemm
@settings(max_examples=rounds(15, 60))
@given(seed=st.integers(0, 10**6), num_rows=st.integers(1, 12), size=SIZES, num_outputs=SIZES)
def test_half_weights_lose_nothing_that_float32_has(seed: int, num_rows: int, size: int, num_outputs: int) -> None:
    torch.manual_seed(seed)
    weight, bias, x = (
        torch.randn(num_outputs, size).half().float(),
        torch.randn(num_outputs),
        random_rows(num_rows, size),
    )
    exact = x.double() @ weight.double().T + bias.double()
    scale = x.double().abs() @ weight.double().abs().T + bias.double().abs()
    assert bool(((HalfWeightLinear(weight, bias)(x) - exact).abs() <= 1e-6 * size**0.5 * scale).all())


def at_border(steps: torch.Tensor, tolerance: float) -> torch.Tensor:
    """1 where a number of steps is so near to the middle of two that either is a correct rounding, else 0."""
    return ((steps.abs().frac() - 0.5).abs() < tolerance).double()


@needs_fbgemm
@settings(max_examples=rounds(15, 60))
@given(seed=st.integers(0, 10**6), num_rows=st.integers(1, 12), size=SIZES, num_outputs=SIZES)
@example(seed=4689, num_rows=1, size=100, num_outputs=100)  # a weight in the middle of two steps
def test_8_bit_products_are_sums_of_rounded_numbers(seed: int, num_rows: int, size: int, num_outputs: int) -> None:
    torch.manual_seed(seed)
    weight, bias, x = torch.randn(num_outputs, size), torch.randn(num_outputs), random_rows(num_rows, size)
    layer = Int8Linear(weight, bias)
    levels = layer._levels
    largest = x.abs().amax(1, keepdim=True)
    x_rounded = (x / largest * levels).round().long()
    scales = weight.abs().amax(1) / 127
    w_rounded = (weight / scales[:, None]).round().long()
    expected = (x_rounded @ w_rounded.T).double() * scales * largest / levels + bias
    # A number on the border of two steps may be rounded to either: one step of the other factor for each.
    x_at_border = at_border(x / largest * levels, 1e-3)
    w_at_border = at_border(weight / scales[:, None], 1e-4)
    slack = (
        (x_at_border @ w_rounded.abs().double().T + x_rounded.abs().double() @ w_at_border.T)
        * scales
        * largest
        / levels
    )
    error = (layer(x) - expected).abs()
    assert bool((error <= 1e-5 * (expected.abs() + largest * size * weight.abs().amax()) + slack).all())


@needs_fbgemm
@settings(max_examples=rounds(15, 60))
@given(
    seed=st.integers(0, 10**6),
    num_rows=st.integers(1, 12),
    size=SIZES,
    num_outputs=SIZES,
    measured=st.tuples(st.floats(-5, 0), st.floats(0, 5)),
    has_relu=st.booleans(),
    has_vnni=st.booleans(),
)
def test_calibrated_products_are_sums_of_numbers_rounded_over_their_range(
    seed: int,
    num_rows: int,
    size: int,
    num_outputs: int,
    measured: tuple[float, float],
    has_relu: bool,
    has_vnni: bool,
) -> None:
    torch.manual_seed(seed)
    weight, bias, x = torch.randn(num_outputs, size), torch.randn(num_outputs), 2 * torch.randn(num_rows, size)
    with pytest.MonkeyPatch.context() as patch:
        if not has_vnni:
            patch.setattr(packed_weights, "_has_wide_sums", lambda: False)
        layer = CalibratedLinear(weight, bias, measured, has_relu)
    num_levels = 255 if packed_weights._has_wide_sums() and has_vnni else 127
    step = max((measured[1] - measured[0]) / num_levels, 1e-12)
    zero = round(-measured[0] / step)
    exact_steps = x.double() / step + zero
    x_rounded = exact_steps.round().clamp(0, num_levels).long() - zero
    scales = weight.abs().amax(1).double() / 127
    w_rounded = (weight / scales[:, None]).round().long()
    expected = (x_rounded @ w_rounded.T).double() * scales * step + bias
    if has_relu:
        expected = expected.relu()
    # A number on the border of two steps, or of the range, may be rounded to either.
    x_at_border = at_border(exact_steps, 1e-3)
    w_at_border = at_border(weight / scales[:, None], 1e-4)
    slack = (x_at_border @ w_rounded.abs().double().T + x_rounded.abs().double() @ w_at_border.T) * scales * step
    error = (layer(x).double() - expected).abs()
    largest = x_rounded.abs().amax(1, keepdim=True) * step
    assert bool((error <= 1e-5 * (expected.abs() + bias.abs() + largest * size * weight.abs().amax()) + slack).all())


@needs_fbgemm
def test_not_a_number_is_kept_in_its_row_where_that_is_asked_of_a_calibrated_product() -> None:
    torch.manual_seed(2)
    weight, bias, x = torch.randn(8, 16), torch.randn(8), torch.randn(4, 16)
    x[1, 3] = torch.nan
    log_probs = CalibratedLinear(weight, bias, (-3.0, 3.0), keeps_nan=True)(x).log_softmax(1)
    assert log_probs[1].isnan().all()
    assert log_probs[[0, 2, 3]].isfinite().all()
    plain = CalibratedLinear(weight, bias, (-3.0, 3.0))(x)
    marked = CalibratedLinear(weight, bias, (-3.0, 3.0), keeps_nan=True)(x)
    assert torch.equal(plain[[0, 2, 3]], marked[[0, 2, 3]])


@needs_fbgemm
def test_an_8_bit_row_keeps_its_scale_beside_a_much_larger_one() -> None:
    torch.manual_seed(1)
    weight, bias = torch.randn(64, 32), torch.zeros(64)
    x = torch.randn(2, 32) * torch.tensor([[1.0], [1000.0]])
    exact = x @ weight.T
    for y_row, exact_row in zip(Int8Linear(weight, bias)(x), exact, strict=True):
        assert float((y_row - exact_row).norm() / exact_row.norm()) < 0.03


@needs_fbgemm
def test_not_a_number_stays_in_its_row_and_zeros_give_the_bias() -> None:
    torch.manual_seed(2)
    weight, bias = torch.randn(8, 16), torch.randn(8)
    x = torch.randn(4, 16)
    x[1, 3], x[2] = torch.nan, 0
    y = Int8Linear(weight, bias)(x)
    assert y[1].isnan().all()
    assert torch.equal(y[2], bias)
    assert y[[0, 3]].isfinite().all()


@needs_fbgemm
@pytest.mark.parametrize("activation", ["relu", "gelu"])
def test_calibrated_model_decodes_like_the_model_and_reports_failed_rows(activation: Activation) -> None:
    plain = random_model(activation=activation)
    model, watched = copy.deepcopy(plain), copy.deepcopy(plain)
    source, lengths = torch.tensor([[4, 7, 9, 30, EOS]]), torch.tensor([5])
    target = torch.tensor([[8, 20, 5, 5, 13, EOS]])
    pack(watched, "float32", smallest=1)
    gauges = attach_gauges(watched)
    watched.score(source, lengths, target)
    pack(model, "int8", smallest=1, ranges={name: gauge.range for name, gauge in gauges.items()})
    assert sum(isinstance(module, CalibratedLinear) for module in model.modules()) == len(gauges) == 9
    scores = model.score(source, lengths, target)
    torch.testing.assert_close(scores, plain.score(source, lengths, target), rtol=0, atol=0.15)
    encoded = model.encode(source, lengths)
    decoder = Decoder(model, encoded)
    for place, (last, token) in enumerate(zip([BOS, *target[0].tolist()], target[0].tolist(), strict=False)):
        found = decoder.step(torch.tensor([last]))
        torch.testing.assert_close(found[0, token], scores[0, place], rtol=1e-4, atol=0.05)
        decoder.select(torch.zeros(1, dtype=torch.long))
    broken = dataclasses.replace(encoded, cross_LBSE=torch.full_like(encoded.cross_LBSE, torch.nan))
    assert Decoder(model, broken).step(torch.tensor([BOS])).isnan().all()


@pytest.mark.parametrize(
    ("precision", "tolerance"), [("float32", 1e-4), pytest.param("int8", 0.15, marks=needs_fbgemm)]
)
def test_a_packed_model_decodes_and_scores_as_the_model_does(precision: Precision, tolerance: float) -> None:
    plain, model = random_model(), packed_model(precision)
    source, lengths = torch.tensor([[4, 7, 9, 30, EOS]]), torch.tensor([5])
    decoders = [Decoder(each, each.encode(source, lengths)) for each in (plain, model)]
    target = [8, 20, 5, 5, 13, EOS]
    scores = model.score(source, lengths, torch.tensor([target]))[0]
    for place, (last, token) in enumerate(zip([BOS, *target], target, strict=False)):
        expected, found = (decoder.step(torch.full((max(1, place),), last)) for decoder in decoders)
        assert float((found - expected).abs().max()) < tolerance
        torch.testing.assert_close(found[0, token], scores[place], rtol=1e-4, atol=1e-4)
        for decoder in decoders:
            decoder.select(torch.zeros(place + 1, dtype=torch.long))


def test_model_with_weights_too_large_for_16_bits_is_not_rounded() -> None:
    torch.manual_seed(3)
    plain = Transformer(CONFIG).eval()
    model = copy.deepcopy(plain)
    pack(model, "float32", smallest=1)
    assert not any(isinstance(module, HalfWeightLinear) for module in model.modules())
    x = torch.randn(3, CONFIG.model_size)
    torch.testing.assert_close(model.project(x), plain.project(x), rtol=1e-6, atol=1e-6)


def test_processor_without_8_bit_products_falls_back_to_float32_with_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packed_weights, "can_multiply_int8", lambda: False)
    model = random_model()
    with pytest.warns(UserWarning, match=r"no 8-bit products.*uses float32"):
        pack(model, "int8", smallest=1)
    x = torch.randn(3, CONFIG.model_size)
    torch.testing.assert_close(model.project(x), random_model().project(x), rtol=1e-5, atol=1e-5)


def test_processor_without_packed_products_uses_32_bits_with_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packed_weights, "can_read_16_bits", lambda: False)
    model = random_model()
    with pytest.warns(UserWarning, match="uses 32-bit weights, which is slower"):
        pack(model, "float32", smallest=1)
    assert not any(isinstance(module, HalfWeightLinear) for module in model.modules())
    x = torch.randn(3, CONFIG.model_size)
    torch.testing.assert_close(model.project(x), random_model().project(x), rtol=1e-5, atol=1e-5)


def test_a_model_in_training_mode_is_not_packed() -> None:
    with pytest.raises(AssertionError, match=r"model\.eval"):
        pack(Transformer(CONFIG).train())
