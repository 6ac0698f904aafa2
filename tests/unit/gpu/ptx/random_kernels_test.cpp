// Random kernels compute in the executor what each of their lanes computes by itself.
//
// KYMO_RANDOM_KERNELS: how many; KYMO_RANDOM_FIRST: the number of the first; KYMO_RANDOM_WRITE: a folder into which
// they are written as NUMBER.ptx, with what they store in "results", for execute.py to run them on a GPU.
#include "random_kernels.h"

#include "gpu/trace/operand_values.h"
#include "kernels.h"

#include <cstdlib>
#include <fmt/format.h>
#include <fstream>
#include <set>
#include <sstream>

namespace kymo::gpu::ptx {
namespace {

std::uint64_t number(const char* variable, std::uint64_t usual) {
    const char* const given = std::getenv(variable);
    return given != nullptr ? std::strtoull(given, nullptr, 10) : usual;
}

// The first difference, in words; empty: none.
std::string difference(std::span<const std::uint64_t> got, const std::vector<std::uint64_t>& wanted) {
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        if (got[i] != wanted[i]) {
            return fmt::format("lane {}, word {}: {:#x} for {:#x}", i / random_kernels::kWords,
                               i % random_kernels::kWords, got[i], wanted[i]);
        }
    }
    return "";
}

TEST(RandomKernels, ComputeWhatEachLaneComputesByItself) {
    const std::uint64_t first = number("KYMO_RANDOM_FIRST", 0);
    const std::uint64_t count = number("KYMO_RANDOM_KERNELS", 2000);
    std::uint64_t wrong = 0;
    const char* const folder = std::getenv("KYMO_RANDOM_WRITE");
    std::ofstream stored;
    if (folder != nullptr) {
        stored.open(fmt::format("{}/results", folder));
    }
    for (std::uint64_t seed = first; seed < first + count && wrong < 5; ++seed) {
        const random_kernels::Kernel kernel = random_kernels::make(seed);
        const std::string text = random_kernels::text_of(kernel);
        const auto module = parse(text, "random.ptx");
        ASSERT_TRUE(module.ok()) << "kernel " << seed << ": " << module.error().what << "\n" << text;
        Device device(*module);
        const auto out = device.array<std::uint64_t>(std::size_t{random_kernels::kLanes} * random_kernels::kWords);
        device.run("k", {1}, {random_kernels::kLanes}, Parameters().add(out.data()));
        const std::vector<std::uint64_t> results = random_kernels::results_of(kernel);
        if (folder != nullptr) {
            std::ofstream(fmt::format("{}/{}.ptx", folder, seed)) << text;
            stored.write(reinterpret_cast<const char*>(results.data()),
                         static_cast<std::streamsize>(results.size() * sizeof results[0]));
        }
        const std::string what = difference(out, results);
        if (!what.empty()) {
            ++wrong;
            ADD_FAILURE() << "kernel " << seed << ", " << what << "\n" << text;
        }
    }
    fmt::print(stderr, "{} kernels, {} different\n", count, wrong);
}

// Registers that the kernel copies or converts into: where that takes no instruction, the trace has no line of it.
std::set<std::string> converted_into(const std::string& text) {
    std::set<std::string> names;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        const std::size_t register_at = line.find(" %", line.starts_with("@") ? line.find(' ') + 1 : 0);
        if ((line.find("cvt.") != std::string::npos || line.find("mov.") != std::string::npos) &&
            register_at != std::string::npos) {
            names.insert(line.substr(register_at + 1, line.find(',') - register_at - 1));
        }
    }
    return names;
}

// What a traced kernel's operands say: a lane reads from a register what it wrote into it last, and what it stores is
// what memory holds. The first contradiction, in words; empty: none. `reads`: counts what was compared.
std::string contradiction(Execution& execution, const std::set<std::string>& converted,
                          std::span<const std::uint64_t> stored, std::uint64_t& reads) {
    const auto cta = execution.next_cta();
    if (!cta || !*cta) {
        return "no CTA";
    }
    const std::vector<TracedOperand>& all = execution.operands();
    const Program program = operand_program(all);
    const WarpTrace& warp = (**cta).warps[0];
    WarpCursor cursor(execution.program(), warp);
    OperandCursor operands(all, program, warp);
    std::vector<OperandValues> values;
    std::map<std::pair<std::string, unsigned>, std::uint64_t> last;
    std::uint64_t words = 0;
    while (cursor.next()) {
        LaneAddresses addresses;
        const bool is_access = cursor.has_addresses() && cursor.addresses(addresses);
        if (!operands.next(cursor.index(), cursor.mask(), values)) {
            return "an instruction without its values";
        }
        const StaticInstruction& instruction = execution.program()[cursor.index()];
        const bool is_store = is_access && instruction.opcode.starts_with("STG");
        for (const bool is_result : {false, true}) {
            for (const OperandValues& one : values) {
                for (unsigned lane = 0; lane < kWarpLanes && one.operand->is_result == is_result; ++lane) {
                    if ((cursor.mask() >> lane & 1U) == 0) {
                        continue;
                    }
                    const std::uint64_t value = one.lanes.of[lane];
                    auto [at, is_new] = last.try_emplace({one.operand->name, lane}, value);
                    if (!is_result && at->second != value && !converted.contains(one.operand->name)) {
                        return fmt::format("lane {} reads {:#x} from {}, in which it wrote {:#x}", lane, value,
                                           one.operand->name, at->second);
                    }
                    reads += !is_result && !is_new ? 1 : 0;
                    at->second = value;
                    if (is_store && one.operand->bits == 64 && value != addresses.of[lane]) {
                        const std::uint64_t word =
                            (addresses.of[lane] - reinterpret_cast<std::uint64_t>(stored.data())) / 8;
                        words += word < stored.size() && stored[word] == value ? 1 : 0;
                    }
                }
            }
        }
    }
    const std::uint64_t wanted = std::uint64_t{random_kernels::kLanes} * random_kernels::kWords;
    return words < wanted ? fmt::format("{} of {} words that are stored", words, wanted) : "";
}

TEST(RandomKernels, OperandValuesDoNotContradictOneAnother) {
    const std::uint64_t first = number("KYMO_RANDOM_FIRST", 0);
    const std::uint64_t count = std::min<std::uint64_t>(number("KYMO_RANDOM_KERNELS", 200), 5000);
    std::uint64_t reads = 0;
    std::uint64_t looked_at = 0;
    for (std::uint64_t seed = first; seed < first + count; ++seed) {
        const std::string text = random_kernels::text_of(random_kernels::make(seed));
        if (text.find("call") != std::string::npos) {
            continue;  // a function's registers are others in each call, under the same names
        }
        ++looked_at;
        const auto module = parse(text, "random.ptx");
        ASSERT_TRUE(module.ok());
        Device device(*module);
        const auto out = device.array<std::uint64_t>(std::size_t{random_kernels::kLanes} * random_kernels::kWords);
        ExecuteOptions options;
        options.values = true;
        const auto execution = device.module().launch(
            "k", {{1}, {random_kernels::kLanes}, 0, Parameters().add(out.data()).bytes()}, options);
        ASSERT_TRUE(execution.ok());
        EXPECT_EQ(contradiction(**execution, converted_into(text), out, reads), "") << "kernel " << seed << "\n"
                                                                                    << text;
        if (HasFailure()) {
            return;
        }
    }
    EXPECT_GT(looked_at, count / 10);
    EXPECT_GT(reads, 1000 * looked_at);
    fmt::print(stderr, "{} kernels, {} values read\n", looked_at, reads);
}

}  // namespace
}  // namespace kymo::gpu::ptx
