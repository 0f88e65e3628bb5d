__attribute__((reqd_work_group_size(1, 1, 1)))
__kernel void k_sum(__global const float *restrict x, __global const float *restrict w,
                    __global float *restrict sum_out, const IDX n0, const IDX n1, const IDX per)
{
    const IDX blocks = (n0 + 15) / 16;
    const IDX first = (IDX)get_global_id(0) * per;
    const IDX last = MIN(first + per, blocks);
    for (IDX unit = first; unit < last; ++unit) {
        const IDX column = unit * 16;
        if (column + 16 <= n0) {
            const IDX i = column;
            const float16 w_v = load(w + i);
            float16 sum = (float16)(0.0f);
            for (IDX j = 0; j < n1; ++j) {
                const float16 x_v = load(x + i + j * n0);
                // model.py:1  y = (x * w).sum(0)
                const float16 mul = x_v * w_v;
                sum = sum + mul;
            }
            store(sum_out + i, sum);
        } else {
            for (IDX i = column; i < MIN(column + 16, n0); ++i) {
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
}
