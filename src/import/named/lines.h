// An input's lines.
#pragma once

#include "import/named/input.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace kymo::import::named {

class Lines {
  public:
    static constexpr std::size_t kMostBytes = std::size_t{64} << 10;

    // The input must outlive this.
    explicit Lines(Input& input) : input_(input) {}

    // The next line without its end ("\n", or "\r\n"), valid until the next call; none: no more. Lines of more than
    // kMostBytes are passed over and counted; a last one without an end counts as one. Error: the input's.
    Result<std::optional<std::string_view>> next();

    // Of the line last given, from 1; 0: none was.
    [[nodiscard]] std::uint64_t number() const { return number_; }
    [[nodiscard]] std::uint64_t too_long() const { return too_long_; }
    [[nodiscard]] std::uint64_t first_too_long() const { return first_too_long_; }  // its number

  private:
    // Ends a line that may have begun in earlier blocks; none: it was too long.
    std::optional<std::string_view> end_line(std::string_view last_part);
    void add_part(std::string_view part);

    Input& input_;
    std::string_view block_;  // what is left of the last one
    std::string begun_;       // the line's parts in blocks before
    bool is_begun_ = false;
    bool is_too_long_ = false;
    std::string given_;  // holds a line that came in parts
    std::uint64_t number_ = 0;
    std::uint64_t too_long_ = 0;
    std::uint64_t first_too_long_ = 0;
};

}  // namespace kymo::import::named
