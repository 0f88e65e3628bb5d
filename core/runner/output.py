"""What a script prints: read from its pipes, passed on, and stored in the session in pieces, without ever growing.

One thread per pipe reads; whoever owns the Output calls `store` now and then. When storing is slower than printing, the
reading waits, and so the script's print does: nothing piles up in memory.
"""

from __future__ import annotations

import codecs
import os
import selectors
import threading
import time
from collections.abc import Callable
from typing import IO

WAITING = 8 << 20            # bytes that may wait to be stored
KEPT = 64 << 20              # bytes of output that a session keeps
PIECE = 1 << 16              # bytes per read
SMALL = 1 << 12              # reads that bring less are followed by a pause
PAUSE = 0.001                # seconds
JOINED = 5_000_000           # ns: what comes within this time of each other is stored as one piece

Echo = Callable[[str, bytes], bool]


class Output:
    """Pumps `pipes` (stream name -> binary file). `echo(stream, bytes)` passes output on; False closes that pipe, as
    when the terminal's end is gone. `zero`: time.perf_counter_ns() at the session's start."""

    def __init__(self, pipes: dict[str, IO[bytes]], zero: int, echo: Echo | None = None) -> None:
        self.zero, self._echo = zero, echo
        self._pieces: list[tuple[int, str, bytes]] = []
        self._bytes = self._kept = 0
        self._room = threading.Condition()
        self._stopping = self._full = False
        decoder = codecs.getincrementaldecoder("utf-8")
        self._decoders = {name: decoder("replace") for name in pipes}
        self._threads = [threading.Thread(target=self._pump, args=(name, pipe), name=f"guardscope {name}", daemon=True)
                         for name, pipe in pipes.items()]
        for thread in self._threads:
            thread.start()

    def _pump(self, name: str, pipe: IO[bytes]) -> None:
        fd = pipe.fileno()
        with pipe, selectors.DefaultSelector() as selector:
            if os.name == "posix":
                selector.register(fd, selectors.EVENT_READ)
            while not self._stopping:
                if os.name == "posix" and not selector.select(0.1):
                    continue
                try:
                    data = os.read(fd, PIECE)
                except OSError:
                    return
                if not data:
                    return
                now = time.perf_counter_ns() - self.zero
                with self._room:
                    self._pieces.append((now, name, data))
                    self._bytes += len(data)
                if self._echo is not None and not self._echo(name, data):
                    return
                if len(data) < SMALL:
                    time.sleep(PAUSE)        # let more come: a million short lines are then a thousand reads
                with self._room:
                    while self._bytes > WAITING and not self._stopping:
                        self._room.wait(0.1)

    @property
    def ended(self) -> bool:
        """Both pipes are closed and read to their end."""
        return not any(thread.is_alive() for thread in self._threads)

    def join_for(self, seconds: float) -> None:
        """Wait a moment for the end of the pipes."""
        for thread in self._threads:
            thread.join(seconds / len(self._threads))

    def join(self, timeout: float) -> None:
        """Wait for the end of the pipes; after the timeout (a grandchild may hold them open) stop reading."""
        deadline = time.monotonic() + timeout
        for thread in self._threads:
            thread.join(max(0.0, deadline - time.monotonic()))
        self._stopping = True

    def take(self, last: bool = False) -> list[tuple[int, str, str]]:
        """What came since the last take, as (ns, stream, text), what one stream brought within JOINED in one piece. `last`
        also gives up on half characters."""
        with self._room:
            pieces, self._pieces, self._bytes = self._pieces, [], 0
            self._room.notify_all()
        rows: list[tuple[int, str, str]] = []
        joined: list[tuple[int, str, list[bytes]]] = []
        for now, name, data in pieces:
            if self._kept >= KEPT:
                continue
            self._kept += len(data)
            if not joined or joined[-1][1] != name or now - joined[-1][0] > JOINED:
                joined.append((now, name, []))
            joined[-1][2].append(data)
        for now, name, parts in joined:
            text = self._decoders[name].decode(b"".join(parts))
            if self._kept >= KEPT and not self._full:
                self._full = True
                text += f"\n[guardscope: output beyond {KEPT >> 20} MiB is not kept]\n"
            if text:
                rows.append((now, name, text))
        if last:
            for name, decoder in self._decoders.items():
                if rest := decoder.decode(b"", final=True):
                    rows.append((time.perf_counter_ns() - self.zero, name, rest))
        return rows
