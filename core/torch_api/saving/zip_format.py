"""PyTorch's zip format: NAME/data.pkl, NAME/data/0, 1, ... with the bytes of storages, NAME/version, NAME/byteorder."""

from __future__ import annotations

import io
import pickle
import sys
import zipfile
from collections.abc import Callable
from typing import Any

from .numpy_parts import arrays_in_place
from .pickler import SafePickler
from .storages import Refused
from .unpickler import SafeUnpickler

ALIGNMENT = 64
NEWEST = 10


def write(obj: Any, file: Any, name: str) -> None:
    """Save `obj` into a file that is open for writing. `name` is the folder inside the archive."""
    data = io.BytesIO()
    pickler = SafePickler(data)
    pickler.dump(obj)
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        _add(archive, f"{name}/data.pkl", data.getvalue())
        _add(archive, f"{name}/.format_version", b"1")
        _add(archive, f"{name}/.storage_alignment", str(ALIGNMENT).encode())
        _add(archive, f"{name}/byteorder", sys.byteorder.encode())
        for key, array in pickler.storages.items():
            _add(archive, f"{name}/data/{key}", array.tobytes())
        _add(archive, f"{name}/version", b"3\n")


def _add(archive: zipfile.ZipFile, path: str, data: bytes) -> None:
    """Store one record, its data beginning at a multiple of ALIGNMENT, as PyTorch places it."""
    info = zipfile.ZipInfo(path)
    start = archive.fp.tell() + 30 + len(path.encode())  # type: ignore[union-attr]
    padding = -(start + 4) % ALIGNMENT
    info.extra = b"FB" + padding.to_bytes(2, "little") + b"Z" * padding
    archive.writestr(info, data)


class Archive:
    """A checkpoint that is open for reading. RuntimeError, in one sentence, for whatever is wrong with the file."""

    def __init__(self, file: Any, shown: str) -> None:
        self.shown = shown
        try:
            file.seek(0, io.SEEK_END)
            self.length = file.tell()
            file.seek(0)
            self.zip = zipfile.ZipFile(file)
            self.names = {i.filename: i for i in self.zip.infolist()}
        except Exception as problem:
            raise RuntimeError(f"{shown} is no complete zip archive ({problem}): it may have been cut off while "
                               "copying") from None
        for name in self.names:
            if name.startswith("/") or ".." in name.split("/") or "\\" in name:
                raise RuntimeError(f"{shown} holds a record named {name!r}: names inside a checkpoint are plain paths")
        found = [n for n in self.names if n.endswith("/data.pkl") and n.count("/") == 1]
        if len(found) != 1:
            what = "is a TorchScript archive" if any(n.endswith("/constants.pkl") for n in self.names) else "is no checkpoint"
            raise RuntimeError(f"{shown} {what}: one record NAME/data.pkl was expected, {len(found)} are there; save the "
                               "model's state_dict with torch.save")
        if any(n.endswith("/constants.pkl") for n in self.names):
            raise RuntimeError(f"{shown} is a TorchScript archive: save the model's state_dict with torch.save")
        self.folder = found[0].rpartition("/")[0]
        version = self.text("version", "3")
        if not version.isdigit() or int(version) > NEWEST:
            raise RuntimeError(f"{shown} has format version {version!r}: versions up to {NEWEST} are read")
        order = self.text("byteorder", "little")
        if order not in ("little", "big"):
            raise RuntimeError(f"{shown} says its byte order is {order!r}: little or big was expected")
        self.swap = order != sys.byteorder

    def text(self, name: str, default: str) -> str:
        if f"{self.folder}/{name}" not in self.names:
            return default
        return self.record(name, None).decode("ascii", "replace").strip()

    def record(self, name: str, nbytes: int | None) -> bytes:
        """The bytes of one record; `nbytes` is what it must hold."""
        info = self.names.get(f"{self.folder}/{name}")
        if info is None:
            raise RuntimeError(f"{self.shown} has no record {name}: the file is incomplete")
        if info.compress_type != zipfile.ZIP_STORED:
            raise RuntimeError(f"the record {name} of {self.shown} is compressed: PyTorch stores records as they are")
        if nbytes is not None and info.file_size != nbytes:
            raise RuntimeError(f"the record {name} of {self.shown} has {info.file_size} bytes, and its tensors need {nbytes}")
        if info.file_size > self.length:
            raise RuntimeError(f"the record {name} of {self.shown} claims {info.file_size} bytes in a file of {self.length}")
        try:
            data = self.zip.read(info)
        except Exception as problem:            # zipfile raises many kinds for what a damaged file says
            raise RuntimeError(f"the record {name} of {self.shown} cannot be read ({problem})") from None
        if len(data) != info.file_size:
            raise RuntimeError(f"the record {name} of {self.shown} ends after {len(data)} of {info.file_size} bytes")
        return data

    def storage(self, key: str, nbytes: int) -> bytearray:
        if not key.isalnum():
            raise Refused(f"a storage of {self.shown} is called {key!r}: a number was expected")
        return bytearray(self.record(f"data/{key}", nbytes))


def read(file: Any, shown: str, place: Callable[[str], None]) -> Any:
    """What was saved. `place(location)` is asked about the device that each storage was saved from.

    RuntimeError for a damaged file, pickle.UnpicklingError for one that holds more than tensors and plain data."""
    archive = Archive(file, shown)
    if archive.swap:
        raise RuntimeError(f"{shown} was saved on a machine of the other byte order: save it again on a little-endian machine")
    data = archive.record("data.pkl", None)
    try:
        loaded = SafeUnpickler(io.BytesIO(data), archive.storage, place).load()
        return arrays_in_place(loaded, {})
    except (Refused, RuntimeError):
        raise
    except Exception as problem:
        raise pickle.UnpicklingError(f"{shown} cannot be read: its data.pkl is damaged ({type(problem).__name__}: {problem})") \
            from None
