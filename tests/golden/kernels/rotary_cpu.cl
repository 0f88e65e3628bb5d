__attribute__((reqd_work_group_size(1, 1, 1)))
__kernel void k_add(__global const float *restrict x, __global const float *restrict b,
                    __global const float *restrict w, __global float *restrict add_out, const IDX n0, const IDX n1,
                    const IDX x_from, const IDX edge0, const IDX x_from_2, const IDX per)
{
    const IDX first = (IDX)get_global_id(0) * per;
    const IDX last = MIN(first + per, n0);
    for (IDX i = first; i < last; ++i) {
        {
            IDX j = 0;
            const IDX stop0 = MIN(n1, edge0);
            for (; j + 16 <= stop0; j += 16) {
                const float16 x_v = load(x + i * n1 + j);
                const float16 b_v = load(b + j);
                // model.py:1  y = x * b + torch.cat((-x[:, 200:], x[:, :200]), -1) * w
                const float16 mul = x_v * b_v;
                const float16 x_v_2 = load(x + i * n1 + j + x_from);
                const float16 neg = -x_v_2;
                const float16 cat = neg;
                const float16 w_v = load(w + j);
                const float16 mul_1 = cat * w_v;
                const float16 add = mul + mul_1;
                store(add_out + i * n1 + j, add);
            }
            for (; j < stop0; ++j) {
                const float x_v = x[i * n1 + j];
                const float b_v = b[j];
                const float mul = x_v * b_v;
                const float x_v_2 = x[i * n1 + j + x_from];
                const float neg = -x_v_2;
                const float cat = neg;
                const float w_v = w[j];
                const float mul_1 = cat * w_v;
                const float add = mul + mul_1;
                add_out[i * n1 + j] = add;
            }
            for (; j + 16 <= n1; j += 16) {
                const float16 x_v = load(x + i * n1 + j);
                const float16 b_v = load(b + j);
                const float16 mul = x_v * b_v;
                const float16 x_v_3 = load(x + i * n1 + j - x_from_2);
                const float16 cat = x_v_3;
                const float16 w_v = load(w + j);
                const float16 mul_1 = cat * w_v;
                const float16 add = mul + mul_1;
                store(add_out + i * n1 + j, add);
            }
            for (; j < n1; ++j) {
                const float x_v = x[i * n1 + j];
                const float b_v = b[j];
                const float mul = x_v * b_v;
                const float x_v_3 = x[i * n1 + j - x_from_2];
                const float cat = x_v_3;
                const float w_v = w[j];
                const float mul_1 = cat * w_v;
                const float add = mul + mul_1;
                add_out[i * n1 + j] = add;
            }
        }
    }
}
