"""A part of the matrix of types and operations, other ones for each number; `python -m tests.attack.matrix` runs all."""

from __future__ import annotations

from typing import Any

import pytest
from guardscope.tests.attack.matrix.run import differences, load

EVERY = 997                          # a prime: every kind of program and every value comes up


@pytest.fixture(scope="module")
def loaded(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return load(tmp_path_factory.mktemp("matrix"))


@pytest.mark.parametrize("number", range(4))
def test_operations_agree_with_python(loaded: Any, number: int) -> None:
    module, runs = loaded
    wrong = [str(w) for run in runs[number::EVERY] for w in differences(module, run) if not w.words]
    assert not wrong, "\n".join(wrong)
