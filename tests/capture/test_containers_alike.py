"""Containers of the standard library in one function each: read, changed, compared, copied, handed back; compiled and plain."""

from __future__ import annotations

import collections
import importlib.util
from pathlib import Path
from typing import Any

import pytest
from guardscope.core.torch_api.importing import install

install()
import torch  # noqa: E402

# Bodies over v (a tensor), o (an OrderedDict), d (a defaultdict), q (a deque), l (a list), m (a dict) and s (a set).
BODIES = [
    'o.move_to_end("a", last=False); return v, list(o), o == O(b=2,a=1), o == {"b":2,"a":1}',
    'd["z"].append(v); return v, d, d.get("q"), "q" in d, d == {"a":[1]}',
    'q.append(4); q.appendleft(0); return v, q, q.maxlen, q[0], q + Q([1]) , q * 2',
    'q.rotate(1); return v, q, list(reversed(q)), q.count(1), q.index(2)',
    'q.extendleft([7,8]); q.insert(1, 9) if len(q) < 3 else None; return v, q, q.pop(), q.popleft()',
    'l.sort(key=lambda x: -x); l *= 2; l += (9,); return v, l, l[::-2], l[1:3]',
    'l[1:2] = [7,8]; del l[::2]; return v, l, l.pop(0), l.index(l[-1])',
    'm |= {"c": 3}; n = m | {"a": 9}; m.pop("b"); return v, m, n, m.keys() & n.keys(), m.items() - n.items()',
    'x = m.popitem(); m.setdefault("q", []).append(1); return v, m, x, list(reversed(m)), dict(m, z=1)',
    's ^= {2,5}; s -= {1}; return v, s, s <= {2,5,6}, s.isdisjoint({9}), frozenset(s) == s, sorted(s)',
    'o["a"] = 5; del o["b"]; o["b"] = 1; return v, list(o.items()), o.popitem(last=False), o',
    'return v, O.fromkeys("ab", 0), dict.fromkeys([1], v), O(o) is o, o.copy(), list(o.values())',
    'd.default_factory = int; return v, d["n"], d',
    'm.update([("z", 1)], b=5); m.update(o); return v, m, len(m), min(m), max(m.values())',
    'a, *b = l; (c, e), f = (a, b), q; return v, a, b, c, e, [*l, *q], {**m, **o}, (*s,)',
    'it = iter(l); x = next(it); l.append(5); return v, x, list(it), l',
    "try:\n    for k in m:\n        m['new' + k] = 1\nexcept RuntimeError as e:\n    return v, str(e), m",
    ('return v, [1,2] < l, (1,2) == tuple(l), l == [3,1,2], sorted(m, reverse=True), list(zip(l, q, strict=True)), '
     'list(map(lambda a,b: a+b, l, q))'),
    'l.insert(-1, 9); l.remove(3); l.reverse(); l.extend(x*2 for x in q); return v, l, l.copy() is l, l.count(9)',
    ('return v, any(l), all(q), sum(l, 1.5), max(l, key=lambda x: -x), min(q, default=0), list(enumerate(q, 5)), '
     'list(filter(None, [0,1]))'),
    'x = m.get; y = l.append; y(4); return v, x("a"), x("nope", 3), l',
    'return v, str(l), repr(m), f"{q}", str(o), repr(d), str(s), f"{v.shape}", f"{l!r:>12}"',
    'k = m.keys(); m["zz"] = 1; return v, list(k), len(k), "zz" in k, k',
    'l[0], l[1] = l[1], l[0]; l[-1] += 5; m["a"] -= 3; o["a"] *= 2; return v, l, m, o',
]


@pytest.fixture(scope="module")
def functions(tmp_path_factory: pytest.TempPathFactory) -> Any:
    path: Path = tmp_path_factory.mktemp("containers") / "containers_alike.py"
    texts = [f"def f{i}(v, o, d, q, l, m, s):\n" + "".join(f"    {line}\n" for line in body.split("\n"))
             for i, body in enumerate(BODIES)]
    path.write_text("import collections\nfrom collections import OrderedDict as O, deque as Q\n" + "\n".join(texts))
    spec = importlib.util.spec_from_file_location("containers_alike", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def outcome(function: Any) -> str:
    """Two calls on one state, and the state they leave."""
    state = (collections.OrderedDict(a=1, b=2), collections.defaultdict(list, {"a": [1]}),
             collections.deque([1, 2, 3], maxlen=3), [3, 1, 2], {"a": 1, "b": 2}, {1, 2})
    found: list[Any] = []
    for _ in range(2):
        try:
            found.append(function(torch.ones(1), *state))
        except Exception as problem:
            found.append(f"{type(problem).__name__}: {problem}")
    return repr((found, state))


@pytest.mark.parametrize("number", range(len(BODIES)))
def test_alike(functions: Any, number: int) -> None:
    plain = getattr(functions, f"f{number}")
    assert outcome(torch.compile(plain, backend="eager")) == outcome(plain)
