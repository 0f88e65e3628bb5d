"""Element-wise operators of two or more operands: promotion between all dtypes, numbers, broadcasting, layouts, errors."""

from __future__ import annotations

from words import ALL, of

BOTH = ["add", "sub", "subtract", "mul", "multiply", "div", "divide", "true_divide", "floor_divide", "remainder", "fmod", "maximum", "minimum", "fmax", "fmin", "eq", "ne", "lt", "le", "gt", "ge", "greater", "less", "greater_equal", "less_equal", "not_equal", "logical_and", "logical_or", "logical_xor", "bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_left_shift", "bitwise_right_shift", "atan2", "arctan2", "hypot", "copysign", "xlogy", "logaddexp", "logaddexp2", "nextafter", "gcd", "lcm", "heaviside", "ldexp", "pow", "float_power"]
OPERATORS = ("+", "-", "*", "/", "//", "%", "**", "==", "!=", "<", "<=", ">", ">=", "&", "|", "^", "<<", ">>")
TENSORS_ONLY = ["maximum", "minimum", "fmax", "fmin", "atan2", "arctan2", "hypot", "logaddexp", "logaddexp2", "nextafter", "gcd", "lcm", "heaviside", "ldexp"]

CASES: list = []
for n in BOTH:
    for a in ALL:
        for b in ALL:
            CASES.append(of(f"torch.{n}(x, y)", x=f"{a} 3,4 contiguous positive", y=f"{b} 3,4 contiguous positive"))
    for a in ("float32", "float16", "int64", "uint8", "bool", "float64", "bfloat16"):
        for b in ("float64", "int32", "bool", "float32"):
            CASES.append(of(f"torch.{n}(x, y)", x=f"{a} 3,4 contiguous positive", y=f"{b} - contiguous positive"))
            CASES.append(of(f"x.{n}(y)", x=f"{a} - contiguous positive", y=f"{b} 3,4 transposed positive"))
        for number in ("2", "2.5", "True", "0", "-1", "300", "2**40", "1j", "'a'", "None"):
            CASES.append(of(f"torch.{n}(x, {number})", x=f"{a} 3,4 contiguous positive"))
        CASES.append(of(f"torch.{n}(2, x)", x=f"{a} 3,4 contiguous positive"))
        if n not in TENSORS_ONLY:
            CASES.append(of(f"y = x.clone(); z = y.{n}_(2); (y, z is y)", x=f"{a} 3,4 contiguous positive"))
            CASES.append(of(f"y = x.clone(); z = y.{n}_(2.5); (y, z is y)", x=f"{a} 3,4 contiguous positive"))
    for a, b in (("3,4 contiguous", "3,4 transposed"), ("3,4 transposed", "3,4 transposed"), ("3,4 expanded", "3,4 transposed"),
                 ("3,1 contiguous", "1,4 contiguous"), ("3,4 sliced", "4 contiguous"), ("0,4 contiguous", "1,4 contiguous"),
                 ("2,3,4,2 channels_last", "2,3,4,2 contiguous"), ("2,3,4,2 contiguous", "2,3,4,2 channels_last"),
                 ("2,3,4,2 channels_last", "1,3,1,1 contiguous"), ("3,4 contiguous", "4,3 contiguous"), ("- contiguous", "- contiguous"),
                 ("5,1,4,1 contiguous", "3,1,1 contiguous"), ("1,3,1 transposed", "2,3,2 contiguous"), ("3,4 transposed", "- contiguous"),
                 ("0 contiguous", "3 contiguous"), ("2,3,4 transposed", "2,1,4 contiguous"), ("3,4 expanded", "3,4 expanded")):
        kind = "int64" if n in ("bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_left_shift", "bitwise_right_shift", "gcd", "lcm") else "float32"
        CASES.append(of(f"torch.{n}(x, y)", x=f"{kind} {a} positive", y=f"{kind} {b} positive"))
    for values in ("any", "special"):
        CASES += [of(f"torch.{n}(x, y)", x=f"{d} 3,4 contiguous {values}", y=f"{d} 3,4 transposed any") for d in ("float32", "int64", "float16")]
        CASES += [of(f"torch.{n}(y, x)", x=f"{d} 3,4 contiguous {values}", y=f"{d} 3,4 transposed any") for d in ("float32",)]
    CASES += [of(f"x.{n}_(y)", x="float32 3,4 contiguous positive", y="float32 2,3,4 contiguous positive"),
              of(f"x.{n}_(y)", x="float32 3,4 transposed positive", y="float32 4 contiguous positive"),
              of(f"x.{n}_(y)", x="int64 3,4 contiguous positive", y="float32 4 contiguous positive"),
              of(f"x.{n}_(y)", x="bool 3,4 contiguous positive", y="int32 4 contiguous positive"),
              of(f"torch.{n}(input=x, other=y)", x="int64 3,4 contiguous positive", y="int64 4 contiguous positive"),
              of(f"o = torch.empty(0); torch.{n}(x, y, out=o); o", x="float32 3,4 contiguous positive", y="float32 4 contiguous positive"),
              of(f"o = torch.empty(0, dtype=torch.int64); torch.{n}(x, y, out=o); o", x="float32 3,4 contiguous positive",
                 y="float32 4 contiguous positive"),
              of(f"torch.{n}(x)", x="float32 3 contiguous any"), of(f"x.{n}()", x="float32 3 contiguous any")]
for sign in OPERATORS:
    for a in ALL:
        for number in ("2", "2.5", "True", "-3", "1j", "None", "'a'", "[1]"):
            CASES.append(of(f"x {sign} {number}", x=f"{a} 3,4 contiguous any"))
        for number in ("2", "2.5", "True"):
            CASES.append(of(f"{number} {sign} x", x=f"{a} 3,4 contiguous positive"))
        CASES.append(of(f"x {sign} y", x=f"{a} 3,4 contiguous any", y=f"{a} 3,4 contiguous positive"))
        if sign not in ("==", "!=", "<", "<=", ">", ">="):
            CASES.append(of(f"y = x.clone(); z = y; y {sign}= 2; (y, y is z)", x=f"{a} 3,4 contiguous positive"))
            CASES.append(of(f"y = x.clone(); z = y; y {sign}= 2.5; (y, y is z)", x=f"{a} 3,4 contiguous positive"))
TERNARY = ["torch.addcmul(x, y, z)", "torch.addcmul(x, y, z, value=0.5)", "torch.addcdiv(x, y, z)", "torch.addcdiv(x, y, z, value=2)",
           "x.addcmul(y, z)", "x.clone().addcmul_(y, z)", "x.clone().addcdiv_(y, z, value=2)", "torch.lerp(x, y, 0.25)", "torch.lerp(x, y, z)",
           "x.lerp(y, 0.75)", "x.clone().lerp_(y, 0.5)", "torch.where(x > y, x, z)", "x.where(x > 1, z)", "torch.where(x > 1, x, 2)",
           "torch.where(x > 1, 1, z)", "torch.where(x > 1, 1.5, 2)", "torch.where(x > 1, 1, 2)", "torch.where(x, y, z)", "torch.where(x > 1)",
           "x.masked_fill(y > 1, 2)", "x.masked_fill(y > 1, 2.5)", "x.clone().masked_fill_(y > 1, 0)", "x.masked_fill(y, 1)", "torch.masked_fill(x, y > 1, 3)",
           "x.masked_fill(y > 1, torch.tensor(2.5))", "x.masked_fill(y > 1, z)", "x.masked_fill(y > 1, float('inf'))", "torch.clamp(x, y, z)",
           "x.clamp(min=y)", "torch.isclose(x, y)", "torch.allclose(x, y)", "torch.equal(x, y)", "torch.isclose(x, y, rtol=0.5, atol=1)", "x.equal(y)",
           "torch.add(x, y, alpha=2)", "torch.add(x, y, alpha=0.5)", "x.add(y, alpha=3)", "torch.sub(x, y, alpha=2)", "x.clone().add_(y, alpha=2)",
           "x.clone().sub_(y, alpha=2)", "torch.div(x, y, rounding_mode='floor')", "torch.div(x, y, rounding_mode='trunc')", "torch.div(x, y, rounding_mode=None)",
           "torch.div(x, y, rounding_mode='up')", "x.div(2, rounding_mode='floor')", "x.clone().div_(2, rounding_mode='trunc')", "x.clone().div_(2)",
           "torch.rsub(x, y)", "x.rsub(y)", "x.copysign(y)", "x.clone().copy_(y)", "x.clone().fill_(2.5)", "x.clone().fill_(y[0, 0])", "x.clone().zero_()",
           "torch.isin(x, y)", "torch.isin(x, 2)", "torch.isin(x, y, invert=True)", "torch.dist(x, y)", "x.dist(y, 1)", "F.cosine_similarity(x, y)",
           "F.cosine_similarity(x, y, dim=0)", "F.pairwise_distance(x, y)", "F.pairwise_distance(x, y, p=1, keepdim=True)", "torch.cdist(x, y)", "torch.cdist(x, y, p=1)",
           "F.l1_loss(x, y)", "F.mse_loss(x, y, reduction='none')", "F.mse_loss(x, y, reduction='sum')", "F.smooth_l1_loss(x, y, beta=0.5)", "F.huber_loss(x, y, delta=2)",
           "torch.cross(x[:, :3], y[:, :3], dim=1)", "torch.linalg.cross(x[:, :3], y[:, :3])", "torch.kron(x, y)", "torch.outer(x[0], y[0])", "torch.dot(x[0], y[0])",
           "torch.inner(x, y)", "torch.vdot(x[0], y[0])", "torch.tensordot(x, y, dims=2)", "torch.tensordot(x, y, dims=([1], [1]))", "torch.result_type(x, y)",
           "torch.result_type(x, 1.5)", "torch.can_cast(x.dtype, y.dtype)", "torch.promote_types(x.dtype, y.dtype)", "x.type_as(y)", "x.to(y)", "x.expand_as(y)",
           "torch.broadcast_tensors(x, y[0])", "torch.complex(x, y)", "torch.polar(x, y)", "torch.trapezoid(x, y)", "torch.trapezoid(x, dx=2)", "torch.cumulative_trapezoid(x)",
           "torch.special.zeta(x + 2, y + 1)", "torch.heaviside(x, y)", "torch.maximum(x, y[0])", "x.max(y)", "torch.min(x, y)", "x.lt(y[0])", "torch.bitwise_and(x, 3)", "torch.bitwise_or(1, x)", "x.bitwise_xor(1)"]
for t in TERNARY:
    for d in ("float32", "float64", "float16", "bfloat16", "int64", "uint8", "bool", "complex64"):
        CASES.append(of(t, x=f"{d} 3,4 contiguous positive", y=f"{d} 3,4 contiguous positive", z=f"{d} 3,4 contiguous positive"))
    CASES.append(of(t, x="float32 3,4 transposed any", y="float32 3,4 transposed any", z="float32 3,4 expanded positive"))
    CASES.append(of(t, x="float32 3,4 contiguous any", y="int64 3,4 transposed positive", z="float64 3,4 sliced positive"))
    CASES.append(of(t, x="int64 3,4 contiguous any", y="float32 3,4 transposed positive", z="float16 3,4 sliced positive"))
    CASES.append(of(t, x="float32 0,4 contiguous any", y="float32 0,4 contiguous any", z="float32 0,4 contiguous any"))
