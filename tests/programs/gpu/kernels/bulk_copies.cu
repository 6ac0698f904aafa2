// Bulk copies between global and shared memory (compute capability 9.0), and the barrier that counts their bytes.
__device__ unsigned shared_address(const void* p) { return static_cast<unsigned>(__cvta_generic_to_shared(p)); }

// A CTA's part of the array into shared memory, doubled, and back; in as many rounds as it takes.
extern "C" __global__ void doubled(const float* in, float* out, int parts) {
    __shared__ alignas(128) float tile[512];
    __shared__ unsigned long long here;
    const unsigned barrier = shared_address(&here);
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(1) : "memory");
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    }
    __syncthreads();
    unsigned parity = 0;
    for (int part = blockIdx.x; part < parts; part += gridDim.x) {
        if (threadIdx.x == 0) {
            asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier),
                         "r"(static_cast<unsigned>(sizeof tile))
                         : "memory");
            asm volatile(
                "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                    shared_address(tile)),
                "l"(in + part * 512), "r"(static_cast<unsigned>(sizeof tile)), "r"(barrier)
                : "memory");
        }
        unsigned done = 0;
        while (done == 0) {
            asm volatile(
                "{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                : "=r"(done)
                : "r"(barrier), "r"(parity)
                : "memory");
        }
        parity ^= 1;
        for (unsigned i = threadIdx.x; i < 512; i += blockDim.x) {
            tile[i] *= 2;
        }
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        __syncthreads();
        if (threadIdx.x == 0) {
            asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(out + part * 512),
                         "r"(shared_address(tile)), "r"(static_cast<unsigned>(sizeof tile))
                         : "memory");
            asm volatile("cp.async.bulk.commit_group;" ::: "memory");
            asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
        }
        __syncthreads();
    }
}
