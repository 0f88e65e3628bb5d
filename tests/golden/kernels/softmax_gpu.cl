__attribute__((reqd_work_group_size(64, 1, 1)))
__kernel void k_softmax(__global const float *restrict x, __global float *restrict softmax_out, const IDX n0,
                        const IDX n1)
{
    __local float amax_local[64];
    __local float sum_local[64];
    const IDX i = get_group_id(0);
    const IDX item = get_local_id(0);
    float amax = -INFINITY;
    for (IDX j = item; j < n1; j += 64) {
        const float x_v = x[i * n1 + j];
        // model.py:1  y = torch.softmax(x, -1)
        amax = greatest_(amax, x_v);
    }
    amax_local[item] = amax;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int half_ = 32; half_ > 0; half_ >>= 1) {
        if (item < half_) {
            amax_local[item] = greatest_(amax_local[item], amax_local[item + half_]);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    amax = amax_local[0];
    barrier(CLK_LOCAL_MEM_FENCE);
    float sum = 0.0f;
    for (IDX j = item; j < n1; j += 64) {
        const float x_v = x[i * n1 + j];
        const float sub = x_v - amax;
        const float exp_v = exp_below(sub);
        softmax_out[i * n1 + j] = exp_v;
        sum = sum + exp_v;
    }
    sum_local[item] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int half_ = 32; half_ > 0; half_ >>= 1) {
        if (item < half_) {
            sum_local[item] = sum_local[item] + sum_local[item + half_];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    sum = sum_local[0];
    barrier(CLK_LOCAL_MEM_FENCE);
    const float sum_inverse = 1.0f / sum;
    for (IDX j = item; j < n1; j += 64) {
        const float exp_v = softmax_out[i * n1 + j];
        const float softmax = exp_v * sum_inverse;
        softmax_out[i * n1 + j] = softmax;
    }
}
