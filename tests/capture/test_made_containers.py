# A container of modules that compiled code makes is a new one at every call, with the modules of that call.
import types

import guardscope.core.torch_api as torch
import pytest
from guardscope.core.torch_api import nn

KEPT = types.SimpleNamespace()


def kept(v, m):
    KEPT.made = nn.Sequential(m, m)
    return v + 1


def returned(v, m):
    made = nn.ModuleList([m])
    return v + 1, made


def used_and_kept(v, m):
    made = nn.Sequential(m)
    KEPT.made = [made]
    return made(v)


@pytest.mark.parametrize("f", [kept, returned, used_and_kept])
def test_a_new_one_at_every_call(f):
    fast = torch.compile(f, backend="eager")
    seen = []
    for m in (nn.ReLU(), nn.ReLU(), nn.Tanh()):
        for _ in range(2):
            out, want = fast(torch.ones(2), m), f(torch.ones(2), m)
            made = out[1] if isinstance(out, tuple) else KEPT.made
            fast(torch.ones(2), m)
            KEPT.made = None
            first, plain = (out[0], want[0]) if isinstance(out, tuple) else (out, want)
            assert first.tolist() == plain.tolist()
            seen.append(made)
    assert len({id(s) for s in seen}) == len(seen)


def test_its_members_are_those_of_the_call():
    fast = torch.compile(kept, backend="eager")
    for m in (nn.ReLU(), nn.ReLU(), nn.Tanh()):
        fast(torch.ones(2), m)
        assert KEPT.made[0] is m and KEPT.made[1] is m
