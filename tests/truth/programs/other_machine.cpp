// Writes a recording of a program of another machine, and the program's image, as such a machine would have left
// them: other_machine sw_64|aarch64|ppc64 FOLDER (ppc64: the first with another number, which has no decoder). Every
// instruction, line and sample is written here, so every answer is known.
//
// main calls solve, solve calls relax, whose loop adds numbers: 300 samples, a millisecond each, at its load, its
// addition and its branch in turn; a worker that main creates runs solve for 100 ms more.
#include "made_image.h"
#include "made_recording.h"

#include <cstdio>
#include <cstring>
#include <elf.h>
#include <fstream>
#include <string_view>

namespace {

using kymo::testing::kMs;
using kymo::testing::MadeFile;
using kymo::testing::MadeLine;

constexpr std::uint64_t kRelax = 0x1000;
constexpr std::uint64_t kSolve = 0x1100;
constexpr std::uint64_t kMain = 0x1200;

struct Machine {
    std::uint16_t number;
    std::vector<std::uint32_t> relax;
    std::vector<std::uint32_t> solve;
    std::vector<std::uint32_t> main;
    std::vector<MadeLine> relax_lines;
    std::vector<std::uint64_t> sampled;  // offsets in relax: load, addition, branch
    std::uint64_t behind_call;           // in solve and main
};

Machine sw_64() {
    return {.number = 0x9916,
            .relax = {0xf81f0000,   // 1000: ldi $0, 0($31)
                      0x8c300000,   // 1004: ldl $1, 0($16)
                      0x40010100,   // 1008: addl $0, $1, $0
                      0xfa100008,   // 100c: ldi $16, 8($16)
                      0x4a202131,   // 1010: subl $17, 1, $17
                      0xc63ffffb,   // 1014: bne $17, 1004
                      0x0bfa0001},  // 1018: ret
            .solve = {0xfbdefff0,   // 1100: ldi $30, -16($30)
                      0xaf5e0000,   // 1104: stl $26, 0($30)
                      0x175fffbd,   // 1108: bsr $26, 1000
                      0x8f5e0000,   // 110c: ldl $26, 0($30)
                      0xfbde0010,   // 1110: ldi $30, 16($30)
                      0x0bfa0001},  // 1114: ret
            .main = {0xfbdefff0,    // 1200: ldi $30, -16($30)
                     0xaf5e0000,    // 1204: stl $26, 0($30)
                     0x175fffbd,    // 1208: bsr $26, 1100
                     0x13fffffe},   // 120c: br 1208
            .relax_lines = {{0, 10}, {4, 12}, {8, 13}, {0x10, 12}, {0x18, 15}},
            .sampled = {0x4, 0x8, 0x14},
            .behind_call = 0xc};
}

Machine aarch64() {
    return {.number = EM_AARCH64,
            .relax = {0xd2800002,   // 1000: mov x2, #0
                      0xf8408401,   // 1004: ldr x1, [x0], #8
                      0x8b010042,   // 1008: add x2, x2, x1
                      0xf1000463,   // 100c: subs x3, x3, #1
                      0x54ffffa1,   // 1010: b.ne 1004
                      0xd65f03c0},  // 1014: ret
            .solve = {0xa9bf7bfd,   // 1100: stp x29, x30, [sp, #-16]!
                      0x97ffffbf,   // 1104: bl 1000
                      0xa8c17bfd,   // 1108: ldp x29, x30, [sp], #16
                      0xd65f03c0},  // 110c: ret
            .main = {0xa9bf7bfd,    // 1200: stp x29, x30, [sp, #-16]!
                     0x97ffffbf,    // 1204: bl 1100
                     0x17ffffff},   // 1208: b 1204
            .relax_lines = {{0, 10}, {4, 12}, {8, 13}, {0xc, 12}, {0x14, 15}},
            .sampled = {0x4, 0x8, 0x10},
            .behind_call = 0x8};
}

std::vector<std::uint8_t> bytes_of(const std::vector<std::uint32_t>& words) {
    std::vector<std::uint8_t> bytes(4 * words.size());
    std::memcpy(bytes.data(), words.data(), bytes.size());
    return bytes;
}

void write_source(const std::string& path) {
    std::ofstream source(path);
    for (int line = 1; line <= 40; ++line) {
        source << (line == 12   ? "    for (long i = 0; i < count; ++i)\n"
                   : line == 13 ? "        sum += values[i];\n"
                                : "// line " + std::to_string(line) + "\n");
    }
}

void write_samples(MadeFile& file, std::uint32_t stream, const Machine& machine, std::uint64_t begin,
                   std::uint64_t ms, bool is_main) {
    const std::uint64_t solve = kSolve + machine.behind_call - 1;
    std::uint64_t outer = 0;
    std::uint64_t next = 1;
    if (is_main) {
        file.context(stream, next, outer, 1, kMain + machine.behind_call - 1);
        outer = next++;
    }
    file.context(stream, next, outer, 1, solve);
    const std::uint64_t caller = next++;
    const std::uint64_t leaves = next;
    for (const std::uint64_t offset : machine.sampled) {
        file.context(stream, next++, caller, 1, kRelax + offset);
    }
    for (std::uint64_t i = 0; i < ms; ++i) {
        file.sample(stream, begin + (i + 1) * kMs, leaves + i % machine.sampled.size(), {kMs});
    }
    file.end_stream(stream, begin + ms * kMs, {ms * kMs}, ms * kMs);
}

void write_recording(const Machine& machine, const std::string& folder) {
    const std::string image = folder + "/app";
    write_source(folder + "/relax.c");
    const auto bytes = kymo::testing::make_image(machine.number,
                                                 {{"relax", kRelax, bytes_of(machine.relax), machine.relax_lines},
                                                  {"solve", kSolve, bytes_of(machine.solve), {{0, 20}, {4, 22}}},
                                                  {"main", kMain, bytes_of(machine.main), {{0, 30}, {4, 32}}}},
                                                 folder + "/relax.c");
    std::ofstream(image, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    MadeFile file(folder + "/recording/process-100-0.krec", 100, machine.number);
    kymo::recording::Process process;
    process.pid = 100;
    process.executable = image;
    process.mechanism = static_cast<std::uint64_t>(kymo::recording::Mechanism::kPerfEvents);
    file.own().append(process);
    file.event(0, "task-clock", "ns", kymo::recording::EventMode::kPeriod, kMs);
    kymo::recording::Image row;
    row.image = 1;
    row.path = image;
    file.own().append(row);
    file.begin_stream(1, 0, 100, "app");
    file.begin_stream(2, 10 * kMs, 101, "worker", 1, 1);
    write_samples(file, 1, machine, 0, 300, true);
    write_samples(file, 2, machine, 10 * kMs, 100, false);
    kymo::recording::ProcessEnd end;
    end.time = 300 * kMs;
    file.own().append(end);
    file.close();
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 3) {
        std::fprintf(stderr, "usage: other_machine sw_64|aarch64|ppc64 FOLDER\n");
        return 2;
    }
    const std::string_view which = argv[1];
    Machine machine = which == "aarch64" ? aarch64() : sw_64();
    if (which == "ppc64") {
        machine.number = EM_PPC64;
    }
    std::filesystem::create_directories(std::string(argv[2]) + "/recording");
    write_recording(machine, argv[2]);
    return 0;
}
