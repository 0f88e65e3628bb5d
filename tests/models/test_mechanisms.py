# Hooks, parametrizations, caches and self-inspection inside compiled code: results of plain Python, and how many graphs.
import guardscope.core.torch_api as torch
import pytest

from . import mechanisms as m
from .compare import run


def x(*shape):
    return torch.randn(*shape)


def test_hooks_are_traced_and_guarded():
    def script(f, owner):
        yield f(x(2, 4))
        handle = owner.first.register_forward_hook(lambda module, args, out: out * 2)
        yield f(x(2, 4))
        yield f(x(2, 4))
        handle.remove()
        yield f(x(2, 4))
        with owner.second.register_forward_pre_hook(lambda module, args, kwargs: ((args[0] + 1,), kwargs), with_kwargs=True):
            yield f(x(2, 4))
        yield f(x(2, 4))
        first = owner.first.register_forward_hook(lambda module, args, out: out + 1)
        owner.first.register_forward_hook(lambda module, args, out: out * 3, prepend=True)
        yield f(x(2, 4))
        first.remove()
        yield f(x(2, 4))

    assert run(m.Pair, script) == [1, 1, 0, 0, 1, 0, 1, 1]


def test_weight_norm_in_both_forms_and_spectral_norm():
    def script(f, owner):
        yield f(x(2, 4))
        owner.old.weight_g.data.mul_(2)
        owner.new.parametrizations.weight.original0.data.mul_(3)
        yield f(x(2, 4))
        torch.nn.utils.remove_weight_norm(owner.old)
        yield f(x(2, 4))

    assert run(m.Normed, script) == [1, 0, 1]


def test_a_forward_that_looks_at_its_own_parameters():
    def script(f, owner):
        yield f(x(2, 4))
        yield f(x(2, 4))
        owner.layers[1].bias.requires_grad_(False)
        yield f(x(2, 4))

    assert run(m.LooksAtItself, script) == [1, 0, 1]


def test_checkpoint_is_a_call():
    assert run(m.Checkpointed, lambda f, owner: (f(x(n, 4)) for n in (2, 3, 5))) == [1, 1, 0]


def test_cached_functions_with_known_arguments():
    m.calls.clear()
    m.scales.cache_clear()

    def script(f, owner):
        for n in (3, 3, 4):
            yield f(x(2), n)

    assert run(lambda: m.uses_cache, script, dynamic=False)[:2] == [1, 0]
    assert m.calls == [3, 4]                                   # computed once each, as plain Python does


def test_what_a_cache_keeps_is_guarded():
    m.scales.cache_clear()

    def script(f, owner):
        yield f(x(2), 5)
        m.scales(5)[0] = 7.0
        yield f(x(2), 5)
        m.scales.cache_clear()
        yield f(x(2), 5)

    run(lambda: m.uses_cache, script, dynamic=False)
    m.scales.cache_clear()


def test_cached_masks_of_varying_size_stay_dynamic():
    m.mask.cache_clear()
    assert run(lambda: m.masked, lambda f, owner: (f(x(n, n)) for n in (3, 4, 5, 6))) == [1, 1, 0, 0]


def test_a_cached_function_that_reads_a_global_keeps_its_old_results():
    def script(f, owner):
        m.scaled_by_global.cache_clear()
        m.SCALE = 3.0
        yield f(x(2))
        yield f(x(3))
        m.SCALE = 10.0
        yield f(x(4))
        yield f(x(3))

    run(lambda: m.uses_global, script)


@pytest.mark.parametrize("dynamic", [None, True, False])
def test_a_cached_tensor_that_is_changed_accumulates(dynamic):
    def script(f, owner):
        m.accumulator.cache_clear()
        for n in (3, 4, 3, 4, 5, 5):
            yield f(torch.ones(n))

    run(lambda: m.accumulates, script, dynamic)


def test_slices_of_module_containers():
    def script(f, owner):
        yield f(x(2, 4), 2)
        yield f(x(2, 4), 2)
        owner.layers[0] = torch.nn.Linear(4, 4)                # the kept slice must not be used any more
        yield f(x(2, 4), 2)
        yield f(x(2, 4), 3)

    assert run(m.FirstLayers, script) == [1, 0, 1, 1]


def test_data_of_a_parameter_is_replaced():
    def script(f, owner):
        yield f(x(5, 3))
        yield owner.shift, owner.shift.requires_grad
        yield f(x(5, 3))
        owner.done = False
        yield f(x(6, 3))
        yield owner.shift

    assert run(m.ActNorm, script) == [1, 0, 1, 1, 0]


@pytest.mark.parametrize(("name", "graphs"), [("masked_update", 1), ("masked_in_place", 1), ("masked_by_selection", None)])
def test_updates_under_a_mask(name, graphs):
    def script(f, owner):
        for n in (6, 6, 7, 9):
            points, labels = x(n, 3), torch.tensor([(i % 4) - 1 for i in range(n)])
            yield f(points, labels, x(2, 3), x(3)), points

    counts = run(lambda: getattr(m, name), script)
    assert graphs is None or counts == [1, 0, 1, 0]


def test_functions_with_their_own_backward_run_forward():
    assert run(lambda: m.quantised, lambda f, owner: (f(x(n, 3)) for n in (2, 3, 4))) == [1, 1, 0]


def test_numbers_in_constant_tensors_are_known():
    assert run(lambda: m.gated, lambda f, owner: (f(x(n, 6), 3) for n in (2, 3, 4))) == [1, 1, 0]
    run(lambda: m.changed_constant, lambda f, owner: (f(x(n, 6)) for n in (2, 3)))
