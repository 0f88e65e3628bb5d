# Every layer against what PyTorch printed and computed (module_cases.py records it): repr, state_dict, result.
import json

import guardscope.core.torch_api as torch
import numpy as np
import pytest

from .module_cases import CASES, FACTS, FUNCTIONS, outcome

EXPECTED = json.loads(FACTS.read_text(encoding="utf-8"))["facts"]


def same(ours, theirs, where):
    if isinstance(theirs, list) and len(theirs) == 3 and isinstance(theirs[1], str) and theirs[1].startswith("torch."):
        assert ours[:2] == theirs[:2], where
        np.testing.assert_allclose(np.array(ours[2], float), np.array(theirs[2], float), rtol=2e-4, atol=2e-5, err_msg=where)
    elif isinstance(theirs, list):
        assert len(ours) == len(theirs), where
        for i, (a, b) in enumerate(zip(ours, theirs)):
            same(a, b, f"{where}[{i}]")
    else:
        assert ours == theirs, where


@pytest.mark.parametrize("case", [*CASES, *FUNCTIONS])
def test_as_recorded(case):
    expected = EXPECTED[case]
    found = outcome(case, torch)
    assert list(found) == list(expected)
    for what, theirs in expected.items():
        same(found[what], theirs, f"{case}: {what}")


def test_every_case_is_recorded():
    assert set(EXPECTED) == {*CASES, *FUNCTIONS}
