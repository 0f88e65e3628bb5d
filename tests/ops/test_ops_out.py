# out=: every function that takes it stores its result there and returns that very tensor.
import inspect

import pytest
from guardscope.core.torch_api.importing import install

install()
import torch  # noqa: E402

A = torch.tensor([[4.0, 1.0, 0.0], [1.0, 3.0, 0.5], [0.0, 0.5, 2.0]])
B = torch.arange(9.0).reshape(3, 3)
V, W, BATCH = A[0], B[0], A[None]
ROW, COUNTS, TRUE = torch.tensor([0]), torch.tensor([1, 2]), A > 1
CASES = {
    "hstack": ([A, B],), "vstack": ([A, B],), "dstack": ([A, B],), "column_stack": ([A, B],), "row_stack": ([A, B],),
    "cat": ([A, B],), "stack": ([A, B],), "diag": (A,), "inner": (A, B), "outer": (V, W), "ger": (V, W),
    "masked_select": (A, TRUE), "matrix_power": (A, 2), "cholesky": (A,), "cholesky_inverse": (A,), "cholesky_solve": (A, A),
    "vdot": (V, W), "cross": (A, B), "chain_matmul": (A, B, A), "take": (A, COUNTS), "diff": (A,), "bernoulli": (A * 0 + 1,),
    "tensordot": (A, B), "kron": (A, B), "std": (A, 0), "var": (A, 0), "renorm": (A, 2, 0, 1.0), "addbmm": (A, BATCH, BATCH),
    "softmax": (A, 0), "log_softmax": (A, 0), "qr": (A,), "svd": (A,), "slogdet": (A,), "det": (A,), "topk": (A, 2),
    "kthvalue": (A, 1), "mode": (A,), "median": (A, 0), "nanmedian": (A, 0), "cummax": (A, 0), "cummin": (A, 0),
    "logcumsumexp": (A, 0), "aminmax": (A,), "msort": (A,), "frexp": (A,), "take_along_dim": (A, ROW[None], 0),
    "multinomial": (torch.eye(3), 1), "sort": (A,), "max": (A, 0), "mm": (A, B), "add": (A, B), "sum": (A, 0),
    "nonzero": (TRUE,), "gather": (A, 0, ROW[None]), "index_select": (A, 0, ROW), "linalg.lu_factor": (A,),
    "linalg.lu_factor_ex": (A,), "linalg.lu": (A,), "linalg.cholesky": (A,), "linalg.cholesky_ex": (A,), "linalg.inv": (A,),
    "linalg.inv_ex": (A,), "linalg.eig": (A,), "linalg.eigvals": (A,), "linalg.eigh": (A,), "linalg.eigvalsh": (A,),
    "linalg.svd": (A,), "linalg.svdvals": (A,), "linalg.qr": (A,), "linalg.det": (A,), "linalg.slogdet": (A,),
    "linalg.cond": (A,), "linalg.matrix_rank": (A,), "linalg.pinv": (A,), "linalg.matrix_power": (A, 3),
    "linalg.multi_dot": ([A, B, A],), "linalg.vecdot": (A, B), "linalg.cross": (A, B), "linalg.solve": (A, B),
    "linalg.tensorsolve": (A, V), "linalg.tensorinv": (A.reshape(3, 3, 1).reshape(3, 1, 3),), "linalg.norm": (A,),
}


def function(name):
    return eval(f"torch.{name}", {"torch": torch})


def same(a, b):
    return a.dtype is b.dtype and a.shape == b.shape and torch.equal(a, b)


@pytest.mark.parametrize("name", CASES)
def test_out_is_filled_and_returned(name):
    plain = function(name)(*CASES[name])
    many = isinstance(plain, tuple)
    results = plain if many else (plain,)
    wanted = tuple(torch.empty(0, dtype=r.dtype) for r in results)
    given = function(name)(*CASES[name], out=wanted if many else wanted[0])
    for filled, returned, expected in zip(wanted, given if many else (given,), results):
        assert returned is filled and same(filled, expected)
    assert type(given) is type(plain)


@pytest.mark.parametrize("name", ["hstack", "linalg.eigh", "std", "outer"])
def test_out_in_a_graph(name):
    f, args = function(name), CASES[name]

    def into(out):
        return f(*args, out=out)

    plain = f(*args)
    results = plain if isinstance(plain, tuple) else (plain,)
    for backend in ("eager", "inductor"):
        torch._dynamo.reset()
        wanted = tuple(torch.zeros_like(r) for r in results)
        torch.compile(into, backend=backend)(wanted if isinstance(plain, tuple) else wanted[0])
        assert all(torch.allclose(w, r) for w, r in zip(wanted, results))


def test_the_signature_tells_of_it():
    assert inspect.signature(torch.hstack).parameters["out"].kind is inspect.Parameter.KEYWORD_ONLY
    with pytest.raises(RuntimeError, match="can't be cast"):
        torch.hstack([A, B], out=torch.empty(0, dtype=torch.int64))


def test_the_other_triangle_is_not_looked_at():
    low = torch.linalg.cholesky(A)
    assert torch.allclose(torch.cholesky_inverse(low + torch.ones(3, 3).triu(1)), torch.linalg.inv(A))
    assert torch.allclose(torch.cholesky_inverse(low.T + torch.ones(3, 3).tril(-1), upper=True), torch.linalg.inv(A))


def test_arguments_that_were_passed_over():
    near = torch.tensor([[1.0, 1.0], [1.0, 1.001]])
    assert torch.allclose(torch.linalg.pinv(near, atol=0.5), torch.full((2, 2), 0.25), atol=1e-3)
    with pytest.raises(RuntimeError, match="allocated size"):
        torch.repeat_interleave(V, torch.tensor([1, 2, 3]), output_size=5)
    with pytest.raises(ValueError, match="not a valid value for compute_mode"):
        torch.cdist(A, B, compute_mode="fast")
    x = torch.ones(2, 3, 4, 5)
    assert x.double(memory_format=torch.channels_last).stride() == x.float(memory_format=torch.channels_last).stride() \
        == torch.rand_like(x, memory_format=torch.channels_last).stride() == (60, 1, 15, 3)
    y = torch.ones(2, 8, 3)
    assert torch.nn.functional.dropout1d(y, 0.5, True, True) is y and 0 < int((y == 0).sum()) < 48
    copied = torch.asarray(x, copy=True)
    assert copied is not x and torch.asarray(x) is x
    with pytest.raises(ValueError, match="copy=False"):
        torch.asarray(x, dtype=torch.float64, copy=False)


@pytest.mark.parametrize("make", [
    lambda **k: torch.zeros(2, **k), lambda **k: torch.full((2,), 1.0, **k), lambda **k: torch.empty_like(A, **k),
    lambda **k: torch.arange(3, **k), lambda **k: torch.rand(3, **k), lambda **k: torch.hann_window(4, **k),
    lambda **k: A.new_ones(2, **k), lambda **k: torch.fft.fftfreq(4, **k), lambda **k: torch.eye(2, **k)])
def test_another_layout_is_refused(make):
    assert make(layout=torch.strided).layout is torch.strided
    with pytest.raises(NotImplementedError, match="torch.sparse_coo is not made directly"):
        make(layout=torch.sparse_coo)


def test_frequencies_take_out_and_gradients():
    out = torch.empty(0)
    assert torch.fft.fftfreq(4, out=out) is out and out.tolist() == [0.0, 0.25, -0.5, -0.25]
    assert torch.fft.rfftfreq(4, requires_grad=True).requires_grad
