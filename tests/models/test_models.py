# Models of the kinds that people compile: compiled equals plain over varying sizes, with the expected graphs per call.
import guardscope.core.torch_api as torch

from . import adapters, sequences, transformers, vision
from .compare import run


def x(*shape):
    return torch.randn(*shape)


def tokens(high, *shape):
    return torch.randint(1, high, shape)


def test_decoder_with_a_cache():
    def script(f, owner):
        prompt = tokens(29, 2, 5)
        logits, caches = f(prompt)
        yield logits, caches
        for _ in range(5):
            logits, caches = f(logits.argmax(-1), caches)
            yield logits, caches

    counts = run(lambda: transformers.Decoder().eval(), script)
    assert counts[:3] == [1, 1, 1] and counts[3:] == [0, 0, 0]      # prompt, first step, then one graph for all lengths


def test_encoder_decoder():
    def script(f, owner):
        for b, s, t in ((2, 6, 4), (2, 7, 5), (2, 9, 8), (3, 9, 8), (2, 6, 4)):
            source = tokens(23, b, s)
            source[0, -2:] = 0
            yield f(source, tokens(23, b, t))

    assert run(lambda: transformers.Translator().eval(), script) == [1, 1, 0, 1, 0]


def test_vision_transformer():
    sizes = ((2, 16, 16), (3, 16, 16), (2, 16, 24), (2, 24, 24), (2, 16, 16))
    counts = run(lambda: transformers.VisionTransformer().eval(), lambda f, owner: (f(x(b, 3, h, w)) for b, h, w in sizes))
    assert counts[:2] == [1, 1] and counts[-1] == 0 and sum(counts) <= 4


def test_unet():
    sizes = ((1, 16, 16), (1, 18, 21), (1, 20, 30), (1, 27, 19), (1, 16, 16))
    counts = run(lambda: vision.UNet().eval(), lambda f, owner: (f(x(b, 3, h, w)) for b, h, w in sizes))
    assert counts[:2] == [1, 1] and sum(counts) <= 4 and counts[-1] == 0


def test_convnet_in_eval_and_in_training():
    def script(f, owner):
        for b in (2, 3, 4, 2):
            yield f(x(b, 3, 12, 12))
        owner.stages.train()
        yield f(x(2, 3, 12, 12)), owner.stages[0].bn1.running_mean, owner.stages[0].bn1.num_batches_tracked
        owner.eval()
        yield f(x(3, 3, 12, 12))

    counts = run(lambda: vision.ConvNet().eval(), script)
    assert counts[:4] == [1, 1, 0, 0] and counts[5] == 0


def test_recurrent():
    def script(f, owner):
        yield f(x(2, 4, 3))
        yield f(x(3, 4, 3))
        yield f(x(4, 4, 3))
        yield f(x(2, 4, 3), (x(4, 2, 4), x(4, 2, 4)))
        yield f(x(2, 5, 3))

    counts = run(sequences.Recurrent, script)
    assert counts[:3] == [1, 1, 0]                                  # the length is unrolled, the batch is dynamic


def test_selective_scan():
    sizes = ((2, 5), (3, 5), (4, 5), (2, 6), (2, 5))
    counts = run(sequences.SelectiveScan, lambda f, owner: (f(x(b, t, 8)) for b, t in sizes))
    assert counts[:3] == [1, 1, 0] and counts[-1] == 0


def test_mixture_of_experts():
    sizes = ((2, 3), (2, 5), (3, 7), (2, 3))
    counts = run(sequences.Experts, lambda f, owner: (f(x(b, t, 8)) for b, t in sizes))
    assert counts[:2] == [1, 1] and sum(counts) <= 3 and counts[-1] == 0
    run(sequences.LoopedExperts, lambda f, owner: (f(x(b, t, 8)) for b, t in sizes))


def test_graph_attention():
    def script(f, owner):
        for n, e in ((5, 9), (7, 12), (6, 20), (5, 9)):
            yield f(x(n, 6), torch.randint(0, n, (2, e)))

    assert run(sequences.GraphAttention, script) == [1, 1, 0, 0]


def test_adapters_are_swapped():
    def script(f, owner):
        for name in (None, "a", "b", "a", None, "b"):
            owner.use(name)
            yield f(x(3, 4))
        owner.net[0].up["a"] = torch.ones(8, 2)
        owner.use("a")
        yield f(x(3, 4))

    assert run(adapters.Adapted, script)[:6] == [1, 1, 1, 0, 0, 0]  # one graph per adapter, found again


def test_sampler_loop_and_steps():
    def loop(f, owner):
        for n in (3, 5, 4):
            yield f(x(n, 3), x(4, n, 3))

    assert run(adapters.Sampler, loop) == [1, 1, 0]

    def steps(f, owner):
        for n in (3, 5):
            y = x(n, 3)
            for t in reversed(range(4)):
                y = f(y, t, x(n, 3))
                yield y

    # t becomes dynamic, the last step takes the other branch, then the batch becomes dynamic: nothing else
    assert run(lambda: adapters.Sampler().step, steps) == [1, 1, 0, 1, 1, 0, 0, 1]
