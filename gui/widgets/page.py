"""A page of rich text in the theme's colours, with links that select things in the session model.

Links are written `call:3`, `artifact:2`, `guard:2:1` (artifact, index), `line:12`, `code:1`, `kernel:3`, `cause:0`,
`view:graph`. Pictures of outcomes are `mark:recompile`, meters `bar:WIDTH:ROLE`.
"""

from __future__ import annotations

import html
from collections.abc import Iterable
from typing import Any

from PySide6.QtCore import QRectF, Qt, QUrl, Signal
from PySide6.QtGui import QColor, QPainter, QPixmap, QTextDocument
from PySide6.QtWidgets import QFrame, QTextBrowser

from .. import theme
from ..session_model import SessionModel

FIRST = 18                                   # percent of such a table that the names of versions take
LONGEST_PLACE = 20                           # characters of a value's name that are never broken
LONGEST_NEEDED, LONGEST_TEXT = 18, 240       # characters beside the other columns of a table of guards; at all


def esc(text: object) -> str:
    """Text for use in HTML."""
    return html.escape(str(text))


def code(text: object) -> str:
    """Text in the fixed-width font."""
    return f'<span class="code">{esc(text)}</span>'


def link(target: str, text: object) -> str:
    return f'<a href="{esc(target)}">{esc(text)}</a>'


def guard_head(seen: str, rows: Iterable[tuple[str, str, str]]) -> str:
    """The head of a table of guards that did not hold; rows: the place, what was needed and what was seen of each. Columns
    share the width by what stands in them, and no head is broken."""
    texts = [*rows]
    lengths = [max([least, *(min(len(row[i]), most) for row in texts if i != 1 or len(row[i]) <= LONGEST_NEEDED)])
               for i, (least, most) in enumerate(((8, 24), (8, LONGEST_NEEDED), (9, 18)))]
    shares = [FIRST, *(round((100 - FIRST) * n / sum(lengths)) for n in lengths)]
    return "<tr>" + "".join(f"<th width='{share}%' style='white-space:pre'>{text}</th>" for text, share in zip(
        ("&nbsp;", "value", "needed", seen), shares)) + "</tr>"


def guard_cells(target: str, place: str, needed: str, seen: str) -> list[str]:
    """The rows, without their first cell, that tell of a guard that did not hold, with a link to it. A long condition gets a
    row of its own, as wide as the table."""
    def cut(text: str) -> str:
        return text if len(text) <= LONGEST_TEXT else text[:LONGEST_TEXT].rstrip() + "\N{HORIZONTAL ELLIPSIS}"

    below = len(needed) > LONGEST_NEEDED
    whole = " style='white-space:pre'" if len(place) <= LONGEST_PLACE else ""            # x.shape[0] in one line
    rows = [f"<td{whole}><a href='{target}' class='code'>{esc(place)}</a></td><td>{'' if below else code(needed)}</td>"
            f"<td class='bad'><b>{code(cut(seen))}</b></td>"]
    return rows + ([f"<td colspan='3'><span class='muted'>needed</span> {code(cut(needed))}</td>"] if below else [])


def mark(outcome: str) -> str:
    """The outcome's shape as an inline picture."""
    return f'<img src="mark:{outcome}" width="12" height="12">'


class Page(QTextBrowser):
    """`followed(kind, numbers)` for links the model does not know (kind "view", "cause", ...)."""

    followed = Signal(str, list)

    def __init__(self, model: SessionModel) -> None:
        super().__init__()
        self.model = model
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setOpenLinks(False)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.document().setDocumentMargin(12)
        self.anchorClicked.connect(self._follow)
        self._body = ""

    def show_html(self, body: str, keep_place: bool = False) -> None:
        """Show the body under the theme's style; the same body again does nothing."""
        style = page_style()
        if style + body == self._body:
            return
        self._body = style + body
        place = self.verticalScrollBar().value()
        self.document().clear()
        self.document().setDefaultStyleSheet(style)
        self.setHtml(body)
        self.verticalScrollBar().setValue(place if keep_place else 0)

    def loadResource(self, kind: int, name: QUrl | str) -> Any:
        url = name.toString() if isinstance(name, QUrl) else name
        if kind == QTextDocument.ResourceType.ImageResource.value or kind == QTextDocument.ResourceType.ImageResource:
            head, _, rest = url.partition(":")
            if head == "mark":
                return theme.mark_pixmap(rest, 12)
            if head == "bar":
                width, role = rest.split(":")
                return bar_pixmap(int(width), role)
        return super().loadResource(kind, name)

    def _follow(self, url: QUrl) -> None:
        head, _, rest = url.toString().partition(":")
        parts = rest.split(":")
        if head in ("call", "artifact", "code", "kernel"):
            self.model.select(**{head: int(rest)})
        elif head == "guard":
            self.model.select(artifact=int(parts[0]), guard=int(parts[1]))
        elif head == "line":
            self.model.show_line(None, int(rest))
        else:
            self.followed.emit(head, parts)


def bar_pixmap(width: int, role: str, height: int = 9) -> QPixmap:
    """A plain bar `width` logical pixels long in a theme role's, a phase's or an outcome's colour."""
    t = theme.active()
    color = QColor(t.phases.get(role) or t.outcomes.get(role) or getattr(t, role, t.accent))
    pixmap = QPixmap(max(1, width) * 2, height * 2)
    pixmap.setDevicePixelRatio(2)
    pixmap.fill(Qt.GlobalColor.transparent)
    p = QPainter(pixmap)
    p.fillRect(QRectF(0, 0, max(1, width), height), color)
    p.end()
    return pixmap


def page_style() -> str:
    """The style sheet of pages."""
    t = theme.active()
    fixed = theme.fixed_font().family()
    return f"""
        body, p, td, th, li {{ color: {t.text}; }}
        h1 {{ font-size: large; font-weight: 600; margin: 0 0 3px 0; }}
        h2 {{ font-size: medium; font-weight: 600; margin: 15px 0 5px 0; }}
        p {{ margin: 0 0 6px 0; }}
        a {{ color: {t.accent}; text-decoration: none; }}
        a.head {{ color: {t.text}; }}
        .code {{ font-family: '{fixed}'; }}
        .muted {{ color: {t.text_muted}; }}
        .bad {{ color: {t.bad}; }} .good {{ color: {t.good}; }} .warn {{ color: {t.warn}; }}
        th {{ color: {t.text_muted}; font-weight: normal; text-align: left; }}
        .failed {{ background-color: {t.bad_back}; }}
        .box {{ background-color: {t.raised}; }}
        .warnbox {{ background-color: {t.warn_back}; }}
        .goodbox {{ background-color: {t.good_back}; }}
    """
