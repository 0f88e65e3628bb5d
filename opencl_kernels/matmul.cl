// Matrix products out[b0, b1, i, j] = sum over k of a[b0, b1, i, k] * b[b0, b1, k, j], for any strides and sizes.
// The including text defines NAME, ELEM (in memory), ACC (one accumulator), WIDE (16 of them) and TO_ACC, TO_WIDE, PUT,
// PUT16 (conversions and stores); B_UNIT when neighbouring columns of b are neighbours in memory. Sections: cpu; dots (CPU,
// rows of a and columns of b both contiguous, as in x @ w.T); gpu.

//@ cpu
// One work-item computes whole tiles of 8 rows by 32 columns, kept in registers: each loaded vector of b is used for 8
// rows. Tiles of the same columns follow one another, so that these columns of b stay in the cache.
#define TILE_ROWS 8
#if B_UNIT
#define B16(p) TO_WIDE(load(p))
#else
#define B16(p) TO_WIDE(load_strided(p, b_j))
#endif

#define TILE(ROWS)                                                                                             \
    {                                                                                                          \
        WIDE left[ROWS], right[ROWS];                                                                          \
        _Pragma("unroll") for (int r = 0; r < ROWS; ++r) left[r] = right[r] = (WIDE)(0);                       \
        for (IDX k = 0; k < depth; ++k) {                                                                      \
            const WIDE b0 = B16(bp + k * b_k), b1 = B16(bp + k * b_k + 16 * b_j);                              \
            _Pragma("unroll") for (int r = 0; r < ROWS; ++r) {                                                 \
                const ACC x = TO_ACC(ap, r * a_i + k * a_k);                                                   \
                left[r] += x * b0;                                                                             \
                right[r] += x * b1;                                                                            \
            }                                                                                                  \
        }                                                                                                      \
        _Pragma("unroll") for (int r = 0; r < ROWS; ++r) {                                                     \
            PUT16(op + r * columns, left[r]);                                                                  \
            PUT16(op + r * columns + 16, right[r]);                                                            \
        }                                                                                                      \
    }

__attribute__((reqd_work_group_size(1, 1, 1)))
__kernel void NAME(__global const ELEM *restrict a, __global const ELEM *restrict b, __global ELEM *restrict out,
                   const IDX n0, const IDX n1, const IDX rows, const IDX columns, const IDX depth, const IDX a_0,
                   const IDX a_1, const IDX a_i, const IDX a_k, const IDX b_0, const IDX b_1, const IDX b_k, const IDX b_j,
                   const IDX per)
{
    #pragma OPENCL FP_CONTRACT ON
    const IDX down = (rows + TILE_ROWS - 1) / TILE_ROWS, across = (columns + 31) / 32;
    const IDX first = (IDX)get_global_id(0) * per;
    const IDX last = MIN(first + per, n0 * n1 * down * across);
    for (IDX tile = first; tile < last; ++tile) {
        const IDX i = tile % down * TILE_ROWS, j = tile / down % across * 32, batch = tile / (down * across);
        __global const ELEM *ap = a + batch / n1 * a_0 + batch % n1 * a_1 + i * a_i;
        __global const ELEM *bp = b + batch / n1 * b_0 + batch % n1 * b_1 + j * b_j;
        __global ELEM *op = out + (batch * rows + i) * columns + j;
        const IDX height = MIN(rows - i, TILE_ROWS);
        if (j + 32 <= columns) {
            if (height == TILE_ROWS) {
                TILE(TILE_ROWS)
            } else {
                for (IDX r = 0; r < height; ++r, ap += a_i, op += columns) TILE(1)
            }
        } else {
            for (IDX r = 0; r < height; ++r, ap += a_i, op += columns)
                for (IDX c = 0; c < columns - j; ++c) {
                    ACC sum = 0;
                    for (IDX k = 0; k < depth; ++k) sum += TO_ACC(ap, k * a_k) * TO_ACC(bp, k * b_k + c * b_j);
                    PUT(op, c, sum);
                }
        }
    }
}

//@ dots
// As above, but both operands are walked along k: 4 by 4 dot products at a time, 16 products in each step, added up at
// the end. Each loaded vector is used 4 times.
#define DOTS(ROWS, COLUMNS)                                                                                    \
    {                                                                                                          \
        WIDE sums[ROWS][COLUMNS];                                                                              \
        _Pragma("unroll") for (int r = 0; r < ROWS; ++r)                                                       \
            _Pragma("unroll") for (int c = 0; c < COLUMNS; ++c) sums[r][c] = (WIDE)(0);                        \
        IDX k = 0;                                                                                             \
        for (; k + 16 <= depth; k += 16) {                                                                     \
            WIDE x[ROWS];                                                                                      \
            _Pragma("unroll") for (int r = 0; r < ROWS; ++r) x[r] = TO_WIDE(load(ap + r * a_i + k));           \
            _Pragma("unroll") for (int c = 0; c < COLUMNS; ++c) {                                              \
                const WIDE y = TO_WIDE(load(bp + c * b_j + k));                                                \
                _Pragma("unroll") for (int r = 0; r < ROWS; ++r) sums[r][c] += x[r] * y;                       \
            }                                                                                                  \
        }                                                                                                      \
        _Pragma("unroll") for (int r = 0; r < ROWS; ++r)                                                       \
            _Pragma("unroll") for (int c = 0; c < COLUMNS; ++c) {                                              \
                ACC sum = LANES_SUM(sums[r][c]);                                                               \
                for (IDX m = k; m < depth; ++m) sum += TO_ACC(ap, r * a_i + m) * TO_ACC(bp, c * b_j + m);      \
                PUT(op, r * columns + c, sum);                                                                 \
            }                                                                                                  \
    }

__attribute__((reqd_work_group_size(1, 1, 1)))
__kernel void NAME(__global const ELEM *restrict a, __global const ELEM *restrict b, __global ELEM *restrict out,
                   const IDX n0, const IDX n1, const IDX rows, const IDX columns, const IDX depth, const IDX a_0,
                   const IDX a_1, const IDX a_i, const IDX a_k, const IDX b_0, const IDX b_1, const IDX b_k, const IDX b_j,
                   const IDX per)
{
    #pragma OPENCL FP_CONTRACT ON
    const IDX down = (rows + 7) / 8, across = (columns + 31) / 32;
    const IDX first = (IDX)get_global_id(0) * per;
    const IDX last = MIN(first + per, n0 * n1 * down * across);
    for (IDX tile = first; tile < last; ++tile) {
        const IDX top = tile % down * 8, start = tile / down % across * 32, batch = tile / (down * across);
        const IDX bottom = MIN(top + 8, rows), end = MIN(start + 32, columns);
        for (IDX i = top; i < bottom;) {
            const IDX height = bottom - i >= 4 ? 4 : 1;
            for (IDX j = start; j < end;) {
                const IDX breadth = end - j >= 4 ? 4 : 1;
                __global const ELEM *ap = a + batch / n1 * a_0 + batch % n1 * a_1 + i * a_i;
                __global const ELEM *bp = b + batch / n1 * b_0 + batch % n1 * b_1 + j * b_j;
                __global ELEM *op = out + (batch * rows + i) * columns + j;
                if (height == 4 && breadth == 4) DOTS(4, 4)
                else if (height == 4) DOTS(4, 1)
                else if (breadth == 4) DOTS(1, 4)
                else DOTS(1, 1)
                j += breadth;
            }
            i += height;
        }
    }
}

//@ gpu
// One work-group computes a tile of 16 by 16; both operands pass through local memory 16 steps of k at a time.
__attribute__((reqd_work_group_size(256, 1, 1)))
__kernel void NAME(__global const ELEM *restrict a, __global const ELEM *restrict b, __global ELEM *restrict out,
                   const IDX n0, const IDX n1, const IDX rows, const IDX columns, const IDX depth, const IDX a_0,
                   const IDX a_1, const IDX a_i, const IDX a_k, const IDX b_0, const IDX b_1, const IDX b_k, const IDX b_j)
{
    #pragma OPENCL FP_CONTRACT ON
    __local ACC left[16][17];
    __local ACC right[16][17];
    const IDX down = (rows + 15) / 16, across = (columns + 15) / 16;
    const IDX tile = get_group_id(0), batch = tile / (down * across);
    const int x = get_local_id(0) % 16, y = get_local_id(0) / 16;
    const IDX i = tile / across % down * 16 + y, j = tile % across * 16 + x;
    __global const ELEM *ap = a + batch / n1 * a_0 + batch % n1 * a_1;
    __global const ELEM *bp = b + batch / n1 * b_0 + batch % n1 * b_1;
    ACC sum = 0;
    for (IDX step = 0; step < depth; step += 16) {
        left[y][x] = i < rows && step + x < depth ? TO_ACC(ap, i * a_i + (step + x) * a_k) : (ACC)0;
        right[y][x] = j < columns && step + y < depth ? TO_ACC(bp, (step + y) * b_k + j * b_j) : (ACC)0;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < 16; ++k) sum += left[y][k] * right[k][x];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (i < rows && j < columns) PUT(out, (batch * rows + i) * columns + j, sum);
}
