"""Where a value comes from, as an expression a user recognises (`self.layers[0].weight`, `k` of a closure).

`code` is Python that fetches the value inside a guard function or an artifact's entry: parameters are locals of the
same name, `__fn` is the function object being run (its cells and defaults), `__G` the function's globals dict.
`text` is what people read.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


class Origin:
    """Base. Origins are frozen values: equal origins name the same place."""

    __slots__ = ()

    @property
    def code(self) -> str:
        raise NotImplementedError

    @property
    def text(self) -> str:
        return self.code

    @property
    def base(self) -> Origin | None:
        return getattr(self, "of", None)

    @property
    def root(self) -> Origin:
        here: Origin = self
        while here.base is not None:
            here = here.base
        return here

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class ArgOrigin(Origin):
    """A parameter of the unit (also `self`, and the tuple/dict of *args/**kwargs). `words`: what it holds, for one that the
    script did not write: the value of an expression from before a graph break."""

    name: str
    words: str = field(default="", compare=False)

    @property
    def code(self) -> str:
        return self.name

    @property
    def text(self) -> str:
        return self.words or self.name


@dataclass(frozen=True, slots=True)
class GlobalOrigin(Origin):
    """A module-level name. `module` is "" for the unit's own module, else the name of the inlined callee's module
    (its dict is then bound as `__G_<n>`: `slot` is that name)."""

    name: str
    module: str = ""
    slot: str = "__G"

    @property
    def code(self) -> str:
        return f"{self.slot}[{self.name!r}]"

    @property
    def text(self) -> str:
        return self.name if not self.module else f"{self.module}.{self.name}"


@dataclass(frozen=True, slots=True)
class BuiltinOrigin(Origin):
    name: str

    @property
    def code(self) -> str:
        return f"__builtins_dict[{self.name!r}]"

    @property
    def text(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class FunctionOrigin(Origin):
    """The function object being run: base of its cells and defaults."""

    @property
    def code(self) -> str:
        return "__fn"

    @property
    def text(self) -> str:
        return "the function"


@dataclass(frozen=True, slots=True)
class CellOrigin(Origin):
    """A closure variable of a function: cell number `index` of `of`, called `name` in the script."""

    of: Origin
    index: int
    name: str

    @property
    def code(self) -> str:
        return f"{self.of.code}.__closure__[{self.index}].cell_contents"

    @property
    def text(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class AttrOrigin(Origin):
    of: Origin
    name: str

    @property
    def code(self) -> str:
        return f"{self.of.code}.{self.name}"

    @property
    def text(self) -> str:
        if self.name == "__globals__" and isinstance(self.of, FunctionOrigin):
            return "the module's globals"
        if self.name == "__self__" and isinstance(self.of, AttrOrigin):          # of `items.append`: items
            return self.of.of.text
        return f"{self.of.text}.{self.name}"


@dataclass(frozen=True, slots=True)
class InstanceDictOrigin(Origin):
    """An entry of `of.__dict__`, read without running any descriptor or __getattr__; `slot` is `__dict__`, or
    `_parameters`, `_buffers`, `_modules` for what nn.Module keeps there."""

    of: Origin
    name: str
    slot: str = "__dict__"

    @property
    def code(self) -> str:
        return f"{self.of.code}.{self.slot}[{self.name!r}]"

    @property
    def text(self) -> str:
        return f"{self.of.text}.{self.name}"


@dataclass(frozen=True, slots=True)
class ItemOrigin(Origin):
    """`of[key]` for a list, tuple or dict; `key` is a plain constant."""

    of: Origin
    key: Any

    @property
    def code(self) -> str:
        return f"{self.of.code}[{self.key!r}]"

    @property
    def text(self) -> str:
        return f"{self.of.text}[{self.key!r}]"


@dataclass(frozen=True, slots=True)
class DictKeyOrigin(Origin):
    """Key number `index` of a dict, in its order (for keys that are not plain constants)."""

    of: Origin
    index: int

    @property
    def code(self) -> str:
        return f"list({self.of.code})[{self.index}]"


@dataclass(frozen=True, slots=True)
class TypeOrigin(Origin):
    of: Origin

    @property
    def code(self) -> str:
        return f"type({self.of.code})"


@dataclass(frozen=True, slots=True)
class SizeOrigin(Origin):
    """`of.shape[dim]`, or `.stride(dim)` when kind is "stride", of a tensor."""

    of: Origin
    dim: int
    kind: str = "size"

    @property
    def code(self) -> str:
        return f"{self.of.code}._meta.{'shape' if self.kind == 'size' else 'strides'}[{self.dim}]"

    @property
    def text(self) -> str:
        return f"{self.of.text}.shape[{self.dim}]" if self.kind == "size" else f"{self.of.text}.stride({self.dim})"


@dataclass(frozen=True, slots=True)
class PinnedOrigin(Origin):
    """An object that the artifact holds itself (a class that a TYPE_MATCH identified, a method found on it), bound to
    the name `slot` in an artifact's entry. Nothing needs to be fetched: other origins start from it."""

    slot: str
    name: str
    obj: Any = field(compare=False, repr=False, default=None)

    @property
    def code(self) -> str:
        return self.slot

    @property
    def text(self) -> str:
        return self.name
