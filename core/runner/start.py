"""First file of the script's process: makes our package importable and hands over to core.runner.child.

Run as `python start.py OPTIONS SCRIPT [ARGS...]`, OPTIONS being JSON. Nothing but the package `guardscope` becomes
importable, so a script's own modules named core, gui, resources or start are found as always.
"""

import importlib.util
import sys
from pathlib import Path


def begin() -> None:
    root = Path(__file__).resolve().parents[2]
    spec = importlib.util.spec_from_file_location("_guardscope_main", root / "main.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)          # binds the package `guardscope`
    if not sys.flags.safe_path:
        sys.path.pop(0)                      # this folder; the child puts the script's there
    from guardscope.core.runner.child import main

    main(sys.argv[1:])


if __name__ == "__main__":
    try:
        begin()
    except KeyboardInterrupt:                # stopped before the script began
        sys.exit(130)
