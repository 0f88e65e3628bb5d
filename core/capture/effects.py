"""What the script did to objects that exist: written into the entry, after the graph, as assignments.

Only final states are written: nothing outside can look in between, because every break and every return writes first.
"""

from __future__ import annotations

import contextlib
from typing import Any

from ..guards.origin import ItemOrigin
from ..tensor.state import STATE
from .rebuild import Rebuilder
from .rebuild_rules import set_attributes
from .values import Const, DictValue, Lazy, ListValue, ObjectValue, SetValue, Value


def values_in(ev: Any) -> list[Value]:
    """Every value that the effects mention, to find out what is shared."""
    out: list[Value] = []
    for changed in ev.mutated.values():
        if isinstance(changed, ListValue):
            out += changed.items + changed.added
        elif isinstance(changed, DictValue):
            out += [x for k in changed.changed for x in (changed.entries[k].key, changed.entries[k].value)]
        elif isinstance(changed, SetValue):
            out += list(changed.items.values())
        elif isinstance(changed, ObjectValue):
            out += [changed.attributes[n] for n in changed.changed]
    out += [value for _, value in ev.data_stores.values()]
    for stores in ev.class_stores.values():
        out += list(stores.values())
    for scope in ev.globals.values():
        out += [v for v in scope.stored.values() if v is not None]
    out += [variable.value for variable in ev.written if variable.value is not None]
    return out


def write(ev: Any, r: Rebuilder) -> None:
    """Append the replay to `r.lines`."""
    for changed in list(ev.mutated.values()):
        if isinstance(changed, ListValue):
            write_list(r, changed)
        elif isinstance(changed, DictValue):
            write_dict(r, changed)
        elif isinstance(changed, SetValue):
            write_set(ev, r, changed)
        elif isinstance(changed, ObjectValue):
            write_object(r, changed)
    for tensor, value in ev.data_stores.values():
        r.lines.append(f"{r.value(tensor)}.data = {r.value(value)}")
    for cls, stores in ev.class_stores.items():
        for name, value in stores.items():
            r.lines.append(f"{r.pin(cls)}.{name} = {r.value(value)}")
    for scope in ev.globals.values():
        for name, stored in scope.stored.items():
            if stored is None:
                r.lines.append(f"{scope.slot}.pop({name!r}, None)")     # it may have been made here as well
            else:
                r.lines.append(f"{scope.slot}[{name!r}] = {r.value(stored)}")
    for variable in ev.written:
        cell = r.cell(variable)
        if variable.value is None:
            r.lines.append(f"del {cell}.cell_contents")
        else:
            r.lines.append(f"{cell}.cell_contents = {r.value(variable.value)}")
    if not ev.contexts and STATE.mode is not ev.mode:
        r.lines.append(f"{r.pin(STATE, 'STATE')}.mode = {r.pin(STATE.mode, 'mode')}")


def same_as_before(value: Value, changed: ListValue, index: int) -> bool:
    """Whether item `index` of a list is still what the list held there. Another value that happened to be equal at capture
    does not count: it may differ when the artifact is used again."""
    assert changed.origin is not None
    return isinstance(value, Lazy) and value.origin == ItemOrigin(changed.origin, index)


def write_list(r: Rebuilder, changed: ListValue) -> None:
    name = r.value(changed)
    if not changed.loaded:
        added = changed.added
    else:
        kept = len(changed.real)
        grown = len(changed.items) >= kept and all(same_as_before(v, changed, i) for i, v in enumerate(changed.items[:kept]))
        if not grown or changed.maxlen is not None:
            text = r.items(changed.items)
            if changed.cls is list:
                r.lines.append(f"{name}[:] = [{text}]")
            else:
                r.lines.append(f"{name}.clear()")
                r.lines.append(f"{name}.extend([{text}])")
            return
        added = changed.items[kept:]
    if len(added) == 1:
        r.lines.append(f"{name}.append({r.value(added[0])})")
    elif added:
        r.lines.append(f"{name}.extend([{r.items(added)}])")


def write_set(ev: Any, r: Rebuilder, changed: SetValue) -> None:
    """Remove and add what differs, one by one: members that stay keep their places, on which the order of iteration depends."""
    from .containers import key_of

    name = r.value(changed)
    before = {key_of(ev, Const(member)): member for member in changed.real}
    for key, member in before.items():
        if key not in changed.items:
            r.lines.append(f"{name}.discard({r.value(Const(member))})")
    for key, value in changed.items.items():
        if key not in before:
            r.lines.append(f"{name}.add({r.value(value)})")


def write_dict(r: Rebuilder, changed: DictValue) -> None:
    name = r.value(changed)
    for key in changed.deleted.values():
        r.lines.append(f"{name}.pop({r.value(key)}, None)")
    for inner in changed.changed:
        entry = changed.entries[inner]
        r.lines.append(f"{name}[{r.value(entry.key)}] = {r.value(entry.value)}")


def delete(obj: Any, name: str) -> None:
    """`del obj.name`, which the script may also have set just before."""
    with contextlib.suppress(AttributeError):
        object.__delattr__(obj, name)


def write_object(r: Rebuilder, changed: ObjectValue) -> None:
    name = r.value(changed)
    for attribute in changed.deleted:
        r.lines.append(f"{r.pin(delete, 'delete')}({name}, {attribute!r})")
    set_attributes(r, changed, name, {n: changed.attributes[n] for n in changed.changed})
