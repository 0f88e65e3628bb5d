"""Programs that bring their own declarations instead of the driver's long header."""
import re

import numpy as np
import pytest


def device():
    from guardscope.core.opencl.devices import choose

    found = choose("cpu").small
    if not found.long_header:
        pytest.skip("this driver has no long header")
    return found


def build(text, *options):
    from guardscope.core.opencl.devices import pyopencl
    from guardscope.core.opencl.program import BuildFailed, _from_source

    try:
        return _from_source(text, ["-DIDX=int", "-DINLINE_MATH", *options], device()), pyopencl()
    except BuildFailed as problem:
        pytest.fail(problem.log)


def test_whatever_the_prelude_calls_is_declared(graphs):
    """All its functions for all types, in one program; none may need the header."""
    from guardscope.core.opencl.declarations import declarations
    from guardscope.core.opencl.prelude import SIZE, prelude, sections
    from guardscope.core.opencl.program import COMMENT

    names = sorted({s.name for s in sections()} - {"always"})
    text = COMMENT.sub("", prelude(" ".join([*names, *SIZE])) + "\n__kernel void nothing(__global int *a) { a[0] = 1; }\n")
    assert declarations(text) is not None
    build(text)


def test_the_header_is_read_for_what_is_not_known_here(graphs):
    from guardscope.core.opencl.declarations import declarations

    text = "__kernel void k(__global int *a) { a[0] = popcount(a[0]); }"
    assert declarations(text) is None
    build(text)
    assert declarations(text.replace("popcount", "abs_")) is None


def test_a_driver_that_wants_its_header_gets_it(graphs, monkeypatch):
    from guardscope.core.opencl import program

    device()
    monkeypatch.setattr(program, "declarations", lambda text: "#error no\n")
    a = np.arange(7, dtype=np.float32)
    assert np.array_equal(graphs.run(lambda x: x * 1.4375 - 0.8125, a), a * np.float32(1.4375) - np.float32(0.8125))


def test_numbers_are_converted_as_the_header_says(graphs):
    """What a program gets without the header is the same as with it, for all pairs of types."""
    from guardscope.core.opencl.declarations import ELEMENTS, SKIP, declarations

    dtypes = {"char": "i1", "short": "i2", "int": "i4", "long": "i8", "float": "f4", "double": "f8"}
    dtypes |= {"u" + n: "u" + d[1:] for n, d in dtypes.items() if d[0] == "i"}
    values = np.array([0, 1, 2.75, 100, 7.5, 63.999, 3, 120] * 2)
    pairs = [(a, b) for a in ELEMENTS for b in ELEMENTS]
    text = "\n".join(f"__kernel void {a}_{b}(__global {a} *p, __global {b} *q, __global {b} *r) "
                     f"{{ *(__global {b}16 *)q = convert_{b}16(*(__global {a}16 *)p); r[0] = convert_{b}(p[2]); }}"
                     for a, b in pairs)
    assert declarations(text) is not None
    program, cl = build(text)
    queue = device().queue
    for a, b in pairs[:: 3]:
        p, q, r = values.astype(dtypes[a]), np.zeros(16, dtypes[b]), np.zeros(1, dtypes[b])
        buffers = [cl.Buffer(device().context, 1 | 32, hostbuf=x) for x in (p, q, r)]
        kernel = cl.Kernel(program, f"{a}_{b}")
        kernel.set_args(*buffers)
        cl.enqueue_nd_range_kernel(queue, kernel, (1,), (1,))
        cl.enqueue_copy(queue, q, buffers[1])
        cl.enqueue_copy(queue, r, buffers[2])
        queue.finish()
        assert np.array_equal(q, p.astype(dtypes[b])) and r[0] == p.astype(dtypes[b])[2], (a, b)
    assert SKIP.startswith("-D")


def test_no_kernel_of_a_graph_needs_the_header(graphs, monkeypatch):
    from guardscope.core.opencl import program

    device()
    seen = []
    honest = program.declarations
    monkeypatch.setattr(program, "declarations", lambda text: (seen.append((text, honest(text))), seen[-1][1])[1])
    a = np.random.default_rng(0).standard_normal((65, 129)).astype(np.float32)
    graphs.run(lambda x: (x.softmax(1) * 1.0625, x.half() + 1.0625, (x @ x.t()).sort()[0], x.cumsum(1).pow(2.5),
                          x.double().atan2(x)), a)
    assert seen and all(given is not None for _, given in seen)
    assert all(re.search(r"\bget_global_id\(uint\)", given) for _, given in seen)
