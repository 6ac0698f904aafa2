// A blob read back, for tests: what the page's own reader does in TypeScript.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>
#include <zlib.h>

namespace kymo::view::testing {

struct Unpacked {
    nlohmann::json json;
    std::string data;

    std::vector<std::int64_t> numbers(const std::string& name) const {
        const auto& column = json.at("columns").at(name);
        const std::string kind = column[0];
        std::size_t at = column[2];
        const std::size_t end = at + column[3].get<std::size_t>();
        std::vector<std::int64_t> out;
        std::int64_t last = 0;
        while (at < end) {
            std::uint64_t value = 0;
            for (unsigned shift = 0;; shift += 7) {
                const auto byte = static_cast<unsigned char>(data.at(at++));
                value |= std::uint64_t{byte & 0x7fU} << shift;
                if ((byte & 0x80U) == 0) {
                    break;
                }
            }
            const auto unfolded = static_cast<std::int64_t>(value >> 1U) ^ -static_cast<std::int64_t>(value & 1U);
            out.push_back(kind == "varint"  ? static_cast<std::int64_t>(value)
                          : kind == "delta" ? last += unfolded
                                            : unfolded);
        }
        if (out.size() != column[1].get<std::size_t>()) {
            throw std::runtime_error(name + " holds another number of values than it says");
        }
        return out;
    }
    std::string bytes(const std::string& name) const {
        const auto& column = json.at("columns").at(name);
        return data.substr(column[2], column[3]);
    }
};

inline Unpacked unpack(const std::string& deflated) {
    std::string raw(64U << 20U, '\0');
    uLongf size = raw.size();
    if (::uncompress(reinterpret_cast<Bytef*>(raw.data()), &size, reinterpret_cast<const Bytef*>(deflated.data()),
                     deflated.size()) != Z_OK) {
        throw std::runtime_error("not deflated");
    }
    raw.resize(size);
    const auto u32 = [&](std::size_t at) {
        std::uint32_t value = 0;
        for (unsigned i = 0; i < 4; ++i) {
            value |= std::uint32_t{static_cast<unsigned char>(raw.at(at + i))} << (8 * i);
        }
        return value;
    };
    if (raw.substr(0, 8) != "KYMOPAGE" || u32(8) != 1) {
        throw std::runtime_error("no blob");
    }
    const std::size_t length = u32(12);
    return {nlohmann::json::parse(raw.substr(16, length)), raw.substr(16 + length)};
}

}  // namespace kymo::view::testing
