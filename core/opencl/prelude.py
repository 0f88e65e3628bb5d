"""The part of opencl_kernels/prelude.cl that a kernel needs, for the element types that appear in it."""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass
from importlib import resources

SIGNED = {1: "char", 2: "short", 4: "int", 8: "long"}
UNSIGNED = {1: "uchar", 2: "ushort", 4: "uint", 8: "ulong"}
SIZE = {"char": 1, "uchar": 1, "short": 2, "int": 4, "long": 8, "float": 4, "double": 8, "half": 2}
LANEWISE = """\
static inline OF {E}16 {name}({E}16 a{second}) {{
    {E} v[16] __attribute__((aligned(64)));
    for (int k = 0; k < 16; ++k) v[k] = {name}(a[k]{lane});
    return ({E}16)(v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7], v[8], v[9], v[10], v[11], v[12], v[13], v[14], v[15]);
}}
"""


@dataclass(frozen=True)
class Section:
    """One function. `scalar`: written for one element; the vector form calls it lane by lane."""

    name: str
    types: tuple[str, ...]
    scalar: bool
    text: str

    @property
    def words(self) -> set[str]:
        return set(re.findall(r"\w+", self.text))


@functools.cache
def read(file: str) -> str:
    """A file of opencl_kernels/."""
    package = __package__.rsplit(".", 2)[0]
    return resources.files(f"{package}.opencl_kernels").joinpath(file).read_text("utf-8")


@functools.cache
def sections() -> tuple[Section, ...]:
    """The prelude's sections; one that defines several functions of the same form becomes several."""
    found = []
    for block in re.split(r"^//@ ", read("prelude.cl"), flags=re.M)[1:]:
        head, _, text = block.partition("\n")
        names, _, types = head.partition(":")
        text = re.sub(r"\n(?://[^\n]*\n|\n)*\Z", "\n", text + "\n")
        for name in names.split():
            if name != "scalar":
                found.append(Section(name, tuple(types.split()), "scalar" in names.split(),
                                     text.replace("NAME", name).replace("BUILTIN", name.rstrip("_"))))
    return tuple(found)


def prelude(kernels: str) -> str:
    """Everything that `kernels` calls, instantiated, with what those call in turn before it."""
    elements = {m for m in SIZE if re.search(rf"\b(?:convert_|as_)?{m}(?:16)?\b", kernels)}
    elements |= {"float"} if "half" in elements else set()
    own: dict[str, list[Section]] = {}
    for s in sections():
        if not s.types or elements & set(s.types):
            own.setdefault(s.name, []).append(s)
    parts: list[str] = []
    done: set[str] = set()

    def emit(name: str) -> None:
        """The sections of a function, those it calls first."""
        if name in done:
            return
        done.add(name)
        for s in own[name]:
            for word in sorted(s.words & own.keys()):
                emit(word)
        for s in own[name]:
            parts.extend([s.text] if not s.types else
                         [x for e in s.types if e in elements for x in instantiate(s, e)])

    called = set(re.findall(r"\w+", kernels))
    for name in own:
        if name == "always" or name in called:
            emit(name)
    return "\n".join(parts)


def instantiate(s: Section, e: str) -> list[str]:
    """A section for element type `e`: as it is when it does not mention T, else for one element and for 16."""
    if s.scalar:
        two = re.search(rf"\b{s.name}\(E \w+, E \w+\)", s.text) is not None
        return [_typed(s.text, e, ""), LANEWISE.format(E=e, name=s.name, second=f", {e}16 b" if two else "",
                                                       lane=", b[k]" if two else "")]
    if not re.search(r"\b(?:as_)?T\b|CONVERT_T", s.text):
        return [_typed(s.text, e, "")]
    return [_typed(s.text, e, suffix) for suffix in ("", "16")]


def _typed(text: str, e: str, suffix: str) -> str:
    size = SIZE[e]
    signed, unsigned = SIGNED[size], UNSIGNED[size]
    text = text.replace("CONVERT_T", f"convert_{e}{suffix}").replace("CONVERT_I", f"convert_{signed}{suffix}")
    text = re.sub(r"\bD\b", f"double{suffix}", text.replace("CONVERT_D", f"convert_double{suffix}"))
    text = re.sub(r"\b(as_|)([TIU])\b", lambda m: m[1] + {"T": e, "I": signed, "U": unsigned}[m[2]] + suffix, text)
    text = re.sub(r"\b(as_|)U(2|4|8|16)\b", rf"\g<1>{unsigned}\2", text)
    text = re.sub(r"\bE(2|4|8|16)(_\w+)?\b", lambda m: f"{e}{m[1]}{m[2] or ''}", text)
    text = re.sub(r"\bUE\b", unsigned, text)
    text = re.sub(r"\bSIZE\b", str(size), text)
    return re.sub(r"\bE\b", e, text)


