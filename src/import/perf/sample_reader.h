// The fields of a sample, one after another as its event's sample_type says.
#pragma once

#include "import/perf/events.h"
#include "import/perf/origins.h"

#include <memory>
#include <vector>

namespace kymo::import::perf {

class SampleReader {
  public:
    SampleReader(const Events& events, ByteOrder order) : events_(events), order_(order) {}

    // `record` is all of it. Its spans are valid until the next call and as long as `record`. False: the fields are
    // not all there, or the event is unknown.
    bool read(const RecordHeader& header, std::span<const std::uint8_t> record, Sample& to);

  private:
    void identity(Bytes& from, const Attribute& event, Sample& to);
    bool counters(Bytes& from, const Attribute& event, Sample& to);
    void one_counter(Bytes& from, const Attribute& event, Sample& to);
    bool group(Bytes& from, const Attribute& event, Sample& to);
    bool branches(Bytes& from, const Attribute& event, Sample& to);
    bool registers(Bytes& from, std::uint64_t mask, Registers& to);
    bool list(Bytes& from, std::uint64_t count, std::span<const std::uint64_t>& to);
    static void stack(Bytes& from, Sample& to);
    static void memory_access(Bytes& from, std::uint64_t type, Sample& to);

    const Events& events_;
    ByteOrder order_;
    // What the sample's spans show. A record has less than 64 KiB, so it has no more words than this.
    static constexpr std::size_t kWords = (64 << 10) / 8;
    std::unique_ptr<std::uint64_t[]> words_ = std::make_unique<std::uint64_t[]>(kWords);
    std::size_t used_ = 0;
    std::vector<CounterValue> reads_;
    std::vector<Branch> branches_;
};

}  // namespace kymo::import::perf
