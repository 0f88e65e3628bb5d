"""TrackedDict: the dictionaries of a module (parameters, buffers, submodules, hooks), which report every change.

An artifact that bound a module's parameters checks all of them with one test, `STATE.epoch is E`; so whatever changes
which object a name stands for must set a new epoch, also a direct write such as `module._parameters["w"] = p`.
"""

from __future__ import annotations

from typing import Any

from ...tensor.state import STATE


class TrackedDict(dict):
    """A dict whose mutators call `STATE.bump_epoch()`. Storing the object that is already there is no change."""

    __slots__ = ()

    def __setitem__(self, key: Any, value: Any) -> None:
        if key in self and dict.__getitem__(self, key) is value:
            return
        dict.__setitem__(self, key, value)
        STATE.bump_epoch()

    def __delitem__(self, key: Any) -> None:
        dict.__delitem__(self, key)
        STATE.bump_epoch()

    def pop(self, *args: Any) -> Any:
        out = dict.pop(self, *args)
        STATE.bump_epoch()
        return out

    def popitem(self) -> tuple[Any, Any]:
        out = dict.popitem(self)
        STATE.bump_epoch()
        return out

    def clear(self) -> None:
        dict.clear(self)
        STATE.bump_epoch()

    def update(self, *args: Any, **kwargs: Any) -> None:
        dict.update(self, *args, **kwargs)
        STATE.bump_epoch()

    def setdefault(self, key: Any, default: Any = None) -> Any:
        if key not in self:
            self[key] = default
        return dict.__getitem__(self, key)

    def __ior__(self, other: Any) -> TrackedDict:  # type: ignore[misc]
        self.update(other)
        return self

    def copy(self) -> TrackedDict:
        return TrackedDict(self)

    def move_to_end(self, key: Any, last: bool = True) -> None:
        """As OrderedDict's: hooks that must run first are moved to the front."""
        value = dict.pop(self, key)
        if last:
            dict.__setitem__(self, key, value)
        else:
            rest = list(self.items())
            dict.clear(self)
            dict.__setitem__(self, key, value)
            dict.update(self, rest)
        STATE.bump_epoch()

    def __reduce__(self) -> Any:
        """Pickled and deep-copied as a plain dict, which Module.__setstate__ turns into a tracked one again."""
        return (dict, (dict(self),))
