# A graph that raises on the elements it is given, at any point between writes, draws and effects: what can be seen afterwards
# is what plain Python leaves. Expected values are those of the same function without torch.compile.
import types

import pytest
from guardscope.core.capture.undo import to_keep
from guardscope.core.tensor.generator import Generator
from guardscope.core.torch_api.importing import install
from hypothesis import given, settings
from hypothesis import strategies as st

install()
import torch  # noqa: E402
import torch.nn.functional as F  # noqa: E402

BACKENDS = ["eager", "inductor"]


@pytest.fixture(autouse=True)
def fresh():
    torch._dynamo.reset()


def steps_of(steps, w):
    """Runs the steps one after the other; compiled, they are one graph."""
    y = w.x * 1
    for step in steps:
        w.log.append(step)
        if step == "write":
            w.x.add_(1)
        elif step == "write view":
            w.x[1:].mul_(2)
        elif step == "write row":
            w.cache.index_copy_(0, w.at, y[None] * 1)
        elif step == "add rows":
            w.cache.index_add_(0, w.at, y[None])
        elif step == "scatter":
            w.x.scatter_(0, w.at, y[:1])
        elif step == "put":
            w.x[w.at] = y[:1]
        elif step == "divide in place":
            w.whole.floor_divide_(w.divisor)
        elif step == "divide":
            y = y + w.whole % w.divisor
        elif step == "take":
            y = y + w.table[w.at][0]
        elif step == "gather":
            y = y + w.x.gather(0, w.at)
        elif step == "embed":
            y = y + F.embedding(w.at, w.table)[0]
        elif step == "inverse":
            y = y + torch.linalg.inv(w.square)[0]
        elif step == "draw":
            y = y + torch.rand(3)
        elif step == "draw elsewhere":
            y = y + torch.randn(3, generator=w.generator)
        elif step == "drop":
            y = F.dropout(y, 0.5)
        elif step == "fill":
            w.x.normal_()
        elif step == "choose":
            y = y + torch.multinomial(w.odds, 3, replacement=True)
        w.count += 1
    return y


def handled(steps, w):
    try:
        return steps_of(steps, w)
    except (IndexError, RuntimeError, ZeroDivisionError) as problem:
        w.log.append(f"handled {type(problem).__name__}")
        return w.x + 1


WRITES = ["write", "write view", "fill"]
REFUSING = ["write row", "add rows", "scatter", "put", "divide in place", "divide", "take", "gather", "embed", "inverse",
            "choose"]
DRAWS = ["draw", "draw elsewhere", "drop"]


def things(bad):
    """Tensors of one call; `bad`: what will be refused."""
    return types.SimpleNamespace(
        x=torch.arange(1.0, 4.0), cache=torch.zeros(3, 3), table=torch.arange(9.0).reshape(3, 3), log=[], count=0,
        at=torch.tensor([7 if "index" in bad else 1]), whole=torch.tensor([7, -5, 4]),
        divisor=torch.tensor([2, 0 if "divisor" in bad else 3, 5]), generator=torch.Generator().manual_seed(3),
        square=torch.zeros(3, 3) if "square" in bad else torch.eye(3) * 2,
        odds=torch.tensor([0.2, -1.0 if "odds" in bad else 0.5, 0.3]))


def outcome(function, steps, bad):
    """Everything that can be seen after the call."""
    torch.manual_seed(11)
    w = things(bad)
    try:
        result = function(steps, w).tolist()
    except Exception as problem:
        result = type(problem), str(problem), repr(problem.__context__)
    return result, w.log, w.count, *(getattr(w, n).tolist() for n in ("x", "cache", "whole", "table")), \
        torch.rand(2).tolist(), torch.rand(2, generator=w.generator).tolist(), w.x.requires_grad


def check(function, steps, backend):
    compiled = torch.compile(function, backend=backend)
    for bad in ((), ("index",), (), ("divisor",), ("square",), ("odds",), ("index", "divisor", "square", "odds"), ()):
        assert outcome(compiled, steps, bad) == outcome(function, steps, bad), (steps, bad)


@pytest.mark.parametrize(("function", "backend"), [(steps_of, "eager"), (handled, "eager"), (steps_of, "inductor")])
@pytest.mark.parametrize("refusing", REFUSING)
def test_every_refusal_after_every_change(refusing, function, backend):
    check(function, ("draw", "write", refusing, "write view", "draw elsewhere"), backend)
    torch._dynamo.reset()
    check(function, (refusing, "write", "drop", refusing), backend)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.sampled_from(WRITES + REFUSING + DRAWS), min_size=2, max_size=7).map(tuple),
       st.sampled_from([steps_of, handled]), st.sampled_from(["eager", "eager", "eager", "inductor"]))
def test_steps_in_any_order(steps, function, backend):
    torch._dynamo.reset()
    check(function, steps, backend)


def kept_of(function, *args):
    """What the artifact of a call keeps: names of graph inputs, and how many generators."""
    seen = []

    def backend(gm, examples):
        kept = to_keep(gm.graph)
        seen.append(kept if kept is None else (sorted(n.name for n in kept[0]), len(kept[1])))
        return gm.forward

    torch.compile(function, backend=backend)(*args)
    assert len(seen) == 1
    return seen[0]


def decode(token, at, table, keys, values):
    """A step with a cache of keys and values in two layers."""
    h = F.embedding(token, table)
    for layer in (0, 1):
        keys[layer].index_copy_(0, at, h)
        values[layer].index_copy_(0, at, h * 2)
        h = h + (keys[layer].sum(0) * values[layer].sum(0))[None]
    return h


def test_a_cache_of_keys_and_values_is_not_copied():
    """Each write is by the same numbers as the first, which looks at them before anything is written."""
    caches = [[torch.zeros(4, 3), torch.zeros(4, 3)] for _ in range(2)]
    assert kept_of(decode, torch.tensor([1]), torch.tensor([2]), torch.ones(5, 3), *caches) == ([], 0)


def cached_attention(token, at, table, places, mask, keys, values):
    """As decoders do it: cache[:, :, at] = ..., the mask's rows picked by the same numbers."""
    h = F.embedding(token, table)[None, None] + places[at]
    for layer in (0, 1):
        keys[layer][:, :, at] = h
        values[layer][:, :, at] = h * 2
        h = h + F.scaled_dot_product_attention(h, keys[layer], values[layer], attn_mask=mask[None, None, at])
    return h


def test_a_mask_picked_by_the_same_numbers():
    caches = [[torch.zeros(1, 1, 4, 3), torch.zeros(1, 1, 4, 3)] for _ in range(2)]
    args = torch.tensor([1]), torch.tensor([2]), torch.ones(5, 3), torch.ones(4, 3), torch.ones(4, 4).tril().bool()
    assert kept_of(cached_attention, *args, *caches) == ([], 0)
    smaller = (*args[:4], torch.ones(3, 4).bool())                   # which refuses where the cache does not
    assert kept_of(cached_attention, *smaller, *caches) == (["keys_0", "values_0"], 0)


def test_numbers_from_the_end():
    """x[-1] is allowed where index_select(-1) is not."""
    def f(x, at):
        x[at] = 1.0
        return x.index_select(0, at)

    def g(x, at):
        y = x.index_select(0, at).sum()
        x[at] = y
        return x[at]

    assert kept_of(f, torch.ones(3), torch.tensor([1])) == (["x"], 0)
    assert kept_of(g, torch.ones(3), torch.tensor([1])) == ([], 0)
    for function in (f, g):
        compiled = torch.compile(function, backend="eager")
        for at in (1, -1, 5, 0):
            outcomes = []
            for run in (compiled, function):
                x = torch.arange(3.0)
                try:
                    outcomes.append((run(x, torch.tensor([at])).tolist(), x.tolist()))
                except (IndexError, RuntimeError) as e:
                    outcomes.append((str(e), x.tolist()))
            assert outcomes[0] == outcomes[1]


def test_a_number_that_has_changed_in_between_is_another_one():
    def f(x, at):
        x.index_fill_(0, at, 1.0)
        at.add_(5)
        x.index_fill_(0, at, 1.0)
        return x

    assert kept_of(f, torch.zeros(8), torch.tensor([1])) == (["at", "x"], 0)


@pytest.mark.parametrize("function, kept", [
    (lambda x, at: x.add_(1) * 2, None),                                     # nothing refuses
    (lambda x, at: x[at] * 2, None),                                         # nothing is changed
    (lambda x, at: (x[at].sum() + x * 0).add_(1), None),                     # a tensor of the graph's own
    (lambda x, at: x.copy_(x[at].sum() + x), ([], 0)),                       # refused before the write
    (lambda x, at: (x.add_(1), x[at])[1], (["x"], 0)),
    (lambda x, at: F.dropout(x)[at], ([], 1)),
    (lambda x, at: x[at] * torch.rand(1), ([], 1)),                          # the draw does not wait for the numbers
])
def test_what_is_kept(function, kept):
    assert kept_of(function, torch.arange(4.0), torch.tensor([1])) == kept


def test_a_mark_continues_where_it_was_made():
    g = Generator().manual_seed(5)
    for skip in (0, 1, 17, 624, 1000):
        g.words(skip)
        g.normal(1, torch.ones(1).numpy().dtype)                            # keeps the second number of a pair
        mark, state = g.mark(), g.get_state().tolist()
        first = [g.words(3).tolist() for _ in range(300)]
        g.rewind(mark)
        assert g.get_state().tolist() == state
        assert [g.words(3).tolist() for _ in range(300)] == first


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_tensor_that_would_require_gradients(backend):
    """Refused before the write, it does not; afterwards, it does."""
    def write_first(z, w, at, log):
        log.append("begun")
        z.mul_(w)
        return z[at]

    def write_last(z, w, at, log):
        log.append("begun")
        y = z[at]
        z.mul_(w)
        return y

    def outcome(function, at):
        z, w, log = torch.arange(3.0), torch.full((3,), 2.0, requires_grad=True), []
        try:
            function(z, w, torch.tensor([at]), log)
        except IndexError:
            log.append("failed")
        return z.tolist(), z.requires_grad, z.is_leaf, log

    for function in (write_first, write_last):
        compiled = torch.compile(function, backend=backend)
        for at in (1, 9, 2, -4, 0):
            assert outcome(compiled, at) == outcome(function, at)


def test_what_else_fails_after_a_write_leaves_the_function():
    """Memory that runs out in a graph that has written: plain Python would write twice."""
    def backend_of(failure):
        class Failing(torch.nn.Module):
            pass

        def backend(gm, examples):
            def run(*args):
                gm.forward(*args)
                raise failure
            return run
        return backend

    def f(x, at):
        x.copy_(x[at].sum() + x)
        return x * 2

    for failure in (MemoryError("no memory"), RuntimeError("broken")):
        torch._dynamo.reset()
        x = torch.arange(3.0)
        with pytest.raises(type(failure), match=str(failure)):
            torch.compile(f, backend=backend_of(failure))(x, torch.tensor([1]))
        assert x.tolist() == [1.0, 2.0, 3.0]



def test_an_error_that_is_handled_meanwhile_is_not_asked_for_its_text():
    said = []

    class Wrong(Exception):
        def __str__(self):
            said.append("asked")
            return "wrong"

    compiled = torch.compile(lambda v, at: v[at] * 2, backend="eager")
    assert compiled(torch.arange(3.0), torch.tensor([1])).tolist() == [2.0]
    try:
        raise Wrong
    except Wrong as wrong:
        with pytest.raises(IndexError) as found:
            compiled(torch.arange(3.0), torch.tensor([9]))
        assert found.value.__context__ is wrong
    assert not said
