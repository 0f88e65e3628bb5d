# The programs under test import torch: it means this project's own API, for these tests only.
import importlib.util
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent


@pytest.fixture(scope="session")
def load_program():
    """Import a file of tests/capture/programs without pytest's rewriting of asserts."""
    from guardscope.core.torch_api.importing import install

    install()
    loaded = {}

    def load(name):
        if name not in loaded:
            spec = importlib.util.spec_from_file_location(f"capture_programs_{name}", HERE / "programs" / f"{name}.py")
            module = importlib.util.module_from_spec(spec)
            sys.modules[spec.name] = module
            spec.loader.exec_module(module)
            loaded[name] = module
        return loaded[name]

    return load
