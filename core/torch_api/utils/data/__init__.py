"""torch.utils.data: data sets, samplers and a DataLoader that works in this process."""

from __future__ import annotations

from ...naming import module_getattr, not_yet
from .dataset import ConcatDataset, Dataset, IterableDataset, Subset, TensorDataset, random_split
from .loader import BatchSampler, DataLoader, RandomSampler, Sampler, SequentialSampler, default_collate

DistributedSampler = not_yet("torch.utils.data.DistributedSampler", "use RandomSampler: there is one process")

__all__ = ["BatchSampler", "ConcatDataset", "DataLoader", "Dataset", "DistributedSampler", "IterableDataset",
           "RandomSampler", "Sampler", "SequentialSampler", "Subset", "TensorDataset", "default_collate",
           "random_split"]
__getattr__ = module_getattr(globals())
