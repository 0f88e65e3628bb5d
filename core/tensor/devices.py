"""torch.device objects, interned so that a comparison is an identity test."""

from __future__ import annotations

KNOWN = ("cpu", "meta", "opencl", "cuda")


class device:
    """`torch.device("cpu")`, `torch.device("cuda", 0)`. Instances are interned: equal devices are the same object.

    Raises RuntimeError for a device type that does not exist, as PyTorch does.
    """

    __slots__ = ("type", "index")
    __module__ = "torch"
    _all: dict[tuple[str, int | None], device] = {}
    type: str
    index: int | None

    def __new__(cls, type: str | device | int = "cpu", index: int | None = None) -> device:
        if isinstance(type, device):
            return type
        if isinstance(type, int):
            index, type = type, "cuda"
        if ":" in type:
            type, _, tail = type.partition(":")
            if not tail.isdigit():
                raise RuntimeError(f"Invalid device string: '{type}:{tail}'")
            index = int(tail)
        if type not in KNOWN:
            raise RuntimeError(f"Expected one of {', '.join(KNOWN)} device type at start of device string: {type}")
        key = (type, index)
        found = cls._all.get(key)
        if found is None:
            found = object.__new__(cls)
            found.type, found.index = type, index
            found = cls._all.setdefault(key, found)
        return found

    def __repr__(self) -> str:
        return f"device(type='{self.type}')" if self.index is None else f"device(type='{self.type}', index={self.index})"

    def __str__(self) -> str:
        return self.type if self.index is None else f"{self.type}:{self.index}"

    def __reduce__(self):
        return (device, (self.type, self.index))


CPU = device("cpu")
META = device("meta")
