#include "spacetime/exact/load_exact_calls.h"

#include "recording/tables/exact.h"

#include <algorithm>
#include <map>
#include <utility>

namespace kymo::spacetime {
namespace {

namespace rec = recording;

// A row, kept until the last one of its stream and function is known.
struct CallsOfThread {
    rec::ExactCalls row;
    std::vector<std::uint64_t> counts;
    std::vector<std::uint64_t> slowest;
};

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

class ExactReader {
  public:
    Result<void> read(const rec::File& file) {
        std::map<std::uint64_t, std::uint64_t> tids;                               // by stream
        std::map<std::pair<std::uint64_t, std::uint64_t>, CallsOfThread> threads;  // by stream and function
        const auto report =
            file.scan(rec::on<rec::ExactFunction>([&](StreamId, const rec::ExactFunction& row) { choose(row); }),
                      rec::on<rec::Stream>([&](StreamId, const rec::Stream& row) { tids[row.stream] = row.tid; }),
                      rec::on<rec::ExactCalls>([&](StreamId, const rec::ExactCalls& row) {
                          CallsOfThread& kept = threads[{row.stream, row.function}];
                          kept.row = row;
                          kept.counts.assign(row.counts.begin(), row.counts.end());
                          kept.slowest.assign(row.slowest.begin(), row.slowest.end());
                      }));
        if (!report) {
            return report.error();
        }
        for (auto& [where, thread] : threads) {
            if (is_whole(thread)) {
                calls_.push_back({where.second, file.header().pid, tids[where.first], std::move(thread)});
            }
        }
        return {};
    }

    ExactCalls finish() {
        for (const Calls& calls : calls_) {
            if (const auto function = functions_.find(calls.function); function != functions_.end()) {
                add_thread(calls.thread, calls.pid, calls.tid, function->second);
            }
        }
        for (auto& [number, function] : functions_) {
            std::stable_sort(
                function.slowest.begin(), function.slowest.end(),
                [](const SlowOccurrence& a, const SlowOccurrence& b) { return a.duration > b.duration; });
            function.slowest.resize(std::min(function.slowest.size(), kSlowestKept));
            exact_.functions.push_back(std::move(function));
        }
        std::stable_sort(exact_.functions.begin(), exact_.functions.end(),
                         [](const ExactFunction& a, const ExactFunction& b) {
                             return std::pair(!a.refused.empty(), b.sum) < std::pair(!b.refused.empty(), a.sum);
                         });
        return std::move(exact_);
    }

  private:
    struct Calls {
        std::uint64_t function = 0;
        std::uint32_t pid = 0;
        std::uint64_t tid = 0;
        CallsOfThread thread;
    };

    // The ranks of a job write the same rows.
    void choose(const rec::ExactFunction& row) {
        ExactFunction& function = functions_[row.function];
        function.name = std::string(row.name);
        function.module = std::string(row.module);
        function.build_id = std::string(row.build_id);
        function.offset = row.offset;
        function.refused = std::string(row.refused);
        exact_.earlier = std::string(row.earlier);
    }

    std::map<std::uint64_t, ExactFunction> functions_;
    std::vector<Calls> calls_;
    ExactCalls exact_;
};

}  // namespace

Result<ExactCalls> load_exact_calls(const rec::Recording& recording) {
    ExactReader reader;
    for (const rec::File& file : recording.files()) {
        if (const auto read = reader.read(file); !read) {
            return read.error();
        }
    }
    return reader.finish();
}

}  // namespace kymo::spacetime
