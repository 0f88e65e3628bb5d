# Which sizes, strides and numbers become symbolic. The counts of versions after each call are TorchDynamo 2.13's for the same
# calls (recorded with dynamo_reference/tools/record.py); results are compared with the uncompiled function.
import pytest
from guardscope.core.torch_api.importing import install

from .test_cache import outcomes, same, state, versions, x_of

install()
import torch  # noqa: E402

BOTH = pytest.mark.parametrize("backend", ["eager", "inductor"])


def marked(mark, n, *args, **kwargs):
    x = x_of(n, 3)
    getattr(torch._dynamo.decorators, mark)(x, *args, **kwargs)
    return x


# -- numbers --
def test_floats_are_symbolic_from_the_first_compile_under_dynamic_true(m):
    calls = [(x_of(3), k) for k in (1.5, 2.5, 0.0, 1.0, float("nan"), float("inf"), 3, 4)]
    assert outcomes(m.times, calls[:4], dynamic=True) == [1, 1, 1, 1]
    g = torch.compile(m.times, backend="eager", dynamic=True)
    assert repr(g(*calls[4]).tolist()) == repr(m.times(*calls[4]).tolist())       # NaN is fixed
    assert repr(g(*calls[5]).tolist()) == repr(m.times(*calls[5]).tolist())
    assert len(state(m.times).compiled) == 2                                      # infinity is a float like another
    same(g(*calls[6]), m.times(*calls[6]))
    same(g(*calls[7]), m.times(*calls[7]))
    assert len(state(m.times).compiled) == 3


def test_a_number_where_a_tensor_was_is_symbolic_at_once_and_the_other_way_round(m):
    assert outcomes(m.times, [(x_of(3), x_of(3)), (x_of(3), 2), (x_of(3), 5)]) == [1, 2, 2]
    torch._dynamo.reset()
    assert outcomes(m.times, [(x_of(3), 2), (x_of(3), x_of(3) + 0), (x_of(1), x_of(5))]) == [1, 2, 3]


def test_an_int_and_an_equal_float_are_not_a_change(m):
    assert outcomes(m.times, [(x_of(3), 2), (x_of(3), 2.0), (x_of(3), 2), (x_of(3), 3.0), (x_of(3), 4.0)]) == [1, 2, 2, 3, 3]


@pytest.mark.parametrize(("setting", "values"), [("specialize_int", (1, 2, 3)), ("specialize_float", (1.5, 2.5, 3.5))])
def test_numbers_that_are_never_symbolic(m, setting, values):
    with torch._dynamo.config.patch(**{setting: True}):
        assert outcomes(m.times, [(x_of(3), k) for k in values]) == [1, 2, 3]


def test_ints_of_modules_are_fixed_unless_the_option_says_otherwise(m):
    def count():
        net = m.Net()
        fast, seen = torch.compile(net, backend="eager"), []
        for k in range(2, 6):
            net.k = k
            same(fast(x_of(3)), net(x_of(3)))
            seen.append(len(state(m.Net.forward).compiled))
        return seen

    assert count() == [1, 2, 3, 4]
    torch._dynamo.reset()
    with torch._dynamo.config.patch(allow_unspec_int_on_nn_module=True):
        assert count() == [1, 2, 2, 2]


# -- strides --
@BOTH
def test_a_stride_that_changes_while_the_sizes_stay_is_symbolic(m, backend):
    rows = x_of(4, 12)
    calls = [(v,) for v in (rows[:, :3] + 0, rows[:, :3], rows[:, 2:8:2], rows[:, 0:9:3], rows[:, 1:4])]
    assert outcomes(m.add_size, calls, backend=backend) == [1, 2, 3, 3, 3]


@BOTH
def test_strides_of_symbolic_sizes(m, backend):
    rows = x_of(4, 12)
    calls = [(v,) for v in (rows[:, :3] + 0, rows[:, :3], rows[:, 2:8:2], x_of(5, 3).t(), x_of(2, 7).t())]
    assert outcomes(m.add_size, calls, backend=backend, dynamic=True) == [1, 2, 3, 4, 4]


def test_strides_of_zero_and_one_are_fixed(m):
    one = x_of(4, 1)
    calls = [(one.expand(4, 3),), (x_of(4, 3),), (x_of(1, 3).expand(4, 3),), (one.expand(4, 3),)]
    assert outcomes(m.add_size, calls) == [1, 2, 3, 3]


# -- marks --
def test_a_mark_for_dynamic_goes_before_one_for_static(m):
    calls = []
    for n in (4, 5, 6):
        x = marked("mark_dynamic", n, 0)
        torch._dynamo.mark_static(x, 0)
        calls.append((x,))
    assert outcomes(m.add_size, calls) == [1, 1, 1]


def test_a_marked_range(m):
    good = [(marked("mark_dynamic", n, 0, min=4, max=16),) for n in (4, 9, 16)]
    assert outcomes(m.add_size, good) == [1, 1, 1]
    g = torch.compile(m.add_size, backend="eager")
    for n in (3, 20):
        with pytest.raises(torch._dynamo.exc.ConstraintViolationError, match=rf"from 4 to 16, and is {n}"):
            g(marked("mark_dynamic", n, 0, min=4, max=16))
    same(g(x_of(30, 3)), m.add_size(x_of(30, 3)))                                  # not marked: a version of its own
    assert len(state(m.add_size).compiled) == 2


def test_a_range_that_the_script_decides_inside_of(m):
    g = torch.compile(m.branches_on_size, backend="eager")
    with pytest.raises(torch._dynamo.exc.ConstraintViolationError, match=r"x.shape\[0\] == 4 .*branches|x.shape\[0\]"):
        g(marked("mark_dynamic", 4, 0, min=2, max=16))


def test_the_error_of_a_mark_quotes_the_line(m):
    with pytest.raises(torch._dynamo.exc.ConstraintViolationError) as caught:
        torch.compile(m.branches_on_size, backend="eager")(marked("mark_dynamic", 4, 0))
    assert "x.shape[0] == 4" in str(caught.value) and "if x.shape[0] == 4:" in str(caught.value)
    same(torch.compile(m.branches_on_size, backend="eager")(marked("maybe_mark_dynamic", 4, 0)), m.branches_on_size(x_of(4, 3)))


@BOTH
def test_an_unbacked_dimension_takes_a_size_of_one(m, backend):
    calls = [(marked("mark_unbacked", n, 0),) for n in (4, 5, 1, 2, 0)]
    assert outcomes(m.add_size, calls, backend=backend) == [1, 1, 1, 1, 2]
    torch._dynamo.reset()
    calls = [(marked("mark_unbacked", n, 0), x_of(5, 3)) for n in (5, 1)]          # broadcasting decides by 1 all the same
    assert outcomes(m.added, calls, backend=backend)[-1] == 2


def test_marks_are_checked():
    with pytest.raises(TypeError, match="got int"):
        torch._dynamo.mark_static(3)
    with pytest.raises(TypeError, match="'a'"):
        torch._dynamo.mark_dynamic(x_of(3), "a")
    assert torch._dynamo.mark_static(torch.nn.Linear) is torch.nn.Linear


# -- settings --
def test_everything_symbolic_by_a_setting(m):
    with torch._dynamo.config.patch(assume_static_by_default=False):
        assert outcomes(m.add_size, [(x_of(n),) for n in (3, 4, 5)]) == [1, 1, 1]


@BOTH
def test_numbers_read_out_of_tensors_of_symbolic_sizes(m, backend):
    calls = [(x_of(n),) for n in (3, 4, 5, 1)]
    assert outcomes(m.reads_written, calls, backend=backend, fullgraph=True) == [1, 2, 2, 3]
    assert versions(m.reads_in_loop) == []


# -- sizes that are numbers --
@BOTH
@pytest.mark.parametrize("order", [(5, 6, 0, 1, 7), (2, 1, 0, 3), (0, 4, 5, 1)])
def test_layouts_of_tensors_whose_size_is_a_number_that_may_be_0_or_1(m, backend, order):
    outcomes(m.layouts_of_size, [(x_of(3), n) for n in order], backend=backend)
