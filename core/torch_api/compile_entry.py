"""torch.compile, and the module it returns for a module."""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any

from ..artifacts.artifact import Options
from ..artifacts.settings import SETTINGS
from ..artifacts.wrapper import compile_callable
from ..errors import ScriptError
from .nn import Module


def compile(model: Any = None, *, fullgraph: bool = False, dynamic: bool | None = None, backend: str | Callable = "inductor",
            mode: str | None = None, options: dict[str, Any] | None = None, disable: bool = False,
            recompile_limit: int | None = None, isolate_recompiles: bool = False) -> Any:
    """Compile a function, method, callable object or nn.Module; also a decorator, with or without arguments.

    dynamic: None (sizes become symbolic when seen to change), True (symbolic from the first compile), False (never).
    fullgraph: a graph break is an error. backend: "inductor" (the default: kernels for this machine), "eager", or a callable
    `(graph_module, example_inputs) -> callable`. recompile_limit: artifacts per code object before it runs eagerly
    (default torch._dynamo.config.recompile_limit). isolate_recompiles: do not share artifacts with other torch.compile calls.
    After https://docs.pytorch.org/docs/stable/generated/torch.compile.html.

    Raises ScriptError when `mode` and `options` are both given or the target is not callable, InvalidBackend for an
    unknown backend name.
    """
    if mode is not None and options is not None:
        raise ScriptError(f"torch.compile got mode={mode!r} and options; give one of them")
    if model is None:
        def decorate(target: Any) -> Any:
            return compile(target, fullgraph=fullgraph, dynamic=dynamic, backend=backend, mode=mode, options=options,
                           disable=disable, recompile_limit=recompile_limit, isolate_recompiles=isolate_recompiles)
        return decorate
    if disable:
        return model
    chosen = Options(dynamic=SETTINGS.dynamic if dynamic is None else dynamic, fullgraph=fullgraph, backend=backend,
                     mode=mode, options=tuple(sorted((k, repr(v)) for k, v in (options or {}).items())),
                     recompile_limit=recompile_limit, isolate=object() if isolate_recompiles else None)
    if isinstance(model, Module):
        return OptimizedModule(model._orig_mod if isinstance(model, OptimizedModule) else model, chosen)
    return compile_callable(model, chosen)


NOTHING = object()


class OptimizedModule(Module):
    """A module whose call runs the original's `forward` compiled. Everything else is the original's: attributes are read
    from and written to it, parameters are the same objects."""

    _guardscope_compiled = True

    def __init__(self, module: Module, options: Options) -> None:
        super().__init__()
        self.__dict__["_options"] = options
        self._modules["_orig_mod"] = module
        self.__dict__["_forward"] = None
        self._compiled(module)
        self.__dict__["training"] = module.training

    @property
    def _orig_mod(self) -> Module:
        return self._modules["_orig_mod"]

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        module = self._modules["_orig_mod"]
        call = self._compiled(module)
        if (module._forward_hooks or module._forward_pre_hooks) and self.__dict__["_is_forward"]:
            return self._hooked(module, call, args, kwargs)
        return call(*args, **kwargs) if self.__dict__["_bound"] else call(module, *args, **kwargs)

    def _compiled(self, module: Module) -> Callable[..., Any]:
        """The compiled form of what calling the module runs now: its `forward`, the class's own where the instance has
        none, so that all instances share one code object's artifacts; or a `__call__` of the class's. Any of them may be
        replaced after compiling."""
        own = self.__dict__
        cls = type(module)
        is_forward = cls.__call__ is Module.__call__
        target: Any = cls.__call__
        if is_forward:
            for k in cls.__mro__:
                target = k.__dict__.get("forward", NOTHING)
                if target is not NOTHING:
                    break
        bound = is_forward and ("forward" in module.__dict__ or type(target) is not FunctionType)
        if bound:
            target = module.forward
        if target is not own["_forward"]:
            run = compile_callable(target, own["_options"]) if callable(target) else module      # Python words the error
            own.update(_forward=target, _bound=bound, _is_forward=is_forward, _call=run)
        return own["_call"]

    def _hooked(self, module: Module, call: Callable[..., Any], args: Any, kwargs: Any) -> Any:
        """Hooks run as plain Python around the compiled forward."""
        bound = self.__dict__["_bound"]
        module.__dict__["forward"] = call if bound else (lambda *a, **k: call(module, *a, **k))
        try:
            return module._call_impl(*args, **kwargs)
        finally:
            if bound:
                module.__dict__["forward"] = self.__dict__["_forward"]
            else:
                del module.__dict__["forward"]

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        return self(*args, **kwargs)

    def train(self, mode: bool = True) -> OptimizedModule:
        self._modules["_orig_mod"].train(mode)
        self.__dict__["training"] = mode
        return self

    def __getattr__(self, name: str) -> Any:
        if name == "_orig_mod":
            return self._modules["_orig_mod"]
        return getattr(self.__dict__["_modules"]["_orig_mod"], name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name == "_orig_mod":
            self._modules["_orig_mod"] = value
            return
        if name == "training":
            self.__dict__["training"] = value
        setattr(self._modules["_orig_mod"], name, value)

    def __delattr__(self, name: str) -> None:
        delattr(self._modules["_orig_mod"], name)

    def __dir__(self) -> list[str]:
        return dir(self._modules["_orig_mod"])

    def __len__(self) -> int:
        return len(self._modules["_orig_mod"])

    def __iter__(self) -> Any:
        return iter(self._modules["_orig_mod"])
