# Whose version an artifact is, where functions or modules share one code object.
import subprocess
import sys
from pathlib import Path

from guardscope.core.events.reader import Session

SCRIPT = """import torch


def make(weight, op):
    def layer(x):
        return op(x) * weight
    return layer


for weight in (1.5, 2.5):
    torch.compile(make(weight, torch.relu), dynamic=False)(torch.ones(3))


class Block(torch.nn.Module):
    def __init__(self, scale):
        super().__init__()
        self.scale = scale

    def forward(self, x):
        y = x * self.scale
        print("in")
        return y


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = torch.nn.ModuleList([Block(2.0), Block(3.0)])

    def forward(self, x):
        x = self.blocks[0](x)
        return self.blocks[1](x) + 1


torch.compile(Net())(torch.ones(3))


@torch.compile
def alone(x):
    return x + 1


alone(torch.ones(3))
"""


def test_owners(tmp_path: Path) -> None:
    (tmp_path / "owners.py").write_text(SCRIPT)
    target = tmp_path / "owners.guardscope"
    done = subprocess.run([sys.executable, "main.py", "run", str(tmp_path / "owners.py"), "-o", str(target), "--quiet",
                           "--backend", "eager"], capture_output=True, text=True, cwd=Path(__file__).parents[2], timeout=120)
    assert done.returncode == 0, done.stderr
    with Session(target) as session:
        owners: dict[str, list[str]] = {}
        for a in session.artifacts:
            owners.setdefault(session.codes[a.code].name, []).append(a.owner)
    assert owners["layer"] == ["op=relu, weight=1.5", "op=relu, weight=2.5"]
    blocks = [o for o in owners["forward"] if o.startswith(("blocks", "Block", "Net"))]
    assert {"Net 1", "blocks.0", "blocks.1"} <= set(blocks)
    assert owners["alone"] == [""]


def test_an_older_session_has_no_owners(tmp_path: Path) -> None:
    import sqlite3

    from guardscope.core.events.schema import MAJOR

    (tmp_path / "one.py").write_text("import torch\ntorch.compile(lambda x: x + 1, backend='eager')(torch.ones(2))\n")
    target = tmp_path / "one.guardscope"
    subprocess.run([sys.executable, "main.py", "run", str(tmp_path / "one.py"), "-o", str(target), "--quiet"],
                   capture_output=True, text=True, cwd=Path(__file__).parents[2], timeout=120, check=True)
    db = sqlite3.connect(target)
    db.execute("ALTER TABLE artifact DROP COLUMN owner")
    db.execute(f"PRAGMA user_version = {MAJOR << 16 | 1}")
    db.commit()
    db.close()
    with Session(target) as session:
        assert [a.owner for a in session.artifacts] == [""]
        assert not session.problems
