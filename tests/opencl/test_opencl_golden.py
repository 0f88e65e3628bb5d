"""The kernels that people read, word for word: tests/golden/kernels. `pytest --update-golden` writes them anew."""
from pathlib import Path

import numpy as np
import pytest

GOLDEN = Path(__file__).parent.parent / "golden" / "kernels"
SCRIPT = {
    "softmax": "y = torch.softmax(x, -1)",
    "layer_norm": "y = F.layer_norm(x, (x.shape[-1],), w, b)",
    "chain": "y = torch.relu(x * w + b) * 0.5 - x",
    "column_sum": "y = (x * w).sum(0)",
    "total": "y = x.mean()",
    "rotary": "y = x * b + torch.cat((-x[:, 200:], x[:, :200]), -1) * w",
    "padded": "y = F.pad(x, (2, 1), value=1.0).relu() * 2",
    "heads": "y = torch.tanh(x.view(300, 4, 100).transpose(0, 1).reshape(4, -1))",
}


@pytest.mark.parametrize("schedule", ["cpu", "gpu"])
@pytest.mark.parametrize("name", SCRIPT)
def test_kernel_text(graphs, request, tmp_path, name, schedule):
    torch = graphs.torch
    script = tmp_path / "model.py"
    script.write_text(SCRIPT[name] + "\n")
    scope = {"torch": torch, "F": torch.nn.functional}
    code = compile(SCRIPT[name], str(script), "exec")

    def model(x, w, b):
        names = {**scope, "x": x, "w": w, "b": b}
        exec(code, names)
        return names["y"]

    x = np.zeros((300, 400), np.float32)
    w, b = np.zeros(400, np.float32), np.zeros(400, np.float32)
    graph = graphs.trace(model, x, w, b, span=graphs.Span(str(script), 1), names="xwb")
    compiled = graphs.compile_graph(graph, graphs.Options(schedule=schedule))
    text = "\n".join(k.source for k in compiled.kernels)
    path = GOLDEN / f"{name}_{schedule}.cl"
    if request.config.getoption("--update-golden"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    assert path.exists(), "run pytest --update-golden once and read the result"
    assert text == path.read_text()
