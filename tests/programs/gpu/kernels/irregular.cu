// Kernels with divergence, indirection and more than one data type (Rodinia's kind).
struct Node {
    int first;
    int count;
};

extern "C" __global__ void bfs_step(const Node* nodes, const int* edges, bool* frontier, bool* updating, const bool* visited,
                                    int* cost, int n) {
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t < n && frontier[t]) {
        frontier[t] = false;
        for (int i = nodes[t].first; i < nodes[t].first + nodes[t].count; i++) {
            const int to = edges[i];
            if (!visited[to]) {
                cost[to] = cost[t] + 1;
                updating[to] = true;
            }
        }
    }
}

extern "C" __global__ void bfs_commit(bool* frontier, bool* updating, bool* visited, bool* over, int n) {
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t < n && updating[t]) {
        frontier[t] = true;
        visited[t] = true;
        *over = true;
        updating[t] = false;
    }
}

extern "C" __global__ void hotspot(const float* power, const float* in, float* out, int columns, int rows, float cap, float rx,
                                   float ry, float rz, float ambient) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= columns || y >= rows) {
        return;
    }
    const int north = y == 0 ? 0 : y - 1;
    const int south = y == rows - 1 ? rows - 1 : y + 1;
    const int west = x == 0 ? 0 : x - 1;
    const int east = x == columns - 1 ? columns - 1 : x + 1;
    const float here = in[y * columns + x];
    out[y * columns + x] = here + cap * (power[y * columns + x] +
                                         (in[south * columns + x] + in[north * columns + x] - 2.0f * here) * ry +
                                         (in[y * columns + east] + in[y * columns + west] - 2.0f * here) * rx +
                                         (ambient - here) * rz);
}

// Needleman-Wunsch, one anti-diagonal a launch.
extern "C" __global__ void nw_diagonal(int* score, const int* similarity, int n, int diagonal, int penalty) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x + 1;
    const int j = diagonal - i;
    if (i < n && j >= 1 && j < n) {
        const int match = score[(i - 1) * n + j - 1] + similarity[i * n + j];
        const int up = score[(i - 1) * n + j] - penalty;
        const int left = score[i * n + j - 1] - penalty;
        score[i * n + j] = max(match, max(up, left));
    }
}

extern "C" __global__ void lud_step(float* a, int n, int k) {
    const int i = blockIdx.y * blockDim.y + threadIdx.y + k + 1;
    const int j = blockIdx.x * blockDim.x + threadIdx.x + k + 1;
    if (i < n && j < n) {
        a[i * n + j] -= a[i * n + k] / a[k * n + k] * a[k * n + j];
    }
}

extern "C" __global__ void kmeans_assign(const float* points, const float* centres, int* member, int n, int k, int features) {
    const int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= n) {
        return;
    }
    int best = -1;
    float least = 3.4e38f;
    for (int c = 0; c < k; c++) {
        float distance = 0;
        for (int f = 0; f < features; f++) {
            const float d = points[f * n + p] - centres[c * features + f];
            distance += d * d;
        }
        if (distance < least) {
            least = distance;
            best = c;
        }
    }
    member[p] = best;
}

extern "C" __global__ void nearest(const float2* places, float* distance, int n, float latitude, float longitude) {
    const int i = blockDim.x * (gridDim.x * blockIdx.y + blockIdx.x) + threadIdx.x;
    if (i < n) {
        const float2 place = places[i];
        distance[i] = sqrtf((latitude - place.x) * (latitude - place.x) + (longitude - place.y) * (longitude - place.y));
    }
}

extern "C" __global__ void pathfinder_row(const int* wall, const int* in, int* out, int columns, int row) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    if (x < columns) {
        int least = in[x];
        if (x > 0) {
            least = min(least, in[x - 1]);
        }
        if (x < columns - 1) {
            least = min(least, in[x + 1]);
        }
        out[x] = wall[row * columns + x] + least;
    }
}

// Lanes that leave a loop one by one, a switch, and calls that are not inlined.
__device__ __noinline__ unsigned collatz(unsigned long long n) {
    unsigned steps = 0;
    while (n != 1) {
        n = n % 2 == 0 ? n / 2 : 3 * n + 1;
        ++steps;
    }
    return steps;
}

__device__ __noinline__ int ackermann(int m, int n) {
    return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}

extern "C" __global__ void divergent(const int* in, long long* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) {
        return;
    }
    long long result = 0;
    switch (in[i] % 7) {
        case 0: result = collatz(in[i] + 1); break;
        case 1: result = in[i] / 3 + in[i] % 11; break;
        case 2: result = (long long)in[i] * in[i] * in[i]; break;
        case 3: result = __clz(in[i]) + __popc(in[i]) + (__brev(in[i]) >> 7); break;
        case 4: result = ackermann(2, in[i] % 4); break;
        case 5: result = -in[i]; break;
        default: result = (unsigned)in[i] / (unsigned)(i + 1);
    }
    out[i] = result;
}

// Local memory with an index that is not known, and 64-bit division.
extern "C" __global__ void digits(const unsigned long long* in, int* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) {
        return;
    }
    int count[10] = {};
    for (unsigned long long left = in[i]; left != 0; left /= 10) {
        ++count[left % 10];
    }
    for (int d = 0; d < 10; ++d) {
        out[i * 10 + d] = count[d];
    }
}
