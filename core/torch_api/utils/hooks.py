"""torch.utils.hooks.RemovableHandle: what registering a hook returns."""

from __future__ import annotations

from itertools import count
from typing import Any

from ..naming import present

_ids = count()


class RemovableHandle:
    """`handle.remove()` takes the hook away again; also a context manager that does so at its end."""

    def __init__(self, hooks: dict, *also: dict) -> None:
        self.id = next(_ids)
        self.hooks = hooks
        self.also = also

    def remove(self) -> None:
        for held in (self.hooks, *self.also):
            if self.id in held:
                del held[self.id]

    def __enter__(self) -> RemovableHandle:
        return self

    def __exit__(self, *exc: Any) -> None:
        self.remove()


present(globals())
