// Each instruction of tests/programs/gpu/on_gpu/instructions.py gives what a GPU gave (instructions.h100.xz).
//
// KYMO_INSTRUCTIONS_SHOW: how many differences of an instruction to print.
#include "kernels.h"

#include <bit>
#include <fmt/format.h>
#include <sstream>

namespace kymo::gpu::ptx {
namespace {

struct Instruction {
    std::string entry;
    std::string name;
    unsigned bytes = 0;  // of a result
    std::string type;
    std::size_t operands = 0;  // which set of them
    std::uint64_t apart = 0;   // how many units of the last place an approximation may differ by,
    double within = 0;         // or by how much
};

std::vector<Instruction> table(const std::filesystem::path& path) {
    std::vector<Instruction> rows;
    std::ifstream in(path);
    for (std::string line; std::getline(in, line);) {
        std::istringstream words(line);
        Instruction one;
        unsigned bits = 0;
        std::getline(words, one.entry, '\t');
        std::getline(words, one.name, '\t');
        words >> bits >> one.type >> one.operands >> one.apart >> one.within;
        one.bytes = bits / 8;
        rows.push_back(one);
    }
    return rows;
}

std::string contents(const std::filesystem::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

// The formats that a result's type has: its bits of exponent and of mantissa; none of an integer.
struct Format {
    unsigned bits = 0;
    unsigned mantissa = 0;
};

Format format_of(const std::string& type) {
    return type == "f16" || type == "f16x2"     ? Format{16, 10}
           : type == "bf16" || type == "bf16x2" ? Format{16, 7}
           : type == "f32"                      ? Format{32, 23}
           : type == "f64"                      ? Format{64, 52}
                                                : Format{};
}

// How many units of the last place lie between two numbers; 0 between two that are not numbers.
std::uint64_t between(std::uint64_t a, std::uint64_t b, Format format) {
    const std::uint64_t sign = std::uint64_t{1} << (format.bits - 1);
    const std::uint64_t mask = sign - 1;
    const std::uint64_t infinity = mask >> format.mantissa << format.mantissa;
    if ((a & mask) > infinity && (b & mask) > infinity) {
        return 0;
    }
    if ((a & mask) > infinity || (b & mask) > infinity) {
        return ~std::uint64_t{0};
    }
    const auto ordered = [&](std::uint64_t v) {
        return (v & sign) != 0 ? -static_cast<std::int64_t>(v & mask) : static_cast<std::int64_t>(v & mask);
    };
    const std::int64_t apart = ordered(a) - ordered(b);
    return static_cast<std::uint64_t>(apart < 0 ? -apart : apart);
}

std::uint64_t apart(std::uint64_t a, std::uint64_t b, const Instruction& instruction) {
    const Format format = format_of(instruction.type);
    if (format.bits == 0) {
        return a == b ? 0 : ~std::uint64_t{0};
    }
    std::uint64_t most = 0;
    const std::uint64_t mask = format.bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << format.bits) - 1;
    for (unsigned shift = 0; shift < 8 * instruction.bytes; shift += format.bits) {
        most = std::max(most, between(a >> shift & mask, b >> shift & mask, format));
    }
    return most;
}

// Of a result in single precision whose error PTX bounds by itself, for operands to 100 π.
bool is_within(std::uint64_t got, std::uint64_t wanted, std::uint64_t operand, const Instruction& instruction) {
    const auto number = [](std::uint64_t bits) {
        return double{std::bit_cast<float>(static_cast<std::uint32_t>(bits))};
    };
    return instruction.within > 0 && (std::abs(number(got) - number(wanted)) <= instruction.within ||
                                      (std::abs(number(operand)) > 314 && std::abs(number(got)) <= 1));
}

TEST(Instructions, GiveWhatAGpuGave) {
    const std::filesystem::path folder = KYMO_GPU_INSTRUCTIONS;
    const auto rows = table(folder / "instructions.tsv");
    const std::string operands = contents(folder / "operands.bin");
    const std::string results = contents(folder / "results.bin");
    ASSERT_GT(rows.size(), 1000U);
    std::size_t bytes = 0;
    for (const Instruction& one : rows) {
        bytes += one.bytes;
    }
    const std::size_t count = results.size() / bytes;
    ASSERT_EQ(results.size(), count * bytes);
    const std::size_t sets = 1 + std::max_element(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
                                     return a.operands < b.operands;
                                 })->operands;
    const std::size_t of_set = operands.size() / sets;
    ASSERT_GE(of_set, count * 24);
    const auto module = parse_file(folder / "instructions.ptx");
    ASSERT_TRUE(module.ok()) << module.error().what;
    Device device(*module);
    const auto given = device.array<std::uint8_t>(operands.size());
    std::memcpy(given.data(), operands.data(), operands.size());
    const auto out = device.array<std::uint64_t>(count);
    const auto own = device.array<std::uint64_t>(count);
    const char* const shown = std::getenv("KYMO_INSTRUCTIONS_SHOW");
    std::size_t at = 0;
    for (const Instruction& one : rows) {
        std::fill(own.begin(), own.end(), 0);
        Parameters parameters;
        parameters.add(given.data() + one.operands * of_set).add(out.data()).add(own.data());
        const std::string fault =
            device.fault(one.entry.c_str(), {static_cast<std::uint32_t>(count / 128)}, {128}, parameters);
        std::size_t different = 0;
        std::uint64_t most = 0;
        std::string first;
        for (std::size_t i = 0; fault.empty() && i < count; ++i) {
            std::uint64_t wanted = 0;
            std::memcpy(&wanted, results.data() + at + i * one.bytes, one.bytes);
            const std::uint64_t got = one.bytes == 8 ? out[i] : out[i] & ((std::uint64_t{1} << (8 * one.bytes)) - 1);
            const std::uint64_t by = apart(got, wanted, one);
            most = std::max(most, by);
            std::array<std::uint64_t, 3> words{};
            std::memcpy(words.data(), given.data() + one.operands * of_set + i * 24, 24);
            if (by > one.apart && !is_within(got, wanted, words[0], one)) {
                if (different++ < (shown != nullptr ? std::strtoull(shown, nullptr, 10) : 1)) {
                    first += fmt::format("\n  of {:#x} {:#x} {:#x}: {:#x} for {:#x}", words[0], words[1], words[2],
                                         got, wanted);
                }
            }
        }
        at += count * one.bytes;
        if (one.name.find(".oob") != std::string::npos) {
            EXPECT_NE(fault.find("is not supported"), std::string::npos) << one.name << ": " << fault;
            continue;
        }
        EXPECT_EQ(fault, "") << one.name;
        EXPECT_EQ(different, 0U) << one.name << ", of " << count << ", at most " << most << " units apart:" << first;
    }
}

}  // namespace
}  // namespace kymo::gpu::ptx
