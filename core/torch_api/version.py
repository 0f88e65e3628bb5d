"""torch.version: the version of PyTorch whose behaviour is followed, as scripts compare it."""

from __future__ import annotations

__version__ = "2.13.0"
debug = False
cuda: str | None = None
hip: str | None = None
git_version = ""
