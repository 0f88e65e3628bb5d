"""Numbers whose value is a symbol: SymInt, SymFloat, and SymBool, the answer of comparing them.

They behave as the int, float and bool they stand for, in every operator with Python numbers on either side.
Arithmetic makes expressions; whoever needs an answer (`if`, `bool`) decides it by the value at capture and records a
guard; whoever needs the number itself (an index, a hash, text) pins the symbol to it.
"""

from __future__ import annotations

import math
import operator
from builtins import pow, round  # noqa: UP029 - Python's own, whatever the script put in their places
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from . import expr as E
from .expr import Expr, const
from .relations import BUILD, and_, ne, not_, or_

if TYPE_CHECKING:
    from .shape_env import ShapeEnv

NUMBERS = (int, float)
FLOOR, CEIL = math.floor, math.ceil       # a script may replace them in the module


class Symbolic:
    """Base: `env` knows the symbols, `hint` is the value at capture."""

    __slots__ = ("_expr", "_version", "env", "hint")
    __array_ufunc__ = None             # NumPy scalars leave the operator to us

    env: ShapeEnv
    hint: Any

    def __init__(self, expr: Expr, env: ShapeEnv, hint: Any) -> None:
        self._expr, self._version, self.env, self.hint = expr, -1, env, hint

    @property
    def expr(self) -> Expr:
        """The expression, written with what is known by now (s1 as s0 once they were found equal)."""
        if self._version != self.env.facts.version:
            self._expr = self.env.facts.simplify(self._expr)
            self._version = self.env.facts.version
        return self._expr

    def __str__(self) -> str:
        return str(self.expr)

    __repr__ = __str__

    def __deepcopy__(self, memo: Any) -> Any:
        return self

    def __copy__(self) -> Any:
        return self

    def __format__(self, spec: str) -> str:
        return format(self.env.specialise(self.expr, "formatted as text"), spec)


class SymBool(Symbolic):
    """A relation not yet decided. `bool()` decides it."""

    __slots__ = ()

    def __bool__(self) -> bool:
        return self.env.decide(self.expr)

    def __and__(self, other: Any) -> Any:
        return _junction(self, other, and_, operator.and_)

    def __or__(self, other: Any) -> Any:
        return _junction(self, other, or_, operator.or_)

    __rand__, __ror__ = __and__, __or__

    def __xor__(self, other: Any) -> Any:
        return bool(self) ^ other

    __rxor__ = __xor__

    def __int__(self) -> int:
        return int(bool(self))

    __index__ = __int__

    def __float__(self) -> float:
        return float(bool(self))

    def __hash__(self) -> int:
        return hash(bool(self))

    def __eq__(self, other: object) -> Any:
        return bool(self) == other

    def __ne__(self, other: object) -> Any:
        return bool(self) != other

    def __add__(self, other: Any) -> Any:
        return bool(self) + other

    def __mul__(self, other: Any) -> Any:
        return bool(self) * other

    def __sub__(self, other: Any) -> Any:
        return bool(self) - other

    def __rsub__(self, other: Any) -> Any:
        return other - bool(self)

    __radd__, __rmul__ = __add__, __mul__


def _junction(a: SymBool, b: Any, build: Callable[..., Expr], plain: Callable[[Any, Any], Any]) -> Any:
    if not isinstance(b, bool | SymBool):
        return plain(int(a), b) if isinstance(b, int) else NotImplemented
    other = b.expr if isinstance(b, SymBool) else const(b)
    return _truth(build(a.expr, other), a.env, plain(a.hint, b.hint if isinstance(b, SymBool) else b))


def _truth(relation: Expr, env: ShapeEnv, hint: Any) -> Any:
    return bool(relation.args[0]) if relation.is_const else SymBool(relation, env, hint)


def _number(expr: Expr, env: ShapeEnv, hint: Any) -> Any:
    """A SymInt or SymFloat; a plain number when the expression has become constant."""
    expr = env.facts.simplify(expr)
    if expr.is_const:
        return expr.args[0]
    return (SymFloat if expr.kind == "float" else SymInt)(expr, env, hint)


def _operand(value: Any) -> tuple[Expr, Any] | None:
    """(expression, value at capture) of a number; None for anything else."""
    if isinstance(value, SymInt | SymFloat):
        return value.expr, value.hint
    if isinstance(value, SymBool):
        value = int(value)
    if isinstance(value, NUMBERS):
        value = float(value) if isinstance(value, float) else int(value)
        return const(value), value
    if hasattr(value, "dtype") and hasattr(value, "item") and getattr(value, "shape", None) == () \
            and type(value).__module__ == "numpy":
        return _operand(value.item())
    return None


Binary = Callable[["ShapeEnv", Expr, Any, Expr, Any], Any]


def _is_int(*items: Expr) -> bool:
    return all(e.kind != "float" for e in items)


def _arithmetic(exact: Callable[..., Expr], rounded: str, plain: Callable[[Any, Any], Any]) -> Binary:
    def operate(env: ShapeEnv, a: Expr, x: Any, b: Expr, y: Any) -> Any:
        return _number(exact(a, b) if _is_int(a, b) else E.apply(rounded, a, b), env, plain(x, y))

    return operate


def _division(exact: Callable[..., Expr] | None, rounded: str, plain: Callable[[Any, Any], Any]) -> Binary:
    def operate(env: ShapeEnv, a: Expr, x: Any, b: Expr, y: Any) -> Any:
        env.decide(ne(b, E.ZERO), "divisor must not be 0")
        hint = plain(x, y)                                 # raises ZeroDivisionError as the script would
        return _number(exact(a, b) if exact and _is_int(a, b) else E.apply(rounded, a, b), env, hint)

    return operate


def _power(env: ShapeEnv, a: Expr, x: Any, b: Expr, y: Any) -> Any:
    if _is_int(a, b) and env.decide(BUILD["le"](E.ZERO, b), "exponent of an integer power"):
        return _number(E.power(a, b), env, x**y)
    if not env.decide(BUILD["lt"](E.ZERO, a), "base of a power"):
        base, exponent = env.specialise(a, "base of a power"), env.specialise(b, "exponent of a power")
        return base**exponent                              # 0**-1 raises; a negative base may give a complex number
    return _number(E.apply("fpow", a, b), env, x**y)


def _compare(op: str, plain: Callable[[Any, Any], Any]) -> Binary:
    def operate(env: ShapeEnv, a: Expr, x: Any, b: Expr, y: Any) -> Any:
        return _truth(BUILD[op](a, b), env, plain(x, y))

    return operate


def _shift(left: bool) -> Binary:
    def operate(env: ShapeEnv, a: Expr, x: Any, b: Expr, y: Any) -> Any:
        n = env.specialise(b, "number of bits to shift by")
        if n < 0:
            raise ValueError("negative shift count")
        if left:
            return _number(E.mul(a, const(1 << n)), env, x << n)
        return _number(E.floordiv(a, const(1 << n)), env, x >> n)

    return operate


def _concrete(plain: Callable[[Any, Any], Any], what: str) -> Binary:
    def operate(env: ShapeEnv, a: Expr, x: Any, b: Expr, y: Any) -> Any:
        return plain(env.specialise(a, what), env.specialise(b, what))

    return operate


_BINARY: dict[str, Binary] = {
    "add": _arithmetic(E.add, "fadd", operator.add), "sub": _arithmetic(E.sub, "fsub", operator.sub),
    "mul": _arithmetic(E.mul, "fmul", operator.mul), "truediv": _division(None, "truediv", operator.truediv),
    "floordiv": _division(E.floordiv, "ffloordiv", operator.floordiv), "mod": _division(E.mod, "fmod", operator.mod),
    "pow": _power,
}
_BITS: dict[str, Binary] = {
    "lshift": _shift(True), "rshift": _shift(False), "and": _concrete(operator.and_, "operand of &"),
    "or": _concrete(operator.or_, "operand of |"), "xor": _concrete(operator.xor, "operand of ^"),
}
_COMPARE: dict[str, Binary] = {
    "lt": _compare("lt", operator.lt), "le": _compare("le", operator.le),
    "gt": lambda env, a, x, b, y: _COMPARE["lt"](env, b, y, a, x),
    "ge": lambda env, a, x, b, y: _COMPARE["le"](env, b, y, a, x),
    "eq": _compare("eq", operator.eq), "ne": _compare("ne", operator.ne),
}


def _method(operate: Binary, reflected: bool, integers: bool = False) -> Callable[..., Any]:
    def method(self: Any, other: Any, modulus: Any = None) -> Any:
        if modulus is not None:                            # pow(a, b, m)
            return pow(*(v.env.specialise(v.expr, "an operand of pow()") if isinstance(v, Symbolic) else v
                         for v in (self, other, modulus)))
        if isinstance(other, complex):
            mine = self.env.specialise(self.expr, "combined with a complex number")
            return NotImplemented if reflected else getattr(complex(mine), f"__{name_of[operate]}__")(other)
        given = _operand(other)
        if given is None or (integers and not _is_int(given[0])):
            return NotImplemented
        mine2 = (self.expr, self.hint)
        return operate(self.env, *given, *mine2) if reflected else operate(self.env, *mine2, *given)

    return method


name_of: dict[Binary, str] = {v: k for table in (_BINARY, _BITS, _COMPARE) for k, v in table.items()}


class _Number(Symbolic):
    __slots__ = ()

    def __bool__(self) -> bool:
        return self.env.decide(ne(self.expr, E.ZERO))

    def __pos__(self) -> Any:
        return self

    def __hash__(self) -> int:
        return hash(self.env.specialise(self.expr, "used as a key"))

    def __divmod__(self, other: Any) -> Any:
        return self // other, self % other

    def __rdivmod__(self, other: Any) -> Any:
        return other // self, other % self

    def __int__(self) -> int:
        return int(self.env.specialise(self.expr, "turned into an int"))

    def __float__(self) -> float:
        return float(self.env.specialise(self.expr, "turned into a float"))

    def __complex__(self) -> complex:
        return complex(self.env.specialise(self.expr, "turned into a complex number"))

    @property
    def real(self) -> Any:
        return self

    @property
    def imag(self) -> Any:
        return 0 if isinstance(self, SymInt) else 0.0

    def conjugate(self) -> Any:
        return self


class SymInt(_Number):
    """An int known by its expression. Where Python wants a real int (`range`, an index, a hash) it is pinned."""

    __slots__ = ()

    def __index__(self) -> int:
        return int(self.env.specialise(self.expr, "used as a plain int"))

    def __neg__(self) -> Any:
        return _number(E.neg(self.expr), self.env, -self.hint)

    def __invert__(self) -> Any:
        return -self - 1

    def __abs__(self) -> Any:
        return _number(E.maximum(self.expr, E.neg(self.expr)), self.env, abs(self.hint))

    def __trunc__(self) -> Any:
        return self

    __floor__ = __ceil__ = __trunc__

    def __round__(self, digits: Any = None) -> Any:
        return self if digits is None or digits >= 0 else round(int(self), digits)

    @property
    def numerator(self) -> Any:
        return self

    @property
    def denominator(self) -> int:
        return 1

    def is_integer(self) -> bool:
        return True

    def bit_length(self) -> int:
        return int(self).bit_length()


class SymFloat(_Number):
    """A float known by its expression."""

    __slots__ = ()

    def __neg__(self) -> Any:
        return _number(E.apply("fneg", self.expr), self.env, -self.hint)

    def __abs__(self) -> Any:
        return _number(E.apply("fabs", self.expr), self.env, abs(self.hint))

    def _finite(self) -> None:
        """Only finite numbers are near an int: whether this one is becomes a condition, so that another raises as in Python.
        A number that a tensor holds is only known when it is turned, and raises then."""
        if self.env.is_data(self.expr):
            return
        for bound in (const(math.inf), const(-math.inf)):
            if not self.env.decide(BUILD["ne"](self.expr, bound), "turned into an int"):
                int(self.hint)                             # raises

    def __trunc__(self) -> Any:
        self._finite()
        return _number(E.apply("int", self.expr), self.env, int(self.hint))

    def __floor__(self) -> Any:
        self._finite()
        return _number(E.apply("floor", self.expr), self.env, FLOOR(self.hint))

    def __ceil__(self) -> Any:
        self._finite()
        return _number(E.apply("ceil", self.expr), self.env, CEIL(self.hint))

    def __round__(self, digits: Any = None) -> Any:
        if digits is None:
            self._finite()
            return _number(E.apply("round", self.expr), self.env, round(self.hint))
        n = int(digits)
        return _number(E.make("round_to", (self.expr, const(n)), "float"), self.env, round(self.hint, n))

    def is_integer(self) -> Any:
        return self == FLOOR(self)


def _install() -> None:
    for cls in (SymInt, SymFloat):
        for name, operate in _BINARY.items():
            setattr(cls, f"__{name}__", _method(operate, False))
            setattr(cls, f"__r{name}__", _method(operate, True))
        for name, operate in _COMPARE.items():
            setattr(cls, f"__{name}__", _method(operate, False))
        cls.__hash__ = _Number.__hash__                    # type: ignore[method-assign]
    for name, operate in _BITS.items():
        setattr(SymInt, f"__{name}__", _method(operate, False, integers=True))
        setattr(SymInt, f"__r{name}__", _method(operate, True, integers=True))


_install()


LARGEST_EXPONENT = 709.782712893384        # exp of more is no float any more


# -- functions of math and builtins, for numbers of either kind -------------------------------------------------------
def _function(name: str, plain: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def apply(x: Any) -> Any:
        if not isinstance(x, Symbolic):
            return plain(x)
        e, hint = _operand(x) or (const(0), 0)
        if name == "sqrt":
            x.env.decide(BUILD["le"](E.ZERO, e), "square root")
        elif name.startswith("log"):
            x.env.decide(BUILD["lt"](E.ZERO, e), "logarithm")
        elif x.env.is_data(e):
            pass                                               # raises when it is computed
        elif name in ("sin", "cos", "tan") and isinstance(x, SymFloat):
            for bound in (const(math.inf), const(-math.inf)):
                x.env.decide(BUILD["ne"](e, bound), "angle")
        elif name == "exp" and not x.env.decide(BUILD["le"](e, const(LARGEST_EXPONENT)), "exponential"):
            x.env.decide(BUILD["eq"](e, const(math.inf)), "exponential")
        return _number(E.apply(name, e), x.env, plain(hint))

    apply.__name__ = f"sym_{name}"
    apply.__doc__ = f"math.{name} of a number that may be symbolic."
    return apply


sym_sqrt, sym_exp, sym_log = _function("sqrt", math.sqrt), _function("exp", math.exp), _function("log", math.log)
sym_log2, sym_log10 = _function("log2", math.log2), _function("log10", math.log10)
sym_sin, sym_cos, sym_tan = _function("sin", math.sin), _function("cos", math.cos), _function("tan", math.tan)
sym_tanh = _function("tanh", math.tanh)


def sym_floor(x: Any) -> Any:
    """math.floor."""
    return FLOOR(x)


def sym_ceil(x: Any) -> Any:
    """math.ceil."""
    return CEIL(x)


def sym_int(x: Any) -> Any:
    """int(x), kept symbolic."""
    return x.__trunc__() if isinstance(x, SymInt | SymFloat) else int(x)


def sym_float(x: Any) -> Any:
    """float(x), kept symbolic."""
    return _number(E.apply("float", x.expr), x.env, float(x.hint)) if isinstance(x, SymInt) else \
        x if isinstance(x, SymFloat) else float(x)


def _extreme(items: tuple, exact: Callable[..., Expr], pick: Callable[..., Any]) -> Any:
    if len(items) == 1:
        items = tuple(items[0])
    symbolic = next((x for x in items if isinstance(x, _Number)), None)
    operands = [_operand(x) for x in items]
    if symbolic is None or any(o is None for o in operands):
        return pick(items)
    given = [o for o in operands if o is not None]
    if _is_int(*[e for e, _ in given]):
        return _number(exact(*[e for e, _ in given]), symbolic.env, pick(h for _, h in given))
    best = items[0]                                        # the kind of the result depends on who wins: decide
    for x in items[1:]:
        if (x > best) if pick is max else (x < best):
            best = x
    return best


def sym_max(*items: Any) -> Any:
    """max of numbers (or of one iterable of them)."""
    return _extreme(items, E.maximum, max)


def sym_min(*items: Any) -> Any:
    """min of numbers (or of one iterable of them)."""
    return _extreme(items, E.minimum, min)


def sym_not(x: Any) -> Any:
    """`not x`, kept symbolic."""
    if isinstance(x, SymBool):
        return _truth(not_(x.expr), x.env, not x.hint)
    return _truth(BUILD["eq"](x.expr, E.ZERO), x.env, not x.hint) if isinstance(x, _Number) else not x


def is_symbolic(x: Any) -> bool:
    """Whether x is a SymInt, SymFloat or SymBool."""
    return isinstance(x, Symbolic)
