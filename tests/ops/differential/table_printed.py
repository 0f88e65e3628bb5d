"""What a tensor prints as: precision, scientific notation, columns, summaries, dtypes, marks."""

from __future__ import annotations

from words import of

CASES: list = []
VALUES = ("any", "big", "positive", "special", "unit")
SIZES = ("-", "0", "1", "3", "7", "20", "100", "1001", "2,3", "0,3", "3,0", "1,1", "4,30", "2,2,2", "3,1,4", "50,50", "2,3,400", "10,10,11", "1,1,1,1", "1,1200")
for d in ("float32", "float64", "float16", "bfloat16", "complex64", "complex128"):
    for s in SIZES:
        CASES += [of("repr(x)", x=f"{d} {s} contiguous {v}") for v in VALUES]
for d in ("int64", "int32", "int16", "int8", "uint8", "bool"):
    CASES += [of("repr(x)", x=f"{d} {s} contiguous any") for s in SIZES]
SCALES = ("1e-3", "1e-4", "9.9e-5", "1e-5", "1e5", "1e8", "1.0001e8", "1e9", "1e20", "1e-20", "1e38", "123456.0", "99999.5", "0.1", "1 / 3")
CASES += [of(f"repr(torch.tensor([{v} * k for k in (0, 1, 2.5, -3)]))") for v in SCALES]
CASES += [of(f"repr(torch.tensor({v}, dtype=torch.{d}))") for v in (*SCALES, "0.0", "-0.0", "float('nan')", "float('inf')", "1.0", "100.0", "1000000.0", "16777216.0", "[1.0, 2.0]", "[1.0, 2.5]", "[1e-8, 1.0]", "[1000.0, 0.999]", "[1.0, 1001.0]", "[1.5, 1001.0]", "[1e10, 1.0]", "[float('nan'), 1.0]", "[float('inf'), 1.5]", "[float('nan')] * 3", "[0.0, 0.0]", "[[1.0, 2.0], [3.5, 4.0]]", "[0.00001, 0.5]", "[99999999.0, 1.0]", "[100000000.0, 1.0]")
          for d in ("float32", "float64", "float16") if not (d == "float16" and "e3" in v)]
OPTIONS = ("precision=2", "precision=8", "threshold=5", "edgeitems=1", "linewidth=40", "sci_mode=True", "sci_mode=False", "profile='short'", "profile='full'", "profile='default'", "threshold=3, edgeitems=0", "linewidth=120", "precision=0")
for o in OPTIONS:
    for s in ("float32 30 contiguous any", "float32 5,60 contiguous big", "int64 40 contiguous any", "float64 3,4 contiguous any", "complex64 12 contiguous any", "bool 30 contiguous any"):
        CASES.append(of(f"torch.set_printoptions({o}); r = repr(x); torch.set_printoptions(profile='default'); r", x=s))
MORE = """repr(torch.ones(2, requires_grad=True)); repr(torch.ones(2, 3, dtype=torch.float64, requires_grad=True)); repr(torch.nn.Parameter(torch.ones(2))); repr(torch.nn.Parameter(torch.ones(2), requires_grad=False)); str(torch.ones(2)); f'{torch.ones(2)}'; f'{torch.tensor(1.5):.3f}'; f'{torch.tensor(3):5d}'; f'{torch.tensor(2.0)}'; f'{torch.ones(2):.2f}'; '%s' % torch.arange(3); repr(torch.empty(0)); repr(torch.empty(0, 3)); repr(torch.empty(0, dtype=torch.int64)); repr(torch.empty(2, 0, dtype=torch.bool)); repr(torch.ones(2, 3, device='meta')); repr(torch.ones(2, device='meta', dtype=torch.int32)); repr(torch.Size([1, 2])); repr(torch.device('cpu')); repr(torch.float32); repr([torch.ones(2), torch.zeros(1)]); repr({'a': torch.tensor(1)}); repr((torch.arange(3),)); repr(torch.arange(2000)); repr(torch.ones(3, 4).T); repr(torch.arange(12).reshape(3, 4)[:, ::2]); repr(torch.tensor([True, False])); repr(torch.tensor(True)); repr(torch.tensor(7)); repr(torch.tensor(-7, dtype=torch.int8)); repr(torch.max(torch.tensor([1, 3]), 0)); repr(torch.sort(torch.tensor([2.0, 1.0]))); repr(torch.topk(torch.arange(4), 2)); repr(torch.linalg.qr(torch.eye(2))); repr(torch.zeros(3, 4, 5)); repr(torch.full((2, 2), 1e10)); repr(torch.tensor([1e-10, 1.0, 1e10])); repr(torch.tensor(1 + 2j)); repr(torch.tensor([1.5 - 2j, 3e8 + 1j])); repr(torch.tensor([[1 + 1j]], dtype=torch.complex128)); repr(torch.tensor([float('nan') + 1j])); str(torch.finfo(torch.float64)); repr(torch.iinfo(torch.int64)); repr(torch.strided); repr(torch.contiguous_format); repr(torch.preserve_format); repr(torch.nn.Linear(2, 3)); repr(torch.tensor([1, 2], dtype=torch.uint8)); repr(torch.tensor([[]])); repr(torch.randn(2, 2, 2).to(torch.float16)); torch.typename(torch.ones(1)); torch.typename(3); repr(torch.ones(1, dtype=torch.complex64).conj()); torch.ones(2).__repr__(); torch.set_printoptions(precision='a'); torch.set_printoptions(profile='no'); repr(torch.ones(1, 1, 1, 1)); repr(torch.rand(1000)); repr(torch.rand(1001)); repr(torch.rand(31, 33)); repr(torch.rand(10, 101)); repr(torch.rand(7, 7, 21))"""
CASES += [of(t) for t in MORE.split("; ")]
