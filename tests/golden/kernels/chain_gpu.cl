__attribute__((reqd_work_group_size(64, 1, 1)))
__kernel void k_sub(__global const float *restrict x, __global const float *restrict w,
                    __global const float *restrict b, __global float *restrict sub_out, const IDX n0, const IDX n1)
{
    const IDX i = get_global_id(0);
    if (i < n0 * n1) {
        const IDX i0 = i / (n1);
        const IDX i1 = i % n1;
        const float x_v = x[i0 * n1 + i1];
        const float w_v = w[i1];
        // model.py:1  y = torch.relu(x * w + b) * 0.5 - x
        const float mul = x_v * w_v;
        const float b_v = b[i1];
        const float add = mul + b_v;
        const float relu = (add < 0.0f) ? 0.0f : add;
        const float mul_1 = relu * 0.5f;
        const float sub = mul_1 - x_v;
        sub_out[i0 * n1 + i1] = sub;
    }
}
