#include "accuracy/generate.h"

#include "accuracy/generated_warps.h"

namespace kymo::gpu {
namespace {

// A kernel without addresses: all CTAs are the same bytes. `walk` encodes one warp.
std::unique_ptr<KernelSource> uniform_kernel(KernelHeader header, Program program,
                                             const std::function<void(WarpEncoder&, std::uint32_t mask)>& walk) {
    const std::uint64_t threads = header.block.count();
    Cta pattern;
    std::uint32_t mask_before = 0;
    for (std::uint32_t id = 0; id < warps_of(threads); ++id) {
        const std::uint32_t mask = launched(threads, id);
        if (id != 0 && mask == mask_before) {
            pattern.warps.push_back(pattern.warps.back());
            pattern.warps.back().id = id;
            continue;
        }
        mask_before = mask;
        WarpEncoder encoder(program);
        walk(encoder, mask);
        pattern.warps.push_back(finished_warp(id, encoder));
    }
    const Dim3 grid = header.grid;
    return std::make_unique<GeneratedKernel>(
        std::move(header), std::move(program), [pattern, grid](std::uint64_t number, const Program&) {
            Cta cta = pattern;
            cta.index = {static_cast<std::uint32_t>(number % grid.x), static_cast<std::uint32_t>(number / grid.x), 0};
            return cta;
        });
}

}  // namespace

std::uint32_t ProgramBuilder::add(const char* opcode, std::initializer_list<unsigned> destinations,
                                  std::initializer_list<unsigned> sources, unsigned width) {
    StaticInstruction instruction;
    instruction.pc = program_.size() * 16;
    instruction.width = width;
    instruction.opcode = opcode;
    instruction.op = decode_opcode(opcode);
    for (const unsigned number : destinations) {
        instruction.destinations.add(number);
    }
    for (const unsigned number : sources) {
        instruction.sources.add(number);
    }
    program_.push_back(std::move(instruction));
    return static_cast<std::uint32_t>(program_.size() - 1);
}

std::unique_ptr<KernelSource> empty_kernel(std::uint32_t ctas, std::uint32_t threads) {
    ProgramBuilder program;
    program.add("LDC", {1});
    program.add("EXIT");
    return uniform_kernel(generated_header("emptykernel", {ctas, 1, 1}, {threads, 1, 1}, 4), program.take(),
                          [](WarpEncoder& encoder, std::uint32_t mask) {
                              encoder.add(0, mask, {});
                              encoder.add(1, mask, {});
                          });
}

std::unique_ptr<KernelSource> ffma_kernel(std::uint32_t ctas, std::uint32_t threads, std::uint32_t iterations) {
    ProgramBuilder program;
    program.add("LDC", {1});
    program.add("LDC", {2});
    program.add("ISETP.GE.AND", {}, {2});
    const std::uint32_t skip = program.add("EXIT");
    program.add("HFMA2.MMA", {3}, {255, 255});
    program.add("UMOV");
    const std::uint32_t loop = program.add("MOV", {0});
    program.add("UIADD3");
    program.add("FFMA", {3}, {3, 0});
    program.add("ISETP.LE.AND", {}, {2});
    for (int i = 1; i < 128; ++i) {
        program.add("FFMA", {3}, {3, 0});
    }
    const std::uint32_t back = program.add("BRA");
    program.add("FSETP.NEU.AND", {}, {3});
    const std::uint32_t end = program.add("EXIT");
    return uniform_kernel(generated_header("ffmakernel", {ctas, 1, 1}, {threads, 1, 1}, 24), program.take(),
                          [=](WarpEncoder& encoder, std::uint32_t mask) {
                              for (std::uint32_t i = 0; i < loop; ++i) {
                                  encoder.add(i, i == skip ? 0 : mask, {});
                              }
                              for (std::uint32_t k = 0; k < iterations; ++k) {
                                  for (std::uint32_t i = loop; i < back; ++i) {
                                      encoder.add(i, mask, {});
                                  }
                                  encoder.add(back, k + 1 < iterations ? mask : 0, {});
                              }
                              for (std::uint32_t i = back + 1; i <= end; ++i) {
                                  encoder.add(i, mask, {});
                              }
                          });
}

std::unique_ptr<KernelSource> vector_add_kernel(std::uint32_t elements) {
    ProgramBuilder program;
    program.add("LDC", {1});
    program.add("S2R", {9});
    program.add("ULDC");
    program.add("S2R", {0});
    program.add("IMAD", {9}, {9, 0});
    program.add("ISETP.GE.AND", {}, {9});
    const std::uint32_t skip = program.add("EXIT");
    program.add("LDC", {2});
    program.add("ULDC.64");
    program.add("LDC", {4});
    program.add("LDC", {6});
    program.add("IMAD.WIDE", {2}, {9, 2});
    const std::uint32_t load_a = program.add("LDG.E", {3}, {2}, 4);
    program.add("IMAD.WIDE", {4}, {9, 4});
    const std::uint32_t load_b = program.add("LDG.E", {4}, {4}, 4);
    program.add("IMAD.WIDE", {6}, {9, 6});
    program.add("FADD", {9}, {3, 4});
    const std::uint32_t store = program.add("STG.E", {}, {6, 9}, 4);
    const std::uint32_t end = program.add("EXIT");
    constexpr std::uint32_t kThreads = 256;
    const std::uint32_t ctas = (elements + kThreads - 1) / kThreads;
    const auto make = [=](std::uint64_t number, const Program& list) {
        Cta cta;
        cta.index = {static_cast<std::uint32_t>(number), 0, 0};
        ActiveAddresses lanes;
        for (std::uint32_t id = 0; id < kThreads / kWarpLanes; ++id) {
            const std::uint64_t first = number * kThreads + std::uint64_t{id} * kWarpLanes;
            const std::uint32_t inside = launched(elements, static_cast<std::uint32_t>(first / kWarpLanes));
            WarpEncoder encoder(list);
            for (std::uint32_t i = 0; i <= end; ++i) {
                const std::uint32_t mask = i < skip ? kAllLanes : i == skip ? ~inside : inside;
                if (i > skip && inside == 0) {
                    break;
                }
                const std::uint64_t base = i == load_a ? kFirst : i == load_b ? kSecond : i == store ? kThird : 0;
                encoder.add(i, mask,
                            base == 0 ? std::span<const std::uint64_t>()
                                      : lanes.fill(mask, [&](unsigned lane) { return base + (first + lane) * 4; }));
            }
            cta.warps.push_back(finished_warp(id, encoder));
        }
        return cta;
    };
    return std::make_unique<GeneratedKernel>(generated_header("vectoradd", {ctas, 1, 1}, {kThreads, 1, 1}, 12),
                                             program.take(), make);
}

}  // namespace kymo::gpu
