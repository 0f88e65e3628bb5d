# What TORCH_LOGS and torch._logging.set_logs print: one script of a kind for each name, read as a person would.
import logging

import pytest
from guardscope.core.torch_api.importing import install

install()
import torch  # noqa: E402


def ones(*shape):
    return torch.ones(*shape)


@pytest.fixture(autouse=True)
def quiet():
    yield
    torch._logging.set_logs()
    from guardscope.core.artifacts import logs

    logs._chosen.clear()


def printed(monkeypatch, capsys, names, work):
    monkeypatch.setenv("TORCH_LOGS", names)
    work()
    return capsys.readouterr().err


def sizes(fn, *counts):
    def work():
        g = torch.compile(fn, backend="eager")
        for n in counts:
            g(ones(n))

    return work


def test_recompiles_name_what_changed(m, monkeypatch, capsys):
    text = printed(monkeypatch, capsys, "recompiles", sizes(m.add_size, 3, 4))
    assert "[recompiles] add_size, " in text and "version 0: x.shape[0] was 3, is 4" in text
    assert "[guards]" not in text and "[graph_code]" not in text


def test_recompiles_verbose_names_every_version(m, monkeypatch, capsys):
    def work():
        g = torch.compile(m.times, backend="eager", dynamic=False)
        for k in (1, 2, 3):
            g(ones(2), k)

    text = printed(monkeypatch, capsys, "recompiles_verbose", work)
    assert "version 0: n was 1, is 3" in text and "version 1: n was 2, is 3" in text
    torch._dynamo.reset()
    assert "version 0: n was 1, is 3" not in printed(monkeypatch, capsys, "recompiles", work)


def test_graph_breaks_show_the_line_and_the_hint(m, monkeypatch, capsys):
    text = printed(monkeypatch, capsys, "graph_breaks", sizes(m.breaks, 3))
    assert "torch._dynamo.graph_break()" in text and "cache_subject.py:" in text and "hint: remove the call" in text


def test_dynamic_shows_symbols_and_decisions(m, monkeypatch, capsys):
    text = printed(monkeypatch, capsys, "+dynamic", sizes(m.branches_on_size, 5, 6, 7))
    assert "x.shape[0] is dynamic from now on: it was 5, then 6" in text
    assert "s0 = 6 for x.shape[0]" in text and "x.shape[0] != 4  # compared here, " in text


@pytest.mark.parametrize(("name", "part"), [
    ("graph_code", "torch.add(x, 3)"), ("guards", "x: float32[3] on cpu  # a tensor of this kind"),
    ("output_code", "return __graph(x)"), ("dynamo,-graph_breaks", "")])
def test_each_name_shows_its_part(m, monkeypatch, capsys, name, part):
    text = printed(monkeypatch, capsys, name, sizes(m.add_size, 3))
    assert part.partition("return ")[2] in text if part.startswith("return ") else part in text
    assert bool(text) is bool(part)


def test_names_of_parts_that_do_not_exist_here_are_silent_and_unknown_ones_are_told_once(m, monkeypatch, capsys):
    text = printed(monkeypatch, capsys, "inductor,perf_hints,nonsense", sizes(m.add_size, 3, 4))
    assert text.count("'nonsense' is not known") == 1 and "inductor" not in text


def test_set_logs_goes_before_the_environment(m, monkeypatch, capsys):
    monkeypatch.setenv("TORCH_LOGS", "guards")
    torch._logging.set_logs(recompiles=True, dynamo=logging.WARNING)
    sizes(m.add_size, 3, 4)()
    text = capsys.readouterr().err
    assert "[recompiles]" in text and "[graph_code]" not in text
    with pytest.raises(ValueError, match="nonsense"):
        torch._logging.set_logs(nonsense=True)
