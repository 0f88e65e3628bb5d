"""Words that the tables of cases share: dtypes, layouts, and how cases multiply."""

from __future__ import annotations

FLOATS = ("float32", "float64", "float16", "bfloat16")
INTS = ("int64", "int32", "int16", "int8", "uint8")
REAL = (*FLOATS, *INTS, "bool")
COMPLEX = ("complex64", "complex128")
ALL = (*REAL, *COMPLEX)
LAYOUTS = ("3,4 contiguous", "3,4 transposed", "3,4 sliced", "3,4 expanded", "- contiguous", "0,4 contiguous",
           "2,3,4,2 channels_last", "1,3,1 transposed", "2,1,3 transposed")


def of(text: str, **inputs: str) -> tuple[str, dict[str, str]]:
    """One case: the expression and the tensors it names."""
    return (text, inputs)


def unary(texts: list[str], values: str = "any", dtypes: tuple[str, ...] = ALL, layouts: tuple[str, ...] = LAYOUTS) -> list:
    """Every text over every dtype (first layout) and over every layout (float32)."""
    out = []
    for t in texts:
        out += [of(t, x=f"{d} {layouts[0]} {values}") for d in dtypes]
        first = dtypes[0]
        out += [of(t, x=f"{first} {where} {values}") for where in layouts[1:]]
        out += [of(t, x=f"{d} - contiguous {values}") for d in dtypes[1:4]]
    return out
