// What was not read from a file, for its notices.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace kymo::import::perf {

class Skipped {
  public:
    // A record that no visitor gets, by its type. Those of no use to anyone leave no notice.
    void record(std::uint32_t type);
    void trace(std::uint64_t bytes) { trace_bytes_ += bytes; }
    void sample_of_unknown_event() { ++of_unknown_events_; }
    void malformed() { ++malformed_; }
    void note(std::string line) { lines_.push_back(std::move(line)); }

    // All notices since the last call.
    std::vector<std::string> take_notices();

  private:
    static constexpr std::size_t kMostTypes = 16;  // counted each on its own

    std::map<std::uint32_t, std::uint64_t> unknown_;
    std::uint64_t other_unknown_ = 0;
    std::uint64_t trace_records_ = 0;
    std::uint64_t trace_bytes_ = 0;
    std::uint64_t counts_of_threads_ = 0;
    std::uint64_t statistics_ = 0;
    std::uint64_t deferred_ = 0;
    std::uint64_t of_unknown_events_ = 0;
    std::uint64_t malformed_ = 0;
    std::vector<std::string> lines_;
};

}  // namespace kymo::import::perf
