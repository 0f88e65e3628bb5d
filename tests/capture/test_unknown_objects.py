# Objects of classes written in C: what they can do is not guessed, so no error is raised that plain Python would not raise.
# (Texts of errors may differ: a class of C names itself with its module there.)
import subprocess
import sys
from pathlib import Path

HEAD = """import decimal
import fractions
import types

import numpy as np
import torch

H = types.SimpleNamespace(a=np.int64(2), b=np.arange(3), c=memoryview(b"abc"), d=decimal.Decimal("1.5"),
                          e=fractions.Fraction(3, 2))
"""
TAIL = """    plain, got = f(torch.ones(2)), torch.compile(f, backend="eager")(torch.ones(2))
    print("same" if plain[1] == got[1] else f"{f.__name__}: plain {plain[1]}, compiled {got[1]}")
"""
EXPRESSIONS = ("float(x)", "int(x)", "[1, 2, 3][x]", "-x", "~x", "f'{x:>5}'", "list(reversed(x))", "list(range(x))", "bool(x)",
               "x + 1", "1 - x", "x < 2", "len(x)", "hash(x) == hash(x)", "next(x)", "abs(x)", "round(x)", "complex(x)", "x[0]",
               "(lambda p, *q: p)(*x)", "'%s' % (x,)", "sum([x, x])", "max([x])", "x @ x", "x()", "2 in x", "[] + x", "'a' * x")


def test_nothing_is_claimed_of_them(tmp_path: Path) -> None:
    lines, names = [HEAD], []
    for i, expression in enumerate(EXPRESSIONS):
        for name in "abcde":
            names.append(f"f{i}{name}")
            lines.append(f"\n\ndef f{i}{name}(v):\n    x = H.{name}\n    try:\n        r = {expression}\n"
                         f"    except Exception as problem:\n        r = type(problem).__name__\n    return v + 1, str(r)\n")
    lines.append(f"\n\nfor f in ({', '.join(names)}):\n" + TAIL)
    script = tmp_path / "objects.py"
    script.write_text("".join(lines))
    done = subprocess.run([sys.executable, "main.py", "run", str(script), "-o", str(tmp_path / "s.guardscope"), "--quiet"],
                          capture_output=True, text=True, cwd=Path(__file__).parents[2], timeout=120)
    assert done.returncode == 0, done.stderr
    said = done.stdout.splitlines()
    assert len(said) == len(names) and [line for line in said if line != "same"] == []
