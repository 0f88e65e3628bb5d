"""torch.nn.Module: parameters, buffers and submodules by attribute, modes, conversion, hooks, printing.

Which names are registered, and where, follows PyTorch exactly, because scripts look into `_parameters`, `_buffers`
and `_modules`. Every change of those dictionaries sets a new `STATE.epoch` (tracked.py); a plain attribute does not.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ....errors import NotYetSupported
from ....tensor.devices import device as Device
from ....tensor.dtypes import bfloat16, float16, float32, float64
from ....tensor.dtypes import dtype as DType
from ....tensor.state import STATE
from ....tensor.tensor import Tensor
from ...naming import present
from ...utils.hooks import RemovableHandle
from ..parameter import Buffer, Parameter
from ..tracked import TrackedDict
from . import state
from .walk import Walk

_STORES = ("_parameters", "_buffers", "_modules")
_TRACKED = (*_STORES, "_forward_hooks", "_forward_pre_hooks")


def type_name(value: Any) -> str:
    """"torch.FloatTensor" for a tensor, "int" for 3: as PyTorch's messages name values."""
    if isinstance(value, Tensor):
        return value.type()
    cls = type(value)
    return cls.__name__ if cls.__module__ == "builtins" else f"{cls.__module__}.{cls.__name__}"


class Module(Walk):
    """Base of all layers and models. Subclasses call `super().__init__()` first and define `forward`."""

    training: bool
    _version: int = 1
    _compiled_call_impl: Callable[..., Any] | None = None
    dump_patches = False
    call_super_init = False

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        name = type(self).__name__
        if kwargs:
            raise TypeError(f"{name}.__init__() got an unexpected keyword argument '{next(iter(kwargs))}'")
        if args:
            raise TypeError(f"{name}.__init__() takes 1 positional argument but {len(args) + 1} were given")
        self.__dict__.update(
            training=True, _parameters=TrackedDict(), _buffers=TrackedDict(), _non_persistent_buffers_set=set(),
            _backward_pre_hooks={}, _backward_hooks={}, _is_full_backward_hook=None, _forward_hooks=TrackedDict(),
            _forward_hooks_with_kwargs={}, _forward_hooks_always_called={}, _forward_pre_hooks=TrackedDict(),
            _forward_pre_hooks_with_kwargs={}, _state_dict_hooks={}, _state_dict_pre_hooks={},
            _load_state_dict_pre_hooks={}, _load_state_dict_post_hooks={}, _modules=TrackedDict())

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError(f'Module [{type(self).__name__}] is missing the required "forward" function')

    # -- attributes -----------------------------------------------------------------------------------------------
    def __getattr__(self, name: str) -> Any:
        own = self.__dict__
        for store in _STORES:
            held = own.get(store)
            if held is not None and name in held:
                return held[name]
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def __setattr__(self, name: str, value: Any) -> None:
        own: dict[str, Any] = self.__dict__
        params: Any = own.get("_parameters")
        buffers: Any = own.get("_buffers")
        modules: Any = own.get("_modules")
        if modules is not None and not isinstance(value, (Module, Tensor)) and name not in params \
                and name not in buffers and name not in modules and name not in _TRACKED:
            object.__setattr__(self, name, value)  # the usual case: a plain attribute such as a counter
        elif isinstance(value, Parameter):
            if params is None:
                raise AttributeError("cannot assign parameters before Module.__init__() call")
            self._forget(name, keep="_parameters")
            self.register_parameter(name, value)
        elif params is not None and name in params:
            if value is not None:
                raise TypeError(f"cannot assign '{type_name(value)}' as parameter '{name}' "
                                "(torch.nn.Parameter or None expected)")
            self.register_parameter(name, None)
        elif isinstance(value, Module):
            if modules is None:
                raise AttributeError("cannot assign module before Module.__init__() call")
            self._forget(name, keep="_modules")
            modules[name] = value
        elif modules is not None and name in modules:
            if value is not None:
                raise TypeError(f"cannot assign '{type_name(value)}' as child module '{name}' "
                                "(torch.nn.Module or None expected)")
            modules[name] = None
        elif isinstance(value, Buffer):  # an ordinary tensor with a mark, not an instance for a type checker
            if buffers is None:
                raise AttributeError("cannot assign buffer before Module.__init__() call")
            if name not in buffers:
                self._forget(name, keep="_buffers")
            self._store_buffer(name, value, value.__dict__["persistent"])
        elif buffers is not None and name in buffers:
            if value is not None and not isinstance(value, Tensor):
                raise TypeError(f"cannot assign '{type_name(value)}' as buffer '{name}' "
                                "(torch.nn.Buffer, torch.Tensor or None expected)")
            buffers[name] = value
        else:
            if name in _TRACKED:
                value = value if type(value) is TrackedDict else TrackedDict(value)
                STATE.bump_epoch()
            object.__setattr__(self, name, value)

    def __delattr__(self, name: str) -> None:
        for store in _STORES:
            held = self.__dict__.get(store)
            if held is not None and name in held:
                del held[name]
                self._non_persistent_buffers_set.discard(name)
                return
        object.__delattr__(self, name)

    def _forget(self, name: str, keep: str) -> None:
        """Take `name` from wherever it is registered except `keep`, so that it means one thing only."""
        self.__dict__.pop(name, None)
        for store in _STORES:
            if store != keep and name in self.__dict__.get(store, ()):
                del self.__dict__[store][name]
        if keep != "_buffers" and "_non_persistent_buffers_set" in self.__dict__:
            self._non_persistent_buffers_set.discard(name)

    def __dir__(self) -> list[str]:
        named = [k for store in _STORES for k in self.__dict__.get(store, ())]
        return sorted({k for k in [*object.__dir__(self), *named] if k and not k[0].isdigit()})

    def __getstate__(self) -> dict:
        state = self.__dict__.copy()
        state.pop("_compiled_call_impl", None)                # belongs to this object, not to its copies
        return state

    def __setstate__(self, saved: dict) -> None:
        Module.__init__(self)
        self.__dict__.update(saved)
        for name in _TRACKED:
            if type(self.__dict__[name]) is not TrackedDict:
                self.__dict__[name] = TrackedDict(self.__dict__[name])
        STATE.bump_epoch()

    # -- registration ---------------------------------------------------------------------------------------------
    def _check_name(self, kind: str, name: Any, store: str) -> None:
        if store not in self.__dict__:
            raise AttributeError(f"cannot assign {kind} before Module.__init__() call")
        if not isinstance(name, str):
            raise TypeError(f"{kind} name should be a string. Got {type(name).__name__}")
        if "." in name:
            raise KeyError(f'{kind} name can\'t contain "."' + (f", got: {name}" if kind == "module" else ""))
        if name == "":
            raise KeyError(f'{kind} name can\'t be empty string ""')
        if hasattr(self, name) and name not in self.__dict__[store]:
            raise KeyError(f"attribute '{name}' already exists")

    def register_parameter(self, name: str, param: Any) -> None:
        """Register a Parameter (or None) under `name`."""
        self._check_name("parameter", name, "_parameters")
        if param is not None and not isinstance(param, Parameter):
            raise TypeError(f"cannot assign '{type_name(param)}' object to parameter '{name}' "
                            "(torch.nn.Parameter or None required)")
        self._parameters[name] = param

    def register_buffer(self, name: str, tensor: Any, persistent: bool = True) -> None:
        """Register a tensor that is state but no parameter. `persistent=False` keeps it out of state_dict."""
        self._check_name("buffer", name, "_buffers")
        if tensor is not None and not isinstance(tensor, Tensor):
            raise TypeError(f"cannot assign '{type_name(tensor)}' object to buffer '{name}' "
                            "(torch Tensor or None required)")
        self._store_buffer(name, tensor, persistent)

    def _store_buffer(self, name: str, tensor: Any, persistent: bool) -> None:
        self._buffers[name] = tensor
        if persistent:
            self._non_persistent_buffers_set.discard(name)
        else:
            self._non_persistent_buffers_set.add(name)

    def add_module(self, name: str, module: Any) -> None:
        """Register a submodule (or None) under `name`."""
        if module is not None and not isinstance(module, Module):
            raise TypeError(f"{type_name(module)} is not a Module subclass")
        self._check_name("module", name, "_modules")
        self._modules[name] = module

    register_module = add_module

    # -- running --------------------------------------------------------------------------------------------------
    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self._compiled_call_impl is not None:
            return self._compiled_call_impl(*args, **kwargs)
        if not self._forward_hooks and not self._forward_pre_hooks:
            return self.forward(*args, **kwargs)
        return self._call_with_hooks(args, kwargs)

    def _call_impl(self, *args: Any, **kwargs: Any) -> Any:
        if not self._forward_hooks and not self._forward_pre_hooks:
            return self.forward(*args, **kwargs)
        return self._call_with_hooks(args, kwargs)

    def _call_with_hooks(self, args: Any, kwargs: dict) -> Any:
        called: set[int] = set()
        result = None
        try:
            for key, pre in list(self._forward_pre_hooks.items()):
                if key in self._forward_pre_hooks_with_kwargs:
                    changed = pre(self, args, kwargs)
                    if changed is not None:
                        if not isinstance(changed, tuple) or len(changed) != 2:
                            raise RuntimeError("forward pre-hook must return None or a tuple of (new_args, "
                                               f"new_kwargs), but got {changed}.")
                        args, kwargs = changed
                else:
                    changed = pre(self, args)
                    if changed is not None:
                        args = changed if isinstance(changed, tuple) else (changed,)
            result = self.forward(*args, **kwargs)
            for key, hook in list(self._forward_hooks.items()):
                called.add(key)
                changed = self._run_hook(key, hook, args, kwargs, result)
                if changed is not None:
                    result = changed
            return result
        except Exception:
            for key, hook in list(self._forward_hooks.items()):
                if key in self._forward_hooks_always_called and key not in called:
                    self._run_hook(key, hook, args, kwargs, result)
            raise

    def _run_hook(self, key: int, hook: Callable[..., Any], args: Any, kwargs: dict, result: Any) -> Any:
        if key in self._forward_hooks_with_kwargs:
            return hook(self, args, kwargs, result)
        return hook(self, args, result)

    def register_forward_pre_hook(self, hook: Callable[..., Any], *, prepend: bool = False,
                                  with_kwargs: bool = False) -> RemovableHandle:
        """`hook(module, args)` runs before `forward` and may return other arguments."""
        handle = RemovableHandle(self._forward_pre_hooks, self._forward_pre_hooks_with_kwargs)
        if with_kwargs:
            self._forward_pre_hooks_with_kwargs[handle.id] = True
        self._forward_pre_hooks[handle.id] = hook
        if prepend:
            self._forward_pre_hooks.move_to_end(handle.id, last=False)
        return handle

    def register_forward_hook(self, hook: Callable[..., Any], *, prepend: bool = False, with_kwargs: bool = False,
                              always_call: bool = False) -> RemovableHandle:
        """`hook(module, args, output)` runs after `forward` and may return another output."""
        handle = RemovableHandle(self._forward_hooks, self._forward_hooks_with_kwargs,
                                 self._forward_hooks_always_called)
        if with_kwargs:
            self._forward_hooks_with_kwargs[handle.id] = True
        if always_call:
            self._forward_hooks_always_called[handle.id] = True
        self._forward_hooks[handle.id] = hook
        if prepend:
            self._forward_hooks.move_to_end(handle.id, last=False)
        return handle

    def register_full_backward_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        raise NotYetSupported("backward hooks do not exist in Guardscope yet, because backward() does not: use "
                              "register_forward_hook for what can be seen in the forward pass.")

    register_backward_hook = register_full_backward_hook
    register_full_backward_pre_hook = register_full_backward_hook

    def compile(self, *args: Any, **kwargs: Any) -> None:
        """Compile this module's call in place with torch.compile's arguments: as there its class's `forward` is compiled, so
        that every class has a recompile limit of its own."""
        from ...compiler import compile as compile_

        made = compile_(self, *args, **kwargs)
        self.__dict__["_compiled_call_impl"] = made if made is not self else None          # no submodule

    # -- modes and conversion ---------------------------------------------------------------------------------------
    def train(self, mode: bool = True) -> Any:
        """Set `training` here and in all submodules; returns self."""
        if not isinstance(mode, bool):
            raise ValueError("training mode is expected to be boolean")
        self.training = mode
        for child in self.children():
            child.train(mode)
        return self

    def eval(self) -> Any:
        return self.train(False)

    def requires_grad_(self, requires_grad: bool = True) -> Any:
        for p in self.parameters():
            p.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none: bool = True) -> None:
        for p in self.parameters():
            if p.grad is not None:
                if set_to_none:
                    p.grad = None
                else:
                    p.grad.zero_()

    def _apply(self, fn: Callable[[Any], Any], recurse: bool = True) -> Any:
        """Replace the data of every parameter and buffer by `fn(tensor)`; a parameter stays the same object."""
        if recurse:
            for child in self.children():
                child._apply(fn)
        before = STATE.set(grad_enabled=False)
        try:
            for p in self._parameters.values():
                if p is not None:
                    _replace_data(p, fn(p))
                    if p.grad is not None:
                        p.grad = fn(p.grad)
            for name, b in self._buffers.items():
                if b is not None:
                    self._buffers[name] = fn(b)
        finally:
            STATE.mode = before
        return self

    def to(self, *args: Any, **kwargs: Any) -> Any:
        """`to(device)`, `to(dtype)`, `to(device, dtype)`, `to(tensor)`; only floating tensors change dtype."""
        device, dtype = _parse_to(args, kwargs)
        if dtype is not None and not dtype.is_floating_point:
            raise TypeError("nn.Module.to only accepts floating point or complex dtypes, but got desired "
                            f"dtype={dtype}")

        def convert(t: Any) -> Any:
            return t.to(device or t.device, dtype if dtype is not None and t.dtype.is_floating_point else t.dtype)

        return self._apply(convert)

    def _cast(self, dtype: DType) -> Any:
        return self._apply(lambda t: t.to(dtype) if t.dtype.is_floating_point else t)

    def float(self) -> Any:
        return self._cast(float32)

    def double(self) -> Any:
        return self._cast(float64)

    def half(self) -> Any:
        return self._cast(float16)

    def bfloat16(self) -> Any:
        return self.to(bfloat16)

    def type(self, dst_type: Any) -> Any:
        return self._apply(lambda t: t.type(dst_type))

    def cpu(self) -> Any:
        return self._apply(lambda t: t.cpu())

    def cuda(self, device: Any = None) -> Any:
        return self._apply(lambda t: t.cuda(device))

    def to_empty(self, *, device: Any, recurse: bool = True) -> Any:
        from ...toplevel import empty_like

        return self._apply(lambda t: empty_like(t, device=device), recurse=recurse)

    # -- saving and loading: see state.py ---------------------------------------------------------------------------
    state_dict = state.state_dict
    load_state_dict = state.load_state_dict
    _save_to_state_dict = state.save_own
    _load_from_state_dict = state.load_own

    def get_extra_state(self) -> Any:
        raise RuntimeError("get_extra_state is not defined: override it together with set_extra_state")

    def set_extra_state(self, state: Any) -> None:
        raise RuntimeError("set_extra_state is not defined: override it together with get_extra_state")

    def _register_load_state_dict_pre_hook(self, hook: Callable[..., Any], with_module: bool = False) -> Any:
        def with_self(*args: Any) -> Any:
            return hook(self, *args)

        return _keep(self._load_state_dict_pre_hooks, with_self if with_module else hook)

    def register_load_state_dict_pre_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        return self._register_load_state_dict_pre_hook(hook, with_module=True)

    def register_load_state_dict_post_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        return _keep(self._load_state_dict_post_hooks, hook)

    def register_state_dict_pre_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        return _keep(self._state_dict_pre_hooks, hook)

    def _register_state_dict_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        return _keep(self._state_dict_hooks, hook)

    register_state_dict_post_hook = _register_state_dict_hook


def _keep(hooks: dict, hook: Callable[..., Any]) -> RemovableHandle:
    handle = RemovableHandle(hooks)
    hooks[handle.id] = hook
    return handle


def _replace_data(param: Any, value: Any) -> None:
    """Give an existing parameter other elements, dtype or device, keeping its identity, class and requires_grad."""
    if value._array is param._array and value._meta.dtype is param._meta.dtype and \
            value._meta.device is param._meta.device:
        return
    meta = param._meta
    param._array = value._array
    param._meta = value._meta.replace(tensor_class=meta.cls, requires_grad=meta.requires_grad, marks=meta.marks)
    STATE.bump_epoch()


def _parse_to(args: tuple, kwargs: dict) -> tuple[Device | None, DType | None]:
    """The device and dtype that the arguments of `Module.to` name."""
    known = {"device", "dtype", "non_blocking", "memory_format", "copy"}
    for k in kwargs:
        if k not in known:
            raise TypeError(f"to() received an invalid keyword argument '{k}'")
    device = Device(kwargs["device"]) if kwargs.get("device") is not None else None
    dtype = kwargs.get("dtype")
    for a in args:
        if isinstance(a, Tensor):
            device, dtype = a.device, a.dtype
        elif isinstance(a, DType):
            dtype = a
        elif isinstance(a, str | int | Device) and not isinstance(a, bool):
            device = Device(a)
    return device, dtype


present(globals())
