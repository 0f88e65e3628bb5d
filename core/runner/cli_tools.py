"""Commands that judge runs: compare, check and lab. What they print and decide is in files of their own."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from ..errors import ScriptError


def compare(argv: list[str]) -> int:
    """Two sessions by causes. With --fail-on-worse the exit status is 1 when the second has new or more causes."""
    from . import cli
    from .comparing import compare_sessions

    parser = cli.Parser(prog="main.py compare", description="compare two sessions by the causes of recompilation: A before, "
                    "B after", allow_abbrev=False)
    parser.add_argument("a", metavar="A")
    parser.add_argument("b", metavar="B")
    parser.add_argument("--json", action="store_true", help="as JSON")
    parser.add_argument("--fail-on-worse", action="store_true", help="exit with 1 when B has new causes, or more of one")
    options = parser.parse_args(argv)
    found = compare_sessions(options.a, options.b, options.json)
    return 1 if options.fail_on_worse and found.worse else 0


def check_parser() -> argparse.ArgumentParser:
    from . import cli
    from .checking import LIMITS, kinds

    parser = cli.Parser(prog="main.py check", description=cli.COMMANDS["check"], allow_abbrev=False,
                    usage="main.py check SCRIPT|SESSION [options] [ARGS...] [-- ARGS...]",
                    epilog="Without a limit or a baseline nothing may fail or run eagerly. A baseline counts causes: "
                           f"{kinds()}.")
    parser.add_argument("path", metavar="SCRIPT|SESSION")
    parser.add_argument("arguments", metavar="ARGS", nargs="*", help="arguments of the script")
    for name, words in LIMITS.items():
        option = name.replace("_", "-")
        parser.add_argument(f"--max-{option}", type=not_negative, metavar="N", help=f"{words}: at most N")
        parser.add_argument(f"--no-{option}", action="store_const", const=0, dest=f"max_{name}", help=f"--max-{option} 0")
    parser.add_argument("--shadow", type=cli.positive, metavar="N", default=0,
                        help="repeat every N-th reused call in plain Python; a difference fails the check")
    parser.add_argument("--baseline", metavar="FILE", help="fail only for causes that are new or more than in FILE")
    parser.add_argument("--write-baseline", metavar="FILE", help="write the causes of this run to FILE")
    parser.add_argument("--json", action="store_true", help="the outcome as JSON on standard output")
    parser.add_argument("--junit", metavar="FILE", help="the outcome for build servers")
    parser.add_argument("-o", "--output", metavar="SESSION", help="keep the session in this file")
    parser.add_argument("--device", default="auto", help="an OpenCL device by part of its name")
    parser.add_argument("--dynamic", choices=list(cli.DYNAMIC), default="none", help="default of torch.compile(dynamic=)")
    parser.add_argument("--backend", choices=["opencl", "eager"], default="opencl", help="eager runs graphs on NumPy")
    return parser


def not_negative(text: str) -> int:
    if not text.isdigit():
        raise argparse.ArgumentTypeError(f"{text} is not a number from 0 on")
    return int(text)


def check(argv: list[str]) -> int:
    """Exit status: 0 within the budget, 1 beyond it, the script's own if that is not 0, 2 if it cannot be checked."""
    import tempfile

    from ..events.reader import Session
    from . import checking, cli

    cut = argv.index("--") if "--" in argv else len(argv)
    options, unknown = check_parser().parse_known_intermixed_args(argv[:cut])
    if unknown:
        raise ScriptError(f"there is no option {unknown[0]}; options of the script itself come after --")
    limits = {name: value for name in checking.LIMITS if (value := getattr(options, f"max_{name}")) is not None}
    if options.shadow:
        limits.setdefault("shadow", 0)
    if not limits and options.baseline is None and options.write_baseline is None:
        limits = {"eager": 0, "not_compiled": 0, "errors": 0}
    baseline = checking.read_baseline(options.baseline) if options.baseline is not None else None
    with tempfile.TemporaryDirectory(prefix="guardscope-") as folder:
        path, status = options.path, 0
        if not cli.looks_like_session(path):
            settings = {"dynamic": cli.DYNAMIC[options.dynamic], "device": options.device, "backend": options.backend,
                        "shadow": options.shadow}
            path = options.output or os.path.join(folder, "check.guardscope")
            status = cli.record(options.path, [*options.arguments, *argv[cut + 1:]], path, settings, [], quiet=True,
                            echo=cli.to_stderr if options.json else cli.passed_on)
        with Session(path) as session:
            found = checking.check(session, limits, baseline)
            if options.write_baseline is not None:
                checking.write_baseline(options.write_baseline, session)
            if options.junit is not None:
                checking.write_junit(options.junit, found, Path(options.path).stem)
            if options.json:
                print(checking.as_json(found, session))
    for c in found:
        print(f"guardscope: {'ok' if c.ok else 'FAILED'}: {c.sentence}", file=sys.stderr)
        for reason in c.reasons:
            print(f"    {reason}", file=sys.stderr)
    return 1 if not all(c.ok for c in found) else status


def lab(argv: list[str]) -> int:
    """A table on standard output, one line per policy; the trials' sessions are kept only with --keep."""
    from . import cli
    from .lab_report import lab_parser_options, run_lab

    parser = cli.Parser(prog="main.py lab", description=cli.COMMANDS["lab"], allow_abbrev=False,
                    usage="main.py lab SCRIPT [options] [ARGS...] [-- ARGS...]")
    lab_parser_options(parser)
    cut = argv.index("--") if "--" in argv else len(argv)
    options, unknown = parser.parse_known_intermixed_args(argv[:cut])
    if unknown:
        raise ScriptError(f"there is no option {unknown[0]}; options of the script itself come after --")
    return run_lab(options, [*options.arguments, *argv[cut + 1:]])
