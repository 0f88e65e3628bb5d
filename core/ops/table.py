"""The table of operators: importing this module declares every operator. `OPS` maps names to operators."""

from __future__ import annotations

from . import (  # noqa: F401
    activation,
    comparison,
    complex_numbers,
    conversion,
    creation,
    cumulative,
    indexing,
    inplace,
    joining,
    linalg,
    matmul,
    neural,
    norms,
    number_math,
    parts,
    pointwise_math,
    random,
    reduction,
    scatter,
    selection,
    softmax,
    sorting,
    special_functions,
    statistics,
    views,
    windows,
)
from .declare import FUNCTIONS, METHODS
from .op import OPS

__all__ = ["FUNCTIONS", "METHODS", "OPS"]
