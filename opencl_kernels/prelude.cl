// What generated kernels call. A section starts with "//@ name : element types"; a kernel gets the sections it uses, for
// the element types that appear in it. In a section, T is the type of one element or of 16 of them (both are made),
// E the element, I and U the signed and unsigned integers of the same width, V16 the vector of 16 elements.
//
// Everything is written with operators and `?:` rather than OpenCL's builtin functions: some drivers (PoCL) do not
// inline those, which costs a call per lane and keeps loops from becoming vector code. All functions are overloaded
// for scalars and vectors, so that a statement reads the same in the vector loop and in the loop over the rest.
// Products and sums contract to fused multiply-add only inside the polynomials here, never in the script's own arithmetic.

//@ always
#pragma OPENCL FP_CONTRACT OFF
#define OF __attribute__((overloadable, always_inline))
#ifdef INLINE_MATH        // CPU drivers: the compiler's own functions become instructions, OpenCL's may stay calls
#define INLINED(f) __has_builtin(f)
#else
#define INLINED(f) 0
#endif
#define MIN(a, b) ((a) < (b) ? (a) : (b))

//@ ROW
// A kernel's argument in the table: an address, an integer or a floating number.
typedef union { long n; double x; } ROW;

//@ from_end
// A place in n that is told by its number from the beginning or, below 0, from the end.
static inline IDX from_end(IDX i, IDX n) { return i < 0 ? i + n : i; }

//@ load : char uchar short int long float double
typedef E16 E16_packed __attribute__((aligned(SIZE)));
static inline OF E16 load(const __global E *p) { return *(const __global E16_packed *)p; }

//@ store : char uchar short int long float double
typedef E16 E16_out __attribute__((aligned(SIZE)));
static inline OF void store(__global E *p, E16 v) { *(__global E16_out *)p = v; }

//@ FAR
// Whether n elements behind p are more than the caches should hold, and begin where a whole vector can.
#define FAR(p, n) ((n) * sizeof(*(p)) >= 1048576 && (size_t)(p) % (16 * sizeof(*(p))) == 0)

//@ stream : int long float double
static inline OF void stream(__global E *p, E16 v, int far) {
#if INLINED(__builtin_nontemporal_store)
    if (far) { __builtin_nontemporal_store(v, (__global E16 *)p); return; }
#endif
    store(p, v);
}

//@ load : half
static inline OF float16 load(const __global half *p) { return vload_half16(0, p); }

//@ store : half
static inline OF void store(__global half *p, float16 v) { vstore_half16(v, 0, p); }

//@ load_strided : char uchar short int long float double
static inline OF E16 load_strided(const __global E *p, IDX s) {
    return (E16)(p[0], p[s], p[2 * s], p[3 * s], p[4 * s], p[5 * s], p[6 * s], p[7 * s], p[8 * s], p[9 * s], p[10 * s],
                 p[11 * s], p[12 * s], p[13 * s], p[14 * s], p[15 * s]);
}

//@ store_strided : char uchar short int long float double
static inline OF void store_strided(__global E *p, IDX s, E16 v) {
    p[0] = v.s0; p[s] = v.s1; p[2 * s] = v.s2; p[3 * s] = v.s3; p[4 * s] = v.s4; p[5 * s] = v.s5; p[6 * s] = v.s6;
    p[7 * s] = v.s7; p[8 * s] = v.s8; p[9 * s] = v.s9; p[10 * s] = v.sa; p[11 * s] = v.sb; p[12 * s] = v.sc;
    p[13 * s] = v.sd; p[14 * s] = v.se; p[15 * s] = v.sf;
}

//@ load_reversed : char uchar short int long float double
// 16 elements that lie one before the other, the first at p.
static inline OF E16 load_reversed(const __global E *p) {
    const E16 v = load(p - 15);
    return __builtin_shufflevector(v, v, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
}

//@ load_reversed : half
static inline OF float16 load_reversed(const __global half *p) {
    const float16 v = load(p - 15);
    return __builtin_shufflevector(v, v, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
}

//@ load_strided : half
static inline OF float16 load_strided(const __global half *p, IDX s) {
    float v[16] __attribute__((aligned(64)));
    for (int k = 0; k < 16; ++k) v[k] = vload_half(k * s, p);
    return (float16)(v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7], v[8], v[9], v[10], v[11], v[12], v[13], v[14], v[15]);
}

//@ store_strided : half
static inline OF void store_strided(__global half *p, IDX s, float16 v) {
    float a[16] = {v.s0, v.s1, v.s2, v.s3, v.s4, v.s5, v.s6, v.s7, v.s8, v.s9, v.sa, v.sb, v.sc, v.sd, v.se, v.sf};
    for (int k = 0; k < 16; ++k) vstore_half(a[k], k * s, p);
}

// 16 vectors as a square, rows made columns: halves of blocks of 8, 4, 2 and 1 change places.
//@ transpose : float double int uint long ulong
static inline OF void transpose(E16 *v) {
    #pragma unroll
    for (int i = 0; i < 8; ++i) {
        const E16 a = v[i], b = v[i + 8];
        v[i] = __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23);
        v[i + 8] = __builtin_shufflevector(a, b, 8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31);
    }
    #pragma unroll
    for (int i = 0; i < 16; ++i)
        if ((i & 4) == 0) {
            const E16 a = v[i], b = v[i + 4];
            v[i] = __builtin_shufflevector(a, b, 0, 1, 2, 3, 16, 17, 18, 19, 8, 9, 10, 11, 24, 25, 26, 27);
            v[i + 4] = __builtin_shufflevector(a, b, 4, 5, 6, 7, 20, 21, 22, 23, 12, 13, 14, 15, 28, 29, 30, 31);
        }
    #pragma unroll
    for (int i = 0; i < 16; ++i)
        if ((i & 2) == 0) {
            const E16 a = v[i], b = v[i + 2];
            v[i] = __builtin_shufflevector(a, b, 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29);
            v[i + 2] = __builtin_shufflevector(a, b, 2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31);
        }
    #pragma unroll
    for (int i = 0; i < 16; i += 2) {
        const E16 a = v[i], b = v[i + 1];
        v[i] = __builtin_shufflevector(a, b, 0, 16, 2, 18, 4, 20, 6, 22, 8, 24, 10, 26, 12, 28, 14, 30);
        v[i + 1] = __builtin_shufflevector(a, b, 1, 17, 3, 19, 5, 21, 7, 23, 9, 25, 11, 27, 13, 29, 15, 31);
    }
}

// -- reductions over the lanes of a vector ------------------------------------------------------------------------------
//@ sum_lanes : float double
static inline OF E sum_lanes(E16 v) {
    const E8 a = v.lo + v.hi; const E4 b = a.lo + a.hi; const E2 c = b.lo + b.hi; return c.x + c.y;
}

//@ sum_lanes : char short int long
static inline OF E sum_lanes(E16 v) {
    const U16 u = as_U16(v); const U8 a = u.lo + u.hi; const U4 b = a.lo + a.hi; const U2 c = b.lo + b.hi;
    return (E)(c.x + c.y);
}

//@ prod_lanes : float double
static inline OF E prod_lanes(E16 v) {
    const E8 a = v.lo * v.hi; const E4 b = a.lo * a.hi; const E2 c = b.lo * b.hi; return c.x * c.y;
}

//@ prod_lanes : int long
static inline OF E prod_lanes(E16 v) {
    const U16 u = as_U16(v); const U8 a = u.lo * u.hi; const U4 b = a.lo * a.hi; const U2 c = b.lo * b.hi;
    return (E)(c.x * c.y);
}

//@ max_lanes : char uchar short int long
static inline OF E max_lanes(E16 v) {
    const E8 a = v.lo > v.hi ? v.lo : v.hi; const E4 b = a.lo > a.hi ? a.lo : a.hi;
    const E2 c = b.lo > b.hi ? b.lo : b.hi; return c.x > c.y ? c.x : c.y;
}

//@ min_lanes : char uchar short int long
static inline OF E min_lanes(E16 v) {
    const E8 a = v.lo < v.hi ? v.lo : v.hi; const E4 b = a.lo < a.hi ? a.lo : a.hi;
    const E2 c = b.lo < b.hi ? b.lo : b.hi; return c.x < c.y ? c.x : c.y;
}

//@ max_lanes : float double
static inline OF E max_lanes(E16 v) {
    const E8 a = (v.lo > v.hi) | (v.lo != v.lo) ? v.lo : v.hi; const E4 b = (a.lo > a.hi) | (a.lo != a.lo) ? a.lo : a.hi;
    const E2 c = (b.lo > b.hi) | (b.lo != b.lo) ? b.lo : b.hi; return c.x > c.y || c.x != c.x ? c.x : c.y;
}

//@ greatest_lanes : float
// As max_lanes, but passes over NaN.
static inline OF E greatest_lanes(E16 v) {
    const E8 a = v.lo > v.hi ? v.lo : v.hi; const E4 b = a.lo > a.hi ? a.lo : a.hi;
    const E2 c = b.lo > b.hi ? b.lo : b.hi; return c.x > c.y ? c.x : c.y;
}

//@ min_lanes : float double
static inline OF E min_lanes(E16 v) {
    const E8 a = (v.lo < v.hi) | (v.lo != v.lo) ? v.lo : v.hi; const E4 b = (a.lo < a.hi) | (a.lo != a.lo) ? a.lo : a.hi;
    const E2 c = (b.lo < b.hi) | (b.lo != b.lo) ? b.lo : b.hi; return c.x < c.y || c.x != c.x ? c.x : c.y;
}

//@ any_lanes
static inline OF int any_lanes(char16 v) { const long2 w = as_long2(v); return (w.x | w.y) != 0; }

//@ all_lanes
static inline OF int all_lanes(char16 v) { const long2 w = as_long2(v); return (w.x & w.y) == -1; }

//@ beats_max : char uchar short int long
static inline OF int beats_max(E a, E best) { return a > best; }

//@ beats_min : char uchar short int long
static inline OF int beats_min(E a, E best) { return a < best; }

// The first NaN wins, as in NumPy and PyTorch.
//@ beats_max : float double
static inline OF int beats_max(E a, E best) { return a > best || (a != a && best == best); }

//@ beats_min : float double
static inline OF int beats_min(E a, E best) { return a < best || (a != a && best == best); }

// -- integers: wrap around, never undefined ------------------------------------------------------------------------------
//@ wrap_add : char uchar short int long
static inline OF T wrap_add(T a, T b) { return as_T((U)(as_U(a) + as_U(b))); }

//@ wrap_sub : char uchar short int long
static inline OF T wrap_sub(T a, T b) { return as_T((U)(as_U(a) - as_U(b))); }

//@ wrap_mul : char uchar short int long
static inline OF T wrap_mul(T a, T b) { return as_T((U)(as_U(a) * as_U(b))); }

//@ wrap_neg : char uchar short int long
static inline OF T wrap_neg(T a) { return as_T((U)((U)(0) - as_U(a))); }

//@ maximum_ fmax_ : char uchar short int long
static inline OF T NAME(T a, T b) { return a > b ? a : b; }

//@ minimum_ fmin_ : char uchar short int long
static inline OF T NAME(T a, T b) { return a < b ? a : b; }

//@ abs_ : char short int long
static inline OF T abs_(T a) { return a < (T)(0) ? as_T((U)((U)(0) - as_U(a))) : a; }

//@ abs_ : uchar
static inline OF T abs_(T a) { return a; }

//@ sign_ : char short int long
static inline OF T sign_(T a) { return a > (T)(0) ? (T)(1) : a < (T)(0) ? (T)(-1) : (T)(0); }

//@ sign_ : uchar
static inline OF T sign_(T a) { return a > (T)(0) ? (T)(1) : (T)(0); }

// Division: the divisor is never 0 here; the most negative number divided by -1 wraps.
//@ floordiv_ scalar : char short int long
static inline OF E floordiv_(E a, E b) {
    if (b == -1) return (E)((UE)0 - (UE)a);
    const E q = a / b;
    return q - ((a % b != 0) && ((a < 0) != (b < 0)));
}

//@ truncdiv_ scalar : char short int long
static inline OF E truncdiv_(E a, E b) { return b == -1 ? (E)((UE)0 - (UE)a) : (E)(a / b); }

//@ remainder_ scalar : char short int long
static inline OF E remainder_(E a, E b) {
    if (b == -1) return 0;
    const E r = a % b;
    return r != 0 && ((r < 0) != (b < 0)) ? (E)(r + b) : r;
}

//@ fmod_ scalar : char short int long
static inline OF E fmod_(E a, E b) { return b == -1 ? (E)0 : (E)(a % b); }

//@ floordiv_ truncdiv_ scalar : uchar
static inline OF E NAME(E a, E b) { return a / b; }

//@ remainder_ fmod_ scalar : uchar
static inline OF E NAME(E a, E b) { return a % b; }

// A negative exponent gives 0, but for bases 1 and -1.
//@ pow_ scalar : char uchar short int long
static inline OF E pow_(E base, E exponent) {
    if (exponent < 0) return base == 1 ? (E)1 : base == (E)-1 ? (E)((exponent & 1) ? -1 : 1) : (E)0;
    ulong r = 1, b = (ulong)base;
    for (ulong e = (ulong)exponent; e != 0; e >>= 1) { if (e & 1) r *= b; b *= b; }
    return (E)r;
}

//@ shift_left_ scalar : char uchar short int long
static inline OF E shift_left_(E a, E b) { return b < 0 || b >= (E)(8 * SIZE) ? (E)0 : (E)((UE)a << b); }

//@ shift_right_ scalar : char short int long
static inline OF E shift_right_(E a, E b) { return a >> (b < 0 || b >= 8 * SIZE ? 8 * SIZE - 1 : b); }

//@ shift_right_ scalar : uchar
static inline OF E shift_right_(E a, E b) { return b >= 8 ? 0 : a >> b; }

// -- floats ----------------------------------------------------------------------------------------------------------------
//@ maximum_ : float double
static inline OF T maximum_(T a, T b) { return (a > b) | (a != a) ? a : b; }

//@ greatest_ : float
// The larger one, or the first where the second is no number.
static inline OF T greatest_(T a, T b) { return b > a ? b : a; }

//@ minimum_ : float double
static inline OF T minimum_(T a, T b) { return (a < b) | (a != a) ? a : b; }

//@ fmax_ : float double
static inline OF T fmax_(T a, T b) { return (a > b) | (b != b) ? a : b; }

//@ fmin_ : float double
static inline OF T fmin_(T a, T b) { return (a < b) | (b != b) ? a : b; }

//@ isnan_ : float double
static inline OF I isnan_(T a) { return a != a; }

//@ isinf_ : float double
static inline OF I isinf_(T a) { return (a == (T)(INFINITY)) | (a == (T)(-INFINITY)); }

//@ isfinite_ : float double
static inline OF I isfinite_(T a) { return a - a == (T)(0); }

//@ signbit_ : float double
static inline OF I signbit_(T a) { return as_I(a) < (I)(0); }

//@ abs_ : float
static inline OF T abs_(T a) { return as_T(as_I(a) & (I)(0x7fffffff)); }

//@ abs_ : double
static inline OF T abs_(T a) { return as_T(as_I(a) & (I)(0x7fffffffffffffffL)); }

//@ copysign_ : float
static inline OF T copysign_(T a, T b) { return as_T((as_I(a) & (I)(0x7fffffff)) | (as_I(b) & (I)(0x80000000))); }

//@ copysign_ : double
static inline OF T copysign_(T a, T b) {
    return as_T((as_I(a) & (I)(0x7fffffffffffffffL)) | (as_I(b) & ~(I)(0x7fffffffffffffffL)));
}

//@ sign_ : float double
static inline OF T sign_(T a) { return a > (T)(0) ? (T)(1) : a < (T)(0) ? (T)(-1) : (T)(0); }

//@ floor_ : float double
#if INLINED(__builtin_elementwise_floor)
static inline OF T floor_(T a) { return __builtin_elementwise_floor(a); }
#else
static inline OF T floor_(T a) { return floor(a); }
#endif

//@ ceil_ : float double
#if INLINED(__builtin_elementwise_ceil)
static inline OF T ceil_(T a) { return __builtin_elementwise_ceil(a); }
#else
static inline OF T ceil_(T a) { return ceil(a); }
#endif

//@ trunc_ : float double
#if INLINED(__builtin_elementwise_trunc)
static inline OF T trunc_(T a) { return __builtin_elementwise_trunc(a); }
#else
static inline OF T trunc_(T a) { return trunc(a); }
#endif

//@ round_ : float double
#if INLINED(__builtin_elementwise_roundeven)
static inline OF T round_(T a) { return __builtin_elementwise_roundeven(a); }
#else
static inline OF T round_(T a) { return rint(a); }
#endif

//@ sqrt_ : float
#if INLINED(__builtin_sqrtf)
static inline OF float sqrt_(float a) { return __builtin_sqrtf(a); }
static inline OF float16 sqrt_(float16 a) {
    #pragma unroll
    for (int k = 0; k < 16; ++k) a[k] = __builtin_sqrtf(a[k]);
    return a;
}
#else
static inline OF float sqrt_(float a) { return sqrt(a); }
static inline OF float16 sqrt_(float16 a) { return sqrt(a); }
#endif

//@ rsqrt_ : float double
static inline OF T rsqrt_(T a) { return (T)(1) / sqrt_(a); }

// The quotient rounded to minus infinity, as NumPy and PyTorch find it: by way of the exact remainder.
//@ remainder_ : float double
static inline OF T remainder_(T a, T b) {
    T r = fmod_(a, b);
    r = (r != (T)(0)) & ((r < (T)(0)) != (b < (T)(0))) ? r + b : r;
    return r == (T)(0) ? copysign_(r, b) : r;
}

//@ floordiv_ : float double
static inline OF T floordiv_(T a, T b) {
    T r = fmod_(a, b);
    T q = (a - r) / b;
    q = (r != (T)(0)) & ((r < (T)(0)) != (b < (T)(0))) ? q - (T)(1) : q;
    T f = floor_(q);
    f = q - f > (T)(0.5f) ? f + (T)(1) : f;
    f = q == (T)(0) ? copysign_((T)(0), a / b) : f;
    return b == (T)(0) ? a / b : f;
}

//@ truncdiv_ : float double
static inline OF T truncdiv_(T a, T b) { return trunc_(a / b); }

//@ fmod_ scalar : float double
static inline OF E fmod_(E a, E b) { return fmod(a, b); }

//@ pow_ hypot_ atan2_ scalar : float double
static inline OF E NAME(E a, E b) { return BUILTIN(a, b); }

// Lane by lane for vectors: not every driver's vector forms are right (PoCL 3.0: sin of small numbers).
//@ asin_ acos_ atan_ sinh_ cosh_ asinh_ acosh_ atanh_ erfc_ log2_ log10_ exp2_ scalar : float double
static inline OF E NAME(E a) { return BUILTIN(a); }

//@ exp_ expm1_ log_ log1p_ tanh_ erf_ sqrt_ sin_ cos_ tan_ scalar : double
static inline OF E NAME(E a) { return BUILTIN(a); }

//@ sigmoid_ : float double
static inline OF T sigmoid_(T x) { return (T)(1) / ((T)(1) + exp_(-x)); }

// To the nearest number that float16 can hold, halves to even; too large becomes infinite.
//@ round_half : float
static inline OF T round_half(T x) {
    const I sign = as_I(x) & (I)(0x80000000);
    const I bits = as_I(x) & (I)(0x7fffffff);
    I r = (bits + (I)(0xfff) + ((bits >> 13) & (I)(1))) & (I)(~0x1fff);
    r = r > (I)(0x477fe000) ? (I)(0x7f800000) : r;
    const I tiny = as_I((as_T(bits) + (T)(0.5f)) - (T)(0.5f));      // below 2**-14: multiples of 2**-24
    r = bits < (I)(0x38800000) ? tiny : r;
    r = bits > (I)(0x7f800000) ? bits : r;
    return as_T(r | sign);
}

//@ exp_ : float
// exp(x) = 2**n * exp(r), |r| <= ln(2)/2. The scale is applied in two steps so that it neither overflows nor underflows early.
// From -176.06 down both halves of it are 0: processors take long for products that become 0 only by rounding.
static inline OF T exp_(T x) {
    #pragma OPENCL FP_CONTRACT ON
    T z = x < (T)(-176.06f) ? (T)(-176.06f) : x;
    z = z > (T)(89.0f) ? (T)(89.0f) : z;
    const T t = z * 1.44269504f + 12582912.0f;          // 1.5 * 2**23: rounds to the nearest integer
    const I n = as_I(t) - (I)(0x4b400000);
    const T k = t - 12582912.0f;
    const T r = (z - k * 0.693359375f) - k * -2.12194440e-4f;
    T p = (T)(1.3813142431899905e-3f);
    p = p * r + 8.369418792426586e-3f;
    p = p * r + 4.166845604777336e-2f;
    p = p * r + 1.6666515171527863e-1f;
    p = p * r + 4.999999403953552e-1f;
    p = p * (r * r) + r + 1.0f;
    const I h = n >> 1;
    return p * as_T((h + (I)(127)) << 23) * as_T((n - h + (I)(127)) << 23);
}

//@ exp_below : float
// exp of numbers that are 0 at most, or no number. The scale is 2**64 too large at first, so that it is a normal number; the
// last product rounds to what float can hold, also below the smallest normal number. From -132.4 down the scale is 0, so that
// nothing becomes 0 by rounding, which takes processors long.
static inline OF T exp_below(T x) {
    #pragma OPENCL FP_CONTRACT ON
    const T z = x < (T)(-132.4f) ? (T)(-132.4f) : x;
    const T t = z * 1.44269504f + 12582912.0f;
    const T k = t - 12582912.0f;
    const T r = (z - k * 0.693359375f) - k * -2.12194440e-4f;
    T p = (T)(1.3813142431899905e-3f);
    p = p * r + 8.369418792426586e-3f;
    p = p * r + 4.166845604777336e-2f;
    p = p * r + 1.6666515171527863e-1f;
    p = p * r + 4.999999403953552e-1f;
    p = p * (r * r) + r + 1.0f;
    return p * as_T((as_I(t) << 23) + (I)(0x5f800000)) * 5.421010862427522e-20f;
}

//@ exp_below : double
static inline OF T exp_below(T x) { return exp_(x); }

//@ expm1_ : float
static inline OF T expm1_(T x) {
    #pragma OPENCL FP_CONTRACT ON
    T z = x < (T)(-30.0f) ? (T)(-30.0f) : x;
    z = z > (T)(88.8f) ? (T)(88.8f) : z;
    const T t = z * 1.44269504f + 12582912.0f;
    const I n = as_I(t) - (I)(0x4b400000);
    const T k = t - 12582912.0f;
    const T r = (z - k * 0.693359375f) - k * -2.12194440e-4f;
    T q = (T)(1.984595728572458e-4f);
    q = q * r + 1.3941653305664659e-3f;
    q = q * r + 8.333391509950161e-3f;
    q = q * r + 4.166634753346443e-2f;
    q = q * r + 1.666666567325592e-1f;
    q = q * r + 0.5f;
    q = q * (r * r) + r;
    const T half_scale = as_T((n - (I)(1) + (I)(127)) << 23);        // 2**(n-1): 2**128 is out of range
    T y = half_scale * q + (half_scale - 0.5f);
    y = y + y;
    y = n == (I)(0) ? q : y;
    y = abs_(x) < (T)(1e-8f) ? x : y;
    return y;
}

//@ log_ : float
// x = m * 2**e with m in [sqrt(1/2), sqrt(2)); log(1 + f) = f - f*f/2 + f**3 * P(f).
static inline OF T log_(T x) {
    #pragma OPENCL FP_CONTRACT ON
    const T s = x < (T)(1.17549435e-38f) ? x * 8388608.0f : x;       // subnormal numbers
    I bits = as_I(s);
    const I e = (bits - (I)(0x3f3504f3)) >> 23;
    const T f = as_T(bits - (e << 23)) - 1.0f;
    T k = CONVERT_T(e);
    k = x < (T)(1.17549435e-38f) ? k - 23.0f : k;
    T p = (T)(6.746591627597809e-2f);
    p = p * f - 1.167563870549202e-1f;
    p = p * f + 1.1888177692890167e-1f;
    p = p * f - 1.2405592203140259e-1f;
    p = p * f + 1.4219550788402557e-1f;
    p = p * f - 1.666799634695053e-1f;
    p = p * f + 2.000211924314499e-1f;
    p = p * f - 2.5000008940696716e-1f;
    p = p * f + 3.333331346511841e-1f;
    const T f2 = f * f;
    T y = f2 * f * p;
    y = k * -2.12194440e-4f + y;
    y = y - 0.5f * f2;
    y = (f + y) + k * 0.693359375f;
    y = x < (T)(INFINITY) ? y : x;
    y = x == (T)(0) ? (T)(-INFINITY) : y;
    return x < (T)(0) ? (T)(NAN) : y;
}

//@ log1p_ : float
static inline OF T log1p_(T x) {
    const T u = 1.0f + x;
    const T d = u - 1.0f;
    T y = log_(u) * (x / d);
    y = d == (T)(0) ? x : y;
    return u < (T)(INFINITY) ? y : u;
}

//@ tanh_ : float
static inline OF T tanh_(T x) {
    #pragma OPENCL FP_CONTRACT ON
    const T x2 = x * x;
    T p = (T)(-5.5910199880599976e-3f);
    p = p * x2 + 2.0538823679089546e-2f;
    p = p * x2 - 5.370965972542763e-2f;
    p = p * x2 + 1.33310928940773e-1f;
    p = p * x2 - 3.3333268761634827e-1f;
    const T small = x * x2 * p + x;
    const T a = abs_(x);
    const T big = 1.0f - 2.0f / (exp_(a + a) + 1.0f);
    const T y = a < (T)(0.625f) ? small : x < (T)(0) ? -big : big;
    return x == (T)(0) ? x : y;                       // keeps the sign of zero
}

//@ erf_ : float
// A polynomial up to 1; beyond, 1 - 2**Q(|x|) with Q close to log2(erfc): from 3.95 on that is 1.
static inline OF T erf_(T x) {
    #pragma OPENCL FP_CONTRACT ON
    const T x2 = x * x;
    T p = (T)(7.854025170672685e-5f);
    p = p * x2 - 8.010247256606817e-4f;
    p = p * x2 + 5.18833426758647e-3f;
    p = p * x2 - 2.6853816583752632e-2f;
    p = p * x2 + 1.128358542919159e-1f;
    p = p * x2 - 3.761262595653534e-1f;
    p = p * x2 + 1.1283791065216064f;
    const T a = abs_(x);
    const T z = a > (T)(3.95f) ? (T)(3.95f) : a;
    T q = (T)(-0.001659708097577095f);
    q = q * z + 0.021320320665836334f;
    q = q * z - 0.12787209451198578f;
    q = q * z - 0.944227933883667f;
    q = q * z - 1.6121230125427246f;
    q = q * z - 0.003854445181787014f;
    const T t = q + 12582912.0f;                        // 1.5 * 2**23: rounds to the nearest integer
    const T r = q - (t - 12582912.0f);
    T e = (T)(0.0013407255755737424f);
    e = e * r + 0.009671876206994057f;
    e = e * r + 0.055503085255622864f;
    e = e * r + 0.24022234976291656f;
    e = e * r + 0.6931472420692444f;
    e = e * r + 1.0f;
    const T big = 1.0f - e * as_T((as_I(t) << 23) + (I)(0x3f800000));
    return a >= (T)(1.0f) ? as_T(as_I(big) | (as_I(x) & (I)(0x80000000))) : x * p;
}

//@ normal_cdf : float
// Phi(x) = (1 + erf(x / sqrt(2))) / 2 as 1/2 + x * P(x*x) for |x| up to 5.2, where Phi reaches 0 or 1 to within what float can
// tell from 1; beyond, x * P grows without end. P is in powers of x*x - m, as those of x*x would cancel each other.
static inline OF T normal_cdf(T x) {
    #pragma OPENCL FP_CONTRACT ON
    const T t = x * x - 13.5f;
    T p = (T)(3.476556104029413e-20f);
    p = p * t - 1.1282900719539683e-18f;
    p = p * t + 1.324534122788805e-17f;
    p = p * t - 3.564316494930668e-16f;
    p = p * t + 1.3892515169668367e-14f;
    p = p * t - 3.386406823360777e-13f;
    p = p * t + 7.1432291505468815e-12f;
    p = p * t - 1.507491631524971e-10f;
    p = p * t + 2.995888870316321e-09f;
    p = p * t - 5.517533097076921e-08f;
    p = p * t + 9.619341199140763e-07f;
    p = p * t - 1.623225398361683e-05f;
    p = p * t + 0.00027465366292744875f;
    p = p * t - 0.005021602381020784f;
    p = p * t + 0.1360502988100052f;
    T y = x * p + 0.5f;
    y = y < (T)(0.0f) ? (T)(0.0f) : y;
    return y > (T)(1.0f) ? (T)(1.0f) : y;
}

//@ quadrant : float
// x = k * pi/2 + r, |r| <= pi/4, for |x| <= 1e6; returns k. In double precision where there is one: k * C is exact.
#ifdef cl_khr_fp64
static inline OF I quadrant(T x, T *r) {
    const D d = CONVERT_D(x);
    const D k = (d * 0.63661977236758134 + 6755399441055744.0) - 6755399441055744.0;
    *r = CONVERT_T((d - k * 1.57079632673412561417) - k * 6.07710050650619224932e-11);
    return CONVERT_I(k);
}
#else
static inline OF I quadrant(T x, T *r) {
    const T k = (x * 0.636619772f + 12582912.0f) - 12582912.0f;
    *r = ((x - k * 1.5703125f) - k * 4.83751296997e-4f) - k * 7.54978995489e-8f;
    return CONVERT_I(k);
}
#endif

//@ sine : float
static inline OF T sine(T r) {
    #pragma OPENCL FP_CONTRACT ON
    const T r2 = r * r;
    T p = (T)(2.717367806326365e-6f);
    p = p * r2 - 1.9839232845697552e-4f;
    p = p * r2 + 8.333329111337662e-3f;
    p = p * r2 - 1.666666716337204e-1f;
    return r2 * r * p + r;
}

//@ cosine : float
static inline OF T cosine(T r) {
    #pragma OPENCL FP_CONTRACT ON
    const T r2 = r * r;
    T p = (T)(2.4425680749118328e-5f);
    p = p * r2 - 1.3887251261621714e-3f;
    p = p * r2 + 4.166664555668831e-2f;
    return r2 * r2 * p + (1.0f - 0.5f * r2);
}

//@ near_sin_ : float
static inline OF T near_sin_(T x) {
    T r;
    const I k = quadrant(x, &r);
    const T y = (k & (I)(1)) != (I)(0) ? cosine(r) : sine(r);
    return x == (T)(0) ? x : (k & (I)(2)) != (I)(0) ? -y : y;
}

//@ near_cos_ : float
static inline OF T near_cos_(T x) {
    T r;
    const I k = quadrant(x, &r);
    const T y = (k & (I)(1)) != (I)(0) ? sine(r) : cosine(r);
    return ((k + (I)(1)) & (I)(2)) != (I)(0) ? -y : y;
}

//@ near_tan_ : float
static inline OF T near_tan_(T x) {
    T r;
    const I k = quadrant(x, &r);
    const T s = sine(r), c = cosine(r);
    return x == (T)(0) ? x : (k & (I)(1)) != (I)(0) ? -c / s : s / c;
}

// Beyond 1e6 the driver's function, which reduces its argument with more digits.
//@ sin_ cos_ tan_ : float
static inline OF float NAME(float x) { return abs_(x) <= 1e6f ? near_NAME(x) : BUILTIN(x); }
static inline OF float16 NAME(float16 x) {
    float16 y = near_NAME(x);
    const int16 near = abs_(x) <= 1e6f;
    if (!all_lanes(convert_char16(near)))
        for (int k = 0; k < 16; ++k)
            if (!near[k]) y[k] = BUILTIN(x[k]);
    return y;
}

// -- products -----------------------------------------------------------------------------------------------------------
//@ product_tile : float double
// Rows s[0], s[1], ... (up to 8, `height` of them) times a panel of 32 lines, [k][32]: of row r the sums for the first 16 lines
// to left[r], for the last 16 to right[r]. Where rows are missing the last one is read several times, and its sums are of no
// use. A function of its own, so that drivers compile it once for all products of a program.
static __attribute__((overloadable, noinline)) void product_tile(__global const E *s, IDX s_row, IDX s_k, IDX height,
                                                                 __global const E *panel, IDX depth, E16 *left, E16 *right) {
    #pragma OPENCL FP_CONTRACT ON
    __global const E *from[8];
    #pragma unroll
    for (int r = 0; r < 8; ++r) from[r] = s + MIN(r, height - 1) * s_row;
    E16 first[8], second[8];
    #pragma unroll
    for (int r = 0; r < 8; ++r) first[r] = second[r] = (E16)(0);
    for (IDX k = 0; k < depth; ++k) {
        const E16 p0 = load(panel + 32 * k), p1 = load(panel + 32 * k + 16);
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
            const E x = from[r][k * s_k];
            first[r] += x * p0;
            second[r] += x * p1;
        }
    }
    #pragma unroll
    for (int r = 0; r < 8; ++r) { left[r] = first[r]; right[r] = second[r]; }
}

// -- positions ----------------------------------------------------------------------------------------------------------
//@ positions
// The positions of 16 lanes.
static inline OF long16 positions(long first, long step) {
    return first + step * (long16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
}

//@ quotient
// A position divided by a size, rounded down: parts of a position may be negative. What is read under a condition may be
// computed, and not used, with a size of 0.
static inline IDX quotient(IDX a, IDX b) { return b == 0 ? 0 : a < 0 ? -1 - (-1 - a) / b : a / b; }
