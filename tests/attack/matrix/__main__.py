"""`python -m tests.attack.matrix [--part 0/8] [--words]`: all runs of the matrix (about 21,000 programs), or a part of them."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))
import main  # noqa: E402

main.make_importable()
from guardscope.tests.attack.matrix.run import differences, load  # noqa: E402


def matrix(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.attack.matrix", description=__doc__)
    parser.add_argument("--part", default="0/1", help="every n-th run, from the k-th: k/n")
    parser.add_argument("--only", default="", help="only functions whose name starts so")
    parser.add_argument("--words", action="store_true", help="also where only the text of an exception differs")
    options = parser.parse_args(argv)
    first, step = map(int, options.part.split("/"))
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        module, runs = load(Path(folder))
        chosen = [r for r in runs[first::step] if r[0].startswith(options.only)]
        for run in chosen:
            for found in differences(module, run):
                if options.words or not found.words:
                    wrong += 1
                    print(found, flush=True)
    print(f"{len(chosen)} programs, {wrong} operations differ")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(matrix(sys.argv[1:]))
