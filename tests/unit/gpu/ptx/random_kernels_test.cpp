// Random kernels compute in the executor what each of their lanes computes by itself.
//
// KYMO_RANDOM_KERNELS: how many; KYMO_RANDOM_FIRST: the number of the first.
#include "random_kernels.h"

#include "kernels.h"

#include <cstdlib>
#include <fmt/format.h>

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
    for (std::uint64_t seed = first; seed < first + count && wrong < 5; ++seed) {
        const random_kernels::Kernel kernel = random_kernels::make(seed);
        const std::string text = random_kernels::text_of(kernel);
        const auto module = parse(text, "random.ptx");
        ASSERT_TRUE(module.ok()) << "kernel " << seed << ": " << module.error().what << "\n" << text;
        Device device(*module);
        const auto out = device.array<std::uint64_t>(std::size_t{random_kernels::kLanes} * random_kernels::kWords);
        device.run("k", {1}, {random_kernels::kLanes}, Parameters().add(out.data()));
        const std::string what = difference(out, random_kernels::results_of(kernel));
        if (!what.empty()) {
            ++wrong;
            ADD_FAILURE() << "kernel " << seed << ", " << what << "\n" << text;
        }
    }
    fmt::print(stderr, "{} kernels, {} different\n", count, wrong);
}

}  // namespace
}  // namespace kymo::gpu::ptx
