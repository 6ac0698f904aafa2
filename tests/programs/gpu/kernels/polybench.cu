// More of PolyBench's dense kernels, in their plain form: chains of matrix products, products with a matrix and its transpose,
// a stencil in three dimensions.
extern "C" __global__ void mm2_first(int ni, int nj, int nk, float alpha, const float* a, const float* b, float* tmp) {
    const int j = blockIdx.x * blockDim.x + threadIdx.x;
    const int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < ni && j < nj) {
        tmp[i * nj + j] = 0;
        for (int k = 0; k < nk; k++) {
            tmp[i * nj + j] += alpha * a[i * nk + k] * b[k * nj + j];
        }
    }
}

extern "C" __global__ void mm2_second(int ni, int nl, int nj, float beta, const float* tmp, const float* c, float* d) {
    const int j = blockIdx.x * blockDim.x + threadIdx.x;
    const int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < ni && j < nl) {
        d[i * nl + j] *= beta;
        for (int k = 0; k < nj; k++) {
            d[i * nl + j] += tmp[i * nj + k] * c[k * nl + j];
        }
    }
}

// 3mm launches it three times: (A B) (C D).
extern "C" __global__ void mm3_multiply(int ni, int nj, int nk, const float* a, const float* b, float* product) {
    const int j = blockIdx.x * blockDim.x + threadIdx.x;
    const int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < ni && j < nj) {
        product[i * nj + j] = 0;
        for (int k = 0; k < nk; k++) {
            product[i * nj + j] += a[i * nk + k] * b[k * nj + j];
        }
    }
}

// s = A^T r; q = A p.
extern "C" __global__ void bicg_columns(int nx, int ny, const float* a, const float* r, float* s) {
    const int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j < ny) {
        s[j] = 0;
        for (int i = 0; i < nx; i++) {
            s[j] += a[i * ny + j] * r[i];
        }
    }
}

extern "C" __global__ void bicg_rows(int nx, int ny, const float* a, const float* p, float* q) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < nx) {
        q[i] = 0;
        for (int j = 0; j < ny; j++) {
            q[i] += a[i * ny + j] * p[j];
        }
    }
}

// x1 += A y1; x2 += A^T y2.
extern "C" __global__ void mvt_rows(int n, const float* a, float* x1, const float* y1) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        for (int j = 0; j < n; j++) {
            x1[i] += a[i * n + j] * y1[j];
        }
    }
}

extern "C" __global__ void mvt_columns(int n, const float* a, float* x2, const float* y2) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        for (int j = 0; j < n; j++) {
            x2[i] += a[j * n + i] * y2[j];
        }
    }
}

// 27 points around each, their weights in constant memory; a thread walks along the first dimension.
__constant__ float weight[27];

extern "C" __global__ void convolution_3d(int ni, int nj, int nk, const float* in, float* out) {
    const int k = blockIdx.x * blockDim.x + threadIdx.x;
    const int j = blockIdx.y * blockDim.y + threadIdx.y;
    if (j < 1 || j >= nj - 1 || k < 1 || k >= nk - 1) {
        return;
    }
    for (int i = 1; i < ni - 1; i++) {
        float sum = 0;
        for (int di = -1; di <= 1; di++) {
            for (int dj = -1; dj <= 1; dj++) {
                for (int dk = -1; dk <= 1; dk++) {
                    sum += weight[(di + 1) * 9 + (dj + 1) * 3 + dk + 1] * in[((i + di) * nj + j + dj) * nk + k + dk];
                }
            }
        }
        out[(i * nj + j) * nk + k] = sum;
    }
}
