"""The step that a graph breaks at: what is done natively, by the kind of place, and what is left of its statement.

Every step says which operands it uses (`needs`), which variables it binds in the entry (`made`), its text (`lines`, whose
result is in the operands' `result`), and the rest of the statement in every case that follows (`rests`).
"""

from __future__ import annotations

import ast
from copy import copy  # Python's own, whatever the script puts in their places
from typing import Any

from .levels import Leaving, bound_text
from .residual.comprehension import comprehension_unit
from .residual.definition import definition_code
from .residual.native import native
from .residual.nodes import CannotResume, Passes, again, iterator_name, load, manager_name, passes, rest_of_pass
from .residual.rest import Rest
from .residual.resume import names_in
from .residual.running import END, Entering
from .residual.suffix import Waiting, entered
from .signals import UserRaise
from .values import Value

Cases = dict[str, list[ast.stmt]]


class NativeStep:
    """An expression, or the truth of one."""

    def __init__(self, at: Any) -> None:
        self.at, self.s, self.node, self.role = at, at.statement, at.node, at.role
        self.result: str = at.operands.result
        self.made: dict[str, str] = {}

    def rests(self) -> Cases:
        s, node = self.s, self.node
        if self.role == "truth" and isinstance(s, ast.If | ast.While) and node is s.test:
            body = list(s.body) if isinstance(s, ast.If) else rest_of_pass(s.body, s)
            return {"true": body, "false": list(s.orelse)}
        return {"then": self.rest("op" if self.role in ("load", "yield") else self.role)}

    def rest(self, role: str) -> list[ast.stmt]:
        names = {id(n): name for n, name in self.at.operands.outside}
        return Rest(self.node, self.result, names, role, self.at.frame.path[-1].owner, self.at.levels.raising) \
            .statement(self.s)

    def own(self) -> set[int]:
        """Nodes whose finished values the step uses."""
        return {id(n) for n in ast.walk(self.node)}

    def needs(self) -> set[str]:
        own = self.own()
        return {name for ident, name in self.at.operands.names.items() if ident in own}

    def values(self) -> list[Value]:
        """Other values that the text mentions."""
        return []

    def lines(self) -> list[str]:
        if self.role == "iter":
            inner = self.text(self.node.value if isinstance(self.node, ast.Starred) else self.node)
            return [f"{self.result} = {f'[*{inner}]' if isinstance(self.node, ast.Starred) else f'{{**{inner}}}'}"]
        if self.role == "truth":
            return [f"{self.result} = {self.at.r.pin(bool)}({self.text(self.node)})"]
        role = "op" if self.role == "load" else self.role
        return [f"{self.result} = {native(self.node, role, self.placed())}"]

    def placed(self) -> dict[int, str]:
        """Operand node -> the text that stands for its value in the entry."""
        return {ident: self.at.placed[name] for ident, name in self.at.operands.names.items() if name in self.at.placed}

    def text(self, node: Any) -> str:
        return self.placed().get(id(node)) or ast.unparse(node)

    def place(self, target: Any) -> str:
        """The target of a store, on finished operands."""
        if isinstance(target, ast.Attribute):
            inner = self.text(target.value)
            return f"({inner}).{target.attr}" if inner[:1] in "-0123456789" else f"{inner}.{target.attr}"
        return f"{self.text(target.value)}[{self.text(target.slice)}]"


class Comprehension(NativeStep):
    """A comprehension is a function of its own."""

    def __init__(self, at: Any) -> None:
        super().__init__(at)
        variables = {n for n, v in at.frame.variables.items() if v.value is not None}
        self.made_function = comprehension_unit(at.ev.unit, self.node, variables | set(at.frame.free))
        at.ev.captured |= set(self.made_function.shared) - set(at.ev.unit.freevars)

    def values(self) -> list[Value]:
        held = [self.at.frame.variables[n].value for n in self.made_function.shared if n in self.at.frame.variables]
        return [self.variable(n) for n in self.made_function.taken] + [v for v in held if v is not None]

    def variable(self, name: str) -> Value:
        found = self.at.frame.lookup(name)
        if found is None or found.value is None:
            raise CannotResume(f"the variable {name} has no value")
        return found.value

    def lines(self) -> list[str]:
        callee = self.at.compiled(self.made_function.unit)
        arguments = [self.placed()[id(self.node.generators[0].iter)],
                     *(self.at.r.value(self.variable(n)) for n in self.made_function.taken)]
        return [f"{self.result} = {callee}({', '.join(arguments)})"]


class Yield(NativeStep):
    """`yield`: the entry hands the item over, and is called again with what was sent."""

    def __init__(self, at: Any) -> None:
        super().__init__(at)
        if any(kind == "with" for kind, _ in at.levels.around):
            raise CannotResume("the consumer of the generator runs in a mode that it switched")

    @property
    def each(self) -> bool:
        return isinstance(self.node, ast.YieldFrom)

    def lines(self) -> list[str]:
        return [f"{self.result} = {self.text(self.node.value) if self.node.value is not None else None}"]


class Augmented(NativeStep):
    """x op= value on the old value; the store is left to the continuation."""

    def rests(self) -> Cases:
        target: Any = copy(self.s.target)
        names = {id(n): name for n, name in self.at.operands.outside}
        for field in ("value", "slice"):
            if hasattr(target, field):
                child = getattr(target, field)
                setattr(target, field, load(names[id(child)], child) if id(child) in names else child)
        return {"then": [ast.copy_location(ast.Assign([target], load(self.result, self.s)), self.s)]}

    def own(self) -> set[int]:
        return {id(self.s.target), id(self.s.value)}

    def lines(self) -> list[str]:
        s = self.s
        sign = ast.unparse(ast.AugAssign(ast.Name("a", ast.Store()), s.op, ast.Name("b", ast.Load())))[1:-1]
        return [f"{self.result} = {self.text(s.target)}", f"{self.result}{sign}{self.text(s.value)}"]


class Target(NativeStep):
    """Storing into, or deleting, an attribute or item; unpacking into several targets."""

    def rests(self) -> Cases:
        return {"then": self.rest(self.role)}

    def own(self) -> set[int]:
        own = {id(n) for n in ast.walk(self.node)} - {id(self.node)}
        return own if self.role == "delete" else own | {id(self.stored())}

    def stored(self) -> ast.AST:
        """The node that stands for the value: the part of a tuple of targets, or what is assigned."""
        names = self.at.operands.names
        if id(self.node) in names:
            return self.node
        s = self.s
        if isinstance(s, ast.withitem | ast.AugAssign):
            return s
        if isinstance(s, ast.Assign | ast.AnnAssign) and s.value is not None:
            return s.value
        raise CannotResume(f"the break comes in the middle of: {words(s, self.role)}")

    def lines(self) -> list[str]:
        if self.role == "delete":
            return [f"del {self.place(self.node)}"]
        value = self.text(self.stored())
        if self.role == "store":
            return [f"{self.place(self.node)} = {value}"]
        names = [self.at.r.name("item") for _ in self.node.elts]
        targets = [f"*{n}" if isinstance(e, ast.Starred) else n for n, e in zip(names, self.node.elts)]
        return [f"[{', '.join(targets)}] = {value}", f"{self.result} = [{', '.join(names)}]"]


class Imported(NativeStep):
    """An import, which binds names in the entry."""

    def __init__(self, at: Any) -> None:
        super().__init__(at)
        for alias in self.s.names:
            name = alias.asname or alias.name.split(".")[0]
            if name in at.cell_names() or name not in at.frame.variables:
                raise CannotResume(f"the variable {name} is shared with other functions")
            self.made[name] = name

    def rests(self) -> Cases:
        return {"then": []}

    def lines(self) -> list[str]:
        return [ast.unparse(self.s)]


class ClassBody(NativeStep):
    """A class statement, natively, on the variables' own cells."""

    def __init__(self, at: Any) -> None:
        super().__init__(at)
        known = {*at.frame.variables, *at.ev.unit.freevars}
        self.code = definition_code(at.ev.unit, self.s, known)
        at.ev.captured |= set(self.code.co_freevars) - set(at.ev.unit.freevars)
        if self.s.name in self.code.co_freevars:
            self.made[self.s.name] = self.result

    def rests(self) -> Cases:
        if self.s.name in self.code.co_freevars:
            return {"then": []}
        target = ast.copy_location(ast.Name(self.s.name, ast.Store()), self.s)
        return {"then": [ast.copy_location(ast.Assign([target], load(self.result, self.s)), self.s)]}

    def needs(self) -> set[str]:
        return set()

    def values(self) -> list[Value]:
        held = [self.at.frame.variables[n].value for n in self.code.co_freevars if n in self.at.frame.variables]
        return [v for v in held if v is not None]

    def lines(self) -> list[str]:
        from .residual.build import function_on_cells

        at = self.at
        scope = at.ev.globals_of(at.ev.function.__globals__).slot
        return [f"{self.result} = {at.r.pin(function_on_cells)}({at.r.pin(self.code, 'class_' + self.s.name)}, {scope}, "
                f"{self.code.co_name!r}, {at.cells(self.code.co_freevars)})()"]


class Decorator(NativeStep):
    """One decorator called with the function made so far."""

    def rests(self) -> Cases:
        return {"then": self.rest(self.role)}

    def own(self) -> set[int]:
        return {id(self.s), id(self.decorator)}

    @property
    def decorator(self) -> ast.expr:
        found: ast.expr = self.s.decorator_list[int(self.role.split()[1])]
        return found

    def lines(self) -> list[str]:
        return [f"{self.result} = __rt.call({self.text(self.decorator)}, {self.text(self.s)})"]


class Loop(NativeStep):
    """The next item of a loop that the graph breaks in; at first, its iterator."""

    def __init__(self, at: Any) -> None:
        super().__init__(at)
        self.begins = self.role == "iter"
        self.iterator = iterator_name(self.s, sorted(names_in(at.ev.unit.original))) if self.begins else self.s.iter.id
        if self.begins:
            self.made[self.iterator] = self.iterator

    def rests(self) -> Cases:
        s = self.s
        loop = s if isinstance(s, Passes) else passes(s, self.iterator)
        item = ast.copy_location(ast.Assign([s.target], load(self.result, s.target)), s.target)
        return {"item": rest_of_pass([item, *s.body], loop), "end": list(s.orelse)}

    def lines(self) -> list[str]:
        r = self.at.r
        end = r.pin(END, "END")
        if self.begins:
            return [f"{self.iterator} = {r.pin(iter)}({self.text(self.s.iter)})",
                    f"{self.result} = {r.pin(next)}({self.iterator}, {end})"]
        held = r.value(self.at.local(self.iterator))
        return [f"{self.result} = {r.pin(next)}({held}, {end})"]


class Enter(NativeStep):
    """Entering a context manager."""

    def __init__(self, at: Any) -> None:
        super().__init__(at)
        last = at.frame.path[-1]
        self.statement, self.index = last.owner, last.index
        self.name = manager_name(self.s)
        self.made[self.name] = self.name

    def rests(self) -> Cases:
        s = self.statement
        later = s.items[self.index + 1:]
        body = [ast.copy_location(ast.With(later, s.body), s)] if later else list(s.body)
        target = self.s.optional_vars
        first = [] if target is None else [ast.copy_location(ast.Assign([target], load(self.result, target)), target)]
        return {"then": entered((self.name,), [*first, *body], s)}

    def lines(self) -> list[str]:
        r = self.at.r
        return [f"{self.name} = {r.pin(Entering)}({self.text(self.node)})", f"{self.result} = __rt.call({self.name}.enter)"]


class Exit(NativeStep):
    """Leaving a context manager of the script's."""

    def __init__(self, at: Any) -> None:
        super().__init__(at)
        held = at.frame.path[-1].extra
        assert isinstance(held, Leaving)
        self.leaving = held
        if held.left.exit is None:
            raise CannotResume("the graph breaks while a mode is left")

    def rests(self) -> Cases:
        s = self.at.frame.path[-1].owner
        if self.at.levels.raising:
            refused = ast.copy_location(ast.UnaryOp(ast.Not(), load(self.result, s)), s)
            return {"then": [ast.copy_location(ast.If(refused, [again(self.at.levels.raising, s)], []), s)]}
        waiting = self.at.levels.ending
        return {"then": [waiting.statement(s)] if isinstance(waiting, Waiting) else []}

    def needs(self) -> set[str]:
        return set()

    def values(self) -> list[Value]:
        assert self.leaving.left.exit is not None
        return [self.leaving.left.exit]

    def lines(self) -> list[str]:
        assert self.leaving.left.exit is not None
        leave = bound_text(self.at.r, self.leaving.left.exit)
        if not isinstance(self.leaving.done, UserRaise):
            return [f"__rt.call({leave}, None, None, None)"]
        error = f"{self.at.placed[self.at.levels.raising]}.error"
        kind = f"{self.at.r.pin(type)}({error})"
        return [f"{self.result} = {self.at.r.pin(bool)}(__rt.call({leave}, {kind}, {error}, {error}.__traceback__))"]


def step_for(at: Any) -> NativeStep:
    """The step of a break. Raises CannotResume for a place that none is written for."""
    s, node, role = at.statement, at.node, at.role
    if role in ("iter", "next") and isinstance(s, ast.For) and node in (s, s.iter):
        return Loop(at)
    if role == "enter":
        return Enter(at)
    if role == "exit":
        return Exit(at)
    if role == "yield":
        return Yield(at)
    if role in ("op", "truth", "load", "iter") or role.startswith("op "):
        if node is s and isinstance(s, ast.AugAssign):
            return Augmented(at)
        if isinstance(node, ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp) and role == "op":
            return Comprehension(at)
        if isinstance(node, ast.expr):
            return NativeStep(at)
    if role in ("store", "unpack", "delete"):
        return Target(at)
    if role.startswith("decorate "):
        return Decorator(at)
    if role == "statement" and isinstance(s, ast.Import | ast.ImportFrom):
        return Imported(at)
    if role == "statement" and isinstance(s, ast.ClassDef):
        return ClassBody(at)
    raise CannotResume(f"the break comes in the middle of: {words(s, role)}")


def words(s: Any, role: str) -> str:
    return f"{type(s).__name__.lower()} ({role})"
