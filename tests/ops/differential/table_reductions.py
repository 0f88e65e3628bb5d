"""Operators that combine over dimensions, scans, sorting and statistics: dims, keepdim, empty inputs, ties, NaN."""

from __future__ import annotations

from words import ALL, of, unary

DIMS = ("", "0", "-1", "1, keepdim=True", "-2, True", "5", "-4", "dim=(0, 1)", "dim=[1]", "(-1, -2), True", "dim=()", "(0, 0)", "None", "dim=None, keepdim=True",
        "'a'", "1.5", "axis=0", "torch.tensor(0)")
CASES: list = []
for n in ("sum", "prod", "mean", "amax", "amin", "any", "all", "nansum", "nanmean", "logsumexp", "std", "var", "std_mean", "var_mean", "median", "nanmedian",
          "mode", "max", "min", "argmax", "argmin", "aminmax", "count_nonzero", "norm", "cumsum", "cumprod", "cummax", "cummin", "logcumsumexp",
          "softmax", "log_softmax", "argsort", "sort", "unique", "kthvalue", "topk", "quantile", "nanquantile", "msort", "diff", "flip", "roll", "sum_to_size"):
    for dims in DIMS:
        rest = {"kthvalue": "2, ", "topk": "2, ", "quantile": "0.5, ", "nanquantile": "0.25, ", "roll": "1, "}.get(n, "") + dims
        if n == "aminmax" and dims and not dims.startswith("dim"):
            rest = "dim=" + dims.split(",")[0]
        texts = [f"torch.{n}(x{', ' if rest else ''}{rest.rstrip(', ')})", f"x.{n}({rest.rstrip(', ')})"]
        simple = dims in ("", "0", "-1", "1, keepdim=True", "dim=(0, 1)")
        CASES += unary(texts[:1] if not simple else texts, "any", ALL if simple else ("float32", "int64"),
                       ("3,4 contiguous", "3,4 transposed", "3,4 expanded", "- contiguous", "0,4 contiguous", "3,0 contiguous", "2,3,4 transposed", "1,1 contiguous")
                       if simple else ("2,3,4 contiguous", "- contiguous", "0,4 contiguous"))
    CASES += [of(f"torch.{n}(x{r})", x="float32 2,6 contiguous special")
              for r in {"kthvalue": [", 2"], "topk": [", 3"], "quantile": [", 0.3"], "nanquantile": [", 0.3"], "softmax": [", 1"], "log_softmax": [", 1"],
                        "cumsum": [", 1"], "cumprod": [", 1"], "cummax": [", 1"], "cummin": [", 1"], "logcumsumexp": [", 1"], "roll": [", 1"], "flip": [", 1"]}.get(n, ["", ", 1"])]
    CASES += [of(f"torch.{n}(x{r})", x="int64 4,6 contiguous few")
              for r in {"kthvalue": [", 2"], "topk": [", 3"]}.get(n, ["", ", 1"])]
MORE = ["torch.sum(x, dtype=torch.float64)", "torch.sum(x, 0, dtype=torch.int32)", "x.sum(dim=0, dtype=torch.float16)", "torch.mean(x, dtype=torch.float64)", "torch.mean(x, dim=0, dtype=torch.float32)",
        "torch.prod(x, 0, dtype=torch.float32)", "torch.prod(x, dtype=torch.int64)", "torch.cumsum(x, 0, dtype=torch.float64)", "torch.cumprod(x, dim=1, dtype=torch.float32)",
        "torch.sum(input=x, dim=0, keepdim=True)", "torch.mean(input=x, dim=1)", "torch.std(x, unbiased=False)", "torch.std(x, 0, False)", "torch.var(x, dim=0, correction=0)",
        "torch.var(x, dim=(0, 1), correction=2, keepdim=True)", "x.var(unbiased=True)", "x.std(dim=1, unbiased=False, keepdim=True)", "torch.var(x, 0, True, True)", "torch.var_mean(x, dim=1, correction=0)",
        "torch.norm(x)", "torch.norm(x, 1)", "torch.norm(x, p=2, dim=0)", "torch.norm(x, float('inf'))", "torch.norm(x, 'fro')", "torch.norm(x, p='fro', dim=(0, 1))", "x.norm(dim=-1, keepdim=True)", "x.norm(2, -1)",
        "x.norm(p=1, dim=1)", "torch.norm(x, p=0)", "torch.norm(x, p=-float('inf'))", "torch.norm(x, p='nuc')", "torch.norm(x, p=3, dim=0)", "torch.linalg.norm(x)", "torch.linalg.norm(x, dim=0)", "torch.linalg.norm(x, 1)",
        "torch.linalg.norm(x, 'fro')", "torch.linalg.norm(x, 'nuc')", "torch.linalg.norm(x, float('inf'))", "torch.linalg.norm(x, -2)", "torch.linalg.norm(x, ord=2, dim=-1, keepdim=True)", "torch.linalg.vector_norm(x)",
        "torch.linalg.vector_norm(x, 1, dim=0)", "torch.linalg.vector_norm(x, ord=float('inf'), dim=(0, 1), keepdim=True)", "torch.linalg.vector_norm(x, 0)", "torch.linalg.vector_norm(x, 2.5, dtype=torch.float64)",
        "torch.linalg.matrix_norm(x)", "torch.linalg.matrix_norm(x, 1)", "torch.linalg.matrix_norm(x, 'nuc')", "torch.linalg.matrix_norm(x, 2, keepdim=True)",
        "torch.softmax(x, 0)", "F.softmax(x, dim=-1)", "F.softmax(x, -1, dtype=torch.float64)", "torch.softmax(x, dim=0, dtype=torch.float32)", "x.softmax(-1)", "x.softmax(dim=7)", "F.softmax(x)", "F.log_softmax(x, dim=0)", "F.softmin(x, dim=0)", "x.log_softmax(1, torch.float64)",
        "torch.topk(x, 2)", "torch.topk(x, 2, dim=0, largest=False)", "torch.topk(x, 0)", "torch.topk(x, 9)", "x.topk(k=1, dim=-1, largest=True, sorted=True)", "torch.topk(x, 3, sorted=False)[0].sort()[0]", "torch.sort(x, descending=True)", "torch.sort(x, dim=0, stable=True)", "torch.sort(x, stable=True, dim=0, descending=True)",
        "x.sort(0, True)", "torch.argsort(x, descending=True, stable=True)", "x.argsort(dim=0)", "torch.msort(x)", "torch.kthvalue(x, 1)", "torch.kthvalue(x, 9)", "torch.kthvalue(x, 0)", "x.kthvalue(2, 0, True)", "torch.unique(x)", "torch.unique(x, return_inverse=True, return_counts=True)",
        "torch.unique(x, sorted=True, dim=0)", "x.unique(return_counts=True)", "torch.unique_consecutive(x)", "torch.unique_consecutive(x, return_inverse=True, return_counts=True)", "torch.unique_consecutive(x, dim=0)", "torch.quantile(x, 0.5)", "torch.quantile(x, torch.tensor([0.25, 0.75]), dim=0)",
        "torch.quantile(x, 0.4, dim=1, keepdim=True, interpolation='nearest')", "torch.quantile(x, 0.4, interpolation='lower')", "torch.quantile(x, 1.5)", "torch.nanquantile(x, 0.5, dim=1)", "torch.median(x)", "torch.median(x, 0)", "torch.mode(x, 0)", "torch.histc(x, 5, -2, 2)", "torch.histc(x)", "torch.histogram(x, 4)",
        "torch.bincount(x.abs().reshape(-1))", "torch.bincount(x.abs().reshape(-1), minlength=20)", "torch.max(x, 0)[0]", "torch.max(x, dim=0).indices", "x.max(-1, keepdim=True)", "torch.min(x, dim=1).values", "torch.max(input=x, dim=0)", "x.argmax(-1, keepdim=True)", "x.argmin()", "torch.argmax(x, dim=None, keepdim=True)",
        "x.amax((0, 1))", "x.amin(dim=[0], keepdim=True)", "torch.any(x, dim=0)", "x.all(-1, keepdim=True)", "torch.any(x, (0, 1))", "torch.count_nonzero(x, dim=0)", "torch.count_nonzero(x, (0, 1))", "torch.aminmax(x)", "torch.aminmax(x, dim=0, keepdim=True)", "x.aminmax()", "torch.logsumexp(x, (0, 1))", "x.logsumexp(-1, True)",
        "torch.cumsum(x, dim=-1)", "x.cumsum(1)", "x.clone().cumsum_(0)", "x.clone().cumprod_(-1)", "torch.cummax(x, 0)", "torch.cummin(x, dim=-1).values", "torch.logcumsumexp(x, 0)", "torch.diff(x)", "torch.diff(x, n=2)", "torch.diff(x, dim=0, prepend=x[:1])", "torch.diff(x, append=x[:, :1])", "torch.trace(x)", "x.trace()",
        "torch.cov(x)", "torch.corrcoef(x)", "torch.nansum(x, 1)", "torch.nanmean(x, 0)", "x.nanmedian()", "torch.renorm(x, 2, 0, 1.0)", "torch.std_mean(x, dim=0)", "x.mean((0, 1))", "x.mean(dim=[-1], keepdim=True)", "x.sum((0, 1), keepdim=True)", "x.prod(0, keepdim=True)", "x.prod(dim=-1)", "torch.sum(x, 0, out=None)", "torch.mean(x, 0, True)", "torch.argmax(x, 3)",
        "o = torch.empty(0); r = torch.sum(x, 0, out=o); (o, r is o)", "o = torch.empty(0); r = torch.cumsum(x, 0, out=o); o", "torch.masked.mean(x, 0)", "torch.masked.sum(x, 1, mask=x > 0)", "torch.masked.mean(x, dim=1, mask=x > 0)", "torch.masked.var(x, 1, mask=x > 0)", "torch.masked.amax(x, 1, mask=x > 0)", "torch.masked.softmax(x, 1, mask=x > 0)",
        "len(x)", "sum(x)", "max(x.reshape(-1))", "min(x.reshape(-1))", "any(x.reshape(-1))", "all(x.reshape(-1))", "sorted(x.reshape(-1).tolist())", "torch.nonzero(x)", "x.nonzero()", "torch.nonzero(x, as_tuple=True)", "torch.argwhere(x)", "torch.searchsorted(x.sort(-1)[0], x)", "torch.bucketize(x, torch.tensor([-1, 0, 2]))", "torch.bucketize(x, torch.tensor([-1.0, 0, 2]), right=True)",
        "torch.searchsorted(torch.tensor([-1.0, 0, 2]), x, right=True)", "torch.searchsorted(torch.tensor([-1, 0, 2]), 1)", "torch.searchsorted(torch.tensor([-1.0, 0, 2]), x, side='right', out_int32=True)"]
for t in MORE:
    CASES += unary([t], "any", ("float32", "float64", "float16", "bfloat16", "int64", "int32", "uint8", "bool", "complex64"), ("3,4 contiguous", "3,4 transposed", "3,4 expanded", "0,4 contiguous", "3,4 sliced"))
