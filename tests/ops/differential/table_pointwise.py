"""Element-wise operators of one tensor: every spelling, dtype, layout; special values; in place and into `out`."""

from __future__ import annotations

from words import ALL, FLOATS, REAL, of, unary

ANY = ["exp", "exp2", "expm1", "sin", "cos", "tan", "atan", "sinh", "cosh", "tanh", "asinh", "sigmoid", "erf", "erfc", "neg", "negative", "abs", "absolute", "sign", "sgn", "floor", "ceil", "trunc", "fix", "frac", "round", "square", "isnan", "isinf", "isfinite", "isposinf", "isneginf", "isreal", "signbit", "logical_not", "bitwise_not", "positive", "relu", "reciprocal", "sinc", "deg2rad", "rad2deg", "nan_to_num", "arctan", "arcsinh", "conj_physical", "real", "angle"]
POSITIVE = ["log", "log2", "log10", "log1p", "sqrt", "rsqrt", "lgamma", "digamma", "i0", "mvlgamma"]
UNIT = ["asin", "acos", "arcsin", "arccos", "atanh", "arctanh", "erfinv", "logit"]
ABOVE = ["acosh", "arccosh"]
NOT_METHODS = ("isreal",)
FUNCTIONAL = ["relu", "relu6", "elu", "celu", "selu", "gelu", "silu", "mish", "softplus", "hardtanh", "hardsigmoid", "hardswish", "softsign", "logsigmoid", "tanhshrink", "softshrink", "hardshrink", "leaky_relu", "tanh", "sigmoid"]
SPECIAL = ["expit", "erf", "erfc", "exp2", "expm1", "log1p", "sinc", "round"]
SPECIAL_POSITIVE = ["gammaln", "digamma", "psi", "i0", "i0e", "i1", "i1e", "ndtr", "log_ndtr", "entr", "erfcx", "bessel_j0", "bessel_j1", "bessel_y0", "bessel_y1", "modified_bessel_i0", "modified_bessel_i1", "modified_bessel_k0", "modified_bessel_k1", "spherical_bessel_j0"]

CASES: list = []
for names, values in ((ANY, "any"), (POSITIVE, "positive"), (UNIT, "unit"), (ABOVE, "above")):
    for n in names:
        argument = ", 1" if n == "mvlgamma" else ""
        if n == "mvlgamma":
            values = "above"
        CASES += unary([f"torch.{n}(x{argument})"], values, ALL)
        if n not in ("isreal", "real"):
            CASES += unary([f"x.{n}({argument[2:]})"], values, ("float32", "int32", "bool", "complex64"), ("3,4 transposed",))
        if n not in ("isnan", "isinf", "isfinite", "isposinf", "isneginf", "isreal", "signbit", "real", "angle", "positive"):
            CASES += unary([f"y = x.clone(); z = y.{n}_({argument[2:]}); (y, z is y)"], values, ALL, ("3,4 transposed",))
        CASES += unary([f"torch.{n}(x{argument})"], "special", FLOATS[:3])
        CASES += [of(f"o = torch.empty(0, dtype=torch.{d}); r = torch.{n}(x{argument}, out=o); (o, r is o)",
                     x=f"float32 3,4 contiguous {values}") for d in ("float32", "float64", "int64", "bool")
                  if n not in ("isnan", "isinf", "isfinite", "isreal", "real", "positive", "relu")]
for n in FUNCTIONAL:
    CASES += unary([f"F.{n}(x)"], "any", ALL)
    CASES += unary([f"F.{n}(x)"], "special", FLOATS[:3])
    CASES += unary([f"F.{n}(x)"], "big", FLOATS[:3], ("3,4 contiguous",))
for n in ["relu", "relu6", "elu", "celu", "selu", "silu", "mish", "hardtanh", "hardsigmoid", "hardswish", "leaky_relu", "threshold", "rrelu"]:
    extra = ", 0.1, 20" if n == "threshold" else ""
    CASES += unary([f"y = x.clone(); z = F.{n}(y{extra}, inplace=True); (y, z is y)"], "any", ("float32", "int64", "float16"),
                   ("3,4 contiguous", "3,4 transposed"))
for n in ["relu_", "elu_", "leaky_relu_", "hardtanh_", "celu_", "selu_"]:
    CASES += unary([f"y = x.clone(); z = F.{n}(y); (y, z is y)"], "any", ("float32", "int64"), ("3,4 contiguous",))
for n in SPECIAL:
    CASES += unary([f"torch.special.{n}(x)"], "any", REAL)
for n in SPECIAL_POSITIVE:
    CASES += unary([f"torch.special.{n}(x)"], "positive", ("float32", "float64", "int64", "bool"))
    CASES += unary([f"torch.special.{n}(x)"], "any", ("float64",))
    CASES += unary([f"torch.special.{n}(x)"], "special", ("float64",))
for n in ("ndtri", "erfinv", "logit"):
    CASES += unary([f"torch.special.{n}(x)"], "probability", ("float32", "float64"))

WITH_ARGUMENTS = [
    "F.elu(x, alpha=0.5)", "F.elu(x, 2)", "F.celu(x, 0.5)", "F.celu(x, 0)", "F.leaky_relu(x, 0.2)", "F.leaky_relu(x, negative_slope=2)",
    "F.gelu(x, approximate='tanh')", "F.gelu(x, approximate='no')", "F.softplus(x, beta=2, threshold=3)", "F.softplus(x, 0.5)",
    "F.hardtanh(x, -0.5, 0.5)", "F.hardtanh(x, min_val=-2, max_val=0)", "F.hardtanh(x, 1, -1)", "F.threshold(x, 0.1, 20)",
    "F.softshrink(x, 0.1)", "F.softshrink(x, -1)", "F.hardshrink(x, 1.0)", "torch.hardshrink(x, lambd=0.2)",
    "torch.celu(x, alpha=2)", "torch.threshold(x, 0, -1)", "torch.selu(x)", "F.silu(x, inplace=False)", "F.glu(x, dim=0)",
    "F.glu(x)", "F.glu(x, 1)", "torch.round(x, decimals=1)", "torch.round(x, decimals=-1)", "x.round(decimals=2)",
    "torch.nan_to_num(x, nan=1.0)", "torch.nan_to_num(x, 0.5, 2, -2)", "x.nan_to_num(posinf=3)", "torch.clamp(x, 0)",
    "torch.clamp(x, min=-0.5, max=0.5)", "torch.clamp(x, max=1)", "torch.clip(x, -1, 1)", "torch.clamp(x)", "x.clamp(0.5)",
    "x.clamp(1, -1)", "x.clamp(min=torch.tensor(0.5))", "torch.clamp(x, torch.tensor(-1), torch.tensor(1))",
    "torch.clamp(x, -1, 0.5)", "x.clamp(max=torch.tensor([0.5, 1, 2, 3]))", "torch.clamp(x, torch.tensor(-1), 1)",
    "x.clone().clamp_(0)", "x.clone().clamp_(min=-0.5, max=0.5)", "x.clone().clip_(max=1)", "x.clamp_min(1)", "x.clamp_max(0.5)",
    "torch.clamp_min(x, 0.5)", "torch.clamp_max(x, -1)", "x.clone().clamp_min_(0.5)", "x.clone().clamp_max_(2)",
    "torch.logit(x, eps=0.2)", "x.logit(0.3)", "torch.pow(x, 2)", "torch.pow(x, 3)", "torch.pow(x, 0.5)", "torch.pow(x, -1)",
    "torch.pow(x, -2)", "torch.pow(x, 0)", "torch.pow(2, x)", "torch.pow(2.5, x)", "x ** 2", "x ** 2.0", "x ** 0.5", "2 ** x",
    "2.0 ** x", "(-2) ** x", "True ** x", "x ** True", "x.clone().pow_(2)", "x.clone().pow_(0.5)", "torch.float_power(x, 2)", "torch.float_power(2, x)",
    "torch.mvlgamma(x.abs() + 2, 2)", "torch.polygamma(1, x.abs() + 1)", "torch.special.polygamma(2, x.abs() + 1)", "torch.special.zeta(x.abs() + 2, 1.5)",
    "torch.ldexp(x, torch.tensor(2))", "torch.frexp(x)", "torch.heaviside(x, torch.tensor(0.5))", "torch.special.multigammaln(x.abs() + 2, 2)",
    "torch.special.logit(x)", "torch.special.xlog1py(x, 2)", "torch.special.xlogy(x, 3)", "torch.xlogy(2, x)", "F.prelu(x, torch.tensor([0.25]))",
    "torch.prelu(x, torch.tensor([0.1, 0.2, 0.3, 0.4]))", "F.prelu(x, torch.tensor([0.1, 0.2]))", "F.normalize(x)", "F.normalize(x, p=1, dim=0)",
    "F.normalize(x, dim=5)", "-x", "+x", "~x", "abs(x)", "round(x)", "x.exp().log()", "torch.exp(x, out=None)", "torch.exp()",
    "torch.exp(2.0)", "torch.exp('a')", "torch.exp(x, 1)", "x.exp(1)", "torch.sigmoid(input=x)", "torch.relu(input=x)", "torch.abs(input=x)",
    "torch.clamp(input=x, min=0, max=1)", "torch.pow(input=x, exponent=2)", "torch.round(input=x)", "torch.softmax(input=x, dim=-1)", "x.relu()",
    "x.sigmoid()", "x.sigmoid_()", "x.hardshrink()", "x.float_power(2)", "x.arctan2(x)", "x.mvlgamma(1)", "x.digamma()", "F.rrelu(x)", "F.rrelu(x, 0.2, 0.2)",
    "F.feature_alpha_dropout(x, training=False)", "F.alpha_dropout(x, training=False)", "torch.square(x)", "torch.erfinv(x)", "torch.special.log_softmax(x, -1)",
    "torch.special.softmax(x, 0)", "torch.special.logsumexp(x, 0)", "torch.rsub(x, 2)", "torch.rsub(x, x, alpha=2)",
]
CASES += unary(WITH_ARGUMENTS, "any", ("float32", "float16", "bfloat16", "int64", "uint8", "bool"), ("3,4 contiguous", "3,4 transposed", "0,4 contiguous"))
