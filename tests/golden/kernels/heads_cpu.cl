__attribute__((reqd_work_group_size(1, 1, 1)))
__kernel void k_tanh_v(__global const float *restrict x, __global float *restrict tanh_out, const IDX n0,
                       const IDX n1, const IDX n2, const IDX x_s1, const IDX x_s0, const IDX per)
{
    const IDX first = (IDX)get_global_id(0) * per;
    const IDX last = MIN(first + per, n0 * n1);
    const int tanh_out_far = FAR(tanh_out, (size_t)n0 * n1 * n2) && n2 % 16 == 0;
    for (IDX r = first; r < last; ++r) {
        const IDX i0 = r / n1;
        const IDX i1 = r % n1;
        {
            IDX j = 0;
            for (; j + 16 <= n2; j += 16) {
                const float16 x_v = load(x + i0 * x_s0 + i1 * x_s1 + j);
                // model.py:1  y = torch.tanh(x.view(300, 4, 100).transpose(0, 1).reshape(4, -1))
                const float16 tanh_v = tanh_(x_v);
                stream(tanh_out + i0 * (n1 * n2) + i1 * n2 + j, tanh_v, tanh_out_far);
            }
            for (; j < n2; ++j) {
                const float x_v = x[i0 * x_s0 + i1 * x_s1 + j];
                const float tanh_v = tanh_(x_v);
                tanh_out[i0 * (n1 * n2) + i1 * n2 + j] = tanh_v;
            }
        }
    }
}
