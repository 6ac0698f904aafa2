// Rows for tests: random ones of any table, rows as text to compare them, and a file's rows gathered by stream.
#pragma once

#include "base/clean_text.h"
#include "recording/reader.h"
#include "recording/writer.h"

#include <cstdint>
#include <cstring>
#include <deque>
#include <map>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kymo::testing {

// "name=value" of every column; equal for equal rows only.
template <typename Row>
std::string describe(const Row& row) {
    std::string text = Row::kTable;
    const auto add = [&text](recording::ColumnType type, const auto& value) {
        using Value = std::remove_cvref_t<decltype(value)>;
        if constexpr (std::is_same_v<Value, std::string_view>) {
            // Text comes back as it can be shown.
            const std::string shown = type == recording::ColumnType::kText ? clean_text(value) : std::string(value);
            text += std::to_string(shown.size()) + ':' + shown;
        } else if constexpr (std::is_same_v<Value, recording::RawText>) {
            text += std::to_string(value.size()) + ':';
            text += value;
        } else if constexpr (std::is_same_v<Value, double>) {
            std::uint64_t bits = 0;
            std::memcpy(&bits, &value, sizeof bits);
            text += std::to_string(bits);
        } else if constexpr (std::is_same_v<Value, std::span<const std::uint64_t>>) {
            for (const std::uint64_t element : value) {
                text += std::to_string(element) + ',';
            }
        } else {
            text += std::to_string(value);
        }
    };
    Row::columns([&](const char* name, recording::ColumnType type, const char*, auto member) {
        text += ' ';
        text += name;
        text += '=';
        add(type, row.*member);
    });
    return text;
}

// Makes rows of any size of number, text and list, and keeps what they point to.
class RowMaker {
  public:
    explicit RowMaker(std::uint64_t seed) : random_(seed) {}

    template <typename Row>
    Row make() {
        Row row;
        Row::columns([&](const char*, recording::ColumnType, const char*, auto member) { fill(row.*member); });
        return row;
    }
    std::uint64_t below(std::uint64_t bound) { return random_() % bound; }

  private:
    std::uint64_t number() { return random_() >> (random_() % 64); }
    void fill(std::uint64_t& value) { value = number(); }
    void fill(std::int64_t& value) { value = static_cast<std::int64_t>(random_()) >> (random_() % 64); }
    void fill(double& value) { value = static_cast<double>(random_()) / 3.0 - 1e18; }
    void fill(std::string_view& text) {
        std::string& kept = texts_.emplace_back();
        // Mostly short, sometimes around the length's second byte, seldom larger than a chunk.
        const std::uint64_t kind = random_() % 1000;
        kept.resize(random_() % (kind < 900 ? 20 : kind < 999 ? 300 : 100'000));
        for (char& c : kept) {
            c = static_cast<char>(random_());
        }
        text = kept;
    }
    void fill(std::span<const std::uint64_t>& list) {
        std::vector<std::uint64_t>& kept = lists_.emplace_back();
        kept.resize(random_() % (random_() % 100 == 0 ? 2000 : 6));
        for (std::uint64_t& value : kept) {
            value = number();
        }
        list = kept;
    }

    std::mt19937_64 random_;
    std::deque<std::string> texts_;
    std::deque<std::vector<std::uint64_t>> lists_;
};

using RowsByStream = std::map<std::uint32_t, std::vector<std::string>>;

// All rows of the tables of tables.h, as text, by stream in file order.
Result<recording::ScanReport> gather(const recording::File& file, RowsByStream& rows);

}  // namespace kymo::testing
