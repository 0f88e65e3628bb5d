"""Which sizes and numbers become symbolic: dynamic=None/True/False, marks, and what was seen to change.

The history belongs to the code object, not to an artifact: `History` remembers, per source expression, the sizes and
numbers met at each compile. A dimension (or a number) that differs from what was remembered is dynamic from then on; a
source whose rank changed has every dimension dynamic. Rules after TorchDynamo's automatic dynamic shapes
(docs/dynamic.md; behaviour measured in tests/conformance).
"""

from __future__ import annotations

from typing import Any

from ..guards.origin import CellOrigin, GlobalOrigin, Origin
from ..tensor.tensor import Tensor


class Varies:
    """Marks a remembered size or number that took more than one value."""

    def __repr__(self) -> str:
        return "varies"


VARIES = Varies()


class History:
    """What one code object was compiled for: source text -> tuple of sizes (VARIES where they changed), or VARIES as a
    whole when the rank changed; and source text -> number or VARIES."""

    def __init__(self) -> None:
        self.sizes: dict[str, Any] = {}
        self.numbers: dict[str, Any] = {}

    def meet_sizes(self, source: str, sizes: tuple, marked: frozenset = frozenset()) -> tuple[Any, list[str]]:
        """Remember `sizes` for `source`. Returns what is now known, and sentences about what has just become dynamic.
        Dimensions that carry a mark count as varying from then on."""
        sizes = tuple(VARIES if dim in marked else n for dim, n in enumerate(sizes))
        before = self.sizes.get(source)
        if before is None:
            self.sizes[source] = sizes
            return sizes, []
        if before is VARIES:
            return VARIES, []
        if len(before) != len(sizes):
            self.sizes[source] = VARIES
            return VARIES, [f"every dimension of {source} is dynamic from now on: its rank was {len(before)}, "
                            f"then {len(sizes)}"]
        merged, news = [], []
        for dim, (old, new) in enumerate(zip(before, sizes)):
            if old is VARIES or old == new:
                merged.append(old)
            else:
                merged.append(VARIES)
            if new is not VARIES and merged[-1] is VARIES and old is not VARIES:
                news.append(f"{source}.shape[{dim}] is dynamic from now on: it was {old}, then {new}")
        self.sizes[source] = tuple(merged)
        return self.sizes[source], news

    def meet_number(self, source: str, value: Any) -> tuple[bool, list[str]]:
        """Remember a Python number. Returns whether it varies, and a sentence if that is new."""
        if source not in self.numbers:
            self.numbers[source] = value
            return False, []
        before = self.numbers[source]
        if before is VARIES:
            return True, []
        if type(before) is type(value) and (before == value or (before != before and value != value)):
            return False, []
        self.numbers[source] = VARIES
        return True, [f"{source} is dynamic from now on: it was {before!r}, then {value!r}"]


class Policy:
    """The answers the evaluator asks for while it captures one artifact.

    dynamic: None (static until seen to change), True (symbolic from the first compile), False (always static).
    """

    def __init__(self, dynamic: bool | None, history: History, automatic: bool = True) -> None:
        self.dynamic = dynamic
        self.history = history
        self.automatic = automatic and dynamic is not False
        self.decisions: list[str] = []
        self._met: dict[str, Any] = {}

    @property
    def duck(self) -> bool:
        """dynamic=True gives equal sizes one symbol; automatic dynamic gives each its own."""
        return self.dynamic is True

    def _known(self, origin: Origin, tensor: Tensor) -> Any:
        source = origin.text
        if source not in self._met:
            self._met[source], news = self.history.meet_sizes(
                source, tuple(tensor._meta.shape), tensor._meta.marks.dynamic | tensor._meta.marks.maybe)
            if self.automatic:
                self.decisions += news
        return self._met[source]

    def size_is_dynamic(self, origin: Origin, dim: int, size: int, tensor: Tensor) -> bool:
        """Whether dimension `dim` of the tensor at `origin` gets a symbol. Sizes 0 and 1 never do."""
        known = self._known(origin, tensor)
        marks = tensor._meta.marks
        if size in (0, 1) or dim in marks.static:
            return False
        if dim in marks.dynamic or dim in marks.maybe:
            return True
        if self.dynamic is True:
            return True
        if not self.automatic:
            return False
        return known is VARIES or known[dim] is VARIES

    def int_is_dynamic(self, origin: Origin, value: int) -> bool:
        """Ints become symbolic as locals, cells, container elements and plain objects' fields, never below a global."""
        if isinstance(origin.root, GlobalOrigin):
            return False
        return self._number(origin, value)

    def float_is_dynamic(self, origin: Origin, value: float) -> bool:
        """Floats become symbolic wherever they are read, also as globals and module attributes; NaN and infinities do not."""
        if value != value or value in (float("inf"), float("-inf")):
            return False
        return self._number(origin, value, first=False)

    def _number(self, origin: Origin, value: Any, first: bool = True) -> bool:
        source = origin.text if not isinstance(origin, CellOrigin) else f"closure {origin.name}"
        if source not in self._met:
            self._met[source], news = self.history.meet_number(source, value)
            if self.automatic:
                self.decisions += news
        if self.dynamic is True and first:
            return True
        return self.automatic and bool(self._met[source])
