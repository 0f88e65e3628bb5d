"""From a function to its syntax tree, with proof that the text is the code that runs.

The proof is recompilation: the file's text is compiled, and the function's code object must be among the results
(CPython compares bytecode, constants, names and first line). A file edited after import is therefore noticed. Where only
positions agree (pytest's rewritten asserts, for example) the source is used and marked "unproved".
"""

from __future__ import annotations

import ast
import types
from dataclasses import dataclass
from typing import Any

from .text import SourceFile, source_file

COROUTINE_FLAGS = 0x80 | 0x100 | 0x200          # CO_COROUTINE, CO_ITERABLE_COROUTINE, CO_ASYNC_GENERATOR


@dataclass(frozen=True, slots=True)
class NoSource:
    """Why a function's text cannot be used: one clause."""

    reason: str


@dataclass(frozen=True, slots=True, eq=False)
class Located:
    """A function's node in its file. `proof`: "proved" or "unproved"."""

    node: Any                    # ast.FunctionDef | ast.Lambda
    file: str
    first_line: int
    text: str
    class_name: str | None
    proof: str
    source: SourceFile


_known: dict[int, tuple[types.CodeType, Located | NoSource]] = {}


def locate(function: Any) -> Located | NoSource:
    """Find the syntax tree of a Python function (or of its code object)."""
    code = function if isinstance(function, types.CodeType) else function.__code__
    known = _known.get(id(code))
    if known is None or known[0] is not code:
        scope = getattr(function, "__globals__", None)
        known = _known[id(code)] = (code, _find(code, scope))
    return known[1]


def _find(code: types.CodeType, scope: dict[str, Any] | None) -> Located | NoSource:
    name = code.co_filename
    if code.co_flags & COROUTINE_FLAGS:
        return NoSource("it is asynchronous")
    source = source_file(name, scope)
    if source is None:
        return NoSource(f"no source text is found for {name}")
    proved = any(c == code for c in source.codes())
    candidates = [(node, qualname) for node, qualname in source.functions() if _fits(node, qualname, code)]
    if len(candidates) > 1 and code.co_name == "<lambda>":
        candidates = [pair for pair in candidates if _spans(pair[0], code)]
    if len(candidates) != 1:
        if not candidates:
            return NoSource(f"{name} no longer holds it at line {code.co_firstlineno} (was the file edited after it was imported?)")
        return NoSource(f"{len(candidates)} functions at line {code.co_firstlineno} of {name} cannot be told apart")
    node, qualname = candidates[0]
    if not proved and not _same_names(node, code):
        return NoSource(f"the text of {name} is not what runs (was the file edited after it was imported?)")
    return Located(node, name, code.co_firstlineno, source.text, _class_of(qualname), "proved" if proved else "unproved", source)


def _fits(node: ast.AST, qualname: str, code: types.CodeType) -> bool:
    if isinstance(node, ast.Lambda):
        return code.co_name == "<lambda>" and node.lineno == code.co_firstlineno
    assert isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
    return first == code.co_firstlineno and node.name == code.co_name and qualname == code.co_qualname


def _spans(node: ast.AST, code: types.CodeType) -> bool:
    """Whether the columns of the code's instructions lie within a lambda's body (several lambdas on one line)."""
    assert isinstance(node, ast.Lambda)
    body = node.body
    start, end = (body.lineno, body.col_offset), (body.end_lineno or 0, body.end_col_offset or 0)
    found = [(line, col, end_line, end_col) for line, end_line, col, end_col in code.co_positions()
             if line is not None and col is not None and not (col == 0 and end_col == 0)]
    if not found:
        return True
    return min((a, b) for a, b, _, _ in found) >= start and max((c or 0, d or 0) for _, _, c, d in found) <= end


def _same_names(node: Any, code: types.CodeType) -> bool:
    """Weak evidence where the proof failed: the parameters agree, and every line of the code lies within the node."""
    args = node.args
    wanted = [a.arg for a in (*args.posonlyargs, *args.args, *args.kwonlyargs)]
    lines = [line for _, _, line in code.co_lines() if line is not None]
    inside = all(code.co_firstlineno <= line <= (node.end_lineno or 0) for line in lines)
    uses_assert = any(isinstance(n, ast.Assert) for n in ast.walk(node))
    return inside and uses_assert and len(wanted) == code.co_argcount + code.co_kwonlyargcount


def _class_of(qualname: str) -> str | None:
    """The innermost class around a function: what its private names are mangled with."""
    parts = qualname.split(".")[:-1]
    while parts and parts[-1] == "<locals>":                # a function inside a function: look further out
        parts = parts[:-2]
    return parts[-1] if parts else None
