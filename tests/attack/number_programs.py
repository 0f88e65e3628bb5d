"""Random expressions over Python's numbers, which become symbolic: compiled calls against plain ones.

`python -m tests.attack.number_programs SEED [COUNT]` tries COUNT programs. A program computes a few numbers from its
arguments, uses some of them on a tensor and returns others as they are; the same compiled function is called with several
numbers, awkward ones among them. Results, types and exceptions must be plain Python's.
"""

from __future__ import annotations

import functools
import importlib
import linecache
import math
import operator
import random
import re
import signal
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

LEAVES = {"i": ["n", "m", "k", "x.shape[0]", "len(table)", "2", "-3", "7", "0", "1", "10"],
          "f": ["r", "s", "r", "s", "0.5", "-1.5", "2.0"], "b": ["n > 2", "r < s", "True", "k == m"]}
FORMS = {
    "i": """({i} + {i}); ({i} - {i}); ({i} * {i}); ({i} // {i}); ({i} % {i}); (-{i}); abs({i}); min({i}, {i});
        max({i}, {i}, {i}); ({i} if {b} else {i}); divmod({i}, {i})[1]; ({i} & {i}); ({i} | {i}); ({i} ^ {i}); (~{i});
        ({i} >> 1); ({i} << 2); int({f}); round({f}); math.floor({f}); math.ceil({f}); math.trunc({f});
        ({i}).bit_length(); len(range({i})); sum([{i}, {i}]); pow({i}, 2); int({b}); table[{i} % len(table)];
        math.gcd({i}, {i}); round({i}, -1); len(str({i})); hash({i}); sorted([{i}, {i}])[0]; ({i} or {i}); ({i} and {i});
        math.isqrt(abs({i})); (lambda q: q + 1)({i}); operator.index({i}); [1, 2, 3].index({i} % 3 + 1);
        len(table[:{i}]); dict([(2, 5), (3, 6)]).get({i}, 4); int(str({i})); ({i}).__add__({i}); ({i}).real;
        int({i} / {i}); math.prod([{i}, {i}]); sum(range({i} % 5)); ({i}).numerator; functools.reduce(max, [{i}, {i}]);
        torch.sym_max({i}, {i}); math.comb(abs({i}) % 6, 2); ord(chr(abs({i}) % 100)); list(range({i} % 4))[-1]""",
    "f": """({f} + {f}); ({f} * {f}); ({f} - {i}); ({i} / {i}); ({f} / {f}); (-{f}); abs({f}); min({f}, {i});
        max({f}, {f}); float({i}); ({f} // {f}); ({f} % {f}); ({f} ** 2); ({i} ** -1); math.sqrt({f}); math.exp({f});
        math.log({f}); math.sin({f}); math.tanh({f}); round({f}, 1); ({f} if {b} else {f}); math.fabs({f});
        math.copysign({f}, {f}); math.fmod({f}, {f}); math.hypot({f}, {f}); float(str({f})); ({f}).real;
        ({f}).__mul__(2); sum([{f}, {i}]); math.atan2({f}, {f}); math.log2(abs({f}) + 1); math.modf({f})[0];
        math.degrees({f}); divmod({f}, {i})[0]; math.fsum([{f}, {f}]); math.erf({f}); math.ldexp({f}, {i} % 4);
        math.remainder({f}, {f}); max([{f}, {i}], key=lambda q: -q)""",
    "b": """({i} < {i}); ({i} == {i}); ({i} != {i}); ({f} >= {f}); ({f} < {i}); (not {b}); ({b} and {b}); ({b} or {b});
        bool({i}); bool({f}); ({i} in (2, 3, 5)); isinstance({i}, int); isinstance({f}, (int, bool)); math.isnan({f});
        math.isfinite({f}); ({f}).is_integer(); ({i} < {i} <= {i}); any([{i} > 2, {f} > 0]); (type({i}) is int);
        math.isclose({f}, {f}); ({i} in range(4)); ({i} in [1, 2])"""}
FORMS_OF = {kind: [form.strip() for form in text.split(";")] for kind, text in FORMS.items()}
USES = """x * {i}; x + {f}; x[:{i}]; torch.full((2,), {i}); x.sum() * {f} + {i}; x.repeat(abs({i}) % 3);
        torch.where(x > {f}, x, {i}); x.clamp(min={f}); x.view(-1, 1) * {i}; torch.zeros(abs({i}) % 5);
        torch.arange({i} % 6); x ** {i}; torch.tensor([{i}, {i}]); torch.tensor({f}); x.roll({i});
        F.pad(x, (abs({i}) % 3, 1)); x if {b} else -x; x.to(torch.int64) // {i}; x.to(torch.int64) % {i};
        x.add(x, alpha={i}); ({i}) * x / ({f}); x.unsqueeze(0).expand(abs({i}) % 4, -1); torch.linspace({f}, {f}, 3);
        x.masked_fill(x > 1, {f}); x.narrow(0, 0, abs({i}) % 3); x.new_full((1,), {i}); torch.eye(abs({i}) % 4)"""
INTS = [3, 5, 2, 7, 0, 1, -1, -4, 12, 100, 2**40, 2**70, -2**70, True, 6, 11]
FLOATS = [0.5, 2.5, -1.25, 0.0, -0.0, 1e10, math.inf, math.nan, 3.0, -7.0, 1e-300, 0.1]
SECONDS = 4


class TooLong(BaseException):
    """A call takes too long."""


def too_long(*_: object) -> None:
    raise TooLong


def filled(form: str, rng: random.Random, depth: int) -> str:
    """The form with an expression of its kind for each {i}, {f}, {b}."""
    def one(found: re.Match[str]) -> str:
        kind = found.group(1)
        return filled(rng.choice(FORMS_OF[kind] if depth else LEAVES[kind]), rng, depth - 1)
    return re.sub(r"\{([ifb])\}", one, form)


def source(rng: random.Random) -> str:
    """A function of a tensor, three ints, two floats and a list."""
    lines = [f"{rng.choice('nmkj')} = {filled('{i}', rng, rng.choice([1, 2]))}" for _ in range(rng.choice([1, 1, 2]))]
    if rng.random() < 0.4:
        lines.append(f"{rng.choice('rs')} = {filled('{f}', rng, rng.choice([1, 2]))}")
    use = filled(rng.choice(USES.split(";")).strip(), rng, rng.choice([0, 1, 2]))
    beside = rng.choice(["", ", n", ", r", ", {i}", ", {f}", ", {b}", ", type(n)", ", j", ", str(r)"])
    lines.append(f"return ({use}{filled(beside, rng, 1)})")
    return "def program(x, n, m, k, r, s, table, j=1):\n" + "".join(f"    {line}\n" for line in lines)


def outcome(torch: Any, function: Callable[..., Any], args: tuple) -> Any:
    def plain(value: Any) -> Any:
        if isinstance(value, torch.Tensor):
            return str(value.dtype), tuple(value.shape), value.stride(), repr(value.tolist())
        return tuple(map(plain, value)) if isinstance(value, tuple) else (type(value).__name__, repr(value))
    try:
        return plain(function(*args))
    except Exception as problem:
        return type(problem).__name__, str(problem)


def difference(seed: int) -> str | None:
    """Try program number `seed`: what differs, or None."""
    torch = importlib.import_module("torch")
    rng = random.Random(seed)
    text, name = source(rng), f"numbers {seed}"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    scope = {"torch": torch, "F": torch.nn.functional, "math": math, "operator": operator, "functools": functools}
    exec(compile(text, name, "exec"), scope)
    torch._dynamo.reset()
    compiled = torch.compile(scope["program"], dynamic=rng.choice([None, None, True]), backend="eager")
    for _ in range(rng.choice([3, 4, 6])):
        ints = [rng.choice(INTS[:9] if rng.random() < 0.8 else INTS) for _ in "nmk"]
        floats = [rng.choice(FLOATS[:5] if rng.random() < 0.7 else FLOATS) for _ in "rs"]
        args = (torch.arange(float(rng.choice([3, 4, 4, 5]))), *ints, *floats, [4, 1, 3][:rng.choice([2, 3, 3])])
        signal.setitimer(signal.ITIMER_PROF, SECONDS)
        try:
            plain, mine = outcome(torch, scope["program"], args), outcome(torch, compiled, args)
        except TooLong:
            return None                      # a number may make a loop huge, or a power
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
        if plain != mine:
            return f"program {seed} with {args}\n{text}  plain    {plain}\n  compiled {mine}"
    return None


def main() -> int:
    """The command."""
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
    importlib.import_module("main").make_importable()
    importlib.import_module("guardscope.core.torch_api.importing").install()
    warnings.simplefilter("ignore")
    signal.signal(signal.SIGPROF, too_long)
    first, count = int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1000
    found = [text for seed in range(first, first + count) if (text := difference(seed)) is not None]
    print("\n".join([*found, f"{count} programs, {len(found)} differ"]))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
