"""No dead buttons: what is disabled says why in its tooltip, in the words that commands use too."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget


def with_reason(tip: str, why: str) -> str:
    """A tooltip, and why what it belongs to cannot be used now ("": it can)."""
    return "\n".join(part for part in (tip, f"Not now: {why}" if why else "") if part)


def allow(widget: QWidget, why: str = "") -> None:
    """Enable a widget, or disable it and let its tooltip say why."""
    tip = widget.property("tip")
    if tip is None:
        tip = widget.toolTip()
        widget.setProperty("tip", tip)
    widget.setEnabled(not why)
    widget.setToolTip(with_reason(tip, why))
