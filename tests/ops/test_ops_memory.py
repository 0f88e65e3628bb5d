# Whose memory a result is: operators that are no views never hand out memory of an operand's, also where NumPy does. The
# tables of tests/ops/differential compare the same with PyTorch, case by case.
import pytest
from guardscope.core.torch_api.importing import install

install()
import torch  # noqa: E402
import torch.nn.functional as F  # noqa: E402

NO_VIEWS = {
    "flip": lambda x: torch.flip(x, (-1,)), "fliplr": torch.fliplr, "flipud": torch.flipud, "rot90": torch.rot90,
    "roll": lambda x: torch.roll(x, 1, 0), "logcumsumexp": lambda x: torch.logcumsumexp(x.reshape(()), 0),
    "diff": lambda x: torch.diff(x, 0), "channel_shuffle": lambda x: F.channel_shuffle(x[None, None], 1),
    "cumsum": lambda x: torch.cumsum(x, 0), "sort": lambda x: torch.sort(x)[0], "cat": lambda x: torch.cat([x]),
    "pad": lambda x: F.pad(x, (0, 0)), "repeat": lambda x: x.repeat(1, 1), "index_select": lambda x: x[torch.tensor([0])],
    "clamp": lambda x: x.clamp(min=0), "nan_to_num": torch.nan_to_num, "round": lambda x: torch.round(x, decimals=0),
    "interpolate": lambda x: F.interpolate(x[None, None], size=(1, 1)), "avg_pool2d": lambda x: F.avg_pool2d(x[None], 1),
    "where": lambda x: torch.where(torch.tensor(True), x, x), "tril": torch.tril, "pow": lambda x: x ** 1,
}


@pytest.mark.parametrize("name", NO_VIEWS)
def test_a_result_of_one_element_is_not_the_operand(name):
    for backend in (None, "eager", "inductor"):
        torch._dynamo.reset()
        function = NO_VIEWS[name] if backend is None else torch.compile(NO_VIEWS[name], backend=backend)
        x = torch.full((1, 1), 0.5)
        function(x).fill_(7.0)
        assert x.item() == 0.5


def test_views_and_the_very_same_object():
    x, scalar = torch.ones(2, 3), torch.tensor(2.0)
    same, other = torch.broadcast_tensors(x, x[:, :1])
    assert same is x and other.untyped_storage().data_ptr() == x.untyped_storage().data_ptr()
    assert scalar.H is scalar


@pytest.mark.parametrize("backend", ["eager", "inductor"])
def test_shared_memory_in_a_graph(backend):
    """What the fuzzer of programs found: a flip of a column, written to, changed the input."""
    def f(z):
        t = torch.flip(z, (-1,))
        t[..., :2].mul_(-1)
        return t

    z = torch.arange(4.0).reshape(4, 1) + 1
    assert torch.compile(f, backend=backend)(z).tolist() == [[-1.0], [-2.0], [-3.0], [-4.0]] == f(z).tolist()
    assert z.tolist() == [[1.0], [2.0], [3.0], [4.0]]
