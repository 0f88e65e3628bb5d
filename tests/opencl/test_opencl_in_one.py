"""Small kernels that follow one another run in one launch, in order, whatever stands between them."""
import numpy as np
import pytest

A = (np.arange(48, dtype=np.float32).reshape(6, 8) - 20) / 8


@pytest.fixture(autouse=True)
def by_address(graphs):
    from guardscope.core.opencl.devices import choose

    if not choose().by_address:
        pytest.skip("this driver takes buffers")


def parts(compiled):
    return [len(k.parts) for k in compiled.kernels]


def launches(compiled):
    return sum("enqueue(queue" in line for line in compiled.launch_text.splitlines())


def steps(x, count):
    """Reductions of alternating dimensions: each needs a kernel of its own."""
    for k in range(count):
        x = x - x.sum(k % 2, keepdim=True) * 0.125
    return x


def steps_of_numpy(a, count):
    a = a.astype(np.float64)
    for k in range(count):
        a = a - a.sum(k % 2, keepdims=True) * 0.125
    return a


@pytest.mark.parametrize("count", [2, 5, 30])
def test_many_small_kernels(graphs, count):
    compiled = graphs.compile(lambda x: steps(x, count), A)
    assert launches(compiled) < sum(parts(compiled))
    for k in range(3):
        np.testing.assert_allclose(graphs.call(compiled, A + k), steps_of_numpy(A + k, count), rtol=1e-4, atol=1e-4)
    assert not compiled._told


def test_small_products_are_part_of_the_launch(graphs):
    w, b = A[:, :].T.copy(), np.arange(6, dtype=np.float32)
    compiled = graphs.compile(lambda x, w, b: (((x @ w + b).relu() @ x).softmax(-1) @ w + b), A, w, b)
    assert launches(compiled) == 1
    d = np.maximum(A.astype(np.float64) @ w + b, 0) @ A
    e = np.exp(d - d.max(-1, keepdims=True))
    np.testing.assert_allclose(graphs.call(compiled, A, w, b), (e / e.sum(-1, keepdims=True)) @ w + b, rtol=1e-4, atol=1e-4)
    assert not compiled._told


def test_large_kernels_stay_alone(graphs):
    a = np.ones((200, 300), np.float32)
    compiled = graphs.compile(lambda x: steps(x, 3), a)
    assert launches(compiled) == 3 and set(parts(compiled)) == {1}
    np.testing.assert_allclose(graphs.call(compiled, a), steps_of_numpy(a, 3), rtol=1e-4, atol=1e-4)


def test_the_order_of_parts_tells_kernels_apart(graphs):
    """The same parts in another order are another kernel, though a kernel that was built before is used again."""
    def one(x):
        y = x.sum(0, keepdim=True) * x
        return y.cumsum(1)

    def other(x):
        y = x.cumsum(1)
        return y.sum(0, keepdim=True) * y

    d = A.astype(np.float64)
    for _ in range(2):
        np.testing.assert_allclose(graphs.run(one, A), (d.sum(0, keepdims=True) * d).cumsum(1), rtol=1e-4, atol=1e-4)
        y = d.cumsum(1)
        np.testing.assert_allclose(graphs.run(other, A), y.sum(0, keepdims=True) * y, rtol=1e-4, atol=1e-4)


def test_a_kernel_built_before_is_found_by_its_parts(graphs):
    graphs.compile(lambda x: steps(x, 4), A)
    again = graphs.compile(lambda y: steps(y, 4), A)
    assert {k.where for k in again.kernels} == {"memory"}
    np.testing.assert_allclose(graphs.call(again, A), steps_of_numpy(A, 4), rtol=1e-4, atol=1e-4)


def test_numbers_that_are_new_in_every_call(graphs):
    compiled = graphs.compile(lambda x, n, f: (x * n).sum(1, keepdim=True) + (x - f).sum(0), A, 3, 0.5)
    for n, f in ((3, 0.5), (7, -1.25), (-2, 4.0), (3, 0.5)):
        want = (A * n).sum(1, keepdims=True) + (A - np.float32(f)).sum(0)
        np.testing.assert_allclose(graphs.call(compiled, A, n, f), want, rtol=1e-4, atol=1e-4)
    assert not compiled._told


def test_steps_of_numpy_in_between_see_what_came_before(graphs):
    compiled = graphs.compile(lambda x: (x.sum(0, keepdim=True) + x.sum(1, keepdim=True)).cummax(1)[0].sum(0) * 2, A)
    assert launches(compiled) == 2
    d = A.astype(np.float64)
    want = np.maximum.accumulate(d.sum(0, keepdims=True) + d.sum(1, keepdims=True), 1).sum(0) * 2
    np.testing.assert_allclose(graphs.call(compiled, A), want, rtol=1e-4, atol=1e-4)


def test_writing_in_place_keeps_its_place_in_the_order(graphs):
    def model(x):
        a = x.sum(0) + x.cumsum(1)
        x.mul_(2)
        b = x.sum(1, keepdim=True) * x.cumsum(0)
        x.add_(1)
        return a, b, x.sum()

    compiled = graphs.compile(model, A)
    for _ in range(3):
        x = graphs.wrap(A.copy())
        a, b, c = graphs.call(compiled, x)
        np.testing.assert_allclose(a, A.sum(0) + A.cumsum(1), rtol=1e-4, atol=1e-4)
        np.testing.assert_allclose(b, (A * 2).sum(1, keepdims=True) * (A * 2).cumsum(0), rtol=1e-4, atol=1e-3)
        np.testing.assert_allclose(c, (A * 2 + 1).sum(), rtol=1e-4)
        assert np.array_equal(x._array, A * 2 + 1)


def test_the_session_sees_one_kernel_with_its_parts(graphs):
    compiled = graphs.compile(lambda x: steps(x, 3), A)
    (kernel,) = compiled.kernels
    assert len(kernel.parts) == sum(parts(compiled)) > 1
    assert kernel.source.count("_and_before(__global const ROW *row)") == 1
    assert "in one launch" in kernel.work
    assert len(kernel.node_indices) > 1
