"""`--fail-on`: conditions on a recorded run that make a build fail, such as `recompiles>3`."""

from __future__ import annotations

import operator
import re
from collections.abc import Iterable
from dataclasses import dataclass

from ..errors import ScriptError
from ..events import summary
from ..events.reader import Session

NAMES = ("recompiles", "compiles", "breaks", "eager", "not_compiled", "errors", "artifacts", "shadow")
OPERATORS = {">=": operator.ge, "<=": operator.le, "==": operator.eq, "!=": operator.ne, ">": operator.gt,
             "<": operator.lt}
PATTERN = re.compile(r"\s*([a-z_]+)\s*(?:(>=|<=|==|!=|>|<)\s*(\d+)\s*)?")


@dataclass(frozen=True, slots=True)
class Budget:
    """Fail when `name sign bound` holds for the session's totals."""

    name: str
    sign: str
    bound: int

    def verdict(self, session: Session) -> str | None:
        """Why the run fails, or None when it does not."""
        value = summary.totals(session)[self.name]
        if not OPERATORS[self.sign](value, self.bound):
            return None
        return f"{self.name} is {value}, which is {self.sign} {self.bound}{self._cause(session)}"

    def _cause(self, session: Session) -> str:
        """The dearest thing to look at first."""
        if self.name in ("recompiles", "artifacts", "eager"):
            found = [a for a in summary.advice(session) if a.versions]
        elif self.name in ("breaks", "not_compiled"):
            wanted = "break" if self.name == "breaks" else "not_compiled"
            found = [a for a in summary.advice(session) if a.kind == wanted]
        else:
            found = []
        return f" ({found[0].text})" if found else ""


def parse_budgets(texts: Iterable[str]) -> list[Budget]:
    """`["recompiles>3,breaks"]` to Budgets; a bare name means "more than none". ScriptError names what is wrong."""
    found = []
    for part in (part for text in texts for part in text.split(",")):
        match = PATTERN.fullmatch(part)
        if match is None:
            raise ScriptError(f"--fail-on does not understand '{part.strip()}'; write for example 'recompiles>3'")
        name, sign, bound = match.groups()
        if name not in NAMES:
            raise ScriptError(f"--fail-on knows no '{name}'; it knows {', '.join(NAMES)}")
        found.append(Budget(name, sign or ">", int(bound or 0)))
    return found
