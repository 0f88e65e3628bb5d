"""A session as JSON, as CSV (one row per call), as Chrome's Trace Event Format, which Perfetto and speedscope open, or as
one HTML page (core/events/html_report.py).

Everything is written piece by piece, so a million calls need no more memory than the session itself.
"""

from __future__ import annotations

import csv
import dataclasses
import json
from collections.abc import Callable, Iterator
from typing import IO, Any

from . import summary
from .html_report import export_html
from .reader import Session
from .schema import OUTCOMES

STEP = 10_000


def export_json(session: Session, file: IO[str]) -> None:
    """One object: info, codes, artifacts (with guards and nodes), misses, breaks, ..., causes, advice, and `calls` and
    `runs` as columns of equal length."""
    parts: list[tuple[str, Callable[[], Any]]] = [
        ("format", lambda: "guardscope-export/1"),
        ("info", lambda: {**session.info, "state": session.state}),
        ("totals", lambda: summary.totals(session)),
        ("outcomes", lambda: list(OUTCOMES)),
        ("codes", lambda: rows(session.codes)),
        ("artifacts", lambda: [{**dataclasses.asdict(a), "guards": rows(session.guards(a.id)),
                                "nodes": rows(session.nodes(a.id))} for a in session.artifacts]),
        ("misses", lambda: rows(session.misses)), ("breaks", lambda: rows(session.breaks)),
        ("not_compiled", lambda: rows(session.not_compiled)), ("limits", lambda: rows(session.limits)),
        ("kernels", lambda: rows(session.kernels)), ("phases", lambda: rows(session.phases)),
        ("decisions", lambda: rows(session.decisions)), ("events", lambda: rows(session.events)),
        ("errors", lambda: rows(session.errors)), ("results", lambda: rows(session.results)),
        ("causes", lambda: rows(summary.causes(session))), ("advice", lambda: rows(summary.advice(session))),
        ("signatures", lambda: [dict(session.signature(i)) for i in range(session.signature_count)]),
        ("calls", lambda: {name: session.calls[name].tolist() for name in session.calls.names}),
        ("runs", lambda: {name: session.runs[name].tolist() for name in session.runs.names}),
        ("launches", lambda: {name: session.launches[name].tolist() for name in session.launches.names}),
        ("sources", lambda: session.sources),
        ("problems", lambda: session.problems),
    ]
    for number, (name, make) in enumerate(parts):
        file.write(("{" if number == 0 else ",\n") + json.dumps(name) + ": " + json.dumps(plain(make())))
    file.write("}\n")


def export_csv(session: Session, file: IO[str]) -> None:
    """One row per top-level call."""
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(["call", "function", "line", "outcome", "artifact", "start_ns", "duration_ns", "runs", "new_graphs",
                     "graphs_run", "new_breaks", "arguments"])
    calls, runs = session.calls, session.runs
    texts: dict[int, str] = {}
    for begin in range(0, len(calls), STEP):
        part = {name: calls[name][begin:begin + STEP].tolist() for name in calls.names}
        first = calls["first_run"][begin:begin + STEP]
        artifacts, signatures = runs["artifact"][first].tolist(), runs["signature"][first].tolist()
        for i, (artifact, signature) in enumerate(zip(artifacts, signatures)):
            if signature not in texts:
                texts[signature] = ", ".join(f"{name}={text}" for name, text in session.signature(signature))
            writer.writerow([begin + i, session.codes[part["code"][i]].title, part["line"][i] or "",
                             OUTCOMES[part["outcome"][i]], artifact if artifact >= 0 else "", part["start"][i],
                             part["end"][i] - part["start"][i], part["n_runs"][i], part["new_graphs"][i],
                             part["graphs_run"][i], part["new_breaks"][i], texts[signature]])


def export_chrome(session: Session, file: IO[str]) -> None:
    """Trace Event Format: one lane per code, one for compile phases, one per device. Times in microseconds."""
    file.write('{"displayTimeUnit": "ns", "traceEvents": [\n')
    first = True
    for event in trace_events(session):
        file.write(("" if first else ",\n") + json.dumps(plain(event)))
        first = False
    file.write("\n]}\n")


def trace_events(session: Session) -> Iterator[dict[str, Any]]:
    """The events of export_chrome."""
    script, phases, devices = 1, 2, 3
    for pid, name in ((script, "script"), (phases, "compiler"), (devices, "devices")):
        yield {"ph": "M", "name": "process_name", "pid": pid, "args": {"name": name}}
    for code in session.codes:
        yield {"ph": "M", "name": "thread_name", "pid": script, "tid": code.id, "args": {"name": code.title}}
        yield {"ph": "M", "name": "thread_name", "pid": phases, "tid": code.id, "args": {"name": code.title}}
    runs = session.runs
    for begin in range(0, len(runs), STEP):
        part = {name: runs[name][begin:begin + STEP].tolist() for name in runs.names}
        for i in range(len(part["call"])):
            outcome, code = OUTCOMES[part["outcome"][i]], part["code"][i]
            name = f"{session.codes[code].title} {outcome}"
            yield {"ph": "X", "cat": outcome, "name": name, "pid": script, "tid": code,
                   "ts": part["start"][i] / 1e3, "dur": (part["end"][i] - part["start"][i]) / 1e3,
                   "args": {"call": part["call"][i], "artifact": part["artifact"][i], "line": part["line"][i]}}
    for phase in session.phases:
        yield {"ph": "X", "cat": "compile", "name": phase.name, "pid": phases, "tid": phase.code,
               "ts": phase.start / 1e3, "dur": (phase.end - phase.start) / 1e3,
               "args": {"artifact": phase.artifact, "call": phase.call}}
    lanes = {device: lane for lane, device in enumerate(sorted({k.device for k in session.kernels}))}
    for device, lane in lanes.items():
        yield {"ph": "M", "name": "thread_name", "pid": devices, "tid": lane, "args": {"name": device}}
    launches = session.launches
    for begin in range(0, len(launches), STEP):
        part = {name: launches[name][begin:begin + STEP].tolist() for name in launches.names}
        for kernel, start, end in zip(part["kernel"], part["start"], part["end"]):
            k = session.kernels[kernel]
            yield {"ph": "X", "cat": "kernel", "name": k.name, "pid": devices, "tid": lanes[k.device],
                   "ts": start / 1e3, "dur": (end - start) / 1e3, "args": {"artifact": k.artifact}}
    for broken in session.breaks:
        yield {"ph": "i", "s": "g", "cat": "break", "name": f"graph break: {broken.sentence}", "pid": script,
               "tid": broken.code, "ts": broken.time / 1e3, "args": {"line": broken.line}}


def rows(records: list[Any]) -> list[dict[str, Any]]:
    """Records as dicts."""
    return [dataclasses.asdict(record) for record in records]


def plain(value: Any) -> Any:
    """JSON that every reader accepts: NaN and infinities become texts."""
    if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
        return str(value)
    if isinstance(value, dict):
        return {str(k): plain(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return value if value and type(value[0]) is int else [plain(v) for v in value]
    return value


Export = Callable[[Session, IO[str]], None]
FORMATS: dict[str, Export] = {"json": export_json, "csv": export_csv, "chrome": export_chrome, "html": export_html}
