# Cost of recording on the script's thread, and of storing and opening a million calls.
# Run: python benchmarks/bench_recorder.py [CALLS]
# ruff: noqa: I001
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import main  # noqa: E402, F401

from guardscope.core.events.reader import Session  # noqa: E402
from guardscope.core.events.recorder import Recorder  # noqa: E402
from guardscope.core.tensor.devices import CPU  # noqa: E402
from guardscope.core.tensor.dtypes import float32  # noqa: E402
from guardscope.core.tensor.meta import TensorMeta  # noqa: E402
from guardscope.core.tensor.tensor import Tensor  # noqa: E402


def loop(append, artifact, values, calls):
    """Seconds for recording `calls` reused leaf calls as compiled code does, clock reads included."""
    clock = time.perf_counter_ns
    begin = time.perf_counter()
    for _ in range(calls):
        start = clock()
        append((artifact, start, clock(), values))
    return time.perf_counter() - begin


def empty(calls):
    begin = time.perf_counter()
    for _ in range(calls):
        pass
    return time.perf_counter() - begin


def bench(calls):
    values = (TensorMeta.of(Tensor, float32, CPU, (64, 32), (32, 1)), 1.0)
    with tempfile.TemporaryDirectory() as folder:
        recorder = Recorder()
        recorder.open(Path(folder) / "bench.guardscope")
        code = recorder.code("f", "f", "/f.py", 1, 2, params=("x", "scale"))
        artifact = recorder.artifact(code, 0)
        burst = min(loop(recorder.append, artifact, values, 10_000) - empty(10_000) for _ in range(10)) / 10_000
        whole = loop(recorder.append, artifact, values, calls) / calls
        begin = time.perf_counter()
        recorder.close()
        rest = time.perf_counter() - begin
        size = recorder.path.stat().st_size
        begin = time.perf_counter()
        session = Session(recorder.path)
        opened = time.perf_counter() - begin
        count, lost = len(session.calls), [e for e in session.events if e.kind == "lost"]
        session.close()
    print(f"record, best burst of 10000       {burst * 1e9:8.0f} ns per call  (goal 500)")
    print(f"record, {calls} non-stop {whole * 1e9:8.0f} ns per call  (the storing thread takes its share)")
    print(f"store what was left at the end    {rest:8.2f} s")
    print(f"file                              {size / max(count, 1):8.1f} bytes per call")
    print(f"open {count} calls            {opened:8.2f} s{'  ROWS LOST' if lost else ''}")


if __name__ == "__main__":
    bench(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000)
