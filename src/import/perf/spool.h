// A file without a name, for bytes that can be read only once but are needed in another order.
#pragma once

#include "base/descriptor.h"
#include "base/result.h"

#include <cstdint>
#include <span>
#include <string>

namespace kymo::import::perf {

class Spool {
  public:
    static constexpr std::uint64_t kMostBytes = std::uint64_t{16} << 30;

    // Below $TMPDIR (/tmp); gone with its descriptor. Error: the system's.
    static Result<Spool> make();

    [[nodiscard]] std::uint64_t size() const { return size_; }
    // Whether `bytes` more are within kMostBytes.
    [[nodiscard]] bool has_room(std::uint64_t bytes) const { return bytes <= kMostBytes - size_; }

    // Precondition: has_room(bytes.size()). Error: kNoSpace, also where less than a tenth of the disk would stay free
    // or the process may not write files of that size.
    Result<void> append(std::span<const std::uint8_t> bytes);

    // Its file, for reading. The spool must not be used after it.
    Descriptor release() { return std::move(file_); }

  private:
    Descriptor file_;
    std::string folder_;
    std::uint64_t size_ = 0;
    std::uint64_t room_ = 0;  // bytes that may be on the disk
};

}  // namespace kymo::import::perf
