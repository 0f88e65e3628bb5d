"""The last part of an entry that ends in a break: effects, the broken step on finished operands, the continuation.

    y = __graph(x)[0]
    __r0 = __rt.call(print, 'between')
    return __Next(resume_in_f_at_8, y)
"""

from __future__ import annotations

import ast
import types
from typing import Any

from ..guards.origin import FunctionOrigin
from . import effects
from .frames import Frame
from .function_values import GeneratorExpression
from .levels import Levels
from .origins import CellObjectOrigin
from .rebuild import Rebuilder
from .residual import chain
from .residual.build import function_on_cells
from .residual.nodes import again, contains
from .residual.resume import ResumeSite, fresh_names, make_resume
from .residual.running import END, Raised
from .scopes import names_of
from .steps import Yield, step_for
from .unit import expression_words
from .values import Value

TAGS = {"true": "_true", "false": "_false", "item": "_pass", "end": "_end", "raised": "_raised", "then": ""}


class Operands:
    """The finished operands of the statement under way, named. `outside`: those that are not the broken step's own."""

    def __init__(self, ev: Any, frame: Frame, node: ast.AST, role: str) -> None:
        self.values: dict[str, Value] = {}
        self.names: dict[int, str] = {}
        self.outside: list[tuple[ast.AST, str]] = []
        done = [pair for operand in frame.stack for pair in operand.done]
        taken = fresh_names(ev.unit, len(done) + 1, "__v")
        self.result = fresh_names(ev.unit, 1, "__r")[0]
        self.words = {self.result: expression_words(node, ev.unit.words)}
        for (finished, value), name in zip(done, taken):
            self.values[name] = value
            self.words[name] = expression_words(finished, ev.unit.words)
            self.names[id(finished)] = name
            if role != "op" and role != "load" or not contains(node, finished):
                self.outside.append((finished, name))


def write_break(ev: Any, frame: Frame, r: Rebuilder, node: Any, role: str) -> None:
    """Append everything after the graph's call to `r.lines`. Raises CannotResume or CannotRebuild."""
    Break(ev, frame, r, node, role).write()


class Break:
    """One break: the native step, the continuations that follow it, and the text that does it all."""

    def __init__(self, ev: Any, frame: Frame, r: Rebuilder, node: Any, role: str) -> None:
        self.ev, self.frame, self.r, self.node, self.role = ev, frame, r, node, role
        self.operands = Operands(ev, frame, node, role)
        self.levels = Levels(frame)
        self.placed: dict[str, str] = {}            # operand or variable of a level -> its text in the entry
        for coroutine in ev.generators:             # generator expressions that the entry makes share their variables
            iterator = coroutine.iterator
            if not iterator.begun and isinstance(iterator.recipe, GeneratorExpression):
                ev.captured |= iterator.recipe.names()
        self.step = step_for(self)
        self.sites = self.continuations()
        self.present()

    @property
    def statement(self) -> Any:
        last = self.frame.path[-1]
        return getattr(last.owner, last.field)[last.index]

    # -- continuations --------------------------------------------------------------------------------------------------
    def continuations(self) -> dict[str, ResumeSite]:
        """By case: "then", "true"/"false" for a branch, "item"/"end" for a loop, "raised" where an exception is caught."""
        rests = self.step.rests()
        result = self.operands.result
        if self.levels.protected:
            rests["raised"] = [again(result, self.node if hasattr(self.node, "lineno") else self.statement)]
        variables = self.frame.variables
        bound = [n for n, v in variables.items() if v.value is not None or n in self.step.made]
        bound += [n for n in self.step.made if n not in bound]
        bound += [n for n, v in self.frame.free.items() if v.value is not None and n not in bound]
        temporaries = [*(name for _, name in self.operands.outside), *self.levels.texts]
        line = getattr(self.node, "lineno", self.ev.unit.first_line)
        sites = {case: make_resume(self.ev.unit, self.levels.path, rest, line, temporaries, result, bound, self.cell_names(),
                                   TAGS[case]) for case, rest in rests.items()}
        for case, site in sites.items():
            site.unit.words.update(self.operands.words)
            if case == "item":                              # what the loop's target takes in this pass
                around = [self.node, self.statement, *(step.owner for step in reversed(self.frame.path))]
                loop = next((s for s in around if isinstance(s, ast.For)), None)
                if loop is not None:
                    site.unit.words[result] = ast.unparse(loop.target)
        return sites

    def present(self) -> None:
        """Variables of the function's own that travel as cells have a value at every call, as they had now."""
        names = {n for s in self.sites.values() for n in s.unit.freevars}
        for name in sorted(names & names_of(self.ev.unit.original.node).local):
            held = self.frame.free.get(name)
            if held is not None and held.value is not None and held.value.origin is not None and not held.stored:
                self.ev.guard("PRESENT", held.value.origin, None, "a variable that has a value here")

    def cell_names(self) -> list[str]:
        """Variables that travel as cells: those of enclosing functions, and locals that functions made here share."""
        shared = [n for n in self.frame.variables if n in self.ev.captured]
        return [*self.ev.unit.freevars, *shared]

    def local(self, name: str) -> Value:
        value = self.frame.variables[name].value
        assert value is not None
        return value

    def used(self) -> list[Value]:
        """Every value that the text mentions, to find out what is shared."""
        operands, sites = self.operands, self.sites.values()
        wanted = self.step.needs() | {t for s in sites for t in s.temporaries}
        out = [operands.values[n] for n in wanted if n in operands.values]
        out += [self.local(n) for s in sites for n in s.locals if n not in self.step.made]
        shared = {n for s in sites for n in s.unit.freevars} - set(self.ev.unit.freevars)
        held = [self.frame.variables[n].value for n in sorted(shared) if n in self.frame.variables]
        return out + [v for v in held if v is not None] + self.levels.values + self.step.values() + effects.values_in(self.ev)

    # -- text -------------------------------------------------------------------------------------------------------------
    def write(self) -> None:
        r, operands, levels = self.r, self.operands, self.levels
        r.names |= {operands.result, *levels.texts, *self.step.made}
        for value in self.used():
            r.count(value)
        effects.write(self.ev, r)
        self.ev.continuations = [site.text for site in self.sites.values()]
        kept = {t for s in self.sites.values() for t in s.temporaries} | {n for _, n in levels.around} | {levels.raising}
        for name, text in levels.texts.items():
            if name in kept:
                self.placed[name] = self.hold(name, text(r))
        for name in sorted(self.step.needs()):
            self.placed[name] = r.value(operands.values[name])
        if isinstance(self.step, Yield):
            r.lines += self.step.lines()
            r.lines.append(self.yielded(self.step))
            return
        tails = {case: self.tail(case, site) for case, site in self.sites.items()}    # adds the lines that build objects
        every = r.builtin(BaseException)
        lines = levels.surrounded(self.step.lines(), self.placed, every)
        if "raised" in tails:
            lines = ["try:", *indented(lines), f"except {every} as {operands.result}:", *indented(tails["raised"])]
        r.lines += lines
        if "true" in tails:
            r.lines += [f"if {operands.result}:", *indented(tails["true"]), *tails["false"]]
        elif "item" in tails:
            r.lines += [f"if {operands.result} is {r.pin(END, 'END')}:", *indented(tails["end"]), *tails["item"]]
        else:
            r.lines += tails["then"]

    def hold(self, name: str, text: str) -> str:
        """A variable of a level; what is being handled needs a name in the entry."""
        if not any(kind == "handling" and name == held for kind, held in self.levels.around):
            return text
        self.r.lines.append(f"{name} = {text}")
        return name

    def tail(self, case: str, site: ResumeSite) -> list[str]:
        """`return <continuation>(operands, locals, result)`; nothing to call when only the result is returned."""
        r, operands = self.r, self.operands
        left = [s for s in site.unit.node.body if not isinstance(s, ast.Pass | ast.Nonlocal | ast.Global)]
        only = left[0] if len(left) == 1 else None
        if self.ev.unit.original.is_generator:
            only, left = None, [ast.Pass()]
        if not left:
            return ["return None"]
        if isinstance(only, ast.Return) and isinstance(only.value, ast.Name) and only.value.id == operands.result:
            return [f"return {operands.result}"]
        last = f"{r.pin(Raised.here, 'raised_here')}({operands.result})" if case == "raised" else operands.result
        return [f"return {self.next(site, last if site.takes_result else None)}"]

    def next(self, site: ResumeSite, last: str | None) -> str:
        """The continuation with its arguments, those that are known now."""
        r, operands, step = self.r, self.operands, self.step
        arguments = [self.placed.get(n) or r.value(operands.values[n]) for n in site.temporaries]
        arguments += [step.made.get(n) or r.value(self.local(n)) for n in site.locals]
        arguments += [last] if last is not None else []
        return f"{r.pin(chain.Next, 'Next')}({', '.join([self.callee(site), *arguments])})"

    def yielded(self, step: Yield) -> str:
        """The end of an entry at a `yield`. What is sent or thrown comes as the last argument."""
        then, raised = self.sites["then"], self.sites.get("raised")
        thrown = self.next(raised, None) if raised is not None else None
        return f"return {self.r.pin(chain.Yielded, 'Yielded')}({self.operands.result}, {step.each}, " \
               f"{self.next(then, None)}, {then.takes_result}, {thrown})"

    def compiled(self, unit: Any) -> str:
        """A function that the script does not name (a comprehension), as a compiled callable."""
        r, ev = self.r, self.ev
        if not unit.freevars:
            function = types.FunctionType(unit.code, ev.function.__globals__, unit.name)
            return r.pin(ev.context.rt.resume(unit, function), unit.name)
        scope = ev.globals_of(ev.function.__globals__).slot
        text = f"{r.pin(function_on_cells)}({r.pin(unit.code, 'code_' + unit.name)}, {scope}, {unit.name!r}, " \
                   f"{self.cells(unit.freevars)})"
        return f"__rt.resume({r.pin(unit, 'unit_' + unit.name)}, {text})"

    def callee(self, site: ResumeSite) -> str:
        """The continuation: one for good, or one per call when it shares cells."""
        r, ev = self.r, self.ev
        if not site.unit.freevars:
            made = ev.context.rt.resume(site.unit, site.function(ev.function.__globals__, {}))
            return r.pin(made, site.unit.name)
        globals_slot = ev.globals_of(ev.function.__globals__).slot
        made_text = f"{r.pin(site.function, site.unit.name)}({globals_slot}, {self.cells(site.unit.freevars)})"
        return f"__rt.resume({r.pin(site.unit, 'unit_' + site.unit.name)}, {made_text})"

    def cells(self, names: Any) -> str:
        """A dict of cells by name."""
        ev, r = self.ev, self.r
        parts = []
        for name in names:
            if name in ev.unit.freevars:
                text = r.fetch(CellObjectOrigin(FunctionOrigin(), ev.unit.freevars.index(name), name))
            else:
                text = r.cell(self.frame.variables[name])
            parts.append(f"{name!r}: {text}")
        return f"{{{', '.join(parts)}}}"


def indented(lines: list[str]) -> list[str]:
    return [f"    {line}" for line in lines]
