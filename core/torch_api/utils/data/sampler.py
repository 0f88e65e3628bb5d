"""torch.utils.data.sampler: the samplers under the name that PyTorch's own module has."""

from __future__ import annotations

from .loader import BatchSampler, RandomSampler, Sampler, SequentialSampler, SubsetRandomSampler, WeightedRandomSampler

__all__ = ["BatchSampler", "RandomSampler", "Sampler", "SequentialSampler", "SubsetRandomSampler", "WeightedRandomSampler"]
