"""torch.futures: results that are there at once, because one process runs everything in order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .naming import module_getattr, present


class Future:
    """A result that is or will be set; callbacks run when it is."""

    def __init__(self, *, devices: Any = None) -> None:
        self._set = False
        self._value: Any = None
        self._then: list[Callable[[Future], Any]] = []

    def done(self) -> bool:
        """Whether the result is there."""
        return self._set

    def set_result(self, result: Any) -> None:
        """Give the result. RuntimeError if there is one."""
        if self._set:
            raise RuntimeError("Future can only be marked as completed once")
        self._set, self._value = True, result
        for call in self._then:
            call(self)

    def set_exception(self, result: BaseException) -> None:
        """Give an exception that wait() raises."""
        self.set_result(result)

    def wait(self) -> Any:
        """The result. RuntimeError if nobody has set it: nobody else could."""
        if not self._set:
            raise RuntimeError("this Future has no result: in one process it must be set before wait()")
        if isinstance(self._value, BaseException):
            raise self._value
        return self._value

    value = wait

    def add_done_callback(self, callback: Callable[[Future], Any]) -> None:
        """Call `callback` with this future when the result is there."""
        if self._set:
            callback(self)
        else:
            self._then.append(callback)

    def then(self, callback: Callable[[Future], Any]) -> Future:
        """A future with what `callback` makes of this one."""
        out = Future()
        self.add_done_callback(lambda done: out.set_result(callback(done)))
        return out


def wait_all(futures: list[Future]) -> list[Any]:
    """The results of all."""
    return [f.wait() for f in futures]


def collect_all(futures: list[Future]) -> Future:
    """A future with the list of all."""
    out = Future()
    out.set_result(list(futures))
    return out


present(globals())
__getattr__ = module_getattr(globals())
