"""Every element-wise operator: values against NumPy formulas written here, all dtypes and layouts, and its expression
(from which kernels are made) against its eager form."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from guardscope.core.ops.evaluate_expr import evaluate_expr, names_in
from guardscope.core.ops.op import OPS, Pointwise
from guardscope.tests.ops.support import ALL, FLOATS, LAYOUTS, F, array, equal, tensor, torch

_erf = np.vectorize(math.erf, otypes=[np.float64])
_erfc = np.vectorize(math.erfc, otypes=[np.float64])

# name -> formula on a float64 array; domain: "any", "positive", "unit" (inside (-1, 1)), "above" (> 1)
FLOAT_UNARY = {
    "exp": (np.exp, "any"), "exp2": (lambda x: 2.0 ** x, "any"), "expm1": (lambda x: np.exp(x) - 1, "any"),
    "log": (np.log, "positive"), "log2": (lambda x: np.log(x) / np.log(2), "positive"),
    "log10": (lambda x: np.log(x) / np.log(10), "positive"), "log1p": (lambda x: np.log(1 + x), "positive"),
    "sqrt": (lambda x: x ** 0.5, "positive"), "rsqrt": (lambda x: x ** -0.5, "positive"),
    "sin": (np.sin, "any"), "cos": (np.cos, "any"), "tan": (lambda x: np.sin(x) / np.cos(x), "unit"),
    "asin": (np.arcsin, "unit"), "acos": (np.arccos, "unit"), "atan": (np.arctan, "any"),
    "sinh": (lambda x: (np.exp(x) - np.exp(-x)) / 2, "any"), "cosh": (lambda x: (np.exp(x) + np.exp(-x)) / 2, "any"),
    "tanh": (lambda x: 1 - 2 / (np.exp(2 * x) + 1), "any"), "asinh": (lambda x: np.log(x + np.sqrt(x * x + 1)), "positive"),
    "acosh": (lambda x: np.log(x + np.sqrt(x * x - 1)), "above"), "atanh": (lambda x: np.log((1 + x) / (1 - x)) / 2, "unit"),
    "erf": (_erf, "any"), "erfc": (_erfc, "any"), "sigmoid": (lambda x: 1 / (1 + np.exp(-x)), "any"),
    "reciprocal": (lambda x: 1 / x, "positive"), "deg2rad": (lambda x: x * np.pi / 180, "any"),
    "rad2deg": (lambda x: x * 180 / np.pi, "any"), "sinc": (lambda x: np.sin(np.pi * x) / (np.pi * x), "positive"),
    "lgamma": (np.vectorize(math.lgamma, otypes=[np.float64]), "positive"),
}
SAME_UNARY = {
    "neg": lambda x: -x, "abs": lambda x: np.where(x < 0, -x, x), "sign": lambda x: (x > 0) * 1 - (x < 0) * 1,
    "floor": lambda x: np.floor(x), "ceil": lambda x: -np.floor(-x), "trunc": lambda x: np.fix(x), "square": lambda x: x * x,
    "round": lambda x: np.round(x), "positive": lambda x: x, "relu": lambda x: np.where(x > 0, x, 0), "clone": lambda x: x,
}
ACTIVATIONS = {
    "relu6": lambda x: np.minimum(np.maximum(x, 0), 6), "leaky_relu": lambda x: np.where(x > 0, x, 0.01 * x),
    "elu": lambda x: np.where(x > 0, x, np.exp(x) - 1), "celu": lambda x: np.where(x > 0, x, np.exp(x) - 1),
    "selu": lambda x: 1.0507009873554805 * np.where(x > 0, x, 1.6732632423543772 * (np.exp(x) - 1)),
    "gelu": lambda x: x * (1 + _erf(x / np.sqrt(2))) / 2, "silu": lambda x: x / (1 + np.exp(-x)),
    "mish": lambda x: x * np.tanh(np.log(1 + np.exp(x))), "softplus": lambda x: np.log(1 + np.exp(x)),
    "hardtanh": lambda x: np.clip(x, -1, 1), "hardsigmoid": lambda x: np.clip(x / 6 + 0.5, 0, 1),
    "hardswish": lambda x: x * np.clip(x / 6 + 0.5, 0, 1), "softsign": lambda x: x / (1 + np.abs(x)),
    "logsigmoid": lambda x: -np.log(1 + np.exp(-x)), "tanhshrink": lambda x: x - np.tanh(x),
    "softshrink": lambda x: np.sign(x) * np.maximum(np.abs(x) - 0.5, 0), "hardshrink": lambda x: np.where(np.abs(x) > 0.5, x,
                                                                                                          0),
}


def _domain(x: np.ndarray, kind: str) -> np.ndarray:
    if x.dtype.kind != "f":
        return {"positive": np.abs(x) + 1, "above": np.abs(x) + 2, "unit": x * 0, "any": x}[kind].astype(x.dtype)
    return {"positive": np.abs(x) + x.dtype.type(0.1), "above": np.abs(x) + x.dtype.type(1.1),
            "unit": np.tanh(x) * x.dtype.type(0.9), "any": x}[kind].astype(x.dtype)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", FLOAT_UNARY)
def test_functions_with_floating_result(name: str, layout: str) -> None:
    formula, kind = FLOAT_UNARY[name]
    for dtype in ALL:
        if dtype == "bool" and kind != "any":
            continue
        x = _domain(array(dtype, layout), kind)
        expected = formula(x.astype(np.float64))
        got = getattr(torch, name)(tensor(x))
        result = dtype if dtype in FLOATS else "float32"
        equal(got, expected, {"float16": 5e-3, "float32": 3e-5, "float64": 1e-10}[result], result)
        equal(getattr(tensor(x), name)(), got._array, 0)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", SAME_UNARY)
def test_functions_that_keep_the_dtype(name: str, layout: str) -> None:
    for dtype in ALL[:-1]:
        x = array(dtype, layout)
        wide = x.astype(np.float64 if dtype in FLOATS else np.int64)
        with np.errstate(all="ignore"):
            expected = np.asarray(SAME_UNARY[name](wide)).astype(dtype)
        equal(getattr(torch, name)(tensor(x)), expected, 1e-3 if dtype == "float16" else None, dtype)


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_activations(name: str) -> None:
    for dtype, layout in itertools.product(FLOATS, LAYOUTS):
        x = array(dtype, layout)
        expected = ACTIVATIONS[name](x.astype(np.float64))
        equal(getattr(F, name)(tensor(x)), expected, {"float16": 5e-3, "float32": 1e-5, "float64": 1e-12}[dtype], dtype)


BINARY = {
    "add": lambda a, b: a + b, "sub": lambda a, b: a - b, "mul": lambda a, b: a * b, "maximum": lambda a,
    b: np.where(a > b, a, b),
    "minimum": lambda a, b: np.where(a < b, a, b), "floor_divide": lambda a, b: np.floor(a / b),
    "remainder": lambda a, b: a - np.floor(a / b) * b, "fmod": lambda a, b: a - np.fix(a / b) * b,
}
COMPARE = {"eq": np.equal, "ne": np.not_equal, "lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal}


@pytest.mark.parametrize("name", BINARY)
@pytest.mark.parametrize("dtype", [d for d in ALL if d != "bool"])
def test_arithmetic_of_equal_dtypes(name: str, dtype: str) -> None:
    a = array(dtype)
    for layout in ("contiguous", "transposed", "sliced", "expanded"):
        b = np.abs(array(dtype, layout, seed=1).astype(np.float64)).round(2) + 1
        b = b.astype(dtype)
        wide = BINARY[name](a.astype(np.float64), b.astype(np.float64))
        if dtype == "uint8":
            wide = np.mod(wide, 256)
        equal(getattr(torch, name)(tensor(a), tensor(b)), wide.astype(dtype), 6e-3 if dtype == "float16" else 1e-5, dtype)


@pytest.mark.parametrize("name", COMPARE)
def test_comparisons_give_bool(name: str) -> None:
    for d1, d2 in itertools.product(ALL, ALL):
        a, b = array(d1), array(d2, seed=3)
        equal(getattr(torch, name)(tensor(a), tensor(b)), COMPARE[name](a.astype(np.float64), b.astype(np.float64)),
              dtype="bool")


def test_division() -> None:
    a, b = np.array([7, -7, 7, -7, 0]), np.array([2, 2, -2, -2, 5])
    x, y = tensor(a), tensor(b)
    equal(x / y, [3.5, -3.5, -3.5, 3.5, 0], dtype="float32")
    equal(x // y, [3, -4, -4, 3, 0], dtype="int64")
    equal(x % y, [1, 1, -1, -1, 0], dtype="int64")
    equal(torch.fmod(x, y), [1, -1, 1, -1, 0], dtype="int64")
    equal(torch.div(x, y, rounding_mode="trunc"), [3, -3, -3, 3, 0], dtype="int64")
    equal(torch.div(x, y, rounding_mode="floor"), [3, -4, -4, 3, 0], dtype="int64")
    equal(2 / tensor(np.array([4.0])), [0.5], dtype="float64")
    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        y // (x * 0)


def test_power() -> None:
    x = tensor(np.array([-2, -1, 1, 3]))
    equal(x ** 2, [4, 1, 1, 9], dtype="int64")
    equal(2 ** tensor(np.array([0, 1, 5])), [1, 2, 32], dtype="int64")
    equal(x ** tensor(np.array([-1, -1, -3, -1])), [0, -1, 1, 0], dtype="int64")
    equal(x ** 0.5, [math.nan, math.nan, 1, math.sqrt(3)], dtype="float32")
    with pytest.raises(RuntimeError, match="Integers to negative integer powers are not allowed"):
        x ** -1


def test_integer_overflow_wraps() -> None:
    equal(tensor(np.array([127], np.int8)) + 1, np.array([-128], np.int8), dtype="int8")
    equal(tensor(np.array([0], np.uint8)) - 1, np.array([255], np.uint8), dtype="uint8")
    equal(tensor(np.array([2 ** 31 - 1], np.int32)) * 2, np.array([-2], np.int32), dtype="int32")


def test_bool_arithmetic_is_logic() -> None:
    a, b = tensor(np.array([True, True, False])), tensor(np.array([True, False, False]))
    equal(a + b, [True, True, False], dtype="bool")
    equal(a * b, [True, False, False], dtype="bool")
    equal(a & b, [True, False, False], dtype="bool")
    equal(a ^ b, [False, True, False], dtype="bool")
    equal(~a, [False, False, True], dtype="bool")
    with pytest.raises(RuntimeError, match="Subtraction, the `-` operator, with two bool tensors is not supported"):
        a - b


def test_shifts() -> None:
    x = tensor(np.array([1, -8, 5], np.int32))
    equal(x << 2, np.array([4, -32, 20], np.int32), dtype="int32")
    equal(x >> 1, np.array([0, -4, 2], np.int32), dtype="int32")
    equal(x << 40, np.zeros(3, np.int32), dtype="int32")
    equal(x >> 40, np.array([0, -1, 0], np.int32), dtype="int32")


def test_nan_and_infinity() -> None:
    v = np.array([math.nan, math.inf, -math.inf, 1.0])
    x = tensor(v)
    equal(torch.isnan(x), [True, False, False, False])
    equal(torch.isinf(x), [False, True, True, False])
    equal(torch.isfinite(x), [False, False, False, True])
    equal(torch.maximum(x, tensor(np.zeros(4))), [math.nan, math.inf, 0, 1])
    equal(torch.fmax(x, tensor(np.zeros(4))), [0, math.inf, 0, 1])
    equal(torch.relu(x), [math.nan, math.inf, 0, 1])
    equal(torch.sign(x), [0, 1, -1, 1])
    equal(torch.nan_to_num(x, 7.0, 8.0, 9.0), [7, 8, 9, 1])
    equal(x.clamp(-1, 2), [math.nan, 2, -1, 1])


def test_where_and_masked_fill() -> None:
    m = np.array([True, False, True])
    x = np.array([1.0, 2.0, 3.0], np.float32)
    equal(torch.where(tensor(m), tensor(x), 0), [1, 0, 3], dtype="float32")
    equal(torch.where(tensor(m), tensor(np.arange(3)), 0.5), [0, 0.5, 2], dtype="float32")
    equal(tensor(x).masked_fill(tensor(m), -math.inf), [-math.inf, 2, -math.inf], dtype="float32")
    with pytest.raises(RuntimeError, match="expected condition to be a boolean tensor"):
        torch.where(tensor(np.arange(3)), tensor(x), 0)


def test_half_computes_in_single_precision() -> None:
    x = np.array([2048.0], np.float16)          # 2048 + 1 is not a float16; 2048 + 1 - 1 in float32 is exact only per operator
    equal(tensor(x) + 1, [2048.0], 0, "float16")
    equal(torch.add(tensor(x), tensor(x), alpha=0.5), [3072.0], 0, "float16")


def _operand(param: object, dtype: str, seed: int) -> np.ndarray | np.generic:
    name = param.name
    if name in ("condition", "mask"):
        return array("bool", shape=(12,), seed=seed)
    values = array(dtype, shape=(12,), seed=seed)
    return np.abs(values) + values.dtype.type(1) if name in ("other", "exponent") else values


def _meta(param: object, value: object) -> object:
    if isinstance(value, np.ndarray):
        return tensor(value)._meta
    return value.item() if isinstance(value, np.generic) else value


POINTWISE = sorted(name for name, op in OPS.items() if isinstance(op.lower, Pointwise))


@pytest.mark.parametrize("name", POINTWISE)
def test_expression_means_what_eager_computes(name: str) -> None:
    op = OPS[name]
    expr = op.lower.expr
    assert names_in(expr) <= {p.name for p in op.params}
    if name in ("full", "full_like", "channels_last"):   # no operand of the compute dtype, or only 4-d ones
        return
    checked = 0
    for dtype in ("float64", "float32", "int64", "uint8", "bool"):
        d = np.dtype(dtype)
        if op.promote in ("int_to_float", "angle") and d.kind != "f":
            continue
        values: dict[str, object] = {}
        for i, p in enumerate(op.params):
            if p.kind in ("tensor", "operand"):
                values[p.name] = _operand(p, dtype, i)
            elif p.kind == "scalar":
                default = 2 if p.default in (..., None) else p.default
                values[p.name] = d.type(abs(default) if d.kind in "ub" else default)
            else:
                values[p.name] = None
        try:
            metas = tuple([_meta(p, values[p.name]) for p in op.params])
            op.infer(*(op.normalize(*metas) if op.normalize is not None else metas))
        except (RuntimeError, NotImplementedError):
            continue                          # refused for this dtype, as PyTorch refuses it
        with np.errstate(all="ignore"):
            eager = np.broadcast_to(op.eager(*values.values()), (12,))
            got = np.broadcast_to(evaluate_expr(expr, values), (12,))
        np.testing.assert_allclose(got.astype(np.float64), eager.astype(np.float64), rtol=1e-5 if dtype == "float32" else 1e-10,
                                   atol=1e-6 if dtype == "float32" else 1e-12)
        checked += 1
    assert checked


def test_erf_family_is_accurate() -> None:
    x = np.concatenate([np.linspace(-6, 6, 2001), np.linspace(-0.01, 0.01, 101), [0.0, 1e-300, 26.0, -30.0]])
    np.testing.assert_allclose(torch.erf(tensor(x))._array, _erf(x), rtol=1e-14, atol=1e-300)
    np.testing.assert_allclose(torch.erfc(tensor(x))._array, _erfc(x), rtol=3e-12, atol=1e-300)
    y = np.linspace(-0.999, 0.999, 501)
    np.testing.assert_allclose(_erf(torch.erfinv(tensor(y))._array), y, rtol=1e-13, atol=1e-15)
    equal(torch.erfinv(tensor(np.array([1.0, -1.0, 2.0]))), [math.inf, -math.inf, math.nan])
