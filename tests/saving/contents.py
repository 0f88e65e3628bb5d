"""What the checkpoint in this folder holds. `PYTHON_WITH_TORCH tests/saving/contents.py` writes it again."""

from collections import OrderedDict
from pathlib import Path

FILE = Path(__file__).with_name("written_by_pytorch.pt")


def contents(torch):
    base = torch.arange(12.0).reshape(3, 4)
    parameter = torch.nn.Parameter(torch.ones(2))
    numbers = {name: torch.arange(4).to(getattr(torch, name)) for name in (
        "float64", "float32", "float16", "bfloat16", "int64", "int32", "int16", "int8", "uint8", "bool", "complex64",
        "complex128")}
    return OrderedDict(
        base=base, view=base.t()[1:], row=base[1], numbers=numbers, scalar=torch.tensor(3.5), empty=torch.empty(0, 3),
        parameter=parameter, tied=parameter, frozen=torch.nn.Parameter(torch.zeros(1), requires_grad=False),
        grad=torch.ones(2, requires_grad=True), plain=[1, 2.5, "text", None, True, (1, (2,)),
                                                          b"bytes\xff", {1, 2}, 2**70, 1 + 2j],
        kinds=[torch.float16, torch.Size([2, 3]), torch.device("cpu")], state=torch.nn.BatchNorm1d(2).state_dict())


if __name__ == "__main__":
    import torch

    assert hasattr(torch, "_C"), "run this with a Python that has PyTorch"
    torch.save(contents(torch), FILE)
