"""The safetensors format: eight bytes of length, a JSON header, and the bytes of all tensors.

The header maps names to dtype, shape and the span of bytes; the spans follow each other without gaps
(https://github.com/huggingface/safetensors). Everything is checked before memory is taken.
"""

from __future__ import annotations

import json
import struct
from typing import Any

import numpy as np

from ...errors import NotYetSupported
from ...tensor import dtypes as dt
from ...tensor.tensor import Tensor, wrap

LIMIT = 100_000_000
DTYPES: dict[str, Any] = {"F64": dt.float64, "F32": dt.float32, "F16": dt.float16, "I64": dt.int64, "I32": dt.int32,
                          "I16": dt.int16, "I8": dt.int8, "U8": dt.uint8, "BOOL": dt.bool_, "C64": dt.complex64,
                          **({"BF16": dt.bfloat16} if dt.bfloat16 is not None else {})}
NAMES = {d: name for name, d in DTYPES.items()}
ELSEWHERE = ("F8_E4M3", "F8_E5M2", "F8_E8M0", "U16", "U32", "U64", "F4", "F6_E2M3", "F6_E3M2", "BF16")


class SafetensorError(Exception):
    """A safetensors file that breaks the format's rules."""


def read_header(data: Any, shown: str) -> tuple[dict[str, tuple[Any, tuple[int, ...], int, int]], dict[str, str], int]:
    """(name -> (dtype, shape, begin, end), metadata, where the bytes begin). SafetensorError for what is wrong."""
    if len(data) < 8:
        raise SafetensorError(f"Error while deserializing header: {shown} has {len(data)} bytes and no header")
    (length,) = struct.unpack("<Q", bytes(data[:8]))
    if length > LIMIT:
        raise SafetensorError(f"Error while deserializing header: the header of {shown} claims {length} bytes, which is too "
                              "large")
    if 8 + length > len(data):
        raise SafetensorError(f"Error while deserializing header: the header of {shown} claims {length} bytes, and the file "
                              "ends "
                              f"after {len(data) - 8}")
    try:
        header = json.loads(bytes(data[8:8 + length]).decode("utf-8"))
    except (ValueError, RecursionError) as problem:
        raise SafetensorError(f"Error while deserializing header: the header of {shown} is no JSON ({problem})") from None
    if not isinstance(header, dict):
        raise SafetensorError(f"Error while deserializing header: the header of {shown} is no JSON object")
    metadata = header.pop("__metadata__", {})
    if not isinstance(metadata, dict) or not all(isinstance(v, str) for v in metadata.values()):
        raise SafetensorError(f"the metadata of {shown} must map texts to texts")
    tensors = {name: _entry(name, value, shown) for name, value in header.items()}
    at = 0
    for name, (_, _, begin, end) in sorted(tensors.items(), key=lambda item: item[1][2:]):
        if begin != at:
            raise SafetensorError(f"the tensor {name!r} of {shown} begins at byte {begin}, and the one before it ends at {at}")
        at = end
    if at != len(data) - 8 - length:
        raise SafetensorError(f"the tensors of {shown} need {at} bytes, and {len(data) - 8 - length} are there")
    return tensors, metadata, 8 + length


def _entry(name: str, value: Any, shown: str) -> tuple[Any, tuple[int, ...], int, int]:
    try:
        kind, shape, (begin, end) = value["dtype"], tuple(value["shape"]), value["data_offsets"]
    except (TypeError, KeyError, ValueError):
        raise SafetensorError(f"the tensor {name!r} of {shown} needs dtype, shape and data_offsets, not {value!r}") from None
    if not all(type(n) is int and n >= 0 for n in (*shape, begin, end)):
        raise SafetensorError(f"the tensor {name!r} of {shown} has shape {shape} and offsets {begin}, {end}: whole numbers "
                              "from 0 "
                              "were expected")
    if kind not in DTYPES:
        if kind in ELSEWHERE:
            raise NotYetSupported(f"the tensor {name!r} of {shown} has dtype {kind}, which does not exist in Guardscope yet.")
        raise SafetensorError(f"the tensor {name!r} of {shown} has the unknown dtype {kind!r}")
    count = 1
    for n in shape:
        count *= n
    if count * DTYPES[kind].itemsize != end - begin:
        raise SafetensorError(f"the tensor {name!r} of {shown} has shape {shape} and dtype {kind}, which need "
                              f"{count * DTYPES[kind].itemsize} bytes, not {end - begin}")
    return DTYPES[kind], shape, begin, end


def tensor_from(data: Any, start: int, entry: tuple[Any, tuple[int, ...], int, int]) -> Tensor:
    """A tensor with memory of its own."""
    dtype, shape, begin, end = entry
    flat = np.frombuffer(bytearray(data[start + begin:start + end]), np.dtype(dtype.numpy))
    return wrap(flat.reshape(shape))


def to_bytes(tensors: dict[str, Tensor], metadata: dict[str, str] | None = None) -> bytes:
    """The file's bytes. ValueError for a tensor that is not contiguous, RuntimeError where two share memory."""
    if not isinstance(tensors, dict):
        raise ValueError(f"Expected a dict of [str, torch.Tensor] but received {type(tensors)}")
    for name, t in tensors.items():
        if not isinstance(t, Tensor):
            raise ValueError(f"Key `{name}` is invalid, expected torch.Tensor but received {type(t)}")
        if t.dtype not in NAMES:
            raise NotYetSupported(f"the tensor {name!r} has dtype {t.dtype}, which safetensors files of Guardscope do not "
                                  "hold yet.")
    check_apart(tensors)
    arrays = {}
    for name, t in tensors.items():
        if not t.is_contiguous():
            raise ValueError(f"You are trying to save a non contiguous tensor: `{name}` which is not allowed. It either "
                             "means you "
                             "are trying to save tensors which are reference of each other in which case it's recommended to "
                             "save only the full tensors, and reslice at load time, or simply call `.contiguous()` on your "
                             "tensor to pack it before saving.")
        arrays[name] = t.detach().cpu()._array
    order = sorted(arrays, key=lambda n: (-tensors[n].dtype.itemsize, n))
    header: dict[str, Any] = {} if metadata is None else {"__metadata__": dict(metadata)}
    at = 0
    for name in order:
        nbytes = arrays[name].nbytes
        header[name] = {"dtype": NAMES[tensors[name].dtype], "shape": list(tensors[name].shape),
                        "data_offsets": [at, at + nbytes]}
        at += nbytes
    text = json.dumps(header, separators=(",", ":"), ensure_ascii=False).encode("utf-8")
    text += b" " * (-len(text) % 8)
    return b"".join([struct.pack("<Q", len(text)), text, *(arrays[n].tobytes() for n in order)])


def check_apart(tensors: dict[str, Tensor]) -> None:
    """RuntimeError where tensors share memory: a file could not say so."""
    spans: list[tuple[int, int, str]] = []
    for name, t in tensors.items():
        array = t._array
        if array is not None and array.size:
            low, high = np.lib.array_utils.byte_bounds(array)
            spans.append((low, high, name))
    spans.sort()
    for (_, end, a), (begin, _, b) in zip(spans, spans[1:]):
        if begin < end:
            raise RuntimeError("Some tensors share memory, this will lead to duplicate memory on disk and potential "
                               "differences "
                               f"when loading them again: {[{a, b}]}. A potential way to correctly save your model is to use "
                               "`save_model`.")
