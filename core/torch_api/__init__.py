"""What a script gets for `import torch` (see importing.py): Guardscope's own implementation of the API.

The names come from the table of operators (functions.py), from nn, and from small modules beside this one; what is
rarely used is loaded when first touched. A name that does not exist raises an error that lists the nearest ones.
"""

from __future__ import annotations

import importlib
from typing import Any

from ..tensor.meta import Size
from ..tensor.tensor import Tensor
from . import absent_dtypes, extras, printing
from .functions import names
from .naming import PACKAGE, AttributeText, adopt, module_getattr
from .version import __version__

globals().update(names())
globals().update(absent_dtypes.ABSENT)
globals().update(absent_dtypes.ALIASES)
globals().update(extras.NAMES)
printing.install()
from . import sparse_tensors  # noqa: E402  needs the names above

sparse_tensors.install()
sparse_coo_tensor = sparse_tensors.sparse_coo_tensor
set_printoptions = printing.set_printoptions
get_printoptions = printing.get_printoptions

from . import nn  # noqa: E402  needs the names above

adopt(names().values(), "torch")
adopt(vars(Tensor).values(), "torch")

_MODULES = ("_C", "_dynamo", "_higher_order_ops", "_logging", "accelerator", "amp", "autograd", "backends", "compiler",
            "cuda", "distributed", "distributions", "fft", "func", "futures", "fx", "jit", "library", "linalg", "masked",
            "multiprocessing", "nn", "onnx", "optim", "overrides", "profiler", "random", "return_types", "serialization",
            "sparse", "special", "testing", "types", "utils", "version", "xpu")
_AUTOCAST = ("autocast", "is_autocast_enabled", "is_autocast_cpu_enabled", "get_autocast_dtype", "get_autocast_cpu_dtype",
             "get_autocast_gpu_dtype", "set_autocast_enabled", "set_autocast_dtype", "is_autocast_cache_enabled",
             "set_autocast_cache_enabled", "clear_autocast_cache")
_ELSEWHERE = {"compile": "compiler", "cond": "_higher_order_ops", "ops": "_ops", "vmap": "func", "save": "serialization",
              "load": "serialization", **dict.fromkeys(_AUTOCAST, "amp")}


def _lazy(name: str) -> Any:
    """A few names that live in submodules, imported when first asked for."""
    home = _ELSEWHERE.get(name)
    return NotImplemented if home is None else getattr(importlib.import_module(f"{PACKAGE}.{home}"), name)


def __dir__() -> list[str]:
    return sorted({n for n in globals() if n not in _HIDDEN} | set(_MODULES) | set(_ELSEWHERE))


def _missing_attribute(self: Any, name: str) -> Any:
    raise AttributeError(AttributeText(type(self), name))


setattr(Tensor, "__getattr__", _missing_attribute)  # noqa: B010  a plain assignment is a type error
_HIDDEN = frozenset(("absent_dtypes", "annotations", "dtype_info", "extras", "functions", "generator", "grad_modes",
                     "importlib", "naming", "names", "printing", "toplevel", "Any", "AttributeText", "PACKAGE", "adopt",
                     "module_getattr"))
__all__ = ["Size", "Tensor", "__version__", *sorted(n for n in names() if not n.startswith("_")),
           "autocast", "compile", "nn", "set_printoptions"]
__getattr__ = module_getattr(globals(), _lazy)
