__attribute__((reqd_work_group_size(1, 1, 1)))
__kernel void k_sub(__global const float *restrict x, __global const float *restrict w,
                    __global const float *restrict b, __global float *restrict sub_out, const IDX n0, const IDX n1,
                    const IDX per)
{
    const IDX first = (IDX)get_global_id(0) * per;
    const IDX last = MIN(first + per, n0);
    const int sub_out_far = FAR(sub_out, (size_t)n0 * n1) && n1 % 16 == 0;
    for (IDX i = first; i < last; ++i) {
        {
            IDX j = 0;
            for (; j + 16 <= n1; j += 16) {
                const float16 x_v = load(x + i * n1 + j);
                const float16 w_v = load(w + j);
                // model.py:1  y = torch.relu(x * w + b) * 0.5 - x
                const float16 mul = x_v * w_v;
                const float16 b_v = load(b + j);
                const float16 add = mul + b_v;
                const float16 relu = (add < 0.0f) ? (float16)(0.0f) : add;
                const float16 mul_1 = relu * 0.5f;
                const float16 sub = mul_1 - x_v;
                stream(sub_out + i * n1 + j, sub, sub_out_far);
            }
            for (; j < n1; ++j) {
                const float x_v = x[i * n1 + j];
                const float w_v = w[j];
                const float mul = x_v * w_v;
                const float b_v = b[j];
                const float add = mul + b_v;
                const float relu = (add < 0.0f) ? 0.0f : add;
                const float mul_1 = relu * 0.5f;
                const float sub = mul_1 - x_v;
                sub_out[i * n1 + j] = sub;
            }
        }
    }
}
