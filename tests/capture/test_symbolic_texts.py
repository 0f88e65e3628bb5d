# Texts made of symbolic numbers are those of the numbers, not of the symbols. Expected values are those of plain Python.
# ruff: noqa: UP030, UP031, UP032
import pytest
from guardscope.core.torch_api.importing import install

install()
import torch  # noqa: E402

TEXTS = {
    "percent s": lambda x: "%s" % x, "percent r": lambda x: "%r" % x, "percent d": lambda x: "%d" % x,
    "percent tuple": lambda x: "%s %s" % (x, 1), "percent name": lambda x: "%(a)s" % {"a": x},
    "percent width": lambda x: "%*d" % (int(x) + 3, 1), "percent list": lambda x: "%s" % [x],
    "percent relation": lambda x: "%s" % (x > 1), "f": lambda x: f"{x}", "f width": lambda x: f"{x!r:>9}",
    "str": str, "repr": repr, "str relation": lambda x: str(x > 1), "format": lambda x: format(x, ".3f"),
    "method": lambda x: "{} {a:>9}".format(x, a=x), "item": lambda x: "{0[0]}".format([x]), "list": lambda x: str([x]),
    "dict": lambda x: str({x: 1}), "f relation": lambda x: f"{x > 1}", "bytes": lambda x: b"%d" % int(x),
    "f width of": lambda x: f"{1:{int(x) + 3}}", "join": lambda x: ",".join(map(str, [x, x + 1])),
    "times": lambda x: "ab" * int(x),
    "hex": lambda x: hex(int(x)), "chr": lambda x: chr(int(x) + 65), "ljust": lambda x: "x".ljust(int(x) + 2, "."),
    "float hex": lambda x: float(x).hex(), "complex": lambda x: str(complex(x)), "quotient": lambda x: "%s" % (x / 4),
}


@pytest.mark.parametrize("dynamic", [True, None])
@pytest.mark.parametrize("numbers", [(7, 3, 12), (0.5, 1.25, 2.0)], ids=["int", "float"])
@pytest.mark.parametrize("name", TEXTS)
def test_texts_of_numbers(name, numbers, dynamic):
    make = TEXTS[name]

    def f(v, x):
        found = make(x)
        return v * x, found, len(found)

    def g(v, xs):
        return v + 1, [make(x) for x in xs]

    for function, wrap in ((f, lambda n: n), (g, lambda n: (n, n + 1))):
        torch._dynamo.reset()
        compiled = torch.compile(function, backend="eager", dynamic=dynamic)
        for number in numbers:
            v = torch.ones(2)
            expected, found = function(v, wrap(number)), compiled(v, wrap(number))
            assert found[1:] == expected[1:] and torch.equal(found[0], expected[0])


@pytest.mark.parametrize("dynamic", [True, None, False])
def test_a_relation_is_a_bool_to_the_operators_of_tensors(dynamic):
    def f(v, n):
        return v - (n > 0)

    def g(v, n):
        return (n > 0) - v

    def h(v, n):
        return torch.add(v.long(), 1, alpha=n / 2)

    for function in (f, g, h):
        for n in (3, 5, 7):
            with pytest.raises(RuntimeError) as plain:
                function(torch.ones(2), n)
            with pytest.raises(RuntimeError) as found:
                torch.compile(function, backend="eager", dynamic=dynamic)(torch.ones(2), n)
            assert str(found.value) == str(plain.value)


@pytest.mark.parametrize("dynamic", [True, None])
@pytest.mark.parametrize("operate", [
    lambda v, b: b + v, lambda v, b: v + b, lambda v, b: b * v, lambda v, b: v * b, lambda v, b: b / v, lambda v, b: v | b,
    lambda v, b: b & v, lambda v, b: b ^ v, lambda v, b: v ** b, lambda v, b: v == b, lambda v, b: torch.where(v > 0, b, v)])
def test_a_relation_beside_tensors_of_every_kind(operate, dynamic):
    def f(v, n):
        return operate(v, n > 4)

    torch._dynamo.reset()
    compiled = torch.compile(f, backend="eager", dynamic=dynamic)
    for dtype in (torch.bool, torch.int8, torch.int64, torch.float32):
        for n in (3, 5, 7):
            outcomes = []
            for run in (compiled, f):
                try:
                    result = run(torch.ones(2).to(dtype), n)
                    outcomes.append((result.dtype, result.tolist()))
                except RuntimeError as e:
                    outcomes.append(str(e))
            assert outcomes[0] == outcomes[1]
