"""state_dict and load_state_dict: a module's tensors by dotted name, out and in, with PyTorch's messages.

The functions take the module as first argument and become methods of Module (module.py). `_save_to_state_dict` and
`_load_from_state_dict` are separate methods because scripts override them.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from typing import Any, NamedTuple

from ....tensor.meta import Size
from ....tensor.state import STATE
from ....tensor.tensor import Tensor
from ...naming import present
from ..parameter import Parameter

EXTRA = "_extra_state"


class _Keys(NamedTuple):
    missing_keys: list[str]
    unexpected_keys: list[str]


class _IncompatibleKeys(_Keys):
    """What load_state_dict returns."""

    __slots__ = ()

    def __repr__(self) -> str:
        if not self.missing_keys and not self.unexpected_keys:
            return "<All keys matched successfully>"
        return f"_IncompatibleKeys(missing_keys={self.missing_keys!r}, unexpected_keys={self.unexpected_keys!r})"


def own_tensors(module: Any, persistent_only: bool) -> dict[str, Any]:
    """Parameters, then buffers, of this module alone (None entries left out)."""
    skipped = module._non_persistent_buffers_set if persistent_only else ()
    named = {**module._parameters, **{k: b for k, b in module._buffers.items() if k not in skipped}}
    return {k: t for k, t in named.items() if t is not None}


def overrides_extra_state(module: Any, method: str) -> bool:
    from .module import Module

    return getattr(type(module), method) is not getattr(Module, method)


def save_own(self: Any, destination: dict, prefix: str, keep_vars: bool) -> None:
    """Store this module's own tensors (not its children's) under `prefix`."""
    for name, tensor in own_tensors(self, True).items():
        destination[prefix + name] = tensor if keep_vars else tensor.detach()
    if overrides_extra_state(self, "get_extra_state"):
        destination[prefix + EXTRA] = self.get_extra_state()


def state_dict(self: Any, *args: Any, destination: Any = None, prefix: str = "", keep_vars: bool = False) -> Any:
    """All persistent tensors by dotted name, sharing memory with the module; detached unless `keep_vars`."""
    given = dict(zip(("destination", "prefix", "keep_vars"), args))
    destination = given.get("destination", destination)
    prefix = given.get("prefix", prefix)
    keep_vars = given.get("keep_vars", keep_vars)
    if destination is None:
        destination = OrderedDict()
        destination._metadata = OrderedDict()
    local = {"version": self._version}
    if hasattr(destination, "_metadata"):
        destination._metadata[prefix[:-1]] = local
    for hook in self._state_dict_pre_hooks.values():
        hook(self, prefix, keep_vars)
    self._save_to_state_dict(destination, prefix, keep_vars)
    for name, child in self._modules.items():
        if child is not None:
            child.state_dict(destination=destination, prefix=f"{prefix}{name}.", keep_vars=keep_vars)
    for hook in self._state_dict_hooks.values():
        changed = hook(self, destination, prefix, local)
        if changed is not None:
            destination = changed
    return destination


def load_own(self: Any, state_dict: dict, prefix: str, local_metadata: dict, strict: bool, missing_keys: list,
             unexpected_keys: list, error_msgs: list) -> None:
    """Copy this module's own tensors in; append what does not fit to the three lists."""
    for hook in self._load_state_dict_pre_hooks.values():
        hook(state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs)
    assign = local_metadata.get("assign_to_params_buffers", False)
    own = own_tensors(self, True)
    for name, current in own.items():
        key = prefix + name
        if key not in state_dict:
            if strict:
                missing_keys.append(key)
            continue
        problem = _load_one(self, name, key, current, state_dict[key], assign)
        if problem:
            error_msgs.append(problem)
    if overrides_extra_state(self, "set_extra_state"):
        if prefix + EXTRA in state_dict:
            self.set_extra_state(state_dict[prefix + EXTRA])
        elif strict:
            missing_keys.append(prefix + EXTRA)
    elif strict and prefix + EXTRA in state_dict:
        unexpected_keys.append(prefix + EXTRA)
    if strict:
        for key in state_dict:
            if key.startswith(prefix) and key != prefix + EXTRA:
                first = key[len(prefix):].split(".", 1)
                known = first[0] in self._modules if len(first) > 1 else first[0] in own
                if not known:
                    unexpected_keys.append(key)


def _load_one(module: Any, name: str, key: str, current: Any, value: Any, assign: bool) -> str | None:
    """Load one tensor; returns what is wrong, or None."""
    if not isinstance(value, Tensor):
        return (f'While copying the parameter named "{key}", expected torch.Tensor or Tensor-like object from '
                f"checkpoint but received {type(value)}")
    if current.ndim == 0 and value.ndim == 1 and value.shape[0] == 1:
        value = value.reshape(())  # tensors saved by very old versions had one dimension at least
    if tuple(value.shape) != tuple(current.shape):
        return (f"size mismatch for {key}: copying a param with shape {Size(value.shape)} from checkpoint, the shape "
                f"in current model is {Size(current.shape)}.")
    before = STATE.set(grad_enabled=False)
    try:
        if assign:
            if isinstance(current, Parameter) and not isinstance(value, Parameter):
                value = Parameter(value, requires_grad=current.requires_grad)
            setattr(module, name, value)
        else:
            current.copy_(value)
    except Exception as error:
        return (f'While copying the parameter named "{key}", whose dimensions in the model are {Size(current.shape)} '
                f"and whose dimensions in the checkpoint are {Size(value.shape)}, an exception occurred : "
                f"{error.args}.")
    finally:
        STATE.mode = before
    return None


def load_state_dict(self: Any, state_dict: Mapping[str, Any], strict: bool = True,
                    assign: bool = False) -> _IncompatibleKeys:
    """Copy tensors into the module's own, by name. With `strict` the names must be the same on both sides.

    Raises RuntimeError listing every missing and unexpected key and every size that differs; TypeError if
    `state_dict` is no mapping. `assign=True` puts the given tensors in place of the module's instead of copying.
    """
    if not isinstance(state_dict, Mapping):
        raise TypeError(f"Expected state_dict to be dict-like, got {type(state_dict)}.")
    missing: list[str] = []
    unexpected: list[str] = []
    errors: list[str] = []
    metadata = getattr(state_dict, "_metadata", None)
    given = OrderedDict(state_dict)
    if metadata is not None:
        given._metadata = metadata  # type: ignore[attr-defined]

    def load(module: Any, local_state: dict, prefix: str) -> None:
        local = {} if metadata is None else dict(metadata.get(prefix[:-1], {}))
        if assign:
            local["assign_to_params_buffers"] = True
        module._load_from_state_dict(local_state, prefix, local, True, missing, unexpected, errors)
        for name, child in module._modules.items():
            if child is not None:
                inner = f"{prefix}{name}."
                load(child, {k: v for k, v in local_state.items() if k.startswith(inner)}, inner)
        result = _IncompatibleKeys(missing, unexpected)
        for hook in module._load_state_dict_post_hooks.values():
            hook(module, result)

    load(self, given, "")
    if strict:
        if unexpected:
            listed = ", ".join(f'"{k}"' for k in unexpected)
            errors.insert(0, f"Unexpected key(s) in state_dict: {listed}. ")
        if missing:
            listed = ", ".join(f'"{k}"' for k in missing)
            errors.insert(0, f"Missing key(s) in state_dict: {listed}. ")
    if errors:
        raise RuntimeError(f"Error(s) in loading state_dict for {type(self).__name__}:\n\t" + "\n\t".join(errors))
    return _IncompatibleKeys(missing, unexpected)


present(globals())
