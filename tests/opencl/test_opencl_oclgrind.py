"""Kernels under the oclgrind simulator, which reports races, accesses out of bounds and uninitialised reads."""
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parent / "oclgrind_kernels.py"
REPORTS = ("ERROR", "Invalid", "race", "Uninitialized", "barrier divergence")


def run(flags, *what):
    tool = shutil.which("oclgrind")
    if tool is None:
        pytest.skip("the oclgrind command is not installed (Debian: apt install oclgrind)")
    environment = {k: v for k, v in os.environ.items() if k not in ("POCL_DEVICES", "OCL_ICD_VENDORS")}
    done = subprocess.run([tool, *flags, sys.executable, "-W", "ignore", str(SCRIPT), *what], capture_output=True, text=True,
                          timeout=110, env=environment)
    return done, done.stdout + done.stderr


# Uninitialised reads are checked in scalar kernels only: the simulator (21.10) crashes on vectors with that check on,
# and does not know all instructions of optimised code.
@pytest.mark.parametrize("schedule, flags", [
    ("cpu", ["--data-races"]),
    ("gpu", ["--data-races", "--uninitialized", "--build-options", "-cl-opt-disable"])])
def test_no_fault_is_reported(schedule, flags):
    done, output = run(flags, schedule)
    assert done.returncode == 0, output[-3000:]
    assert done.stdout.rstrip().endswith("done")
    assert not [line for line in output.splitlines() if any(r in line for r in REPORTS)], output[-3000:]


def test_a_planted_fault_is_reported():
    _, output = run([], "bad")
    assert "Invalid" in output
