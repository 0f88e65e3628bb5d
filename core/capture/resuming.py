"""The last part of an entry that ends in a break: effects, the broken step on finished operands, the continuation.

    y = __graph(x)[0]
    __r0 = __rt.call(print, 'between')
    return __Next(resume_in_f_at_8, y)
"""

from __future__ import annotations

import ast
from typing import Any

from ..guards.origin import FunctionOrigin
from . import effects
from .frames import Frame
from .origins import CellObjectOrigin
from .rebuild import Rebuilder
from .residual import chain
from .residual.comprehension import comprehension_unit
from .residual.native import native
from .residual.rest import contains
from .residual.resume import CannotResume, ResumeSite, fresh_names, make_resume
from .values import NativeValue, Value


class Operands:
    """The finished operands of the statement under way, named. `inside` are those of the broken step itself."""

    def __init__(self, ev: Any, frame: Frame, node: ast.AST, role: str) -> None:
        self.values: dict[str, Value] = {}
        self.names: dict[int, str] = {}
        self.outside: list[tuple[ast.AST, str]] = []
        done = [pair for operand in frame.stack for pair in operand.done]
        taken = fresh_names(ev.unit, len(done) + 1, "__v")
        self.result = fresh_names(ev.unit, 1, "__r")[0]
        for (finished, value), name in zip(done, taken):
            self.values[name] = value
            self.names[id(finished)] = name
            if role == "truth" or role.startswith("op ") or not contains(node, finished):
                self.outside.append((finished, name))


def write_break(ev: Any, frame: Frame, r: Rebuilder, node: Any, role: str) -> None:
    """Append everything after the graph's call to `r.lines`. Raises CannotResume or CannotRebuild."""
    path = [(step.owner, step.field, step.index) for step in frame.path]
    owner, field, index = path[-1]
    statement = getattr(owner, field)[index]
    operands = Operands(ev, frame, node, role)
    step = Step(ev, frame, r, operands, statement, node, role)
    sites = step.sites(path)
    wanted = step.needs() | {t for s in sites.values() for t in s.temporaries}
    used = [operands.values[n] for n in wanted if n in operands.values] + [step.variable(n) for n in step.taken]
    used += [step.local(n) for s in sites.values() for n in s.locals if n not in step.made]
    used += step.in_cells(sites)
    for value in [*used, *effects.values_in(ev)]:
        r.count(value)
    effects.write(ev, r)
    step.write(sites)


class Step:
    """One broken step: which continuations follow it, and the text that does it natively."""

    def __init__(self, ev: Any, frame: Frame, r: Rebuilder, operands: Operands, statement: Any, node: Any,
                 role: str) -> None:
        self.ev, self.frame, self.r, self.operands = ev, frame, r, operands
        self.statement, self.node, self.role = statement, node, role
        self.made: dict[str, str] = {}              # locals that the native step itself assigns -> text
        self.protected = False
        self.managers = entered_again(frame)
        self.targets = ""
        self.taken: tuple[str, ...] = ()            # variables that a natively run comprehension reads
        self.branches = role == "truth" and isinstance(statement, ast.If | ast.While) and node is statement.test

    # -- continuations --------------------------------------------------------------------------------------------------
    def sites(self, path: list) -> dict[str, ResumeSite]:
        """The continuations by case: "then", "true"/"false" for a branch, "raised" inside a try."""
        frame, operands = self.frame, self.operands
        cells = self.cell_names()
        self.check_role()
        bound = [n for n, v in frame.variables.items() if v.value is not None or n in self.made]
        bound += [n for n in self.made if n not in bound]
        kind = "done" if self.whole else "op" if self.role == "load" else self.role

        def site(kind: str, branch: bool | None = None) -> ResumeSite:
            return make_resume(self.ev.unit, path, self.node, kind, operands.outside, operands.result, bound, cells, branch,
                               {i: [n for n, _ in pairs] for i, pairs in self.managers.items()})

        if self.branches:
            return {"true": site("truth", True), "false": site("truth", False)}
        out = {"then": site(kind)}
        if any(isinstance(owner, ast.Try) and field == "body" for owner, field, _ in path):
            self.protected = True
            out["raised"] = site("raise")
        return out

    def check_role(self) -> None:
        """Whether the whole statement is done natively; which names that binds."""
        s, node, role = self.statement, self.node, self.role
        self.whole = True
        if (role in ("op", "truth", "load") or role.startswith("op ")) and isinstance(node, ast.expr):
            self.whole = False
            if isinstance(node, ast.ListComp | ast.SetComp | ast.DictComp):
                variables = {n for n in self.frame.variables if self.frame.variables[n].value is not None}
                self.unit, self.taken = comprehension_unit(self.ev.unit, node, variables | set(self.frame.free))
        elif role == "op" and isinstance(s, ast.AugAssign) and node is s:
            if isinstance(s.target, ast.Name):
                if self.frame.lookup(s.target.id) is not self.frame.variables.get(s.target.id) \
                        or s.target.id in self.cell_names():
                    raise CannotResume("an augmented assignment to a variable of an enclosing function needs the break")
                self.made[s.target.id] = self.operands.result
        elif role == "store" and isinstance(s, ast.Assign) and len(s.targets) == 1 and s.targets[0] is node \
                or role == "store" and isinstance(s, ast.AnnAssign | ast.AugAssign) \
                or role == "delete" and len(s.targets) == 1:
            pass
        elif role == "unpack" and isinstance(s, ast.Assign) and s.targets == [node]:
            self.unpack(node)
        elif role == "statement" and isinstance(s, ast.Import | ast.ImportFrom):
            for alias in s.names:
                name = alias.asname or alias.name.split(".")[0]
                self.made[name] = name
        else:
            raise CannotResume(f"the break comes in the middle of: {words(s, role)}")

    def unpack(self, target: Any) -> None:
        """The text of a tuple of targets that binds fresh names in the entry."""
        import copy

        named = copy.deepcopy(target)
        for part in ast.walk(named):
            if isinstance(part, ast.Name):
                if part.id in self.cell_names() or part.id not in self.frame.variables:
                    raise CannotResume(f"the variable {part.id} is shared with other functions")
                self.made[part.id] = part.id = self.r.name(f"new_{part.id}")
            elif isinstance(part, ast.Attribute | ast.Subscript):
                raise CannotResume("the graph breaks inside a tuple of assignment targets")
        self.targets = ast.unparse(named)

    def cell_names(self) -> list[str]:
        """Variables that travel as cells: those of enclosing functions, and locals that functions made here share."""
        shared = [n for n in self.frame.variables if n in self.ev.captured]
        return [*self.ev.unit.freevars, *shared]

    def in_cells(self, sites: dict[str, ResumeSite]) -> list[Value]:
        """What the variables hold that the continuations share with functions made here."""
        names = {n for s in sites.values() for n in s.unit.freevars} - set(self.ev.unit.freevars)
        values = [self.frame.variables[n].value for n in sorted(names) if n in self.frame.variables]
        return [v for v in values if v is not None]

    def local(self, name: str) -> Value:
        value = self.frame.variables[name].value
        assert value is not None
        return value

    # -- text -------------------------------------------------------------------------------------------------------------
    def needs(self) -> set[str]:
        """Names of the operands that the native step itself uses."""
        own = {id(n) for n in ast.walk(self.statement if self.whole else self.node)}
        return {name for ident, name in self.operands.names.items() if ident in own}

    def write(self, sites: dict[str, ResumeSite]) -> None:
        r, operands = self.r, self.operands
        texts = {name: r.value(operands.values[name]) for name in sorted(self.needs())}
        tails = {case: self.tail(case, site, texts) for case, site in sites.items()}    # adds the lines that build objects
        step = self.native_lines(texts)
        contexts = [self.r.pin(m.real) for pairs in self.managers.values() for _, m in pairs]
        if contexts:
            step = [f"with {', '.join(contexts)}:", *(f"    {line}" for line in step)]
        if self.branches:
            r.lines += step
            r.lines.append(f"if {operands.result}:")
            r.lines += [f"    {line}" for line in tails["true"]]
            r.lines += tails["false"]
            return
        if self.protected:
            r.lines.append("try:")
            r.lines += [f"    {line}" for line in step]
            r.lines.append(f"except BaseException as {operands.result}:")
            r.lines += [f"    {line}" for line in tails["raised"]]
        else:
            r.lines += step
        r.lines += tails["then"]

    def placed(self, texts: dict[str, str]) -> dict[int, str]:
        """Operand node -> the text that stands for its value in the entry."""
        return {ident: texts[name] for ident, name in self.operands.names.items() if name in texts}

    def native_lines(self, texts: dict[str, str]) -> list[str]:
        s, node, role, result = self.statement, self.node, self.role, self.operands.result
        placed = self.placed(texts)
        if isinstance(node, ast.ListComp | ast.SetComp | ast.DictComp) and role == "op":
            return [f"{result} = {self.comprehension(placed)}"]
        if not self.whole:
            return [f"{result} = {native(node, 'op' if role == 'load' else role, placed)}"]
        if role == "op":                                        # x op= value
            old, value = placed[id(s.target)], placed.get(id(s.value)) or ast.unparse(s.value)
            sign = ast.unparse(ast.AugAssign(ast.Name("a", ast.Store()), s.op, ast.Name("b", ast.Load())))
            lines = [f"{result} = {old}", f"{result}{sign[1:-1]}{value}"]
            return lines if isinstance(s.target, ast.Name) else [*lines, f"{self.place(s.target, placed)} = {result}"]
        if role == "store":
            value = placed[id(s)] if isinstance(s, ast.AugAssign) else placed.get(id(s.value)) or ast.unparse(s.value)
            return [f"{self.place(node, placed)} = {value}"]
        if role == "unpack":
            return [f"{self.targets} = {placed.get(id(s.value)) or ast.unparse(s.value)}"]
        if role == "delete":
            return [f"del {self.place(node, placed)}"]
        return [ast.unparse(s)]

    def comprehension(self, placed: dict[int, str]) -> str:
        """A call of the comprehension as a function of its own."""
        import types

        ev, r = self.ev, self.r
        function = types.FunctionType(self.unit.code, ev.function.__globals__, self.unit.name)
        callee = r.pin(ev.context.rt.resume(self.unit, function), self.unit.name)
        arguments = [placed[id(self.node.generators[0].iter)], *(r.value(self.variable(n)) for n in self.taken)]
        return f"{callee}({', '.join(arguments)})"

    def variable(self, name: str) -> Value:
        found = self.frame.lookup(name)
        if found is None or found.value is None:
            raise CannotResume(f"the variable {name} has no value")
        return found.value

    def place(self, target: Any, placed: dict[int, str]) -> str:
        """The target of a store, on finished operands."""
        def text(node: Any) -> str:
            return placed.get(id(node)) or ast.unparse(node)

        if isinstance(target, ast.Attribute):
            inner = text(target.value)
            return f"({inner}).{target.attr}" if inner[:1] in "-0123456789" else f"{inner}.{target.attr}"
        return f"{text(target.value)}[{text(target.slice)}]"

    def tail(self, case: str, site: ResumeSite, texts: dict[str, str]) -> list[str]:
        """`return <continuation>(operands, locals, result)`; nothing to call when only the result is returned."""
        r, operands = self.r, self.operands
        left = [s for s in site.unit.node.body if not isinstance(s, ast.Pass | ast.Nonlocal)]
        if not left:
            return ["return None"]
        only = left[0] if len(left) == 1 else None
        if isinstance(only, ast.Return) and isinstance(only.value, ast.Name) and only.value.id == operands.result:
            return [f"return {operands.result}"]
        again = {n: r.pin(m.real) for pairs in self.managers.values() for n, m in pairs}
        arguments = [texts.get(n) or again.get(n) or r.value(operands.values[n]) for n in site.temporaries]
        arguments += [self.made.get(n) or r.value(self.local(n)) for n in site.locals]
        if site.takes_result and case == "raised":           # the continuation raises it again: this frame counts once
            arguments.append(f"{operands.result}.with_traceback({operands.result}.__traceback__.tb_next)")
        elif site.takes_result:
            arguments.append(operands.result)
        return [f"return {r.pin(chain.Next, 'Next')}({', '.join([self.callee(site), *arguments])})"]

    def callee(self, site: ResumeSite) -> str:
        """The continuation: one for good, or one per call when it shares cells."""
        r, ev = self.r, self.ev
        if not site.unit.freevars:
            made = ev.context.rt.resume(site.unit, site.function(ev.function.__globals__, {}))
            return r.pin(made, site.unit.name)
        cells = []
        for name in site.unit.freevars:
            if name in ev.unit.freevars:
                text = r.fetch(CellObjectOrigin(FunctionOrigin(), ev.unit.freevars.index(name), name))
            else:
                text = r.cell(self.frame.variables[name])
            cells.append(f"{name!r}: {text}")
        globals_slot = ev.globals_of(ev.function.__globals__).slot
        function = f"{r.pin(site.function, site.unit.name)}({globals_slot}, {{{', '.join(cells)}}})"
        return f"__rt.resume({r.pin(site.unit, 'unit_' + site.unit.name)}, {function})"


def entered_again(frame: Frame) -> dict[int, list[tuple[str, NativeValue]]]:
    """The modes that are switched at the break, by with statement: the continuation switches them again. A context manager
    of the script's cannot be entered twice. Also the finally blocks that may be gone on with."""
    out: dict[int, list[tuple[str, NativeValue]]] = {}
    for step in frame.path:
        if isinstance(step.owner, ast.Try) and step.field == "finalbody" and step.extra is None:
            out[id(step.owner)] = []                # reached by the normal way: nothing waits for its end
        if isinstance(step.owner, ast.With):
            managers = [entered.manager for entered in step.extra or ()]
            if not all(isinstance(m, NativeValue) for m in managers):
                raise CannotResume("the graph breaks inside a with block")
            first = sum(len(pairs) for pairs in out.values())
            out[id(step.owner)] = [(f"__m{first + i}", m) for i, m in enumerate(managers)]
    return out


def words(s: Any, role: str) -> str:
    return f"{type(s).__name__.lower()} ({role})"
