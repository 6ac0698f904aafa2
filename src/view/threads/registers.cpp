#include "view/threads/registers.h"

#include <csignal>
#include <cstring>
#include <fmt/format.h>

namespace kymo::view {
namespace {

constexpr std::array<std::string_view, 16> kX86Names = {"rax", "rdx", "rcx", "rbx", "rsi", "rdi", "rbp", "rsp",
                                                        "r8",  "r9",  "r10", "r11", "r12", "r13", "r14", "r15"};
constexpr std::size_t kX86Vectors = 16;

// Fields of MXCSR.
constexpr unsigned kDenormalsAreZero = 6;
constexpr unsigned kFirstMask = 7;
constexpr unsigned kRounding = 13;
constexpr unsigned kFlushToZero = 15;
constexpr std::array<std::string_view, 4> kRoundings = {"nearest", "down", "up", "zero"};
constexpr std::array<std::string_view, 6> kExceptions = {"invalid",  "denormal",  "divide-by-zero",
                                                         "overflow", "underflow", "inexact"};

constexpr int kFirstRealTime = 34;  // the two before are the C library's
constexpr int kLibrarysFirst = 32;
constexpr int kSignals = 64;

bool bit(std::uint64_t value, unsigned number) {
    return (value >> number & 1U) != 0;
}

std::string signal_name(int signal) {
    if (signal == kFirstRealTime) {
        return "SIGRTMIN";
    }
    if (signal > kFirstRealTime) {
        return fmt::format("SIGRTMIN+{}", signal - kFirstRealTime);
    }
    const char* known = signal < kLibrarysFirst ? ::sigabbrev_np(signal) : nullptr;
    return known != nullptr ? fmt::format("SIG{}", known) : fmt::format("signal {}", signal);
}

}  // namespace

std::string register_name(std::uint16_t machine, std::uint64_t number) {
    return number < named_registers(machine) ? std::string(kX86Names.at(number)) : fmt::format("r{}", number);
}

std::size_t named_registers(std::uint16_t machine) {
    return machine == kMachineX86_64 ? kX86Names.size() : 0;
}

std::string_view FloatingState::rounding() const {
    return kRoundings.at(mxcsr >> kRounding & 3U);
}

bool FloatingState::flushes_to_zero() const {
    return bit(mxcsr, kFlushToZero);
}

bool FloatingState::denormals_are_zero() const {
    return bit(mxcsr, kDenormalsAreZero);
}

std::vector<std::string_view> FloatingState::unmasked_exceptions() const {
    std::vector<std::string_view> names;
    for (unsigned i = 0; i < kExceptions.size(); ++i) {
        if (!bit(mxcsr, kFirstMask + i)) {
            names.push_back(kExceptions.at(i));
        }
    }
    return names;
}

std::optional<FloatingState> floating_state(std::uint16_t machine, std::string_view bytes) {
    FloatingState state;
    state.vectors.resize(kX86Vectors);
    const std::size_t words = sizeof state.mxcsr + sizeof(std::uint32_t);
    if (machine != kMachineX86_64 || bytes.size() != words + kX86Vectors * state.vectors[0].size()) {
        return std::nullopt;
    }
    const auto byte = [&](std::size_t at) {
        return static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[at]));
    };
    state.mxcsr = byte(0) | byte(1) << 8U | byte(2) << 16U | byte(3) << 24U;
    state.x87_control = static_cast<std::uint16_t>(byte(4) | byte(5) << 8U);
    for (std::size_t i = 0; i < kX86Vectors; ++i) {
        std::memcpy(state.vectors[i].data(), bytes.data() + words + i * state.vectors[i].size(),
                    state.vectors[i].size());
    }
    return state;
}

std::string vector_text(const std::array<std::uint8_t, 16>& vector) {
    std::string text = "0x";
    for (auto byte = vector.rbegin(); byte != vector.rend(); ++byte) {
        text += fmt::format("{:02x}", *byte);
    }
    return text;
}

std::vector<std::string> signal_names(std::uint64_t mask) {
    std::vector<std::string> names;
    for (int signal = 1; signal <= kSignals; ++signal) {
        if (bit(mask, static_cast<unsigned>(signal) - 1)) {
            names.push_back(signal_name(signal));
        }
    }
    return names;
}

}  // namespace kymo::view
