#include "gpu/ptx/parse/arguments.h"

#include <charconv>
#include <cstring>
#include <fmt/format.h>
#include <fstream>
#include <random>

namespace kymo::gpu::ptx {
namespace {

Error wrong(std::string_view word, const std::string& expected) {
    return {ErrorKind::kUsage, fmt::format("argument '{}': expected {}", word, expected),
            "write a number, or an array as f32[1000]=random (docs/gpu-ptx.md)"};
}

bool is_whole_number(Type type) {
    return type >= Type::kB8 && type <= Type::kS64 && type != Type::kB128;
}

// A number as the bytes of `type`; false: not a number, or it does not fit.
bool number(std::string_view word, Type type, std::uint64_t& bits) {
    const char* const end = word.data() + word.size();
    if (type == Type::kF32 || type == Type::kF64) {
        double value = 0;
        const auto parsed = std::from_chars(word.data(), end, value);
        const auto single = static_cast<float>(value);
        if (type == Type::kF32) {
            std::uint32_t narrow = 0;
            std::memcpy(&narrow, &single, sizeof narrow);
            bits = narrow;
        } else {
            std::memcpy(&bits, &value, sizeof bits);
        }
        return parsed.ec == std::errc() && parsed.ptr == end && !word.empty();
    }
    const bool negative = word.starts_with('-');
    word.remove_prefix(negative ? 1 : 0);
    const bool hexadecimal = word.starts_with("0x");
    word.remove_prefix(hexadecimal ? 2 : 0);
    const auto parsed = std::from_chars(word.data(), end, bits, hexadecimal ? 16 : 10);
    const unsigned width = 8 * bytes(type);
    const bool fits = width >= 64 || (negative ? bits <= std::uint64_t{1} << (width - 1) : bits >> width == 0);
    bits = negative ? 0 - bits : bits;
    return parsed.ec == std::errc() && parsed.ptr == end && !word.empty() && is_whole_number(type) && fits;
}

Result<void> fill(std::string_view word, std::string_view how, Type type, std::uint64_t address,
                  std::uint64_t count) {
    const unsigned size = bytes(type);
    auto* const at = reinterpret_cast<std::uint8_t*>(address);
    if (how.starts_with('@')) {
        const std::string path(how.substr(1));
        std::ifstream file(path, std::ios::binary);
        file.read(reinterpret_cast<char*>(at), static_cast<std::streamsize>(count * size));
        if (file.gcount() == 0) {
            return Error{ErrorKind::kNotFound, fmt::format("argument '{}': {} cannot be read", word, path),
                         "name a file"};
        }
        return {};
    }
    std::mt19937_64 random(1);
    std::uniform_real_distribution<double> between(-1, 1);
    std::uint64_t bits = 0;
    if (how != "random" && how != "index" && !number(how, type, bits)) {
        return wrong(word, "random, index, @FILE or a number after '='");
    }
    for (std::uint64_t i = 0; i < count; ++i) {
        if (how == "random") {
            bits = random();
            const double value = between(random);
            const auto single = static_cast<float>(value);
            if (type == Type::kF64) {
                std::memcpy(&bits, &value, sizeof value);
            } else if (type == Type::kF32) {
                std::memcpy(&bits, &single, sizeof single);
            }
        } else if (how == "index") {
            const auto value = static_cast<double>(i);
            const auto single = static_cast<float>(i);
            bits = i;
            if (type == Type::kF64) {
                std::memcpy(&bits, &value, sizeof value);
            } else if (type == Type::kF32) {
                std::memcpy(&bits, &single, sizeof single);
            }
        }
        std::memcpy(at + i * size, &bits, size);
    }
    return {};
}

// TYPE[COUNT] and what is behind the '='.
Result<std::uint64_t> array(const std::string& word, DeviceMemory& memory) {
    const std::string_view whole(word);
    const std::size_t open = whole.find('[');
    const std::size_t close = whole.find(']', open);
    const Type type = type_named(whole.substr(0, open));
    std::uint64_t count = 0;
    if (close == std::string_view::npos || (!is_whole_number(type) && type != Type::kF32 && type != Type::kF64) ||
        !number(whole.substr(open + 1, close - open - 1), Type::kU64, count) || count == 0 || count > 1ULL << 36U) {
        return wrong(word, "an array as f32[1000]");
    }
    const std::string_view rest = whole.substr(close + 1);
    if (!rest.empty() && !rest.starts_with('=')) {
        return wrong(word, "nothing or '=' after ']'");
    }
    auto address = memory.allocate(count * bytes(type));
    if (!address) {
        return address.error();
    }
    if (!rest.empty()) {
        if (auto filled = fill(word, rest.substr(1), type, *address, count); !filled) {
            return filled.error();
        }
    }
    return *address;
}

}  // namespace

Result<std::vector<std::uint8_t>> parameters_from(const Function& kernel, std::span<const std::string> words,
                                                  DeviceMemory& memory) {
    if (words.size() != kernel.parameters.size()) {
        return Error{
            ErrorKind::kUsage,
            fmt::format("{} takes {} arguments, {} are given", kernel.name, kernel.parameters.size(), words.size()),
            "give one word a parameter: --args f32[1000]=random 1000"};
    }
    std::vector<std::uint8_t> made(kernel.parameter_bytes);
    for (std::size_t i = 0; i < words.size(); ++i) {
        const Parameter& parameter = kernel.parameters[i];
        std::uint64_t bits = 0;
        if (words[i].find('[') != std::string::npos) {
            auto address = array(words[i], memory);
            if (!address) {
                return address.error();
            }
            if (parameter.bytes != 8) {
                return wrong(words[i], fmt::format("a number: {} is not an address", parameter.name));
            }
            bits = *address;
        } else if (parameter.bytes != bytes(parameter.type) || !number(words[i], parameter.type, bits)) {
            return wrong(words[i], fmt::format("a number of {} for {}", name(parameter.type), parameter.name));
        }
        std::memcpy(made.data() + parameter.offset, &bits, std::min<std::size_t>(parameter.bytes, sizeof bits));
    }
    return made;
}

Result<Dim3> dim_from(const std::string& word) {
    Dim3 dim;
    std::string_view rest(word);
    for (std::uint32_t* const part : {&dim.x, &dim.y, &dim.z}) {
        const std::size_t end = std::min(rest.find_first_of(",x"), rest.size());
        std::uint64_t value = 0;
        if (!number(rest.substr(0, end), Type::kU32, value) || value == 0) {
            return Error{ErrorKind::kUsage, fmt::format("'{}' is not a size", word), "write 64 or 16,16 or 8,8,4"};
        }
        *part = static_cast<std::uint32_t>(value);
        if (end == rest.size()) {
            return dim;
        }
        rest.remove_prefix(end + 1);
    }
    return Error{ErrorKind::kUsage, fmt::format("'{}' has more than three sizes", word),
                 "write 64 or 16,16 or 8,8,4"};
}

}  // namespace kymo::gpu::ptx
