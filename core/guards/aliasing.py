"""Guards against one object, or one piece of memory, behind two names.

A graph and its replayed effects were made for the objects of one call: `a.append(1)` left `b` alone because they were
two lists, `x.add_(1)` left `y` alone because they shared no memory. A later call that passes one object twice fits every
other guard and would get a wrong result. So whatever was changed is guarded against everything else that was read.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .facts import share_memory
from .guard import Guard
from .origin import Origin

Held = tuple[Origin, Any]             # where an object was read, and the object


def object_guards(changed: Iterable[Held], read: Iterable[Held]) -> list[Guard]:
    """NOT_ALIASING between each changed object and every other object of its exact type that was read. Objects of
    different types cannot be one object while their TYPE_MATCH guards hold."""
    read = list(read)
    made: dict[frozenset, Guard] = {}
    for origin, thing in changed:
        for other, held in read:
            if held is not thing and other != origin and type(held) is type(thing):
                made.setdefault(frozenset((origin, other)), Guard(
                    "NOT_ALIASING", origin, other, None, f"{origin.text} is changed, {other.text} is read"))
    return list(made.values())


def memory_guards(written: Iterable[Held], tensors: Iterable[Held]) -> list[Guard]:
    """STORAGE_OVERLAP, as it is now, between each tensor written in place and every other tensor that was read."""
    tensors = list(tensors)
    made: dict[frozenset, Guard] = {}
    for origin, target in written:
        for other, tensor in tensors:
            if other != origin and tensor is not target:
                made.setdefault(frozenset((origin, other)), Guard(
                    "STORAGE_OVERLAP", origin, (other, share_memory(target, tensor)), None,
                    f"{origin.text} is written in place, {other.text} is read"))
    return list(made.values())
