// Functions that device code calls but no module defines: vprintf and __assertfail.
#include "gpu/ptx/execute/cta_runner.h"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstring>
#include <fmt/format.h>

namespace kymo::gpu::ptx {
namespace {

constexpr std::size_t kLongestString = 1U << 16U;

template <typename T>
T bits_as(std::uint64_t bits) {
    T value{};
    std::memcpy(&value, &bits, sizeof value);
    return value;
}

// One conversion as the C library does it.
template <typename T>
std::string converted(const std::string& specification, T value) {
    constexpr int kLongest = 1 << 16;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    const int length = std::clamp(std::snprintf(nullptr, 0, specification.c_str(), value), 0, kLongest);
    std::string text(static_cast<std::size_t>(length) + 1, '\0');
    std::snprintf(text.data(), text.size(), specification.c_str(), value);
#pragma GCC diagnostic pop
    text.pop_back();
    return text;
}

}  // namespace

bool CtaRunner::read_bytes(Strand& state, unsigned lane, std::uint64_t address, std::span<std::byte> into) const {
    const Warp& warp = state.warp;
    const std::byte* from = nullptr;
    if (address - kLocalWindow < kWindowBytes) {
        const std::uint64_t at = address - kLocalWindow;
        from = at + into.size() <= warp.local_bytes ? warp.local + lane * warp.local_bytes + at : nullptr;
    } else if (address - kSharedWindow < kWindowBytes) {
        const std::uint64_t at = address - kSharedWindow;
        from = at + into.size() <= warp.shared_bytes ? warp.shared + at : nullptr;
    } else if (parts_.memory->find(address, into.size())) {
        from = reinterpret_cast<const std::byte*>(address);
    }
    if (from == nullptr) {
        return false;
    }
    std::memcpy(into.data(), from, into.size());
    return true;
}

bool CtaRunner::read_string(Strand& state, unsigned lane, std::uint64_t address, std::string& text) const {
    text.clear();
    std::byte next{};
    while (text.size() < kLongestString) {
        if (!read_bytes(state, lane, address + text.size(), {&next, 1})) {
            return false;
        }
        if (next == std::byte{0}) {
            return true;
        }
        text += static_cast<char>(next);
    }
    return true;
}

// Arguments are consecutive, each at a multiple of its size.
CtaRunner::Printed CtaRunner::formatted(Strand& state, unsigned lane, const std::string& format,
                                        std::uint64_t arguments) const {
    Printed printed;
    std::string& out = printed.text;
    std::uint64_t at = 0;
    const auto argument = [&](std::uint64_t size) {
        std::uint64_t value = 0;
        at = (at + size - 1) / size * size;
        std::array<std::byte, 8> bytes{};
        if (read_bytes(state, lane, arguments + at, {bytes.data(), size})) {
            std::memcpy(&value, bytes.data(), size);
        }
        at += size;
        ++printed.arguments;
        return value;
    };
    for (std::size_t i = 0; i < format.size(); ++i) {
        if (format[i] != '%') {
            out += format[i];
            continue;
        }
        std::string specification = "%";
        bool is_long = false;
        for (++i; i < format.size() && std::strchr("0123456789.+-# *lhz", format[i]) != nullptr; ++i) {
            if (format[i] == '*') {
                specification += std::to_string(bits_as<std::int32_t>(argument(4)));
            } else if (format[i] == 'l' || format[i] == 'z') {
                is_long = true;
            } else if (format[i] != 'h' && specification.size() < 32) {
                specification += format[i];
            }
        }
        const char kind = i < format.size() ? format[i] : '%';
        if (kind == '%') {
            out += '%';
        } else if (kind == 'd' || kind == 'i') {
            const auto value = is_long ? bits_as<std::int64_t>(argument(8)) : bits_as<std::int32_t>(argument(4));
            out += converted(specification + "lld", static_cast<long long>(value));
        } else if (std::strchr("uxXo", kind) != nullptr) {
            out += converted(specification + "ll" + kind, static_cast<unsigned long long>(argument(is_long ? 8 : 4)));
        } else if (std::strchr("fFeEgGaA", kind) != nullptr) {
            out += converted(specification + kind, bits_as<double>(argument(8)));
        } else if (kind == 'c') {
            out += converted(specification + 'c', bits_as<std::int32_t>(argument(4)));
        } else if (kind == 'p') {
            out += fmt::format("0x{:x}", argument(8));
        } else if (kind == 's') {
            std::string text;
            out +=
                read_string(state, lane, argument(8), text) ? converted(specification + "s", text.c_str()) : "(null)";
        } else {
            out += specification + kind;
        }
    }
    return printed;
}

// vprintf(format, arguments) → number of arguments that the format takes; __assertfail(message, file, line, function,
// size).
bool CtaRunner::built_in(Strand& state, const Compiled& code, const Block& block, std::uint32_t mask) {
    const std::vector<Passed>& arguments = code.passes[block.arguments];
    const auto passed = [&](std::size_t which, unsigned lane) {
        std::uint64_t value = 0;
        if (which < arguments.size()) {
            std::memcpy(&value, state.warp.parameters + lane * state.warp.parameter_stride + arguments[which].at,
                        std::min<std::size_t>(arguments[which].bytes, 8));
        }
        return value;
    };
    probe_.changed();
    const auto first = static_cast<unsigned>(std::countr_zero(mask));
    if (parts_.module->functions[block.taken].name == "__assertfail") {
        std::string message;
        std::string file;
        read_string(state, first, passed(0, first), message);
        read_string(state, first, passed(1, first), file);
        return fail(state, Fault::kAssertion, code, block.instruction, first,
                    fmt::format("assertion '{}' failed at {}:{}", message, file, passed(2, first)));
    }
    for (std::uint32_t left = mask; left != 0; left &= left - 1) {
        const auto lane = static_cast<unsigned>(std::countr_zero(left));
        std::string format;
        if (!read_string(state, lane, passed(0, lane), format)) {
            return fail(state, Fault::kOutOfBounds, code, block.instruction, lane, "printf's format cannot be read");
        }
        const Printed printed = formatted(state, lane, format, passed(1, lane));
        if (parts_.options->print) {
            parts_.options->print(printed.text);
        }
        const std::vector<Passed>& returned = code.passes[block.returned];
        if (!returned.empty()) {
            std::memcpy(state.warp.parameters + lane * state.warp.parameter_stride + returned[0].at,
                        &printed.arguments, std::min<std::size_t>(sizeof printed.arguments, returned[0].bytes));
        }
    }
    return true;
}

}  // namespace kymo::gpu::ptx
