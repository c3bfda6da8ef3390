"""Compile the kernels for an NVIDIA GPU that need not be there: python -m tests.kernels.compile_kernels 80 [K ...]."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Sequence

import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

from engine.kernels import output_layer_triton as kernels
from engine.kernels.output_layer import GROUP

POINTERS = {
    "logits": "bf16",
    "bias": "bf16",
    "masks": "fp32",
    "mask_of": "i64",
    "chosen_groups": "i32",
    "chosen_keys": "i64",
    "forced": "i64",
    "tokens_out": "i64",
}
FLOAT_POINTERS = ("tile_maxima", "tile_sums", "group_maxima", "log_probs_out", "forced_out", "normalisers_out")


def constants(k: int, is_bare: bool) -> dict[str, int | None]:
    """For 32,000 tokens; bare: without bias, masks and forced tokens."""
    values: dict[str, int | None] = {
        "logits_stride_v": 1,
        "masks_stride_v": 1,
        "has_bias": not is_bare,
        "has_masks": not is_bare,
        "tile_groups": kernels.TILE_GROUPS,
        "group": GROUP,
        "padded_tiles": 16,
        "padded_groups": 1024,
        "place_bits": 15,
        "padded_k": triton.next_power_of_2(k),
        "padded_forced": 0 if is_bare else 4,
    }
    return values | dict.fromkeys(("bias", "masks", "mask_of", "forced")) if is_bare else values


def compile_kernels(architecture: int, k: int, is_bare: bool) -> None:
    """Raises where a kernel does not compile."""
    for kernel in (kernels._scan, kernels._finish):
        names = list(inspect.signature(kernel.fn).parameters)
        values = {name: value for name, value in constants(k, is_bare).items() if name in names}
        types = {name: "*" + POINTERS[name] if name in POINTERS else "i32" for name in names}
        types |= {name: "*fp32" for name in FLOAT_POINTERS if name in names}
        types |= dict.fromkeys(values, "constexpr")
        aligned = {(place,): [["tt.divisibility", 16]] for place, name in enumerate(names) if types[name][0] == "*"}
        source = ASTSource(fn=kernel, signature=types, constexprs=values, attrs=aligned)
        compiled = triton.compile(source, target=GPUTarget("cuda", architecture, 32), options={"num_warps": 4})
        print(f"{kernel.fn.__name__} for sm_{architecture}, k = {k}: {len(compiled.asm['cubin']):,} bytes")


def main(arguments: Sequence[str]) -> None:
    architecture, *widths = map(int, arguments)
    for k in widths or [10]:
        compile_kernels(architecture, k, is_bare=False)
    compile_kernels(architecture, 1, is_bare=True)


if __name__ == "__main__":
    main(sys.argv[1:])
