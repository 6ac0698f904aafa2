// The beginning of a file: where in it is what.
#pragma once

#include "base/result.h"
#include "import/perf/block_file.h"
#include "import/perf/bytes.h"
#include "import/perf/events.h"
#include "import/perf/features.h"
#include "import/perf/skipped.h"

#include <string>
#include <vector>

namespace kymo::import::perf {

struct Section {
    std::uint64_t offset = 0;
    std::uint64_t size = 0;
};

struct FileHeader {
    ByteOrder order;
    bool pipe = false;  // what follows is records and nothing else
    Section data;       // within the file
    Section attributes;
    std::uint64_t attribute_bytes = 0;  // of each entry there
    std::vector<unsigned> features;     // their sections are listed behind the data in this order
};

// Error: kMalformed, kUnsupported. A file that was not finished, or cut, leaves a note.
Result<FileHeader> read_file_header(BlockFile& file, const std::string& name, Skipped& skipped);

// The events that a file which was not piped lists. Error: kMalformed, damaged or too many.
Result<void> read_events(BlockFile& file, const FileHeader& header, const std::string& name, Events& to);

// The sections of features. At most kMostFeatureBytes of each.
constexpr std::size_t kMostFeatureBytes = std::size_t{64} << 20;
void read_features(BlockFile& file, const FileHeader& header, Features& to);

}  // namespace kymo::import::perf
