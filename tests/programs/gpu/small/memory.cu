// Memory of all kinds: arrays of a thread, structures, shared memory, atomics, shuffles.
#include "small.h"

#include <algorithm>

PROGRAM(sorted_in_local_memory) {
    unsigned values[12];
    for (int k = 0; k < 12; ++k) {
        values[k] = in[(i + 7 * k) % n] % 1000;
    }
    for (int k = 1; k < 12; ++k) {
        const unsigned one = values[k];
        int at = k;
        for (; at > 0 && values[at - 1] > one; --at) {
            values[at] = values[at - 1];
        }
        values[at] = one;
    }
    small::Word hash = 0;
    for (const unsigned value : values) {
        hash = hash * 1009 + value;
    }
    return hash;
}
END_PROGRAM

struct Item {
    unsigned char kind;
    short weight;
    double value;
    unsigned name[3];
};
PROGRAM(structures_copied) {
    Item items[4];
    for (int k = 0; k < 4; ++k) {
        items[k] = {static_cast<unsigned char>(k), static_cast<short>(in[(i + k) % n] % 500), k * 0.5, {in[i], in[(i + k) % n], 3U}};
    }
    Item best = items[0];
    for (int k = 1; k < 4; ++k) {
        if (items[k].weight > best.weight) {
            best = items[k];
        }
    }
    return best.kind + 10ULL * static_cast<unsigned short>(best.weight) + static_cast<small::Word>(best.value * 4) + best.name[1];
}
END_PROGRAM

PROGRAM(bytes_of_words) {
    unsigned word = in[i];
    unsigned char bytes[4];
    memcpy(bytes, &word, 4);
    for (int k = 0; k < 2; ++k) {
        const unsigned char one = bytes[k];
        bytes[k] = bytes[3 - k];
        bytes[3 - k] = one;
    }
    bytes[in[(i + 1) % n] % 4] ^= 0x5A;
    memcpy(&word, bytes, 4);
    return word;
}
END_PROGRAM

PROGRAM(list_in_an_array) {
    unsigned next[16];
    for (unsigned k = 0; k < 16; ++k) {
        next[k] = (k * 5 + in[i] % 16) % 16;
    }
    unsigned at = in[(i + 1) % n] % 16;
    unsigned seen = 0;
    unsigned steps = 0;
    while ((seen >> at & 1U) == 0) {
        seen |= 1U << at;
        at = next[at];
        ++steps;
    }
    return seen * 100ULL + steps;
}
END_PROGRAM

PROGRAM(hash_table) {
    unsigned short table[32];
    memset(table, 0, sizeof table);
    unsigned probes = 0;
    for (int k = 0; k < 20; ++k) {
        const unsigned short key = static_cast<unsigned short>(in[(i + k) % n] % 900 + 1);
        unsigned at = key * 40503U % 32;
        while (table[at] != 0 && table[at] != key) {
            at = (at + 1) % 32;
            ++probes;
        }
        table[at] = key;
    }
    small::Word sum = probes;
    for (unsigned k = 0; k < 32; ++k) {
        sum = sum * 7 + table[k];
    }
    return sum;
}
END_PROGRAM

namespace {

constexpr int kCount = 256;

__constant__ unsigned weights[8] = {3, 1, 4, 1, 5, 9, 2, 6};

__global__ void sums_before(const unsigned* in, unsigned* out) {
    __shared__ unsigned values[2][kCount];
    const int t = threadIdx.x;
    int now = 0;
    values[0][t] = in[t];
    __syncthreads();
    for (int by = 1; by < kCount; by *= 2) {
        values[1 - now][t] = values[now][t] + (t >= by ? values[now][t - by] : 0);
        now = 1 - now;
        __syncthreads();
    }
    out[t] = values[now][t];
}

__global__ void histogram(const unsigned* in, unsigned* out) {
    __shared__ unsigned bins[16];
    if (threadIdx.x < 16) {
        bins[threadIdx.x] = 0;
    }
    __syncthreads();
    atomicAdd(&bins[in[threadIdx.x] % 16], weights[threadIdx.x % 8]);
    __syncthreads();
    if (threadIdx.x < 16) {
        atomicMax(&out[threadIdx.x], bins[threadIdx.x]);
        atomicAdd(&out[16 + threadIdx.x], bins[threadIdx.x]);
    }
}

__global__ void transposed(const unsigned* in, unsigned* out) {
    __shared__ unsigned tile[16][17];
    tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * 16 + threadIdx.x];
    __syncthreads();
    out[threadIdx.y * 16 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}

__global__ void bitonic(unsigned* values) {
    extern __shared__ unsigned all[];
    const unsigned t = threadIdx.x;
    all[t] = values[t];
    __syncthreads();
    for (unsigned size = 2; size <= kCount; size *= 2) {
        for (unsigned by = size / 2; by != 0; by /= 2) {
            const unsigned other = t ^ by;
            if (other > t && (all[t] > all[other]) == ((t & size) == 0)) {
                const unsigned one = all[t];
                all[t] = all[other];
                all[other] = one;
            }
            __syncthreads();
        }
    }
    values[t] = all[t];
}

__global__ void of_warps(const unsigned* in, unsigned* out) {
    const unsigned value = in[threadIdx.x] % 1000;
    unsigned sum = value;
    for (int by = 16; by != 0; by /= 2) {
        sum += __shfl_xor_sync(0xFFFFFFFFU, sum, by);
    }
    const unsigned odd = __ballot_sync(0xFFFFFFFFU, value % 2);
    const unsigned alike = __match_any_sync(0xFFFFFFFFU, value % 4);
    out[threadIdx.x] = sum * 3 + __popc(odd) + alike + __shfl_up_sync(0xFFFFFFFFU, value, 3);
}

std::vector<unsigned> first(const std::vector<unsigned>& all) {
    return {all.begin(), all.begin() + kCount};
}

bool with_kernels() {
    const std::vector<unsigned> in = first(small::inputs());
    unsigned* const given = small::on_device(in);
    unsigned* out = small::on_device(std::vector<unsigned>(kCount));
    std::vector<unsigned> wanted(kCount);
    unsigned sum = 0;
    for (int i = 0; i < kCount; ++i) {
        wanted[i] = sum += in[i];
    }
    sums_before<<<1, kCount>>>(given, out);
    bool right = small::same("sums_before", out, wanted);

    std::vector<unsigned> bins(32);
    constexpr unsigned kWeights[8] = {3, 1, 4, 1, 5, 9, 2, 6};
    for (int i = 0; i < kCount; ++i) {
        bins[in[i] % 16] += kWeights[i % 8];
    }
    for (int i = 0; i < 16; ++i) {
        bins[16 + i] = 3 * bins[i];
    }
    out = small::on_device(std::vector<unsigned>(32));
    histogram<<<3, kCount>>>(given, out);
    right = small::same("histogram", out, bins) && right;

    for (int i = 0; i < kCount; ++i) {
        wanted[i] = in[i % 16 * 16 + i / 16];
    }
    out = small::on_device(std::vector<unsigned>(kCount));
    transposed<<<1, dim3(16, 16)>>>(given, out);
    right = small::same("transposed", out, wanted) && right;

    wanted = in;
    std::sort(wanted.begin(), wanted.end());
    out = small::on_device(in);
    bitonic<<<1, kCount, kCount * sizeof(unsigned)>>>(out);
    right = small::same("bitonic", out, wanted) && right;

    for (int i = 0; i < kCount; ++i) {
        const int warp = i / 32 * 32;
        unsigned total = 0;
        unsigned odd = 0;
        unsigned alike = 0;
        for (int lane = 0; lane < 32; ++lane) {
            const unsigned value = in[warp + lane] % 1000;
            total += value;
            odd += value % 2;
            alike |= value % 4 == in[i] % 1000 % 4 ? 1U << lane : 0U;
        }
        const int from = i % 32 < 3 ? i : i - 3;
        wanted[i] = total * 3 + odd + alike + in[from] % 1000;
    }
    out = small::on_device(std::vector<unsigned>(kCount));
    of_warps<<<1, kCount>>>(given, out);
    return small::same("of_warps", out, wanted) && right;
}

}  // namespace

int main() {
    const bool right =
        small::run_all<sorted_in_local_memory, structures_copied, bytes_of_words, list_in_an_array, hash_table>();
    return with_kernels() && right ? 0 : 1;
}
