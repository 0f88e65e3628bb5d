# torch.vmap: a loop over slices. Expected values: the function applied to each slice.
import pytest
from guardscope.core.torch_api.importing import install

install()
import torch  # noqa: E402

X = torch.arange(12.0).reshape(3, 4)


@pytest.mark.parametrize("dim", [0, 1, -1])
def test_slices_of_a_dimension(dim):
    got = torch.vmap(lambda row: row.sum() * row, in_dims=dim)(X)
    assert torch.equal(got, torch.stack([row.sum() * row for row in X.unbind(dim)]))


def test_what_is_not_mapped_and_where_results_go():
    got = torch.vmap(lambda a, b: a * b, in_dims=(0, None), out_dims=1)(X, torch.arange(4.0))
    assert torch.equal(got, (X * torch.arange(4.0)).T)


def test_random_numbers_are_those_of_each_slice():
    torch.manual_seed(3)
    got = torch.vmap(lambda row: row + torch.rand(()), randomness="different")(X)
    torch.manual_seed(3)
    assert torch.equal(got, torch.stack([row + torch.rand(()) for row in X]))
    with pytest.raises(NotImplementedError, match='randomness="same"'):
        torch.vmap(torch.sin, randomness="same")
    with pytest.raises(RuntimeError, match="Only allowed values for randomness"):
        torch.vmap(torch.sin, randomness="some")


def test_sizes_must_agree():
    with pytest.raises(ValueError, match="same size in the mapped dimension"):
        torch.vmap(torch.add)(X, X.T)
