"""Every element-wise operator on edge values of every dtype: kernels against the eager forms run in float64.

Floats: within 2 units in the last place of the exact result, or what MORE grants. float16 is computed in float32 and
rounded once. Integers and truth values: exactly what the eager form gives, on the values where wrapping,
division and shifts are delicate.
"""
import numpy as np
import pytest

INFINITY, NAN = float("inf"), float("nan")
FLOATS = {
    "float32": [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.0, 3.0, -2.5, 1e-3, -7.25, 10.0, 88.5, -88.5, 1e-20, 1e20, -3e37,
                1.1754944e-38, 1e-40, 3.4028235e38, -3.4028235e38, 0.99999994, 1.0000001, 1e6, INFINITY, -INFINITY, NAN],
    "float16": [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.0, 3.0, -2.5, 1e-3, -7.25, 10.0, 6e-8, 6.1e-5, 65504.0, -65504.0, 0.9995,
                1.001, INFINITY, -INFINITY, NAN],
}
FLOATS["float64"] = FLOATS["float32"] + [1e-300, 1.7e308, 710.0, -745.0]
INTEGERS = [0, 1, -1, 2, -2, 3, 7, -7, 31, 32, 63, 64, 100, 127, -128]
#: Operators whose formula cancels or overflows on the way, in PyTorch as here: compared on moderate values, in units in
#: the last place of the largest number they pass through rather than of the result.
CANCELLING = frozenset(("addcdiv", "addcmul", "gelu", "gelu_tanh", "lerp", "tanhshrink", "sinc", "mish", "logsigmoid",
                        "softplus", "sub", "add", "rsub"))
ROUNDED_FIRST = frozenset(("trunc_divide",))             # cuts off a quotient that was rounded: compared with eager itself
LIMIT = {"float16": 1, "float32": 2, "float64": 8}       # units in the last place; float64 functions are the driver's
#: operator -> units in the last place of float32
MORE = {"erfc float64": 400}                              # the eager form is the less exact one


def operators():
    import guardscope.core.torch_api  # noqa: F401  declares the operators
    from guardscope.core.ops.op import OPS, Pointwise

    return [OPS[n] for n in sorted(OPS) if isinstance(OPS[n].lower, Pointwise) and not OPS[n].mutates
            and not n.endswith("_layout") and n != "channels_last"]           # these give another operator its layout


def edge_values(name):
    d = np.dtype(name)
    if d.kind == "b":
        return np.array([False, True])
    if d.kind == "f":
        with np.errstate(all="ignore"):
            return np.array(FLOATS[name]).astype(d)
    info = np.iinfo(d)
    found = [v for v in INTEGERS if info.min <= v <= info.max] + [info.min, info.min + 1, info.max, info.max - 1]
    return np.array(sorted(set(found)), d)


def operands(name):
    """All pairs of edge values, and others beside them."""
    values = edge_values(name)
    a, b = np.meshgrid(values, values, indexing="ij")
    return [a.reshape(-1).copy(), b.reshape(-1).copy(), np.random.default_rng(3).choice(values, a.size)]


def arguments(op, tensors, d):
    """The tensors in their places, numbers elsewhere; None if the operator takes something else."""
    given = iter(tensors)
    out = []
    for p in op.params:
        if p.kind in ("tensor", "operand"):
            out.append(next(given))
        elif p.default is not ... and not (p.kind == "scalar" and p.default is None):
            out.append(p.default)
        elif p.kind == "scalar":
            out.append(2 if np.dtype(d).kind in "iub" else 0.75)
        elif p.default is not ...:
            out.append(p.default)
        else:
            return None
    return tuple(out)


@pytest.mark.parametrize("d", ["float32", "float16", "float64", "int64", "int32", "int16", "int8", "uint8", "bool"])
def test_edge_values(graphs, d):
    from guardscope.core.ops.op import call

    arrays = operands(d)
    tensors = graphs.tensors(arrays)
    eager, taken = [], []
    for op in operators():
        args = arguments(op, tensors, d)
        try:
            eager.append(call(op, args) if args is not None else None)
        except (RuntimeError, TypeError, NotImplementedError, ZeroDivisionError, OverflowError, AttributeError):
            continue                                         # does not take this dtype
        if args is None:
            eager.pop()
            continue
        taken.append(op)
    compiled = graphs.compile(lambda *fakes: tuple([call(op, arguments(op, fakes, d)) for op in taken]), *arrays)
    assert sum(r.startswith("#") and "on the host" in r for r in compiled.text.splitlines()) < len(taken) / 2
    wrong = [f"{op.name}: {problem}" for op, got, want in zip(taken, compiled(*tensors), eager)
             if (problem := difference(op, d, arrays, got._array, want._array))]
    assert not wrong, "\n".join(wrong)
    assert len(taken) > 40


def difference(op, d, arrays, got, eager):
    """What is wrong with a result, or None."""
    if got.dtype.kind != "f" or d not in FLOATS or op.name in ROUNDED_FIRST:
        if got.dtype.kind == "f":
            bad = ~np.isclose(got, eager, rtol=4 * np.finfo(got.dtype).eps, atol=0, equal_nan=True)
        else:
            bad = got != eager
        return shown(arrays, got, eager, bad)
    with np.errstate(all="ignore"):
        inputs = [a.astype(np.float64) for a in arrays]
        exact = np.asarray(op.eager(*arguments(op, inputs, d)), np.float64)
        cancels = op.name in CANCELLING
        rounded = (eager if cancels else exact).astype(got.dtype)
        scale = np.abs(exact)
        if cancels:
            for x in inputs:
                scale = np.maximum(scale, np.abs(x) ** 2 + 1)
        unit = np.spacing(np.minimum(scale, float(np.finfo(got.dtype).max)).astype(got.dtype)).astype(np.float64)
        limit = MORE.get(op.name if d == "float32" else f"{op.name} {d}", LIMIT[d])
        finite = np.isfinite(rounded) & np.isfinite(got)
        bad = finite & (np.abs(got.astype(np.float64) - exact) > limit * unit)
        bad &= ~(np.abs(exact) < np.finfo(got.dtype).tiny) | (np.abs(got) > np.finfo(got.dtype).tiny)   # subnormal: about 0
        bad |= np.isnan(got) != np.isnan(rounded)
        edge = np.finfo(got.dtype).max * (1 - limit * np.finfo(got.dtype).eps)
        bad |= (np.isinf(got) | np.isinf(rounded)) & (got != rounded) & ~np.isnan(got) & (np.abs(exact) < edge)
        bad |= (rounded == 0) & (got == 0) & (np.signbit(got) != np.signbit(rounded))
    return shown(arrays, got, exact, bad)


def shown(arrays, got, want, bad):
    """The first few differences: operands, the kernel's result, the expected one."""
    if not bad.any():
        return None
    return "; ".join(str((*[a[i].item() for a in arrays], got[i].item(), want[i].item())) for i in np.flatnonzero(bad)[:3])
