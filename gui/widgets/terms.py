"""The glossary as a dialog: every term the window uses, with one plain sentence."""

from __future__ import annotations

import html

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QTextBrowser, QVBoxLayout, QWidget

from ...core.events.schema import OUTCOME_WORDS
from ..glossary import GUARD_KINDS, TERMS
from .page import page_style


class TermsDialog(QDialog):
    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle("What the words mean")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.resize(720, 620)
        text = QTextBrowser()
        text.document().setDefaultStyleSheet(page_style())
        text.document().setDocumentMargin(14)
        rows = "".join(f"<tr><td><b>{html.escape(OUTCOME_WORDS.get(t, t))}</b></td><td>{html.escape(s)}</td></tr>"
                       for t, s in TERMS.items())
        kinds = "".join(f"<tr><td class='code'>{t}</td><td>{html.escape(s)}</td></tr>"
                        for t, s in GUARD_KINDS.items())
        text.setHtml(f"<table cellpadding='4'>{rows}</table><h2>Kinds of guards</h2>"
                     f"<table cellpadding='4'>{kinds}</table>")
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.reject)
        box = QVBoxLayout(self)
        box.addWidget(text)
        box.addWidget(buttons)
