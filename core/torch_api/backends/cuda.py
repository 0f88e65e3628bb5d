"""torch.backends.cuda: switches that scripts set before anything else."""

from __future__ import annotations

from ..naming import module_getattr, present
from ..settings import Settings

matmul = Settings("torch.backends.cuda.matmul", allow_tf32=False, allow_fp16_reduced_precision_reduction=True,
                  allow_bf16_reduced_precision_reduction=True, allow_fp16_accumulation=False, fp32_precision="none")
_sdp = {"flash": True, "mem_efficient": True, "math": True, "cudnn": True}


def is_built() -> bool:
    """Whether CUDA was compiled in: never."""
    return False


def flash_sdp_enabled() -> bool:
    return _sdp["flash"]


def mem_efficient_sdp_enabled() -> bool:
    return _sdp["mem_efficient"]


def math_sdp_enabled() -> bool:
    return _sdp["math"]


def enable_flash_sdp(enabled: bool) -> None:
    _sdp["flash"] = bool(enabled)


def enable_mem_efficient_sdp(enabled: bool) -> None:
    _sdp["mem_efficient"] = bool(enabled)


def enable_math_sdp(enabled: bool) -> None:
    _sdp["math"] = bool(enabled)


def enable_cudnn_sdp(enabled: bool) -> None:
    _sdp["cudnn"] = bool(enabled)


present(globals())
__getattr__ = module_getattr(globals())
