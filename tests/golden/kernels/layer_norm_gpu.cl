__attribute__((reqd_work_group_size(64, 1, 1)))
__kernel void k_layer_norm(__global const float *restrict x, __global const float *restrict w,
                           __global const float *restrict b, __global float *restrict layer_norm_out, const IDX n0,
                           const IDX n1)
{
    __local float mean_sum_local[64];
    __local float mean_1_sum_local[64];
    const IDX i = get_group_id(0);
    const IDX item = get_local_id(0);
    float mean_sum = 0.0f;
    for (IDX j = item; j < n1; j += 64) {
        const float x_v = x[i * n1 + j];
        // model.py:1  y = F.layer_norm(x, (x.shape[-1],), w, b)
        mean_sum = mean_sum + x_v;
    }
    mean_sum_local[item] = mean_sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int half_ = 32; half_ > 0; half_ >>= 1) {
        if (item < half_) {
            mean_sum_local[item] = mean_sum_local[item] + mean_sum_local[item + half_];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    mean_sum = mean_sum_local[0];
    barrier(CLK_LOCAL_MEM_FENCE);
    const float mean = mean_sum / (float)(n1);
    float mean_1_sum = 0.0f;
    for (IDX j = item; j < n1; j += 64) {
        const float x_v = x[i * n1 + j];
        const float sub = x_v - mean;
        const float mul = sub * sub;
        mean_1_sum = mean_1_sum + mul;
    }
    mean_1_sum_local[item] = mean_1_sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int half_ = 32; half_ > 0; half_ >>= 1) {
        if (item < half_) {
            mean_1_sum_local[item] = mean_1_sum_local[item] + mean_1_sum_local[item + half_];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    mean_1_sum = mean_1_sum_local[0];
    barrier(CLK_LOCAL_MEM_FENCE);
    const float mean_1 = mean_1_sum / (float)(n1);
    const float add = mean_1 + 1e-05f;
    const float rsqrt_v = rsqrt_(add);
    for (IDX j = item; j < n1; j += 64) {
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
