"""`main.py check SCRIPT|SESSION`: does a run stay within its budget? For builds: reasons, JSON, JUnit, exit status, baseline.

A baseline is a small JSON file with the causes of an earlier run, kept in version control; with it, only what is new or more
than there makes the check fail.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from xml.etree import ElementTree

from ..errors import EnvironmentProblem, ScriptError
from ..events import summary
from ..events.compare import KIND_WORDS, causes_by_name
from ..events.reader import Session

FORMAT = 1
MOST_REASONS = 10
# What can be limited: (name of the option, what is counted, in words).
LIMITS: dict[str, str] = {"recompiles": "recompilations", "breaks": "graph breaks",
                          "eager": "calls run eagerly after the limit",
                          "not_compiled": "functions that are not compiled", "unchecked": "values read and not checked",
                          "errors": "errors", "shadow": "reused calls that plain Python answers otherwise"}


@dataclass(frozen=True, slots=True)
class Check:
    """One condition: `value` may be at most `limit`. `reasons`: sentences, dearest first; empty when it holds."""

    name: str
    words: str
    limit: int
    value: int
    reasons: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        return self.value <= self.limit

    @property
    def sentence(self) -> str:
        return f"{self.value} {self.words}, at most {self.limit} allowed"


def unchecked(session: Session) -> list[str]:
    """Values that were read while a version was traced and that nothing protects: "self.flag, read by f version 0"."""
    found = []
    for a in session.artifacts:
        title = session.codes[a.code].title.rpartition("<locals>.")[2]
        for read in a.reads:
            how = str(read.get("protected", "")).partition(":")[0]
            if how not in ("checked", "input", "constant"):
                found.append(f"{read.get('origin')}, read by {title} version {a.version}")
    return found


def check(session: Session, limits: dict[str, int], baseline: dict[str, int] | None = None) -> list[Check]:
    """Every condition with its outcome. limits: by name of LIMITS. baseline: causes and counts of an earlier run."""
    totals = {**summary.totals(session), "unchecked": len(unchecked(session))}
    found = []
    for name, limit in limits.items():
        value = totals[name]
        reasons = tuple(REASONS[name](session)[:MOST_REASONS]) if value > limit else ()
        found.append(Check(name, LIMITS[name], limit, value, reasons))
    if baseline is not None:
        worse = []
        for name, count in causes_by_name(session).items():
            before = baseline.get(name, 0)
            if count > before:
                worse.append(f"{name}: {count}" + (f", {before} in the baseline" if before else ", not in the baseline"))
        found.append(Check("baseline", "causes that are new or more than in the baseline", 0, len(worse), tuple(worse)))
    return found


def _causes(session: Session) -> list[str]:
    return [a.text for a in summary.advice(session) if a.versions]


def _breaks(session: Session) -> list[str]:
    return list(dict.fromkeys(f"line {b.line} of {session.codes[b.code].title}: {b.sentence}" for b in session.breaks))


def _given_up(session: Session) -> list[str]:
    return [f"{g.title}, because of line {g.line}: {g.why}" for g in summary.given_up(session)] + [
        e.text for e in session.events if e.kind == "not_compiled"]


def _errors(session: Session) -> list[str]:
    return [e.text for e in session.events if e.kind == "uncaught"] + [f"{e.type}: {e.message}" for e in session.errors]


def _differences(session: Session) -> list[str]:
    return [event.text for event in summary.shadow_differences(session)]


REASONS: dict[str, Callable[[Session], list[str]]] = {
    "recompiles": _causes, "breaks": _breaks, "eager": _causes, "not_compiled": _given_up, "unchecked": unchecked,
    "errors": _errors, "shadow": _differences}


# -- files

def read_baseline(path: str) -> dict[str, int]:
    """Causes and counts from a baseline file. ScriptError or EnvironmentProblem if it is none."""
    try:
        data = json.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as problem:
        raise EnvironmentProblem(f"the baseline {path} cannot be read ({problem.strerror}); write one with "
                                 "--write-baseline") from None
    except ValueError:
        raise ScriptError(f"{path} is not a baseline: it is not JSON; write one with --write-baseline") from None
    causes = data.get("causes") if isinstance(data, dict) else None
    if not isinstance(causes, dict) or not all(isinstance(v, int) for v in causes.values()) \
            or data.get("guardscope_baseline") != FORMAT:
        raise ScriptError(f"{path} is not a baseline of this version; write a new one with --write-baseline")
    return causes


def write_baseline(path: str, session: Session) -> None:
    data = {"guardscope_baseline": FORMAT, "causes": dict(sorted(causes_by_name(session).items()))}
    _write(path, json.dumps(data, indent=1) + "\n")


def as_json(checks: list[Check], session: Session) -> str:
    """The outcome for programs."""
    return json.dumps({"ok": all(c.ok for c in checks), "script": session.info.get("script"), "state": session.state,
                       "exit_status": session.info.get("exit_code"),
                       "checks": [{**asdict(c), "ok": c.ok} for c in checks], "causes": causes_by_name(session)}, indent=1)


def write_junit(path: str, checks: list[Check], name: str) -> None:
    """The outcome as build servers read it: one test case per condition."""
    failed = [c for c in checks if not c.ok]
    suite = ElementTree.Element("testsuite", name=f"guardscope {name}", tests=str(len(checks)), failures=str(len(failed)),
                                errors="0")
    for c in checks:
        case = ElementTree.SubElement(suite, "testcase", classname=f"guardscope.{name}", name=c.name)
        if not c.ok:
            ElementTree.SubElement(case, "failure", message=c.sentence).text = _xml("\n".join(c.reasons))
    _write(path, ElementTree.tostring(suite, encoding="unicode", xml_declaration=True) + "\n")


def _xml(text: str) -> str:
    """Without the characters that XML cannot hold."""
    return "".join(c if c in "\n\t" or " " <= c <= "\ud7ff" or "\ue000" <= c <= "\ufffd" or c > "\uffff" else "?" for c in text)


def _write(path: str, text: str) -> None:
    try:
        Path(path).write_text(text, encoding="utf-8")
    except OSError as problem:
        raise EnvironmentProblem(f"{path} cannot be written ({problem.strerror})") from None


def kinds() -> str:
    """The kinds of causes a baseline counts, for the help text."""
    return ", ".join(KIND_WORDS.values())
