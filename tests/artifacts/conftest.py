# The subjects are loaded by path: pytest rewrites no asserts there, and `import torch` in them is answered by the project.
import importlib.util
import sys
from pathlib import Path

import pytest
from guardscope.core.torch_api.importing import install


@pytest.fixture
def m():
    """A fresh copy of the subjects, with nothing compiled."""
    install()
    import torch

    torch._dynamo.reset()
    path = Path(__file__).with_name("cache_subject.py")
    spec = importlib.util.spec_from_file_location("cache_subject", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules["cache_subject"] = module
    spec.loader.exec_module(module)
    yield module
    torch._dynamo.reset()
    torch._dynamo.config.reset_to_defaults()
    torch.compiler.set_stance("default")
    sys.modules.pop("cache_subject", None)
