"""A reuse that no guard can see (docs/unguarded.md): an attribute of one tensor under the name of a method."""
import torch


@torch.compile(backend="eager")
def f(x):
    return {"out": x.relu() + 1}


x = torch.ones(3)
f(x)
f(x)
x.relu = lambda: torch.zeros(3)
print(f(x)["out"].tolist())
