"""From a function to its syntax tree, with proof that the text is the code that runs.

The proof is recompilation: the file's text is compiled, and the function's code object must be among the results
(CPython compares bytecode, constants, names and positions). A file edited after import is therefore noticed. Where only
positions agree (pytest's rewritten asserts, for example) the source is used and marked "unproved".
"""

from __future__ import annotations
import __future__

import ast
import types
from dataclasses import dataclass
from typing import Any

from .text import FoundFunction, FunctionNode, SourceFile, source_file

ASYNCHRONOUS = 0x80 | 0x100 | 0x200     # CO_COROUTINE, CO_ITERABLE_COROUTINE, CO_ASYNC_GENERATOR
NESTED = 0x10                           # CO_NESTED
FEATURES = 0                            # the flags of all `from __future__` features
for _name in __future__.all_feature_names:
    FEATURES |= getattr(__future__, _name).compiler_flag


@dataclass(frozen=True, slots=True)
class NoSource:
    """Why a function's text cannot be used: one clause."""

    reason: str


@dataclass(frozen=True, slots=True, eq=False)
class Located:
    """A function's node in its file.

    class_name: the innermost class around it, for private names. proof: "proved" or "unproved". future_flags: the
    compiler flags of the `from __future__` features it was compiled with.
    """

    node: Any                    # ast.FunctionDef | ast.Lambda
    file: str
    first_line: int
    text: str
    class_name: str | None
    proof: str
    source: SourceFile
    future_flags: int


_known: dict[int, tuple[types.CodeType, Located | NoSource]] = {}


def locate(function: Any) -> Located | NoSource:
    """Find the syntax tree of a Python function (or of its code object); found once per code object."""
    code = function if isinstance(function, types.CodeType) else function.__code__
    known = _known.get(id(code))             # which keeps the code object alive, so that its id stays its own
    if known is None:
        known = _known.setdefault(id(code), (code, _find(code, getattr(function, "__globals__", None))))
    return known[1]


def _find(code: types.CodeType, scope: dict[str, Any] | None) -> Located | NoSource:
    name = code.co_filename
    if code.co_flags & ASYNCHRONOUS:
        return NoSource("it is asynchronous")
    source = source_file(name, scope)
    proved = source is not None and _is_compiled_from(code, source)
    if not proved:                                          # the file may have been changed and imported again
        newer = source_file(name, scope, again=True)
        if newer is not None:
            source, proved = newer, _is_compiled_from(code, newer)
    if source is None:
        return NoSource(_no_text(name))
    candidates = _candidates(code, source)
    if len(candidates) > 1:
        return NoSource(f"{len(candidates)} functions at line {code.co_firstlineno} of {name} cannot be told apart")
    if not candidates or not proved and not _same_shape(candidates[0].node, code):
        return NoSource(f"line {code.co_firstlineno} of {name} is not what runs (was the file edited after it was imported?)")
    node, _, class_name = candidates[0]
    return Located(node, name, code.co_firstlineno, source.text, class_name, "proved" if proved else "unproved", source,
                   code.co_flags & FEATURES)


def _no_text(name: str) -> str:
    if name.startswith("<"):
        return f"there is no source text for {name}: it was made from a string"
    return f"{name} cannot be read as Python"


def _is_compiled_from(code: types.CodeType, source: SourceFile) -> bool:
    """Whether compiling the text gives an equal code object."""
    place = (code.co_name, code.co_firstlineno)
    for flags in {0, code.co_flags & FEATURES}:
        try:
            if any(c == code for c in source.codes_at(place, flags)):
                return True
        except (SyntaxError, ValueError, RecursionError):
            continue
    return False


def _candidates(code: types.CodeType, source: SourceFile) -> list[FoundFunction]:
    """The functions of the text that `code` may be the code of."""
    found = source.functions_at((code.co_name, code.co_firstlineno))
    if len(found) > 1 and code.co_name == "<lambda>":
        found = [f for f in found if is_lambda_of(f.node, code)]
        if len(found) > 1:                                  # no columns: equal code means the same, whichever it is
            return [f for f in found if _compiled_alone(f.node, code) == code][:1] or found
    if len(found) > 1:                                      # under `global f`, f has a qualified name of its own
        return [f for f in found if f.qualname == code.co_qualname] or found
    return found


def is_lambda_of(node: FunctionNode, code: types.CodeType) -> bool:
    """Whether `code` is the code of this lambda, told by the columns of its instructions: several lambdas may start on
    one line. True also when the code has no columns (-X no_debug_ranges)."""
    assert isinstance(node, ast.Lambda)
    places = [(line, col, end_line, end_col) for line, end_line, col, end_col in code.co_positions()
              if line is not None and end_line is not None and col is not None and end_col is not None
              and (col, end_col) != (0, 0)]
    if not places:
        return True
    start, end = min((a, b) for a, b, _, _ in places), max((c, d) for _, _, c, d in places)

    def holds(body: ast.expr) -> bool:
        return (body.lineno, body.col_offset) <= start and end <= (body.end_lineno or 0, body.end_col_offset or 0)

    return holds(node.body) and not any(isinstance(n, ast.Lambda) and holds(n.body) for n in ast.walk(node.body))


def _compiled_alone(node: FunctionNode, code: types.CodeType) -> types.CodeType:
    """The code of a lambda outside its function: equal to that inside, unless it uses variables of the function."""
    assert isinstance(node, ast.Lambda)
    bare = ast.Lambda(ast.arguments(node.args.posonlyargs, node.args.args, node.args.vararg, node.args.kwonlyargs,
                                    [None for _ in node.args.kwonlyargs], node.args.kwarg, []), node.body)
    whole = ast.Expression(ast.copy_location(bare, node))
    made = compile(whole, code.co_filename, "eval", flags=code.co_flags & FEATURES, dont_inherit=True)
    inner = next(c for c in made.co_consts if isinstance(c, types.CodeType))
    return inner.replace(co_flags=inner.co_flags | code.co_flags & NESTED)


def _same_shape(node: Any, code: types.CodeType) -> bool:
    """Weak evidence where the proof failed: the function asserts something (pytest rewrites that), its parameters are the
    same, and every line of the code lies within the node."""
    args = node.args
    wanted = [a.arg for a in (*args.posonlyargs, *args.args, *args.kwonlyargs)]
    given = code.co_varnames[:code.co_argcount + code.co_kwonlyargcount]
    lines = [line for _, _, line in code.co_lines() if line is not None]
    inside = all(code.co_firstlineno <= line <= (node.end_lineno or 0) for line in lines)
    asserts = any(isinstance(n, ast.Assert) for n in ast.walk(node))
    return inside and asserts and len(given) == len(wanted) \
        and all(g == w or w.startswith("__") for g, w in zip(given, wanted))
