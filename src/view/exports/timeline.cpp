#include "view/exports/timeline.h"

#include "base/clean_text.h"
#include "recording/tables.h"
#include "recording/tables/flows.h"
#include "spacetime/profile/wait_table.h"

#include <algorithm>
#include <fmt/format.h>
#include <unordered_map>

namespace kymo::view {
namespace {

using namespace spacetime;

// "waits: mutex", "system", "ready, without a processor"; empty for computing.
std::string state_slice(const ExportRun& run, const Piece& piece) {
    const ThreadWait* const wait = wait_of(run, piece);
    const std::string_view what = wait == nullptr ? "" : wait_kind_words(wait->kind);
    switch (piece.state) {
        case ThreadState::kUser:
        case ThreadState::kPaused:
            return "";
        case ThreadState::kSystem:
            return "system";
        case ThreadState::kReady:
            return "ready, without a processor";
        case ThreadState::kWaiting:
            return fmt::format("waits: {}", what);
        case ThreadState::kSpinning:
            return fmt::format("polls: {}", what);
        case ThreadState::kOff:
            return "off the processor";
    }
    return "";
}

// Turns each thread's pieces into slices.
class Slices {
  public:
    Slices(const ExportRun& run, std::vector<std::size_t> events, TimelineWriter& writer)
        : run_(run), events_(std::move(events)), writer_(writer), threads_(run.threads().size()) {
        for (Thread& thread : threads_) {
            thread.counts.resize(events_.size());
        }
    }

    void piece(const Piece& piece) {
        Thread& thread = threads_[piece.thread];
        const CallNodeIndex node = run_.call_node(piece.node);
        const std::string& state = state_text(piece);
        // A wait is a slice of its own until it ends.
        const std::uint32_t wait = piece.state == ThreadState::kWaiting ? piece.wait : kNone;
        if (node != thread.node || piece.begin != thread.end || &state != thread.state || wait != thread.wait) {
            step(piece.thread, piece, node, state);
            thread.wait = wait;
        }
        thread.end = piece.end;
        for (std::size_t event = 0; event < piece.events.size(); ++event) {
            if (piece.events[event] != 0) {
                thread.counts[event] += piece.events[event];
                writer_.counted(piece.thread, piece.end, events_[event], thread.counts[event]);
            }
        }
    }

    void finish() {
        for (std::uint32_t thread = 0; thread < threads_.size(); ++thread) {
            close_to(thread, 0);
        }
    }

  private:
    struct Thread {
        std::vector<CallNodeIndex> path;  // that is open, outermost first
        CallNodeIndex node = CallNodeIndex(0);
        const std::string* state = nullptr;  // open below it, unless empty
        std::uint32_t wait = kNone;
        std::uint64_t end = 0;
        std::vector<std::uint64_t> counts;
    };

    // The texts keep their addresses, so that they can be compared by these.
    const std::string& state_text(const Piece& piece) {
        const ThreadWait* const wait = piece.state == ThreadState::kWaiting || piece.state == ThreadState::kSpinning
                                           ? wait_of(run_, piece)
                                           : nullptr;
        const auto key = std::pair(piece.state, wait == nullptr ? recording::WaitKind{} : wait->kind);
        const auto [at, is_new] = states_.try_emplace(key);
        if (is_new) {
            at->second = state_slice(run_, piece);
        }
        return at->second;
    }

    void close_to(std::uint32_t number, std::size_t depth) {
        Thread& thread = threads_[number];
        if (thread.state != nullptr && !thread.state->empty()) {
            writer_.close(number, thread.end);
        }
        thread.state = nullptr;
        for (; thread.path.size() > depth; thread.path.pop_back()) {
            writer_.close(number, thread.end);
        }
    }

    void step(std::uint32_t number, const Piece& piece, CallNodeIndex node, const std::string& state) {
        Thread& thread = threads_[number];
        path_.clear();
        for (CallNodeIndex at = node; at != CallNodeIndex(0); at = run_.caller_of(at)) {
            path_.push_back(at);
        }
        std::reverse(path_.begin(), path_.end());
        std::size_t common = 0;
        while (piece.begin == thread.end && common < path_.size() && common < thread.path.size() &&
               path_[common] == thread.path[common]) {
            ++common;
        }
        close_to(number, common);
        for (; common < path_.size(); ++common) {
            thread.path.push_back(path_[common]);
            writer_.open(number, piece.begin, path_[common], run_.function_of(path_[common]).name, nullptr);
        }
        thread.node = node;
        thread.state = &state;
        if (!state.empty()) {
            const bool waits = piece.state == ThreadState::kWaiting || piece.state == ThreadState::kSpinning;
            writer_.open(number, piece.begin, CallNodeIndex(0), state, waits ? wait_of(run_, piece) : nullptr);
        }
    }

    const ExportRun& run_;
    std::vector<std::size_t> events_;
    TimelineWriter& writer_;
    std::vector<Thread> threads_;
    std::map<std::pair<ThreadState, recording::WaitKind>, std::string> states_;
    std::vector<CallNodeIndex> path_;
};

void write_wakeups(const ExportRun& run, TimelineWriter& writer) {
    const ThreadNumbers numbers(run);
    for (std::uint32_t thread = 0; thread < run.threads().size(); ++thread) {
        for (const ThreadWait& wait : run.threads()[thread].waits) {
            if (const std::uint32_t holder = numbers.holder(thread, wait); holder != kNone) {
                writer.wakeup({run.since_begin(wait.end), holder, thread});
            }
        }
    }
}

}  // namespace

ThreadNumbers::ThreadNumbers(const ExportRun& run) : run_(run) {
    for (std::uint32_t thread = 0; thread < run.threads().size(); ++thread) {
        const ProfileThread& one = run.threads()[thread];
        by_number_[{one.process, one.own_tid != 0 ? one.own_tid : one.tid}] = thread;
    }
}

std::uint32_t ThreadNumbers::holder(std::uint32_t thread, const ThreadWait& wait) const {
    const auto found = by_number_.find({run_.threads()[thread].process, wait.holder_tid});
    return wait.holder_tid == 0 || found == by_number_.end() || found->second == thread ? kNone : found->second;
}

Result<void> for_each_mark(const ExportRun& run, const std::function<void(const TimelineMark&)>& each) {
    const Profile& profile = run.profile;
    const auto files = run.recording->files();
    for (std::uint32_t file = 0; file < files.size(); ++file) {
        std::unordered_map<std::uint32_t, const ProfileStream*> streams;
        for (const ProfileStream& stream : profile.streams) {
            if (stream.file == file) {
                streams.emplace(stream.stream, &stream);
            }
        }
        const auto report =
            files[file].scan(recording::on<recording::Mark>([&](StreamId id, const recording::Mark& row) {
                const auto stream = streams.find(raw(id));
                if (stream != streams.end()) {
                    each({run.since_begin(row.time + static_cast<std::uint64_t>(stream->second->shift_ns)),
                          stream->second->thread, static_cast<recording::MarkKind>(row.kind), clean_text(row.name),
                          row.value});
                }
            }));
        if (!report) {
            return report.error();
        }
    }
    return {};
}

Result<void> for_each_flow(const ExportRun& run, const std::function<void(const TimelineFlow&)>& each) {
    std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint32_t> threads;
    for (std::uint32_t thread = 0; thread < run.threads().size(); ++thread) {
        const ProfileThread& one = run.threads()[thread];
        threads[{run.profile.processes[one.process].pid, one.tid}] = thread;
    }
    for (const recording::File& file : run.recording->files()) {
        const auto report =
            file.scan_streams([](StreamId stream) { return raw(stream) == 0; },
                              recording::on<recording::Flow>([&](StreamId, const recording::Flow& row) {
                                  const auto from = threads.find({row.from_pid, row.from_tid});
                                  const auto to = threads.find({row.to_pid, row.to_tid});
                                  if (from != threads.end() && to != threads.end()) {
                                      each({run.since_begin(row.begin), run.since_begin(row.time), from->second,
                                            to->second, clean_text(row.name)});
                                  }
                              }));
        if (!report) {
            return report.error();
        }
    }
    return {};
}

Result<ExportRun> load_timeline_run(const recording::Recording& recording) {
    return load_export_run(recording, {.below_creators = false, .weight = {}}, Findings::kAll);
}

Result<void> write_timeline(const ExportRun& run, TimelineWriter& writer) {
    const Profile& profile = run.profile;
    if (auto marks = for_each_mark(run, [&](const TimelineMark& mark) { writer.mark(mark); }); !marks) {
        return marks;
    }
    // Time is in the slices already.
    std::vector<std::size_t> events;
    for (std::size_t event = 0; event < profile.events.size(); ++event) {
        if (profile.events[event].unit != "ns") {
            events.push_back(event);
        }
    }
    Slices slices(run, events, writer);
    if (auto walked = walk_run(run, events, [&](const Piece& piece) { slices.piece(piece); }); !walked) {
        return walked;
    }
    slices.finish();
    write_wakeups(run, writer);
    return for_each_flow(run, [&](const TimelineFlow& flow) { writer.flow(flow); });
}

}  // namespace kymo::view
