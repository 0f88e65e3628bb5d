"""What `import safetensors` gives a script: reading safetensors files lazily, and the format's error."""

from __future__ import annotations

import mmap
import os
from typing import Any

from ...tensor.devices import device as Device
from ..saving.safetensors_format import NAMES, SafetensorError, read_header, tensor_from

__all__ = ["SafetensorError", "safe_open"]


class _Slice:
    """A tensor of a file that is only read where it is indexed."""

    def __init__(self, opened: safe_open, name: str) -> None:
        self.opened, self.name = opened, name

    def get_shape(self) -> list[int]:
        return list(self.opened.entries[self.name][1])

    def get_dtype(self) -> str:
        return NAMES[self.opened.entries[self.name][0]]

    def __getitem__(self, index: Any) -> Any:
        return self.opened.get_tensor(self.name)[index]


class safe_open:
    """`with safe_open(path, framework="pt", device="cpu") as f: f.keys(); f.get_tensor(name)`."""

    def __init__(self, filename: Any, framework: str = "pt", device: Any = "cpu") -> None:
        if framework not in ("pt", "torch", "pytorch", "np", "numpy"):
            raise SafetensorError(f"framework {framework!r} is invalid: pt and numpy are read here")
        self.framework, self.device = framework, Device(device)
        self.file = open(filename, "rb")  # noqa: SIM115  closed in __exit__
        shown = os.fspath(filename)
        try:
            length = os.fstat(self.file.fileno()).st_size
            self.data: Any = mmap.mmap(self.file.fileno(), 0, access=mmap.ACCESS_READ) if length else b""
            self.entries, self._metadata, self.start = read_header(self.data, shown)
        except BaseException:
            self.file.close()
            raise

    def __enter__(self) -> safe_open:
        return self

    def __exit__(self, *exc: Any) -> None:
        if not isinstance(self.data, bytes):
            self.data.close()
        self.file.close()

    def keys(self) -> list[str]:
        return sorted(self.entries)

    def offset_keys(self) -> list[str]:
        return sorted(self.entries, key=lambda n: self.entries[n][2])

    def metadata(self) -> dict[str, str] | None:
        return self._metadata or None

    def get_tensor(self, name: str) -> Any:
        if name not in self.entries:
            raise SafetensorError(f"File does not contain tensor {name}")
        made = tensor_from(self.data, self.start, self.entries[name])
        if self.framework in ("np", "numpy"):
            return made.numpy()
        return made if self.device.type == "cpu" else made.to(self.device)

    def get_slice(self, name: str) -> _Slice:
        if name not in self.entries:
            raise SafetensorError(f"File does not contain tensor {name}")
        return _Slice(self, name)


for _cls in (safe_open, _Slice, SafetensorError):
    _cls.__module__ = "safetensors"
