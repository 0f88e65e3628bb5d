# How tensors print. Expected texts are what PyTorch 2.13 printed for the same values.
import math

import guardscope.core.torch_api as torch
import numpy as np
import pytest
from guardscope.core.torch_api import nn, printing


@pytest.fixture(autouse=True)
def default_options():
    printing.set_printoptions(profile="default")
    yield
    printing.set_printoptions(profile="default")


CASES = [
    (torch.tensor([1.0, 2.0]), "tensor([1., 2.])"),
    (torch.tensor([1.0, 2.5]), "tensor([1.0000, 2.5000])"),
    (torch.tensor([1e-5, 1.0]), "tensor([1.0000e-05, 1.0000e+00])"),
    (torch.tensor([10000.0, 1.5]), "tensor([1.0000e+04, 1.5000e+00])"),
    (torch.tensor([10000.0, 1.0]), "tensor([1.0000e+04, 1.0000e+00])"),
    (torch.tensor([1000.0, 1.0]), "tensor([1000.,    1.])"),
    (torch.tensor([math.nan, 1.0, -math.inf]), "tensor([nan, 1., -inf])"),
    (torch.tensor(3.5), "tensor(3.5000)"),
    (torch.tensor(7), "tensor(7)"),
    (torch.tensor([True, False]), "tensor([ True, False])"),
    (torch.tensor([[1, -20], [300, 4]]), "tensor([[  1, -20],\n        [300,   4]])"),
    (torch.tensor([1, 2], dtype=torch.int32), "tensor([1, 2], dtype=torch.int32)"),
    (torch.tensor([1.0], dtype=torch.float64), "tensor([1.], dtype=torch.float64)"),
    (torch.zeros(0), "tensor([])"),
    (torch.zeros(0, 3), "tensor([], size=(0, 3))"),
    (torch.zeros(0, dtype=torch.int64), "tensor([], dtype=torch.int64)"),
    (torch.ones(2, device="meta"), "tensor(..., device='meta', size=(2,))"),
    (torch.arange(2000), "tensor([   0,    1,    2,  ..., 1997, 1998, 1999])"),
    (torch.zeros(2, 2).T, "tensor([[0., 0.],\n        [0., 0.]])"),
    (torch.ones(1, 2, 1), "tensor([[[1.],\n         [1.]]])"),
]


@pytest.mark.parametrize(("tensor", "text"), CASES)
def test_text(tensor, text):
    assert repr(tensor) == str(tensor) == text


def test_lines_break_at_80_columns():
    first, *rest = repr(torch.arange(40)).split("\n")
    assert len(first) <= 80 and rest and all(line.startswith("        ") for line in rest)


def test_long_dimensions_are_summarised():
    text = repr(torch.zeros(40, 40))
    lines = text.split("\n")
    assert len(lines) == 7 and lines[3].strip() == "...," and all(" ..., " in line for line in lines if "0." in line)


def test_note_goes_to_a_new_line_when_it_does_not_fit():
    t = torch.ones(9, requires_grad=True) * 1.5
    assert repr(t).endswith("1.5000],\n       requires_grad=True)")


def test_options():
    printing.set_printoptions(precision=2)
    assert repr(torch.tensor([1.234])) == "tensor([1.23])"
    printing.set_printoptions(profile="default", sci_mode=True)
    assert repr(torch.tensor([1.5])) == "tensor([1.5000e+00])"
    printing.set_printoptions(profile="default", threshold=2, edgeitems=1)
    assert repr(torch.arange(5)) == "tensor([0,  ..., 4])"
    with pytest.raises(ValueError, match="profile is 'tall'"):
        printing.set_printoptions(profile="tall")


def test_format_of_single_numbers():
    assert f"{torch.tensor(2.34567):.3f}" == "2.346" and f"{torch.tensor(3):4d}" == "   3" and f"{torch.tensor(2)}" == "2"
    with pytest.raises(TypeError, match=r"unsupported format string passed to Tensor.__format__"):
        f"{torch.ones(2):.3f}"
    with pytest.raises(TypeError, match=r"unsupported format string passed to Parameter.__format__"):
        f"{nn.Parameter(torch.tensor(2.0)):.3f}"


def test_numbers_read_back():
    rng = np.random.default_rng(0)
    for shape in ((3,), (2, 3), (2, 2, 2)):
        values = rng.standard_normal(shape).astype(np.float32)
        read = eval(repr(torch.from_numpy(values)), {"tensor": np.array})
        np.testing.assert_allclose(read, values, atol=5e-5)
