__attribute__((reqd_work_group_size(1, 1, 1)))
__kernel void k_sum(__global const float *restrict x, __global const float *restrict w,
                    __global float *restrict sum_out, const IDX n0, const IDX n1, const IDX per)
{
    const IDX blocks = (n0 + 63) / 64;
    const IDX first = (IDX)get_global_id(0) * per;
    const IDX last = MIN(first + per, blocks);
    for (IDX unit = first; unit < last; ++unit) {
        const IDX column = unit * 64;
        const IDX end = MIN(column + 64, n0);
        IDX i = column;
        if (i + 64 <= end) {
            float16 sum[4] = {(float16)(0.0f), (float16)(0.0f), (float16)(0.0f), (float16)(0.0f)};
            for (IDX j = 0; j < n1; ++j) {
                #pragma unroll
                for (int u = 0; u < 4; ++u) {
                    const IDX i = column + 16 * u;
                    const float16 w_v = load(w + i);
                    const float16 x_v = load(x + i + j * n0);
                    // model.py:1  y = (x * w).sum(0)
                    const float16 mul = x_v * w_v;
                    sum[u] = sum[u] + mul;
                }
            }
            #pragma unroll
            for (int u = 0; u < 4; ++u) {
                const IDX i = column + 16 * u;
                const float16 w_v = load(w + i);
                store(sum_out + i, sum[u]);
            }
            i = end;
        }
        for (; i + 16 <= end; i += 16) {
            const float16 w_v = load(w + i);
            float16 sum = (float16)(0.0f);
            for (IDX j = 0; j < n1; ++j) {
                const float16 x_v = load(x + i + j * n0);
                // model.py:1  y = (x * w).sum(0)
                const float16 mul = x_v * w_v;
                sum = sum + mul;
            }
            store(sum_out + i, sum);
        }
        for (; i < end; ++i) {
            const float w_v = w[i];
            float sum = 0.0f;
            for (IDX j = 0; j < n1; ++j) {
                const float x_v = x[i + j * n0];
                // model.py:1  y = (x * w).sum(0)
                const float mul = x_v * w_v;
                sum = sum + mul;
            }
            sum_out[i] = sum;
        }
    }
}
