// Flows of an imported trace, from the rows of a recording: added up by name and by the two threads.
#pragma once

#include "recording/handlers.h"
#include "recording/tables/flows.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace kymo::spacetime {

// All flows of one name from one thread to another.
struct FlowSum {
    std::string name;
    std::uint64_t from_pid = 0;
    std::uint64_t from_tid = 0;
    std::uint64_t to_pid = 0;
    std::uint64_t to_tid = 0;
    std::uint64_t count = 0;
    std::uint64_t total_ns = 0;    // from leaving to arriving
    std::uint64_t longest_ns = 0;  // of one
    std::uint64_t longest_at = 0;  // when it left
};

struct FlowArrow {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    std::uint64_t from_pid = 0;
    std::uint64_t from_tid = 0;
    std::uint64_t to_pid = 0;
    std::uint64_t to_tid = 0;
};

// The rows of one file. A reader of rows (recording/handlers.h). Memory: by different names and pairs of threads,
// kMostSums of them at most (those beyond are one without threads), and kMostArrows arrows, the first ones.
struct FlowRows {
    static constexpr std::size_t kMostSums = std::size_t{1} << 20U;
    static constexpr std::size_t kMostArrows = std::size_t{1} << 20U;

    void read_from(const recording::File& file, recording::Handlers& handlers);

    std::map<std::string, FlowSum> sums;  // by name and threads, as one text
    std::vector<FlowArrow> arrows;
};

struct RunFlows {
    std::vector<FlowSum> sums;      // those that took longest in all first
    std::vector<FlowArrow> arrows;  // in no order
};

// Of all files.
RunFlows run_flows(std::vector<FlowRows> files);

}  // namespace kymo::spacetime
