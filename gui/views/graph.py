"""placeholder"""
from PySide6.QtWidgets import QWidget

from .base import View


class GraphView(View):
    name = "graph"
    title = "Graph"

    def build(self) -> QWidget:
        return QWidget()

    def update_view(self, what: set[str]) -> None:
        pass
