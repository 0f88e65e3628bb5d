"""Names as PyTorch shows them: `__module__` of classes and functions, and what a missing name's error says.

Code in this folder lives in modules such as guardscope.core.torch_api.nn.modules.linear; a script must see
`torch.nn.modules.linear`, in reprs, in tracebacks and when pickling. A name that does not exist says so and lists
the nearest that do, because a wrong guess is cheaper than silence.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
import types
from collections.abc import Callable, Iterable
from opcode import opmap
from typing import Any

PACKAGE = __name__.rpartition(".")[0]
# Modules of this folder that are machinery: no script sees them as torch.<name>.
PRIVATE = frozenset((
    "absent_dtypes", "attention_functions", "bag_functions", "compile_entry", "dtype_info", "extras", "foreach",
    "functions", "generator", "grad_modes", "import_only", "importing", "loss_functions", "lr_base", "lr_cycles",
    "margin_loss", "margin_losses", "naming", "other_functions", "printing", "random_functions", "resize_functions",
    "safetensors", "sampling_functions", "saving", "settings", "sparse_tensors", "toplevel", "tracked", "unsupported", "walk"))

# Modules that PyTorch has under other names, or splits in another way.
OTHER_NAMES = {f"torch.{there}": f"torch.{here}" for here, names in {
    "distributions.continuous": "distributions.normal distributions.uniform distributions.beta distributions.gamma "
                                "distributions.laplace distributions.gumbel distributions.exponential distributions.cauchy",
    "distributions.discrete": "distributions.categorical distributions.bernoulli distributions.poisson "
                              "distributions.geometric distributions.one_hot_categorical distributions.multinomial",
    "distributions.joint": "distributions.independent distributions.multivariate_normal distributions.dirichlet "
                           "distributions.mixture_same_family",
    "distributions.lognormal": "distributions.log_normal",
    "amp": "amp.autocast_mode amp.grad_scaler",
    "distributions.transforms": "distributions.transformed_distribution",
    "distributions.distribution": "distributions.utils",
    "nn.modules.batchnorm": "nn.modules.instancenorm",
    "nn.modules.resampling": "nn.modules.upsampling nn.modules.pixelshuffle nn.modules.fold nn.modules.channelshuffle",
    "nn.modules.loss": "nn.modules.distance",
    "optim.adam": "optim.adamw",
    "optim.others": "optim.rmsprop optim.adagrad optim.adamax optim.adadelta optim.lbfgs optim.nadam optim.radam",
    "utils.data.loader": "utils.data.dataloader utils.data.sampler",
    "utils.data": "utils.data.distributed",
}.items() for there in names.split()}


def public(module_name: str) -> str:
    """"guardscope.core.torch_api.nn.init" -> "torch.nn.init"; other names come back unchanged."""
    if module_name == PACKAGE or module_name.startswith(PACKAGE + "."):
        return "torch" + module_name[len(PACKAGE):]
    return module_name


def present(namespace: dict[str, Any]) -> None:
    """Let the classes and functions that the module with this namespace defines say that they belong to torch."""
    own = namespace["__name__"]
    shown = public(own)
    for value in list(namespace.values()):
        if isinstance(value, type):
            if value.__module__ == own:
                value.__module__ = shown
                for member in vars(value).values():
                    inner = getattr(member, "__func__", member)
                    if isinstance(inner, types.FunctionType) and inner.__module__ == own:
                        inner.__module__ = shown
        elif isinstance(value, types.FunctionType) and value.__module__ == own:
            value.__module__ = shown


def adopt(functions: Iterable[Any], module: str) -> None:
    """Let hand-written functions of the table say that they belong to `module`; generated ones say so already."""
    for fn in functions:
        if isinstance(fn, types.FunctionType) and not fn.__module__.startswith("torch"):
            fn.__module__ = module


def nearest(name: str, known: Iterable[str], count: int = 3) -> list[str]:
    """The names most like `name`, ignoring case and underscores."""
    import difflib  # here: an error is the only thing that needs it

    def plain(s: str) -> str:
        return s.lower().replace("_", "")

    table: dict[str, list[str]] = {}
    for k in known:
        if not k.startswith("_") or name.startswith("_"):
            table.setdefault(plain(k), []).append(k)
    found: list[str] = []
    for match in difflib.get_close_matches(plain(name), list(table), n=count, cutoff=0.5):
        found.extend(sorted(table[match]))
    return found[:count]


class AttributeText(str):
    """The message of an AttributeError on a tensor, made only when it is shown: hasattr(t, name) must stay cheap."""

    owner: type
    wanted: str

    def __new__(cls, owner: type, wanted: str) -> AttributeText:
        out = str.__new__(cls, f"'{owner.__name__}' object has no attribute '{wanted}'")
        out.owner, out.wanted = owner, wanted
        return out

    def __str__(self) -> str:
        close = nearest(self.wanted, dir(self.owner))
        return str.__str__(self) + " in Guardscope" + (f"; nearest: {', '.join(close)}" if close else "")

    def __repr__(self) -> str:
        return repr(str(self))


def missing(owner: str, name: str, known: Iterable[str]) -> str:
    """The sentence for an attribute that does not exist here."""
    close = nearest(name, known)
    hint = f"; nearest: {', '.join(close)}" if close else ""
    return f"module '{owner}' has no attribute '{name}' in Guardscope{hint}"


_IMPORT_FROM = opmap["IMPORT_FROM"]


def _is_from_import(caller: types.FrameType) -> bool:
    """Whether the frame is executing `from module import name`: the import system would put a message of its own in
    place of an AttributeError's, so that case raises ImportError itself."""
    code, at = caller.f_code.co_code, caller.f_lasti
    return 0 <= at < len(code) and code[at] == _IMPORT_FROM


def submodule(package: str, name: str) -> Any:
    """The public submodule `name` of a package of this folder, imported now; NotImplemented if there is none."""
    full = f"{package}.{name}"
    other = OTHER_NAMES.get(public(full))
    if other is not None:
        return importlib.import_module(PACKAGE + other[len("torch"):])
    if name in PRIVATE:
        return NotImplemented
    found = importlib.util.find_spec(full) if package in sys.modules and not package.startswith("torch") else None
    if found is not None:
        return importlib.import_module(full)
    from .import_only import known

    return importlib.import_module(public(full)) if known(public(full)) else NotImplemented


def module_getattr(namespace: dict[str, Any], lazy: Callable[[str], Any] | None = None) -> Callable[[str], Any]:
    """A module-level `__getattr__`: submodules are imported when first touched; `lazy(name)` may supply other values
    (else it returns NotImplemented). A name that does not exist raises AttributeError with the nearest ones. Dunder
    names fail plainly: they are only probes."""
    own = namespace["__name__"]
    shown = public(own)

    def __getattr__(name: str) -> Any:
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(f"module '{shown}' has no attribute '{name}'")
        value = NotImplemented if lazy is None else lazy(name)
        if value is NotImplemented and "__path__" in namespace:
            value = submodule(own, name)
        if value is not NotImplemented:
            namespace[name] = value
            return value
        text = missing(shown, name, _listed(namespace))
        if _is_from_import(sys._getframe(1)):
            raise ImportError(text.replace("has no attribute", "has no name"), name=shown)
        raise AttributeError(text)

    return __getattr__


def _listed(namespace: dict[str, Any]) -> list[str]:
    """The names that a module offers: what it says itself, or what is neither private nor imported machinery."""
    if "__dir__" in namespace:
        return namespace["__dir__"]()
    if "__all__" in namespace:
        return namespace["__all__"]
    shown = public(namespace["__name__"])
    return [k for k, v in namespace.items() if not isinstance(v, types.ModuleType)
            and (getattr(v, "__module__", shown) or "").startswith("torch") and k != "annotations"]


def not_yet(name: str, instead: str) -> Callable[..., Any]:
    """A callable for a name that must exist at import time and cannot be used yet."""
    from ..errors import NotYetSupported

    def unsupported(*args: Any, **kwargs: Any) -> Any:
        raise NotYetSupported(f"{name} does not exist in Guardscope yet: {instead}.")

    unsupported.__name__ = unsupported.__qualname__ = name.rpartition(".")[2]
    unsupported.__module__ = name.rpartition(".")[0] or "torch"
    return unsupported
