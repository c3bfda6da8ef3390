"""Weights packed for decoding on a CPU, where matrix products have few rows and reading the weights takes the time.

Three layouts, by size and precision; `benchmarks/README.md` has the times that chose them:

    small products          32-bit, transposed: the library's product for few rows reads them in order
    large ones, "float32"   16-bit as in the file, 32-bit arithmetic: half the bytes, no bit of a weight lost
    large ones, "int8"      8-bit, a scale for each output, activations in 8 bits: over ranges measured beforehand
                            where the model has them (engine/model/activations.py), else scaled row by row

With the last two, the result of a row is bit for bit independent of the other rows. The packed kernels are FBGEMM's;
this is the only file that uses PyTorch's quantisation.
"""

from __future__ import annotations

import warnings
from functools import cache, partial
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from engine.model.activations import OUTPUT, Range, Ranges, WeightSteps
from engine.model.compiled_model import compile_if_covered
from engine.model.transformer import Precision, Transformer

SMALLEST_PACKED = 2**17  # weights of a product; smaller ones gain less than the calls around the kernel cost
_SMALLEST_CALIBRATED = 2**16  # those of one call
_ENGINE = "fbgemm"


def pack(
    model: Transformer,
    precision: Precision = "float32",
    smallest: int = SMALLEST_PACKED,
    ranges: Ranges | None = None,
    weight_steps: WeightSteps | None = None,
    is_compiled: bool = True,
) -> None:
    """Lay out the weights of a float32 model on a CPU for decoding, in place.

    After that, the model cannot be saved or trained.

    That is for the decoder and the output layer. The encoder and the keys and values of the source, which have many
    rows, are left as they are; attention to the source and products of fewer than `smallest` weights stay in 32 bits.
    `ranges` are for 8 bits: those of what the model's products read, or None; products that have one gain from 2^16
    weights on. With their `weight_steps`, weights that were made in 8 bits stay exactly as they were. Warns if this CPU
    does not support the precision, and names the one that is used instead.

    A model in 8 bits is also handed over to the compiled core, if `is_compiled`, the core is there and it covers the
    model. The weights that are packed here then decode only requests that the core does not cover.
    """
    assert not model.training, "call model.eval(): packed weights cannot be trained"
    if precision == "int8" and is_compiled:
        model.compiled = compile_if_covered(model, weight_steps)
    if precision == "int8" and not can_multiply_int8():
        warnings.warn(
            "this processor or build of PyTorch has no 8-bit products (FBGEMM on x86 with AVX2); the model uses "
            "float32, which is slower",
            stacklevel=2,
        )
        precision = "float32"
    elif precision == "float32" and not can_read_16_bits():
        warnings.warn(
            "this processor or build of PyTorch has no products with 16-bit weights (FBGEMM on x86 with AVX2); the "
            "model uses 32-bit weights, which is slower",
            stacklevel=2,
        )
    model.precision = precision
    ranges, weight_steps = ranges or {}, weight_steps or {}
    lay_out = partial(_packed, precision=precision, smallest=smallest)
    model.output = lay_out(
        model.embedding.weight,
        model.output_bias,
        measured=ranges.get(OUTPUT),
        weight_steps=weight_steps.get(OUTPUT),
        keeps_nan=True,
    )
    for name, linear in list(model.decoder_layers.named_modules()):
        parent_name, _, own_name = name.rpartition(".")
        if not isinstance(linear, nn.Linear) or own_name == "kv":
            continue
        parent = model.decoder_layers.get_submodule(parent_name)
        if parent_name.endswith("cross"):
            # A decoder of one sentence multiplies the weights of attention to the source into its keys and values.
            packed = _transposed(linear.weight, linear.bias)
        else:
            has_relu = own_name == "inner" and getattr(parent, "activation", None) is F.relu
            packed = lay_out(
                linear.weight,
                linear.bias,
                measured=ranges.get(name),
                weight_steps=weight_steps.get(name),
                has_relu=has_relu,
            )
            if has_relu and isinstance(packed, CalibratedLinear):
                parent.activation = _as_it_is  # type: ignore[assignment]
        setattr(parent, own_name, packed)


def can_multiply_int8() -> bool:
    """True if FBGEMM's 8-bit products run here."""
    return can_read_16_bits() and bool(_capability("avx2"))


def can_read_16_bits() -> bool:
    """True if FBGEMM's products with 16-bit weights run here: PyTorch lists FBGEMM if built in and AVX2 is there."""
    return _ENGINE in torch.backends.quantized.supported_engines


_ROWS_OF_A_BLOCK = 120  # FBGEMM splits the rows of a 16-bit product into blocks of so many, and the last one by a table


@cache
def _extra_rows_of_16_bit_products() -> tuple[int, ...]:
    """Number of rows to add to a 16-bit product, by its number of rows modulo `_ROWS_OF_A_BLOCK`; empty if always 0.

    FBGEMM's kernels for AVX2 add in another order where the last block leaves one or two rows, so that a row alone
    would differ in its last bit from the same row in a batch. Its kernels for AVX-512 do not. This is found by trying.
    """
    generator = torch.Generator().manual_seed(0)
    weight, bias = torch.randn(16, 64, generator=generator), torch.zeros(16)
    packed = torch.fbgemm_pack_gemm_matrix_fp16(weight)
    x = torch.randn(2 * _ROWS_OF_A_BLOCK, 64, generator=generator)
    expected = torch.fbgemm_linear_fp16_weight(x, packed, bias)  # whole blocks

    def is_same(num_rows: int) -> bool:
        return torch.equal(torch.fbgemm_linear_fp16_weight(x[:num_rows], packed, bias), expected[:num_rows])

    same = [is_same(num_rows) for num_rows in range(_ROWS_OF_A_BLOCK + 1)]
    if all(same) or not same[-1]:  # not one block's end alone: more rows would not help
        return ()
    return tuple(same.index(True, num_rows) - num_rows for num_rows in range(_ROWS_OF_A_BLOCK))


class HalfWeightLinear(nn.Module):
    """A linear layer with 16-bit weights, 32-bit activations and 32-bit arithmetic.

    Rows for which the kernel of this processor adds in another order are computed with rows of zeros behind them.
    """

    def __init__(self, weight: Tensor, bias: Tensor) -> None:
        super().__init__()
        self._bias = bias.detach()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # both are to go from PyTorch, and say so once
            self._packed = torch.fbgemm_pack_gemm_matrix_fp16(weight.detach())
            self._extra_rows = _extra_rows_of_16_bit_products()
            self(weight.new_zeros(1, weight.shape[1]))

    def forward(self, x: Tensor) -> Tensor:
        if self._extra_rows:
            num_rows = x.shape[:-1].numel()
            if extra := self._extra_rows[num_rows % _ROWS_OF_A_BLOCK]:
                rows = F.pad(x.reshape(num_rows, -1), (0, 0, 0, extra))
                y = torch.fbgemm_linear_fp16_weight(rows, self._packed, self._bias)[:num_rows]
                return y.reshape(*x.shape[:-1], -1)
        # `torch.ops.quantized.linear_dynamic_fp16` is the same kernel, but its call costs as much as a small product
        return torch.fbgemm_linear_fp16_weight(x, self._packed, self._bias)


class Int8Linear(nn.Module):
    """A linear layer with 8-bit weights, scaled by output, and 8-bit activations, scaled by row.

    A row is divided by its largest magnitude, so that one fixed step of 1/127 serves all rows, and its products are
    multiplied by it again. The kernel's sums are of integers: exact in any order, whatever the other rows are.
    """

    _bias: Tensor

    def __init__(self, weight: Tensor, bias: Tensor) -> None:
        super().__init__()
        self.register_buffer("_bias", bias.detach().clone(), persistent=False)
        self._levels = 127 if _has_wide_sums() else 63
        self._packed = _packed_int8(weight, None)
        self._multiply = _int8_products().multiply

    def forward(self, x: Tensor) -> Tensor:
        largest = x.abs().amax(-1, keepdim=True).clamp_min_(1e-30)  # not-a-number stays, and marks its row below
        y = self._multiply(x / largest, 1 / self._levels, self._levels + 1, self._packed)
        return torch.addcmul(self._bias, y, largest, out=y)


class CalibratedLinear(nn.Module):
    """A linear layer with 8-bit weights, scaled by output, and 8-bit activations of a range that was measured before.

    One call instead of the five of `Int8Linear`. The steps are the same for every row, so rows do not influence each
    other. Values beyond the range are clipped to its end, and so is NaN: the residual stream preserves NaN, and without
    such a stream, `keeps_nan` writes it into the row's first output. `has_relu`: with the ReLU behind it.
    `weight_steps` are the scales of weights that were made in 8 bits, of equal parts of the outputs.
    """

    def __init__(
        self,
        weight: Tensor,
        bias: Tensor,
        measured: Range,
        has_relu: bool = False,
        keeps_nan: bool = False,
        weight_steps: tuple[float, ...] | None = None,
    ) -> None:
        super().__init__()
        lowest, highest = measured
        num_levels = 255 if _has_wide_sums() else 127
        self._scale = max((highest - lowest) / num_levels, 1e-12)
        self._zero_point = round(-lowest / self._scale)
        # a model made with 8-bit weights never has the lowest of 256 activations, as Marian's are symmetric
        lowest_level = 0 if weight_steps is None else 1
        bounds = ((lowest_level - self._zero_point) * self._scale, (num_levels - self._zero_point) * self._scale)
        # of 256 values the kernel itself takes care
        self._bounds = None if num_levels == 255 and weight_steps is None else bounds
        self._packed = _packed_int8(weight, bias, weight_steps)
        products = _int8_products()
        self._multiply = products.multiply_with_relu if has_relu else products.multiply
        self._keeps_nan = keeps_nan

    def forward(self, x: Tensor) -> Tensor:
        bounded = x if self._bounds is None else x.clamp(*self._bounds)
        y = self._multiply(bounded, self._scale, self._zero_point, self._packed)
        if self._keeps_nan:
            y.select(-1, 0).add_(x.sum(-1), alpha=0)
        return y  # type: ignore[no-any-return]


def _packed(
    weight: Tensor,
    bias: Tensor,
    precision: Precision,
    smallest: int,
    measured: Range | None = None,
    has_relu: bool = False,
    keeps_nan: bool = False,
    weight_steps: tuple[float, ...] | None = None,
) -> nn.Module:
    """The fitting layout; the last four arguments are those of `CalibratedLinear`, and for it alone."""
    if precision == "int8" and measured is not None and weight.numel() >= min(smallest, _SMALLEST_CALIBRATED):
        return CalibratedLinear(weight, bias, measured, has_relu, keeps_nan, weight_steps)
    if weight.numel() >= smallest:
        if precision == "int8":
            return Int8Linear(weight, bias)
        is_exact = torch.equal(weight.half().float(), weight)
        if is_exact and can_read_16_bits():
            return HalfWeightLinear(weight, bias)
    return _transposed(weight, bias)


def _packed_int8(
    weight: Tensor, bias: Tensor | None, weight_steps: tuple[float, ...] | None = None
) -> torch.ScriptObject:
    if weight_steps is None:
        scales = (weight.detach().abs().amax(1).double() / 127).clamp_min(1e-12)
    else:
        steps = torch.tensor(weight_steps, dtype=torch.float64)
        scales = steps.repeat_interleave(len(weight) // len(steps))
    zeros = torch.zeros(len(scales), dtype=torch.long)
    before = torch.backends.quantized.engine
    torch.backends.quantized.engine = _ENGINE
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # quantised tensors are to go from PyTorch
            rounded = torch.quantize_per_channel(weight.detach(), scales, zeros, 0, torch.qint8)
            packed: torch.ScriptObject = torch.ops.quantized.linear_prepack(
                rounded, None if bias is None else bias.detach()
            )
            return packed
    finally:
        torch.backends.quantized.engine = before


def _transposed(weight: Tensor, bias: Tensor) -> nn.Module:
    num_outputs, size = weight.shape
    linear = nn.Linear(size, num_outputs, device="meta")
    linear.weight = nn.Parameter(weight.detach().T.contiguous().T, requires_grad=False)
    linear.bias = nn.Parameter(bias.detach(), requires_grad=False)
    return linear


@cache
def _int8_products() -> Any:
    """FBGEMM's products of activations x, rounded by one step, and 8-bit weights; with 32-bit outputs.

    Called in TorchScript, as from Python alone each call spends 30 microseconds on its packed weights.
    """
    return torch.jit.CompilationUnit(
        "".join(
            f"""
def {name}(x, step: float, zero_point: int, packed: __torch__.torch.classes.quantized.LinearPackedParamsBase):
    return torch.ops.quantized.{operator}(x, step, zero_point, packed)
"""
            for name, operator in (
                ("multiply", "linear_with_input_q_dq_qweight_dq_output_fp32"),
                ("multiply_with_relu", "linear_with_input_q_dq_qweight_dq_relu_output_fp32"),
            )
        )
    )


def _as_it_is(x: Tensor) -> Tensor:
    return x


def _has_wide_sums() -> bool:
    """Without VNNI the kernel adds pairs of products in 16 bits, which holds for 7-bit activations alone."""
    return _capability("avx512_vnni")


def _capability(name: str) -> bool:
    return bool(torch.cpu.get_capabilities().get(name, False))
