"""torch.distributed of a single process: the questions scripts ask have answers, joining others has not."""

from __future__ import annotations

from enum import Enum
from typing import Any

from .naming import module_getattr, not_yet, present


def is_available() -> bool:
    return False


def is_initialized() -> bool:
    return False


def is_torchelastic_launched() -> bool:
    return False


def is_nccl_available() -> bool:
    return False


def is_gloo_available() -> bool:
    return False


def is_mpi_available() -> bool:
    return False


def get_rank(group: Any = None) -> int:
    return 0


def get_world_size(group: Any = None) -> int:
    return 1


class ReduceOp(Enum):
    """How values of several processes are put together; named in signatures."""

    SUM = 0
    AVG = 1
    PRODUCT = 2
    MIN = 3
    MAX = 4
    BAND = 5
    BOR = 6
    BXOR = 7


class ProcessGroup:
    """Named in annotations; cannot be made."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        init_process_group()


class Work:
    """Named in annotations."""


class group:
    """group.WORLD: the group of all processes."""

    WORLD = None


GroupMember = group
_ONE = "Guardscope runs one process: guard such calls by torch.distributed.is_initialized()"
_CALLS = ("init_process_group", "destroy_process_group", "all_reduce", "all_gather", "all_gather_object", "all_to_all",
          "all_to_all_single", "all_gather_into_tensor", "broadcast", "broadcast_object_list", "barrier", "gather",
          "gather_object", "scatter", "scatter_object_list", "reduce", "reduce_scatter", "reduce_scatter_tensor", "send",
          "recv", "isend", "irecv", "new_group", "monitored_barrier",
          "get_backend", "init_device_mesh", "get_process_group_ranks")
globals().update({name: not_yet(f"torch.distributed.{name}", _ONE) for name in _CALLS})
init_process_group: Any = globals()["init_process_group"]

present(globals())
__getattr__ = module_getattr(globals())
