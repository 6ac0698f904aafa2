// A piece of the page's data: one JSON object and named columns of numbers, in one run of bytes (docs/page-data.md).
//
//     Blob blob;
//     blob.json["threads"] = 3;
//     blob.varints("node.parent", parents);
//     html += blob.base64();   // deflated
//
// Plain value. Texts need not be valid UTF-8: invalid bytes become U+FFFD.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kymo::view {

class Blob {
  public:
    nlohmann::ordered_json json = nlohmann::ordered_json::object();

    // Little-endian bytes as they are.
    void bytes(std::string_view name, std::string_view raw);
    // LEB128; good where most numbers are small.
    void varints(std::string_view name, std::span<const std::uint64_t> values);
    void varints(std::string_view name, std::span<const std::uint32_t> values);
    // Each as the difference to the one before, zigzag: good for mostly rising numbers.
    void deltas(std::string_view name, std::span<const std::uint64_t> values);
    // Signed, zigzag.
    void signed_varints(std::string_view name, std::span<const std::int64_t> values);
    // A column each: name.0, name.1, …
    void numbered_varints(std::string_view name, std::span<const std::vector<std::uint64_t>> columns);
    void numbered_signed(std::string_view name, std::span<const std::vector<std::int64_t>> columns);
    void floats(std::string_view name, std::span<const float> values);

    // All of it, deflated (zlib format). Cost: about 20 ns a byte.
    std::string deflated() const;

  private:
    struct Column {
        std::string name;
        std::string kind;
        std::size_t count = 0;
        std::size_t offset = 0;
        std::size_t size = 0;
    };
    void add(std::string_view name, std::string_view kind, std::size_t count, std::string_view raw);

    std::vector<Column> columns_;
    std::string data_;
};

std::string base64(std::string_view bytes);

// For columns: unsigned LEB128 at the end of `out`.
void put_varint(std::string& out, std::uint64_t value);

}  // namespace kymo::view
