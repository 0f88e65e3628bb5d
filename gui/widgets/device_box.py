"""A chooser that asks for the devices of this machine when it is first opened, off the UI thread.

The window does not load OpenCL itself: it runs `main.py devices` and reads the names.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from PySide6.QtWidgets import QComboBox

from ..jobs import Jobs

MAIN = Path(__file__).resolve().parents[2] / "main.py"


def device_names() -> list[str]:
    """Names of the devices that `main.py devices` lists; empty when there are none or OpenCL is missing."""
    done = subprocess.run([sys.executable, str(MAIN), "devices"], capture_output=True, text=True, timeout=60)
    return [line.partition("  [")[0].strip() for line in done.stdout.splitlines() if "  [" in line]


class DeviceBox(QComboBox):
    """"automatic" first; the rest arrives while the list is open."""

    def __init__(self, jobs: Jobs) -> None:
        super().__init__()
        self._jobs, self._asked = jobs, False
        self.addItem("automatic", "auto")

    def showPopup(self) -> None:
        if not self._asked:
            self._asked = True
            self._jobs.submit("devices", device_names, self.add_names, lambda _: None)
        super().showPopup()

    def add_names(self, names: list[str]) -> None:
        """Add what is not there yet."""
        for name in names:
            if self.findData(name) < 0:
                self.addItem(name, name)
        if self.view().isVisible():
            self.hidePopup()
            super().showPopup()
