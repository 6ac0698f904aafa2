// Records of the kernel, each to the visitor's function for its kind.
#pragma once

#include "import/perf/events.h"
#include "import/perf/origins.h"
#include "import/perf/sample_reader.h"
#include "import/perf/visitor.h"

#include <vector>

namespace kymo::import::perf {

// Whether visitors have a function for records of this type.
bool is_delivered(std::uint32_t type);

class RecordReader {
  public:
    RecordReader(const Events& events, ByteOrder order, Visitor& visitor)
        : events_(events), order_(order), visitor_(visitor), samples_(events, order) {}

    // `record` is all of it, kRecordHeader bytes at least; `time` as the first reading found it, so that the order
    // stays whatever came later. Precondition: is_delivered. False: its fields are not all there, so nothing was
    // called.
    bool deliver(const RecordHeader& header, std::span<const std::uint8_t> record, std::uint64_t time);

  private:
    bool other(const RecordHeader& header, std::span<const std::uint8_t> body, std::uint64_t time);
    bool mapping(const RecordHeader& header, Bytes from, const Origin& origin);
    template <typename Record>
    bool life(Bytes from, Record& to);
    bool throttle(const RecordHeader& header, Bytes from, const Origin& origin);
    bool context_switch(const RecordHeader& header, Bytes from, const Origin& origin);
    bool lost(const RecordHeader& header, Bytes from, const Origin& origin, std::uint64_t id);
    bool comm(const RecordHeader& header, Bytes from, const Origin& origin);
    bool kernel_symbol(Bytes from, const Origin& origin);
    bool cgroup(Bytes from, const Origin& origin);
    bool namespaces(Bytes from, const Origin& origin);

    const Events& events_;
    ByteOrder order_;
    Visitor& visitor_;
    SampleReader samples_;
    Sample sample_;
    std::vector<Namespace> namespaces_;
};

}  // namespace kymo::import::perf
