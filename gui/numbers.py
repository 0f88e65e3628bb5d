"""Numbers as people read them: counts, plurals, lengths of time. No Qt, no NumPy."""

from __future__ import annotations

import re


def plural(count: int, one: str, many: str = "") -> str:
    """"1 call", "2 calls", "12 345 calls" (thousands set apart by a thin space)."""
    return f"{number(count)} {one if count == 1 else many or one + 's'}"


def number(count: int) -> str:
    return f"{count:,}".replace(",", "\N{NARROW NO-BREAK SPACE}") if count >= 10_000 else str(count)


def short_numbers(text: str) -> str:
    """A text with every long decimal cut to six digits: 3.891888380050659 becomes 3.89189."""
    return re.sub(r"(?<![\w.])-?\d+\.\d{6,}(?:e[-+]?\d+)?(?!\w)", lambda m: f"{float(m[0]):.6g}", text)


def duration(ns: float, digits: int = 2) -> str:
    """A length of time as people say it: "840 ns", "12 us", "3.4 ms", "1.2 s", "2 min 05 s"."""
    ns = float(ns)
    if abs(ns) >= 60e9:
        minutes, seconds = divmod(round(ns / 1e9), 60)
        return f"{minutes} min {seconds:02d} s"
    for unit, size in (("s", 1e9), ("ms", 1e6), ("\N{MICRO SIGN}s", 1e3)):
        if abs(ns) >= size * 0.9995:
            value = ns / size
            return f"{value:.{0 if value >= 99.5 else 1 if value >= 9.95 else digits}f}".rstrip("0").rstrip(".") \
                + f" {unit}" if value < 99.5 else f"{value:.0f} {unit}"
    return f"{ns:.0f} ns"
