// The file of speedscope (speedscope.app/file-format-schema.json, 2024): for each thread its call paths
// in the order of time, with their durations.
#include "view/exports/run.h"
#include "view/exports/spool.h"

#include <fmt/format.h>
#include <map>
#include <unordered_map>

namespace kymo::view {
namespace {

using namespace spacetime;

// The time that is laid out.
enum class Time : std::uint8_t { kProcessor, kOff, kWall };

Result<Time> time_of(const std::string& weight) {
    if (weight.empty()) {
        return Time::kProcessor;
    }
    if (weight == "off-cpu") {
        return Time::kOff;
    }
    if (weight == "wall") {
        return Time::kWall;
    }
    return Error{ErrorKind::kUsage, "speedscope lays out time: \"" + weight + "\" is none",
                 "--weight off-cpu, --weight wall, or none for processor time"};
}

class SpeedscopeWriter {
  public:
    SpeedscopeWriter(const ExportRun& run, Time time, Output& out)
        : run_(run), time_(time), out_(out), last_(run.threads().size()), spool_(2 * run.threads().size()) {}

    Result<void> write(const std::string& name) {
        frames();
        const auto walked = walk_run(run_, {}, [&](const Piece& one) { piece(one); });
        if (!walked) {
            return walked.error();
        }
        out_.write("]},\n\"profiles\":[");
        std::size_t written = 0;
        std::size_t busiest = 0;  // shown first
        std::uint64_t most = 0;
        for (std::uint32_t thread = 0; thread < run_.threads().size(); ++thread) {
            put(thread);
            if (last_[thread].total == 0) {
                continue;
            }
            if (last_[thread].total > most) {
                most = last_[thread].total;
                busiest = written;
            }
            if (auto good = profile(thread, written++ == 0); !good) {
                return good;
            }
        }
        out_.write(fmt::format("],\n\"name\":{},\"exporter\":\"kymo\",\"activeProfileIndex\":{}}}\n",
                               json_string(name), busiest));
        return {};
    }

  private:
    // One thread's stretch on one path that is not written yet.
    struct Last {
        std::uint32_t node = kNone;
        std::uint32_t frame = kNone;  // what it waits for, below the path; kNone: it does not wait
        std::uint64_t ns = 0;
        std::uint64_t total = 0;  // of the thread
    };

    // A thread's two lists in the spool: its paths, then their weights.
    static std::size_t path_list(std::uint32_t thread) { return 2 * std::size_t{thread}; }

    void frames() {
        out_.write("{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\n\"shared\":{\"frames\":[");
        const CallTree& tree = run_.tree;
        std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> numbers;  // function and line
        frame_of_.resize(tree.nodes.size());
        for (CallNodeIndex node(1); raw(node) < tree.nodes.size(); node = CallNodeIndex(raw(node) + 1)) {
            const program::Function& function = run_.function_of(node);
            const auto [at, is_new] = numbers.try_emplace({node.in(tree.nodes).function, run_.line_of(node)},
                                                          static_cast<std::uint32_t>(numbers.size()));
            frame_of_[raw(node)] = at->second;
            if (is_new) {
                std::string text =
                    fmt::format("{}{{\"name\":{}", at->second == 0 ? "\n" : ",\n", json_string(function.name));
                if (const std::string& file = run_.file_of(node); !file.empty()) {
                    text += ",\"file\":" + json_string(file);
                }
                if (run_.line_of(node) != 0) {
                    text += fmt::format(",\"line\":{}", run_.line_of(node));
                }
                out_.write(text + "}");
            }
        }
        frames_ = static_cast<std::uint32_t>(numbers.size());
        if (time_ == Time::kProcessor) {
            return;
        }
        // The ways of being off a processor, as frames of their own.
        const auto add = [&](const std::string& name) {
            out_.write(fmt::format("{}{{\"name\":{}}}", frames_ == 0 ? "\n" : ",\n", json_string(name)));
            return frames_++;
        };
        for (unsigned kind = 0; kind < recording::kWaitKinds; ++kind) {
            waits_.push_back(
                add(kind == 0 ? "[off]" : fmt::format("[waits: {}]", wait_kind_words(recording::WaitKind(kind)))));
        }
        ready_ = add("[ready, without a processor]");
    }

    void piece(const Piece& one) {
        const bool is_on = is_on_processor(one.state);
        if ((time_ == Time::kProcessor && !is_on) || (time_ == Time::kOff && is_on)) {
            return;
        }
        const std::uint32_t node = raw(run_.call_node(one.node));
        const ThreadWait* const wait = wait_of(run_, one);
        const auto kind = wait == nullptr ? 0U : static_cast<unsigned>(wait->kind);
        const std::uint32_t frame = is_on                                ? kNone
                                    : one.state == ThreadState::kReady   ? ready_
                                    : one.state == ThreadState::kWaiting ? waits_[kind < waits_.size() ? kind : 0]
                                                                         : waits_[0];
        Last& last = last_[one.thread];
        if (last.node != node || last.frame != frame) {
            put(one.thread);
            last.node = node;
            last.frame = frame;
        }
        last.ns += one.end - one.begin;
    }

    void put(std::uint32_t thread) {
        Last& last = last_[thread];
        if (last.ns == 0) {
            return;
        }
        const bool is_first = spool_.is_empty(path_list(thread));
        spool_.add(path_list(thread), (is_first ? "" : ",") + path(last));
        spool_.add(path_list(thread) + 1, fmt::format("{}{}", is_first ? "" : ",", last.ns));
        last.total += last.ns;
        last.ns = 0;
    }

    // "[1,2,3]", outermost first.
    std::string path(const Last& of) {
        const auto [at, is_new] = paths_.try_emplace(of.node);
        if (is_new) {
            for (CallNodeIndex node(of.node); node != CallNodeIndex(0); node = node.in(run_.tree.nodes).parent) {
                at->second = fmt::format("{}{}{}", frame_of_[raw(node)], at->second.empty() ? "" : ",", at->second);
            }
        }
        if (of.frame == kNone) {
            return "[" + at->second + "]";
        }
        return fmt::format("[{}{}{}]", at->second, at->second.empty() ? "" : ",", of.frame);
    }

    Result<void> profile(std::uint32_t thread, bool is_first) {
        const ProfileThread& one = run_.threads()[thread];
        out_.write(fmt::format(
            "{}\n{{\"type\":\"sampled\",\"name\":{},\"unit\":\"nanoseconds\",\"startValue\":0,\"endValue\":{},"
            "\n\"samples\":[",
            is_first ? "" : ",",
            json_string(fmt::format("{} {}, {}", run_.thread_name(thread), one.tid, run_.process_name(one.process))),
            last_[thread].total));
        if (auto good = spool_.play(path_list(thread), out_); !good) {
            return good;
        }
        out_.write("],\n\"weights\":[");
        auto good = spool_.play(path_list(thread) + 1, out_);
        out_.write("]}");
        return good;
    }

    const ExportRun& run_;
    Time time_;
    Output& out_;
    std::vector<Last> last_;
    Spool spool_;
    std::vector<std::uint32_t> frame_of_;  // by call node
    std::vector<std::uint32_t> waits_;     // frames, by kind of wait
    std::uint32_t ready_ = 0;
    std::uint32_t frames_ = 0;
    std::unordered_map<std::uint32_t, std::string> paths_;  // by call node
};

Result<void> write_speedscope(const recording::Recording& recording, const ExportOptions& options, Output& out) {
    const auto time = time_of(options.weight);
    if (!time) {
        return time.error();
    }
    const auto run = load_export_run(recording, options, Findings::kNone);
    if (!run) {
        return run.error();
    }
    const std::string command = ExportRun::command_text(run->profile.command);
    return SpeedscopeWriter(*run, *time, out).write(command.empty() ? "kymo" : command);
}

}  // namespace

extern const Export kSpeedscope{
    .name = "speedscope",
    .what = "each thread's call paths in the order of time: speedscope.app. Weight: nanoseconds (wall, off-cpu)",
    .has_weight = true,
    .write = write_speedscope,
};

}  // namespace kymo::view
