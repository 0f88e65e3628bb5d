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
                          timeout=300, env=environment)
    return done, done.stdout + done.stderr


# Unoptimised, because the simulator (21.10) does not know all instructions of optimised code. Uninitialised reads are
# checked in the GPU's scalar kernels only: it takes the lanes left open in a shuffle of vectors for such reads.
@pytest.mark.parametrize("what", [["cpu"], ["cpu", "operators"], ["gpu"], ["gpu", "operators"]], ids=" ".join)
def test_no_fault_is_reported(what):
    flags = ["--data-races", "--build-options", "-cl-opt-disable", *(["--uninitialized"] if "gpu" in what else [])]
    done, output = run(flags, *what)
    assert done.returncode == 0, output[-3000:]
    assert done.stdout.rstrip().endswith("done")
    assert not [line for line in output.splitlines() if any(r in line for r in REPORTS)], output[-3000:]


def test_a_small_gpu_gets_groups_that_it_can_run():
    """With 16 work-items per group and 1 KB of local memory, as no real GPU is, nothing may ask for more."""
    done, output = run(["--data-races", "--max-wgsize", "16", "--local-mem-size", "1024"], "gpu")
    assert done.returncode == 0, output[-3000:]
    assert done.stdout.rstrip().endswith("done")
    assert not [line for line in output.splitlines() if any(r in line for r in REPORTS)], output[-3000:]


def test_a_planted_fault_is_reported():
    _, output = run([], "bad")
    assert "Invalid" in output
