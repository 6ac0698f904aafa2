// Bytes of a file one after another, decompressed where the file is xz (by its first bytes, not by its name).
//
// Contract: one reader, one thread. Memory is one buffer and the decompressor's window (limited to 256 MiB).
#pragma once

#include "base/result.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace kymo::gpu {

class ByteInput {
  public:
    virtual ~ByteInput() = default;
    // The next bytes, valid until the next call; empty at the end. Errors: the system's, or damaged compression.
    virtual Result<std::span<const std::uint8_t>> read() = 0;
    virtual Result<void> rewind() = 0;
};

// Errors: kNotFound, kPermission.
Result<std::unique_ptr<ByteInput>> open_bytes(const std::filesystem::path& path);

// Bytes in memory, for tests; they must outlive the input.
std::unique_ptr<ByteInput> bytes_in_memory(std::span<const std::uint8_t> bytes);

// Lines of a ByteInput, without their end ("\n" or "\r\n"). A line longer than kLongest is an error.
class LineInput {
  public:
    static constexpr std::size_t kLongest = 64 * 1024;
    LineInput(std::unique_ptr<ByteInput> bytes, std::string name)
        : bytes_(std::move(bytes)), name_(std::move(name)) {}

    // The next line in `line`, valid until the next call; false at the end.
    Result<bool> next(std::string_view& line);
    Result<void> rewind();
    std::uint64_t number() const { return number_; }  // of the line last given, from 1
    const std::string& name() const { return name_; }
    // "NAME:LINE: expected WHAT" with the next step.
    Error malformed(std::string_view expected) const;

  private:
    std::unique_ptr<ByteInput> bytes_;
    std::string name_;
    std::span<const std::uint8_t> piece_;
    std::size_t at_ = 0;
    std::string joined_;  // a line that lay across two pieces
    std::uint64_t number_ = 0;
};

}  // namespace kymo::gpu
