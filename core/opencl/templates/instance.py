"""Sections of a file in opencl_kernels/ as kernels: definitions before, the text, what it defined taken back after.

A section starts with "//@ name". Templates are written for the element types ELEM (in memory) and ACC (in which is
computed), with WIDE for 16 of the latter, so that one text serves all dtypes.
"""

from __future__ import annotations

import functools
import re
from typing import Any

from ...tensor import dtypes as dt
from ...tensor.dtypes import dtype
from ..prelude import read

UNSIGNED = {"int8": "uchar", "uint8": "uchar", "int16": "ushort", "int32": "uint", "int64": "ulong"}
SIGNED_OF = {"uchar": "char", "ushort": "short", "uint": "int", "ulong": "long"}


@functools.cache
def sections(file: str) -> dict[str, str]:
    """The sections of a file by name."""
    return {name: body.rstrip() for name, body in
            (block.split("\n", 1) for block in re.split(r"^//@ ", read(file), flags=re.M)[1:])}


def instance(file: str, section: str, name: str, definitions: dict[str, Any], extra: tuple[str, ...] = ()) -> str:
    """The kernel `name` made from a section. `extra`: further lines before it."""
    head = [f"#define NAME {name}", *(f"#define {k} {v}" for k, v in definitions.items()), *extra]
    body = sections(file)[section]
    names = re.findall(r"^#define (\w+)", "\n".join([*head, body]), flags=re.M)
    return "\n".join([*head, body, *(f"#undef {n}" for n in dict.fromkeys(names)), ""])


def accumulator(d: dtype) -> dtype:
    """What sums of products of elements of `d` are computed in."""
    return dt.float32 if d is dt.float16 else d


def arithmetic(d: dtype) -> dict[str, str]:
    """ELEM, ACC, WIDE and the conversions between them for elements of `d`. Integers are computed unsigned, so that they
    wrap around."""
    if d is dt.float16:
        return {"ELEM": "half", "ACC": "float", "WIDE": "float16", "TO_ACC(p, i)": "vload_half(i, p)", "TO_WIDE(v)": "(v)",
                "PUT(p, i, v)": "vstore_half(v, i, p)", "PUT16(p, v)": "store(p, v)", "LANES_SUM(v)": "sum_lanes(v)"}
    acc = UNSIGNED.get(d.name, d.opencl)
    plain = acc == d.opencl
    return {"ELEM": d.opencl, "ACC": acc, "WIDE": f"{acc}16", "TO_ACC(p, i)": f"(({acc})(p)[i])",
            "TO_WIDE(v)": "(v)" if plain else f"as_{acc}16(v)", "PUT(p, i, v)": f"(p)[i] = ({d.opencl})(v)",
            "PUT16(p, v)": "store(p, v)" if plain else f"store(p, as_{d.opencl}16(v))",
            "LANES_SUM(v)": "sum_lanes(v)" if d.category == 2 else f"({acc})sum_lanes(as_{SIGNED_OF.get(acc, acc)}16(v))"}
