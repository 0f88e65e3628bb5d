# Options that several test folders share, and what fails a test anywhere.
import os
import sys

import pytest

os.environ.setdefault("GUARDSCOPE_TRIALS", "0")          # the same kernels in every run, whatever the machine does meanwhile


def pytest_addoption(parser):
    parser.addoption("--update-golden", action="store_true", default=False,
                     help="rewrite the files under tests/golden with what the code makes now")


@pytest.fixture(autouse=True)
def no_internal_faults():
    """A fault of the evaluator leaves the results right (the frame runs natively), so it has to be looked for."""
    yield
    module = sys.modules.get("guardscope.core.capture.capture")
    found = list(module.FAULTS) if module is not None else []
    if module is not None:
        module.FAULTS.clear()
    assert not found, found
