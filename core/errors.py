"""Exception classes by who can act: the user's script, the environment, or us.

Every message is one sentence that names the thing, the value seen, the value expected, and what to do.
"""

from __future__ import annotations


class GuardscopeError(Exception):
    """Base of every error that Guardscope raises on purpose."""


class ScriptError(GuardscopeError):
    """The inspected script (or its command line) can be changed to cure this."""


class EnvironmentProblem(GuardscopeError):
    """The machine can be changed to cure this: a missing driver, a full disk, an unreadable file."""


class InternalError(GuardscopeError):
    """A fault of ours. The message says what was expected; please report it with the session file."""


class NotYetSupported(ScriptError, NotImplementedError):
    """A part of PyTorch's API that exists here only as a name; the message names the nearest thing that works."""


class Unsupported(GuardscopeError):
    """torch._dynamo.exc.Unsupported: fullgraph=True met something that cannot be captured."""
