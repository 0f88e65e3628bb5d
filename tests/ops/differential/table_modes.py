"""Modes around operators: gradient tracking, autocast, default dtypes, devices without elements."""

from __future__ import annotations

from words import of

TEXTS = """x.requires_grad_(); y = x * 2; (y.requires_grad, y.is_leaf, x.is_leaf)
x.requires_grad_(); y = (x > 0).float(); y.requires_grad
x.requires_grad_(); y = x.detach(); y.requires_grad
x.requires_grad_(); y = x.long(); y.requires_grad
x.requires_grad_(); x.add_(1)
x.requires_grad_(); x.data.add_(1); x
x.requires_grad_(); x.numpy()
x.requires_grad_(); y = x.sum(); (y.grad_fn is None, y.requires_grad)
x.requires_grad_(); y = x.argmax(); y.requires_grad
x.requires_grad_(); y = x.sort()[1]; y.requires_grad
x.requires_grad_(); y = x.clone().fill_(0); y.requires_grad
x.requires_grad_(); y = torch.zeros_like(x); y.requires_grad
x.requires_grad_(); y = torch.cat([x, x.detach()]); y.requires_grad
x.requires_grad_(); y = x[0]; y[0] = 1; y.requires_grad
x.long().requires_grad_()
y = torch.ones(2, requires_grad=True, dtype=torch.int64); y
with torch.no_grad(): r = (x.requires_grad_() * 2).requires_grad; r
with torch.inference_mode(): r = (x * 2).is_inference(); r
with torch.set_grad_enabled(False): r = torch.is_grad_enabled(); r
with torch.enable_grad(): r = torch.is_grad_enabled(); r
with torch.autocast('cpu'): r = x @ x.T; r
with torch.autocast('cpu', dtype=torch.float16): r = x @ x.T; r
with torch.autocast('cpu'): r = (x @ x.T) + x[:, :1]; r
with torch.autocast('cpu'): r = F.linear(x, x); r
with torch.autocast('cpu'): r = torch.cat([x @ x.T, x]) if x.shape[0] == x.shape[1] else torch.stack([x @ x.T]); r
with torch.autocast('cpu'): r = F.softmax(x @ x.T, -1); r
with torch.autocast('cpu'): r = F.layer_norm(x @ x.T, (3,)); r
with torch.autocast('cpu'): r = F.mse_loss(x @ x.T, x @ x.T + 1); r
with torch.autocast('cpu'): r = torch.einsum('ij,kj->ik', x, x); r
with torch.autocast('cpu'): r = F.scaled_dot_product_attention(x[None], x[None], x[None]); r
with torch.autocast('cpu'): r = F.conv1d(x[None], x[None, :, :2]); r
with torch.autocast('cpu'): r = torch.prod(x @ x.T); r
with torch.autocast('cpu'): r = x.double() @ x.double().T; r
with torch.autocast('cpu'): r = torch.addmm(x[:, :3], x, x.T); r
with torch.autocast('cpu'): r = torch.bmm(x[None], x.T[None]); r
with torch.autocast('cpu'): r = F.gelu(x @ x.T) * 2; r
with torch.autocast('cpu', enabled=False): r = x @ x.T; r
with torch.autocast('cpu'): r = torch.linalg.inv(x[:, :3] @ x[:, :3].T + 5 * torch.eye(3)); r
with torch.autocast('cpu'): r = (torch.is_autocast_enabled('cpu'), torch.get_autocast_dtype('cpu'), torch.is_autocast_cpu_enabled()); r
torch.set_default_dtype(torch.float64); r = (torch.ones(1).dtype, torch.tensor(1.5).dtype, torch.arange(3.0).dtype, (torch.ones(2, dtype=torch.int64) / 2).dtype); torch.set_default_dtype(torch.float32); r
torch.set_default_dtype(torch.int64)
torch.ones(2, device='meta') + 1
torch.ones(2, 3, device='meta').T.stride()
torch.ones(2, device='meta').tolist()
x.to('meta').shape
x.to('meta').to('cpu')"""
CASES: list = [of(t, x=f"{d} 3,4 {where}") for t in TEXTS.splitlines() for d, where in (("float32", "contiguous"), ("float32", "transposed"), ("float64", "contiguous"), ("float16", "contiguous"), ("bfloat16", "contiguous"))]
