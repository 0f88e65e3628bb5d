"""What a script is told that asks for tensors or random numbers on a GPU, where there are none yet."""
import guardscope.core.torch_api as torch
import pytest
from guardscope.core.errors import NotYetSupported

TENSORS = {
    "zeros": lambda where: torch.zeros(2, device=where), "randn": lambda where: torch.randn(2, device=where),
    "rand_like": lambda where: torch.rand_like(torch.ones(2), device=where),
    "randperm": lambda where: torch.randperm(3, device=where), "tensor": lambda where: torch.tensor([1.0], device=where),
    "to": lambda where: torch.ones(2).to(where), "module": lambda where: torch.nn.Linear(2, 2).to(where),
    "randn with the CPU's generator": lambda where: torch.randn(2, generator=torch.Generator(), device=where),
}


@pytest.mark.parametrize("where", ["cuda", "cuda:1", "opencl"])
@pytest.mark.parametrize("name", TENSORS)
def test_tensors_on_a_device_are_refused_in_words(name, where):
    with pytest.raises(NotYetSupported, match=f"tensors on device '{where}' do not exist yet: use device='cpu'"):
        TENSORS[name](where)


@pytest.mark.parametrize("where", ["cuda", "cuda:0", "opencl", torch.device("cuda")])
def test_generators_on_a_device_are_refused_in_words(where):
    """A generator that only says that it is the GPU's would give other numbers than PyTorch's, without a word."""
    with pytest.raises(NotYetSupported, match=rf"random numbers on device '{torch.device(where)}' do not exist yet: use "
                                              r"torch.Generator\(\)"):
        torch.Generator(device=where)
    with pytest.raises(RuntimeError, match="META device type"):
        torch.Generator("meta")


def test_the_usual_ways_to_choose_a_device_end_on_the_cpu():
    where = "cuda" if torch.cuda.is_available() else "cpu"
    torch.cuda.manual_seed(1)
    torch.cuda.manual_seed_all(1)
    for generator in (torch.Generator(device=where), torch.Generator(torch.device(where)), torch.Generator(None)):
        assert generator.device == torch.device("cpu")
        assert torch.equal(torch.rand(3, generator=generator.manual_seed(7), device=where),
                           torch.rand(3, generator=torch.Generator().manual_seed(7)))
