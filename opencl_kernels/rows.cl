// Rows by number: out[o, i, :] = in[o, PLACE(i), :], for contiguous arrays. ELEM is an integer of the elements' width, INDEX
// the index's type; INDICES and SIZES are arguments that PLACE(k) needs, the row that the k-th number names (numbers.py).
// Numbers that are too large were refused before.

//@ rows
__attribute__((reqd_work_group_size(1, 1, 1)))
__kernel void NAME(__global const ELEM *restrict in, INDICES, __global ELEM *restrict out, const IDX outer, const IDX count,
                   const IDX width, const IDX rows SIZES, const IDX per)
{
    const IDX first = (IDX)get_global_id(0) * per;
    const IDX last = MIN(first + per, outer * count);
    for (IDX number = first; number < last;) {
        const IDX start = number % count, end = MIN(count, start + last - number);
        __global const ELEM *from = in + number / count * rows * width;
        __global ELEM *to = out + number * width;
        number += end - start;
        if (width == 1)
            for (IDX k = start; k < end; ++k) to[k - start] = from[PLACE(k)];
        else
            for (IDX k = start; k < end; ++k, to += width) {
                __global const ELEM *p = from + PLACE(k) * width;
                IDX c = 0;
                for (; c + 16 <= width; c += 16) store(to + c, load(p + c));
                for (; c < width; ++c) to[c] = p[c];
            }
    }
}

//@ elements
// out[o, i, k] = in[o, index[o, i, k], k].
__attribute__((reqd_work_group_size(1, 1, 1)))
__kernel void NAME(__global const ELEM *restrict in, __global const INDEX *restrict index, __global ELEM *restrict out,
                   const IDX outer, const IDX count, const IDX inner, const IDX rows, const IDX per)
{
    const IDX first = (IDX)get_global_id(0) * per;
    const IDX last = MIN(first + per, outer * count);
    for (IDX number = first; number < last;) {
        const IDX more = MIN(last - number, count - number % count);
        __global const ELEM *p = in + number / count * rows * inner;
        __global const INDEX *at = index + number * inner;
        __global ELEM *to = out + number * inner;
        if (inner == 1)
            for (IDX i = 0; i < more; ++i) to[i] = p[(IDX)at[i]];
        else
            for (IDX i = 0; i < more; ++i, at += inner, to += inner)
                for (IDX k = 0; k < inner; ++k) to[k] = p[(IDX)at[k] * inner + k];
        number += more;
    }
}

//@ elements on gpu
// The same, a work-item per element.
__attribute__((reqd_work_group_size(LOCAL, 1, 1)))
__kernel void NAME(__global const ELEM *restrict in, __global const INDEX *restrict index, __global ELEM *restrict out,
                   const IDX outer, const IDX count, const IDX inner, const IDX rows)
{
    const size_t number = get_global_id(0), o = number / inner / count;
    if (o < outer) out[number] = in[(o * rows + (IDX)index[number]) * inner + number % inner];
}
