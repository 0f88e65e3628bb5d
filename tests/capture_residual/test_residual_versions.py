# The differential suite under other versions of Python, where they are found: on PATH, under ~/.pyenv, or named in the
# environment variable GUARDSCOPE_PYTHONS (paths separated as in PATH). An interpreter needs numpy.
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).with_name("differential.py")
VERSIONS = ["3.12", "3.13"]


def candidates(version):
    """Interpreters of a version, likely ones first."""
    given = [Path(p) for p in os.environ.get("GUARDSCOPE_PYTHONS", "").split(os.pathsep) if p]
    found = shutil.which(f"python{version}")
    return [*given, *([Path(found)] if found else []), *sorted(Path.home().glob(f".pyenv/versions/{version}.*/bin/python"))]


def interpreter(version):
    """One with numpy, or None."""
    code = "import sys, numpy; print('%d.%d' % sys.version_info[:2])"
    for path in candidates(version):
        try:
            done = subprocess.run([path, "-c", code], capture_output=True, text=True, timeout=60, check=False)
        except OSError:
            continue
        if done.stdout.strip() == version:
            return path
    return None


@pytest.mark.parametrize("version", VERSIONS)
def test_differential_suite(version):
    if sys.version_info[:2] == tuple(map(int, version.split("."))):
        pytest.skip("it is the version that runs the tests")
    path = interpreter(version)
    if path is None:
        pytest.skip(f"there is no Python {version} with numpy here")
    done = subprocess.run([path, SCRIPT, "--every", "8", "--generated", "1"], capture_output=True, text=True, timeout=110,
                          check=False)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
    assert f"Python {version}" in done.stdout and "0 differ" in done.stdout
