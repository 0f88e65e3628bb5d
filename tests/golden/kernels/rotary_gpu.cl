__attribute__((reqd_work_group_size(64, 1, 1)))
__kernel void k_add(__global const float *restrict x, __global const float *restrict b,
                    __global const float *restrict w, __global float *restrict add_out, const IDX n0, const IDX n1,
                    const IDX x_from, const IDX edge0, const IDX x_from_2)
{
    const IDX i = get_global_id(0);
    if (i < n0 * n1) {
        const IDX i0 = i / (n1);
        const IDX i1 = i % n1;
        const float x_v = x[i0 * n1 + i1];
        const float b_v = b[i1];
        // model.py:1  y = x * b + torch.cat((-x[:, 200:], x[:, :200]), -1) * w
        const float mul = x_v * b_v;
        const float x_v_2 = i1 < edge0 ? x[i0 * n1 + i1 + x_from] : 0;
        const float neg = -x_v_2;
        const float x_v_3 = i1 >= edge0 ? x[i0 * n1 + i1 - x_from_2] : 0;
        const float cat = (i1 < edge0) ? neg : x_v_3;
        const float w_v = w[i1];
        const float mul_1 = cat * w_v;
        const float add = mul + mul_1;
        add_out[i0 * n1 + i1] = add;
    }
}
