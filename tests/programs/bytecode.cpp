// Nothing is wrong: an interpreter whose instructions take between 20 nanoseconds and 20 microseconds, called through
// a table, in an order that a generator of random numbers has made. One thread.
#include "planted.h"

namespace {

constexpr int kInstructions = 600'000;

using Instruction = std::uint64_t (*)(std::uint64_t);

template <int kUnits>
[[gnu::noinline]] std::uint64_t take(std::uint64_t x) {
    return planted::work(kUnits, x);
}

[[gnu::noinline]] std::uint64_t add(std::uint64_t x) {
    for (int i = 0; i < 10; ++i) {
        x = x * 6364136223846793005ULL + 1442695040888963407ULL;
    }
    return x;
}

constexpr Instruction kTable[] = {add, take<1>, add, take<2>, add, take<1>, add, take<20>};

[[gnu::noinline]] std::uint64_t interpret(const std::vector<std::uint8_t>& code) {
    std::uint64_t x = 1;
    for (const std::uint8_t instruction : code) {
        x = kTable[instruction](x);
    }
    return x;
}

}  // namespace

int main(int argc, char** argv) {
    const planted::Program program(argc, argv, "nothing", __FILE__);
    std::vector<std::uint8_t> code(kInstructions);
    std::uint64_t x = 7;
    for (std::uint8_t& instruction : code) {
        x = x * 6364136223846793005ULL + 1442695040888963407ULL;
        // The longest comes once in 64.
        instruction = static_cast<std::uint8_t>((x >> 40U) % 64 == 0 ? 7 : (x >> 50U) % 7);
    }
    const std::uint64_t result = interpret(code);
    planted::keep(&result);
    return program.end();
}
