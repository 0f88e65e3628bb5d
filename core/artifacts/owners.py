"""Whose version an artifact is: functions from one factory, and modules of one class, share one code object and its places.

The owner is named by what tells it from the others: closure values, or the module's place among the modules of what was
compiled. Asked at compile time only.
"""

from __future__ import annotations

import weakref
from collections import Counter
from typing import Any

from ..torch_api.nn.modules.module import Module

LONGEST = 60
_numbers: weakref.WeakKeyDictionary[Any, int] = weakref.WeakKeyDictionary()
_used: Counter[Any] = Counter()
_outer: weakref.WeakSet[Module] = weakref.WeakSet()          # modules compiled so far that are in no other


def owner_of(fn: Any, args: tuple, params: list[str]) -> str:
    """`layers.3` (a module below one that was compiled before), `Block 2` (the second one met), `weight=8.0` (a closure), or
    "" where a code object has one owner by nature."""
    if args and params and params[0] == "self" and isinstance(args[0], Module):
        module = args[0]
        for outer in _outer:
            path = next((name for name, below in outer.named_modules() if below is module), "")
            if path:
                return path
        _outer.add(module)
        return f"{type(module).__name__} {_number(module, type(module))}"
    code = getattr(fn, "__code__", None)
    if code is None or not code.co_freevars:
        return ""
    values = [f"{name}={_short(cell)}" for name, cell in zip(code.co_freevars, fn.__closure__ or ())]
    known = [text for text in values if not text.endswith("=")]
    return ", ".join(known)[:LONGEST] if known else f"{code.co_name} {_number(fn, code)}"


def _short(cell: Any) -> str:
    try:
        value = cell.cell_contents
    except ValueError:                       # the cell is empty
        return ""
    if value is None or type(value) in (bool, int, float, str):
        text = repr(value)
        return text if len(text) <= LONGEST // 2 else ""
    name = getattr(value, "__qualname__", "")
    return name if callable(value) and isinstance(name, str) else ""


def _number(thing: Any, kind: Any) -> int:
    """1, 2, 3, ... by kind, in the order in which things were met."""
    found = _numbers.get(thing)
    if found is None:
        _used[kind] += 1
        found = _numbers[thing] = _used[kind]
    return found
