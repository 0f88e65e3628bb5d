"""Two views of generated text: the Python around a version's graphs, and its OpenCL kernels."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QComboBox, QHBoxLayout, QVBoxLayout, QWidget

from ...core.events.schema import Kernel
from ..numbers import duration, plural
from ..widgets.code_edit import CodeEdit
from ..widgets.elided import ElidedLabel
from .base import View


class _TextView(View):
    language = "python"

    def build(self) -> QWidget:
        self.edit = CodeEdit(self.language)
        self.choose = QComboBox()
        self.choose.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.choose.activated.connect(self.contained(lambda _: self.chosen(self.choose.currentData())))
        self.says = ElidedLabel()
        self.says.setObjectName("muted")
        row = QHBoxLayout()
        row.setContentsMargins(10, 7, 10, 7)
        row.setSpacing(10)
        row.addWidget(self.choose)
        row.addWidget(self.says, 1)
        box = QWidget()
        layout = QVBoxLayout(box)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(row)
        layout.addWidget(self.edit, 1)
        return box

    def chosen(self, value: object) -> None:
        raise NotImplementedError

    def fill(self, items: Sequence[tuple[str, object]], current: object) -> None:
        """Fill the chooser."""
        self.choose.blockSignals(True)
        self.choose.clear()
        for text, value in items:
            self.choose.addItem(text, value)
        self.choose.setCurrentIndex(max(0, self.choose.findData(current)) if items else -1)
        self.choose.setVisible(bool(items))
        self.choose.blockSignals(False)


class PythonView(_TextView):
    """The generated Python of the selected version: what runs on reuse, the graph as Python, and the guard function."""

    name = "python"

    PARTS = (("What runs when this version is used", "python_text"), ("The captured graph", "graph_text"),
             ("The guard function", "guard_source"))

    def build(self) -> QWidget:
        self.part = "python_text"
        return super().build()

    def update_view(self, what: set[str]) -> None:
        facts, s = self.model.facts, self.model.selection
        if facts is None or s.artifact is None:
            self.fill([], None)
            self.edit.show_text("")
            self.says.setText("Select a version or a call to see the Python made for it." if facts is not None else "")
            return
        a = facts.session.artifacts[s.artifact]
        parts = [(title, field) for title, field in self.PARTS if getattr(a, field)]
        if self.part not in [f for _, f in parts] and parts:
            self.part = parts[0][1]
        self.fill(parts, self.part)
        self.says.setText(f"{facts.title(a.code)}, version {a.version}")
        self.edit.show_text(getattr(a, self.part) if parts else "")

    def chosen(self, value: object) -> None:
        self.part = str(value)
        self.update_view(set())


class KernelView(_TextView):
    """The OpenCL source of the selected kernel."""

    name = "kernel"
    language = "c"

    def update_view(self, what: set[str]) -> None:
        facts, s = self.model.facts, self.model.selection
        kernels: list[Kernel] = []
        if facts is not None and s.artifact is not None:
            kernels = [k for k in facts.session.kernels if k.artifact == s.artifact]
        if not kernels:
            self.fill([], None)
            self.edit.show_text("")
            self.says.setText("" if facts is None else "Select a version or a call to see its kernels."
                              if s.artifact is None else "This version has no kernels of its own.")
            return
        kernel = next((k for k in kernels if k.id == s.kernel), kernels[0])
        self.fill([(k.name, k.id) for k in kernels], kernel.id)
        self.says.setText(f"{plural(len(kernels), 'kernel')} in this version; this one computes "
                          f"{plural(len(kernel.nodes), 'operation')}, runs on {kernel.device or 'the device'}, "
                          f"was built in {duration(kernel.build_ns)}")
        self.edit.show_text(kernel.source)

    def chosen(self, value: object) -> None:
        self.model.select(kernel=value)
