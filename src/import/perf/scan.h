// The first reading: goes from record to record, decompresses, notes where each is and when it was made, and reads
// perf's own records.
#pragma once

#include "base/result.h"
#include "import/perf/contents.h"
#include "import/perf/decompressor.h"
#include "import/perf/file_header.h"
#include "import/perf/origins.h"

#include <functional>
#include <optional>
#include <vector>

namespace kymo::import::perf {

constexpr std::size_t kMostRecords = std::size_t{1} << 28;

class Scan {
  public:
    // `features` fills `to.facts`.
    Scan(BlockFile& file, const FileHeader& header, Contents& to, Features& features)
        : file_(file), header_(header), order_(header.order), to_(to), features_(features) {}

    // `progress` gets the share of the file that is done. Error: kNoSpace.
    Result<void> run(const std::function<void(double)>& progress);

  private:
    // Of perf's own records; how many bytes follow it that belong to it.
    std::uint64_t own(const RecordHeader& header, std::span<const std::uint8_t> record);
    void attribute(Bytes from, std::span<const std::uint8_t> record);
    void event_update(Bytes from);
    Result<void> kernel(const RecordHeader& header, std::span<const std::uint8_t> record, std::uint64_t at);
    Result<void> compressed(std::span<const std::uint8_t> bytes);
    Result<void> decompressed(std::span<const std::uint8_t> part);
    Result<void> records_of_parts();
    void make_room(std::uint64_t at);
    void stop_decompressing(const char* why);

    BlockFile& file_;
    const FileHeader& header_;
    ByteOrder order_;
    Contents& to_;
    Features& features_;

    std::optional<Decompressor> decompressor_;
    bool stopped_ = false;          // decompressing
    std::uint64_t compressed_ = 0;  // bytes so far
    std::vector<std::uint8_t> given_;
    std::vector<std::uint8_t> rest_;  // decompressed, not yet a whole record
    std::uint64_t rest_at_ = 0;       // where that begins among all decompressed bytes
};

}  // namespace kymo::import::perf
