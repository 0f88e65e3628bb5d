"""functional_call: a module run with other tensors in place of its parameters and buffers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...naming import present


def functional_call(module: Any, parameters_and_buffers: Any, args: Any = (), kwargs: Any = None, *,
                    tie_weights: bool = True, strict: bool = False) -> Any:
    """`module(*args, **kwargs)` with the named tensors in place of its own, which are put back afterwards.

    `parameters_and_buffers` maps dotted names to tensors, or is a sequence of such mappings. With `strict`, RuntimeError
    where a name is missing or unknown. A tensor that the module has under several names is replaced under all of them.
    """
    if isinstance(parameters_and_buffers, Mapping):
        given = dict(parameters_and_buffers)
    elif isinstance(parameters_and_buffers, Sequence):
        given = {k: v for part in parameters_and_buffers for k, v in part.items()}
    else:
        raise ValueError("Expected parameters_and_buffers to be a dict, or a list/tuple of dicts, but got "
                         f"{type(parameters_and_buffers)}")
    own = {**dict(module.named_parameters(remove_duplicate=False)), **dict(module.named_buffers(remove_duplicate=False))}
    if strict:
        missing, unexpected = [k for k in own if k not in given], [k for k in given if k not in own]
        if missing or unexpected:
            raise RuntimeError(f"Error(s) in loading state_dict for {type(module).__name__}:\n\t"
                               + "\n\t".join([f"Missing key(s): {missing}"] * bool(missing)
                                             + [f"Unexpected key(s): {unexpected}"] * bool(unexpected)))
    if tie_weights:
        for name, value in list(given.items()):
            for other, tensor in own.items():
                if name in own and tensor is own[name] and other not in given:
                    given[other] = value
    places = []
    for name, value in given.items():
        path, _, leaf = name.rpartition(".")
        home = module.get_submodule(path)
        store = next((s for s in (home._parameters, home._buffers) if leaf in s), None)
        if store is None:
            raise KeyError(f"{type(module).__name__} has no parameter or buffer '{name}'")
        places.append((store, leaf, store[leaf], value))
    try:
        for store, leaf, _, value in places:
            store[leaf] = value
        return module(*(args if isinstance(args, tuple) else (args,)), **(kwargs or {}))
    finally:
        for store, leaf, before, _ in places:
            store[leaf] = before


present(globals())
