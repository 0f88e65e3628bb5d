# A helper that is never compiled, called three times: four graphs.
import torch

seen = []


@torch.compiler.disable
def note(word):
    seen.append(word)


@torch.compile
def steps(a, b):
    a = a @ b
    note("product")
    a = torch.sigmoid(a)
    note("sigmoid")
    a = a - a.amax(dim=0)
    note("shifted")
    return a.abs().sum()


a, b = torch.linspace(-1, 1, 12).reshape(3, 4), torch.linspace(0, 2, 8).reshape(4, 2)
print(f"{steps(a, b).item():.5f}")
print(f"{steps(a + 1, b).item():.5f}")
print(f"{steps(a[:2] + 0, b).item():.5f}")
print(seen)
