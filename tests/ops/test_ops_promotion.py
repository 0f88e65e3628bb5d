"""Type promotion against PyTorch's documented rules, as facts written down here."""

from __future__ import annotations

import numpy as np
import pytest
from guardscope.core.ops import promotion
from guardscope.tests.ops.support import ALL, array, equal, tensor, torch

# torch.promote_types, row by row, for: float32 float64 float16 int64 int32 int16 int8 uint8 bool
NAMES = {"f": "float32", "d": "float64", "h": "float16", "l": "int64", "i": "int32", "s": "int16", "c": "int8", "b": "uint8",
         "?": "bool"}
ORDER = "fdhlisc" + "b?"
TABLE = {
    "f": "f d f f f f f f f", "d": "d d d d d d d d d", "h": "f d h h h h h h h", "l": "f d h l l l l l l",
    "i": "f d h l i i i i i", "s": "f d h l i s s s s", "c": "f d h l i s c s c", "b": "f d h l i s s b b",
    "?": "f d h l i s c b ?",
}


@pytest.mark.parametrize("first", ORDER)
def test_promote_types(first: str) -> None:
    for second, result in zip(ORDER, TABLE[first].split()):
        got = torch.promote_types(getattr(torch, NAMES[first]), getattr(torch, NAMES[second]))
        assert got.name == NAMES[result]


@pytest.mark.parametrize("first", ORDER)
def test_tensors_with_dimensions_promote_by_the_table(first: str) -> None:
    for second, result in zip(ORDER, TABLE[first].split()):
        a, b = array(NAMES[first]), array(NAMES[second])
        assert torch.add(tensor(a), tensor(b)).dtype.name == NAMES[result]
        assert torch.mul(tensor(a), tensor(b)).dtype.name == NAMES[result]


# (dtype of a tensor with dimensions, number, dtype of tensor + number)
NUMBERS = [("int8", 1, "int8"), ("int8", 1.0, "float32"), ("int8", True, "int8"), ("bool", 1, "int64"),
           ("bool", 1.5, "float32"),
           ("bool", True, "bool"), ("float16", 1.5, "float16"), ("float16", 2, "float16"), ("float64", 1, "float64"),
           ("uint8", -1, "uint8"), ("int64", 0.5, "float32")]


@pytest.mark.parametrize(("dtype", "number", "result"), NUMBERS)
def test_numbers_change_the_dtype_only_by_a_higher_category(dtype: str, number: object, result: str) -> None:
    assert (tensor(array(dtype)) + number).dtype.name == result
    assert (number + tensor(array(dtype))).dtype.name == result
    assert (tensor(array(dtype, "zero-d")) + number).dtype.name == result
    assert torch.result_type(tensor(array(dtype)), number).name == result


# (with dimensions, 0-d, result)
ZERO_D = [("float32", "float64", "float32"), ("int32", "int64", "int32"), ("int32", "float64", "float64"),
          ("bool", "int8", "int8"),
          ("float16", "float32", "float16"), ("uint8", "int32", "uint8"), ("int64", "float16", "float16")]


@pytest.mark.parametrize(("dims", "zero", "result"), ZERO_D)
def test_zero_dimensional_tensors_rank_below(dims: str, zero: str, result: str) -> None:
    a, z = tensor(array(dims)), tensor(array(zero, "zero-d"))
    assert (a + z).dtype.name == result
    assert (z + a).dtype.name == result


def test_true_division_and_functions_of_integers_give_the_default_dtype() -> None:
    for dtype in ("int64", "uint8", "bool"):
        x = tensor(array(dtype))
        assert (x / 2).dtype.name == "float32"
        assert torch.exp(x).dtype.name == "float32"
        before = torch.get_default_dtype()
        torch.set_default_dtype(torch.float64)
        try:
            assert torch.exp(x).dtype.name == "float64"
            assert (x + 1.5).dtype.name == "float64"
        finally:
            torch.set_default_dtype(before)


@pytest.mark.parametrize("dtype", ALL)
def test_sums_of_integers_are_long(dtype: str) -> None:
    x = tensor(array(dtype))
    expected = dtype if dtype.startswith("float") else "int64"
    assert x.sum().dtype.name == expected
    assert torch.prod(x).dtype.name == expected
    assert x.cumsum(0).dtype.name == expected
    assert x.sum(dtype=torch.float64).dtype.name == "float64"
    assert x.amax().dtype.name == dtype


def test_in_place_results_keep_the_dtype_or_raise() -> None:
    x = tensor(np.arange(3))
    x += 2
    equal(x, [2, 3, 4], dtype="int64")
    with pytest.raises(RuntimeError, match="result type Float can't be cast to the desired output type Long"):
        x += 0.5
    with pytest.raises(RuntimeError, match="result type Long can't be cast to the desired output type Bool"):
        tensor(np.array([True])).add_(1)
    half = tensor(np.array([1.0], np.float16))
    half.mul_(tensor(np.array([1.5])))
    equal(half, [1.5], dtype="float16")


def test_can_cast() -> None:
    assert torch.can_cast(torch.int64, torch.int8)
    assert torch.can_cast(torch.int8, torch.float16)
    assert not torch.can_cast(torch.float16, torch.int64)
    assert not torch.can_cast(torch.int8, torch.bool)


def test_where_promotes_over_the_two_choices() -> None:
    m = tensor(np.array([True, False]))
    assert torch.where(m, tensor(np.array([1, 2])), 1.5).dtype.name == "float32"
    assert torch.where(m, 1.0, 2).dtype.name == "float32"
    assert torch.where(m, tensor(np.array([1], np.int8)), tensor(np.array([1.0]))).dtype.name == "float64"


def test_compute_and_result_dtypes_of_rules() -> None:
    from guardscope.core.tensor import dtypes as dt

    half = torch.zeros(2, dtype=torch.float16)
    assert promotion.pointwise_dtypes("default", (half,)) == (dt.float32, dt.float16)
    assert promotion.pointwise_dtypes("no_opmath", (half, 1)) == (dt.float16, dt.float16)
    assert promotion.pointwise_dtypes("always_bool", (half, 1)) == (dt.float16, dt.bool_)
    assert promotion.pointwise_dtypes("int_to_float", (torch.zeros(2, dtype=torch.int8),)) == (dt.float32, dt.float32)
