"""Names that only have to exist at import: they can be imported, named, subclassed; using one says what to use instead."""

from __future__ import annotations

import importlib

import pytest
from guardscope.core.errors import NotYetSupported
from guardscope.core.torch_api import import_only, importing

torch = importing.install()


@pytest.mark.parametrize("module", sorted(import_only.TABLE))
def test_every_name_of_the_table_can_be_imported_and_refuses_to_be_used(module: str) -> None:
    classes, functions, instead = import_only.TABLE[module]
    made = importlib.import_module(module)
    for name in classes.split():
        cls = getattr(made, name)
        assert isinstance(cls, type) and not isinstance(3, cls)
        with pytest.raises(NotYetSupported, match=f"{name} does not exist in Guardscope yet"):
            type("Mine", (cls,), {})()
    for name in functions.split():
        with pytest.raises(NotYetSupported) as error:
            getattr(made, name)("x")
        assert instead in str(error.value)


def test_missing_names_and_modules_say_what_is_near() -> None:
    with pytest.raises(ImportError, match="has no name 'fully_shrad'.*fully_shard"):
        exec("from torch.distributed.fsdp import fully_shrad")
    with pytest.raises(ModuleNotFoundError, match="No module named 'torch.distributed.fsdq'"):
        importlib.import_module("torch.distributed.fsdq")


def test_functions_of_a_scripts_own_run_forward() -> None:
    class Double(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * 2

    class Triple(torch.autograd.Function):
        @staticmethod
        def forward(x):
            return x * 3

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.save_for_backward(*inputs)

    assert Double.apply(torch.ones(2)).tolist() == [2, 2]
    assert Triple.apply(torch.ones(2)).tolist() == [3, 3]
    fast = torch.compile(lambda x: Double.apply(x + 1) - 1)
    assert fast(torch.ones(2)).tolist() == [3, 3]


def test_vmap_is_a_loop_over_slices() -> None:
    a, b = torch.arange(12.0).reshape(3, 2, 2), torch.arange(12.0).reshape(3, 2, 2) + 1
    assert torch.equal(torch.vmap(torch.mm)(a, b), a @ b)
    assert torch.equal(torch.vmap(lambda x, k: x * k, in_dims=(1, None), out_dims=1)(a, 2.0), a * 2)
    with pytest.raises(ValueError, match="same size in the mapped dimension"):
        torch.vmap(torch.add)(torch.ones(2), torch.ones(3))


def test_own_operators_run_and_are_found_by_name() -> None:
    @torch.library.custom_op("test_lib::twice", mutates_args=())
    def twice(x: torch.Tensor) -> torch.Tensor:
        return x * 2

    @twice.register_fake
    def _(x):
        return torch.empty_like(x)

    assert twice(torch.ones(2)).tolist() == [2, 2]
    assert torch.ops.test_lib.twice(torch.ones(1)).item() == 2
    assert torch.ops.aten.mm.default(torch.eye(2), torch.eye(2)).tolist() == [[1, 0], [0, 1]]
    with pytest.raises(NotYetSupported, match="custom_op"):
        torch.ops.nowhere.nothing(1)
    with pytest.raises(AttributeError, match="nearest: .*softmax"):
        torch.ops.aten.softmaxx  # noqa: B018


def test_lists_of_tensors() -> None:
    many = [torch.ones(2), torch.ones(3)]
    torch._foreach_mul_(many, 3)
    torch._foreach_add_(many, [torch.ones(2), torch.ones(3)], alpha=2)
    assert [t.tolist() for t in many] == [[5, 5], [5, 5, 5]]
    assert [t.tolist() for t in torch._foreach_sqrt([torch.full((1,), 9.0)])] == [[3.0]]
    torch._foreach_lerp_(many, [torch.zeros(2), torch.zeros(3)], 0.5)
    assert many[0].tolist() == [2.5, 2.5]


def test_control_flow_functions() -> None:
    assert torch.cond(torch.tensor(True), lambda x: x + 1, lambda x: x - 1, (torch.ones(1),)).item() == 2
    from torch._higher_order_ops import associative_scan

    x = torch.arange(1.0, 5)
    assert associative_scan(torch.add, x, 0).tolist() == x.cumsum(0).tolist()
    assert associative_scan(torch.add, x, 0, reverse=True).tolist() == x.flip(0).cumsum(0).flip(0).tolist()


def test_masked_reductions() -> None:
    x = torch.tensor([[1.0, 2, 3], [4, 5, 6]])
    keep = torch.tensor([[True, False, True], [False, False, False]])
    assert torch.masked.sum(x, 1, mask=keep).tolist() == [4, 0]
    assert torch.masked.mean(x, 1, mask=keep)[0].item() == 2
    assert torch.masked.mean(x, 1, mask=keep)[1].isnan()
    assert torch.masked.amax(x, 1, mask=keep).tolist() == [3, float("-inf")]


def test_futures_and_jit_names() -> None:
    assert torch.jit.wait(torch.jit.fork(lambda a: a + 1, 2)) == 3
    assert torch.futures.wait_all([torch.jit.fork(int), torch.jit.fork(str)]) == [0, ""]
    assert not isinstance(torch.nn.Linear(1, 1), torch.jit.ScriptModule)
    with pytest.raises(RuntimeError, match="must be set before"):
        torch.futures.Future().wait()


def test_sparse_says_so() -> None:
    with pytest.raises(NotYetSupported, match="another layout"):
        torch.ones(2, 2).to_sparse(layout=torch.sparse_csr)
    assert torch.spmm(torch.eye(2), torch.eye(2)).tolist() == [[1, 0], [0, 1]]
