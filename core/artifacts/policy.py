"""Which sizes, strides and numbers become symbolic: dynamic=None/True/False, marks, and what was seen to change.

The history belongs to the code object, not to an artifact: `History` remembers, per source expression, what was met at
each compile. A dimension, stride or number that differs from what was remembered is dynamic from then on; a source whose
rank changed has every dimension dynamic, and one that was a tensor before is a dynamic number at once. Rules after
TorchDynamo's automatic dynamic shapes (docs/dynamic.md; behaviour measured in tests/conformance).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..guards.origin import AttrOrigin, CellOrigin, FunctionOrigin, GlobalOrigin, Origin
from ..tensor.tensor import Tensor
from .config import CONFIG


class Mark:
    """A remembered size, stride or number that is no single value."""

    def __init__(self, word: str) -> None:
        self.word = word

    def __repr__(self) -> str:
        return self.word


VARIES = Mark("varies")          # took more than one value
UNSEEN = Mark("unseen")          # nothing met yet


@dataclass(frozen=True, slots=True)
class Follows:
    """A stride that is the stride of dimension `dim` times its size."""

    dim: int

    def __str__(self) -> str:
        return f"followed from dimension {self.dim}"


@dataclass(slots=True)
class Entry:
    """What one source was met as. number: a Python number. sizes, strides: tuples with VARIES where they changed, a stride
    may be a Follows. Each of the three may be VARIES or UNSEEN as a whole."""

    number: Any = UNSEEN
    sizes: Any = UNSEEN
    strides: Any = UNSEEN


def merged(old: Any, new: Any) -> Any:
    """What is known after `new` was met too."""
    if old is UNSEEN or new is UNSEEN:
        return new if old is UNSEEN else old
    if isinstance(old, tuple) and isinstance(new, tuple) and len(old) == len(new):
        return tuple(map(merged, old, new))
    return old if old is new or old == new else VARIES


def stride_pattern(sizes: tuple, strides: tuple) -> tuple:
    """The strides, with Follows for those that a smaller stride times its size explains."""
    found: list[Any] = [None] * len(strides)
    explained: dict[int, Follows] = {}
    for stride, back in sorted((n, -i) for i, n in enumerate(strides)):
        found[-back] = explained.get(stride, stride)
        explained.setdefault(stride * sizes[-back], Follows(-back))
    return tuple(found)


class History:
    """What one code object was compiled for: source text -> Entry."""

    def __init__(self) -> None:
        self.entries: dict[str, Entry] = {}

    def meet_tensor(self, source: str, sizes: tuple, strides: tuple,
                    marked: frozenset = frozenset()) -> tuple[Entry, list[str]]:
        """Remember a tensor for `source`. Returns what is now known, and sentences about what has just become dynamic.
        Dimensions that carry a mark count as varying from then on."""
        entry = self.entries.setdefault(source, Entry())
        seen = tuple(VARIES if dim in marked else n for dim, n in enumerate(sizes))
        before = Entry(entry.number, entry.sizes, entry.strides)
        entry.number = merged(entry.number, VARIES)
        entry.sizes = merged(entry.sizes, seen)
        entry.strides = merged(entry.strides, stride_pattern(sizes, strides))
        return entry, list(tensor_news(source, before, entry, sizes, strides))

    def meet_number(self, source: str, value: Any) -> tuple[Entry, list[str]]:
        """Remember a Python number. Returns what is now known, and a sentence if it has just become dynamic."""
        entry = self.entries.setdefault(source, Entry())
        before = "a tensor" if isinstance(entry.sizes, tuple) else entry.number
        entry.number = merged(entry.number, value)
        entry.sizes = entry.strides = VARIES
        if entry.number is not VARIES or before is VARIES:
            return entry, []
        return entry, [f"{source} is dynamic from now on: it was {before}, then {value!r}"]


def tensor_news(source: str, before: Entry, now: Entry, sizes: tuple, strides: tuple) -> Any:
    """Sentences about the dimensions and strides that have just become dynamic."""
    if before.sizes is UNSEEN or before.sizes is VARIES:
        return
    if now.sizes is VARIES:
        yield (f"every dimension of {source} is dynamic from now on: its rank was {len(before.sizes)}, then {len(sizes)}")
        return
    for dim, (old, new) in enumerate(zip(before.sizes, now.sizes)):
        if new is VARIES and old is not VARIES and old != sizes[dim]:
            yield f"{source}.shape[{dim}] is dynamic from now on: it was {old}, then {sizes[dim]}"
    if VARIES in now.sizes:
        return
    for dim, (old, new) in enumerate(zip(before.strides, now.strides)):
        if new is VARIES and old is not VARIES and strides[dim] > 1:
            before_this = old if isinstance(old, Follows) else f"was {old}"
            yield f"{source}.stride({dim}) is dynamic from now on: it {before_this}, then {strides[dim]}"


class Policy:
    """The answers the evaluator asks for while it captures one artifact.

    dynamic: None (static until seen to change), True (symbolic from the first compile), False (always static).
    """

    def __init__(self, dynamic: bool | None, history: History, automatic: bool = True) -> None:
        if dynamic is None and not CONFIG.assume_static_by_default:
            dynamic = True
        self.dynamic = dynamic
        self.history = history
        self.automatic = automatic and dynamic is not False
        self.decisions: list[str] = []
        self._met: dict[str, Entry] = {}

    @property
    def duck(self) -> bool:
        """dynamic=True gives equal sizes one symbol; automatic dynamic gives each its own."""
        return self.dynamic is True

    @property
    def items_vary(self) -> bool:
        """Whether the number that a loop hands out is symbolic at once, where every pass runs the same artifact."""
        return self.automatic and not CONFIG.specialize_int

    @property
    def module_ints(self) -> bool:
        """Whether int attributes of modules may become symbolic (torch._dynamo.config.allow_unspec_int_on_nn_module)."""
        return bool(CONFIG.allow_unspec_int_on_nn_module)

    def _known(self, origin: Origin, tensor: Tensor) -> Entry:
        source = source_text(origin)
        if source not in self._met:
            meta = tensor._meta
            entry, news = self.history.meet_tensor(source, tuple(meta.shape), tuple(meta.strides), meta.marks.dynamic)
            self._met[source] = entry
            if self.automatic and self.dynamic is not True:
                self.decisions += news
        return self._met[source]

    def size_is_dynamic(self, origin: Origin, dim: int, size: int, tensor: Tensor) -> bool:
        """Whether dimension `dim` of the tensor at `origin` gets a symbol. Sizes 0 and 1 do only where the dimension is
        marked as unbacked. A mark for dynamic goes before one for static, and that before everything else."""
        known = self._known(origin, tensor)
        marks = tensor._meta.marks
        if size == 0 or size == 1 and dim not in marks.unbacked:
            return False
        if dim in marks.dynamic or dim in marks.maybe or dim in marks.unbacked:
            return True
        if dim in marks.static:
            return False
        if self.dynamic is True:
            return True
        return self.automatic and (known.sizes is VARIES or known.sizes[dim] is VARIES)

    def stride_is_dynamic(self, origin: Origin, dim: int, stride: int, tensor: Tensor) -> bool:
        """Whether a stride gets a symbol of its own: one that changed while every size stayed the same."""
        known = self._known(origin, tensor)
        if not self.automatic or stride in (0, 1) or not isinstance(known.sizes, tuple) or VARIES in known.sizes:
            return False
        return dim not in tensor._meta.marks.static and (known.strides is VARIES or known.strides[dim] is VARIES)

    def int_is_dynamic(self, origin: Origin, value: int) -> bool:
        """Ints become symbolic as locals, cells, container elements and plain objects' fields, never below a global or as
        the default of a function that is called."""
        if CONFIG.specialize_int or isinstance(origin.root, GlobalOrigin) or is_default(origin):
            return False
        return self._number(origin, value)

    def float_is_dynamic(self, origin: Origin, value: float) -> bool:
        """Floats become symbolic wherever they are read, also as globals and module attributes; NaN and infinities do not."""
        dynamic = self._number(origin, value)
        return dynamic and not CONFIG.specialize_float and value == value and value not in (float("inf"), float("-inf"))

    def _number(self, origin: Origin, value: Any) -> bool:
        source = source_text(origin)
        if source not in self._met:
            self._met[source], news = self.history.meet_number(source, value)
            if self.automatic and self.dynamic is not True:
                self.decisions += news
        return self.dynamic is True or self.automatic and self._met[source].number is VARIES


def is_default(origin: Origin) -> bool:
    """Whether a value is the default of a parameter, read from the function."""
    here: Origin | None = origin
    while here is not None:
        if isinstance(here, AttrOrigin) and here.name in ("__defaults__", "__kwdefaults__"):
            return True
        here = here.base
    return False


def source_text(origin: Origin) -> str:
    """What the history knows a source by, as people read it."""
    if not isinstance(origin, CellOrigin):
        return origin.text
    inner = "" if isinstance(origin.of, FunctionOrigin) else f" of {origin.of.text}"
    return f"closure variable {origin.name}{inner}"
