// PolyBench's dense kernels, in their plain form: one thread an element, everything through global memory.
extern "C" __global__ void vector_add(const float* a, const float* b, float* c, int n) {
    const int i = blockDim.x * blockIdx.x + threadIdx.x;
    if (i < n) {
        c[i] = a[i] + b[i];
    }
}

extern "C" __global__ void gemm(int ni, int nj, int nk, float alpha, float beta, float* a, float* b, float* c) {
    const int j = blockIdx.x * blockDim.x + threadIdx.x;
    const int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < ni && j < nj) {
        c[i * nj + j] *= beta;
        for (int k = 0; k < nk; k++) {
            c[i * nj + j] += alpha * a[i * nk + k] * b[k * nj + j];
        }
    }
}

// tmp = A x (a thread a row); y = A^T tmp (a thread a column).
extern "C" __global__ void atax_row(int nx, int ny, float* a, float* x, float* tmp) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < nx) {
        tmp[i] = 0;
        for (int j = 0; j < ny; j++) {
            tmp[i] += a[i * ny + j] * x[j];
        }
    }
}

extern "C" __global__ void atax_column(int nx, int ny, float* a, float* y, float* tmp) {
    const int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j < ny) {
        y[j] = 0;
        for (int i = 0; i < nx; i++) {
            y[j] += a[i * ny + j] * tmp[i];
        }
    }
}

extern "C" __global__ void gesummv(int n, float alpha, float beta, float* a, float* b, float* tmp, float* x, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        tmp[i] = 0;
        y[i] = 0;
        for (int j = 0; j < n; j++) {
            tmp[i] += a[i * n + j] * x[j];
            y[i] += b[i * n + j] * x[j];
        }
        y[i] = alpha * tmp[i] + beta * y[i];
    }
}

extern "C" __global__ void syrk(int ni, int nj, float alpha, float beta, float* a, float* c) {
    const int j = blockIdx.x * blockDim.x + threadIdx.x;
    const int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < ni && j < ni) {
        c[i * ni + j] *= beta;
        for (int k = 0; k < nj; k++) {
            c[i * ni + j] += alpha * a[i * nj + k] * a[j * nj + k];
        }
    }
}

extern "C" __global__ void convolution_2d(int ni, int nj, const float* a, float* b) {
    const int j = blockIdx.x * blockDim.x + threadIdx.x;
    const int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < ni - 1 && j < nj - 1 && i > 0 && j > 0) {
        b[i * nj + j] = 0.2f * a[(i - 1) * nj + (j - 1)] + 0.5f * a[(i - 1) * nj + j] - 0.8f * a[(i - 1) * nj + (j + 1)] -
                        0.3f * a[i * nj + (j - 1)] + 0.6f * a[i * nj + j] - 0.9f * a[i * nj + (j + 1)] +
                        0.4f * a[(i + 1) * nj + (j - 1)] + 0.7f * a[(i + 1) * nj + j] + 0.1f * a[(i + 1) * nj + (j + 1)];
    }
}

// Tiles in shared memory.
extern "C" __global__ void gemm_tiled(int n, const float* a, const float* b, float* c) {
    __shared__ float tile_a[16][16];
    __shared__ float tile_b[16][17];
    const int row = blockIdx.y * 16 + threadIdx.y;
    const int column = blockIdx.x * 16 + threadIdx.x;
    float sum = 0;
    for (int t = 0; t < n; t += 16) {
        tile_a[threadIdx.y][threadIdx.x] = a[row * n + t + threadIdx.x];
        tile_b[threadIdx.y][threadIdx.x] = b[(t + threadIdx.y) * n + column];
        __syncthreads();
        for (int k = 0; k < 16; ++k) {
            sum += tile_a[threadIdx.y][k] * tile_b[k][threadIdx.x];
        }
        __syncthreads();
    }
    c[row * n + column] = sum;
}

// In double precision: Gauss-Seidel-like division and square root on the way.
extern "C" __global__ void normalise(int n, int m, const double* a, double* out) {
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < n) {
        double squares = 0;
        for (int k = 0; k < m; ++k) {
            squares += a[row * m + k] * a[row * m + k];
        }
        const double length = sqrt(squares);
        for (int k = 0; k < m; ++k) {
            out[row * m + k] = a[row * m + k] / length;
        }
    }
}
