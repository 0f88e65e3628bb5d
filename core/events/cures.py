"""Cures as changes of the script's text, made from a recorded session: each is a whole new text that can be tried.

Nothing is written here. A cure is found where the session says what to change and the source says where: the first value of
a number, the call that passes an argument, the torch.compile that made the function.
"""

from __future__ import annotations

import ast
import difflib
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from . import summary
from .advice import several
from .reader import Session

MOST_PLACES = 4              # lines that one cure changes at most
MOST_CURES = 6


@dataclass(frozen=True, slots=True)
class Cure:
    """A changed script. `title` says what was done; `cause` is the place whose versions it should save, `code` its
    function and `function` that one's title; `lines`: the new lines, for pasting; `text`: the whole script."""

    title: str
    cause: str
    code: int
    lines: tuple[str, ...]
    text: str
    function: str = ""

    def diff(self, before: str, name: str) -> str:
        """The change as a unified diff."""
        return "".join(difflib.unified_diff(before.splitlines(True), self.text.splitlines(True), f"a/{name}", f"b/{name}"))


def cures(session: Session, text: str) -> list[Cure]:
    """What can be tried for the causes of recompilation in a script, dearest first. `text`: its source as recorded.
    Empty where nothing can be changed by rule."""
    script = str(session.info.get("script", ""))
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return []
    found: list[Cure] = []
    for cause in summary.causes(session):
        if cause.versions and session.codes[cause.code].file == script:
            found += _of_cause(session, cause, text, tree)
    unique: dict[str, Cure] = {}
    for cure in found:
        if cure.text != text and valid(cure.text):
            unique.setdefault(cure.text, replace(cure, function=session.codes[cure.code].title))
    return list(unique.values())[:MOST_CURES]


def _of_cause(session: Session, cause: summary.Cause, text: str, tree: ast.Module) -> Iterator[Cure]:
    advice = summary.advise(session, cause)
    if advice is None or several(cause.place):
        return
    code = session.codes[cause.code]
    if ".shape[" in cause.place:
        tensor, dim = cause.place.rsplit(".shape[", 1)[0], cause.place.rsplit("[", 1)[1].rstrip("]")
        if tensor in code.params and tensor.isidentifier() and dim.isdigit() and advice.line:
            yield from _marked(session, cause, tensor, int(dim), text, tree)
        yield from _dynamic(session, cause, text, tree)
    elif advice.kind == "number" and advice.line:
        if cause.place in code.params and cause.place.isidentifier():
            yield from _as_tensor(session, cause, text, tree)
        else:
            line = advice.line.replace("torch.tensor(", f"{torch_name(tree)}.tensor(")
            yield from _first_value(cause, line, text)


# -- one cure each

def _marked(session: Session, cause: summary.Cause, param: str, dim: int, text: str, tree: ast.Module) -> Iterator[Cure]:
    """mark_dynamic before the statement that makes the call, where the argument is a name."""
    places = [(stmt, ast.unparse(arg)) for stmt, arg in _arguments(session, cause.code, param, tree)
              if _plain(arg) and _root_name(arg) not in _bound_inside(stmt)]
    if not places or len(places) > MOST_PLACES or len({s.lineno for s, _ in places}) < _call_lines(session, cause.code):
        return
    lines = text.splitlines(True)
    added = []
    for stmt, name in sorted(places, key=lambda p: -p[0].lineno):
        if lines[stmt.lineno - 1][:stmt.col_offset].strip():
            return                           # another statement stands on the same line
        line = f"{torch_name(tree)}._dynamo.mark_dynamic({name}, {dim})"
        lines.insert(stmt.lineno - 1, f"{lines[stmt.lineno - 1][:stmt.col_offset]}{line}\n")
        added.append(line)
    yield Cure(f"mark dimension {dim} of {param} dynamic", cause.place, cause.code, tuple(dict.fromkeys(added)), "".join(lines))


def _dynamic(session: Session, cause: summary.Cause, text: str, tree: ast.Module) -> Iterator[Cure]:
    """dynamic=True at the torch.compile that made the function."""
    call = _compile_call(session, cause.code, tree)
    if call is None:
        return
    if isinstance(call, ast.Call):
        if any(k.arg == "dynamic" or k.arg is None for k in call.keywords):
            return
        end = _offset(text, call.end_lineno or 0, call.end_col_offset or 0) - 1
        before = text[:end].rstrip()
        comma = "" if not call.args and not call.keywords or before.endswith(",") else ", "
        new = f"{before}{comma}dynamic=True{text[end:]}"
    else:
        end = _offset(text, call.end_lineno or 0, call.end_col_offset or 0)
        new = f"{text[:end]}(dynamic=True){text[end:]}"
    line = new.splitlines()[(call.end_lineno or 1) - 1].strip()
    name = session.codes[cause.code].title.rpartition("<locals>.")[2]
    yield Cure(f"compile {name} with dynamic=True", cause.place, cause.code, (line,), new)


def _first_value(cause: summary.Cause, line: str, text: str) -> Iterator[Cure]:
    """The number as a tensor on the one line that sets its first value."""
    from .advice import where_set

    at = where_set(text, cause.place, cause.seen[0])
    if at:
        lines = text.splitlines(True)
        old = lines[at - 1]
        ending = old[len(old.rstrip("\r\n")):]
        lines[at - 1] = old[:len(old) - len(old.lstrip())] + line + ending
        yield Cure(f"keep {cause.place} as a tensor", cause.place, cause.code, (line,), "".join(lines))


def _as_tensor(session: Session, cause: summary.Cause, text: str, tree: ast.Module) -> Iterator[Cure]:
    """The argument wrapped as torch.tensor(...) where the script passes it."""
    places = [arg for _, arg in _arguments(session, cause.code, cause.place, tree)]
    if not places or len(places) > MOST_PLACES:
        return
    new, lines = text, []
    for arg in sorted(places, key=lambda a: (-a.lineno, -a.col_offset)):
        start = _offset(text, arg.lineno, arg.col_offset)
        end = _offset(text, arg.end_lineno or 0, arg.end_col_offset or 0)
        wrapped = f"{torch_name(tree)}.tensor({text[start:end]})"
        new = f"{new[:start]}{wrapped}{new[end:]}"
        lines.append(wrapped)
    yield Cure(f"pass {cause.place} as a tensor", cause.place, cause.code, tuple(dict.fromkeys(lines[::-1])), new)


# -- where things stand in the source

def _call_lines(session: Session, code: int) -> int:
    return len(_lines_of_calls(session, code))


def _lines_of_calls(session: Session, code: int) -> list[int]:
    """Lines of the script from which a function was called on top level, as far as recorded."""
    lines = session.calls["line"][session.calls["code"] == code]
    return [int(n) for n in np.unique(lines[lines > 0])]


def _arguments(session: Session, code: int, param: str, tree: ast.Module) -> list[tuple[ast.stmt, ast.expr]]:
    """(statement, expression passed as `param`) of the calls that the session saw. A call is taken for one of the function
    when it stands on such a line and what is called is a name that torch.compile made, or else the only call that fits."""
    params = [p for p in session.codes[code].params if p != "self"]
    if param not in params:
        return []
    place, wanted, made = params.index(param), set(_lines_of_calls(session, code)), compiled_names(session, code, tree)
    found: list[tuple[ast.stmt, ast.expr]] = []
    for stmt in (n for n in ast.walk(tree) if isinstance(n, ast.stmt)):
        own = [n for part in _own_expressions(stmt) for n in ast.walk(part) if isinstance(n, ast.Call)]
        for call in own:
            if not wanted.intersection(range(call.lineno, (call.end_lineno or call.lineno) + 1)):
                continue
            if made and ast.unparse(call.func) not in made:
                continue
            arg = next((k.value for k in call.keywords if k.arg == param), None)
            if arg is None and place < len(call.args) and not any(isinstance(a, ast.Starred) for a in call.args[:place + 1]):
                arg = call.args[place]
            if arg is not None:
                found.append((stmt, arg))
    return found


def _own_expressions(stmt: ast.stmt) -> list[ast.expr]:
    """The expressions of a statement itself, not of the statements inside it."""
    if isinstance(stmt, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return []
    return [n for n in ast.iter_child_nodes(stmt) if isinstance(n, ast.expr)] + (
        [i.context_expr for i in stmt.items] if isinstance(stmt, ast.With) else [])


def compiled_names(session: Session, code: int, tree: ast.Module) -> set[str]:
    """Names under which the script calls what it compiled from this function: `fast` of `fast = torch.compile(scale)`, the
    function's own name where it is decorated."""
    owner = session.codes[code]
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call) and _is_compile(node.value.func):
            names |= {ast.unparse(t) for t in node.targets}
        elif isinstance(node, ast.FunctionDef) and node.name == owner.name and any(
                _is_compile(d.func if isinstance(d, ast.Call) else d) for d in node.decorator_list):
            names.add(node.name)
    return names


def _compile_call(session: Session, code: int, tree: ast.Module) -> ast.expr | None:
    """The torch.compile of a function: its decorator, the call that names it, or the only one there is."""
    owner = session.codes[code]
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name == owner.name:
            for d in node.decorator_list:
                if _is_compile(d.func if isinstance(d, ast.Call) else d):
                    return d
    calls = [n for n in ast.walk(tree) if isinstance(n, ast.Call) and _is_compile(n.func) and n.args]
    named = [c for c in calls if owner.name in {n.id for a in c.args for n in ast.walk(a) if isinstance(n, ast.Name)}]
    return named[0] if len(named) == 1 else calls[0] if len(calls) == 1 else None


def _is_compile(node: ast.expr) -> bool:
    """Whether an expression names torch.compile, whatever the script calls torch."""
    return isinstance(node, ast.Attribute) and node.attr == "compile" and isinstance(node.value, ast.Name) \
        and node.value.id not in ("re", "builtins")


def torch_name(tree: ast.Module) -> str:
    """What the script calls torch: `torch`, or `th` of `import torch as th`."""
    names = [a for n in ast.walk(tree) if isinstance(n, ast.Import) for a in n.names]
    return next((a.asname or "torch" for a in names if a.name == "torch"), "torch")


def valid(text: str) -> bool:
    """Whether a text is Python."""
    try:
        ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def _plain(node: ast.expr) -> bool:
    """A name, an attribute or an item: reading it once more does nothing."""
    while isinstance(node, ast.Attribute | ast.Subscript):
        if isinstance(node, ast.Subscript) and not isinstance(node.slice, ast.Constant | ast.Name):
            return False
        node = node.value
    return isinstance(node, ast.Name)


def _root_name(node: ast.expr) -> str:
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def _bound_inside(stmt: ast.stmt) -> set[str]:
    """Names that only the comprehensions, lambdas and walruses of a statement know."""
    found: set[str] = set()
    for n in (n for part in _own_expressions(stmt) for n in ast.walk(part)):
        if isinstance(n, ast.comprehension | ast.NamedExpr):
            found |= {t.id for t in ast.walk(n.target) if isinstance(t, ast.Name)}
        elif isinstance(n, ast.Lambda):
            found |= {a.arg for a in ast.walk(n.args) if isinstance(a, ast.arg)}
    return found


def _offset(text: str, line: int, column: int) -> int:
    """Index in the text of a place as ast counts it (columns in bytes of UTF-8)."""
    lines = text.splitlines(True)
    return sum(map(len, lines[:line - 1])) + len(lines[line - 1].encode()[:column].decode(errors="ignore"))
