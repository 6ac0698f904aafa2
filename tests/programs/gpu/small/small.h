// Small CUDA programs that know their answers: what a thread computes is computed on the host by the same code.
//
// A program is a struct with a name and `of(in, i, n)`, which both sides compile; or it has kernels of its own and
// compares by itself. main() runs them all: a line each, RIGHT or WRONG.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#define BOTH __host__ __device__

namespace small {

using Word = unsigned long long;
constexpr int kThreads = 320;  // not a multiple of the CTA's size
constexpr int kCta = 96;

inline std::vector<unsigned> inputs() {
    std::vector<unsigned> made(kThreads);
    unsigned state = 1;
    for (unsigned& one : made) {
        state = state * 1664525U + 1013904223U;
        one = state >> 3;
    }
    return made;
}

template <typename T>
T* on_device(const std::vector<T>& from) {
    T* at = nullptr;
    if (cudaMalloc(&at, from.size() * sizeof(T)) != cudaSuccess ||
        cudaMemcpy(at, from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice) != cudaSuccess) {
        std::printf("WRONG no memory\n");
        std::exit(2);
    }
    return at;
}

template <typename T>
bool same(const char* name, const T* device, const std::vector<T>& wanted) {
    std::vector<T> got(wanted.size());
    const int error = cudaMemcpy(got.data(), device, got.size() * sizeof(T), cudaMemcpyDeviceToHost);
    for (std::size_t i = 0; i < got.size(); ++i) {
        if (error != 0 || std::memcmp(&got[i], &wanted[i], sizeof(T)) != 0) {
            std::printf("WRONG %s: error %d, at %zu\n", name, error, i);
            return false;
        }
    }
    std::printf("RIGHT %s\n", name);
    return true;
}

template <typename Program>
__global__ void each(const unsigned* in, Word* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = Program::of(in, i, n);
    }
}

template <typename Program>
bool run() {
    const std::vector<unsigned> in = inputs();
    std::vector<Word> wanted(kThreads);
    for (int i = 0; i < kThreads; ++i) {
        wanted[i] = Program::of(in.data(), i, kThreads);
    }
    Word* const out = on_device(std::vector<Word>(kThreads));
    each<Program><<<(kThreads + kCta - 1) / kCta, kCta>>>(on_device(in), out, kThreads);
    return same(Program::kName, out, wanted);
}

template <typename... Programs>
bool run_all() {
    bool right = true;
    ((right = run<Programs>() && right), ...);
    return right;
}

}  // namespace small

#define PROGRAM(name)                               \
    struct name {                                   \
        static constexpr const char* kName = #name; \
        static BOTH small::Word of(const unsigned* in, int i, int n)
#define END_PROGRAM \
    }               \
    ;
