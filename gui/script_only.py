"""What the model shows for a script that has not been run: its text, and no rows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ..core.events.columns import CALL_COLUMNS, Columns
from ..core.events.schema import STREAMS


class ScriptOnly:
    """Stands in for a Session until the script runs."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.state = "finished"
        self.info: dict[str, Any] = {"script": str(path), "ending": "not run yet; press Run"}
        self.sources = {str(path): path.read_text(encoding="utf-8", errors="replace")}
        self.runs = Columns({name: kind for name, kind, _ in STREAMS["run"]})
        self.launches = Columns({name: kind for name, kind, _ in STREAMS["launch"]})
        self.calls = Columns(CALL_COLUMNS)
        self.signature_count = 0
        self.live: list[Any] = []
        for name in ("codes", "artifacts", "misses", "breaks", "not_compiled", "limits", "kernels", "phases",
                     "decisions", "events", "errors", "results", "problems"):
            setattr(self, name, [])

    def refresh(self) -> bool:
        return False

    def close(self) -> None:
        pass

    def guards(self, artifact: int) -> list[Any]:
        return []

    def nodes(self, artifact: int) -> list[Any]:
        return []

    def signature(self, number: int) -> list[Any]:
        return []

    def values(self, signature: int) -> list[Any]:
        return []

    def output(self, since: int = 0) -> list[Any]:
        return []
