"""What to change in a script, for one cause of recompilation. Every cure named here was tried on a script of its kind.

A number read from an attribute, a global or a closure is fixed into each version; kept as a tensor it becomes an input
(one version), passed as an argument it becomes dynamic at its second value (two). A number whose exact value the
function needs (a loop bound, an index) gets a version per value either way.
"""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .reader import Session
    from .summary import Cause

VALUE_KINDS = frozenset({"EQUALS_MATCH", "CONSTANT_MATCH", "SHAPE_ENV", "FLOAT_NOT_NAN"})
CURES = {
    "EQUALS_MATCH": "keep the value out of the compiled function, or compile one function per value",
    "CONSTANT_MATCH": "pass the same value every time, or compile one function per value",
    "ID_MATCH": "keep one object and reuse it instead of making a new one for each call",
    "FUNCTION_MATCH": "define the function once, outside the loop",
    "TYPE_MATCH": "pass the same type every time",
    "TENSOR_MATCH": "pass tensors of one dtype, device, rank and layout, or compile one function for each",
    "GLOBAL_STATE": "enter the mode (no_grad, autocast, ...) outside the calls, the same way every time",
    "SEQUENCE_LENGTH": "keep the length fixed, or stack the items into one tensor",
    "DICT_KEYS": "build the dict with the same keys in the same order every time",
    "NOT_IN_INSTANCE": "set the attribute before the first call, or never",
}


def several(place: str) -> bool:
    """Whether a cause's place names several values whose relation is what changed ("x.shape[0], y.shape[0]"). Words of one
    value may have commas of their own: "(i, p)[1].ndim"."""
    if ", " not in place:
        return False
    try:
        named = ast.parse(place, mode="eval").body
    except (SyntaxError, ValueError):
        return True
    return isinstance(named, ast.Tuple) and named.elts[0].col_offset == named.col_offset


def cure(session: Session, cause: Cause) -> tuple[str, str, str]:
    """(kind of advice, what to change as a clause, a line to write or "")."""
    if several(cause.place):
        return "size", ("the versions before took them to be related; let the first call have unrelated sizes, or mark "
                        "them dynamic"), ""
    if ".shape[" in cause.place:
        return _size(session, cause)
    if cause.kind in VALUE_KINDS and cause.seen and all(map(is_number, cause.seen)):
        return _number(session, cause)
    if cause.kind in ("ID_MATCH", "FUNCTION_MATCH") and _different_functions(cause):
        return "value", ("nothing to change up to the limit: these are different functions, and each rightly has a "
                         "version of its own"), ""
    return "value", CURES.get(cause.kind, "keep it the same from call to call"), ""


def _size(session: Session, cause: Cause) -> tuple[str, str, str]:
    tensor, dim = cause.place.rsplit(".shape[", 1)[0], cause.place.rsplit("[", 1)[1].rstrip("]")
    if not dim.isdigit():
        return "size", CURES["TENSOR_MATCH"], ""
    if cause.pinned:
        line = next((g.line for g in session.guards(cause.artifact) if g.index == cause.guard), 0)
        there = f"line {line} of the script" if line else "the script"
        return "size", f"{there} decides by the exact size, so a size that it names has a version of its own", ""
    small = {"0", "1"} & set(cause.seen)
    if small and len(cause.seen) <= len(small) + 1:
        said = " or ".join(sorted(small))
        return "size", f"a size of {said} always gets a version of its own; avoid it, or warm it up first", ""
    return ("size", "mark the dimension dynamic before the first call, or compile with dynamic=True",
            f"torch._dynamo.mark_dynamic({tensor}, {dim})")


def _number(session: Session, cause: Cause) -> tuple[str, str, str]:
    code = session.codes[cause.code]
    newest = [a for a in session.artifacts if a.code == cause.code][-1:]
    fixed_now = [g.kind for a in newest for g in session.guards(a.id) if g.condition.startswith(f"{cause.place} == ")]
    if cause.pinned or "SHAPE_ENV" in fixed_now:
        return "number", ("the function needs its exact value (a loop bound, an index), so each value gets a version of its "
                          "own; keep it fixed, or write the loop as one tensor operation"), ""
    symbolic = any(source == cause.place and dim is None for a in newest for source, dim, _ in a.dynamic_dims)
    if cause.versions == 1 and symbolic and not fixed_now:
        return "number", "nothing to change: the first version fixed the value, the second takes any", ""
    if cause.result_of or "(" in cause.place:                # what an expression gave: nothing can be assigned to it
        return "number", ("the number is read out of a tensor before this point; keep it a tensor, so that one version "
                          "serves every value"), ""
    first = cause.seen[0]
    if cause.place in code.params and cause.place.isidentifier():
        return "number", "pass it as a tensor: one version then serves every value", f"torch.tensor({first})"
    line = where_set(session.sources.get(code.file, ""), cause.place, first)
    there = f"on line {line}, where it is first set" if line else "where it is first set"
    fixed = f"{cause.place} = torch.tensor({first if line or not cause.place.isidentifier() else cause.place})"
    option = "; or set torch._dynamo.config.allow_unspec_int_on_nn_module = True: two versions" \
        if cause.place.startswith("self.") and all("." not in value for value in cause.seen) else ""
    return "number", (f"keep it as a tensor {there}: one version then serves every value; or pass it to the function as "
                      f"an argument: two versions{option}"), fixed


def where_set(source: str, place: str, value: str) -> int:
    """The one line that gives `place` its first value, 0 when there is none or more than one."""
    wanted = re.compile(rf"\s*{re.escape(place)}\s*(:[^=]+)?=\s*{re.escape(value)}\s*(#.*)?")
    found = [number for number, text in enumerate(source.splitlines(), 1) if wanted.fullmatch(text)]
    return found[0] if len(found) == 1 else 0


def _different_functions(cause: Cause) -> bool:
    """Whether the values are functions of the API or of different places, each met once."""
    return (len(cause.seen) == cause.versions + 1
            and all(re.fullmatch(r"(torch|Tensor)\.[\w.]+|[\w.<>]+ \([\w.]+:\d+\)|lambda of [\w.]+:\d+( at column \d+)?", value)
                    for value in cause.seen))


def result_words(session: Session, code: int, text: str) -> str:
    """A text about a resume function with `__r0`, the name of what the broken expression gave, spelled as the script
    writes that expression."""
    if "__r" not in text or session.codes[code].kind != "resume":
        return text
    return re.sub(r"\b__r(\d+)\b", lambda m: broken_expression(session, code, int(m[1])), text)


def broken_expression(session: Session, code: int, number: int) -> str:
    """The source of the expression at which break `number` of a function happened; "the value from line 7" where it
    cannot be told."""
    c = session.codes[code]
    spans = dict.fromkeys((b.file, b.line, b.col, b.end_line, b.end_col) for b in session.breaks
                          if _root(session, b.code) == _root(session, code))
    here = [s for s in spans if s[1] == c.resume_line]
    span = here[0] if len(here) == 1 else list(spans)[number] if number < len(spans) else None
    if span is not None and span[1] == span[3] and span[4] > span[2]:
        lines = session.sources.get(span[0], "").splitlines()
        if span[1] <= len(lines):
            text = lines[span[1] - 1].encode()[span[2]:span[4]].decode(errors="replace").strip()
            if 0 < len(text) <= 60:
                return text
    return f"the value from line {c.resume_line}"


def _root(session: Session, code: int) -> int:
    up = session.codes[code].resume_of
    return code if up is None or up == code else up


def is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return text not in ("True", "False")
