// Planted: the threads of a warp read a column of a tile in shared memory, all in one bank. Fixed: the tile's rows are one word
// longer.
#include "cuda_program.h"

#include <vector>

constexpr int kSide = 32;

// Each thread sums a row of the tile, round after round.
extern "C" __global__ void row_sums(const float* in, float* out, int pitch, int rounds) {
    KYMO_DYNAMIC_SHARED(float, tile);
    const int me = static_cast<int>(threadIdx.x);
    const int base = static_cast<int>(blockIdx.x) * kSide * kSide;
    for (int row = 0; row < kSide; ++row) {
        tile[row * pitch + me] = in[base + row * kSide + me];
    }
    __syncthreads();
    float sum = 0;
    for (int round = 0; round < rounds; ++round) {
        sum += tile[me * pitch + round % kSide];  // defect
    }
    out[static_cast<int>(blockIdx.x) * kSide + me] = sum;
}
KYMO_KERNELS(row_sums);

int main(int argc, char** argv) {
    const bool bad = argc > 1 && std::strcmp(argv[1], "bad") == 0;
    constexpr int kTiles = 512;
    constexpr int kRounds = 256;
    std::vector<float> values(kTiles * kSide * kSide);
    for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = static_cast<float>(i % 17);
    }
    const float* const in = kymo_program::on_device(values.data(), values.size());
    float* const out = kymo_program::on_device<float>(kTiles * kSide);
    const int pitch = bad ? kSide : kSide + 1;
    kymo_program::launch(row_sums, kTiles, kSide, static_cast<std::size_t>(kSide * pitch) * sizeof(float), in, out,
                         pitch, kRounds);
    std::vector<float> results(kTiles * kSide);
    kymo_program::to_host(results.data(), out, results.size());
    for (int row = 0; row < kTiles * kSide; ++row) {
        float sum = 0;
        for (int round = 0; round < kRounds; ++round) {
            sum += values[static_cast<std::size_t>(row * kSide + round % kSide)];
        }
        if (results[static_cast<std::size_t>(row)] != sum) {
            std::printf("wrong: row %d\n", row);
            return 1;
        }
    }
    std::printf("right\n");
    return 0;
}
