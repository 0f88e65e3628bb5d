"""A session without its source, or without the values of the script: what may leave the house when the whole may not.

`Scrubbed` stands in for a Session wherever one is read, so every export can leave things out without knowing about it.

- Without source: no source text, no generated text that quotes it (graphs, residual Python, guard functions, kernels),
  files by their last name only, no machine, folder or command line.
- Without values: what Python values and strings were is replaced by labels ("value 1", "value 2", ...), one label per
  value, so that what varies can still be counted. Sizes, dtypes and types stay: without them nothing could be explained.
  Generated texts hold constants of the script, so they go as well.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from .advice import VALUE_KINDS
from .reader import Session
from .schema import Artifact, FailureRow, GuardRow, NodeRow, Value

LEFT_OUT = "(left out)"
_STRING = r"""(?<![\w])[bru]{0,2}(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")"""
_QUOTED = re.compile(_STRING)
_LITERAL = re.compile(_STRING + r"|(?<![\w.\]%])(?<!line )(?<!version )-?\d+(?:\.\d*)?(?:e[-+]?\d+)?(?![\w.])")
# Aspects of a tensor guard: its metadata, which every explanation needs.
META_ASPECTS = frozenset({"size", "stride", "dtype", "device", "rank", "requires_grad", "layout", "type", "symbolic"})
PRIVATE_INFO = ("host", "cwd", "argv", "pid")


@dataclass(frozen=True, slots=True)
class Keep:
    """What an export holds besides the events themselves."""

    source: bool = True
    values: bool = True


class Labels:
    """Distinct values as "value 1", "value 2", ... in order of first appearance."""

    def __init__(self) -> None:
        self._known: dict[str, str] = {}

    def of(self, text: str) -> str:
        """The label of a value's text; "" stays, and so do texts that say a type or that something is absent."""
        if not text or not _is_literal(text):
            return text
        return self._known.setdefault(text, f"value {len(self._known) + 1}")

    def quoted(self, text: str) -> str:
        """A sentence with every string literal in it replaced by its label."""
        return _QUOTED.sub(lambda m: self.of(m[0]) if _is_literal(m[0]) else m[0], text)

    def literals(self, text: str) -> str:
        """A text with string and number literals replaced by their labels."""
        return _LITERAL.sub(lambda m: self.of(m[0]), text)

    def deep(self, value: Any, key: str = "") -> Any:
        """Plain data with every number and string in it replaced; what is under the key "type" stays."""
        if isinstance(value, dict):
            return {k: self.deep(v, str(k)) for k, v in value.items()}
        if isinstance(value, list | tuple):
            return type(value)(self.deep(v, key) for v in value)
        return value if value is None or isinstance(value, bool) or key in ("type", "kind") else self.of(repr(value))


def _is_literal(text: str) -> bool:
    try:
        return ast.literal_eval(text) is not None
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return text in ("nan", "inf", "-inf")


class Scrubbed:
    """What `Session` gives, without what `keep` leaves out. Columns (calls, runs, launches) hold no text and stay."""

    def __init__(self, session: Session, keep: Keep) -> None:
        self._session, self._keep, self._labels = session, keep, Labels()
        self.info = self._info()
        self.path = _last(str(session.path))
        rows: dict[str, Callable[[Any], Any]] = {
            "codes": self._file, "breaks": self._break, "not_compiled": self._reason, "artifacts": self._artifact,
            "misses": self._miss, "limits": self._limit, "kernels": self._kernel, "phases": lambda row: row,
            "decisions": self._text, "events": self._event, "errors": self._error, "results": self._result}
        for name, change in rows.items():
            setattr(self, name, [change(row) for row in getattr(session, name)])
        self.sources = dict(session.sources) if keep.source else {}
        if not keep.values:                  # source text is full of constants, but people asked for it
            self.problems = [LEFT_OUT] * bool(session.problems)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._session, name)

    def guards(self, artifact: int) -> list[GuardRow]:
        return [self._guard(g) for g in self._session.guards(artifact)]

    def nodes(self, artifact: int) -> list[NodeRow]:
        found = [self._file(n) for n in self._session.nodes(artifact)]
        return found if self._keep.values else [replace(n, args=self._labels.literals(n.args)) for n in found]

    def values(self, signature: int) -> list[tuple[str, Value]]:
        found = self._session.values(signature)
        return found if self._keep.values else [(name, _typed(value)) for name, value in found]

    def signature(self, id: int) -> list[tuple[str, str]]:
        if self._keep.values:
            return self._session.signature(id)
        return [(name, self._label(value)) for name, value in self._session.values(id)]

    def output(self, since: int = 0) -> list[tuple[int, str, str]]:
        return self._session.output(since) if self._keep.values else []

    # rows

    def _info(self) -> dict[str, Any]:
        info = dict(self._session.info)
        if not self._keep.source:
            info = {k: v for k, v in info.items() if k not in PRIVATE_INFO}
            info["script"] = _last(str(info.get("script", "")))
        if not self._keep.values:
            info.pop("argv", None)
        return info

    def _file(self, row: Any) -> Any:
        return row if self._keep.source else replace(row, file=_last(row.file))

    def _sentence(self, text: str) -> str:
        return text if self._keep.values else self._labels.quoted(text)

    def _text(self, row: Any) -> Any:
        """A decision: about sizes, which stay, or about a number, which does not."""
        if self._keep.values or ".shape[" in row.text or ".stride(" in row.text:
            return row
        return replace(row, text=self._labels.literals(row.text))

    def _break(self, row: Any) -> Any:
        return replace(self._file(row), sentence=self._sentence(row.sentence), hint=self._sentence(row.hint))

    def _reason(self, row: Any) -> Any:
        return replace(self._file(row), why=self._sentence(row.why))

    def _artifact(self, row: Artifact) -> Artifact:
        if self._keep.source and self._keep.values:
            return row
        owner = row.owner if self._keep.values else self._labels.literals(row.owner)
        return replace(row, graph_text="", python_text="", guard_source="", owner=owner)

    def _kernel(self, row: Any) -> Any:
        return row if self._keep.source and self._keep.values else replace(row, source="")

    def _guard(self, row: GuardRow) -> GuardRow:
        row = self._file(row)
        if self._keep.values or row.kind == "TENSOR_MATCH":
            return row
        hide = self._labels.literals if row.kind in VALUE_KINDS else self._labels.quoted
        return replace(row, facts=self._labels.deep(row.facts), expected=self._labels.of(row.expected),
                       condition=hide(row.condition), why=self._sentence(row.why))

    def _failure(self, f: FailureRow) -> FailureRow:
        if f.aspect in META_ASPECTS or f.kind == "TENSOR_MATCH":
            return f
        return replace(f, expected=self._labels.of(f.expected), seen=self._labels.of(f.seen))

    def _miss(self, row: Any) -> Any:
        return row if self._keep.values else replace(row, failures=tuple(self._failure(f) for f in row.failures))

    def _limit(self, row: Any) -> Any:
        return row if self._keep.values else replace(row, causes=tuple(
            self._sentence(c) if isinstance(c, str) else c for c in row.causes))

    def _event(self, row: Any) -> Any:
        if self._keep.source and self._keep.values:
            return row
        data = {k: v for k, v in row.data.items() if k in ("type", "line")}
        hidden = row.kind == "uncaught" and not self._keep.values
        return replace(row, text=LEFT_OUT if hidden else self._sentence(row.text), data=data)

    def _error(self, row: Any) -> Any:
        return row if self._keep.values else replace(row, message=LEFT_OUT)

    def _result(self, row: Any) -> Any:
        return row if self._keep.values else replace(row, sums={})

    def _label(self, value: Value) -> str:
        return self._labels.of(value.text) if value.kind == "value" else value.text


def _typed(value: Value) -> Value:
    return Value("type", value.type) if value.kind == "value" else value


def _last(path: str) -> str:
    return re.split(r"[\\/]", path)[-1]


def scrubbed(session: Session, keep: Keep) -> Any:
    """The session itself when everything is kept, else one without the rest."""
    return session if keep == Keep() else Scrubbed(session, keep)
