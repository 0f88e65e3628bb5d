// Attention out[b0, b1, i, :] = softmax over j of (scale * query[i] . key[j] + mask[i, j]), times value[j, :], without the
// matrix of all scores. Definitions as for matmul.cl, and HEAD_PANELS (panels of values at a time), CAUSAL (keys up to the
// query's own position), MASK (0 none, 1 truth values, 2 numbers that are added), MASK_ELEM, MASK_AT.

//@ attention
// One work-item computes whole tiles of 8 queries. Keys and values come in panels (matmul.cl, pack): keys as lines, so that
// the scores of 32 keys are two vectors, and elements of values as lines. Scores are made for KEYS keys at a time; the
// largest so far and the sum of exponentials are carried along, and what was added up shrinks when a larger score comes.
// A score that is no number need not be the largest: it makes the sum, and so the whole row, no number. Values with more
// elements than HEAD_PANELS hold take several turns, with scores of their own.
#define KEYS 256

// Of a tile with fewer than 8 queries the last one counts several times, and what comes of that is not stored.
#define SCORES                                                                                                 \
    {                                                                                                          \
        WIDE left[8], right[8];                                                                                \
        _Pragma("unroll") for (int r = 0; r < 8; ++r) left[r] = right[r] = (WIDE)(0);                          \
        for (IDX d = 0; d < depth; ++d) {                                                                      \
            const WIDE k0 = load(kp + 32 * d), k1 = load(kp + 32 * d + 16);                                    \
            _Pragma("unroll") for (int r = 0; r < 8; ++r) {                                                    \
                const ACC x = TO_ACC(query[r], d * q_d);                                                       \
                left[r] += x * k0;                                                                             \
                right[r] += x * k1;                                                                            \
            }                                                                                                  \
        }                                                                                                      \
        _Pragma("unroll") for (int r = 0; r < 8; ++r) {                                                        \
            scores[r][c] = left[r] * scale;                                                                    \
            scores[r][c + 1] = right[r] * scale;                                                               \
        }                                                                                                      \
    }

#define VALUES                                                                                                 \
    {                                                                                                          \
        WIDE left[8], right[8];                                                                                \
        _Pragma("unroll") for (int r = 0; r < 8; ++r) {                                                        \
            left[r] = total[r][2 * e] * shrink[r];                                                             \
            right[r] = total[r][2 * e + 1] * shrink[r];                                                        \
        }                                                                                                      \
        for (IDX k = 0; k < count; ++k) {                                                                      \
            const WIDE v0 = load(vp + 32 * k), v1 = load(vp + 32 * k + 16);                                    \
            _Pragma("unroll") for (int r = 0; r < 8; ++r) {                                                    \
                const ACC x = ((const ACC *)scores[r])[k];                                                     \
                left[r] += x * v0;                                                                             \
                right[r] += x * v1;                                                                            \
            }                                                                                                  \
        }                                                                                                      \
        _Pragma("unroll") for (int r = 0; r < 8; ++r) {                                                        \
            total[r][2 * e] = left[r];                                                                         \
            total[r][2 * e + 1] = right[r];                                                                    \
        }                                                                                                      \
    }

__attribute__((reqd_work_group_size(1, 1, 1)))
__kernel void NAME(__global const ELEM *restrict q, __global const ACC *restrict keys, __global const ACC *restrict values,
#if MASK
                   __global const MASK_ELEM *restrict mask,
#endif
                   __global ELEM *restrict out, const ACC scale, const IDX n0, const IDX n1, const IDX rows,
                   const IDX lines, const IDX depth, const IDX head, const IDX q_0, const IDX q_1, const IDX q_i,
                   const IDX q_d, const IDX k_0, const IDX k_1, const IDX v_0, const IDX v_1,
#if MASK
                   const IDX m_0, const IDX m_1, const IDX m_i, const IDX m_j,
#endif
                   const IDX per)
{
    #pragma OPENCL FP_CONTRACT ON
    const IDX down = (rows + 7) / 8, across = (lines + 31) / 32, panels = (head + 31) / 32;
    const IDX first = (IDX)get_global_id(0) * per;
    const IDX last = MIN(first + per, n0 * n1 * down);
    const WIDE lane = (WIDE)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    for (IDX tile = first; tile < last; ++tile) {
        const IDX i = tile % down * 8, batch = tile / down, height = MIN(rows - i, 8);
        const IDX end = CAUSAL ? MIN(lines, i + height) : lines;
        __global const ELEM *query[8];
        _Pragma("unroll") for (int r = 0; r < 8; ++r)
            query[r] = q + batch / n1 * q_0 + batch % n1 * q_1 + (i + MIN(r, height - 1)) * q_i;
        __global const ACC *all_keys = keys + (batch / n1 * k_0 + batch % n1 * k_1) * across * depth * 32;
        __global const ACC *all_values = values + (batch / n1 * v_0 + batch % n1 * v_1) * panels * lines * 32;
        WIDE scores[8][KEYS / 16], total[8][2 * HEAD_PANELS];
        ACC most[8], sum[8], shrink[8];
        for (IDX turn = 0; turn < panels; turn += HEAD_PANELS) {
            const int many = MIN(panels - turn, HEAD_PANELS);
            for (int r = 0; r < 8; ++r) {
                most[r] = -INFINITY;
                sum[r] = shrink[r] = 0;
                for (int c = 0; c < 2 * many; ++c) total[r][c] = (WIDE)(0);
            }
            for (IDX start = 0; start < end; start += KEYS) {
                const IDX count = MIN(end - start, KEYS);
                const int wide = 2 * ((count + 31) / 32);
                for (int c = 0; c < wide; c += 2) {
                    __global const ACC *kp = all_keys + (start / 32 + c / 2) * depth * 32;
                    SCORES
                }
                for (int r = 0; r < height; ++r) {
#if MASK
                    ACC *row = (ACC *)scores[r];
                    __global const MASK_ELEM *mp = mask + batch / n1 * m_0 + batch % n1 * m_1 + (i + r) * m_i + start * m_j;
                    for (IDX k = 0; k < count; ++k) row[k] = MASK_AT(row[k], mp, k * m_j);
#endif
                    IDX seen = count;
                    if (CAUSAL && i + r + 1 - start < count) seen = i + r + 1 < start ? 0 : i + r + 1 - start;
                    const int whole = seen / 16, some = seen % 16 != 0;   // vectors of keys that count; one with others too
                    WIDE largest = (WIDE)(-INFINITY);
                    if (some) largest = lane < (ACC)(seen % 16) ? scores[r][whole] : largest;
                    for (int c = 0; c < whole; ++c) largest = scores[r][c] > largest ? scores[r][c] : largest;
                    const ACC row_most = max_lanes(largest), now = row_most > most[r] ? row_most : most[r];
                    const ACC base = now == -INFINITY ? 0 : now;       // all keys hidden so far: no difference of infinities
                    WIDE added = (WIDE)(0);
                    for (int c = 0; c < whole + some; ++c) {
                        scores[r][c] = exp_below(scores[r][c] - base);
                        if (c == whole) scores[r][c] = lane < (ACC)(seen % 16) ? scores[r][c] : (WIDE)(0);
                        added += scores[r][c];
                    }
                    for (int c = whole + some; c < wide; ++c) scores[r][c] = (WIDE)(0);
                    shrink[r] = most[r] == -INFINITY ? 0 : exp_below(most[r] - base);    // what becomes 0 takes long to compute
                    sum[r] = sum[r] * shrink[r] + sum_lanes(added);
                    most[r] = now;
                }
                for (int e = 0; e < many; ++e) {
                    __global const ACC *vp = all_values + ((turn + e) * lines + start) * 32;
                    VALUES
                }
            }
            for (int r = 0; r < height; ++r) {
                __global ELEM *op = out + (batch * rows + i + r) * head + 32 * turn;
                const ACC factor = MASK && sum[r] == 0 ? 0 : 1 / sum[r];
                const IDX width = MIN(head - 32 * turn, 32 * HEAD_PANELS);
                IDX e = 0;
                for (; e + 16 <= width; e += 16) PUT16(op + e, total[r][e / 16] * factor);
                for (; e < width; ++e) PUT(op, e, ((const ACC *)total[r])[e] * factor);
            }
        }
    }
}
