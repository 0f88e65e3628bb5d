"""What the comparison of kinds, readings and changes found once, and a sample of all of it."""

from __future__ import annotations

import pytest
from guardscope.tests.attack.changes import OF_ITS_CLASS, OF_THE_OBJECT, differences, kinds, reads

OTHER = next(c for c in OF_THE_OBJECT if c.startswith("q.__class__ = type("))
SGD = next(k for k in kinds() if k.startswith("torch.optim.SGD"))
STEPS = next(k for k in kinds() if k.startswith("torch.optim.lr_scheduler.StepLR"))
HAS, GET = "hasattr(q, 'zz')", "getattr(q, 'zz', 0)"

# (kind, reading, changes in order)
FOUND = [
    *((kind, reading, ["q.zz = 2", "q.zz = 3", "del q.zz"])
      for kind in ("Bits.A | Bits.B", "Colour.BLUE", "collections.OrderedDict(k=1, z=2)", "collections.Counter('aabk')",
                   "type('MyPair', (Pair,), {})(3)", "staticmethod(add_one)", "functools.cached_property(add_one)",
                   "torch.Generator()", SGD, STEPS) for reading in (HAS, GET)),
    ("Colour.BLUE", "q.__getattribute__('k')", ["q.k = 7", "q.k = 'a'"]),
    ("Colour.BLUE", "q.weight", ["q.__dict__['weight'] = 9"]),
    ("Colour.BLUE", "q.name", ["q.__class__ = Cousin"]),
    *((kind, reading, ["q._name_ = 'LONGER'"]) for kind in ("Tone.SOFT", "Level.LOW")
      for reading in ("len(repr(q))", "len(str(q))", "len(f'{q}-{v.shape[0]}')", "len('%s' % q)")),
    *((kind, reading, [change]) for kind in ("Tone.SOFT", "Level.LOW") for reading, change in (
        ("(not q)", "__bool__ = lambda self: False"), ("hasattr(q, 'extra')", "__getattr__ = lambda self, n: 6"),
        ("('k' in q)", "__contains__ = lambda self, i: True"), ("list(q)", "__iter__ = lambda self: iter([1, 2])"),
        ("q[0]", "__getitem__ = lambda self, i: [8, 9][i]"), ("int(q)", "__int__ = lambda self: 2"),
        ("q.__doc__", "__getattribute__ = lambda self, n: 3"), ("copy.copy(q)", "__copy__ = lambda self: 3"))),
    ("types.ModuleType('m')", "len(vars(q))", ["q.zz = 2"]),
    ("types.ModuleType('m')", "q.__class__", [OTHER]),
    ("types.ModuleType('m')", HAS, [OTHER]),
    ("collections.OrderedDict(k=1, z=2)", "len('%s' % q)", []),
    ("collections.OrderedDict(k=1, z=2)", "dict(q)", ["q.__dict__['keys'] = list"]),
    ("collections.Counter('aabk')", "q.default_factory", []),
    ("[1, 2, 3]", "q.maxlen", []),
    ("frozenset({1, 'add'})", "q.copy()", []),
    ("Slotted(2)", "q(v)", ["__getattr__ = lambda self, n: 6"]),
    ("Base()", "q(v)", ["__getattribute__ = lambda self, n: 3"]),
    ("Base()", "q.__class__", ["__getattribute__ = lambda self, n: 3"]),
    ("Scaled(3.0)", "q(v)", ["__getattribute__ = lambda self, n: 3"]),
    ("Scaled(3.0)", "TABLE.get(q, 3)", ["__getattr__ = lambda self, n: 6", "__hash__ = lambda self: 4"]),
    ("ramp(3)", "q.__dict__.get('k', 4)", ["q.k = 7"]),
    ("ramp(3)", "q.__doc__", []),
    *(("ramp(3)", reading, [OTHER]) for reading in (HAS, GET, "len(q)", "torch.is_tensor(q)")),
    ("KeyError(3)", "len(str(q))", ["q.args = (5, 6)"]),
    ("type('MyError', (ValueError,), {})('a')", "len(str(q))", ["__str__ = lambda self: 'xkz'"]),
    ("add_one", "hasattr(q, '__len__')", ["q.__dict__['__len__'] = lambda: 9", "q.__dict__.clear()"]),
    ("Pair", "q[0]", []),
    ("torch.no_grad()", "q(v)", []),
    ("Tone.SOFT", "getattr(base, q, 2)", []),
    ("WithMeta", "type(q).__name__", [OTHER]),
    ("type('MyInt', (int,), {})(3)", "callable(q)", ["__call__ = lambda self, *a, **k: 4"]),
    ("type('MyTensor', (torch.Tensor,), {})", "q.__class__", []),
    ("staticmethod(add_one)", "callable(q)", []),
    ("Base.__dict__['scaled']", "q.__doc__", ["q.__doc__ = 'abc'"]),
    ("functools.lru_cache(add_one)", "q(v)", ["q.__wrapped__ = double", "q.__dict__.clear()"]),
    ("functools.lru_cache(add_one)", "q(v.shape[0])", ["q.__wrapped__ = double", "q.__dict__.clear()"]),
    (SGD, "q.__class__", [OTHER]),
    (STEPS, "len(q.state_dict())", ["q.zz = 2"]),
]


@pytest.mark.parametrize("kind, reading, changes", FOUND, ids=lambda x: x if isinstance(x, str) else "; ".join(x))
def test_found_once(kind: str, reading: str, changes: list[str]) -> None:
    assert list(differences(10_000, kind, [reading], changes)) == []


@pytest.mark.parametrize("part", range(8))
def test_a_sample(part: int) -> None:
    chosen, changes = kinds()[part * 7 + 3::60], (OF_THE_OBJECT + OF_ITS_CLASS)[part % 2::2]
    found = [d for n, kind in enumerate(chosen) for d in differences(10_100 + n, kind, reads()[part::8], changes)]
    assert found == []
