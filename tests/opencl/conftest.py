# Small graphs traced by hand, for the tests of the OpenCL backend.
import os

import numpy as np
import pytest

os.environ.setdefault("PYOPENCL_NO_CACHE", "1")


@pytest.fixture(scope="session", autouse=True)
def kernel_cache(tmp_path_factory):
    """Binaries of this run go to a folder of their own."""
    before = os.environ.get("GUARDSCOPE_CACHE_DIR")
    os.environ["GUARDSCOPE_CACHE_DIR"] = str(tmp_path_factory.mktemp("kernels"))
    yield
    if before is None:
        os.environ.pop("GUARDSCOPE_CACHE_DIR")
    else:
        os.environ["GUARDSCOPE_CACHE_DIR"] = before


class Graphs:
    """trace: a function over tensors like the given ones -> Graph. run: trace, compile, call."""

    def __init__(self):
        import guardscope.core.torch_api as torch
        from guardscope.core.graph.fake import Tracer, fake
        from guardscope.core.graph.node import Graph, Span
        from guardscope.core.opencl.compile import BackendOptions, compile_graph
        from guardscope.core.symbolic.shape_env import ShapeEnv
        from guardscope.core.tensor.meta import Spec, contiguous_strides
        from guardscope.core.tensor.tensor import Tensor, wrap

        self.torch, self.Graph, self.Tracer, self.fake, self.Span = torch, Graph, Tracer, fake, Span
        self.ShapeEnv, self.Spec, self.contiguous_strides, self.Tensor, self.wrap = \
            ShapeEnv, Spec, contiguous_strides, Tensor, wrap
        self.compile_graph, self.Options = compile_graph, BackendOptions

    def tensors(self, arrays):
        return [a if isinstance(a, self.Tensor) else self.wrap(a) if isinstance(a, np.ndarray) else a for a in arrays]

    def trace(self, fn, *inputs, dynamic=(), span=None, names="xyzwuv"):
        """`dynamic`: dimensions that become symbols, in every input that is contiguous; numbers become symbols too."""
        graph = self.Graph("f")
        env = self.ShapeEnv(False)
        fakes = []
        for name, x in zip(names, self.tensors(inputs)):
            node = graph.add("input", name)
            if not isinstance(x, self.Tensor):
                node.spec = env.new_symbol(("input", name), x, "float" if isinstance(x, float) else "int")
                graph.symbols[str(node.spec.expr)] = ("value", node)
                fakes.append(node.spec)
                continue
            shape = list(x.shape)
            strides = x._meta.strides
            if dynamic and x._meta.is_contiguous:
                for d, n in enumerate(shape):
                    if d in dynamic and n > 1:
                        shape[d] = env.new_symbol(("size", name, d), n, "size")
                        graph.symbols[str(shape[d].expr)] = ("size", node, d)
                strides = self.contiguous_strides(shape)
            node.spec = self.Spec(x.dtype, shape, strides)
            fakes.append(self.fake(node, node.spec))
        with self.Tracer(graph) as tracer:
            tracer.span = span
            out = fn(*fakes)
        out = out if isinstance(out, tuple) else (out,)
        graph.outputs = [o._node if isinstance(o, self.Tensor) else o for o in out]
        return graph

    def tracer_off(self, fn, *args):
        """Call `fn` eagerly in the middle of a trace."""
        from guardscope.core.tensor.state import STATE

        before, STATE.tracer = STATE.tracer, None
        try:
            return fn(*args)
        finally:
            STATE.tracer = before

    def compile(self, fn, *inputs, dynamic=(), span=None, **options):
        return self.compile_graph(self.trace(fn, *inputs, dynamic=dynamic, span=span), self.Options(**options))

    def run(self, fn, *inputs, dynamic=(), **options):
        """The results as NumPy arrays. Their metadata must be that of the graph's nodes."""
        compiled = self.compile(fn, *inputs, dynamic=dynamic, **options)
        out = self.call(compiled, *inputs)
        assert not compiled._told                        # the kernels ran: NumPy did not have to take over
        return out

    def call(self, compiled, *inputs):
        results = compiled(*self.tensors(inputs))
        for r in results:
            if not isinstance(r, self.Tensor):
                continue
            assert r._array.shape == tuple(r._meta.shape)
            assert r._array.dtype == r._meta.dtype.numpy
            for n, have, told in zip(r._array.shape, r._array.strides, r._meta.strides):
                assert n <= 1 or r._array.size == 0 or have == told * r._array.itemsize
        out = [r._array if isinstance(r, self.Tensor) else r for r in results]
        return out[0] if len(out) == 1 else out


@pytest.fixture(scope="session")
def graphs():
    made = Graphs()
    try:
        from guardscope.core.opencl.devices import devices
        devices()
    except Exception as problem:
        pytest.skip(f"no OpenCL device: {problem}")
    return made


@pytest.fixture(params=["cpu small", "cpu large", "gpu small", "gpu large", "copied"])
def way(request):
    """Every way to run a kernel that this machine has: schedule, device, memory."""
    if request.param == "copied":
        return {"schedule": "gpu", "zero_copy": False}
    schedule, always = request.param.split()
    return {"schedule": schedule, "always": always}
