"""What the command line or the window asks of the compiler for one run of a script.

The runner fills SETTINGS in the child process before the script starts; the compiler reads it. A script's own
torch.compile arguments win over these defaults.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from typing import Any

from ..errors import ScriptError


@dataclass
class Settings:
    """dynamic: None (automatic), True or False, the default of torch.compile(dynamic=). device: "auto" or (a part of) an
    OpenCL device's name. backend: "opencl", or "eager" for NumPy. recompile_limit: None keeps torch._dynamo.config's.
    shadow: repeat every n-th reused call in plain Python and compare (see shadow.py; 0 = never). record_results: keep sums
    of results."""

    dynamic: bool | None = None
    device: str = "auto"
    backend: str = "opencl"
    recompile_limit: int | None = None
    shadow: int = 0
    record_results: bool = False

    def to_dict(self) -> dict[str, Any]:
        """As JSON can hold it; `update` takes it back."""
        return asdict(self)

    def update(self, values: dict[str, Any]) -> None:
        """Overwrite the named settings. ScriptError for a name that does not exist."""
        known = {f.name for f in fields(self)}
        for name, value in values.items():
            if name not in known:
                raise ScriptError(f"there is no run setting '{name}'; the settings are {', '.join(sorted(known))}")
            setattr(self, name, value)


SETTINGS = Settings()
