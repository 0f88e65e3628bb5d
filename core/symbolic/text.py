"""Expressions as text: Python (for guards and for people) and OpenCL C (for sizes inside kernels)."""

from __future__ import annotations

import math
import types
from collections.abc import Callable, Mapping

from .expr import Expr

# What `math` means in the Python text of an expression, wherever it is compiled: the functions as they are now. A script
# may replace math.floor in the module, and then means its own function only where it calls it.
MATH = types.SimpleNamespace(**vars(math))

# Python's precedence, loosest first.
OR, AND, NOT, COMPARE, ADD, MUL, UNARY, POWER, ATOM = range(9)
COMPARISONS = {"eq": "==", "ne": "!=", "lt": "<", "le": "<="}
FLIPPED = {"eq": "==", "ne": "!=", "lt": ">", "le": ">="}
INFIX = {"fadd": ("+", ADD), "fsub": ("-", ADD), "fmul": ("*", MUL), "truediv": ("/", MUL), "ffloordiv": ("//", MUL),
         "fmod": ("%", MUL), "floordiv": ("//", MUL), "mod": ("%", MUL)}
CALLS = {"max": "max", "min": "min", "fmax": "max", "fmin": "min", "fabs": "abs", "int": "int", "float": "float",
         "round": "round", "round_to": "round"}


def python_text(e: Expr, names: Mapping[str, str]) -> str:
    """Python text of `e`, with as few parentheses as precedence allows. Calls of `math` are written `math.sqrt(x)`."""
    return _python(e, names)[0]


def _python(e: Expr, names: Mapping[str, str]) -> tuple[str, int]:
    def part(x: Expr, least: int) -> str:
        text, strength = _python(x, names)
        return text if strength >= least else f"({text})"

    op, args = e.op, e.args
    if op == "const":
        v = args[0]
        if isinstance(v, float) and not math.isfinite(v):
            return f"float({str(v)!r})", ATOM
        return repr(v), ATOM if not str(v).startswith("-") else UNARY
    if op == "sym":
        text = names.get(args[0], args[0])
        return text, ATOM
    if op == "add":
        text, strength = part(args[0], ADD), ADD
        for x in args[1:]:
            t = part(x, ADD)
            negative = t.startswith("-")
            text += f" - {t[1:]}" if negative and x.op in ("mul", "const") else f" + ({t})" if negative else f" + {t}"
        return text, strength
    if op == "mul":
        sign = ""
        if args[0].op == "const" and args[0].args[0] == -1:
            sign, args = "-", args[1:]
        pieces = []
        for x in dict.fromkeys(args):
            n = args.count(x)
            pieces.append(f"{part(x, ATOM)}**{n}" if n > 1 else part(x, POWER) if x.op != "const" else str(x.args[0]))
        return sign + "*".join(pieces), UNARY if sign and len(pieces) == 1 else MUL
    if op in INFIX:
        sign, strength = INFIX[op]
        left, right = part(args[0], strength), part(args[1], strength + 1)
        return (f"{left} {sign} {right}" if sign in "+-%" else f"{left}{sign}{right}"), strength
    if op in ("pow", "fpow"):
        return f"{part(args[0], ATOM)}**{part(args[1], POWER)}", POWER
    if op == "fneg":
        return f"-{part(args[0], UNARY)}", UNARY
    if op in COMPARISONS:
        a, b = args
        if a.is_const and not b.is_const:
            return f"{part(b, ADD)} {FLIPPED[op]} {part(a, ADD)}", COMPARE
        return f"{part(a, ADD)} {COMPARISONS[op]} {part(b, ADD)}", COMPARE
    if op == "not":
        return f"not {part(args[0], COMPARE)}", NOT
    if op == "and":
        chain = _chain(e)
        if chain is not None:
            low, middle, high, signs = chain
            return f"{part(low, ADD)} {signs[0]} {part(middle, ADD)} {signs[1]} {part(high, ADD)}", COMPARE
        return " and ".join(part(x, NOT) for x in args), AND
    if op == "or":
        return " or ".join(part(x, AND) for x in args), OR
    if op == "sign":
        return f"math.copysign(1.0, {part(args[0], OR)})", ATOM
    name = CALLS.get(op, f"math.{op}")
    return f"{name}({', '.join(part(x, OR) for x in args)})", ATOM


def _chain(e: Expr) -> tuple[Expr, Expr, Expr, tuple[str, str]] | None:
    """`2 <= s0 <= 31`: two bounds of one expression."""
    if len(e.args) != 2 or any(x.op not in ("lt", "le") for x in e.args):
        return None
    first, second = e.args
    if first.args[1] is not second.args[0]:
        first, second = second, first
    if first.args[1] is not second.args[0] or not first.args[0].is_const or not second.args[1].is_const:
        return None
    return first.args[0], first.args[1], second.args[1], (COMPARISONS[first.op], COMPARISONS[second.op])


C_FUNCTIONS = {"fabs": "fabs", "fmax": "fmax", "fmin": "fmin"}


def c_text(e: Expr, names: Mapping[str, str], nonnegative: Callable[[Expr], bool] | None = None) -> str:
    """OpenCL C of `e`. Integers are long, floats double; every compound is in parentheses."""
    def c(x: Expr) -> str:
        return c_text(x, names, nonnegative)

    def plain(*items: Expr) -> bool:
        return nonnegative is not None and all(nonnegative(x) for x in items)

    op, args = e.op, e.args
    if op == "const":
        v = args[0]
        if isinstance(v, bool):
            return "1" if v else "0"
        if isinstance(v, int):
            return f"{v}" if abs(v) < 2**31 else f"{v}L" if v > -2**63 else "LONG_MIN"
        return v.hex() if math.isfinite(v) else "NAN" if math.isnan(v) else "INFINITY" if v > 0 else "(-INFINITY)"
    if op == "sym":
        return names.get(args[0], args[0])
    if op == "add":
        return f"({' + '.join(c(x) for x in args)})"
    if op == "mul":
        return f"({' * '.join(c(x) for x in args)})"
    if op == "floordiv":
        a, b = c(args[0]), c(args[1])
        if plain(*args):
            return f"({a} / {b})"
        return f"({a} / {b} - (({a} % {b} != 0) & (({a} < 0) != ({b} < 0))))"
    if op == "mod":
        a, b = c(args[0]), c(args[1])
        return f"({a} % {b})" if plain(*args) else f"(({a} % {b} + {b}) % {b})"
    if op in ("max", "min"):
        text = f"(long){c(args[0])}"
        for x in args[1:]:
            text = f"{op}({text}, (long){c(x)})"
        return text if len(args) > 1 else f"({text})"
    if op in INFIX and op not in ("ffloordiv", "fmod"):
        return f"((double){c(args[0])} {INFIX[op][0]} (double){c(args[1])})"
    if op in COMPARISONS:
        return f"({c(args[0])} {COMPARISONS[op]} {c(args[1])})"
    if op in ("and", "or"):
        return f"({(' && ' if op == 'and' else ' || ').join(c(x) for x in args)})"
    if op == "not":
        return f"(!{c(args[0])})"
    if op == "ffloordiv":
        return f"floor((double){c(args[0])} / (double){c(args[1])})"
    if op == "fmod":
        a, b = f"(double){c(args[0])}", f"(double){c(args[1])}"
        return f"({a} - {b} * floor({a} / {b}))"
    if op in ("pow", "fpow"):
        return f"pow((double){c(args[0])}, (double){c(args[1])})" if op == "fpow" else \
            f"(long)pown((double){c(args[0])}, (int){c(args[1])})"
    if op == "fneg":
        return f"(-{c(args[0])})"
    if op == "sign":
        return f"copysign(1.0, {c(args[0])})"
    if op == "float":
        return f"((double){c(args[0])})"
    if op == "int":
        return f"((long){c(args[0])})"
    if op in ("floor", "ceil", "round"):
        return f"((long){'rint' if op == 'round' else op}({c(args[0])}))"
    return f"{C_FUNCTIONS.get(op, op)}({', '.join(f'(double){c(x)}' for x in args)})"
