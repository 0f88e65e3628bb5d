"""`python -m tests.conformance DIR [--kind a] [--write OUT] [-v]`: run DIR/scripts/*.py and score them against DIR/facts.

Every call that differs must be listed, with its reason, in docs/differences.md, and every listed one must differ so: the
exit status says whether that holds. `--list` rewrites the list from what was measured.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
import main  # noqa: E402

main.make_importable()
from tests.conformance.compare import call_differences, differences, dimension_differences  # noqa: E402
from tests.conformance.listed import Row, disagreements, measured, rewrite  # noqa: E402
from tests.conformance.record import record, write  # noqa: E402


def run(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.conformance", description=__doc__)
    parser.add_argument("folder", type=Path, help="a folder with scripts/ and facts/")
    parser.add_argument("--kind", default="", help="only scripts whose name starts so, for example a or c05")
    parser.add_argument("--write", type=Path, metavar="OUT", help="leave our record of each script in OUT/NAME.json")
    parser.add_argument("-v", "--verbose", action="store_true", help="every difference, not only the first three")
    parser.add_argument("--list", action="store_true", help="rewrite the calls listed in docs/differences.md")
    options = parser.parse_args(argv)
    scripts = sorted(p for p in (options.folder / "scripts").glob("*.py") if p.name.startswith(options.kind))
    if not scripts:
        print(f"no script in {options.folder / 'scripts'} starts with {options.kind!r}", file=sys.stderr)
        return 2
    if options.write is not None:
        options.write.mkdir(parents=True, exist_ok=True)
    score: dict[str, list[int]] = {}
    calls = [0, 0]
    wrong = 0
    rows: list[Row] = []
    unlisted: list[str] = []
    for script in scripts:
        expected = json.loads((options.folder / "facts" / f"{script.stem}.json").read_text(encoding="utf-8"))
        actual = record(script)
        if options.write is not None:
            write(actual, options.write / f"{script.stem}.json")
        found = differences(expected, actual)
        differing = measured(script.stem, expected, actual)
        rows += differing
        if found and not differing:
            unlisted.append(f"{script.stem}: {found[0]}, though every call is equal")
        dims = dimension_differences(expected, actual) if not found else []
        same = sum(not call_differences(e, a) for e, a in zip(expected["calls"], actual["calls"]))
        calls[0] += same
        calls[1] += len(expected["calls"])
        wrong += any("WRONG" in f for f in found)
        kind = score.setdefault(script.name[0], [0, 0])
        kind[0] += not found
        kind[1] += 1
        mark = "equal" if not found and not dims else "equal, other dims" if not found else "differs"
        print(f"{script.stem:40} {mark:18} {same}/{len(expected['calls'])} calls"
              + (f"   {actual['uncaught']}" if actual["uncaught"] and not expected["uncaught"] else ""))
        for line in [*found, *dims][:None if options.verbose else 3]:
            print(f"    {line}")
    for kind, (good, total) in score.items():
        print(f"kind {kind}: {good} of {total} scripts equal at level 1")
    good, total = (sum(s[i] for s in score.values()) for i in (0, 1))
    print(f"all: {good} of {total} scripts, {calls[0]} of {calls[1]} calls equal; scripts with a wrong number: {wrong}")
    names = {p.stem for p in scripts}
    if options.list:
        rewrite(rows, names)
    problems = [*unlisted, *disagreements(rows, names)]
    print(f"{len(rows)} calls differ; " + ("all as listed" if not problems else f"{len(problems)} not as listed:"))
    for problem in problems:
        print(f"    {problem}")
    return 1 if problems or wrong else 0


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:]))
