"""8-bit products: the sums of each family of kernels equal those of whole numbers, for every shape of a tile."""

from __future__ import annotations

import random

import numpy as np
import numpy.typing as npt
import pytest

from engine.compiled.c_interface import Core, CoreError
from tests.budget import rounds

FAMILIES = ("avx512vnni", "avx2", "plain")
ROWS = (*range(1, 27), 64, 100)  # tiles have up to 4 or 12 rows
SHAPES = ((1, 1), (5, 3), (31, 4), (32, 16), (33, 70), (64, 128), (97, 255))  # outputs, inputs

Whole = npt.NDArray[np.int64]


@pytest.fixture(params=FAMILIES)
def family(request: pytest.FixtureRequest, core: Core) -> str:
    name = str(request.param)
    if not core.kernels().get(name):
        pytest.skip(f"this processor or build has no kernels of the family {name}")
    return name


def product(core: Core, family: str, rows: Whole, weights: Whole) -> npt.NDArray[np.float32]:
    """The products of whole numbers from -127 to 127, of which each row has one of the largest."""
    bias = np.zeros(len(weights), dtype=np.float32)
    return core.product(family, rows.astype(np.float32), weights.astype(np.float32), bias)


def with_largest(numbers: Whole, rng: np.random.Generator) -> Whole:
    """The numbers, with 127 or -127 somewhere in each row, so that rounding to 8 bits changes none."""
    places = rng.integers(numbers.shape[1], size=len(numbers))
    numbers[np.arange(len(numbers)), places] = rng.choice([-127, 127], len(numbers))
    return numbers


@pytest.mark.parametrize("shape", SHAPES)
def test_product_equals_integer_arithmetic_for_every_number_of_rows(
    core: Core, family: str, shape: tuple[int, int]
) -> None:
    rng = np.random.default_rng(shape[0])
    for num_rows in ROWS:
        rows = with_largest(rng.integers(-127, 128, (num_rows, shape[1])), rng)
        weights = with_largest(rng.integers(-127, 128, shape), rng)
        assert np.array_equal(product(core, family, rows, weights), (rows @ weights.T).astype(np.float32))


@pytest.mark.parametrize("row_sign", [1, -1])
@pytest.mark.parametrize("weight_sign", [1, -1])
def test_largest_numbers_do_not_overflow(core: Core, family: str, row_sign: int, weight_sign: int) -> None:
    """The sum of two products of 127 fits into 16 bits; sums of 255 times 127 would not."""
    rows, weights = np.full((13, 4096), 127 * row_sign), np.full((40, 4096), 127 * weight_sign)
    expected = (rows.astype(np.int64) @ weights.T).astype(np.float32)
    assert np.array_equal(product(core, family, rows, weights), expected)


def test_sums_beyond_2_to_the_31_of_unsigned_weights_are_right(core: Core, family: str) -> None:
    rows, weights = np.full((2, 100_000), 127), np.full((3, 100_000), 127)
    expected = (rows.astype(np.int64) @ weights.T).astype(np.float32)
    assert np.array_equal(product(core, family, rows, weights), expected)


def test_random_shapes_equal_integer_arithmetic(core: Core, family: str) -> None:
    rng, shapes = np.random.default_rng(1), random.Random(1)
    for _ in range(rounds(30, 300)):
        num_rows, num_outputs, num_inputs = (shapes.randrange(1, most) for most in (40, 150, 600))
        rows = with_largest(rng.integers(-127, 128, (num_rows, num_inputs)), rng)
        weights = with_largest(rng.integers(-127, 128, (num_outputs, num_inputs)), rng)
        assert np.array_equal(product(core, family, rows, weights), (rows @ weights.T).astype(np.float32))


def test_row_is_rounded_to_the_nearest_of_255_steps(core: Core, family: str) -> None:
    rows = np.random.default_rng(2).normal(size=(7, 37)).astype(np.float32)
    found = core.product(family, rows, np.eye(37, dtype=np.float32), np.zeros(37, dtype=np.float32))
    steps = np.abs(rows).max(1, keepdims=True) / 127
    assert np.all(np.abs(found - rows) <= steps * 0.5001)
    assert np.array_equal(np.round(found / steps), np.round(rows / steps))


def test_bias_is_added(core: Core, family: str) -> None:
    bias = np.arange(37, dtype=np.float32)
    found = core.product(family, np.zeros((3, 5), dtype=np.float32), np.ones((37, 5), dtype=np.float32), bias)
    assert np.array_equal(found, np.tile(bias, (3, 1)))


@pytest.mark.parametrize("defect", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("place", [0, 36])
def test_row_with_a_number_that_is_not_finite_has_no_number_in_its_products(
    core: Core, family: str, defect: float, place: int
) -> None:
    rows = np.ones((3, 37), dtype=np.float32)
    rows[1, place] = defect
    found = core.product(family, rows, np.ones((5, 37), dtype=np.float32), np.zeros(5, dtype=np.float32))
    assert np.isnan(found[1]).all()
    assert np.allclose(found[[0, 2]], 37)


def test_weight_that_is_not_finite_is_refused(core: Core) -> None:
    weights = np.full((2, 3), np.nan, dtype=np.float32)
    with pytest.raises(CoreError, match="a weight is not a finite number"):
        core.product("plain", np.ones((1, 3), dtype=np.float32), weights, np.zeros(2, dtype=np.float32))


def test_unknown_family_is_refused(core: Core) -> None:
    numbers = np.ones((1, 1), dtype=np.float32)
    with pytest.raises(CoreError, match="no kernels of the family sse9"):
        core.product("sse9", numbers, numbers, numbers[0])


def test_plain_kernels_run_everywhere(core: Core) -> None:
    assert core.kernels()["plain"]
