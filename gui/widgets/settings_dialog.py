"""The settings of the window and of runs started in it, on one page. What is chosen is kept; runs take it when they begin."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QFileDialog,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from .able import allow

if TYPE_CHECKING:
    from PySide6.QtCore import QSettings

THEMES = (("", "as the desktop"), ("light", "light"), ("dark", "dark"))
BACKENDS = (("opencl", "OpenCL kernels"), ("eager", "NumPy, node by node"))


@dataclass(frozen=True, slots=True)
class Chosen:
    """What the dialog holds. `theme` "" follows the desktop; `limit` 0 and `shadow` 0: as the script says, never; `folder` ""
    means a temporary one; `arguments` belong to the open script and are not kept."""

    theme: str = ""
    backend: str = "opencl"
    limit: int = 0
    shadow: int = 0
    folder: str = ""
    arguments: tuple[str, ...] = ()

    def run_settings(self) -> dict[str, Any]:
        """Those that differ from the defaults, as the runner wants them."""
        found: dict[str, Any] = {}
        if self.backend != "opencl":
            found["backend"] = self.backend
        if self.limit:
            found["recompile_limit"] = self.limit
        if self.shadow:
            found["shadow"] = self.shadow
        return found


def load(settings: QSettings) -> Chosen:
    """From the settings file; what makes no sense there is taken as not chosen."""
    theme, backend = str(settings.value("theme") or ""), str(settings.value("run/backend") or "opencl")
    return Chosen(theme if theme in dict(THEMES) else "", backend if backend in dict(BACKENDS) else "opencl",
                  _count(settings.value("run/recompile_limit")), _count(settings.value("run/shadow")),
                  str(settings.value("run/folder") or ""))


def _count(value: Any) -> int:
    try:
        number = int(value or 0)
    except (TypeError, ValueError):
        return 0
    return number if 0 <= number <= 1_000_000 else 0


def save(settings: QSettings, chosen: Chosen) -> None:
    for key, value in (("theme", chosen.theme), ("run/backend", chosen.backend), ("run/recompile_limit", chosen.limit),
                       ("run/shadow", chosen.shadow), ("run/folder", chosen.folder)):
        settings.setValue(key, value)


class SettingsDialog(QDialog):
    """`chosen()` is what stands in the fields; `kept(Chosen)` fires when that is accepted."""

    kept = Signal(object)

    def __init__(self, now: Chosen, has_script: bool, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle("Settings")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.resize(560, 0)
        self.theme = self._choice(THEMES, now.theme)
        self.backend = self._choice(BACKENDS, now.backend)
        self.limit = self._count(now.limit, "as the script says", 10_000)
        self.shadow = self._count(now.shadow, "never", 1_000_000)
        self.folder = QLineEdit(now.folder)
        self.folder.setPlaceholderText("a temporary folder")
        browse = QPushButton("Choose\N{HORIZONTAL ELLIPSIS}")
        browse.clicked.connect(self._browse)
        place = QHBoxLayout()
        place.addWidget(self.folder, 1)
        place.addWidget(browse)
        self.arguments = QLineEdit(shlex.join(now.arguments))
        self.arguments.setPlaceholderText("none" if has_script else "no script is open")
        self.says = QLabel()
        self.says.setObjectName("muted")
        self.says.setWordWrap(True)
        form = QFormLayout()
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.ExpandingFieldsGrow)
        for text, field, tip in (
                ("Theme", self.theme, "Colours of the window."),
                ("Arguments of the script", self.arguments, "Passed to the open script, as in a terminal."),
                ("Graphs run as", self.backend, "NumPy is slower and needs no device; results are the same."),
                ("Versions per function", self.limit, "The recompile limit; a function that reached it runs as plain Python."),
                ("Repeat reused calls", self.shadow, "Every n-th reused call is run again in plain Python and compared."),
                ("Keep sessions in", place, "Where runs started in the window are recorded.")):
            label = QLabel(text)
            label.setToolTip(tip)
            part = field if isinstance(field, QWidget) else self.folder
            part.setToolTip(tip)
            part.setAccessibleName(text)
            label.setBuddy(part)
            form.addRow(label, field)
        allow(self.arguments, "" if has_script else "no script is open")
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel)
        buttons.accepted.connect(self._accept)
        buttons.rejected.connect(self.reject)
        box = QVBoxLayout(self)
        box.addLayout(form)
        box.addWidget(self.says)
        box.addWidget(buttons)

    @staticmethod
    def _choice(values: tuple[tuple[str, str], ...], now: str) -> QComboBox:
        field = QComboBox()
        for value, shown in values:
            field.addItem(shown, value)
        field.setCurrentIndex(max(0, field.findData(now)))
        return field

    @staticmethod
    def _count(now: int, nothing: str, most: int) -> QSpinBox:
        field = QSpinBox()
        field.setRange(0, most)
        field.setSpecialValueText(nothing)
        field.setValue(now)
        field.lineEdit().setTextMargins(7, 0, 0, 0)          # as in the other fields
        return field

    def _browse(self) -> None:
        chosen = QFileDialog.getExistingDirectory(self, "Keep sessions in", self.folder.text())
        if chosen:
            self.folder.setText(chosen)

    def chosen(self) -> Chosen:
        """What stands in the fields. ValueError, a sentence, where that makes no sense."""
        try:
            arguments = tuple(shlex.split(self.arguments.text()))
        except ValueError as problem:
            raise ValueError(f"the arguments cannot be split ({problem}); close every quote") from None
        folder = self.folder.text().strip()
        if folder and Path(folder).exists() and not Path(folder).is_dir():
            raise ValueError(f"{folder} is a file; name a folder for the sessions")
        return Chosen(self.theme.currentData(), self.backend.currentData(), self.limit.value(), self.shadow.value(), folder,
                      arguments)

    def _accept(self) -> None:
        try:
            chosen = self.chosen()
        except ValueError as problem:
            self.says.setText(str(problem))
            return
        self.kept.emit(chosen)
        self.accept()
