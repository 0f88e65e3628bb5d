"""Models over sequences and graphs of our own writing: recurrent nets, a selective scan, experts, graph attention."""

import guardscope.core.torch_api as torch
import guardscope.core.torch_api.nn.functional as F
from guardscope.core.torch_api import nn


class Recurrent(nn.Module):
    """A bidirectional LSTM, a GRU over its outputs, and a cell in a loop."""

    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(3, 4, 2, bidirectional=True, batch_first=True)
        self.gru = nn.GRU(8, 5, batch_first=True)
        self.cell = nn.GRUCell(5, 5)

    def forward(self, x, state=None):
        y, (h, c) = self.lstm(x, state)
        z, last = self.gru(y)
        s = last[0]
        for t in range(z.shape[1]):
            s = self.cell(z[:, t], s)
        return s, h, c


class SelectiveScan(nn.Module):
    """A state space model whose parameters depend on the input (as in Mamba), as a loop over time."""

    def __init__(self, width=8, states=4):
        super().__init__()
        self.project = nn.Linear(width, 2 * width, bias=False)
        self.conv = nn.Conv1d(width, width, 3, groups=width, padding=2)
        self.parameters_of = nn.Linear(width, 1 + 2 * states)
        self.log_a = nn.Parameter(torch.log(torch.arange(1, states + 1).float().repeat(width, 1)))
        self.d = nn.Parameter(torch.ones(width))
        self.states = states

    def forward(self, u):
        b, t, w = u.shape
        x, gate = self.project(u).split([w, w], dim=-1)
        x = F.silu(self.conv(x.transpose(1, 2))[..., :t].transpose(1, 2))
        delta, in_, out = self.parameters_of(x).split([1, self.states, self.states], dim=-1)
        delta = F.softplus(delta)
        decay = torch.exp(torch.einsum("btd,wn->btwn", delta, -torch.exp(self.log_a)))
        drive = torch.einsum("btd,btn,btw->btwn", delta, in_, x)
        h, ys = u.new_zeros(b, w, self.states), []
        for i in range(t):
            h = decay[:, i] * h + drive[:, i]
            ys.append(torch.einsum("bwn,bn->bw", h, out[:, i]))
        return (torch.stack(ys, 1) + x * self.d) * F.silu(gate)


class Experts(nn.Module):
    """A mixture of experts: every token goes to its two best."""

    def __init__(self, width=8, experts=4, chosen=2):
        super().__init__()
        self.gate = nn.Linear(width, experts, bias=False)
        self.up = nn.Parameter(torch.randn(experts, width, 16) * 0.2)
        self.down = nn.Parameter(torch.randn(experts, 16, width) * 0.2)
        self.chosen = chosen

    def forward(self, x):
        tokens = x.reshape(-1, x.shape[-1])
        weights, index = self.gate(tokens).softmax(-1).topk(self.chosen, dim=-1)
        weights = weights / weights.sum(-1, keepdim=True)
        picked = F.one_hot(index, self.gate.out_features).to(x.dtype)
        share = (picked * weights.unsqueeze(-1)).sum(1)
        hidden = F.gelu(torch.einsum("nd,edh->enh", tokens, self.up))
        out = torch.einsum("enh,ehd,ne->nd", hidden, self.down, share)
        return out.view_as(x), picked.sum((0, 1))


class LoopedExperts(Experts):
    """The same, expert by expert over the tokens that chose it: shapes that depend on the data."""

    def forward(self, x):
        tokens = x.reshape(-1, x.shape[-1])
        weights, index = self.gate(tokens).softmax(-1).topk(self.chosen, dim=-1)
        weights = weights / weights.sum(-1, keepdim=True)
        out = torch.zeros_like(tokens)
        for e in range(self.gate.out_features):
            rows, slot = torch.where(index == e)
            hidden = F.gelu(tokens[rows] @ self.up[e]) @ self.down[e]
            out.index_add_(0, rows, hidden * weights[rows, slot].unsqueeze(-1))
        return out.view_as(x)


class GraphAttention(nn.Module):
    """Attention over edges, normalised per target by scatter; messages summed by index_add."""

    def __init__(self, width=6, heads=2):
        super().__init__()
        self.heads = heads
        self.linear = nn.Linear(width, heads * width, bias=False)
        self.score = nn.Parameter(torch.randn(2, heads, width) * 0.3)

    def forward(self, nodes, edges):
        n = nodes.shape[0]
        source, target = edges[0], edges[1]
        h = self.linear(nodes).view(n, self.heads, -1)
        e = F.leaky_relu((h[source] * self.score[0]).sum(-1) + (h[target] * self.score[1]).sum(-1), 0.2)
        index = target.unsqueeze(-1).expand(-1, self.heads)
        top = torch.full((n, self.heads), -torch.inf).scatter_reduce(0, index, e, "amax")
        weight = torch.exp(e - top[target])
        total = torch.zeros(n, self.heads).scatter_add_(0, index, weight)
        weight = weight / (total[target] + 1e-9)
        out = torch.zeros_like(h).index_add_(0, target, h[source] * weight.unsqueeze(-1))
        return F.elu(out.flatten(1)), weight
