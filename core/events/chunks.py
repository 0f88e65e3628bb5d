"""Column chunks of a stream on the writer's side: rows are gathered, stored as small chunks at every flush, and merged
into one full chunk of CHUNK rows when enough have come, so that nothing waits in memory and reading stays fast."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .schema import CHUNK, STREAMS

Statement = tuple[str, tuple[Any, ...]]


class ChunkWriter:
    """Turns rows of one stream into INSERT statements. The statements must be executed in order, exactly once."""

    def __init__(self, stream: str) -> None:
        self.table = f"{stream}_chunk"
        self.columns = [(name, np.dtype(kind)) for name, kind, _ in STREAMS[stream]]
        self.limits = [(np.iinfo(dtype).min, np.iinfo(dtype).max) for _, dtype in self.columns]
        self.rows: list[Sequence[int]] = []
        self.pieces: list[list[np.ndarray]] = []
        self.block: list[list[np.ndarray]] = []
        self.block_first = 0
        self.block_count = 0
        names = ", ".join(f'"{name}"' for name, _ in self.columns)
        marks = ", ".join("?" * (len(self.columns) + 2))
        self.insert = f'INSERT INTO "{self.table}" (first, count, {names}) VALUES ({marks})'
        self.delete = f'DELETE FROM "{self.table}" WHERE first >= ? AND first < ?'

    def append(self, row: Sequence[int]) -> None:
        """One row, in the order of the stream's columns."""
        self.rows.append(row)

    def extend(self, columns: list[np.ndarray]) -> None:
        """Many rows, as one array per column."""
        self._settle_rows()
        self.pieces.append(columns)

    @property
    def waiting(self) -> bool:
        return bool(self.rows or self.pieces)

    def take(self) -> list[Statement]:
        """Statements that store everything gathered since the last take."""
        self._settle_rows()
        if not self.pieces:
            return []
        columns = join(self.pieces)
        self.pieces = []
        statements: list[Statement] = []
        done, total = 0, len(columns[0])
        while done < total:
            part = [c[done:done + CHUNK - self.block_count] for c in columns]
            count = len(part[0])
            if self.block_count + count == CHUNK:
                self.block.append(part)
                statements += self._merge()
            else:
                statements.append(self._insert(self.block_first + self.block_count, part))
                self.block.append(part)
                self.block_count += count
            done += count
        return statements

    def finish(self) -> list[Statement]:
        """Statements that merge the last, partial block into one chunk."""
        return self._merge() if len(self.block) > 1 else []

    def _merge(self) -> list[Statement]:
        whole = join(self.block)
        first = self.block_first
        out = [(self.delete, (first, first + CHUNK)), self._insert(first, whole)]
        self.block, self.block_count = [], 0
        self.block_first = first + len(whole[0])
        return out

    def _insert(self, first: int, columns: list[np.ndarray]) -> Statement:
        return self.insert, (first, len(columns[0]), *(c.tobytes() for c in columns))

    def _settle_rows(self) -> None:
        if self.rows:
            rows, self.rows = self.rows, []
            self.pieces.append([np.clip(np.array(column, np.int64), low, high).astype(dtype)
                                for column, (_, dtype), (low, high) in zip(zip(*rows), self.columns, self.limits)])


def join(pieces: list[list[np.ndarray]]) -> list[np.ndarray]:
    """Concatenate pieces column by column."""
    return pieces[0] if len(pieces) == 1 else [np.concatenate(parts) for parts in zip(*pieces)]
