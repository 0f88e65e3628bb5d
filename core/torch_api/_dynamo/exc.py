"""torch._dynamo.exc: the exceptions that scripts catch by name."""

from __future__ import annotations

from ...artifacts.backends import BackendCompilerFailed, InvalidBackend
from ...artifacts.compiling import ConstraintViolationError
from ...artifacts.runtime import FailOnRecompileLimitHit, RecompileError
from ...errors import GuardscopeError as TorchDynamoException
from ...errors import InternalError as InternalTorchDynamoError
from ...errors import ScriptError as UserError
from ...errors import Unsupported

RecompileLimitExceeded = FailOnRecompileLimitHit

__all__ = ["BackendCompilerFailed", "ConstraintViolationError", "FailOnRecompileLimitHit", "InternalTorchDynamoError",
           "InvalidBackend", "RecompileError", "RecompileLimitExceeded", "TorchDynamoException", "Unsupported", "UserError"]
