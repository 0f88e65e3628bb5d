"""The Export dialog: what to write, where to, and what to leave out of it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QButtonGroup,
    QCheckBox,
    QDialog,
    QDialogButtonBox,
    QFileDialog,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QRadioButton,
    QVBoxLayout,
    QWidget,
)

from ..export import FORMS, Form, suggested
from .able import allow


class ExportDialog(QDialog):
    """`wanted(path, form, source, values)` when Export is pressed. `blocked` says for a form why it cannot be written
    now, or ""."""

    wanted = Signal(str, object, bool, bool)

    def __init__(self, parent: QWidget, session: str, blocked: Callable[[Form], str]) -> None:
        super().__init__(parent)
        self.setWindowTitle("Export")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.resize(640, 420)
        self._session = session
        self._touched = False                # the user has chosen a file; its ending alone follows the form
        self.group = QButtonGroup(self)
        forms = QGridLayout()
        forms.setHorizontalSpacing(16)
        for row, form in enumerate(FORMS):
            button = QRadioButton(form.title)
            why = blocked(form)
            about = QLabel(f"not now: {why}" if why else form.about)
            about.setObjectName("muted")
            about.setWordWrap(True)
            button.setToolTip(form.about)
            allow(button, why)
            self.group.addButton(button, row)
            forms.addWidget(button, row, 0)
            forms.addWidget(about, row, 1)
        forms.setColumnStretch(1, 1)
        self.source = QCheckBox("With source and generated code")
        self.source.setToolTip("Without it: no source text, no generated code, no folders, no name of the machine.")
        self.values = QCheckBox("With the values of numbers and strings")
        self.values.setToolTip("Without them every value becomes a label such as \u201cvalue 3\u201d; sizes and dtypes stay.")
        for box in (self.source, self.values):
            box.setChecked(True)
        self.path = QLineEdit()
        self.path.setAccessibleName("File to write")
        self.path.textEdited.connect(self._path_edited)
        browse = QPushButton("Choose\N{HORIZONTAL ELLIPSIS}")
        browse.clicked.connect(self._browse)
        where = QHBoxLayout()
        label = QLabel("File")
        label.setBuddy(self.path)
        where.addWidget(label)
        where.addWidget(self.path, 1)
        where.addWidget(browse)
        self.buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
        self.go = self.buttons.addButton("Export", QDialogButtonBox.ButtonRole.AcceptRole)
        self.go.setDefault(True)
        self.buttons.accepted.connect(self._export)
        self.buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.setSpacing(10)
        layout.addLayout(forms)
        layout.addStretch(1)
        for widget in (self.source, self.values):
            layout.addWidget(widget)
        layout.addLayout(where)
        layout.addWidget(self.buttons)
        self.group.idClicked.connect(lambda _: self._form_chosen())
        first = next((b for b in self.group.buttons() if b.isEnabled()), None)
        if first is not None:
            first.setChecked(True)
        self._form_chosen()

    @property
    def form(self) -> Form:
        return FORMS[max(0, self.group.checkedId())]

    def choose(self, form: Form) -> None:
        """Choose what to write, as a click does."""
        self.group.button(FORMS.index(form)).click()

    def _form_chosen(self) -> None:
        for box in (self.source, self.values):
            allow(box, "a picture holds what the view shows" if self.form.is_picture else "")
        ending = self.form.ending
        if not self._touched:
            self.path.setText(suggested(self._session, ending))
            return
        path = self.path.text()
        known = next((f.ending for f in sorted(FORMS, key=lambda f: -len(f.ending)) if path.endswith(f.ending)), "")
        self.path.setText(path.removesuffix(known) + ending)

    def _path_edited(self, text: str) -> None:
        self._touched = True
        allow(self.go, "" if text.strip() else "no file is named")

    def _browse(self) -> None:
        path, _ = QFileDialog.getSaveFileName(self, "Export", self.path.text(), f"{self.form.title} (*{self.form.ending})")
        if path:
            self._touched = True
            self.path.setText(path)

    def _export(self) -> None:
        path, form = self.path.text().strip(), self.form
        if path:
            if not path.lower().endswith(form.ending) and not Path(path).is_dir():
                path += form.ending
            self.wanted.emit(path, form, self.source.isChecked(), self.values.isChecked())
            self.accept()
