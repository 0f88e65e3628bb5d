"""Frames: what a call may find from the call before it, and what it must not."""
import gc
import threading
import weakref

import numpy as np
import pytest

A = np.arange(12, dtype=np.float32).reshape(3, 4)


def address(tensor):
    return tensor._array.__array_interface__["data"][0]


def double(graphs, *example, **options):
    return graphs.compile(lambda x: x * 2, *(example or (A,)), **options)


def test_kernels_get_addresses_where_the_driver_runs_them_in_this_process(graphs):
    from guardscope.core.opencl.devices import choose

    compiled = double(graphs)
    assert ("_by_address(const ulong at" in compiled.program) == choose().by_address
    assert "_by_address" not in double(graphs, zero_copy=False).program


def test_memory_of_a_result_is_used_again_when_nobody_has_it(graphs):
    compiled, x = double(graphs), graphs.wrap(A)
    if not compiled.target.by_address:
        pytest.skip("this driver takes buffers")
    compiled(x)
    seen = {address(compiled(x)[0]) for _ in range(5)}
    assert len(seen) == 1


@pytest.mark.parametrize("keep", [
    lambda t: t, lambda t: t._array, lambda t: t.t(), lambda t: t.numpy(), lambda t: t[1:].numpy()[:, 1], lambda t: t.detach(),
    lambda t: memoryview(t.numpy()), lambda t: t.untyped_storage(), lambda t: t.as_strided((2, 2), (1, 2)),
    lambda t: t.view(-1), lambda t: t.expand(5, 3, 4), lambda t: iter(t.unbind()),
    lambda t: np.broadcast_to(t.numpy(), (2, 3, 4))])
def test_memory_that_somebody_has_is_left_alone(graphs, keep):
    compiled = double(graphs)
    kept, held, wanted = [], [], []
    for k in range(6):
        out = compiled(graphs.wrap(A + k))[0]
        kept.append(keep(out))
        held.append(address(out))
        wanted.append((A + k) * 2)
        del out
    assert len(set(held)) == 6
    for thing, want in zip(kept, wanted):
        if isinstance(thing, graphs.Tensor) and thing.shape == (3, 4):
            assert np.array_equal(thing._array, want)


def test_results_of_earlier_calls_keep_their_values(graphs):
    compiled = graphs.compile(lambda x: (x * 2, x + 1), A)
    results = [compiled(graphs.wrap(A + k)) for k in range(8)]
    for k, (a, b) in enumerate(results):
        assert np.array_equal(a._array, (A + k) * 2)
        assert np.array_equal(b._array, A + k + 1)


def test_a_result_may_be_the_next_input(graphs):
    compiled = double(graphs)
    x = graphs.wrap(A)
    for k in range(1, 7):
        x = compiled(x)[0]
        assert np.array_equal(x._array, A * 2 ** k)


def test_what_a_script_does_to_the_array_of_a_result_stays_with_it(graphs):
    compiled, x = double(graphs), graphs.wrap(A)
    for _ in range(4):
        out = compiled(x)[0]
        array = out.numpy()
        array.shape = (12,)
        array.setflags(write=False)
        assert out._array.shape == (3, 4)
        del out, array
    assert np.array_equal(compiled(x)[0].add_(1)._array, A * 2 + 1)


def test_writes_to_an_input_between_calls_are_seen(graphs, way):
    compiled, x = double(graphs, **way), graphs.wrap(A.copy())
    for k in range(5):
        assert np.array_equal(compiled(x)[0]._array, (A + k) * 2)
        x.add_(1)


def test_an_input_whose_memory_is_replaced_between_calls(graphs, way):
    compiled, x = double(graphs, **way), graphs.wrap(A.copy())
    compiled(x)
    compiled(x)
    for k in range(4):
        x.set_(graphs.wrap(A + k))
        for _ in range(3):
            assert np.array_equal(compiled(x)[0]._array, (A + k) * 2)
    x.resize_(1, 12)
    x.resize_(3, 4)
    assert np.array_equal(compiled(x)[0]._array, (A + 3) * 2)


def test_inputs_of_every_layout_by_turns(graphs):
    compiled = graphs.compile(lambda x: x[::2, ::3] + 1, A)
    read_only = A.copy()
    read_only.flags.writeable = False
    for array in [A, read_only, A + 1, read_only, np.ascontiguousarray(A[:, :]), A] * 2:
        assert np.array_equal(compiled(graphs.wrap(array))[0]._array, array[::2, ::3] + 1)


def parameters(graphs, fn, x, weights, **options):
    """A graph whose inputs after the first are parameters."""
    from guardscope.core.guards.origin import GlobalOrigin

    graph = graphs.trace(fn, x, *weights)
    for node in graph.inputs[1:]:
        node.origin = GlobalOrigin(node.name)
    return graphs.compile_graph(graph, graphs.Options(**options))


def test_parameters_that_are_written_to_or_replaced(graphs):
    compiled = parameters(graphs, lambda x, y: x * y, A, [A])
    w = graphs.wrap(A.copy())
    for k in range(3):
        assert np.array_equal(compiled(graphs.wrap(A), w)[0]._array, A * (A + k))
        w.add_(1)
    w.set_(graphs.wrap(A - 5))
    assert np.array_equal(compiled(graphs.wrap(A), w)[0]._array, A * (A - 5))
    other = graphs.wrap(A * 7)
    assert np.array_equal(compiled(graphs.wrap(A), other)[0]._array, A * A * 7)
    assert np.array_equal(compiled(graphs.wrap(A), w)[0]._array, A * (A - 5))


def test_a_frame_does_not_keep_a_parameter(graphs):
    compiled = parameters(graphs, lambda x, y: x * y, A, [A])
    w = graphs.wrap(A.copy())
    compiled(graphs.wrap(A), w)
    compiled(graphs.wrap(A), w)
    memory = weakref.ref(w._array)
    del w
    gc.collect()
    assert memory() is None


def test_a_frame_does_not_keep_an_argument(graphs):
    compiled, x = double(graphs), graphs.wrap(A.copy())
    for _ in range(3):
        compiled(x)
    memory = weakref.ref(x._array)
    del x
    gc.collect()
    assert memory() is None


def interrupted(monkeypatch, graphs, between):
    """Call `between` in the middle of the next launch, as a finaliser or signal handler would be."""
    from guardscope.core.opencl.devices import pyopencl

    cl, pending = pyopencl(), [between]
    honest = cl.enqueue_nd_range_kernel

    def launch(*args):
        while pending:
            pending.pop()()
        return honest(*args)

    monkeypatch.setattr(cl, "enqueue_nd_range_kernel", launch)
    return pending


def test_a_call_in_the_middle_of_a_call(graphs, monkeypatch, way):
    inner = []
    pending = interrupted(monkeypatch, graphs, lambda: inner.append(compiled(graphs.wrap(A + 100))[0]))
    compiled = graphs.compile(lambda x: (x * 2).sum(1) + 1, A, **way)
    for k in range(4):
        outer = compiled(graphs.wrap(A + k))[0]
        assert np.array_equal(outer._array, ((A + k) * 2).sum(1) + 1)
        pending.append(lambda: inner.append(compiled(graphs.wrap(A + 100))[0]))
    assert len(inner) == 4
    for result in inner:
        assert np.array_equal(result._array, ((A + 100) * 2).sum(1) + 1)


def test_a_frame_whose_call_failed_is_not_used_again(graphs, monkeypatch):
    def stop():
        raise KeyboardInterrupt

    pending = interrupted(monkeypatch, graphs, lambda: None)
    compiled, x = double(graphs), graphs.wrap(A)
    compiled(x)
    pending.append(stop)
    with pytest.raises(KeyboardInterrupt):
        compiled(graphs.wrap(A + 1))
    assert np.array_equal(compiled(x)[0]._array, A * 2)
    assert np.array_equal(compiled(graphs.wrap(A + 1))[0]._array, (A + 1) * 2)


def test_threads_in_one_static_graph(graphs):
    compiled = graphs.compile(lambda x: (x * 2).cumsum(1) + x, A)
    start = threading.Barrier(4)
    wrong = []

    def work(number):
        x = graphs.wrap(A + number)
        want = ((A + number) * 2).cumsum(1) + A + number
        start.wait()
        for _ in range(300):
            if not np.array_equal(compiled(x)[0]._array, want):
                wrong.append(number)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong


def test_frames_of_many_sizes(graphs):
    from guardscope.core.opencl.frames import MOST_FRAMES

    compiled = graphs.compile(lambda x: x * 2 + 1, np.zeros(5, np.float32), dynamic=(0,))
    for n in [*range(2, MOST_FRAMES + 10), *range(2, 12)]:
        a = np.arange(n, dtype=np.float32)
        assert np.array_equal(graphs.call(compiled, a), a * 2 + 1)


def test_addresses_of_arrays_of_every_kind():
    from guardscope.core.opencl.memory import NOTHING, address

    read_only = A.copy()
    read_only.flags.writeable = False
    for array in [A, A.T, A[1:, ::2], read_only, np.array(3, np.float16), A > 3, np.arange(5)]:
        assert address(array) == array.__array_interface__["data"][0]
    assert address(np.zeros((0, 3))) == NOTHING
