"""What a guard expects as plain data, for the session file: so that a guard can be asked about a call that nobody made.

The texts of a guard are for people (shortened, without strides); these facts are exact. Kinds that compare objects by
identity have none: an object that is not there cannot be compared.
"""

from __future__ import annotations

import math
from typing import Any

from .explain import MODES
from .guard import Guard
from .words import value_text

LONGEST = 200                # characters of a text constant that are kept


def plain(guard: Guard) -> dict[str, Any]:
    """JSON-able facts of TENSOR_MATCH, EQUALS_MATCH, TYPE_MATCH, SEQUENCE_LENGTH and GLOBAL_STATE; {} for other kinds."""
    e, kind = guard.expected, guard.kind
    if kind == "TENSOR_MATCH":
        return {"cls": e.cls.__name__, "dtype": e.dtype.name, "device": str(e.device), "requires_grad": bool(e.requires_grad),
                "sizes": [n if isinstance(n, int) else None for n in e.sizes],
                "strides": [n if isinstance(n, int) else None for n in e.strides]}
    if kind == "EQUALS_MATCH" and (e is None or type(e) in (bool, int, float, str)):
        exact = not (isinstance(e, float) and not math.isfinite(e)) and not (isinstance(e, str) and len(e) > LONGEST) \
            and not (isinstance(e, int) and abs(e) >= 1 << 63)
        return {"type": type(e).__name__, "value": e} if exact else {}
    if kind == "TYPE_MATCH":
        return {"type": e.__name__}
    if kind == "SEQUENCE_LENGTH":
        return {"length": e}
    if kind == "GLOBAL_STATE":
        return {"modes": {MODES.get(f, f): value_text(getattr(e, f)) for f in e._fields}}
    return {}
