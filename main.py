"""Guardscope's entry point: `main.py [SCRIPT|SESSION]` opens the window, `main.py run SCRIPT` records without one.

The checkout's root is the package `guardscope`. Its parts are therefore called guardscope.core, guardscope.gui, ...,
never plain `core` or `gui`: a script under inspection may have modules of those names, and they must win there.
"""

from __future__ import annotations

import sys
import types
from pathlib import Path

ROOT = Path(__file__).resolve().parent


def make_importable(root: Path = ROOT) -> None:
    """Make `import guardscope.core` work from a checkout that is not installed. Does nothing when it already does."""
    known = sys.modules.get("guardscope")
    if known is not None and str(root) in list(getattr(known, "__path__", [])):
        return
    package = types.ModuleType("guardscope")
    package.__path__ = [str(root)]
    package.__file__ = str(root / "__init__.py")
    sys.modules["guardscope"] = package


make_importable()


def main(argv: list[str] | None = None) -> int:
    from guardscope.core.runner.cli import main as run

    return run(sys.argv[1:] if argv is None else argv)


if __name__ == "__main__":
    sys.exit(main())
