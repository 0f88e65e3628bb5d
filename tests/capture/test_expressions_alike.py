"""Calls and expressions, most of them wrong ones: compiled they give the same value or the very same exception."""

from __future__ import annotations

import importlib.util
import re
import warnings
from typing import Any

import pytest
from guardscope.core.torch_api.importing import install

install()
import torch  # noqa: E402

EXPRESSIONS = [
    'abs(v, by=2)', 'abs(v, 2)', 'len([1], x=1)', 'len()', 'isinstance(1)', 'hash(1, 2)', 'min()', 'min(1)',
    'max([], default=3)', 'max([1], foo=3)', 'sum([1], start=2)', 'sum([1], 2, 3)', 'sorted([2,1], reverse=1)',
    'sorted([2,1], foo=1)', 'round(2.5, ndigits=1)', 'round(2.5, 1, 2)', 'pow(2, 3, mod=5)', 'pow(2)', 'divmod(1)',
    "int('3', base=8)", 'int(x=3)', "float('2', 3)", 'str(1, 2)', 'bool(x=1)', 'list([1], x=2)', 'tuple([1],[2])',
    'dict([(1,2)], a=3)', 'dict(1)', 'set([1],[2])', 'range(stop=3)', 'enumerate([1], start=3)', 'enumerate([1], 2, 3)',
    'zip([1],[2], strict=True)', 'zip([1],[2,3], strict=True)', 'zip([1], foo=1)', 'map(abs)', 'filter(None)', 'iter(3)',
    'next(iter([]), 1, 2)', "getattr(v,'foo', 1, 2)", "getattr(v,'foo', default=1)", 'hasattr(v)', 'callable()', 'id()',
    'type(v, 1)', 'operator.add(1)', 'operator.add(1,2,3)', 'operator.neg(1,2)', 'functools.reduce(operator.add)',
    'functools.reduce(operator.add, [], 3)', 'functools.partial()', 'functools.partial(abs)(v, by=2)', 'any([1],[2])',
    'all(x=1)', "chr('a')", "ord('ab')", 'repr(1,2)', "'a'.join([1])", "'a'.upper(1)", '[1].append(1,2)', '[1].index()',
    '{}.get()', '{1:2}.get(1, default=3)', '{1:2}.pop(3)', '{1}.add()', '(1,2).index(3)', 'v.sum(foo=1)', 'v.add()',
    'torch.relu()', 'torch.relu(v, foo=2)', 'math.sqrt()', "math.sqrt('a')", 'v[5]', "v['a']", '[1][1.5]', "'abc'[5]",
    "{}['x']", "1 + 'a'", '[1] + (1,)', "v + 'a'", "v < 'a'", "1 < 'a'", 'None + 1', "-'a'", 'not_defined', 'v.nope',
    '(3).nope', '[].nope', "'%d' % 'a'", "'{}'.format()", "f'{v.shape[0]:d}'", "f'{1:zz}'", "int('a')", "float('x')", '[*3]',
    '{**3}', 'print(*[], sep=3)', 'len(3)', 'len(v[0])', 'iter(v[0])', 'list(v[0])', "sum(['a'])", 'sum(v)', 'max(v)',
    'sorted(v)', 'v @ 3', 'v.view(5)', 'v.reshape(2,2)', 'bytes(3)', 'complex(1,2)', "complex('a')", 'slice(1)', 'slice()',
    'frozenset(3)', 'isinstance(1, 3)', 'issubclass(1, int)', 'super()', 'vars(3)', 'setattr(v)', 'delattr(v)', "abs('a')",
    'abs([1])', "min(1,'a')", 'divmod(1,0)', '1//0', '1%0', '1.0/0', '2**-1', 'pow(0,-1)', 'math.log(0)',
    'math.factorial(-1)', '[].pop()', 'set().pop()', '{}.popitem()', '{1:2}.update(3)', '[3,1].sort(foo=1)', '[3,1].sort(1)',
    "'a'.split(sep=3)", "'abc'.replace('a')", "'a'.startswith(1)", '(1).bit_length(2)', '(1.5).is_integer(1)', 'type(3)(4.7)',
    'bool()', 'int()', 'str()', 'float()', 'list()', 'dict()', 'tuple()', 'object()', 'type()', 'sorted([2, 1], key=5)',
    'min([2, 1], key=5)', 'max(2, 1, key=5)', '[2, 1].sort(key=5)', 'list(map(5, [1]))', 'list(filter(5, [1]))',
    'functools.reduce(5, [1, 2])', 'sorted([2, 1], key=None)', 'min([], key=None)', 'sum([[1], [2]], [])', "sum('ab', '')",
    'list(zip(3))', 'dict(zip([1], 2))', 'enumerate(5)', 'reversed(5)', 'list(reversed({1: 2}))', 'any(5)', 'all(5)',
    "'a' in 5", "5 in 'a'", 'v in 5', 'None in [None]', '[] in {}', '{1: 2}[[]]', '{[]: 1}', '{[1]}', 'hash([])', '(1, 2)[5]',
    "(1, 2)['a']", "'abc'['a']", 'range(3)[7]', "range(3)['a']", "range('a')", 'range(1, 2, 0)', 'slice(1, 2)[0]',
    "'a' * 'b'", "[1] * 'a'", '[1] * 1.5', "'a' - 1", '~1.5', 'not v[0:0]', '-None', '+[]', '1 @ 2', '1 << -1', '1.5 << 1',
    "2 ** 'a'", "'a' % 5", "'%s %s' % (1,)", "b'a' + 'a'", '(lambda a: a)()', '(lambda a: a)(1, 2)',
    '(lambda a, b=1: a)(b=2)', '(lambda *, k: k)()', '(lambda a, /: a)(a=1)', '(lambda **k: k)(1)', '(lambda *a: a)(k=1)',
    '(lambda a: a)(1, a=2)', '[x for x in 5]', '{x: 1 for x in [[]]}', '[*5]', '{**[1]}', "'{0} {1}'.format(1)",
    "'{a}'.format(b=1)", "'{:d}'.format('a')", 'int([])', 'float(None)', 'complex([])', 'bool(v)', 'str(v.shape)',
    "round('a')", "round(1.5, 'a')", 'abs(None)', "divmod('a', 1)", "pow('a', 1)", 'ord(5)', 'chr(-1)', 'bin(1.5)', 'len(5)',
    'iter(5)', 'next(5)', 'id(5) == id(5)', 'callable(5)', 'isinstance(5, (int, 3))', 'issubclass(int, (int, 3))',
    'getattr(5, 3)', 'hasattr(5, 3)', "setattr(5, 'a', 1)", "delattr(v, 'nothing')", 'type(5, 6, 7)', 'super(int, 5).nothing',
    'object().nothing', 'vars(5)', 'math.gcd(1.5)', "math.floor('a')", 'math.sqrt(-1)', 'math.sqrt(v)', 'math.floor(v)',
    'torch.cat(v)', 'torch.cat([])', 'torch.stack([])', 'torch.zeros(-1)', "torch.ones('a')", 'v.sum(5)', 'v.view(-1, -1)',
    'v.unsqueeze(9)', 'v.expand(2)', "v.to('nothing')", 'v.type(5)', 'v.reshape(())', 'v.transpose(0, 5)',
    'v + torch.ones(5)', 'v @ torch.ones(5)', 'v[torch.tensor(7)]', 'v[1:2:0]', 'v[None, 5]', 'v[...,...]', 'v.item()',
    'v[:0].max()', 'v.max(9)', 'torch.arange(0, 3, -1)', "torch.full((2,), 'a')", 'torch.where(v)',
    'torch.tensor([[1], [2, 3]])',
]


@pytest.fixture(scope="module")
def functions(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A module with one lambda per expression."""
    path = tmp_path_factory.mktemp("expressions") / "expressions_alike.py"
    path.write_text("import functools, math, operator\nimport torch\n"
                    + "".join(f"f{i} = lambda v: ({e})\n" for i, e in enumerate(EXPRESSIONS)))
    spec = importlib.util.spec_from_file_location("expressions_alike", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")             # some of it is nonsense to Python's own compiler
        spec.loader.exec_module(module)
    return module


def outcome(function: Any) -> str:
    try:
        result = function(torch.arange(3.0))
        result = list(result) if hasattr(result, "__next__") else result
    except Exception as problem:
        return f"{type(problem).__name__}: {problem}"
    return re.sub("0x[0-9a-f]+", "", repr(result))


@pytest.mark.parametrize("number", range(len(EXPRESSIONS)), ids=EXPRESSIONS)
def test_alike(functions: Any, number: int) -> None:
    plain = getattr(functions, f"f{number}")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert outcome(torch.compile(plain, backend="eager")) == outcome(plain)
