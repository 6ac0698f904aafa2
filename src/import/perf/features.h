// The features of a file: sections about the machine and the run, or records with the same contents.
#pragma once

#include "import/perf/bytes.h"
#include "import/perf/events.h"
#include "import/perf/facts.h"
#include "import/perf/origins.h"

#include <bitset>
#include <string>
#include <vector>

namespace kymo::import::perf {

constexpr unsigned kMostFeatures = 256;
constexpr unsigned kHostnameFeature = 3;

// As perf names it, or "feature N".
std::string feature_name(unsigned number);

// Whether something is read from it.
bool is_read(unsigned number);

class Features {
  public:
    explicit Features(FileFacts& to) : to_(to) {}

    // Precondition: number < kMostFeatures. Cut or senseless ones give what they have. At most kMostBuildIds build
    // ids.
    void take(unsigned number, Bytes from);
    // One entry of the list of build ids, by its bytes after the header.
    void build_id(const RecordHeader& header, Bytes from);

    // Gives the events the names that the file has for them.
    void name_events(Events& events) const;

  private:
    static constexpr std::size_t kMostBuildIds = std::size_t{1} << 20;

    struct Description {
        std::string name;
        std::vector<std::uint64_t> ids;
        std::uint32_t type = 0;
        std::uint64_t config = 0;
    };

    void build_ids(Bytes from);
    void command_line(Bytes from);
    void descriptions(Bytes from);
    void clock(Bytes from);

    FileFacts& to_;
    std::bitset<kMostFeatures> present_;
    std::vector<Description> descriptions_;
};

}  // namespace kymo::import::perf
