__attribute__((reqd_work_group_size(64, 1, 1)))
__kernel void k_tanh_v(__global const float *restrict x, __global float *restrict tanh_out, const IDX n0,
                       const IDX n1, const IDX n2, const IDX x_s1, const IDX x_s0)
{
    const IDX i = get_global_id(0);
    if (i < n0 * n1 * n2) {
        const IDX i0 = i / (n1 * n2);
        const IDX i1 = i / (n2) % n1;
        const IDX i2 = i % n2;
        const float x_v = x[i0 * x_s0 + i1 * x_s1 + i2];
        // model.py:1  y = torch.tanh(x.view(300, 4, 100).transpose(0, 1).reshape(4, -1))
        const float tanh_v = tanh_(x_v);
        tanh_out[i0 * (n1 * n2) + i1 * n2 + i2] = tanh_v;
    }
}
