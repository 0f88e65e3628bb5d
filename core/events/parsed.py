"""Parts of a session that a reader keeps in a form of its own: signatures, parsed when asked for, guards and nodes read last,
and what was printed."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from .checks import Damaged, from_dicts, parse_json
from .schema import Value

Query = Callable[..., Iterable[tuple[Any, ...]]]           # (what it is about, SQL, *parameters) -> rows that can be read

MOST_KEPT = 128              # lists of guards or nodes that are not read again


class Signatures:
    """Signatures by number. Their JSON is parsed when their values are first asked for."""

    def __init__(self) -> None:
        self._rows: list[tuple[int, str]] = []
        self._values: dict[int, list[tuple[str, Value]]] = {}

    def __len__(self) -> int:
        return len(self._rows)

    def read(self, rows: Query) -> None:
        """Read those that are new. Damaged where one of them cannot be used."""
        query = "SELECT id, code, data FROM signature WHERE id >= ? ORDER BY id"
        for number, code, data in rows("signature", query, len(self)):
            if number != len(self) or not isinstance(data, str) or not isinstance(code, int):
                raise Damaged(f"signature: row {len(self)} cannot be used")
            self._rows.append((code, data))

    def code(self, number: int) -> int:
        """The code that a signature says it belongs to, -1 if there is no such signature."""
        return self._rows[number][0] if 0 <= number < len(self) else -1

    def values(self, number: int) -> list[tuple[str, Value]]:
        """(parameter, Value) of a signature; empty for one that is not there or cannot be read."""
        if not 0 <= number < len(self):
            return []
        found = self._values.get(number)
        if found is None:
            found = []
            try:
                for entry in parse_json(self._rows[number][1]):
                    name, fields = entry
                    found.append((str(name), from_dicts(Value, [fields])[0]))
            except (Damaged, TypeError, ValueError):
                found = []
            self._values[number] = found
        return found


class Details:
    """The guards and the nodes of artifacts. Those read last are kept: they never change once they are there."""

    def __init__(self) -> None:
        self._last: dict[str, list[Any]] = {}            # the newest at the end

    def rows(self, query: Query, what: str, table: str, artifact: int, cls: type) -> list[Any]:
        """Those of one artifact, as records of `cls`; `what` names them. Damaged where they cannot be read."""
        found = self._last.pop(what, [])
        for (data,) in query(what, f"SELECT data FROM {table} WHERE artifact = ?", artifact) if not found else ():
            found = from_dicts(cls, parse_json(data))
        if found:
            self._last[what] = found
            if len(self._last) > MOST_KEPT:
                del self._last[next(iter(self._last))]
        return found


class Output:
    """What the script printed, in pieces. Texts are read whenever they are asked for, times once."""

    def __init__(self) -> None:
        self._times = array("q")
        self._last = -1

    def pieces(self, rows: Query, since: int = 0, until: int | None = None) -> list[tuple[int, str, str]]:
        """(ns since start, "stdout" or "stderr", text) from piece `since` to before `until`."""
        found, since = [], max(0, int(since))
        query = "SELECT time, stream, text FROM output ORDER BY id LIMIT ? OFFSET ?"
        for time, stream, text in rows("output", query, -1 if until is None else max(0, until - since), since):
            if isinstance(time, int) and isinstance(stream, str) and isinstance(text, str):
                found.append((time, stream, text))
        return found

    def times(self, rows: Query) -> Sequence[int]:
        """When each piece was printed, ns since start."""
        for number, time in rows("output times", "SELECT id, time FROM output WHERE id > ? ORDER BY id", self._last):
            self._last = number
            self._times.append(time if isinstance(time, int) and 0 <= time < 1 << 62 else 0)
        return self._times
