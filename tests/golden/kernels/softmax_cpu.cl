__attribute__((reqd_work_group_size(1, 1, 1)))
__kernel void k_softmax(__global const float *restrict x, __global float *restrict softmax_out, const IDX n0,
                        const IDX n1, const IDX per)
{
    const IDX first = (IDX)get_global_id(0) * per;
    const IDX last = MIN(first + per, n0);
    for (IDX i = first; i < last; ++i) {
        float amax = -INFINITY;
        {
            float16 amax_v = (float16)(-INFINITY);
            float16 amax_part[4] = {(float16)(-INFINITY), (float16)(-INFINITY), (float16)(-INFINITY), (float16)(-INFINITY)};
            IDX j = 0;
            for (; j + 64 <= n1; j += 64) {
                #pragma unroll
                for (int u = 0; u < 4; ++u) {
                    const float16 x_v = load(x + i * n1 + j + 16 * u);
                    // model.py:1  y = torch.softmax(x, -1)
                    amax_part[u] = greatest_(amax_part[u], x_v);
                }
            }
            for (; j + 16 <= n1; j += 16) {
                const float16 x_v = load(x + i * n1 + j);
                amax_part[0] = greatest_(amax_part[0], x_v);
            }
            for (; j < n1; ++j) {
                const float x_v = x[i * n1 + j];
                amax = greatest_(amax, x_v);
            }
            amax_v = greatest_(amax_v, (greatest_((greatest_(amax_part[0], amax_part[1])), (greatest_(amax_part[2], amax_part[3])))));
            amax = greatest_(amax, greatest_lanes(amax_v));
        }
        float sum = 0.0f;
        {
            float16 sum_v = (float16)(0.0f);
            IDX j = 0;
            for (; j + 16 <= n1; j += 16) {
                const float16 x_v = load(x + i * n1 + j);
                const float16 sub = x_v - amax;
                const float16 exp_v = exp_below(sub);
                store(softmax_out + i * n1 + j, exp_v);
                sum_v = sum_v + exp_v;
            }
            for (; j < n1; ++j) {
                const float x_v = x[i * n1 + j];
                const float sub = x_v - amax;
                const float exp_v = exp_below(sub);
                softmax_out[i * n1 + j] = exp_v;
                sum = sum + exp_v;
            }
            sum = sum + sum_lanes(sum_v);
        }
        const float sum_inverse = 1.0f / sum;
        {
            IDX j = 0;
            for (; j + 16 <= n1; j += 16) {
                const float16 exp_v = load(softmax_out + i * n1 + j);
                const float16 softmax = exp_v * sum_inverse;
                store(softmax_out + i * n1 + j, softmax);
            }
            for (; j < n1; ++j) {
                const float exp_v = softmax_out[i * n1 + j];
                const float softmax = exp_v * sum_inverse;
                softmax_out[i * n1 + j] = softmax;
            }
        }
    }
}
