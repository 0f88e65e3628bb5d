"""Finding Intel's runtime without the user setting variables."""
import os
from pathlib import Path

import pytest


@pytest.fixture
def drivers(monkeypatch, tmp_path):
    from guardscope.core.opencl import drivers

    for name in ("OCL_ICD_VENDORS", "POCL_CACHE_DIR", "POCL_DEVICES"):
        monkeypatch.setenv(name, "")
        monkeypatch.delenv(name)
    monkeypatch.setenv("GUARDSCOPE_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(drivers, "SYSTEM", tmp_path / "system")
    monkeypatch.setattr(drivers.sys, "platform", "linux")
    return drivers


def install(drivers, monkeypatch, tmp_path):
    """As the package does: the library below the installation."""
    monkeypatch.setattr("importlib.metadata.distribution", _missing)          # whatever is installed here
    library = tmp_path / "lib" / drivers.INTEL
    library.parent.mkdir()
    library.write_bytes(b"a library")
    for name in ("prefix", "exec_prefix", "base_prefix"):
        monkeypatch.setattr(drivers.sys, name, str(tmp_path))
    return library


def test_the_runtime_is_registered_next_to_the_system_s_drivers(drivers, monkeypatch, tmp_path):
    library = install(drivers, monkeypatch, tmp_path)
    (tmp_path / "system").mkdir()
    (tmp_path / "system" / "card.icd").write_text("libcard.so\n")
    drivers.prepare()
    vendors = os.environ["OCL_ICD_VENDORS"]
    assert sorted(p.read_text() for p in Path(vendors).iterdir()) == sorted([f"{library}\n", "libcard.so\n"])
    assert os.environ["POCL_CACHE_DIR"].startswith(str(tmp_path / "cache"))
    monkeypatch.delenv("OCL_ICD_VENDORS")
    drivers.prepare()                                          # a second process finds the same folder
    assert os.environ["OCL_ICD_VENDORS"] == vendors


def test_what_the_user_has_set_is_left_alone(drivers, monkeypatch, tmp_path):
    install(drivers, monkeypatch, tmp_path)
    monkeypatch.setenv("OCL_ICD_VENDORS", "/somewhere")
    monkeypatch.setenv("POCL_DEVICES", "pthread")
    drivers.prepare()
    assert os.environ["OCL_ICD_VENDORS"] == "/somewhere" and os.environ["POCL_DEVICES"] == "pthread"


def test_without_the_package_nothing_is_registered(drivers, monkeypatch, tmp_path):
    for name in ("prefix", "exec_prefix", "base_prefix"):
        monkeypatch.setattr(drivers.sys, name, str(tmp_path / "nothing"))
    monkeypatch.setattr("importlib.metadata.distribution", _missing)
    drivers.prepare()
    assert "OCL_ICD_VENDORS" not in os.environ


def test_a_folder_that_cannot_be_written_costs_only_the_driver(drivers, monkeypatch, tmp_path):
    install(drivers, monkeypatch, tmp_path)
    (tmp_path / "file").write_text("not a folder")
    monkeypatch.setenv("GUARDSCOPE_CACHE_DIR", str(tmp_path / "file"))
    drivers.prepare()
    assert "OCL_ICD_VENDORS" not in os.environ


def _missing(name):
    from importlib.metadata import PackageNotFoundError

    raise PackageNotFoundError(name)
