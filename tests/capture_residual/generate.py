"""Random functions for the differential suite: every statement form, operands that log, gb() calls anywhere.

A program is made from a seed alone. Its values are ints, lists of ints, booleans and small tensors, so that most programs
run to their end; its loops end by construction. Names: residual_support.NAMES, `torch`, and the gb() of the harness.
"""

from __future__ import annotations

import ast
import random
from collections.abc import Callable

INTS = ("a", "b", "c", "x", "y")
LISTS = ("l", "m", "s")
TENSORS = ("u", "v", "w")


class Generator:
    """Writes one function `program(x, y, u, v, s, r, d, f, z)`: two ints, two tensors, a list of ints, an object with an
    int `n` and a list `q`, a dict with an int "k" and a tensor "t", a float, None or an int. `bound` holds the names that
    surely have a value at the place written to."""

    def __init__(self, random: random.Random, size: int = 9) -> None:
        self.random = random
        self.left = size                  # statements still to write
        self.number = 0                   # labels, counters, functions
        self.shared = self.random.random() < 0.3
        self.locals = True                # False inside nested functions, which only read

    def text(self) -> str:
        bound = {"x", "y", "u", "v", "s", "a", "l"}
        lines = ["global g_n"] if self.chance(0.5) else []
        self.stores_global = bool(lines)
        lines += ["a = x + 1", "l = [x, y, 3]", "o = Box('o')", f"p = {self.pick('Plain(n=x, q=[1])', 'r')}"]
        while self.left > 0:
            lines += self.statement(bound, 0, False, 3)
        lines += ["show(g_n)"]
        ended = ", ".join(n for n in (*INTS, *LISTS, *TENSORS) if n in bound)
        maybe = self.random.choice(INTS)
        lines.append(f"return {ended}, p.n, r, {maybe}" if self.chance(0.15) else f"return {ended}, p.n, r, p is r")
        text = "def program(x, y, u, v, s, r, d, f, z):\n" + "".join(f"    {line}\n" for line in lines)
        ast.parse(text)
        return text

    # -- choices ---------------------------------------------------------------------------------------------------------
    def chance(self, p: float) -> bool:
        return self.random.random() < p

    def pick(self, *options: str) -> str:
        return self.random.choice(options)

    def fresh(self, stem: str) -> str:
        self.number += 1
        return f"{stem}{self.number}"

    def comprehension(self, write: Callable[[], str]) -> str:
        """A comprehension: no `:=` inside."""
        before, self.locals = self.locals, False
        text = write()
        self.locals = before
        return text

    # -- expressions -----------------------------------------------------------------------------------------------------
    def integer(self, bound: set[str], depth: int = 2) -> str:
        names = [n for n in INTS if n in bound]
        if depth <= 0 or self.chance(0.15):
            return self.pick(*names, "x", str(self.random.randint(-2, 5)))
        e = lambda: self.integer(bound, depth - 1)
        kind = self.random.randrange(26)
        if kind == 0:
            return f"({e()} {self.pick('+', '-', '*', '|', '&')} {e()})"
        if kind in (1, 2, 3):
            return f"gb({e()})"
        if kind == 4:
            return f"t({self.fresh('t')!r}, {e()})"
        if kind == 5:
            return f"({e()} if {self.truth(bound, depth - 1)} else {e()})"
        if kind == 6:
            return f"({e()} {self.pick('and', 'or')} {e()}{self.pick('', f' or {e()}')})"
        if kind == 7:
            return f"show({e()}, {self.pick('', '*')}{self.items(bound, depth - 1)}, k={e()})"
        if kind == 8:
            return f"{self.items(bound, depth - 1)}[0]"
        if kind == 9:
            return f"len({self.items(bound, depth - 1)})"
        if kind == 10 and self.locals:
            name = self.random.choice(INTS)
            return f"({name} := {e()})" if name in bound else e()
        if kind == 11:
            return self.pick("p.n", "r.n", "p.q[0]", "r.q[-1]", "g_n", "g_n")
        if kind == 12:
            return f"{self.tensor(bound, depth - 1)}.shape[0]"
        if kind == 13:
            return f"max({e()}, {e()})"
        if kind == 14:
            return f"{{1: {e()}, 2: {e()}}}[{self.pick('1', '2', 'gb(2)')}]"
        if kind == 15:
            return self.comprehension(lambda: f"sum([{e()} for i in {self.items(bound, depth - 1)}])")
        if kind == 16:
            return f"len(f'{{gb({self.pick(*names, 'x')})!r:>{self.pick('3', '{gb(4)}')}}}{{{self.pick(*names, 'x')}:2}}')"
        if kind == 17:
            return f"(lambda i, j={e()}: i + j + {self.pick(*names, 'x')})({e()})"
        if kind == 18:
            return f"-{e()}"
        if kind < 22:
            return self.from_arguments(e)
        return self.comprehension(lambda: self.from_items(e, self.items(bound, depth - 1), self.items(bound, depth - 1)))

    def from_arguments(self, e: Callable[[], str]) -> str:
        """An int that depends on what the dict, the object, the float or None holds."""
        return self.pick("d['k']", f"d.get('q', {e()})", "len(d)", "int(f)", f"(z if z is not None else {e()})",
                         "int(isinstance(z, int))", f"getattr(r, 'zz', {e()})", "int(hasattr(r, 'k'))", "u.numel()",
                         "int(u.shape == v.shape)", "u.size(0)", "r.double", f"r.plus({e()}, n={e()})", "r.count",
                         "int(f > 1.0)", "len([*d])", "u.dim()", "int(d['t'] is u)", f"({e()}, {e()})[z is None]", "len(s)",
                         "int('k' in d)", "r.first(*s)", "type(r).kind", "int(f * 2)", "round(f)")

    def from_items(self, e: Callable[[], str], one: str, two: str) -> str:
        """An int that Python's own functions make of lists."""
        return self.pick(
            f"sorted({one})[0]", f"max({one})", f"min({one}, key=lambda i: -i)", f"int(any(i > {e()} for i in {one}))",
            f"sum(i * j for i, j in enumerate({one}))", f"len(list(zip({one}, {two})))", f"{one}.count({e()})",
            f"divmod({e()}, 3)[1]", f"({e()} // 2)", f"({e()} % 3)", f"len(str({e()}))", f"abs({e()})",
            f"len({{*{one}, {e()}}})", f"sum(map(lambda i: i + 1, {one}))", f"len({one}[1:] + {two}[:-1])",
            f"[*reversed({one})][0]", f"int(all(i for i in {one} if i > 0))", f"len({{i: j for i, j in zip({one}, {two})}})",
            f"int({one} == {two})", f"int({one} < {two})", f"functools.reduce(lambda i, j: i - j, {one})",
            f"list(itertools.accumulate({one}))[-1]", f"next((i for i in {one} if i > {e()}), {e()})",
            f"sum(j for i in {one} for j in {two} if i == j)", f"math.gcd({e()}, {e()})",
            f"functools.partial(show, {e()})({e()})")

    def truth(self, bound: set[str], depth: int = 2) -> str:
        kind = self.random.randrange(8)
        e = lambda: self.integer(bound, depth - 1)
        if kind == 0:
            return f"{e()} {self.pick('<', '<=', '!=')} {e()} {self.pick('<', '>', '==')} {e()}"
        if kind == 1:
            return f"not {e()}"
        if kind == 2 and depth > 0:
            return f"({self.truth(bound, depth - 1)} {self.pick('and', 'or')} {self.truth(bound, depth - 1)})"
        if kind == 3:
            return f"{e()} {self.pick('in', 'not in')} {self.items(bound, depth - 1)}"
        if kind == 4:
            return f"gb({e()} > 1)"
        if kind == 5:
            return f"({self.tensor(bound, depth - 1)}.sum() > {e()})"
        return f"{e()} > {e()}"

    def items(self, bound: set[str], depth: int = 1) -> str:
        """A list that is not empty."""
        names = [n for n in LISTS if n in bound]
        e = lambda: self.integer(bound, depth - 1)
        kind = self.random.randrange(7)
        if kind == 0:
            return f"[{e()}, *{self.pick(*names)}, {e()}]"
        if kind == 1:
            return f"gb([{e()}, {e()}])"
        if kind == 2:
            return self.comprehension(
                lambda: f"([{e()} + i for i in ({e()}, {e()}){self.pick('', f' if i or {e()}')}] + [1])")
        if kind == 3:
            return f"[{e()}, {e()}]"
        if kind == 4:
            return f"list(i + 1 for i in {self.pick(*names)})"
        return self.pick(*names)

    def tensor(self, bound: set[str], depth: int = 2) -> str:
        names = [n for n in TENSORS if n in bound]
        if depth <= 0 or self.chance(0.3):
            return self.pick(*names)
        e = lambda: self.tensor(bound, depth - 1)
        kind = self.random.randrange(8)
        if kind == 6:
            return self.pick("d['t']", f"({e()} * f)", f"{e()}.clone()", f"({e()} + {e()}.sum())", f"{e()}.view(-1)")
        if kind == 7:
            return f"torch.where({e()} > {self.integer(bound, 1)}, {self.pick(*names)}, {self.pick('1.0', 'f')})"
        if kind == 0:
            return f"({e()} {self.pick('+', '-', '*')} {e()})"
        if kind == 1:
            return f"gb({e()})"
        if kind == 2:
            return f"torch.relu({e()})"
        if kind == 3:
            return f"({e()} * {self.pick('0.5', '2.0')})"
        if kind == 4:
            return f"({e()} if {self.truth(bound, depth - 1)} else {e()})"
        return f"({e()} + {self.integer(bound, depth - 1)})"

    # -- statements ------------------------------------------------------------------------------------------------------
    def block(self, bound: set[str], depth: int, loop: bool, size: int) -> list[str]:
        lines: list[str] = []
        for _ in range(self.random.randint(1, size)):
            lines += self.statement(bound, depth + 1, loop, size)
        return [f"    {line}" for line in lines]

    def statement(self, bound: set[str], depth: int, loop: bool, size: int) -> list[str]:
        self.left -= 1
        deep = depth >= 3 or self.left <= 0
        kind = self.random.randrange(12 if deep else len(KINDS))
        write = getattr(self, f"write_{KINDS[kind]}")
        return list(write(bound, depth, loop, size))

    def write_integer(self, bound: set[str], *_: object) -> list[str]:
        name = self.random.choice(INTS)
        line = f"{name} = {self.integer(bound, 3)}"
        bound.add(name)
        return [line]

    def write_list(self, bound: set[str], *_: object) -> list[str]:
        name = self.random.choice(LISTS)
        line = f"{name} = {self.items(bound, 2)}"
        bound.add(name)
        return [line]

    def write_tensor(self, bound: set[str], *_: object) -> list[str]:
        name = self.random.choice(TENSORS)
        line = f"{name} = {self.tensor(bound, 3)}"
        bound.add(name)
        return [line]

    def write_augmented(self, bound: set[str], *_: object) -> list[str]:
        names = [n for n in INTS if n in bound]
        return [self.pick(f"{self.pick(*names)} {self.pick('+', '-')}= {self.integer(bound)}",
                          f"l += {self.items(bound)}", f"p.n += {self.integer(bound)}",
                          f"o[{self.integer(bound, 1)}] += {self.integer(bound, 1)}",
                          f"o.f -= {self.integer(bound)}", f"l[{self.pick('0', 'gb(0)')}] += {self.integer(bound)}",
                          f"u = u * {self.pick('0.5', '1.5')}", f"r.n -= {self.integer(bound)}",
                          f"v {self.pick('+', '*')}= {self.pick('u', '2')}",
                          *([f"g_n += {self.integer(bound)}"] * 2 if self.stores_global else []))]

    def write_expression(self, bound: set[str], *_: object) -> list[str]:
        return [self.pick(f"gb({self.integer(bound)})", f"l.append({self.integer(bound)})", f"show({self.integer(bound)})",
                          f"gb({self.tensor(bound)})", f"p.q.append({self.integer(bound)})", "gb()",
                          f"s.append({self.integer(bound)})", f"u.add_({self.pick('v', '1')})", "v.mul_(0.5)",
                          f"r.q.insert(0, {self.integer(bound)})", "s.reverse()", f"s[1:] = [{self.integer(bound)}]",
                          f"setattr(r, 'k', {self.integer(bound)})", "gb(l is s)", "gb(r.q is s)", "gb(u is v)",
                          f"d['k'] = {self.integer(bound)}", f"d[{self.integer(bound, 1)}] = {self.integer(bound)}",
                          "d.pop('k', 0)", f"d.update(k={self.integer(bound)})", f"d.setdefault('j', {self.integer(bound)})",
                          "l.sort()", "gb(l.pop())", "s.extend(l)", "s.pop(0)", "del s[1:]",
                          f"l.insert(1, {self.integer(bound)})",
                          "u[:2].add_(1)", "u.view(-1).mul_(2)", "d['t'].sub_(1)", "r.n, p.n = p.n, r.n", "r.q = l", "p.q = s",
                          f"r.bump({self.integer(bound)})", f"r.double = {self.integer(bound)}", "gb(list(d))", "d['t'] = u",
                          "show(*d)", "gb([*r.q])", f"d.update({{'k': {self.integer(bound)}, 'w': u}})", "r.q.clear()",
                          "for kk in [*d]: show(kk)", "show(**{'a': x})", "g_l.append(x)", "gb(list(g_l))")]

    def write_store(self, bound: set[str], *_: object) -> list[str]:
        e = self.integer(bound)
        name = self.random.choice(INTS)
        line = self.pick(f"o.f = p.n = {e}", f"o[{self.integer(bound, 1)}] = {e}", f"l[{self.pick('0', 'gb(-1)')}] = {e}",
                         f"{name} = p.n = {e}", f"p.n = {e}", f"p.m: int = {e}", f"s[0] = {e}", f"r.q[0] = {e}",
                         "s[0], s[-1] = s[-1], s[0]", f"u[0] = {e}", *([f"g_n = {e}"] if self.stores_global else []))
        if line.startswith(name + " "):
            bound.add(name)
        return [line]

    def write_unpack(self, bound: set[str], *_: object) -> list[str]:
        first, second = self.random.sample(INTS, 2)
        line = self.pick(f"{first}, {second} = {self.integer(bound)}, {self.integer(bound)}",
                         f"{first}, *m = {self.items(bound)}", f"{first}, p.n = gb(({self.integer(bound, 1)}, 3))",
                         f"{first} = {second} = {self.integer(bound)}")
        bound |= {first} | ({second} if second in line.split(" = ")[0] or f"= {second} =" in line else set()) \
            | ({"m"} if "*m" in line else set())
        return [line]

    def write_assert(self, bound: set[str], *_: object) -> list[str]:
        return [f"assert {self.truth(bound)} or True, gb('never')"]

    def write_delete(self, bound: set[str], *_: object) -> list[str]:
        names = [n for n in INTS if n in bound and n not in ("a", "x")]
        if names and self.chance(0.5):
            name = self.pick(*names)
            bound.discard(name)
            return [f"del {name}"]
        return [f"del o[{self.integer(bound, 1)}], o.f"]

    def write_end(self, bound: set[str], depth: int, loop: bool, size: int) -> list[str]:
        if loop:
            return [f"if {self.truth(bound)}:", f"    {self.pick('break', 'continue', 'continue')}"]
        if self.chance(0.4):
            return [f"if {self.truth(bound)}:", f"    return {self.integer(bound)}, {self.tensor(bound)}"]
        return self.write_integer(bound)

    def write_if(self, bound: set[str], depth: int, loop: bool, size: int) -> list[str]:
        lines = [f"if {self.truth(bound)}:"]
        then, other = set(bound), set(bound)
        lines += self.block(then, depth, loop, size)
        if self.chance(0.3):
            lines += [f"elif {self.truth(bound)}:", *self.block(other, depth, loop, 2)]
            other = set(bound)
        if self.chance(0.6):
            lines += ["else:", *self.block(other, depth, loop, 2)]
        bound.intersection_update(then & other)
        return lines

    def write_for(self, bound: set[str], depth: int, loop: bool, size: int) -> list[str]:
        name = self.fresh("i")
        inner = set(bound)
        lines = [f"for {name} in [*{self.items(bound)}][:3]:", f"    {self.pick('a', 'p.n')} += {name}",
                 *self.block(inner, depth, True, 2)]
        if self.chance(0.3):
            lines += ["else:", *self.block(set(bound), depth, False, 2)]
        bound.intersection_update(inner)
        return lines

    def write_while(self, bound: set[str], depth: int, loop: bool, size: int) -> list[str]:
        name = self.fresh("k")
        inner = set(bound)
        lines = [f"{name} = 0", f"while {name} < 3 and {self.truth(bound)}:", f"    {name} += 1",
                 *self.block(inner, depth, True, 2)]
        if self.chance(0.3):
            lines += ["else:", *self.block(set(bound), depth, False, 2)]
        bound.intersection_update(inner)
        return lines

    def write_try(self, bound: set[str], depth: int, loop: bool, size: int) -> list[str]:
        body = set(bound)
        lines = ["try:", *self.block(body, depth, loop, 2)]
        if self.chance(0.6):
            lines.append(f"    {self.pick('boom()', 'boom(KeyError)', 'gb(boom())')}")
        after = set(bound) & body
        if self.chance(0.8):
            caught = self.pick("ValueError", "ValueError as e", "(KeyError, gb(ValueError))", "KeyError as e")
            handler = set(after)
            told = "    show(str(e))" if "as e" in caught else "    gb(2)"
            ending = self.pick("    pass", told, "    raise", "    raise TypeError(gb('w'))")
            lines += [f"except {caught}:", *self.block(handler, depth, loop, 2), ending]
            after &= handler
            if self.chance(0.3):
                lines += ["else:", *self.block(set(after), depth, loop, 2)]
            if self.chance(0.4):
                lines += ["finally:", *self.block(after, depth, loop and self.chance(0.3), 2)]
        else:
            lines += ["finally:", *self.block(after, depth, loop and self.chance(0.3), 2)]
        bound.intersection_update(after)
        return lines

    def write_with(self, bound: set[str], depth: int, loop: bool, size: int) -> list[str]:
        manager = self.pick("Box('z')", "Box('eat')", "gb(Box('y')), Box('z')", "torch.no_grad()", "Box('z') as p.m")
        inner = set(bound)
        lines = [f"with {manager}:", *self.block(inner, depth, loop, 2)]
        if "eat" in manager and self.chance(0.6):
            lines.append("    boom()")
        bound.intersection_update(inner)
        return lines

    def write_def(self, bound: set[str], *_: object) -> list[str]:
        name = self.fresh("f")
        names = [n for n in INTS if n in bound]
        shared = self.random.sample(names, 1) if self.shared and self.chance(0.7) else []
        self.locals = False
        lines = [f"def {name}(z, z1={self.integer(bound, 1)}):"]
        if shared:
            lines += [f"    nonlocal {shared[0]}", f"    {shared[0]} = {self.integer(bound, 1)} + z"]
        lines += [f"    return {self.integer(bound, 2)} + z * z1"]
        self.locals = True
        target = self.random.choice(INTS)
        lines += [f"{target} = {name}({self.integer(bound, 1)})"]
        bound.add(target)
        return lines

    def write_match(self, bound: set[str], depth: int, loop: bool, size: int) -> list[str]:
        first, second, third = set(bound), set(bound), set(bound)
        name = self.random.choice(INTS)
        lines = [f"match {self.items(bound)}:", f"    case [{self.random.randint(0, 2)}, *_]:",
                 *(f"    {line}" for line in self.block(first, depth, loop, 2)),
                 f"    case [{name}, _] if {self.truth(bound)}:",
                 *(f"    {line}" for line in self.block(second | {name}, depth, loop, 2)),
                 "    case _:", *(f"    {line}" for line in self.block(third, depth, loop, 2))]
        bound.intersection_update(first & second & third)
        return lines


    def write_generator(self, bound: set[str], *_: object) -> list[str]:
        """A generator function, and the loop that uses it up or leaves it."""
        name, item = self.fresh("g"), self.fresh("i")
        self.locals = False
        inner = f"yield {self.integer(bound, 1)} + j"
        body = self.pick(f"    {inner}", f"    k = {inner}\n        show(k)", f"    try:\n            {inner}\n        "
                         "finally:\n            show('left')", "    yield from [j, gb(j)]")
        lines = [f"def {name}(n):", "    for j in range(n):", *f"    {body}".split("\n"),
                 f"    return gb({self.integer(bound, 1)})"]
        self.locals = True
        end = self.pick("pass", "gb(1)", f"if {item} > {self.integer(bound, 1)}: break", "continue")
        use = self.pick(f"a = sum({name}(3))", f"l = [*{name}(2), 1]",
                        f"for {item} in {name}(3):\n    a += gb({item})\n    {end}")
        return [*lines, *use.split("\n")]

    def write_class(self, bound: set[str], *_: object) -> list[str]:
        name = self.fresh("C")
        self.locals = False
        lines = [f"class {name}(Plain):", f"    k = {self.integer(bound, 1)}", f"    def m(self, z={self.integer(bound, 1)}):",
                 f"        return self.k + z + {self.integer(bound, 1)}"]
        self.locals = True
        target = self.random.choice(INTS)
        lines.append(f"{target} = {name}().m({self.integer(bound, 1)})")
        bound.add(target)
        return lines

    def write_gate(self, bound: set[str], depth: int, loop: bool, size: int) -> list[str]:
        manager = self.pick("Gate('a', gb)", "Gate('a', gb), Gate('b', gb)", "Gate('eat', gb)", "managed('m', gb(1)) as p.m")
        inner = set(bound)
        lines = [f"with {manager}:", *self.block(inner, depth, loop, 2)]
        if "eat" in manager and self.chance(0.6):
            lines.append(f"    {self.pick('boom()', 'boom(KeyError)', 'gb(boom())')}")
        bound.intersection_update(inner)
        return lines


KINDS = ("integer", "integer", "list", "tensor", "tensor", "augmented", "expression", "store", "unpack", "assert", "delete",
         "end", "if", "if", "if", "for", "for", "while", "try", "try", "with", "def", "def", "match", "generator", "gate",
         "class")


def program(seed: int, size: int = 9) -> str:
    """The text of the program of a seed."""
    return Generator(random.Random(seed), size).text()
