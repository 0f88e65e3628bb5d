// Running sums (or products) along one dimension of a contiguous array [outer, n, inner]. Definitions: ELEM (of the input),
// OUT (of the result), PART and PART16 (what 16 elements are combined in), CARRY (what is carried along: wider, so that a
// long row does not add up rounding errors), TO_PART(p, i), TO_PART16(v), TO_OUT16(v), PUT, COMBINE(a, b), IDENTITY.

//@ rows
// inner is 1: one work-item takes whole rows. 16 elements are combined with those before them in the vector by four shifts;
// only the addition of a vector's last element is on the path from one vector to the next.
#define SHIFTED(v, ...) __builtin_shufflevector(v, (PART16)(IDENTITY), __VA_ARGS__)
__attribute__((reqd_work_group_size(1, 1, 1)))
__kernel void NAME(__global const ELEM *restrict in, __global OUT *restrict out, const IDX outer, const IDX n, const IDX per)
{
    const IDX first = (IDX)get_global_id(0) * per;
    const IDX last = MIN(first + per, outer);
    for (IDX row = first; row < last; ++row) {
        __global const ELEM *p = in + row * n;
        __global OUT *to = out + row * n;
        CARRY carry = IDENTITY;
        IDX k = 0;
        for (; k + 16 <= n; k += 16) {
            PART16 v = TO_PART16(load(p + k));
            v = COMBINE(v, SHIFTED(v, 16, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14));
            v = COMBINE(v, SHIFTED(v, 16, 16, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13));
            v = COMBINE(v, SHIFTED(v, 16, 16, 16, 16, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11));
            v = COMBINE(v, SHIFTED(v, 16, 16, 16, 16, 16, 16, 16, 16, 0, 1, 2, 3, 4, 5, 6, 7));
            store(to + k, TO_OUT16(COMBINE(v, (PART16)((PART)carry))));
            carry = COMBINE(carry, (CARRY)v.sf);
        }
        for (; k < n; ++k) {
            carry = COMBINE(carry, (CARRY)TO_PART(p, k));
            PUT(to, k, (PART)carry);
        }
    }
}

//@ columns
// inner is larger: 16 neighbouring columns at a time.
__attribute__((reqd_work_group_size(1, 1, 1)))
__kernel void NAME(__global const ELEM *restrict in, __global OUT *restrict out, const IDX outer, const IDX n,
                   const IDX inner, const IDX per)
{
    const IDX across = (inner + 15) / 16;
    const IDX first = (IDX)get_global_id(0) * per;
    const IDX last = MIN(first + per, outer * across);
    for (IDX number = first; number < last; ++number) {
        const IDX column = number % across * 16, width = MIN(inner - column, 16);
        __global const ELEM *p = in + number / across * n * inner + column;
        __global OUT *to = out + number / across * n * inner + column;
        CARRY carry[16];
        for (int c = 0; c < 16; ++c) carry[c] = IDENTITY;
        for (IDX k = 0; k < n; ++k, p += inner, to += inner) {
            if (width == 16) {
                for (int c = 0; c < 16; ++c) {
                    carry[c] = COMBINE(carry[c], (CARRY)TO_PART(p, c));
                    PUT(to, c, (PART)carry[c]);
                }
            } else {
                for (int c = 0; c < width; ++c) {
                    carry[c] = COMBINE(carry[c], (CARRY)TO_PART(p, c));
                    PUT(to, c, (PART)carry[c]);
                }
            }
        }
    }
}
