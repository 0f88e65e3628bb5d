__attribute__((reqd_work_group_size(64, 1, 1)))
__kernel void k_sum(__global const float *restrict x, __global const float *restrict w,
                    __global float *restrict sum_out, const IDX n0, const IDX n1)
{
    const IDX i = get_global_id(0);
    if (i < n0) {
        const float w_v = w[i];
        float sum = 0.0f;
        for (IDX j0 = 0; j0 < n1; ++j0) {
            const float x_v = x[i + j0 * n0];
            // model.py:1  y = (x * w).sum(0)
            const float mul = x_v * w_v;
            sum = sum + mul;
        }
        sum_out[i] = sum;
    }
}
