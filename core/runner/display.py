"""Can a window be opened here? Asked before Qt is, because Qt ends the process (abort) when it finds no display.

Only Linux and other X11/Wayland systems need the question; elsewhere there is always a display.
"""

from __future__ import annotations

import ctypes
import os
import sys

# Library that Qt's platform plug-ins need -> Debian package that has it.
LIBRARIES = {
    "libEGL.so.1": "libegl1", "libGL.so.1": "libgl1", "libxkbcommon.so.0": "libxkbcommon0",
    "libdbus-1.so.3": "libdbus-1-3", "libfontconfig.so.1": "libfontconfig1"}
X11_LIBRARIES = {
    "libxcb.so.1": "libxcb1", "libxkbcommon-x11.so.0": "libxkbcommon-x11-0", "libxcb-cursor.so.0": "libxcb-cursor0",
    "libxcb-icccm.so.4": "libxcb-icccm4", "libxcb-image.so.0": "libxcb-image0",
    "libxcb-keysyms.so.1": "libxcb-keysyms1", "libxcb-render-util.so.0": "libxcb-render-util0",
    "libxcb-shape.so.0": "libxcb-shape0", "libxcb-xinerama.so.0": "libxcb-xinerama0"}
INSTEAD = "or work without a window: main.py run SCRIPT"


def obstacle() -> str | None:
    """One sentence about why no window can be opened, with the cure; None when it can."""
    if not sys.platform.startswith("linux"):
        return None
    if problem := missing(LIBRARIES):
        return problem
    wanted = os.environ.get("QT_QPA_PLATFORM", "").split(":")[0].split(";")[0]
    if wanted not in ("", "xcb"):
        return None
    if not wanted and os.environ.get("WAYLAND_DISPLAY"):
        return None
    if not os.environ.get("DISPLAY"):
        return ("there is no display to open a window on (neither DISPLAY nor WAYLAND_DISPLAY is set); log in with a "
                f"desktop or with ssh -X, {INSTEAD}")
    if problem := missing(X11_LIBRARIES):
        return problem
    if x_server_answers():
        return None
    return (f"the display {os.environ['DISPLAY']} (DISPLAY) does not answer; log in with a desktop or with ssh -X, "
            f"{INSTEAD}")


def missing(libraries: dict[str, str]) -> str | None:
    """A sentence about the libraries that cannot be loaded, None when all can."""
    packages = [package for library, package in libraries.items() if not loads(library)]
    if not packages:
        return None
    return ("the window needs system libraries that are not installed; on Debian or Ubuntu: apt install "
            f"{' '.join(packages)}, {INSTEAD}")


def loads(library: str) -> bool:
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True


def x_server_answers() -> bool:
    """Whether an X client can connect to DISPLAY."""
    xcb = ctypes.CDLL("libxcb.so.1")
    xcb.xcb_connect.restype = ctypes.c_void_p
    xcb.xcb_connect.argtypes = [ctypes.c_char_p, ctypes.c_void_p]
    xcb.xcb_connection_has_error.argtypes = xcb.xcb_disconnect.argtypes = [ctypes.c_void_p]
    connection = xcb.xcb_connect(None, None)
    try:
        return xcb.xcb_connection_has_error(connection) == 0
    finally:
        xcb.xcb_disconnect(connection)
