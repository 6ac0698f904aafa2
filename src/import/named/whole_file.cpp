#include "import/named/whole_file.h"

#include "import/named/unpacked.h"

#include <fmt/format.h>
#include <optional>

namespace kymo::import::named {
namespace {

// An error where these bytes are too many.
std::optional<Error> append(WholeFile& to, std::span<const std::uint8_t> bytes, std::uint64_t read,
                            const Input& input) {
    if (bytes.size() > WholeFile::kMostBytes - to.bytes.size()) {
        return Error{ErrorKind::kNoSpace,
                     fmt::format("{} has more than {} MiB", input.name(), WholeFile::kMostBytes >> 20U),
                     "use a profile of a shorter run"};
    }
    if (to.bytes.size() + bytes.size() > WholeFile::kFreeBytes + read * WholeFile::kMostRatio) {
        return Error{ErrorKind::kMalformed,
                     fmt::format("{} becomes more than {} times larger when decompressed", input.name(),
                                 WholeFile::kMostRatio),
                     ""};
    }
    to.bytes.insert(to.bytes.end(), bytes.begin(), bytes.end());
    return std::nullopt;
}

}  // namespace

Result<WholeFile> read_whole(Input& input, const Progress& progress) {
    WholeFile to;
    Unpacked unpacked(input);
    for (;;) {
        const auto bytes = unpacked.next();
        if (!bytes) {
            return bytes.error();
        }
        if (bytes->empty()) {
            to.is_cut = unpacked.is_cut();
            return to;
        }
        if (progress && input.share() > 0) {
            progress(input.share() / 2);
        }
        if (auto error = append(to, *bytes, unpacked.read(), input)) {
            return std::move(*error);
        }
    }
}

}  // namespace kymo::import::named
