"""Every element-wise operator and reduction of the table: kernels against the eager NumPy form, over many dtypes."""
import numpy as np
import pytest

DTYPES = ["float32", "float64", "float16", "int64", "int32", "uint8", "bool"]
TOLERANCE = {"float16": 4e-3, "float32": 3e-5, "float64": 1e-10}


def names():
    import guardscope.core.torch_api  # noqa: F401  declares the operators
    from guardscope.core.ops.op import OPS, Pointwise, Reduction

    return sorted(n for n, op in OPS.items() if isinstance(op.lower, Pointwise | Reduction) and not op.mutates)


def values(dtype, shape, seed):
    rng = np.random.default_rng(seed)
    d = np.dtype(dtype)
    if d.kind == "b":
        return rng.integers(0, 2, shape).astype(bool)
    if d.kind in "iu":
        return rng.integers(1, 7, shape).astype(d)
    special = np.array([0.0, -0.0, 1.0, -1.0, 0.5, np.inf, -np.inf, np.nan], d)
    out = rng.normal(0, 1.5, shape).astype(d)
    out.reshape(-1)[:8] = special
    return rng.permutation(out.reshape(-1)).reshape(shape)


def arguments(op, fakes, dtype):
    """One argument per parameter, from the fakes of that dtype."""
    given = iter(fakes)
    args = []
    for p in op.params:
        if p.kind == "tensor" or p.kind == "operand":
            args.append(next(given))
        elif p.kind == "dim":
            args.append(1)
        elif p.kind == "dims":
            args.append((1,))
        elif p.default is not ... and not (p.kind == "scalar" and p.default is None):
            args.append(p.default)
        elif p.kind == "dtype":
            args.append(dtype)
        elif p.kind == "scalar":
            args.append(2 if dtype.category < 2 else 0.75)
        else:
            args.append(p.default if p.default is not ... else None)
    return tuple(args)


@pytest.mark.parametrize("name", names())
def test_kernel_agrees_with_eager(graphs, name):
    from guardscope.core.graph.interpret import Interpreter
    from guardscope.core.ops.op import OPS, call
    from guardscope.core.tensor import dtypes

    op = OPS[name]
    arrays = [values(d, (5, 23), 10 * k + i) for k, d in enumerate(DTYPES) for i in range(3)]
    used = []
    tensors = graphs.tensors(arrays)

    def model(*fakes):
        outputs = []
        for k, d in enumerate(DTYPES):
            real = arguments(op, tensors[3 * k: 3 * k + 3], dtypes.BY_NAME[d])
            try:
                graphs.tracer_off(call, op, real)
                outputs.append(call(op, arguments(op, fakes[3 * k: 3 * k + 3], dtypes.BY_NAME[d])))
                used.append(d)
            except (RuntimeError, TypeError, NotImplementedError, AttributeError):
                continue                                     # the operator does not take this dtype
        return tuple(outputs)

    graph = graphs.trace(model, *arrays, names=[f"x{i}" for i in range(len(arrays))])
    if not graph.outputs:
        pytest.skip("takes other arguments than tensors and numbers")
    want = Interpreter(graph)(*tensors)
    compiled = graphs.compile_graph(graph)
    for d, g, w in zip(used, compiled(*tensors), want):
        assert g._meta is w._meta
        a, b = g._array, w._array
        if a.dtype.kind == "f":
            tolerance = max(TOLERANCE[d if d in TOLERANCE else "float32"], TOLERANCE[a.dtype.name])
            assert np.allclose(a, b, rtol=tolerance, atol=tolerance, equal_nan=True), \
                (d, a[~np.isclose(a, b, rtol=tolerance, atol=tolerance, equal_nan=True)][:5],
                 b[~np.isclose(a, b, rtol=tolerance, atol=tolerance, equal_nan=True)][:5])
        else:
            assert np.array_equal(a, b), d
