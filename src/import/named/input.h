// The bytes behind a path, from the first to the last.
#pragma once

#include "base/descriptor.h"
#include "base/result.h"

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace kymo::import::named {

class Input {
  public:
    static constexpr std::size_t kBlockBytes = std::size_t{256} << 10;

    // The file, or standard input if the path is "-". Errors: kNotFound, kPermission, also of a directory.
    static Result<Input> open(const std::filesystem::path& path);
    // A file that is open, from where it stands; what lies behind so many bytes is not read. `name`: for messages.
    static Input of(Descriptor file, std::string name, std::uint64_t most_bytes) {
        Input input(std::move(file), std::move(name), 0);
        input.left_ = most_bytes;
        return input;
    }

    [[nodiscard]] const std::string& name() const { return name_; }  // for messages

    // The first bytes of what is left, up to `bytes` of them, at most kBlockBytes; they stay. Fewer: there are no
    // more.
    Result<std::span<const std::uint8_t>> peek(std::size_t bytes);
    // The next bytes, valid until the next call; empty: the end.
    Result<std::span<const std::uint8_t>> next();

    // Of all bytes, how many have been given; 0: unknown, as of a pipe.
    [[nodiscard]] double share() const;

  private:
    Input(Descriptor file, std::string name, std::uint64_t size)
        : file_(std::move(file)), name_(std::move(name)), size_(size), block_(kBlockBytes) {}

    // Appends what one read gives; false: the end.
    Result<bool> fill();

    Descriptor file_;
    std::string name_;
    std::uint64_t size_ = 0;
    std::uint64_t given_ = 0;
    std::uint64_t left_ = ~std::uint64_t{0};  // bytes that may be read
    std::vector<std::uint8_t> block_;
    std::size_t filled_ = 0;  // bytes of block_ that were read and not given
};

}  // namespace kymo::import::named
