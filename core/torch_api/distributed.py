"""torch.distributed of a single process: the questions scripts ask have answers, joining others has not."""

from __future__ import annotations

from typing import Any

from .naming import module_getattr, not_yet, present


def is_available() -> bool:
    return False


def is_initialized() -> bool:
    return False


def is_torchelastic_launched() -> bool:
    return False


def get_rank(group: Any = None) -> int:
    return 0


def get_world_size(group: Any = None) -> int:
    return 1


_ONE = "Guardscope runs one process: guard such calls by torch.distributed.is_available()"
init_process_group = not_yet("torch.distributed.init_process_group", _ONE)
destroy_process_group = not_yet("torch.distributed.destroy_process_group", _ONE)
all_reduce = not_yet("torch.distributed.all_reduce", _ONE)
all_gather = not_yet("torch.distributed.all_gather", _ONE)
broadcast = not_yet("torch.distributed.broadcast", _ONE)
barrier = not_yet("torch.distributed.barrier", _ONE)
new_group = not_yet("torch.distributed.new_group", _ONE)

present(globals())
__getattr__ = module_getattr(globals())
