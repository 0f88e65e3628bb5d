# What the class of an enum member defines for operators may be replaced between calls.
import subprocess
import sys
from pathlib import Path

SCRIPT = """import enum

import torch


class C(enum.Enum):
    RED = 1
    BLUE = 2


class B(enum.Flag):
    A = 1
    D = 2


BOX = {"s": B.A | B.D}


def f(v, s1=C.RED):
    return s1 == v


def g(v):
    x = BOX["s"]
    return v + 1, x == B.A, {B.A: 1}.get(x), bool(x), x | B.A, str(x), f"{x}", x != torch.relu


def said(h, *a):
    try:
        return str(h(*a))
    except Exception as problem:
        return repr(problem)


pairs = [(C, f, torch.compile(f, backend="eager")), (B, g, torch.compile(g, backend="eager"))]
v = torch.ones(3)
changes = (("__eq__", lambda a, b: True), ("__hash__", lambda s: 5), ("__bool__", lambda s: False), ("__or__", lambda a, b: 7),
           ("__str__", lambda s: "s"), ("__eq__", 5), ("__or__", 6), ("__bool__", 4), ("__format__", lambda s, t: "f"),
           ("__ne__", lambda a, b: 3))
for name, new in changes:
    for cls, plain, fast in pairs:
        said(fast, v)
        old = cls.__dict__.get(name)
        for value in (new, old):
            if value is None:
                type.__delattr__(cls, name)
            else:
                type.__setattr__(cls, name, value)
            want, got = said(plain, v), said(fast, v)
            print("same" if want == got else f"{cls.__name__}.{name}: plain {want}, compiled {got}")
"""


def test_operators_of_members(tmp_path: Path) -> None:
    (tmp_path / "members.py").write_text(SCRIPT)
    done = subprocess.run([sys.executable, "main.py", "run", str(tmp_path / "members.py"), "-o", str(tmp_path / "s.guardscope"),
                           "--quiet"], capture_output=True, text=True, cwd=Path(__file__).parents[2], timeout=120)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert len(lines) == 40 and [line for line in lines if line != "same"] == []
