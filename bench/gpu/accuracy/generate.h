// Traces of small known kernels, made instead of read: the micro-benchmarks that measured tables speak of.
//
// The instruction lists are those that nvcc makes of the kernels' sources for compute capability 9.0; addresses
// follow from the sources. Loops are written out as executed, so a generated kernel is the trace that a tracer would
// write.
//
// Contract: as KernelSource; CTAs are made when asked for.
#pragma once

#include "gpu/trace/kernel.h"

#include <functional>
#include <memory>

namespace kymo::gpu {

class GeneratedKernel : public KernelSource {
  public:
    using MakeCta = std::function<Cta(std::uint64_t number, const Program& program)>;
    GeneratedKernel(KernelHeader header, Program program, MakeCta make)
        : header_(std::move(header)), program_(std::move(program)), make_(std::move(make)) {}
    const KernelHeader& header() const override { return header_; }
    const Program& program() const override { return program_; }
    Result<std::optional<Cta>> next_cta() override {
        if (next_ == header_.grid.count()) {
            return std::optional<Cta>();
        }
        return std::optional<Cta>(make_(next_++, program_));
    }
    Result<void> rewind() override {
        next_ = 0;
        return {};
    }

  private:
    KernelHeader header_;
    Program program_;
    MakeCta make_;
    std::uint64_t next_ = 0;
};

// Static instructions one after another, 16 bytes apart.
class ProgramBuilder {
  public:
    // Returns the instruction's index. `width` 0: no addresses.
    std::uint32_t add(const char* opcode, std::initializer_list<unsigned> destinations = {},
                      std::initializer_list<unsigned> sources = {}, unsigned width = 0);
    Program take() { return std::move(program_); }

  private:
    Program program_;
};

// CTAs × threads that return at once.
std::unique_ptr<KernelSource> empty_kernel(std::uint32_t ctas, std::uint32_t threads);
// `iterations` times 128 FFMAs, each on the result of the one before.
std::unique_ptr<KernelSource> ffma_kernel(std::uint32_t ctas, std::uint32_t threads, std::uint32_t iterations);
// c[i] = a[i] + b[i], 256 threads a CTA.
std::unique_ptr<KernelSource> vector_add_kernel(std::uint32_t elements);
// PolyBench's matrix multiplication, a thread an element of C, CTAs of width × width.
std::unique_ptr<KernelSource> gemm_kernel(std::uint32_t size, std::uint32_t width);
// PolyBench's A·x (a thread a row) and Aᵀ·(A·x) (a thread a column), CTAs of `width` threads.
std::unique_ptr<KernelSource> atax_row_kernel(std::uint32_t size, std::uint32_t width);
std::unique_ptr<KernelSource> atax_column_kernel(std::uint32_t size, std::uint32_t width);

}  // namespace kymo::gpu
