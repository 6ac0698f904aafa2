// Everything but the samples of one file: the first pass over it.
#pragma once

#include "recording/handlers.h"
#include "spacetime/load/file_data.h"
#include "spacetime/load/task_lives.h"

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace kymo::spacetime {

// A reader of rows (recording/handlers.h). Not thread-safe; bounded as FileData.
class Descriptions {
  public:
    void read_from(const recording::File& file, recording::Handlers& handlers);
    void end(const recording::ScanReport& report);
    // Once, after the scan.
    FileData take() { return std::move(data_); }

  private:
    template <typename Call>
    void with_stream(std::uint64_t id, const Call& call);
    void read_run(recording::Handlers& handlers);
    void read_process(recording::Handlers& handlers);
    void read_streams(recording::Handlers& handlers);
    void read_contexts(recording::Handlers& handlers);
    void read_hosts(recording::Handlers& handlers);

    template <typename End>
    std::vector<std::uint64_t> totals_of(const End& row) const;
    void add_short(const recording::ShortProcess& row);
    void add_event(const recording::Event& row);
    void add_stream(const recording::Stream& row);
    void add_join(StreamData& stream, const recording::Join& row);
    void add_outer_dropped(StreamData& stream, const recording::OuterDropped& row);
    void add_context(StreamData& stream, const recording::Context& row);
    void add_wait(std::uint64_t id, const recording::Wait& row);
    void add_brief(const recording::WaitBrief& row);
    void add_end(const recording::StreamEnd& row);
    void find_own_contexts();
    void count_lost_joins();

    FileData data_;
    bool is_excerpt_ = false;
    std::map<std::pair<std::uint64_t, std::uint64_t>, std::size_t> short_;  // by pid and begin
    TaskLives lives_;
    std::uint64_t context_rows_ = 0;
    std::uint64_t missing_contexts_ = 0;  // at most 65536 + 4 × context_rows_
};

}  // namespace kymo::spacetime
