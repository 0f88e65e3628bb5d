// Where the first k elements of the sorted order along one dimension of a contiguous array [outer, n, inner] are; equal ones
// in the order of their places. Definitions: ELEM (the elements' bits, unsigned, KEY_BITS wide), FLIP (all ones for descending
// order, else 0), SIGN (the bit that tells negative numbers, or 0), INFINITY_BITS (of floating elements only); on GPUs LOCAL (work-
// items of a group) and BLOCK (items that are sorted by counting).

//@ keys
// Elements as numbers that rise as they do: NaN is the largest, and -0.0 is 0.0.
#ifdef INFINITY_BITS
#define RISING(bits) (((bits) & ~SIGN) > INFINITY_BITS ? (ELEM)~(ELEM)0 : ((bits) & ~SIGN) == 0 ? SIGN : \
                      (bits) & SIGN ? (ELEM)~(bits) : (ELEM)((bits) | SIGN))
#else
#define RISING(bits) ((ELEM)((bits) ^ SIGN))
#endif

//@ items
// An ITEM is a key and a place.
#if KEY_BITS == 64
#define ITEM ulong2
#define MAKE(key, place) ((ulong2)((key), (place)))
#define KEY_OF(item) ((item).x)
#define PLACE_OF(item) ((item).y)
#define IS_BEFORE(a, b) ((a).x < (b).x || ((a).x == (b).x && (a).y < (b).y))
#else
#define ITEM ulong
#define MAKE(key, place) ((ulong)(key) << 32 | (place))
#define KEY_OF(item) ((ELEM)((item) >> 32))
#define PLACE_OF(item) ((uint)(item))
#define IS_BEFORE(a, b) ((a) < (b))
#endif

//@ order
// A work-item sorts whole lines in room for 2 n items: of a short line it counts for every item how many come before it; few
// of many it keeps in order while it reads the line; else it sorts by the bytes of the keys from the lowest up.
#define FEW 64
#define BYTES (KEY_BITS / 8)
#define BYTE(key, b) ((uint)((key) >> 8 * (b)) & 255)

__attribute__((reqd_work_group_size(1, 1, 1)))
__kernel void NAME(__global const ELEM *restrict in, __global long *restrict out, __global ITEM *restrict items,
                   const IDX outer, const IDX n, const IDX inner, const IDX k, const IDX per)
{
    const IDX first = (IDX)get_global_id(0) * per;
    const IDX last = MIN(first + per, outer * inner);
    __global ITEM *const room = items + (size_t)get_global_id(0) * 2 * n;
    uint counts[BYTES][256];
    for (IDX line = first; line < last; ++line) {
        __global const ELEM *p = in + line / inner * n * inner + line % inner;
        __global long *to = out + line / inner * k * inner + line % inner;
        __global ITEM *a = room, *other = room + n;
        if (n <= FEW) {
            for (IDX i = 0; i < n; ++i, p += inner) a[i] = MAKE(RISING(*p) ^ FLIP, i);
            for (IDX i = 0; i < n; ++i) {
                const ITEM item = a[i];
                IDX rank = 0;
                for (IDX j = 0; j < n; ++j) rank += IS_BEFORE(a[j], item);
                if (rank < k) to[rank * inner] = i;
            }
            continue;
        }
        if (k <= FEW) {
            IDX have = 0;
            for (IDX i = 0; i < n; ++i, p += inner) {
                const ELEM key = RISING(*p) ^ FLIP;
                if (have < k) ++have;
                else if (key >= KEY_OF(a[k - 1])) continue;
                IDX j = have - 1;
                for (; j > 0 && KEY_OF(a[j - 1]) > key; --j) a[j] = a[j - 1];
                a[j] = MAKE(key, i);
            }
        } else {
            for (int b = 0; b < BYTES; ++b)
                for (int c = 0; c < 256; ++c) counts[b][c] = 0;
            ELEM before = 0;
            int rises = 1;
            for (IDX i = 0; i < n; ++i, p += inner) {
                const ELEM key = RISING(*p) ^ FLIP;
                for (int b = 0; b < BYTES; ++b) ++counts[b][BYTE(key, b)];
                a[i] = MAKE(key, i);
                rises &= before <= key;
                before = key;
            }
            for (int b = 0; b < BYTES && !rises; ++b) {
                if (counts[b][BYTE(before, b)] == n) continue;         // all have the same byte here
                uint start = 0;
                for (int c = 0; c < 256; ++c) {
                    const uint count = counts[b][c];
                    counts[b][c] = start;
                    start += count;
                }
                for (IDX i = 0; i < n; ++i) {
                    const ITEM item = a[i];
                    other[counts[b][BYTE(KEY_OF(item), b)]++] = item;
                }
                __global ITEM *const sorted = other;
                other = a;
                a = sorted;
            }
        }
        for (IDX i = 0; i < k; ++i) to[i * inner] = PLACE_OF(a[i]);
    }
}

//@ ranks
// For GPUs: a work-item per element counts how many come before its own.
__attribute__((reqd_work_group_size(LOCAL, 1, 1)))
__kernel void NAME(__global const ELEM *restrict in, __global long *restrict out, const IDX outer, const IDX n,
                   const IDX inner, const IDX k)
{
    const size_t number = get_global_id(0), line = number / inner / n;
    if (line >= outer) return;
    const IDX place = number / inner % n, i = number % inner;
    __global const ELEM *p = in + line * n * inner + i;
    const ELEM key = RISING(p[place * inner]) ^ FLIP;
    IDX rank = 0;
    for (IDX j = 0; j < n; ++j) {
        const ELEM other = RISING(p[j * inner]) ^ FLIP;
        rank += other < key || (other == key && j < place);
    }
    if (rank < k) out[(line * k + rank) * inner + i] = place;
}

//@ blocks
// Longer lines on GPUs are sorted in blocks of BLOCK items, which are then merged. A work-item per element counts how many
// items of its block come before its own. The lines' items are [outer, inner][n].
__attribute__((reqd_work_group_size(LOCAL, 1, 1)))
__kernel void NAME(__global const ELEM *restrict in, __global ITEM *restrict items, const IDX outer, const IDX n,
                   const IDX inner)
{
    const size_t number = get_global_id(0), line = number / n;
    if (line >= (size_t)outer * inner) return;
    const IDX place = number % n, start = place / BLOCK * BLOCK, end = MIN(start + BLOCK, n);
    __global const ELEM *p = in + line / inner * n * inner + line % inner;
    const ELEM key = RISING(p[place * inner]) ^ FLIP;
    IDX rank = start;
    for (IDX j = start; j < end; ++j) {
        const ELEM other = RISING(p[j * inner]) ^ FLIP;
        rank += other < key || (other == key && j < place);
    }
    items[line * n + rank] = MAKE(key, place);
}

//@ merge
// Two neighbouring runs of BLOCK << pass sorted items become one: a work-item per item finds by halving how many items of the
// other run come before its own. Nothing is left to do when one run is the whole line.
__attribute__((reqd_work_group_size(LOCAL, 1, 1)))
__kernel void NAME(__global const ITEM *restrict from, __global ITEM *restrict to, const IDX outer, const IDX n, const IDX inner,
                   const IDX pass)
{
    if ((ulong)BLOCK << pass >= (ulong)n) return;
    const size_t number = get_global_id(0), line = number / n;
    if (line >= (size_t)outer * inner) return;
    const IDX run = (IDX)BLOCK << pass, place = number % n, own = place / run * run;
    const IDX other = own / run % 2 ? own - run : own < n - run ? own + run : n;
    IDX low = other, high = n - run < other ? n : other + run;
    from += line * n;
    const ITEM item = from[place];
    while (low < high) {
        const IDX middle = low + (high - low) / 2;
        if (IS_BEFORE(from[middle], item)) low = middle + 1;
        else high = middle;
    }
    to[line * n + place + low - (own < other ? other : own)] = item;
}

//@ places
// Where the first k items were, from the room that the last merge wrote to.
__attribute__((reqd_work_group_size(LOCAL, 1, 1)))
__kernel void NAME(__global const ITEM *restrict even, __global const ITEM *restrict odd, __global long *restrict out,
                   const IDX outer, const IDX n, const IDX inner, const IDX k)
{
    const size_t number = get_global_id(0), o = number / inner / k;
    if (o >= outer) return;
    const IDX place = number / inner % k, i = number % inner;
    int passes = 0;
    while ((ulong)BLOCK << passes < (ulong)n) ++passes;
    out[number] = PLACE_OF((passes % 2 ? odd : even)[(o * inner + i) * n + place]);
}
