"""torch.save and torch.load: PyTorch's zip format, without ever running what a file names (see saving/)."""

from __future__ import annotations

import io
import os
from collections.abc import Callable
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ..errors import NotYetSupported
from ..tensor.devices import device as Device
from ..tensor.tensor import Tensor
from .naming import module_getattr, present
from .saving import zip_format

ZIP, OLD = b"PK\x03\x04", (b"\x80\x02\x8a\nl\xfc\x9cF", b"\x80")


def save(obj: Any, f: Any, pickle_module: Any = None, pickle_protocol: int = 2,
         _use_new_zipfile_serialization: bool = True, _disable_byteorder_record: bool = False) -> None:
    """Save tensors and plain containers of them into a path or a file open for writing.

    NotYetSupported, with the class's name, for any other object (a whole nn.Module: save its state_dict).
    """
    if not _use_new_zipfile_serialization:
        raise NotYetSupported("torch.save in the format of before PyTorch 1.6 does not exist in Guardscope: leave "
                              "_use_new_zipfile_serialization out.")
    if isinstance(f, str | os.PathLike):
        made = io.BytesIO()
        zip_format.write(obj, made, Path(f).stem or "archive")     # complete before the file is touched
        with open(f, "wb") as file:
            file.write(made.getbuffer())
    elif hasattr(f, "write"):
        made = io.BytesIO()
        zip_format.write(obj, made, "archive")
        f.write(made.getvalue())
    else:
        raise AttributeError(f"expected 'f' to be string, path, or a file-like object with a 'write' attribute, not "
                             f"{type(f).__name__}")


def load(f: Any, map_location: Any = None, pickle_module: Any = None, *, weights_only: bool | None = None,
         mmap: bool | None = None, **pickle_load_args: Any) -> Any:
    """What torch.save kept, from a path or a file open for reading; tensors that shared memory share it again.

    Only tensors, numbers, texts and plain containers are read, whatever `weights_only` is: anything else raises
    pickle.UnpicklingError with its name. RuntimeError for a damaged file or another format.
    """
    if isinstance(f, str | os.PathLike):
        with open(f, "rb") as file:
            return _load(file, os.fspath(f), map_location)
    if not hasattr(f, "read"):
        raise AttributeError(f"'{type(f).__name__}' object has no attribute 'read': torch.load takes a path or an open file")
    if not hasattr(f, "seek") or not f.seekable():
        f = io.BytesIO(f.read())
    return _load(f, getattr(f, "name", "the file"), map_location)


def _load(file: Any, shown: str, map_location: Any) -> Any:
    start = file.tell()
    head = file.read(10)
    file.seek(start)
    if start:
        file = io.BytesIO(file.read())
    if not head.startswith(ZIP):
        raise RuntimeError(_other_format(head, shown))
    result = zip_format.read(file, shown, _placing(map_location))
    target = _target(map_location)
    return result if target is None else moved(result, target)


def _other_format(head: bytes, shown: str) -> str:
    if not head:
        return f"{shown} is empty: a checkpoint of torch.save was expected"
    if head.startswith(OLD):
        return f"{shown} is in PyTorch's format of before 1.6 (or a plain pickle), which is not read here: load it in " \
               "PyTorch and save it again"
    if head.startswith(b"\x93NUMPY"):
        return f"{shown} is a NumPy file: read it with numpy.load"
    return f"{shown} is no checkpoint of torch.save: it begins with {head[:4]!r}, not with a zip archive"


def _placing(map_location: Any) -> Callable[[str], None]:
    """Refuse storages of a device that is not there, unless they are mapped elsewhere."""
    def place(location: str) -> None:
        if map_location is None and not location.startswith(("cpu", "meta")):
            from .cuda import is_available

            if not is_available():
                raise RuntimeError("Attempting to deserialize object on a CUDA device but torch.cuda.is_available() is False. "
                                   "If you are running on a CPU-only machine, please use torch.load with "
                                   "map_location=torch.device('cpu') to map your storages to the CPU.")
    return place


def _target(map_location: Any) -> Any:
    """The device that everything goes to; None for the CPU, where it is."""
    if isinstance(map_location, str | Device):
        wanted = Device(map_location)
        return None if wanted.type == "cpu" else wanted
    return None


def moved(value: Any, target: Any) -> Any:
    """The structure with every tensor on `target`."""
    if isinstance(value, Tensor):
        return value.to(target)
    if isinstance(value, dict):
        for key in value:
            value[key] = moved(value[key], target)
        return value
    if isinstance(value, list):
        return [moved(v, target) for v in value]
    return tuple(moved(v, target) for v in value) if type(value) is tuple else value


def add_safe_globals(safe_globals: Any) -> None:
    """Raises NotYetSupported: files may only hold tensors and plain containers here."""
    raise NotYetSupported("torch.serialization.add_safe_globals does not exist in Guardscope: files may only hold tensors, "
                          "numbers, texts and plain containers; save a state_dict.")


def clear_safe_globals() -> None:
    """Nothing to clear."""


def get_safe_globals() -> list[Any]:
    return []


@contextmanager
def safe_globals(safe_globals: Any) -> Any:
    """As add_safe_globals."""
    add_safe_globals(safe_globals)
    yield


def get_default_load_endianness() -> None:
    return None


__all__ = ["add_safe_globals", "clear_safe_globals", "get_safe_globals", "load", "safe_globals", "save"]
present(globals())
__getattr__ = module_getattr(globals())
