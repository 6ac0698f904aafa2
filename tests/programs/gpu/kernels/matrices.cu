// Products of whole matrices by the warp: each kernel multiplies one tile, as CUDA's wmma and as the mma and ldmatrix
// instructions below it do.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>

using namespace nvcuda;

template <typename Factor, typename Sum, int M, int N, int K, typename Left, typename Right, typename Element>
__device__ void multiply(const Element* a, const Element* b, Sum* c, int lda, int ldb, int ldc) {
    wmma::fragment<wmma::matrix_a, M, N, K, Factor, Left> left;
    wmma::fragment<wmma::matrix_b, M, N, K, Factor, Right> right;
    wmma::fragment<wmma::accumulator, M, N, K, Sum> sum;
    wmma::load_matrix_sync(left, a, lda);
    wmma::load_matrix_sync(right, b, ldb);
    wmma::load_matrix_sync(sum, c, ldc, wmma::mem_row_major);
    wmma::mma_sync(sum, left, right, sum);
    wmma::store_matrix_sync(c, sum, ldc, wmma::mem_row_major);
}

extern "C" __global__ void halves(const half* a, const half* b, float* c) {
    multiply<half, float, 16, 16, 16, wmma::row_major, wmma::col_major>(a, b, c, 16, 16, 16);
}

extern "C" __global__ void halves_summed_in_halves(const half* a, const half* b, half* c) {
    multiply<half, half, 32, 8, 16, wmma::col_major, wmma::row_major>(a, b, c, 32, 8, 8);
}

extern "C" __global__ void bfloats(const __nv_bfloat16* a, const __nv_bfloat16* b, float* c) {
    multiply<__nv_bfloat16, float, 8, 32, 16, wmma::row_major, wmma::row_major>(a, b, c, 16, 32, 32);
}

extern "C" __global__ void bytes(const signed char* a, const signed char* b, int* c) {
    multiply<signed char, int, 16, 16, 16, wmma::row_major, wmma::col_major>(a, b, c, 16, 16, 16);
}

extern "C" __global__ void doubles(const double* a, const double* b, double* c) {
    multiply<double, double, 8, 8, 4, wmma::row_major, wmma::col_major>(a, b, c, 4, 4, 8);
}

// Numbers are made tf32 in the registers.
extern "C" __global__ void tf32(const float* a, const float* b, float* c) {
    wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::row_major> left;
    wmma::fragment<wmma::matrix_b, 16, 16, 8, wmma::precision::tf32, wmma::row_major> right;
    wmma::fragment<wmma::accumulator, 16, 16, 8, float> sum;
    wmma::load_matrix_sync(left, a, 8);
    wmma::load_matrix_sync(right, b, 16);
    for (int i = 0; i < left.num_elements; ++i) {
        left.x[i] = wmma::__float_to_tf32(left.x[i]);
    }
    for (int i = 0; i < right.num_elements; ++i) {
        right.x[i] = wmma::__float_to_tf32(right.x[i]);
    }
    wmma::fill_fragment(sum, 1.0f);
    wmma::mma_sync(sum, left, right, sum);
    wmma::store_matrix_sync(c, sum, 16, wmma::mem_col_major);
}

// A tile of 64 × 64 by four warps, 32 × 32 each, through shared memory: n is a multiple of 64.
extern "C" __global__ void gemm_halves(int n, const half* a, const half* b, float* c) {
    __shared__ half tile_a[64][24];
    __shared__ half tile_b[16][72];
    const int warp = threadIdx.x / 32;
    const int row = blockIdx.y * 64;
    const int column = blockIdx.x * 64;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum[2][2];
    for (int i = 0; i < 2; ++i) {
        for (int j = 0; j < 2; ++j) {
            wmma::fill_fragment(sum[i][j], 0.0f);
        }
    }
    for (int k = 0; k < n; k += 16) {
        for (int i = threadIdx.x; i < 64 * 16; i += 128) {
            tile_a[i / 16][i % 16] = a[(row + i / 16) * n + k + i % 16];
            tile_b[i / 64][i % 64] = b[(k + i / 64) * n + column + i % 64];
        }
        __syncthreads();
        for (int i = 0; i < 2; ++i) {
            wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> left;
            wmma::load_matrix_sync(left, &tile_a[warp / 2 * 32 + i * 16][0], 24);
            for (int j = 0; j < 2; ++j) {
                wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> right;
                wmma::load_matrix_sync(right, &tile_b[0][warp % 2 * 32 + j * 16], 72);
                wmma::mma_sync(sum[i][j], left, right, sum[i][j]);
            }
        }
        __syncthreads();
    }
    for (int i = 0; i < 2; ++i) {
        for (int j = 0; j < 2; ++j) {
            wmma::store_matrix_sync(&c[(row + warp / 2 * 32 + i * 16) * n + column + warp % 2 * 32 + j * 16], sum[i][j],
                                    n, wmma::mem_row_major);
        }
    }
}
