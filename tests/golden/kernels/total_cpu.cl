__attribute__((reqd_work_group_size(1, 1, 1)))
__kernel void k_mean_partial(__global const float *restrict x, __global float *restrict mean_sum_parts, const IDX n0,
                             const IDX per)
{
    const IDX first = (IDX)get_global_id(0) * per;
    const IDX last = MIN(first + per, n0);
    float mean_sum = 0.0f;
    {
        float16 mean_sum_total = (float16)(0.0f);
        for (IDX block = first; block < last; block += 16384) {
            const IDX stop = MIN(block + 16384, last);
            float16 mean_sum_part[4] = {(float16)(0.0f), (float16)(0.0f), (float16)(0.0f), (float16)(0.0f)};
            IDX j = block;
            for (; j + 64 <= stop; j += 64) {
                #pragma unroll
                for (int u = 0; u < 4; ++u) {
                    const float16 x_v = load(x + j + 16 * u);
                    // model.py:1  y = x.mean()
                    mean_sum_part[u] = mean_sum_part[u] + x_v;
                }
            }
            for (; j + 16 <= stop; j += 16) {
                const float16 x_v = load(x + j);
                mean_sum_part[0] = mean_sum_part[0] + x_v;
            }
            for (; j < stop; ++j) {
                const float x_v = x[j];
                mean_sum = mean_sum + x_v;
            }
            mean_sum_total = mean_sum_total + ((mean_sum_part[0] + mean_sum_part[1]) + (mean_sum_part[2] + mean_sum_part[3]));
        }
        mean_sum = mean_sum + sum_lanes(mean_sum_total);
    }
    mean_sum_parts[get_global_id(0)] = mean_sum;
}

__attribute__((reqd_work_group_size(1, 1, 1)))
__kernel void k_mean(__global float *restrict mean_out, __global const float *restrict mean_sum_parts,
                     const float count_float32, const IDX n0, const IDX per)
{
    (void)per;
    float mean_sum = 0.0f;
    {
        float16 mean_sum_v = (float16)(0.0f);
        IDX j = 0;
        for (; j + 16 <= n0; j += 16) {
            // model.py:1  y = x.mean()
            mean_sum_v = mean_sum_v + load(mean_sum_parts + j);
        }
        for (; j < n0; ++j) {
            mean_sum = mean_sum + mean_sum_parts[j];
        }
        mean_sum = mean_sum + sum_lanes(mean_sum_v);
    }
    const float mean = mean_sum / count_float32;
    mean_out[0] = mean;
}
