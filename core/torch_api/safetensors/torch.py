"""What `import safetensors.torch` gives a script: tensors to and from safetensors files."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from ..saving.safetensors_format import read_header, tensor_from, to_bytes

__all__ = ["load", "load_file", "load_model", "save", "save_file", "save_model"]


def save(tensors: dict[str, Any], metadata: dict[str, str] | None = None) -> bytes:
    """The bytes of a safetensors file."""
    return to_bytes(tensors, metadata)


def save_file(tensors: dict[str, Any], filename: Any, metadata: dict[str, str] | None = None) -> None:
    """Write a safetensors file. ValueError or RuntimeError for tensors that are not contiguous or share memory."""
    Path(filename).write_bytes(to_bytes(tensors, metadata))


def load(data: bytes) -> dict[str, Any]:
    """The tensors in the bytes of a safetensors file. SafetensorError for bytes that are none."""
    return _load(data, "the data", "cpu")


def load_file(filename: Any, device: Any = "cpu") -> dict[str, Any]:
    """The tensors of a safetensors file. SafetensorError for a damaged one."""
    return _load(Path(filename).read_bytes(), os.fspath(filename), device)


def _load(data: bytes, shown: str, device: Any) -> dict[str, Any]:
    entries, _, start = read_header(data, shown)
    found = {name: tensor_from(data, start, entry) for name, entry in sorted(entries.items())}
    return found if str(device) == "cpu" else {name: t.to(device) for name, t in found.items()}


def _groups(state: dict[str, Any]) -> dict[str, list[str]]:
    """First name -> other names of the same tensor."""
    first: dict[int, str] = {}
    out: dict[str, list[str]] = {}
    for name, t in state.items():
        known = first.setdefault(t.data_ptr() if t.numel() else id(t), name)
        out.setdefault(known, [])
        if known != name:
            out[known].append(name)
    return out


def save_model(model: Any, filename: Any, metadata: dict[str, str] | None = None, force_contiguous: bool = True) -> None:
    """A module's state dict; a tensor under several names is kept once, and the other names are noted."""
    state = model.state_dict()
    notes = dict(metadata or {})
    for kept, others in _groups(state).items():
        for other in others:
            notes.setdefault(other, kept)
            del state[other]
    if force_contiguous:
        state = {k: v.contiguous() for k, v in state.items()}
    save_file(state, filename, notes or None)


def load_model(model: Any, filename: Any, strict: bool = True, device: Any = "cpu") -> tuple[list[str], list[str]]:
    """Load a file of save_model into a module; returns (missing, unexpected). RuntimeError if strict and there are any."""
    state = load_file(filename, device)
    missing, unexpected = model.load_state_dict(state, strict=False)
    for kept, others in _groups(model.state_dict()).items():
        if kept not in missing or any(o not in missing for o in others):
            missing = [m for m in missing if m != kept and m not in others]
    if strict and (missing or unexpected):
        raise RuntimeError(f"Error(s) in loading state_dict for {type(model).__name__}:"
                           + (f"\n    Missing key(s) in state_dict: {', '.join(map(repr, sorted(missing)))}" if missing else "")
                           + (f"\n    Unexpected key(s) in state_dict: {', '.join(map(repr, sorted(unexpected)))}" if unexpected
                              else ""))
    return sorted(missing), sorted(unexpected)


for _function in (save, save_file, load, load_file, save_model, load_model):
    _function.__module__ = "safetensors.torch"
