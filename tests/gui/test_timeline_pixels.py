"""The pixels of the timeline: fast column images against a plain reading of what they mean, and frames against fresh ones."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np
from guardscope.gui import theme
from guardscope.gui.models.lanes import stack_heights
from hypothesis import given, settings
from hypothesis import strategies as st
from PySide6.QtGui import QColor, QImage

COLORS = [QColor(200, 0, 0), QColor(0, 180, 0), QColor(0, 0, 160)]
GROUND = QColor(240, 240, 240)


def plain_heights(column: list[int], height: int, least: int = 3) -> list[int]:
    """One column of stack_heights, step by step."""
    total = sum(column)
    if not total:
        return [0] * len(column)
    pixels = [max(n * height // total, min(least, height)) if n else 0 for n in column]
    common = column.index(max(column))
    pixels[common] = max(pixels[common] + height - sum(pixels), 0)
    return pixels


counts = st.lists(st.lists(st.integers(0, 40), min_size=3, max_size=3), min_size=1, max_size=30)


@given(counts, st.sampled_from([4, 26, 38, 300]))
@settings(deadline=None, max_examples=80)
def test_heights_share_a_column_as_said(columns: list[list[int]], height: int) -> None:
    got = stack_heights(np.array(columns, np.int64).T, height)
    assert got.T.tolist() == [plain_heights(c, height) for c in columns]


@given(counts, st.sampled_from([7, 26, 300]), st.booleans())
@settings(deadline=None, max_examples=60)
def test_an_image_has_the_stacked_colours(columns: list[list[int]], height: int, from_bottom: bool) -> None:
    from guardscope.gui.widgets.lane_painter import columns_image

    pixels = np.array(columns, np.int64).T
    image = columns_image(pixels, COLORS, height, GROUND, from_bottom)
    assert (image.width(), image.height()) == (len(columns), height)
    for x, column in enumerate(columns):
        wanted = [color for color, n in zip(COLORS, column) for _ in range(n)][:height]
        wanted += [GROUND] * (height - len(wanted))
        seen = [image.pixelColor(x, y) for y in range(height)]
        assert seen == (wanted[::-1] if from_bottom else wanted)


def picture(canvas: Any) -> QImage:
    return canvas.viewport().grab().toImage()


def test_a_frame_never_shows_old_titles_or_old_lanes(make_window: Any, fake: ModuleType, qapp: Any) -> None:
    """After every kind of change the frame is what is painted when nothing is remembered."""
    window = make_window(fake.synthetic())
    canvas = window.timeline.canvas
    picture(canvas)
    changes = [lambda: window.model.select(call=8), lambda: window.model.select(code=2), lambda: canvas.zoom(3.0),
               lambda: canvas.pan(40), lambda: canvas.set_axis("time"), lambda: window.resize(900, 700),
               lambda: theme.apply(qapp, "dark"), lambda: canvas.verticalScrollBar().setValue(12),
               lambda: window.model.set_filter({"recompile"}), lambda: window.opening.show(fake.many_calls(2000))]
    for change in changes:
        change()
        qapp.processEvents()
        shown = picture(canvas)
        canvas._titled, canvas._painted = (), False
        assert picture(canvas) == shown
