"""Matrix products and torch.linalg: shapes that fit and do not, batches, broadcasting, dtypes."""

from __future__ import annotations

from words import of

PAIRS = (("3,4", "4,2"), ("4", "4"), ("3,4", "4"), ("4", "4,2"), ("2,3,4", "4,2"), ("2,3,4", "2,4,5"), ("2,3,4", "4"), ("4", "2,4,3"), ("5,1,3,4", "2,4,3"), ("3,4", "2,4,2"),
         ("3,4", "3,4"), ("0,4", "4,2"), ("3,0", "0,2"), ("2,0,4", "2,4,3"), ("-", "3"), ("3", "4"), ("1,3", "3,1"), ("2,3,4", "3,4,2"))
CASES: list = []
for a, b in PAIRS:
    for n in ("matmul", "mm", "bmm", "mv", "dot", "inner", "outer", "vdot", "kron"):
        for d in ("float32", "float64", "float16", "bfloat16", "int64", "uint8", "bool", "complex64") if n in ("matmul", "mm") else ("float32",):
            CASES.append(of(f"torch.{n}(x, y)", x=f"{d} {a}", y=f"{d} {b}"))
    CASES += [of("x @ y", x=f"float32 {a} transposed", y=f"float32 {b} sliced"), of("x.matmul(y)", x=f"float32 {a} expanded", y=f"float32 {b}"),
              of("torch.matmul(x, y)", x=f"float32 {a}", y=f"float64 {b}"), of("F.linear(x, y.mT)", x=f"float32 {a}", y=f"float32 {b}"),
              of("torch.tensordot(x, y, dims=1)", x=f"float32 {a}", y=f"float32 {b}"), of("torch.linalg.multi_dot([x, y])", x=f"float32 {a}", y=f"float32 {b}")]
for t, shapes in (("torch.addmm(z, x, y)", ("2", "3,4", "4,2")), ("torch.addmm(z, x, y, beta=2, alpha=0.5)", ("3,2", "3,4", "4,2")), ("torch.addmm(z, x, y, beta=0)", ("1,1", "3,4", "4,2")),
                  ("z.addmm(x, y)", ("4", "3,4", "4,2")), ("torch.baddbmm(z, x, y)", ("2,3,5", "2,3,4", "2,4,5")), ("z.baddbmm(x, y, beta=0.5, alpha=2)", ("1", "2,3,4", "2,4,5")),
                  ("torch.addmv(z, x, y)", ("3", "3,4", "4")), ("torch.addbmm(z, x, y)", ("3,5", "2,3,4", "2,4,5")), ("torch.addr(z, x, y)", ("3,4", "3", "4")), ("z.addr(x, y, beta=2, alpha=3)", ("3,4", "3", "4")),
                  ("F.linear(x, y, z)", ("2", "3,4", "2,4")), ("F.linear(x, y, z)", ("3", "3,4", "2,4")), ("F.bilinear(x, y, z)", ("5,4,3", "2,4", "2,3")), ("z.clone().addmm_(x, y)", ("3,2", "3,4", "4,2")), ("torch.addmm(z, x, y, out=z)", ("3,2", "3,4", "4,2"))):
    for d in ("float32", "float64", "float16", "bfloat16", "int64", "complex64"):
        CASES.append(of(t, z=f"{d} {shapes[0]}", x=f"{d} {shapes[1]}", y=f"{d} {shapes[2]}"))
    CASES.append(of(t, z=f"float64 {shapes[0]}", x=f"float32 {shapes[1]}", y=f"float32 {shapes[2]}"))
EINSUM = ("ij,jk->ik", "ij,jk", "ij->ji", "ij->", "ii->i", "ij,ij->ij", "i,j->ij", "...ij,...jk->...ik", "ij,kj->ik", "i...->...", "ij,jk,k->i", "ij->ijk", "ijj->i", "ij , jk -> ik", "Ij,jK->IK", "ab,cd->abcd", "ij,jk->ki")
for e in EINSUM:
    n = e.split("->")[0].count(",") + 1
    args = ", ".join(("x", "y", "z[0]")[:n])
    CASES += [of(f"torch.einsum('{e}', {args})", x=f"{d} 3,3", y=f"{d} 3,3", z=f"{d} 3,3") for d in ("float32", "int64", "float16", "complex64")]
    CASES.append(of(f"torch.einsum('{e}', [{args}])", x="float32 3,3 transposed", y="float32 3,3 expanded", z="float32 3,3"))
SQUARE = """torch.linalg.inv(x); torch.inverse(x); x.inverse(); torch.linalg.det(x); torch.det(x); x.det(); torch.slogdet(x); torch.linalg.slogdet(x); torch.logdet(x); torch.linalg.cholesky(x); torch.linalg.cholesky(x, upper=True)
torch.cholesky(x); torch.linalg.solve(x, x); torch.linalg.solve(x, x[..., 0]); torch.linalg.eigvalsh(x); torch.linalg.eigh(x)[0]; torch.linalg.svdvals(x); torch.linalg.svd(x)[1]; torch.linalg.svd(x, full_matrices=False).S; torch.linalg.matrix_rank(x)
torch.linalg.matrix_power(x, 3); torch.linalg.matrix_power(x, 0); torch.linalg.matrix_power(x, -1); torch.matrix_exp(x / 10); torch.linalg.cond(x); torch.linalg.cond(x, 1); torch.linalg.pinv(x); torch.pinverse(x); torch.linalg.lu_factor(x); torch.linalg.lu(x); torch.lu_unpack(*torch.linalg.lu_factor(x))
torch.linalg.solve_triangular(x, x, upper=True); torch.linalg.solve_triangular(x, x, upper=False, unitriangular=True); torch.linalg.solve_triangular(x, x, upper=False, left=False); torch.cholesky_solve(x, torch.linalg.cholesky(x)); torch.cholesky_inverse(torch.linalg.cholesky(x))
torch.linalg.lstsq(x, x)[0]; torch.linalg.lstsq(x, x); torch.linalg.matrix_norm(x, 2); torch.linalg.qr(x)[1].abs(); torch.linalg.qr(x, mode='r')[1].abs(); torch.linalg.qr(x, mode='complete').R.abs(); torch.trace(x); torch.linalg.diagonal(x); torch.linalg.vecdot(x, x); torch.tril(x) @ x; torch.linalg.eigvals(x).real.sort()[0]; torch.linalg.lu_solve(*torch.linalg.lu_factor(x), x)
torch.linalg.inv_ex(x); torch.linalg.cholesky_ex(x); torch.svd(x)[1]; torch.linalg.tensorinv(x.reshape(*x.shape), ind=1); torch.block_diag(x, x); torch.linalg.matrix_rank(x, hermitian=True); torch.linalg.pinv(x, hermitian=True); torch.linalg.vander(x[0]); torch.linalg.cross(x, x); torch.cross(x, x.flip(0), dim=0)"""
for t in [p for line in SQUARE.splitlines() for p in line.split("; ")]:
    CASES += [of(t, x=f"{d} 3,3 contiguous spd") for d in ("float32", "float64", "float16", "int64", "bool")] + [of(t, x="complex64 3,3")]
    CASES += [of(t, x="float64 2,3,3 contiguous spd"), of(t, x="float32 3,4"), of(t, x="float32 3"), of(t, x="float32 3,3 transposed spd"), of(t, x="float32 0,0")]
RECT = "torch.linalg.svdvals(x); torch.linalg.svd(x)[1]; torch.linalg.pinv(x); torch.linalg.qr(x)[1].abs(); torch.linalg.lstsq(x, y); torch.linalg.lstsq(x, y, driver='gelsd'); torch.linalg.lstsq(x, y[:, 0]); torch.linalg.matrix_rank(x); torch.linalg.lu(x); torch.linalg.lu_factor(x); torch.linalg.lu_factor_ex(x); torch.linalg.svd(x).U.shape; torch.linalg.svd(x, False).Vh.shape; torch.linalg.qr(x, 'complete')[0].shape"
for t in RECT.split("; "):
    CASES += [of(t, x=f"{d} {s}", y=f"{d} {s.split(',')[0]},2") for d in ("float32", "float64") for s in ("5,3", "3,5", "4,4", "1,3")]
