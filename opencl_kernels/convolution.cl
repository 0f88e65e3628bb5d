// Convolution out[b, o, z, y, x] = bias[o] + sum over c, kz, ky, kx of in[b, c, z*SZ + kz*DZ - low_z, y*SY + ky*DY - low_y,
// x*SX + kx*DX - low_x] * weight[o, c, kz, ky, kx] for any sizes. The extents KZ, KY, KX of the window, its strides SZ, SY, SX
// and dilations DZ, DY, DX are definitions, as are ELEM, ACC and the others of matmul.cl. Fewer dimensions are three with a
// depth and a height of 1: DEEP and OUT_Z are that, or the arguments.

//@ spread
// The input with its border of zeros. A stride takes the rows and columns apart into phases, so that for the product below
// every stride is 1: planes [b][c][z][phase of y][phase of x] of tall by wide elements, without gaps between rows.
__attribute__((reqd_work_group_size(1, 1, 1)))
__kernel void NAME(__global const ELEM *restrict in, __global ACC *restrict planes, const IDX batch, const IDX channels,
                   const IDX depth, const IDX height, const IDX width, const IDX deep, const IDX tall, const IDX wide,
                   const IDX low_z, const IDX low_y, const IDX low_x, const IDX in_b, const IDX in_c, const IDX in_z,
                   const IDX in_y, const IDX in_x, const IDX per)
{
    const IDX first = (IDX)get_global_id(0) * per, all = batch * channels * deep * SY * SX;
    const IDX last = MIN(first + per, all);
    for (IDX number = first; number < last; ++number) {
        const IDX phase = number % (SY * SX), level = number / (SY * SX), z = level % deep - low_z;
        const IDX c = level / deep % channels, b = level / deep / channels;
        const IDX from_y = phase / SX - low_y, from_x = phase % SX - low_x;
        const IDX before = from_x < 0 ? (SX - 1 - from_x) / SX : 0;            // positions left of the input
        const IDX end = width - from_x < 0 ? 0 : (width - from_x + SX - 1) / SX, stop = MIN(end, wide);
        __global ACC *to = planes + number * tall * wide;
        for (IDX row = 0; row < tall; ++row, to += wide) {
            const IDX y = row * SY + from_y;
            IDX x = 0;
            if (z >= 0 && z < depth && y >= 0 && y < height) {
                __global const ELEM *p = in + b * in_b + c * in_c + z * in_z + y * in_y;
                for (; x < MIN(before, stop); ++x) to[x] = 0;
#if X_UNIT
                for (; x + 16 <= stop; x += 16) store(to + x, TO_WIDE(load(p + x + from_x)));
#endif
                for (; x < stop; ++x) to[x] = TO_ACC(p, (x * SX + from_x) * in_x);
            }
            for (; x < wide; ++x) to[x] = 0;
        }
        if (number == all - 1)                                                  // the last vectors read beyond the end
            for (int x = 0; x < 16 * VECTORS; ++x) to[x] = 0;
    }
}

//@ convolution
// Tiles of ROWS output channels by 16 * VECTORS neighbouring positions, kept in registers. Positions run through whole
// rows of a plane, border included: what was computed for the border is not stored. BY_ROWS: each row of results has tiles of
// its own instead, which is no more of them where rows are long enough. All channels of a group take their turn at the same
// positions, which stay in the cache.
#define TILE(FROM, COUNT)                                                                                      \
    {                                                                                                          \
        WIDE sums[COUNT][VECTORS];                                                                             \
        __global const ELEM *wp = weights + (g * per_group + o + FROM) * each * (KZ * KY * KX);                \
        _Pragma("unroll") for (int r = 0; r < COUNT; ++r)                                                      \
            _Pragma("unroll") for (int v = 0; v < VECTORS; ++v)                                                \
                sums[r][v] = (WIDE)(BIAS(g * per_group + o + FROM + r));                                       \
        for (IDX c = 0; c < each; ++c)                                                                         \
            for (int kz = 0; kz < KZ; ++kz)                                                                    \
            for (int ky = 0; ky < KY; ++ky) {                                                                  \
                const IDX above = (c * DEEP + kz * DZ) * SY + ky * DY % SY;                                    \
                __global const ACC *row = group + above * SX * plane + ky * DY / SY * wide;                    \
                __global const ELEM *wk = wp + ((c * KZ + kz) * KY + ky) * KX;                                 \
                _Pragma("unroll") for (int kx = 0; kx < KX; ++kx) {                                            \
                    WIDE x[VECTORS];                                                                           \
                    _Pragma("unroll") for (int v = 0; v < VECTORS; ++v)                                        \
                        x[v] = load(row + kx * DX % SX * plane + kx * DX / SX + 16 * v);                       \
                    _Pragma("unroll") for (int r = 0; r < COUNT; ++r) {                                        \
                        const ACC w = TO_ACC(wk, r * each * (KZ * KY * KX) + kx);                              \
                        _Pragma("unroll") for (int v = 0; v < VECTORS; ++v) sums[r][v] += w * x[v];            \
                    }                                                                                          \
                }                                                                                              \
            }                                                                                                  \
        _Pragma("unroll") for (int r = 0; r < COUNT; ++r)                                                      \
            _Pragma("unroll") for (int v = 0; v < VECTORS; ++v) done[FROM + r][v] = sums[r][v];                \
    }

__attribute__((reqd_work_group_size(1, 1, 1)))
__kernel void NAME(__global const ACC *restrict planes, __global const ELEM *restrict weights,
#if HAS_BIAS
                   __global const ELEM *restrict bias,
#endif
                   __global ELEM *restrict out, const IDX batch, const IDX groups, const IDX per_group, const IDX each,
                   const IDX out_z, const IDX out_y, const IDX out_x, const IDX deep, const IDX tall, const IDX wide,
                   const IDX per)
{
    #pragma OPENCL FP_CONTRACT ON
    const IDX down = (per_group + ROWS - 1) / ROWS, plane = tall * wide;
#if BY_ROWS
    const IDX in_row = (out_x + 16 * VECTORS - 1) / (16 * VECTORS), across = out_y * in_row;
#else
    const IDX across = ((out_y - 1) * wide + out_x + 16 * VECTORS - 1) / (16 * VECTORS);
#endif
    const IDX first = (IDX)get_global_id(0) * per;
    const IDX last = MIN(first + per, batch * out_z * groups * down * across);
    for (IDX tile = first; tile < last; ++tile) {
        const IDX o = tile % down * ROWS, part = tile / down % across, level = tile / (down * across * groups);
#if BY_ROWS
        const IDX y = part / in_row, x = part % in_row * (16 * VECTORS), at = y * wide + x;
#else
        const IDX at = part * (16 * VECTORS);
#endif
        const IDX b = level / OUT_Z, z = level % OUT_Z, g = tile / (down * across) % groups, height = MIN(per_group - o, ROWS);
        __global const ACC *group = planes + ((b * groups + g) * each * DEEP + z * SZ) * (SY * SX) * plane + at;
        WIDE done[ROWS][VECTORS];
        if (height == ROWS) TILE(0, ROWS)
        else for (IDX row = 0; row < height; ++row) TILE(row, 1)
        __global ELEM *op = out + (((b * groups + g) * per_group + o) * OUT_Z + z) * out_y * out_x;
#if BY_ROWS
        const IDX stop = MIN(out_x - x, 16 * VECTORS);
        op += y * out_x + x;
        for (IDX r = 0; r < height; ++r, op += OUT_Z * out_y * out_x) {
            const ACC *line = (const ACC *)done[r];
            IDX k = 0;
            for (; k + 16 <= stop; k += 16) PUT16(op + k, done[r][k / 16]);
            for (; k < stop; ++k) PUT(op, k, line[k]);
        }
#else
        for (IDX p = 0; p < 16 * VECTORS;) {                                    // row by row, without the border
            const IDX y = (at + p) / wide, x = (at + p) % wide, stop = MIN(p + out_x - x, 16 * VECTORS);
            __global ELEM *to = op + y * out_x + x - p;
            for (IDX r = 0; r < (y < out_y ? height : 0); ++r, to += OUT_Z * out_y * out_x) {
                const ACC *line = (const ACC *)done[r];
                IDX k = p;
                for (; k + 16 <= stop; k += 16) PUT16(to + k, LINE16(line + k));
                for (; k < stop; ++k) PUT(to, k, line[k]);
            }
            p += wide - x;
        }
#endif
    }
}
