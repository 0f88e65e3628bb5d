"""Interned tensor metadata: everything about a tensor but its elements, one object per distinct combination.

A guard on a tensor is therefore one identity test (`x._meta is M`), about 5 ns against 50 for comparing fields, and
a metadata object is a dictionary key that hashes by identity. Whatever changes a tensor's metadata in place
(`requires_grad_`, `mark_dynamic`, `resize_`, `.data =`) must assign a new `_meta`.
"""

from __future__ import annotations

from typing import Any

from .devices import device as Device
from .dtypes import dtype as DType


class Size(tuple):
    """torch.Size: a tuple of sizes with `numel()`. During capture its items may be symbolic ints."""

    __slots__ = ()
    __module__ = "torch"

    def numel(self) -> Any:
        total: Any = 1
        for n in self:
            total = total * n
        return total

    def __repr__(self) -> str:
        return f"torch.Size([{', '.join(map(str, self))}])"

    __str__ = __repr__

    def __getitem__(self, item: Any) -> Any:
        got = tuple.__getitem__(self, item)
        return Size(got) if isinstance(item, slice) else got

    def __add__(self, other: Any) -> Size:
        return Size(tuple.__add__(self, other)) if isinstance(other, tuple) else NotImplemented

    def __radd__(self, other: Any) -> Size:
        return Size(tuple.__add__(other, self)) if isinstance(other, tuple) else NotImplemented

    def __mul__(self, times: Any) -> Size:
        return Size(tuple.__mul__(self, times))

    __rmul__ = __mul__

    def __reduce__(self) -> Any:
        return (Size, (tuple(self),))


class Marks:
    """What torch._dynamo.mark_dynamic and its kin attached to a tensor: sets of dimensions, and of (dimension, smallest,
    largest size or None) what mark_dynamic(min=, max=) said. Value object; hashable."""

    __slots__ = ("dynamic", "maybe", "static", "unbacked", "ranges")
    KINDS = ("dynamic", "maybe", "static", "unbacked")

    def __init__(self, dynamic: frozenset = frozenset(), maybe: frozenset = frozenset(), static: frozenset = frozenset(),
                 unbacked: frozenset = frozenset(), ranges: frozenset = frozenset()) -> None:
        self.dynamic, self.maybe, self.static, self.unbacked, self.ranges = dynamic, maybe, static, unbacked, ranges

    def _key(self) -> tuple:
        return (self.dynamic, self.maybe, self.static, self.unbacked, self.ranges)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Marks) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def __bool__(self) -> bool:
        return any(self._key())


NO_MARKS = Marks()


def contiguous_strides(shape: Any) -> tuple:
    """Row-major strides in elements, as PyTorch counts them: a size of 0 counts as 1. Sizes may be symbolic."""
    strides = []
    step: Any = 1
    for n in reversed(shape):
        strides.append(step)
        step = step * counted(n)
    return tuple(reversed(strides))


def counted(n: Any) -> Any:
    """A size as it enters strides: 0 counts as 1. A symbolic one that may be 0 becomes max(n, 1)."""
    if isinstance(n, int):
        return n or 1
    from ..symbolic.symint import sym_max

    return sym_max(n, 1)


class TensorMeta:
    """dtype, device, shape, strides (elements), requires_grad, Python class and marks of a real tensor.

    Get one with `TensorMeta.of(...)`; two calls with equal arguments give the same object.
    """

    __slots__ = ("cls", "dtype", "device", "shape", "strides", "requires_grad", "marks", "ndim", "numel", "__weakref__")
    _all: dict[tuple, TensorMeta] = {}

    cls: type
    dtype: DType
    device: Device
    shape: Size
    strides: tuple[int, ...]
    requires_grad: bool
    marks: Marks
    ndim: int
    numel: int

    @classmethod
    def of(cls, tensor_class: type, dtype: DType, device: Device, shape: tuple, strides: tuple,
           requires_grad: bool = False, marks: Marks = NO_MARKS) -> TensorMeta:
        key = (tensor_class, dtype, device, shape, strides, requires_grad, marks)
        found = cls._all.get(key)
        if found is None:
            found = object.__new__(cls)
            found.cls, found.dtype, found.device = tensor_class, dtype, device
            found.shape, found.strides = Size(shape), tuple(strides)
            found.requires_grad, found.marks = requires_grad, marks
            found.ndim, found.numel = len(shape), Size(shape).numel()
            found = cls._all.setdefault(key, found)         # another thread may have made it in the meantime
        return found

    def replace(self, **changes: Any) -> TensorMeta:
        """The metadata that differs from this one in the named fields."""
        fields: dict[str, Any] = {
            "tensor_class": self.cls, "dtype": self.dtype, "device": self.device, "shape": tuple(self.shape),
            "strides": self.strides, "requires_grad": self.requires_grad, "marks": self.marks}
        fields.update(changes)
        return TensorMeta.of(**fields)

    @property
    def is_contiguous(self) -> bool:
        """Row-major in memory, ignoring strides of dimensions of size 1 (PyTorch's is_contiguous)."""
        if self.numel == 0:
            return True
        step = 1
        for n, s in zip(reversed(self.shape), reversed(self.strides)):
            if n != 1:
                if s != step:
                    return False
                step *= n
        return True

    def __repr__(self) -> str:
        return f"{self.dtype.name}{list(self.shape)}@{self.device}" + (" grad" if self.requires_grad else "")


class Spec:
    """What a shape rule returns and what a tensor under capture has instead of TensorMeta: same field names, but sizes
    and strides may be symbolic ints, and it is not interned. `strides=None` means contiguous. For the result of a view
    operator `offset` is where it begins, in elements from the beginning of argument 0."""

    __slots__ = ("cls", "dtype", "device", "shape", "strides", "requires_grad", "marks", "offset")

    def __init__(self, dtype: DType, shape: Any, strides: Any = None, device: Device | None = None,
                 requires_grad: bool = False, cls: type | None = None, offset: Any = 0) -> None:
        from .devices import CPU
        self.offset = offset
        self.dtype = dtype
        self.shape = Size(shape)
        self.strides = contiguous_strides(self.shape) if strides is None else tuple(strides)
        self.device = device or CPU
        self.requires_grad = requires_grad
        self.cls = cls
        self.marks = NO_MARKS

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def numel(self) -> Any:
        return self.shape.numel()

    def __repr__(self) -> str:
        return f"{self.dtype.name}[{', '.join(map(str, self.shape))}]"
