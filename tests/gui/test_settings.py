"""The settings page: what is chosen is kept, used for the next run, and refused in words where it makes no sense."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from guardscope.gui.widgets.settings_dialog import Chosen, SettingsDialog, load, save


def test_settings_are_kept(make_window: Any, tmp_path: Path) -> None:
    window = make_window()
    assert load(window.settings) == Chosen()
    chosen = Chosen("dark", "eager", 3, 20, str(tmp_path / "kept"))
    save(window.settings, chosen)
    assert load(window.settings) == chosen
    assert chosen.run_settings() == {"backend": "eager", "recompile_limit": 3, "shadow": 20}
    assert Chosen().run_settings() == {}
    for key in ("theme", "run/backend", "run/recompile_limit", "run/shadow"):
        window.settings.setValue(key, "nonsense")
    assert load(window.settings) == Chosen(folder=chosen.folder)


def test_the_next_run_uses_them(make_window: Any, tmp_path: Path, qtbot: Any) -> None:
    script = tmp_path / "args.py"
    script.write_text("import sys, torch\nprint(sys.argv[1:])\n\n\n@torch.compile\ndef f(x, k):\n    return x * k\n\n\n"
                      "for k in (True, False, 1):\n    f(torch.ones(2), k)\n")
    window = make_window()
    window.open_path(script)
    assert window.commands.run("file.settings")
    dialog = window.findChild(SettingsDialog)
    dialog.arguments.setText("--name 'two words'")
    dialog.limit.setValue(2)
    dialog.backend.setCurrentIndex(1)
    dialog.folder.setText(str(tmp_path / "kept"))
    dialog._accept()
    assert window.control.settings() == {"backend": "eager", "recompile_limit": 2}
    assert window.commands.run("run.start")
    qtbot.waitUntil(lambda: not window.control.running and not window.control.watching)
    assert "['--name', 'two words']" in window.views["output"].plain()
    assert "1 eager" in window.views["summary"].chips.chips["eager_limit"].text()
    assert {p.name.partition("-")[0] for p in (tmp_path / "kept").iterdir()} == {"args"}


def test_what_makes_no_sense_is_said_in_the_dialog(make_window: Any, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    window = make_window()
    window.open_path(__file__)
    assert window.commands.run("file.settings")
    dialog = window.findChild(SettingsDialog)
    dialog.arguments.setText("'open")
    dialog._accept()
    assert "close every quote" in dialog.says.text()
    dialog.arguments.setText("")
    dialog.folder.setText(str(tmp_path / "file"))
    dialog._accept()
    assert "is a file; name a folder" in dialog.says.text()
    assert dialog.isVisible()
    dialog.reject()


def test_the_theme_changes_at_once(make_window: Any) -> None:
    from guardscope.gui import theme

    window = make_window()
    window.apply_settings(Chosen("dark"))
    assert theme.active().name == "dark"
    assert window.settings.value("theme") == "dark"


def test_a_session_is_run_again_with_its_arguments(make_window: Any, tmp_path: Path, qtbot: Any) -> None:
    script = tmp_path / "args.py"
    script.write_text("import sys\nprint(sys.argv[1:])\n")
    window = make_window()
    assert window.open_path(script, run=True, arguments=["a b", "-c"])
    qtbot.waitUntil(lambda: not window.control.running and not window.control.watching)
    assert "['a b', '-c']" in window.views["output"].plain()
    session = window.model.session.path
    assert window.open_path(tmp_path / "args.py")
    assert window.control.arguments == []
    assert window.open_path(session)
    assert window.control.arguments == ["a b", "-c"]


@pytest.mark.parametrize("name", ["light", "dark"])
def test_every_picture_of_the_style_sheet_exists_and_numbers_have_arrows(make_window: Any, qapp: Any, name: str) -> None:
    import re

    from guardscope.gui import theme
    from PySide6.QtWidgets import QSpinBox, QStyle, QStyleOptionSpinBox

    theme.apply(qapp, name)
    pictures = re.findall(r"url\(([^)]+)\)", qapp.styleSheet())
    assert len(pictures) > 3
    assert all(Path(p).is_file() for p in pictures)
    box = QSpinBox()
    option = QStyleOptionSpinBox()
    box.initStyleOption(option)
    for part in (QStyle.SubControl.SC_SpinBoxUp, QStyle.SubControl.SC_SpinBoxDown):
        rect = box.style().subControlRect(QStyle.ComplexControl.CC_SpinBox, option, part, box)
        assert rect.width() > 10 and rect.height() > 5
    box.deleteLater()
