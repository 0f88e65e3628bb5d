"""What the differential programs are made of: operands that log, objects that log every access, exceptions.

A program calls gb() wherever a graph is to break. `variants` makes one copy of a program per gb(): in that copy this call
is opaque to the compiler and all others are traced, so every place of the program is tried on its own.
"""

from __future__ import annotations

import ast
import contextlib
import copy
import importlib.util
import linecache
import sys
from pathlib import Path
from typing import Any

LOG: list[Any] = []


def t(name: Any, value: Any = None) -> Any:
    """An operand that notes when it is evaluated."""
    LOG.append(name)
    return value


def traced(value: Any = None) -> Any:
    LOG.append(("gb", value))
    return value


def opaque(value: Any = None) -> Any:
    """As `traced`; the harness keeps it out of graphs."""
    LOG.append(("gb", value))
    return value


def show(*args: Any, **kwargs: Any) -> int:
    LOG.append(("show", args, tuple(kwargs.items())))
    return len(args) + len(kwargs)


def boom(kind: type = ValueError, text: str = "x") -> None:
    LOG.append("boom")
    raise kind(text)


class Box:
    """An object that logs reads, writes and deletions of attributes and items, and entering and leaving."""

    def __init__(self, name: str) -> None:
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "held", {})

    def __getattr__(self, key: str) -> Any:
        if key.startswith("__"):
            raise AttributeError(key)
        LOG.append(f"{self.name}.{key}")
        return self.held.get(key, 1)

    def __setattr__(self, key: str, value: Any) -> None:
        LOG.append((f"{self.name}.{key}=", value))
        self.held[key] = value

    def __delattr__(self, key: str) -> None:
        LOG.append(f"del {self.name}.{key}")

    def __getitem__(self, key: Any) -> Any:
        LOG.append((f"{self.name}[]", key))
        return self.held.get(key, 2) if not isinstance(key, slice) else 5

    def __setitem__(self, key: Any, value: Any) -> None:
        LOG.append((f"{self.name}[]=", key, value))
        self.held[key] = value

    def __delitem__(self, key: Any) -> None:
        LOG.append((f"del {self.name}[]", key))

    def __enter__(self) -> Any:
        LOG.append(f"enter {self.name}")
        return self

    def __exit__(self, kind: Any, value: Any, trace: Any) -> bool:
        LOG.append((f"exit {self.name}", None if kind is None else kind.__name__))
        return self.name == "eat"


class Gate:
    """A context manager that calls gb() on its way in and out. The name says what it does besides."""

    def __init__(self, name: str, gb: Any) -> None:
        self.name, self.gb = name, gb

    def __enter__(self) -> Any:
        self.gb(f"enter {self.name}")
        if self.name == "stop":
            raise LookupError("no entry")
        return self.name

    def __exit__(self, kind: Any, value: Any, trace: Any) -> bool:
        self.gb(f"exit {self.name}")
        LOG.append((kind.__name__ if kind is not None else None, repr(value), handled()))
        if self.name == "raise":
            raise KeyError("from exit")
        return self.name == "eat"


@contextlib.contextmanager
def managed(name: str, value: Any) -> Any:
    """A context manager written as a generator."""
    LOG.append(f"enter {name}")
    try:
        yield value + 1
    except KeyError as e:
        LOG.append(("caught", str(e)))
    finally:
        LOG.append(f"exit {name}")


def handled() -> str:
    """The exception that is being handled."""
    error = sys.exc_info()[1]
    return f"{error!r} after {error.__context__!r}" if error is not None else "nothing"


class Plain:
    """An object without ways of its own."""

    def __init__(self, **fields: Any) -> None:
        for name, value in fields.items():
            setattr(self, name, value)


class Source:
    """An iterable that logs being iterated."""

    def __init__(self, name: str, items: list) -> None:
        self.name, self.items = name, items

    def __iter__(self) -> Any:
        LOG.append(f"iter {self.name}")
        return iter(self.items)


class Base:
    def area(self, k: Any) -> Any:
        LOG.append(("Base.area", k))
        return k * 10

    @classmethod
    def make(cls, k: Any) -> Any:
        return (cls.__name__, k)


NAMES = {"t": t, "show": show, "boom": boom, "Box": Box, "Plain": Plain, "Source": Source, "Base": Base, "LOG": LOG,
         "Gate": Gate, "managed": managed, "handled": handled, "contextlib": contextlib}


def load_programs(path: Path) -> ast.Module:
    return ast.parse(path.read_text(), str(path))


class Choose(ast.NodeTransformer):
    """Renames the gb() that was chosen to opaque_gb()."""

    def __init__(self, chosen: int | None) -> None:
        self.chosen, self.seen = chosen, 0

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if node.id == "gb":
            self.seen += 1
            node.id = "opaque_gb" if self.chosen in (None, self.seen) else "gb"
        return node


def breaks_in(node: ast.AST) -> int:
    return sum(isinstance(n, ast.Name) and n.id == "gb" for n in ast.walk(node))


def text_of(node: ast.FunctionDef, chosen: int | None) -> str:
    return ast.unparse(Choose(chosen).visit(copy.deepcopy(node))) + "\n"


def build(text: str, name: str, extra: dict[str, Any]) -> dict[str, Any]:
    """The globals of a module made of `text`, whose source linecache knows."""
    file = f"/virtual/{name}.py"
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    namespace = {"__name__": name, **NAMES, **extra}
    exec(compile(text, file, "exec", dont_inherit=True), namespace)
    return namespace


def plain(value: Any, depth: int = 6) -> Any:
    """A value as data that can be compared: types, contents, fields."""
    if depth == 0 or value is None or isinstance(value, bool | int | float | str | bytes):
        return value
    if isinstance(value, Box | Plain | Source):
        return (type(value).__name__, plain(dict(vars(value)), depth - 1))
    if isinstance(value, tuple | list):
        return (type(value).__name__, [plain(v, depth - 1) for v in value])
    if isinstance(value, dict):
        return ("dict", [(plain(k, depth - 1), plain(v, depth - 1)) for k, v in value.items()])
    if isinstance(value, set | frozenset):
        return (type(value).__name__, sorted(map(repr, value)))
    if isinstance(value, slice):
        return ("slice", value.start, value.stop, value.step)
    if isinstance(value, BaseException):
        return (type(value).__name__, plain(value.args, depth - 1))
    if isinstance(value, type):
        return value.__name__
    if type(value).__name__ in ("Tensor", "Parameter"):
        return ("tensor", value.tolist())
    return type(value).__name__


def chain(problem: BaseException | None, depth: int = 4) -> Any:
    if problem is None or depth == 0:
        return None
    return (type(problem).__name__, str(problem), chain(problem.__context__, depth - 1), chain(problem.__cause__, depth - 1),
            problem.__suppress_context__)


def outcome(function: Any, namespace: dict[str, Any], arguments: tuple) -> tuple:
    """What one call gives: value or exception with its chain, everything that was logged, the globals it left."""
    LOG.clear()
    try:
        result: Any = ("value", plain(function(*arguments)))
    except Exception as problem:
        result = ("raised", chain(problem))
    left = {k: plain(v) for k, v in namespace.items() if k.startswith("g_")}
    return result, [plain(x) for x in LOG], left, [plain(a) for a in arguments]


def import_path(path: Path, name: str) -> Any:
    """Import a file by its path, so that pytest does not rewrite its asserts."""
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module
