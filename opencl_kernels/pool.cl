// Maximum or mean of every window of planes [number][in_y][in_x], contiguous. Definitions: ELEM, ACC, WIDE and the others of
// matmul.cl; the window's extents KY, KX, strides SY, SX, dilations DY, DX and borders LOW_Y, LOW_X; COMBINE(a, b), START,
// and for means ROWS, COLUMNS (how many of a window's count) and SHARED(total, rows, columns). One dimension is two with a
// height of 1.

//@ pool
#if SX == 1
#define ACROSS(p) TO_WIDE(load(p))
#define BEYOND 0
#elif SX == 2
#define ACROSS(p) __builtin_shufflevector(TO_WIDE(load(p)), TO_WIDE(load((p) + 16)), 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, \
                                          22, 24, 26, 28, 30)
#define BEYOND 1                                    // the second vector reads one element more than is used
#else
#define ACROSS(p) TO_WIDE(load_strided(p, SX))
#define BEYOND 0
#endif

#define ONE(X)                                                                                                 \
    {                                                                                                          \
        const IDX from = (X) * SX - LOW_X;                                                                     \
        const int kx_from = from < 0 ? (int)((DX - 1 - from) / DX) : 0;                                        \
        const IDX fit = (in_x - from + DX - 1) / DX;                                                           \
        const int kx_to = fit < KX ? (int)fit : KX;                                                            \
        ACC best = START;                                                                                      \
        for (int ky = ky_from; ky < ky_to; ++ky)                                                               \
            for (int kx = kx_from; kx < kx_to; ++kx)                                                           \
                best = COMBINE(best, TO_ACC(rows, ky * DY * in_x + from + kx * DX));                           \
        PUT(to, X, SHARED(best, high, COLUMNS(from, kx_to - kx_from)));                                        \
    }

__attribute__((reqd_work_group_size(1, 1, 1)))
__kernel void NAME(__global const ELEM *restrict in, __global ELEM *restrict out, const IDX planes, const IDX in_y,
                   const IDX in_x, const IDX out_y, const IDX out_x, const IDX per)
{
    const IDX first = (IDX)get_global_id(0) * per;
    const IDX last = MIN(first + per, planes * out_y);
    const IDX inner = (LOW_X + SX - 1) / SX, room = in_x - 1 - (KX - 1) * DX + LOW_X;      // whole windows: from inner to outer
    const IDX outer = room < 0 ? 0 : MIN(room / SX + 1, out_x);
    for (IDX number = first; number < last; ++number) {
        const IDX top = number % out_y * SY - LOW_Y;
        const int ky_from = top < 0 ? (int)((DY - 1 - top) / DY) : 0;
        const IDX fit_y = (in_y - top + DY - 1) / DY;
        const int ky_to = fit_y < KY ? (int)fit_y : KY;
        const ACC high = ROWS(top, ky_to - ky_from);
        __global const ELEM *rows = in + number / out_y * in_y * in_x + top * in_x;
        __global ELEM *to = out + number * out_x;
        IDX x = 0;
        for (; x < MIN(inner, out_x); ++x) ONE(x)
        for (; x + 16 + BEYOND <= outer; x += 16) {
            WIDE best = (WIDE)(START);
            for (int ky = ky_from; ky < ky_to; ++ky) {
                __global const ELEM *p = rows + ky * DY * in_x + x * SX - LOW_X;
                _Pragma("unroll") for (int kx = 0; kx < KX; ++kx) best = COMBINE(best, ACROSS(p + kx * DX));
            }
            PUT16(to + x, SHARED(best, high, (ACC)KX));
        }
        for (; x < out_x; ++x) ONE(x)
    }
}
