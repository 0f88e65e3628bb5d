# Makes the checkout importable as the package `guardscope` for every test, as main.py does.
import importlib.util
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent


def _load_main() -> None:
    spec = importlib.util.spec_from_file_location("_guardscope_main", ROOT / "main.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["_guardscope_main"] = module
    spec.loader.exec_module(module)


_load_main()
