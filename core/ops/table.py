"""The table of operators: importing this module declares every operator. `OPS` maps names to operators."""

from __future__ import annotations

from . import (  # noqa: F401
    activation,
    comparison,
    complex_numbers,
    conversion,
    creation,
    cumulative,
    decompositions,
    fourier,
    indexing,
    inplace,
    joining,
    linalg,
    matmul,
    matrix_functions,
    neural,
    norms,
    number_math,
    parts,
    pointwise_math,
    pooling,
    random,
    ranges,
    reduction,
    resampling,
    scatter,
    selection,
    slices,
    softmax,
    sorting,
    special_functions,
    statistics,
    storing,
    view_copies,
    views,
    windows,
)
from .declare import FUNCTIONS, METHODS
from .op import OPS

__all__ = ["FUNCTIONS", "METHODS", "OPS"]
