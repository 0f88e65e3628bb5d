"""What stands around the views, made from the commands: the menus and the toolbar with its choices for the next run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QComboBox, QLabel, QMenu, QSizePolicy, QToolBar, QToolButton, QWidget

from .widgets.device_box import DeviceBox

if TYPE_CHECKING:
    from .main_window import MainWindow

DYNAMIC = (("auto", "automatic", "dynamic=None: a size that is seen to change becomes dynamic."),
           ("true", "always", "dynamic=True: sizes are dynamic from the first call on."),
           ("false", "never", "dynamic=False: every size is fixed into the version."))


def make_menus(window: MainWindow) -> None:
    """Menus of all commands, made anew; shortcuts work without a menu too."""
    old = window.menuBar().findChildren(QMenu, options=Qt.FindChildOption.FindDirectChildrenOnly)
    window.menuBar().clear()
    for menu in old:
        menu.deleteLater()               # not at once: a command of this menu may be running
    for title, groups in window.commands.menus().items():
        menu = window.menuBar().addMenu(title)
        menu.setToolTipsVisible(True)
        for i, group in enumerate(groups):
            if i:
                menu.addSeparator()
            for command in group:
                menu.addAction(window.commands.action(command.id))
    for command in window.commands:
        window.addAction(window.commands.action(command.id))


def make_toolbar(window: MainWindow) -> tuple[QComboBox, DeviceBox]:
    """The toolbar; returns its choices: dynamic sizes, and the device."""
    bar = QToolBar("Main")
    bar.setObjectName("toolbar")
    bar.setMovable(False)
    bar.setIconSize(QSize(16, 16))
    bar.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
    bar.setContextMenuPolicy(Qt.ContextMenuPolicy.PreventContextMenu)
    for command in ("file.open", "run.start", "run.stop", "run.again"):
        bar.addAction(window.commands.action(command))
    bar.addSeparator()
    dynamic, device = QComboBox(), DeviceBox(window.jobs)
    for value, text, _ in DYNAMIC:
        dynamic.addItem(text, value)
    _add_option(window, bar, dynamic, "Dynamic sizes", "dynamic",
                "Which sizes the compiler leaves open, where the script does not say.\n"
                + "\n".join(f"{text}: {tip}" for _, text, tip in DYNAMIC) + "\nHolds for the next run.")
    _add_option(window, bar, device, "Device", "device",
                "Where kernels run. Automatic takes the fastest device. Holds for the next run.")
    space = QWidget()
    space.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
    bar.addWidget(space)
    bar.addAction(window.commands.action("file.export"))
    bar.addAction(window.commands.action("help.palette"))
    window.addToolBar(bar)
    for button in bar.findChildren(QToolButton):
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    return dynamic, device


def _add_option(window: MainWindow, bar: QToolBar, box: QComboBox, label: str, name: str, tip: str) -> None:
    """A choice with its label; what is chosen becomes option `name` of the next run."""
    text = QLabel(label)
    text.setToolTip(tip)
    box.setToolTip(tip)
    box.setAccessibleName(label)
    box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
    box.setMaximumWidth(300)
    box.activated.connect(lambda _: window.control.options.update({name: box.currentData()}))
    bar.addWidget(text)
    bar.addWidget(box)
