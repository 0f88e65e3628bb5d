__attribute__((reqd_work_group_size(64, 1, 1)))
__kernel void k_mean(__global const float *restrict x, __global float *restrict mean_out, const IDX n0)
{
    __local float mean_sum_local[64];
    const IDX i = get_group_id(0);
    const IDX item = get_local_id(0);
    float mean_sum = 0.0f;
    for (IDX j = item; j < n0; j += 64) {
        const float x_v = x[j];
        // model.py:1  y = x.mean()
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
    const float mean = mean_sum / (float)(n0);
    if (item == 0) {
        mean_out[0] = mean;
    }
}
