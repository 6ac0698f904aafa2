#include "spacetime/exact/exact_rows.h"

#include <algorithm>
#include <string>

namespace kymo::spacetime {
namespace {

namespace rec = recording;

using CallsOfThread = ExactRows::CallsOfThread;

// Calls whose parts do not add up are dropped.
bool is_whole(const CallsOfThread& thread) {
    std::uint64_t left = thread.row.calls;
    for (const std::uint64_t part : {thread.row.running, thread.row.cut, thread.row.untimed}) {
        if (part > left) {
            return false;
        }
        left -= part;
    }
    if (thread.counts.size() % 2 != 0 || thread.slowest.size() % rec::kSlowColumns != 0) {
        return false;
    }
    for (std::size_t i = 0; i < thread.counts.size(); i += 2) {
        if (thread.counts[i] >= kDurationBuckets || thread.counts[i + 1] > left) {
            return false;
        }
        left -= thread.counts[i + 1];
    }
    return left == 0;
}

void add_thread(const CallsOfThread& thread, std::uint32_t pid, std::uint64_t tid, ExactFunction& function) {
    function.calls += thread.row.calls;
    function.running += thread.row.running;
    function.cut += thread.row.cut;
    function.untimed += thread.row.untimed;
    function.sum += thread.row.sum_ns;
    ++function.threads;
    for (std::size_t i = 0; i < thread.counts.size(); i += 2) {
        function.counts[thread.counts[i]] += thread.counts[i + 1];
    }
    for (std::size_t i = 0; i < thread.slowest.size(); i += rec::kSlowColumns) {
        const std::uint64_t* columns = &thread.slowest[i];
        SlowOccurrence slow;
        slow.pid = pid;
        slow.tid = tid;
        slow.begin = columns[rec::kSlowBegin];
        slow.duration = columns[rec::kSlowDuration];
        slow.is_counted = columns[rec::kSlowCounted] != 0;
        slow.early = columns[rec::kSlowEarly];
        slow.processor = columns[rec::kSlowProcessor];
        slow.voluntary = columns[rec::kSlowVoluntary];
        slow.involuntary = columns[rec::kSlowInvoluntary];
        slow.minor_faults = columns[rec::kSlowMinorFaults];
        slow.major_faults = columns[rec::kSlowMajorFaults];
        function.slowest.push_back(slow);
    }
}

// The ranks of a job write the same rows.
void take_function(const rec::ExactFunction& row, ExactRows& rows) {
    ExactFunction& function = rows.functions[row.function];
    function.name = std::string(row.name);
    function.module = std::string(row.module);
    function.build_id = std::string(row.build_id);
    function.offset = row.offset;
    function.refused = std::string(row.refused);
    rows.earlier = std::string(row.earlier);
}

}  // namespace

void ExactRows::read_from(const rec::File& file, rec::Handlers& handlers) {
    pid = file.header().pid;
    handlers.on<rec::ExactFunction>([this](StreamId, const rec::ExactFunction& row) { take_function(row, *this); });
    handlers.on<rec::Stream>([this](StreamId, const rec::Stream& row) { tids[row.stream] = row.tid; });
    handlers.on<rec::ExactCalls>([this](StreamId, const rec::ExactCalls& row) {
        CallsOfThread& kept = threads[{row.stream, row.function}];
        kept.row = row;
        kept.row.counts = {};  // kept below
        kept.row.slowest = {};
        kept.counts.assign(row.counts.begin(), row.counts.end());
        kept.slowest.assign(row.slowest.begin(), row.slowest.end());
    });
}

ExactCalls exact_calls(const std::vector<ExactRows>& files) {
    ExactCalls exact;
    std::map<std::uint64_t, ExactFunction> functions;
    for (const ExactRows& file : files) {
        for (const auto& [number, function] : file.functions) {
            functions[number] = function;
            exact.earlier = file.earlier;
        }
    }
    for (const ExactRows& file : files) {
        for (const auto& [where, thread] : file.threads) {
            const auto function = functions.find(where.second);
            const auto tid = file.tids.find(where.first);
            if (function != functions.end() && is_whole(thread)) {
                add_thread(thread, file.pid, tid != file.tids.end() ? tid->second : 0, function->second);
            }
        }
    }
    for (auto& [number, function] : functions) {
        std::stable_sort(function.slowest.begin(), function.slowest.end(),
                         [](const SlowOccurrence& a, const SlowOccurrence& b) { return a.duration > b.duration; });
        function.slowest.resize(std::min(function.slowest.size(), kSlowestKept));
        exact.functions.push_back(std::move(function));
    }
    std::stable_sort(exact.functions.begin(), exact.functions.end(),
                     [](const ExactFunction& a, const ExactFunction& b) {
                         return std::pair(!a.refused.empty(), b.sum) < std::pair(!b.refused.empty(), a.sum);
                     });
    return exact;
}

}  // namespace kymo::spacetime
