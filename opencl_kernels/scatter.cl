// Elements stored or added at numbered places, for contiguous arrays. ELEM is the element's type, INDEX the index's, PUT_AT(old,
// new) what becomes of an element; for rows also PLACE(k), the row that the k-th number names, with the arguments INDICES and
// SIZES (numbers.py), and SOURCE(o, k), where the source's row begins, with FROM(c) and FROM16(c), its elements. Numbers that
// are out of range were refused before. What meets at one place comes in the order of the numbers: a work-item has some
// columns for itself.

//@ rows
// out[o, PLACE(k), :] = PUT_AT(out[o, PLACE(k), :], source[o, k, :])
__attribute__((reqd_work_group_size(1, 1, 1)))
__kernel void NAME(__global ELEM *restrict out, INDICES, __global const ELEM *restrict source, const IDX outer,
                   const IDX width, const IDX count, const IDX rows SIZES, const IDX per)
{
    const IDX blocks = (width + 15) / 16;
    const IDX first = (IDX)get_global_id(0) * per;
    const IDX last = MIN(first + per, outer * blocks);
    for (IDX unit = first; unit < last;) {
        const IDX o = unit / blocks, column = unit % blocks * 16;
        const IDX more = MIN(last - unit, blocks - unit % blocks), end = MIN(column + more * 16, width);
        for (IDX k = 0; k < count; ++k) {
            __global ELEM *to = out + (o * rows + PLACE(k)) * width;
            __global const ELEM *from = source + SOURCE(o, k);
            IDX c = column;
            for (; c + 16 <= end; c += 16) store(to + c, PUT_AT(load(to + c), FROM16(c)));
            for (; c < end; ++c) to[c] = PUT_AT(to[c], FROM(c));
        }
        unit += more;
    }
}

//@ elements
// out[o, index[o, k, i], i] = PUT_AT(out[o, index[o, k, i], i], source[o, k, i])
__attribute__((reqd_work_group_size(1, 1, 1)))
__kernel void NAME(__global ELEM *restrict out, __global const INDEX *restrict index, __global const ELEM *restrict source,
                   const IDX outer, const IDX inner, const IDX count, const IDX rows, const IDX per)
{
    const IDX first = (IDX)get_global_id(0) * per;
    const IDX last = MIN(first + per, outer * inner);
    for (IDX unit = first; unit < last;) {
        const IDX o = unit / inner, i = unit % inner, more = MIN(last - unit, inner - i);
        for (IDX k = 0; k < count; ++k) {
            __global const INDEX *at = index + (o * count + k) * inner;
            __global const ELEM *from = source + (o * count + k) * inner;
            for (IDX c = i; c < i + more; ++c) {
                __global ELEM *to = out + (o * rows + (IDX)at[c]) * inner + c;
                *to = PUT_AT(*to, from[c]);
            }
        }
        unit += more;
    }
}
