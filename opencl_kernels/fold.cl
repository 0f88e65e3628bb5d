// Windows put back where they came from, and summed: out[c, z, y, x] = sum over kz, ky, kx, iz, iy, ix with iz*SZ + kz*DZ ==
// z + LOW_Z, and so for y and x, of in[c, kz, ky, kx, iz, iy, ix], for contiguous arrays. The extents KZ, KY, KX of a window,
// strides, dilations and borders (LOW) are definitions, as are ELEM and the others of matmul.cl. Fewer dimensions are three
// with a depth and a height of 1.

//@ fold
// A work-item makes whole rows: it adds to a row, one after the other, those of the windows' elements that lie in it.
__attribute__((reqd_work_group_size(1, 1, 1)))
__kernel void NAME(__global const ELEM *restrict in, __global ELEM *restrict out, const IDX channels, const IDX out_z,
                   const IDX out_y, const IDX out_x, const IDX in_z, const IDX in_y, const IDX in_x, const IDX per)
{
    const IDX first = (IDX)get_global_id(0) * per;
    const IDX last = MIN(first + per, channels * out_z * out_y);
    for (IDX row = first; row < last; ++row) {
        const IDX c = row / out_y / out_z;
        __global ELEM *to = out + row * out_x;
        for (IDX x = 0; x < out_x; ++x) to[x] = 0;
        for (int kz = 0; kz < KZ; ++kz) {
            const IDX z = row / out_y % out_z + LOW_Z - kz * DZ;
            if (z < 0 || z % SZ || z / SZ >= in_z) continue;
            for (int ky = 0; ky < KY; ++ky) {
                const IDX y = row % out_y + LOW_Y - ky * DY;
                if (y < 0 || y % SY || y / SY >= in_y) continue;
                for (int kx = 0; kx < KX; ++kx) {
                    __global const ELEM *p = in + ((((c * KZ + kz) * KY + ky) * KX + kx) * in_z + z / SZ) * in_y * in_x
                                             + y / SY * in_x;
                    const IDX low = kx * DX - LOW_X;                            // where the first of them belongs
                    const IDX begin = low < 0 ? (SX - 1 - low) / SX : 0;
                    const IDX end = out_x - low <= 0 ? 0 : MIN((out_x - low + SX - 1) / SX, in_x);
                    IDX i = begin;
#if SX == 1
                    for (; i + 16 <= end; i += 16) store(to + low + i, load(to + low + i) + load(p + i));
#endif
                    for (; i < end; ++i) to[low + i * SX] += p[i];
                }
            }
        }
    }
}
