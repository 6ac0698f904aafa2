// The events of a file, and which of them a record is of.
#pragma once

#include "import/perf/attribute.h"
#include "import/perf/bytes.h"
#include "import/perf/records.h"

#include <span>
#include <unordered_map>
#include <vector>

namespace kymo::import::perf {

// Where a record of an event has what, in words of 8 bytes. 0 for a position in the trailer: not at all.
struct Layout {
    static constexpr std::uint32_t kNone = 0xffff'ffff;
    std::uint32_t sample_id = kNone;  // from a sample's first word
    std::uint32_t sample_time = kNone;
    std::uint32_t trailer_words = 0;  // at the end of other records
    std::uint32_t trailer_id = 0;     // from their end
    std::uint32_t trailer_time = 0;
};

class Events {
  public:
    static constexpr std::size_t kMostEvents = 65'536;
    static constexpr std::size_t kMostIds = std::size_t{1} << 22;

    // False: there are too many events or ids.
    bool add(Attribute attribute);

    // One more id of this event. False: there are too many.
    bool add_id(std::uint32_t event, std::uint64_t id);

    [[nodiscard]] std::span<const Attribute> all() const { return attributes_; }
    [[nodiscard]] std::span<Attribute> all() { return attributes_; }
    [[nodiscard]] const Layout& layout(std::uint32_t event) const { return layouts_[event]; }

    // By one of its ids; kNotGiven: none.
    [[nodiscard]] std::uint32_t by_id(std::uint64_t id) const {
        const auto found = by_id_.find(id);
        return found != by_id_.end() ? found->second : kNotGiven;
    }

    // Of a sample, by its bytes after the header; kNotGiven: of an unknown event.
    [[nodiscard]] std::uint32_t of_sample(std::span<const std::uint8_t> body, ByteOrder order) const;

    // Of a record with a trailer; kNotGiven: it has none, or that of an unknown event. Trailers of 0, which perf
    // makes for records of its own, are of the first event.
    [[nodiscard]] std::uint32_t of_other(std::span<const std::uint8_t> body, ByteOrder order) const;

  private:
    std::vector<Attribute> attributes_;
    std::vector<Layout> layouts_;
    std::unordered_map<std::uint64_t, std::uint32_t> by_id_;
    // All different positions of ids; usually there is one.
    std::vector<std::uint32_t> sample_ids_;
    std::vector<std::uint32_t> trailer_ids_;
};

}  // namespace kymo::import::perf
