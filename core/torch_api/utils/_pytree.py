"""torch.utils._pytree: nested tuples, lists and dicts of values, flattened and rebuilt."""

from __future__ import annotations

from collections import OrderedDict, namedtuple
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..naming import module_getattr, present


@dataclass(frozen=True)
class TreeSpec:
    """The structure of a tree without its leaves: the container type (None for a leaf), its keys, its children."""

    type: Any
    context: Any
    children_specs: tuple[TreeSpec, ...]

    @property
    def num_leaves(self) -> int:
        return 1 if self.type is None else sum(c.num_leaves for c in self.children_specs)

    def is_leaf(self) -> bool:
        return self.type is None


LeafSpec = TreeSpec(None, None, ())


def _children(tree: Any) -> tuple[Any, list, Any]:
    """(container type or None, children, context)."""
    if isinstance(tree, tuple) and hasattr(tree, "_fields"):
        return namedtuple, list(tree), type(tree)
    for kind in (tuple, list):
        if type(tree) is kind:
            return kind, list(tree), None
    if type(tree) in (dict, OrderedDict):
        return type(tree), list(tree.values()), list(tree)
    return None, [], None


def tree_flatten(tree: Any, is_leaf: Callable[[Any], bool] | None = None) -> tuple[list, TreeSpec]:
    """(leaves in order, structure)."""
    kind, children, context = (None, [], None) if is_leaf is not None and is_leaf(tree) else _children(tree)
    if kind is None:
        return [tree], LeafSpec
    leaves: list = []
    specs = []
    for child in children:
        inner, spec = tree_flatten(child, is_leaf)
        leaves.extend(inner)
        specs.append(spec)
    return leaves, TreeSpec(kind, context, tuple(specs))


def tree_unflatten(leaves: Any, treespec: TreeSpec) -> Any:
    """The tree with these leaves. Raises ValueError if their number differs from the structure's."""
    leaves = list(leaves)
    if len(leaves) != treespec.num_leaves:
        raise ValueError(f"tree_unflatten got {len(leaves)} leaves, but the structure holds {treespec.num_leaves}")
    return _build(iter(leaves), treespec)


def _build(leaves: Any, spec: TreeSpec) -> Any:
    if spec.type is None:
        return next(leaves)
    children = [_build(leaves, s) for s in spec.children_specs]
    if spec.type is namedtuple:
        return spec.context(*children)
    if spec.type in (dict, OrderedDict):
        return spec.type(zip(spec.context, children))
    return spec.type(children)


def tree_map(func: Callable[..., Any], tree: Any, *rests: Any, is_leaf: Callable[[Any], bool] | None = None) -> Any:
    """The tree with `func` applied to every leaf (and to the leaves in the same place of `rests`)."""
    leaves, spec = tree_flatten(tree, is_leaf)
    columns = [leaves, *[tree_leaves(r, is_leaf) for r in rests]]
    return tree_unflatten([func(*row) for row in zip(*columns)], spec)


def tree_map_only(kind: Any, func: Callable[[Any], Any], tree: Any,
                  is_leaf: Callable[[Any], bool] | None = None) -> Any:
    """tree_map that leaves values of other types alone."""
    return tree_map(lambda v: func(v) if isinstance(v, kind) else v, tree, is_leaf=is_leaf)


def tree_leaves(tree: Any, is_leaf: Callable[[Any], bool] | None = None) -> list:
    """All leaves in order."""
    return tree_flatten(tree, is_leaf)[0]


present(globals())
__getattr__ = module_getattr(globals())
