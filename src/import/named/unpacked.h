// An input's bytes block by block, decompressed if they are of gzip.
#pragma once

#include "base/result.h"
#include "import/named/input.h"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace kymo::import::named {

class Gunzip;

// Memory: two blocks, whatever the input.
class Unpacked {
  public:
    // The input must outlive this.
    explicit Unpacked(Input& input);
    Unpacked(const Unpacked&) = delete;
    Unpacked& operator=(const Unpacked&) = delete;
    ~Unpacked();

    // The next bytes, valid until the next call; empty: the end, or the compressed data are damaged from here on.
    // Error: the input's.
    Result<std::span<const std::uint8_t>> next();

    // At the end: the compressed data end early, or are damaged.
    [[nodiscard]] bool is_cut() const;
    [[nodiscard]] std::uint64_t read() const { return read_; }  // bytes of the input so far

  private:
    Input& input_;
    std::unique_ptr<Gunzip> gunzip_;  // none: not compressed, or not known yet
    bool is_begun_ = false;
    bool is_done_ = false;
    std::uint64_t read_ = 0;
};

// What the beginning of a file says, decompressed: at most `most` bytes of it.
std::vector<std::uint8_t> decompressed_beginning(std::span<const std::uint8_t> beginning, std::size_t most);

}  // namespace kymo::import::named
