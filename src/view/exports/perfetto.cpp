// Perfetto's trace: packets of track events (perfetto.dev, protos/perfetto/trace, 2024). A process has a track, each
// of its threads one below it, each thread's counters below that; findings have tracks of their own.
//
// Names are interned: written once, then named by number.
#include "base/clean_text.h"
#include "findings/finding.h"
#include "view/exports/timeline.h"

#include <fmt/format.h>
#include <protozero/pbf_writer.hpp>
#include <unordered_map>
#include <unordered_set>

namespace kymo::view {
namespace {

using namespace spacetime;
using protozero::pbf_writer;

// Field numbers of the messages that are written.
namespace field {
constexpr protozero::pbf_tag_type kPacket = 1;
namespace packet {
constexpr protozero::pbf_tag_type kTimestamp = 8, kSequence = 10, kEvent = 11, kInterned = 12, kFlags = 13,
                                  kTrack = 60;
constexpr std::uint32_t kStateCleared = 1, kNeedsState = 2;
}  // namespace packet
namespace track {
constexpr protozero::pbf_tag_type kUuid = 1, kName = 2, kProcess = 3, kThread = 4, kParent = 5, kCounter = 8;
}
namespace process {
constexpr protozero::pbf_tag_type kPid = 1, kCommand = 2, kName = 6;
}
namespace thread {
constexpr protozero::pbf_tag_type kPid = 1, kTid = 2, kName = 5;
}
namespace event {
constexpr protozero::pbf_tag_type kAnnotation = 4, kType = 9, kNameNumber = 10, kTrack = 11, kName = 23,
                                  kCategory = 22, kValue = 30, kFlow = 47, kFlowEnd = 48;
constexpr std::uint32_t kBegin = 1, kEnd = 2, kInstant = 3, kCount = 4;
}  // namespace event
namespace annotation {
constexpr protozero::pbf_tag_type kInteger = 4, kReal = 5, kText = 6, kName = 10;
}
namespace interned {
constexpr protozero::pbf_tag_type kEventNames = 2;
constexpr protozero::pbf_tag_type kNumber = 1, kText = 2;
}  // namespace interned
}  // namespace field

constexpr std::uint32_t kSequence = 1;
// Numbers of tracks: of processes from 1 on, of threads, of counters, of findings.
constexpr std::uint64_t kThreads = std::uint64_t{1} << 32U;
constexpr std::uint64_t kCounters = std::uint64_t{2} << 32U;
constexpr std::uint64_t kFindingTracks = std::uint64_t{3} << 32U;

class PerfettoWriter : public TimelineWriter {
  public:
    PerfettoWriter(const ExportRun& run, Output& out) : run_(run), out_(out) {}

    Result<void> write() {
        packet([&](pbf_writer& to) {
            to.add_uint32(field::packet::kFlags, field::packet::kStateCleared);
            to.add_uint32(field::packet::kSequence, kSequence);
        });
        tracks();
        auto done = write_timeline(run_, *this);
        findings();
        return done;
    }

    void open(std::uint32_t thread, std::uint64_t time, CallNodeIndex node, const std::string& name,
              const ThreadWait* wait) override {
        if (node == CallNodeIndex(0)) {
            event(time, kThreads + thread, field::event::kBegin, name, "state", [&](pbf_writer& to) {
                if (wait != nullptr && wait->holder_tid != 0) {
                    annotate(to, "holder_tid", static_cast<std::int64_t>(wait->holder_tid));
                }
            });
            return;
        }
        slices_.resize(run_.tree.nodes.size());
        Slice& slice = slices_[raw(node)];
        if (slice.name == 0) {
            const auto place = run_.file_of(node).empty()
                                   ? std::string()
                                   : fmt::format("{}:{}", run_.file_of(node), run_.line_of(node));
            slice = {number_of(name), place};
        }
        packet([&](pbf_writer& to) {
            head(to, time);
            new_name(to);
            pbf_writer inner(to, field::packet::kEvent);
            inner.add_uint32(field::event::kType, field::event::kBegin);
            inner.add_uint64(field::event::kTrack, kThreads + thread);
            inner.add_uint64(field::event::kNameNumber, slice.name);
            inner.add_string(field::event::kCategory, "code");
            if (!slice.place.empty()) {
                annotate(inner, "place", slice.place);
            }
        });
    }

    void close(std::uint32_t thread, std::uint64_t time) override {
        event(time, kThreads + thread, field::event::kEnd, "", "", [](pbf_writer&) {});
    }

    void wakeup(const Wakeup& one) override {
        ++flows_;
        event(one.time, kThreads + one.by, field::event::kInstant, "lets go on", "wait",
              [&](pbf_writer& to) { to.add_fixed64(field::event::kFlow, flows_); });
        event(one.time, kThreads + one.waiter, field::event::kInstant, "goes on", "wait",
              [&](pbf_writer& to) { to.add_fixed64(field::event::kFlowEnd, flows_); });
    }

    void flow(const TimelineFlow& one) override {
        ++flows_;
        const std::string name = one.name.empty() ? "flow" : one.name;
        event(one.begin, kThreads + one.from, field::event::kInstant, name, "flow",
              [&](pbf_writer& to) { to.add_fixed64(field::event::kFlow, flows_); });
        event(one.end, kThreads + one.to, field::event::kInstant, name, "flow",
              [&](pbf_writer& to) { to.add_fixed64(field::event::kFlowEnd, flows_); });
    }

    void mark(const TimelineMark& one) override {
        event(one.time, kThreads + one.thread, field::event::kInstant, one.title(), "mark", [&](pbf_writer& to) {
            annotate(to, "kind", static_cast<std::int64_t>(one.kind));
            annotate(to, "value", one.value);
        });
    }

    void counted(std::uint32_t thread, std::uint64_t time, std::size_t number, std::uint64_t value) override {
        const std::uint64_t track = kCounters + thread * run_.profile.events.size() + number;
        if (counters_.insert(track).second) {
            packet([&](pbf_writer& to) {
                pbf_writer inner(to, field::packet::kTrack);
                inner.add_uint64(field::track::kUuid, track);
                inner.add_uint64(field::track::kParent, kThreads + thread);
                inner.add_string(field::track::kName, run_.profile.events[number].name);
                inner.add_message(field::track::kCounter, std::string());
            });
        }
        event(time, track, field::event::kCount, "", "",
              [&](pbf_writer& to) { to.add_int64(field::event::kValue, static_cast<std::int64_t>(value)); });
    }

  private:
    template <typename Fill>
    void packet(Fill&& fill) {
        bytes_.clear();
        {
            pbf_writer trace(bytes_);
            pbf_writer inner(trace, field::kPacket);
            fill(inner);
        }
        out_.write(bytes_);
    }

    template <typename Fill>
    void event(std::uint64_t time, std::uint64_t track, std::uint32_t type, const std::string& name,
               const char* category, Fill&& fill) {
        const std::uint64_t number = name.empty() ? 0 : number_of(name);
        packet([&](pbf_writer& to) {
            head(to, time);
            new_name(to);
            pbf_writer inner(to, field::packet::kEvent);
            inner.add_uint32(field::event::kType, type);
            inner.add_uint64(field::event::kTrack, track);
            if (number != 0) {
                inner.add_uint64(field::event::kNameNumber, number);
                inner.add_string(field::event::kCategory, category);
            }
            fill(inner);
        });
    }

    static void head(pbf_writer& to, std::uint64_t time) {
        to.add_uint64(field::packet::kTimestamp, time);
        to.add_uint32(field::packet::kSequence, kSequence);
        to.add_uint32(field::packet::kFlags, field::packet::kNeedsState);
    }

    // The number of a name. A new one must be written into the packet that first uses it.
    std::uint64_t number_of(const std::string& name) {
        const auto [at, is_new] = names_.try_emplace(name, names_.size() + 1);
        if (is_new) {
            new_name_ = &*at;
        }
        return at->second;
    }

    void new_name(pbf_writer& to) {
        if (new_name_ == nullptr) {
            return;
        }
        pbf_writer interned(to, field::packet::kInterned);
        pbf_writer text(interned, field::interned::kEventNames);
        text.add_uint64(field::interned::kNumber, new_name_->second);
        text.add_string(field::interned::kText, new_name_->first);
        new_name_ = nullptr;
    }

    static void annotate(pbf_writer& to, const char* name, const std::string& text) {
        pbf_writer inner(to, field::event::kAnnotation);
        inner.add_string(field::annotation::kName, name);
        inner.add_string(field::annotation::kText, text);
    }
    static void annotate(pbf_writer& to, const char* name, std::int64_t value) {
        pbf_writer inner(to, field::event::kAnnotation);
        inner.add_string(field::annotation::kName, name);
        inner.add_int64(field::annotation::kInteger, value);
    }
    static void annotate(pbf_writer& to, const char* name, double value) {
        pbf_writer inner(to, field::event::kAnnotation);
        inner.add_string(field::annotation::kName, name);
        inner.add_double(field::annotation::kReal, value);
    }

    void tracks() {
        const Profile& profile = run_.profile;
        for (std::uint32_t process = 0; process < profile.processes.size(); ++process) {
            packet([&](pbf_writer& to) {
                pbf_writer inner(to, field::packet::kTrack);
                inner.add_uint64(field::track::kUuid, process + 1);
                pbf_writer told(inner, field::track::kProcess);
                told.add_int32(field::process::kPid, static_cast<std::int32_t>(profile.processes[process].pid));
                for (const std::string& word : profile.processes[process].command) {
                    told.add_string(field::process::kCommand, clean_text(word));
                }
                told.add_string(field::process::kName, run_.process_name(process));
            });
        }
        for (std::uint32_t thread = 0; thread < run_.threads().size(); ++thread) {
            const ProfileThread& one = run_.threads()[thread];
            packet([&](pbf_writer& to) {
                pbf_writer inner(to, field::packet::kTrack);
                inner.add_uint64(field::track::kUuid, kThreads + thread);
                inner.add_uint64(field::track::kParent, one.process + 1);
                pbf_writer told(inner, field::track::kThread);
                told.add_int32(field::thread::kPid, static_cast<std::int32_t>(profile.processes[one.process].pid));
                told.add_int32(field::thread::kTid, static_cast<std::int32_t>(one.tid));
                told.add_string(field::thread::kName, run_.thread_name(thread));
            });
        }
    }

    void findings() {
        const auto& found = run_.judgement.findings;
        for (std::size_t i = 0; i < found.size(); ++i) {
            const findings::Finding& one = found[i];
            packet([&](pbf_writer& to) {
                pbf_writer inner(to, field::packet::kTrack);
                inner.add_uint64(field::track::kUuid, kFindingTracks + i);
                inner.add_string(field::track::kName, "finding: " + one.kind);
            });
            for (const TimeRange& range : run_.times_of(one)) {
                event(range.begin, kFindingTracks + i, field::event::kBegin, one.kind, "finding",
                      [&](pbf_writer& to) {
                          annotate(to, "what", one.title);
                          if (one.is_cost_known) {
                              annotate(to, "share", one.share);
                              annotate(to, "seconds", one.seconds);
                          }
                          annotate(to, "do", one.direction);
                      });
                event(range.end, kFindingTracks + i, field::event::kEnd, "", "", [](pbf_writer&) {});
            }
        }
    }

    const ExportRun& run_;
    Output& out_;
    std::string bytes_;  // of the current packet
    std::unordered_map<std::string, std::uint64_t> names_;
    const std::pair<const std::string, std::uint64_t>* new_name_ = nullptr;
    struct Slice {
        std::uint64_t name = 0;  // 0: not known yet
        std::string place;
    };
    std::vector<Slice> slices_;                   // by call node
    std::unordered_set<std::uint64_t> counters_;  // that have a track
    std::uint64_t flows_ = 0;
};

Result<void> write_perfetto(const recording::Recording& recording, const ExportOptions&, Output& out) {
    const auto run = load_timeline_run(recording);
    if (!run) {
        return run.error();
    }
    return PerfettoWriter(*run, out).write();
}

}  // namespace

extern const Export kPerfetto{
    .name = "perfetto",
    .what = "each thread's call paths, waits, wake-ups, marks, counters and findings over time: ui.perfetto.dev",
    .is_binary = true,
    .write = write_perfetto,
};

}  // namespace kymo::view
