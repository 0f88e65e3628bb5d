"""torch.utils.data: data sets, samplers and a DataLoader that works in this process."""

from __future__ import annotations

from ...naming import module_getattr, not_yet
from .dataset import ConcatDataset, Dataset, IterableDataset, Subset, TensorDataset, random_split
from .loader import (
    BatchSampler,
    DataLoader,
    RandomSampler,
    Sampler,
    SequentialSampler,
    SubsetRandomSampler,
    WeightedRandomSampler,
    default_collate,
)

DistributedSampler = not_yet("torch.utils.data.DistributedSampler", "use RandomSampler: there is one process")


def get_worker_info() -> None:
    """None: samples are loaded in the process that asks."""
    return


__all__ = ["BatchSampler", "ConcatDataset", "DataLoader", "Dataset", "DistributedSampler", "IterableDataset",
           "RandomSampler", "Sampler", "SequentialSampler", "Subset", "SubsetRandomSampler", "TensorDataset",
           "WeightedRandomSampler", "default_collate", "get_worker_info", "random_split"]
__getattr__ = module_getattr(globals())
