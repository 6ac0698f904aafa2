// PolyBench's kernels over a matrix.
#include "accuracy/generate.h"
#include "accuracy/generated_warps.h"

namespace kymo::gpu {
namespace {

constexpr std::uint32_t kUnroll = 16;

// Where the parts of a kernel begin whose threads leave at once or go round a loop, `size` steps in rounds of
// kUnroll.
struct LoopedKernel {
    std::uint32_t skip;  // the exit of threads outside
    std::uint32_t loop;  // a round's first instruction
    std::uint32_t tail;  // those behind its steps
    std::uint32_t back;  // the branch to `loop`
    std::uint32_t end;
    std::uint32_t size;
};

// A warp with `all` lanes of which those `inside` the matrix go on. before(encoder, i) adds an instruction between
// the exit and the loop, step(encoder, u, k) the u-th step of a round, which is step k of all.
template <typename Before, typename Step>
WarpTrace looped_warp(const Program& list, const LoopedKernel& kernel, std::uint32_t id, std::uint32_t all,
                      std::uint32_t inside, Before&& before, Step&& step) {
    WarpEncoder encoder(list);
    for (std::uint32_t i = 0; i < kernel.skip; ++i) {
        encoder.add(i, all, {});
    }
    encoder.add(kernel.skip, all & ~inside, {});
    if (inside == 0) {
        return finished_warp(id, encoder);
    }
    for (std::uint32_t i = kernel.skip + 1; i < kernel.loop; ++i) {
        before(encoder, i);
    }
    for (std::uint32_t k = 0; k < kernel.size;) {
        encoder.add(kernel.loop, inside, {});
        for (std::uint32_t u = 0; u < kUnroll && k < kernel.size; ++u, ++k) {
            step(encoder, u, k);
        }
        for (std::uint32_t i = kernel.tail; i <= kernel.back; ++i) {
            encoder.add(i, i == kernel.back && k >= kernel.size ? 0 : inside, {});
        }
    }
    encoder.add(kernel.end, inside, {});
    return finished_warp(id, encoder);
}

}  // namespace

std::unique_ptr<KernelSource> gemm_kernel(std::uint32_t size, std::uint32_t width) {
    ProgramBuilder program;
    program.add("LDC", {1});
    program.add("S2R", {0});
    program.add("LDC", {2});
    program.add("S2R", {5});
    program.add("S2R", {7});
    program.add("S2R", {4});
    program.add("IMAD", {0}, {0, 5});
    program.add("ISETP.GE.AND", {}, {0});
    program.add("IMAD", {7}, {7, 4});
    program.add("ISETP.GE.OR", {}, {7});
    const std::uint32_t skip = program.add("EXIT");
    program.add("LDC", {4});
    program.add("IMAD", {9}, {7, 2});
    program.add("ULDC.64");
    program.add("LDC", {3});
    program.add("IMAD.WIDE", {4}, {9, 4});
    const std::uint32_t load_c = program.add("LDG.E", {6}, {4}, 4);
    program.add("FMUL", {13}, {6});
    const std::uint32_t scale_c = program.add("STG.E", {}, {4, 13}, 4);
    struct Step {
        std::uint32_t load_a, load_b, store;
    };
    std::array<Step, kUnroll> steps{};
    const std::uint32_t loop = program.add("IMAD.WIDE", {10}, {8, 10});
    for (std::uint32_t i = 0; i < kUnroll; ++i) {
        // a's addresses are immediate offsets, b's one IMAD.WIDE a step behind.
        const unsigned here = i % 2 == 0 ? 14 : 16;
        const unsigned next = i % 2 == 0 ? 16 : 14;
        steps[i].load_a = program.add("LDG.E", {12}, {10}, 4);
        steps[i].load_b = program.add("LDG.E", {18}, {here}, 4);
        program.add("FMUL", {12}, {12});
        program.add("FFMA", {13}, {12, 18, 13});
        program.add("IMAD.WIDE", {next}, {3, here});
        steps[i].store = program.add("STG.E", {}, {4, 13}, 4);
    }
    program.add("IADD3", {6}, {6});
    program.add("ISETP.GT.AND", {}, {6});
    program.add("UIADD3");
    const std::uint32_t back = program.add("BRA");
    const std::uint32_t end = program.add("EXIT");
    const LoopedKernel kernel{skip, loop, steps[kUnroll - 1].store + 1, back, end, size};
    const std::uint32_t side = (size + width - 1) / width;
    const auto make = [=](std::uint64_t number, const Program& list) {
        Cta cta;
        cta.index = {static_cast<std::uint32_t>(number % side), static_cast<std::uint32_t>(number / side), 0};
        ActiveAddresses lanes;
        for (std::uint32_t id = 0; id < warps_of(std::uint64_t{width} * width); ++id) {
            const auto row = [&](unsigned lane) {
                return std::uint64_t{cta.index.y} * width + (id * kWarpLanes + lane) / width;
            };
            const auto column = [&](unsigned lane) {
                return std::uint64_t{cta.index.x} * width + (id * kWarpLanes + lane) % width;
            };
            const std::uint32_t all = launched(std::uint64_t{width} * width, id);
            std::uint32_t inside = 0;
            for (unsigned lane = 0; lane < kWarpLanes; ++lane) {
                if ((all >> lane & 1U) != 0 && row(lane) < size && column(lane) < size) {
                    inside |= 1U << lane;
                }
            }
            const auto c = [&](WarpEncoder& encoder, std::uint32_t index) {
                encoder.add(index, inside, lanes.fill(inside, [&](unsigned lane) {
                    return kThird + (row(lane) * size + column(lane)) * 4;
                }));
            };
            const auto before = [&](WarpEncoder& encoder, std::uint32_t i) {
                if (i == load_c || i == scale_c) {
                    c(encoder, i);
                } else {
                    encoder.add(i, inside, {});
                }
            };
            const auto step = [&](WarpEncoder& encoder, std::uint32_t u, std::uint32_t k) {
                const Step& at = steps[u];
                encoder.add(at.load_a, inside,
                            lanes.fill(inside, [&](unsigned lane) { return kFirst + (row(lane) * size + k) * 4; }));
                encoder.add(at.load_b, inside, lanes.fill(inside, [&](unsigned lane) {
                    return kSecond + (std::uint64_t{k} * size + column(lane)) * 4;
                }));
                for (std::uint32_t i = at.load_b + 1; i < at.store; ++i) {
                    encoder.add(i, inside, {});
                }
                c(encoder, at.store);
            };
            cta.warps.push_back(looped_warp(list, kernel, id, all, inside, before, step));
        }
        return cta;
    };
    return std::make_unique<GeneratedKernel>(generated_header("gemm_kernel", {side, side, 1}, {width, width, 1}, 24),
                                             program.take(), make);
}

namespace {

// Both halves of atax: y[t] += A[...]·v[k] over k, a thread an element of y.
std::unique_ptr<KernelSource> atax_kernel(const char* name, std::uint32_t size, std::uint32_t width, bool by_row) {
    ProgramBuilder program;
    program.add("LDC", {1});
    program.add("S2R", {0});
    program.add("LDC", {2});
    program.add("S2R", {5});
    program.add("ISETP.LT.AND", {}, {2});
    program.add("IMAD", {0}, {0, 5});
    program.add("ISETP.GE.OR", {}, {0});
    const std::uint32_t skip = program.add("EXIT");
    program.add("LDC", {4});
    program.add("ULDC.64");
    program.add("IMAD.WIDE", {4}, {0, 4});
    const std::uint32_t load_y = program.add("LDG.E", {13}, {4}, 4);
    program.add("IMAD.WIDE", {10}, {0, 4});
    const std::uint32_t loop = program.add("IMAD.MOV.U32", {7}, {255, 255});
    struct Step {
        std::uint32_t load_v, load_a, store;
    };
    std::array<Step, kUnroll> steps{};
    for (std::uint32_t i = 0; i < kUnroll; ++i) {
        const unsigned here = by_row ? 10 : i % 2 == 0 ? 10 : 14;
        const unsigned next = i % 2 == 0 ? 14 : 10;
        steps[i].load_v = program.add("LDG.E", {8}, {6}, 4);
        steps[i].load_a = program.add("LDG.E", {16}, {here}, 4);
        if (!by_row) {
            program.add("IMAD.WIDE", {next}, {3, here});
        }
        program.add("FFMA", {13}, {8, 16, 13});
        steps[i].store = program.add("STG.E", {}, {4, 13}, 4);
    }
    program.add("IADD3", {2}, {2});
    program.add("ISETP.GT.AND", {}, {2});
    program.add("UIADD3");
    program.add("IADD3", {6}, {6});
    program.add("IADD3.X", {7}, {7});
    const std::uint32_t back = program.add("BRA");
    const std::uint32_t end = program.add("EXIT");
    const LoopedKernel kernel{skip, loop, steps[kUnroll - 1].store + 1, back, end, size};
    const std::uint32_t ctas = (size + width - 1) / width;
    const auto make = [=](std::uint64_t number, const Program& list) {
        Cta cta;
        cta.index = {static_cast<std::uint32_t>(number), 0, 0};
        ActiveAddresses lanes;
        for (std::uint32_t id = 0; id < warps_of(width); ++id) {
            const std::uint64_t first = number * width + std::uint64_t{id} * kWarpLanes;
            const std::uint32_t all = launched(width, id);
            std::uint32_t inside = 0;
            for (unsigned lane = 0; lane < kWarpLanes; ++lane) {
                if ((all >> lane & 1U) != 0 && first + lane < size) {
                    inside |= 1U << lane;
                }
            }
            const auto y = [&](WarpEncoder& encoder, std::uint32_t index) {
                encoder.add(index, inside,
                            lanes.fill(inside, [&](unsigned lane) { return kThird + (first + lane) * 4; }));
            };
            const auto before = [&](WarpEncoder& encoder, std::uint32_t i) {
                if (i == load_y) {
                    y(encoder, i);
                } else {
                    encoder.add(i, inside, {});
                }
            };
            const auto step = [&](WarpEncoder& encoder, std::uint32_t u, std::uint32_t k) {
                const Step& at = steps[u];
                encoder.add(at.load_v, inside,
                            lanes.fill(inside, [&](unsigned) { return kSecond + std::uint64_t{k} * 4; }));
                encoder.add(at.load_a, inside, lanes.fill(inside, [&](unsigned lane) {
                    const std::uint64_t thread = first + lane;
                    return kFirst + (by_row ? thread * size + k : std::uint64_t{k} * size + thread) * 4;
                }));
                for (std::uint32_t i = at.load_a + 1; i < at.store; ++i) {
                    encoder.add(i, inside, {});
                }
                y(encoder, at.store);
            };
            cta.warps.push_back(looped_warp(list, kernel, id, all, inside, before, step));
        }
        return cta;
    };
    return std::make_unique<GeneratedKernel>(generated_header(name, {ctas, 1, 1}, {width, 1, 1}, 24), program.take(),
                                             make);
}

}  // namespace

std::unique_ptr<KernelSource> atax_row_kernel(std::uint32_t size, std::uint32_t width) {
    return atax_kernel("atax_kernel1", size, width, true);
}

std::unique_ptr<KernelSource> atax_column_kernel(std::uint32_t size, std::uint32_t width) {
    return atax_kernel("atax_kernel2", size, width, false);
}

}  // namespace kymo::gpu
