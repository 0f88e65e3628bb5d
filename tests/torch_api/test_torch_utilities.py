# torch.utils, torch.amp, torch.random and settings.
import guardscope.core.torch_api as torch
import pytest
from guardscope.core.errors import NotYetSupported
from guardscope.core.torch_api.settings import Settings

RECORDED_SHUFFLES = [[8, 3, 0], [5, 9, 1], [6, 2, 4], [7], [5, 8, 9], [7, 2, 0], [4, 1, 3], [6]]


def test_data_loader():
    data = torch.utils.data.TensorDataset(torch.arange(5), torch.arange(5) * 10)
    loader = torch.utils.data.DataLoader(data, batch_size=2)
    assert [(a.tolist(), b.tolist()) for a, b in loader] == [([0, 1], [0, 10]), ([2, 3], [20, 30]), ([4], [40])]
    assert len(loader) == 3
    assert len(list(torch.utils.data.DataLoader(data, batch_size=2, drop_last=True))) == 2
    torch.manual_seed(0)
    shuffled = torch.utils.data.DataLoader(data, batch_size=5, shuffle=True)
    assert sorted(next(iter(shuffled))[0].tolist()) == [0, 1, 2, 3, 4]
    workers = torch.utils.data.DataLoader(data, batch_size=2, num_workers=2)
    assert [a.tolist() for a, _ in workers] == [[0, 1], [2, 3], [4]]


def test_shuffles_follow_the_seed_as_pytorch_does():
    # recorded: torch.manual_seed(5); two epochs of DataLoader(TensorDataset(arange(10)), batch_size=3, shuffle=True)
    torch.manual_seed(5)
    loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(torch.arange(10)), batch_size=3, shuffle=True)
    assert [b[0].tolist() for _ in range(2) for b in loader] == RECORDED_SHUFFLES


def test_collate_and_split():
    batch = torch.utils.data.default_collate([{"x": 1.0, "n": (1, "a")}, {"x": 2.0, "n": (2, "b")}])
    assert batch["x"].tolist() == [1.0, 2.0] and batch["x"].dtype is torch.float64
    assert batch["n"][0].tolist() == [1, 2] and batch["n"][1] == ["a", "b"]
    parts = torch.utils.data.random_split(range(10), [0.7, 0.3])
    assert sorted([*parts[0], *parts[1]]) == list(range(10)) and len(parts[0]) == 7


def test_pytree():
    from guardscope.core.torch_api.utils import _pytree as pytree

    tree = {"a": [1, (2, 3)], "b": None}
    leaves, spec = pytree.tree_flatten(tree)
    assert leaves == [1, 2, 3, None] and pytree.tree_unflatten(leaves, spec) == tree
    assert pytree.tree_map(lambda v: v and v * 2, tree) == {"a": [2, (4, 6)], "b": None}
    assert pytree.tree_map(lambda a, b: a + b, [1, (2,)], [10, (20,)]) == [11, (22,)]


def test_settings_are_kept_and_unknown_ones_named():
    s = Settings("torch.backends.x", allow_tf32=False)
    s.allow_tf32 = True
    assert s.allow_tf32 is True
    with pytest.raises(AttributeError, match="nearest: allow_tf32"):
        s.allow_tf3 = True


def test_generator_state():
    torch.manual_seed(3)
    first = torch.rand(4).tolist()
    torch.manual_seed(3)
    with torch.random.fork_rng():
        torch.rand(10)
    assert torch.rand(4).tolist() == first


def test_names_that_only_explain():
    for action in (lambda: torch.jit.trace(1), lambda: torch.distributed.barrier(),
                   lambda: torch.nn.utils.clip_grad_norm_([], 1.0), lambda: torch.cuda.synchronize()):
        with pytest.raises(NotYetSupported, match="yet"):
            action()
    assert not torch.cuda.is_available() and torch.cuda.device_count() == 0 and not torch.distributed.is_initialized()


def test_assert_close():
    close = torch.testing.assert_close
    close(torch.tensor([1.0, 2.0]), torch.tensor([1.000001, 2.0]))
    close({"a": [1.0, torch.ones(2)]}, {"a": [1.0, torch.ones(2)]})
    with pytest.raises(AssertionError, match=r"(?s)Tensor-likes are not close!.*Mismatched elements: 1 / 2 \(50.0%\)"):
        close(torch.tensor([1.0, 2.0]), torch.tensor([1.0, 3.0]))
    with pytest.raises(AssertionError, match="'dtype' do not match: torch.int64 != torch.float32"):
        close(torch.ones(1, dtype=torch.int64), torch.ones(1))
    with pytest.raises(AssertionError, match="Scalars are not equal"):
        close(1, 2)
    with pytest.raises(AssertionError, match="'shape' do not match"):
        close(torch.ones(1), torch.ones(2))
