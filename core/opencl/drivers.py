"""Which OpenCL drivers the loader finds, and where they keep their caches. Must run before pyopencl is imported.

PoCL comes with pyopencl's packages and is found by itself. Intel's runtime for CPUs (pip: intel-opencl-rt) lies in the
Python installation, where no loader looks, and the file with which it registers itself names a path that does not exist.
So a folder of ours registers it, next to whatever the system registers; the user sets no variables. A variable that the
user has set is left alone.
"""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path

POCL_DEVICES = "basic pthread"
SYSTEM = Path("/etc/OpenCL/vendors")
INTEL = "libintelocl.so"


def cache_folder() -> Path | None:
    """Where binaries are kept: GUARDSCOPE_CACHE_DIR, else the user's cache folder; None if it cannot be made."""
    given = os.environ.get("GUARDSCOPE_CACHE_DIR")
    try:
        if given is not None:
            folder = Path(given) / "kernels"
        else:
            import platformdirs

            folder = Path(platformdirs.user_cache_dir("guardscope")) / "kernels"
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return None
    return folder


def prepare() -> None:
    """Set the variables that loader and drivers read when they start."""
    os.environ.setdefault("POCL_DEVICES", POCL_DEVICES)
    folder = cache_folder()
    if folder is None:
        return
    os.environ.setdefault("POCL_CACHE_DIR", str(folder / "pocl"))      # PoCL keeps its compiled kernels itself: with ours
    intel = next(intel_libraries(), None)
    if intel is not None and "OCL_ICD_VENDORS" not in os.environ and sys.platform == "linux":
        vendors = register(folder, intel)
        if vendors is not None:
            os.environ["OCL_ICD_VENDORS"] = str(vendors)


def intel_libraries() -> Iterator[Path]:
    """Where the package puts Intel's runtime: below the Python installation, or below the folder it was installed to."""
    places = [Path(sys.prefix) / "lib", Path(sys.exec_prefix) / "lib", Path(sys.base_prefix) / "lib"]
    try:
        from importlib.metadata import PackageNotFoundError, distribution

        try:
            files = distribution("intel-opencl-rt").files or []
        except PackageNotFoundError:
            files = []
        places = [Path(str(f.locate())).resolve().parent for f in files if f.name == INTEL] + places
    except ImportError:
        pass
    yield from (p / INTEL for p in places if (p / INTEL).is_file())


def register(folder: Path, library: Path) -> Path | None:
    """A folder of registrations: of `library`, and of what the system registers. None if it cannot be written."""
    try:
        system = sorted(SYSTEM.glob("*.icd")) if SYSTEM.is_dir() else []
        wanted = {"guardscope-intel.icd": f"{library}\n", **{p.name: p.read_text() for p in system}}
        name = hashlib.sha256(repr(sorted(wanted.items())).encode()).hexdigest()[:16]
        vendors = folder / f"vendors-{name}"
        vendors.mkdir(exist_ok=True)
        for file, text in wanted.items():
            if not (vendors / file).is_file():
                (vendors / f"{file}.{os.getpid()}").write_text(text)
                os.replace(vendors / f"{file}.{os.getpid()}", vendors / file)
        return vendors
    except OSError:
        return None
