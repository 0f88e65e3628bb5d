__attribute__((reqd_work_group_size(1, 1, 1)))
__kernel void k_layer_norm(__global const float *restrict x, __global const float *restrict w,
                           __global const float *restrict b, __global float *restrict layer_norm_out, const IDX n0,
                           const IDX n1, const IDX per)
{
    const IDX first = (IDX)get_global_id(0) * per;
    const IDX last = MIN(first + per, n0);
    const int layer_norm_out_far = FAR(layer_norm_out, (size_t)n0 * n1) && n1 % 16 == 0;
    for (IDX i = first; i < last; ++i) {
        float mean_sum = 0.0f;
        {
            float16 mean_sum_v = (float16)(0.0f);
            float16 mean_sum_part[4] = {(float16)(0.0f), (float16)(0.0f), (float16)(0.0f), (float16)(0.0f)};
            IDX j = 0;
            for (; j + 64 <= n1; j += 64) {
                #pragma unroll
                for (int u = 0; u < 4; ++u) {
                    const float16 x_v = load(x + i * n1 + j + 16 * u);
                    // model.py:1  y = F.layer_norm(x, (x.shape[-1],), w, b)
                    mean_sum_part[u] = mean_sum_part[u] + x_v;
                }
            }
            for (; j + 16 <= n1; j += 16) {
                const float16 x_v = load(x + i * n1 + j);
                mean_sum_part[0] = mean_sum_part[0] + x_v;
            }
            for (; j < n1; ++j) {
                const float x_v = x[i * n1 + j];
                mean_sum = mean_sum + x_v;
            }
            mean_sum_v = mean_sum_v + ((mean_sum_part[0] + mean_sum_part[1]) + (mean_sum_part[2] + mean_sum_part[3]));
            mean_sum = mean_sum + sum_lanes(mean_sum_v);
        }
        const float mean = mean_sum / (float)(n1);
        float mean_1_sum = 0.0f;
        {
            float16 mean_1_sum_v = (float16)(0.0f);
            float16 mean_1_sum_part[4] = {(float16)(0.0f), (float16)(0.0f), (float16)(0.0f), (float16)(0.0f)};
            IDX j = 0;
            for (; j + 64 <= n1; j += 64) {
                #pragma unroll
                for (int u = 0; u < 4; ++u) {
                    const float16 x_v = load(x + i * n1 + j + 16 * u);
                    const float16 sub = x_v - mean;
                    const float16 mul = sub * sub;
                    mean_1_sum_part[u] = mean_1_sum_part[u] + mul;
                }
            }
            for (; j + 16 <= n1; j += 16) {
                const float16 x_v = load(x + i * n1 + j);
                const float16 sub = x_v - mean;
                const float16 mul = sub * sub;
                mean_1_sum_part[0] = mean_1_sum_part[0] + mul;
            }
            for (; j < n1; ++j) {
                const float x_v = x[i * n1 + j];
                const float sub = x_v - mean;
                const float mul = sub * sub;
                mean_1_sum = mean_1_sum + mul;
            }
            mean_1_sum_v = mean_1_sum_v + ((mean_1_sum_part[0] + mean_1_sum_part[1]) + (mean_1_sum_part[2] + mean_1_sum_part[3]));
            mean_1_sum = mean_1_sum + sum_lanes(mean_1_sum_v);
        }
        const float mean_1 = mean_1_sum / (float)(n1);
        const float add = mean_1 + 1e-05f;
        const float rsqrt_v = rsqrt_(add);
        {
            IDX j = 0;
            for (; j + 16 <= n1; j += 16) {
                const float16 x_v = load(x + i * n1 + j);
                const float16 sub = x_v - mean;
                const float16 mul_1 = sub * rsqrt_v;
                const float16 w_v = load(w + j);
                const float16 mul_2 = mul_1 * w_v;
                const float16 b_v = load(b + j);
                const float16 layer_norm = mul_2 + b_v;
                stream(layer_norm_out + i * n1 + j, layer_norm, layer_norm_out_far);
            }
            for (; j < n1; ++j) {
                const float x_v = x[i * n1 + j];
                const float sub = x_v - mean;
                const float mul_1 = sub * rsqrt_v;
                const float w_v = w[j];
                const float mul_2 = mul_1 * w_v;
                const float b_v = b[j];
                const float layer_norm = mul_2 + b_v;
                layer_norm_out[i * n1 + j] = layer_norm;
            }
        }
    }
}
