// Matrix products out[b0, b1, i, j] = sum over k of a[b0, b1, i, k] * b[b0, b1, k, j], for any strides and sizes.
// The including text defines NAME, ELEM (in memory), ACC (one accumulator), WIDE (16 of them) and TO_ACC, TO_WIDE, PUT,
// PUT16 (conversions and stores); TAIL(v, row, j), what is made of an element, or of 16 neighbours, of the product before it
// is stored (row: of all batches together), with the arguments that it needs, TAIL_ARGUMENTS and TAIL_SIZES, HAS_TAIL if that
// is anything; B_UNIT when neighbouring columns of b are neighbours in memory. Sections: cpu; dots (CPU, rows of a and columns
// of b both contiguous, as in x @ w.T); pack and packed (CPU, an operand rearranged first); gpu.

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
            PUT16(op + r * columns, TAIL(left[r], row + r, j));                                                \
            PUT16(op + r * columns + 16, TAIL(right[r], row + r, j + 16));                                     \
        }                                                                                                      \
    }

__attribute__((reqd_work_group_size(1, 1, 1)))
__kernel void NAME(__global const ELEM *restrict a, __global const ELEM *restrict b, __global ELEM *restrict out
                   TAIL_ARGUMENTS, const IDX n0, const IDX n1, const IDX rows, const IDX columns, const IDX depth, const IDX a_0,
                   const IDX a_1, const IDX a_i, const IDX a_k, const IDX b_0, const IDX b_1, const IDX b_k, const IDX b_j
                   TAIL_SIZES, const IDX per)
{
    #pragma OPENCL FP_CONTRACT ON
    const IDX down = (rows + TILE_ROWS - 1) / TILE_ROWS, across = (columns + 31) / 32;
    const IDX first = (IDX)get_global_id(0) * per;
    const IDX last = MIN(first + per, n0 * n1 * down * across);
    for (IDX tile = first; tile < last; ++tile) {
        const IDX i = tile % down * TILE_ROWS, j = tile / down % across * 32, batch = tile / (down * across);
        __global const ELEM *ap = a + batch / n1 * a_0 + batch % n1 * a_1 + i * a_i;
        __global const ELEM *bp = b + batch / n1 * b_0 + batch % n1 * b_1 + j * b_j;
        IDX row = batch * rows + i;
        __global ELEM *op = out + row * columns + j;
        const IDX height = MIN(rows - i, TILE_ROWS);
        if (j + 32 <= columns) {
            if (height == TILE_ROWS) {
                TILE(TILE_ROWS)
            } else {
                for (IDX r = 0; r < height; ++r, ap += a_i, op += columns, ++row) TILE(1)
            }
        } else {
            for (IDX r = 0; r < height; ++r, ap += a_i, op += columns, ++row)
                for (IDX c = 0; c < columns - j; ++c) {
                    ACC sum = 0;
                    for (IDX k = 0; k < depth; ++k) sum += TO_ACC(ap, k * a_k) * TO_ACC(bp, k * b_k + c * b_j);
                    PUT(op, c, TAIL(sum, row, j + c));
                }
        }
    }
}

//@ dots
// As above, but both operands are walked along k: 4 by 4 dot products at a time, 16 products in each step, added up at
// the end. Each loaded vector is used 4 times. Where fewer rows or columns are left, the last is read several times.
#define DOTS(ROWS)                                                                                             \
    {                                                                                                          \
        IDX left[ROWS], right[4];                                                                              \
        _Pragma("unroll") for (int r = 0; r < ROWS; ++r) left[r] = MIN(r, height - 1) * a_i;                   \
        _Pragma("unroll") for (int c = 0; c < 4; ++c) right[c] = MIN(c, breadth - 1) * b_j;                    \
        WIDE sums[ROWS][4];                                                                                    \
        _Pragma("unroll") for (int r = 0; r < ROWS; ++r)                                                       \
            _Pragma("unroll") for (int c = 0; c < 4; ++c) sums[r][c] = (WIDE)(0);                              \
        IDX k = 0;                                                                                             \
        for (; k + 16 <= depth; k += 16) {                                                                     \
            WIDE x[ROWS];                                                                                      \
            _Pragma("unroll") for (int r = 0; r < ROWS; ++r) x[r] = TO_WIDE(load(ap + left[r] + k));           \
            _Pragma("unroll") for (int c = 0; c < 4; ++c) {                                                    \
                const WIDE y = TO_WIDE(load(bp + right[c] + k));                                               \
                _Pragma("unroll") for (int r = 0; r < ROWS; ++r) sums[r][c] += x[r] * y;                       \
            }                                                                                                  \
        }                                                                                                      \
        WIDE done[ROWS][4];                                                                                    \
        _Pragma("unroll") for (int r = 0; r < ROWS; ++r)                                                       \
            _Pragma("unroll") for (int c = 0; c < 4; ++c) done[r][c] = sums[r][c];                             \
        _Pragma("unroll 1") for (int r = 0; r < height; ++r)                                                   \
            _Pragma("unroll 1") for (int c = 0; c < breadth; ++c) {      /* one TAIL, as it may be long */     \
                ACC sum = LANES_SUM(done[r][c]);                                                               \
                for (IDX m = k; m < depth; ++m) sum += TO_ACC(ap, r * a_i + m) * TO_ACC(bp, c * b_j + m);      \
                PUT(op, r * columns + c, TAIL(sum, row + r, j + c));                                           \
            }                                                                                                  \
    }

__attribute__((reqd_work_group_size(1, 1, 1)))
__kernel void NAME(__global const ELEM *restrict a, __global const ELEM *restrict b, __global ELEM *restrict out
                   TAIL_ARGUMENTS, const IDX n0, const IDX n1, const IDX rows, const IDX columns, const IDX depth, const IDX a_0,
                   const IDX a_1, const IDX a_i, const IDX a_k, const IDX b_0, const IDX b_1, const IDX b_k, const IDX b_j
                   TAIL_SIZES, const IDX per)
{
    #pragma OPENCL FP_CONTRACT ON
    const IDX down = (rows + 7) / 8, across = (columns + 31) / 32;
    const IDX first = (IDX)get_global_id(0) * per;
    const IDX last = MIN(first + per, n0 * n1 * down * across);
    for (IDX tile = first; tile < last; ++tile) {
        const IDX top = tile % down * 8, start = tile / down % across * 32, batch = tile / (down * across);
        const IDX bottom = MIN(top + 8, rows), end = MIN(start + 32, columns);
        for (IDX i = top; i < bottom;) {
            const IDX height = MIN(bottom - i, 4);
            for (IDX j = start; j < end;) {
                const IDX breadth = MIN(end - j, 4);
                __global const ELEM *ap = a + batch / n1 * a_0 + batch % n1 * a_1 + i * a_i;
                __global const ELEM *bp = b + batch / n1 * b_0 + batch % n1 * b_1 + j * b_j;
                const IDX row = batch * rows + i;
                __global ELEM *op = out + row * columns + j;
                if (height > 1) DOTS(4)
                else DOTS(1)
                j += breadth;
            }
            i += height;
        }
    }
}

//@ pack
// One operand in panels of 32 lines: [panel][k][32], so that the product reads 32 lines as two vectors at every step of k.
// Lines behind the last are 0. LINE_UNIT, DEPTH_UNIT: neighbouring lines (steps of k) are neighbours in memory.
__attribute__((reqd_work_group_size(1, 1, 1)))
__kernel void NAME(__global const ELEM *restrict x, __global ACC *restrict panels, const IDX n0, const IDX n1,
                   const IDX lines, const IDX depth, const IDX x_0, const IDX x_1, const IDX x_line, const IDX x_k,
                   const IDX per)
{
    const IDX across = (lines + 31) / 32;
    const IDX first = (IDX)get_global_id(0) * per;
    const IDX last = MIN(first + per, n0 * n1 * across);
    for (IDX panel = first; panel < last; ++panel) {
        const IDX line = panel % across * 32, batch = panel / across, width = MIN(lines - line, 32);
        __global const ELEM *xp = x + batch / n1 * x_0 + batch % n1 * x_1 + line * x_line;
        __global ACC *to = panels + panel * depth * 32;
        IDX k = 0;
        if (width == 32) {
#if defined(LINE_UNIT)
            for (; k < depth; ++k) {
                store(to + 32 * k, TO_WIDE(load(xp + k * x_k)));
                store(to + 32 * k + 16, TO_WIDE(load(xp + k * x_k + 16)));
            }
#elif defined(DEPTH_UNIT)
            for (; k + 16 <= depth; k += 16)
                for (int half_panel = 0; half_panel < 32; half_panel += 16) {
                    WIDE square[16];
                    _Pragma("unroll") for (int r = 0; r < 16; ++r) square[r] = TO_WIDE(load(xp + (half_panel + r) * x_line + k));
                    transpose(square);
                    _Pragma("unroll") for (int r = 0; r < 16; ++r) store(to + 32 * (k + r) + half_panel, square[r]);
                }
#endif
        }
        for (; k < depth; ++k)
            for (int r = 0; r < 32; ++r) to[32 * k + r] = r < width ? TO_ACC(xp, r * x_line + k * x_k) : (ACC)0;
    }
}

//@ packed
// The product with one operand in panels: tiles of 8 rows of the other operand by 32 lines (product_tile). TURNED: the lines
// are the result's rows, so two tiles are turned around before they are stored; else they are its columns. 256 rows meet all
// panels before the next rows do: so many rows stay in the cache.
#if TURNED
#define HEIGHT 16
#define BLOCK 16
#else
#define HEIGHT 8
#define BLOCK 32
#if HAS_TAIL                              // which may be long, so its text comes once for all rows
#define AT_ONCE 0
#else
#define AT_ONCE (width == 32 && height == 8)
#endif
#endif

__attribute__((reqd_work_group_size(1, 1, 1)))
__kernel void NAME(__global const ELEM *restrict s, __global const ACC *restrict panels, __global ELEM *restrict out
                   TAIL_ARGUMENTS, const IDX n0, const IDX n1, const IDX rows, const IDX lines, const IDX depth, const IDX s_0,
                   const IDX s_1, const IDX s_row, const IDX s_k, const IDX p_0, const IDX p_1
                   TAIL_SIZES, const IDX per)
{
    const IDX down = (rows + HEIGHT - 1) / HEIGHT, across = (lines + 31) / 32;
    const IDX first = (IDX)get_global_id(0) * per;
    const IDX last = MIN(first + per, n0 * n1 * down * across);
    for (IDX tile = first; tile < last; ++tile) {
        const IDX batch = tile / (down * across), block = tile % (down * across) / (BLOCK * across) * BLOCK;
        const IDX inside = tile % (down * across) - block * across, tall = MIN(down - block, BLOCK);
        const IDX i = (block + inside % tall) * HEIGHT, line = inside / tall * 32;
        const IDX height = MIN(rows - i, HEIGHT), width = MIN(lines - line, 32);
        __global const ELEM *sp = s + batch / n1 * s_0 + batch % n1 * s_1 + i * s_row;
        __global const ACC *pp = panels + ((batch / n1 * p_0 + batch % n1 * p_1) * across + line / 32) * depth * 32;
        WIDE sums[2][HEIGHT];                                    // of the first and of the last 16 lines
        for (IDX at = 0; at < height; at += 8)
            product_tile(sp + at * s_row, s_row, s_k, MIN(height - at, 8), pp, depth, sums[0] + at, sums[1] + at);
#if TURNED
        const IDX row = batch * lines + line;
        __global ELEM *op = out + row * rows + i;
        if (height == 16) {
            _Pragma("unroll 1") for (int half_panel = 0; half_panel < 2; ++half_panel) transpose(sums[half_panel]);
            for (int c = 0; c < width; ++c) PUT16(op + c * rows, TAIL(sums[c / 16][c % 16], row + c, i));
        } else {
            for (int c = 0; c < width; ++c)
                for (int r = 0; r < height; ++r) PUT(op, c * rows + r, TAIL((ACC)sums[c / 16][r][c % 16], row + c, i + r));
        }
#else
        const IDX row = batch * rows + i;
        __global ELEM *op = out + row * lines + line;
        if (AT_ONCE) {
            _Pragma("unroll") for (int r = 0; r < 8; ++r) {
                PUT16(op + r * lines, sums[0][r]);
                PUT16(op + r * lines + 16, sums[1][r]);
            }
        } else {
            _Pragma("unroll 1") for (int part = 0; part < 2 * height; ++part) {
                const IDX r = part / 2, c = part % 2 * 16;
                const WIDE v = sums[part % 2][r];
                if (c + 16 <= width)
                    PUT16(op + r * lines + c, TAIL(v, row + r, line + c));
                else
                    for (IDX e = 0; e < width - c; ++e)
                        PUT(op, r * lines + c + e, TAIL((ACC)v[e], row + r, line + c + e));
            }
        }
#endif
    }
}

//@ gpu
// One work-group computes a tile of 16 by 16; both operands pass through local memory 16 steps of k at a time.
__attribute__((reqd_work_group_size(256, 1, 1)))
__kernel void NAME(__global const ELEM *restrict a, __global const ELEM *restrict b, __global ELEM *restrict out
                   TAIL_ARGUMENTS, const IDX n0, const IDX n1, const IDX rows, const IDX columns, const IDX depth, const IDX a_0,
                   const IDX a_1, const IDX a_i, const IDX a_k, const IDX b_0, const IDX b_1, const IDX b_k, const IDX b_j
                   TAIL_SIZES)
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
    const IDX row = batch * rows + i;
    if (i < rows && j < columns) PUT(out, row * columns + j, TAIL(sum, row, j));
}
