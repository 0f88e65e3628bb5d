"""torch.cuda as far as it stands for "the GPU": there is none yet, so scripts choose the CPU by themselves."""

from __future__ import annotations

from contextlib import contextmanager
from typing import Any

from ...errors import NotYetSupported
from ...tensor.devices import device as Device
from ..import_only import absent_class
from ..naming import module_getattr, not_yet, present


def is_available() -> bool:
    """Whether tensors can be put on a GPU. Not yet: compiled graphs run on the OpenCL device by themselves."""
    return False


def device_count() -> int:
    return 0


def is_initialized() -> bool:
    return False


def is_bf16_supported(including_emulation: bool = True) -> bool:
    return False


def init() -> None:
    _no_gpu()


def current_device() -> int:
    return _no_gpu()


def get_device_name(device: Any = None) -> str:
    return _no_gpu()


def get_device_properties(device: Any = None) -> Any:
    return _no_gpu()


def get_device_capability(device: Any = None) -> tuple[int, int]:
    return _no_gpu()


def set_device(device: Any) -> None:
    if Device(device).type == "cuda":
        _no_gpu()


def synchronize(device: Any = None) -> None:
    """Wait for the GPU. Raises, as PyTorch does without one."""
    _no_gpu()


def _no_gpu() -> Any:
    raise NotYetSupported("torch.cuda has no device in Guardscope yet: test torch.cuda.is_available() and use 'cpu', "
                          "on which compiled graphs run as OpenCL kernels.")


def empty_cache() -> None:
    """Nothing is cached for a GPU."""


def manual_seed(seed: int) -> None:
    """There is no generator on a GPU; torch.manual_seed seeds the CPU's."""


def manual_seed_all(seed: int) -> None:
    """As manual_seed."""


def memory_allocated(device: Any = None) -> int:
    return 0


def max_memory_allocated(device: Any = None) -> int:
    return 0


def memory_reserved(device: Any = None) -> int:
    return 0


def max_memory_reserved(device: Any = None) -> int:
    return 0


def reset_peak_memory_stats(device: Any = None) -> None:
    """Nothing to reset."""


@contextmanager
def device(index: Any) -> Any:
    """`with torch.cuda.device(0):` does nothing without a GPU."""
    yield


def is_current_stream_capturing() -> bool:
    return False


def get_arch_list() -> list[str]:
    return []


def ipc_collect() -> None:
    """Nothing is shared."""


def seed() -> None:
    """There is no generator on a GPU."""


def seed_all() -> None:
    """As seed."""


def initial_seed() -> int:
    return 0


def mem_get_info(device: Any = None) -> tuple[int, int]:
    return _no_gpu()


def memory_summary(device: Any = None, abbreviated: bool = False) -> str:
    return "torch.cuda: no device"


def get_rng_state(device: Any = "cuda") -> Any:
    return _no_gpu()


def get_rng_state_all() -> list[Any]:
    return []


def set_rng_state_all(new_states: Any) -> None:
    """There is no generator on a GPU."""


def max_memory_cached(device: Any = None) -> int:
    return 0


class OutOfMemoryError(RuntimeError):
    """torch.cuda.OutOfMemoryError: what scripts catch; nothing raises it here."""


default_generators: tuple = ()
_LEGACY = "use the CPU's types, such as torch.FloatTensor"
for _name in (
    "FloatTensor",
    "DoubleTensor",
    "HalfTensor",
    "BFloat16Tensor",
    "LongTensor",
    "IntTensor",
    "ShortTensor",
    "CharTensor",
    "ByteTensor",
    "BoolTensor",
):
    globals()[_name] = absent_class(_name, _LEGACY, "torch.cuda")

Event = not_yet("torch.cuda.Event", "time with time.perf_counter(), or record a session to see kernel times")
Stream = not_yet("torch.cuda.Stream", "leave streams out: launches are ordered")
current_stream = not_yet("torch.cuda.current_stream", "leave streams out: launches are ordered")
stream = not_yet("torch.cuda.stream", "leave streams out: launches are ordered")
CUDAGraph = not_yet("torch.cuda.CUDAGraph", "torch.compile binds launches once by itself")

present(globals())
__getattr__ = module_getattr(globals())
